"""The program between its server and its person: what arrives from both, in one place and in order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar, cast

from bots.connection import Connection, Lost, NoConnectionError
from clients.cli.console import Console
from clients.cli.restart import Restart
from clients.cli.screen import Screen
from clients.cli.tokens import TokenFile
from protocol.client import ClientSession, Message
from protocol.outgoing import MyTable, Ok, PlayerInfo, Pong, Refused
from protocol.updates import Answered, Noticed, Update, Welcomed

T = TypeVar("T")

_GOODBYE_S: Final = 2.0
_INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
"""Ctrl-C, the request to end, and a terminal that was closed."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line the person typed."""

    text: str


@dataclass(frozen=True, slots=True)
class InputEnded:
    """There will be no more lines."""


Arrival: TypeAlias = Update | Typed | InputEnded


class EndOfInputError(Exception):
    """There is nobody to ask any more."""


class RefusedError(Exception):
    """The server did not do what we asked. ``refusal`` says why."""

    def __init__(self, refusal: Refused) -> None:
        self.refusal = refusal
        super().__init__(refusal["detail"])


class Client:
    """A session at a server, a screen and a console.

    ``my_tables`` are those we sat at when we were welcomed last. ``ends_with_input``: who only looks on needs no input.
    ``linked`` is the token of an own link, whose player one is from now on; ``was`` is the name under which whoever
    played here last is kept then. ``is_lost``: the connection is gone and not made again yet. ``inbox`` holds what
    nobody asked for by name: it grows only while the program waits for an answer.
    """

    def __init__(
        self,
        url: str,
        *,
        name: str | None,
        linked: str | None = None,
        tokens: TokenFile,
        screen: Screen,
        console: Console,
        ends_with_input: bool = True,
    ) -> None:
        token = linked or tokens.find(url, name)
        self.url = url
        self.screen = screen
        self.console = console
        self.session = ClientSession(name=None if token else name, token=token, client="euchre-cli")
        self.was: str | None = None
        self._asked_name = name
        self._is_linked = linked is not None
        self._tokens: TokenFile | None = tokens
        self._connection = Connection(url, self.session)
        self._inbox: asyncio.Queue[Arrival] = asyncio.Queue()
        self._sending: set[asyncio.Task[None]] = set()
        self._answers: dict[int, asyncio.Future[Ok | Pong]] = {}
        self._is_welcome = asyncio.Event()
        self.my_tables: tuple[MyTable, ...] = ()
        self._ends_with_input = ends_with_input
        self.is_lost = False
        self._is_line_wanted = False
        self._restart = Restart(screen)

    # ── running ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def run(self, talk: Coroutine[Any, Any, None], goodbye: Callable[[], Awaitable[None]]) -> None:
        """Connect and run *talk* to its end; *goodbye* instead on Ctrl-C or at the end of input.

        Raises NoConnectionError when there is no connection and none will be tried.
        """
        loop = asyncio.get_running_loop()
        self.console.start(lambda text: _from_thread(loop, self._take_line, text))
        receiving, talking = asyncio.create_task(self._receive()), asyncio.create_task(talk)
        try:
            with _interrupts_cancel(talking, loop):
                await asyncio.wait({receiving, talking}, return_when=asyncio.FIRST_COMPLETED)
            if not talking.done():
                receiving.result()
            try:
                await talking
            except (asyncio.CancelledError, EndOfInputError):
                with contextlib.suppress(TimeoutError, RefusedError):
                    await asyncio.wait_for(goodbye(), _GOODBYE_S)
        finally:
            self._restart.forget()
            receiving.cancel()
            talking.cancel()
            await asyncio.wait({receiving, talking})

    async def _receive(self) -> None:
        async for update in self._connection.updates():
            match update:
                case Lost():
                    self._tell_lost(update)
                case Welcomed():
                    self._take_welcome(update)
                case Answered(request={"t": "hello"}) if update.refusal:
                    self._take_rebuff(update.refusal)
                case Answered(request=dict(request)) if update.refusal and update.refusal.get("retry_ms"):
                    self._try_again(request, update.refusal)
                case Answered() if update.ref in self._answers:
                    self._take_answer(self._answers.pop(update.ref), update)
                case Noticed(kind="restart"):
                    self._restart.heard(update.in_ms)
                case Noticed() if update.kind != "table_closed":  # of which TableGone tells
                    self.screen.line(f"The server says: {update.detail}")
                case _:
                    self._inbox.put_nowait(update)

    def _take_rebuff(self, refusal: Refused) -> None:
        """Our greeting was refused. Where that may pass, the server closes the connection, and another is tried."""
        match refusal["code"]:
            case "bad_token" if self._is_linked:
                raise NoConnectionError(f"This link belongs to nobody at {self.url}.")
            case "bad_token":
                pass
            case "rate_limited" | "degraded":
                self.screen.line(f"Not now: {refusal['detail']}.")
            case _:
                raise NoConnectionError(f"The server refuses: {refusal['detail']}.")

    def _try_again(self, request: Message, refusal: Refused) -> None:
        """Send a command again that the server could not take just now."""
        self.screen.line(f"Not now: {refusal['detail']}. Trying again …")
        loop = asyncio.get_running_loop()

        def again() -> None:
            self.session.send_again(request)
            task = loop.create_task(self.send())
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

        loop.call_later(refusal["retry_ms"] / 1000, again)

    def _take_line(self, text: str | None) -> None:
        if text is not None:
            self._inbox.put_nowait(Typed(text))
        elif self._ends_with_input:
            self._inbox.put_nowait(InputEnded())

    def _tell_lost(self, lost: Lost) -> None:
        if lost.as_new_player:
            self.screen.line("The server does not know you any more; you go on as a new player.")
            self.session.name = self._asked_name
        if self._is_welcome.is_set() or not lost.as_new_player:
            seconds = max(1, round(lost.retry_ms / 1000))
            what = "Connection lost" if self._is_welcome.is_set() else "No connection yet"
            self.screen.line(f"{what}; trying again in {seconds} s …")
        self.is_lost = self._is_welcome.is_set()

    def _take_welcome(self, welcomed: Welcomed) -> None:
        self._restart.forget()  # what is still to come is told again
        if self.is_lost:
            self._inbox.put_nowait(welcomed)
        self.is_lost = False
        self.my_tables = welcomed.tables
        name = self._asked_name or welcomed.player["name"]
        if self._is_linked:
            self.was = self._keep(lambda tokens, token: tokens.keep_beside(self.url, name, token))
            self._is_linked = False
        else:
            self._keep(lambda tokens, token: tokens.keep(self.url, name, token))
        self._is_welcome.set()

    def _keep(self, keep: Callable[[TokenFile, str], T]) -> T | None:
        """Keep our token in the file of tokens, as *keep* does; None, and a word of it, where it cannot be written."""
        if self._tokens is None or self.session.token is None:
            return None
        try:
            return keep(self._tokens, self.session.token)
        except OSError as error:
            self.screen.line(
                f"Note: {self._tokens.path} cannot be written ({error.strerror}), so keep this window open."
            )
            self._tokens = None
            return None

    @staticmethod
    def _take_answer(future: asyncio.Future[Ok | Pong], answered: Answered) -> None:
        if future.done():
            return
        if answered.refusal is not None:
            future.set_exception(RefusedError(answered.refusal))
        else:
            future.set_result(cast("Ok | Pong", answered.answer))

    # ── for the talk ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def welcome(self) -> PlayerInfo:
        """Wait for the first welcome. Returns who we are."""
        await self._is_welcome.wait()
        assert self.session.player is not None
        return self.session.player

    async def next(self, timeout_s: float | None = None) -> Arrival | None:
        """Return what arrives next; None when nothing did for *timeout_s*. Raises EndOfInputError."""
        try:
            async with asyncio.timeout(timeout_s):
                arrival = await self._inbox.get()
        except TimeoutError:
            return None
        if isinstance(arrival, InputEnded):
            raise EndOfInputError
        if isinstance(arrival, Typed):
            self.screen.answered()
            self._is_line_wanted = False
            if self.console.is_terminal:
                self.console.want()
        return arrival

    async def send(self) -> None:
        """Send what the session queued."""
        await self._connection.flush()

    async def say(self, table: str, text: str) -> None:
        """Talk to a table; without a connection tell that nobody heard it, for chat is not sent again."""
        if self.is_lost:
            self.screen.line("That was not said: there is no connection just now.", indent=2)
            return
        self.session.say(table, text)
        await self.send()

    async def request(self, message: Message) -> Ok | Pong:
        """Send a command of the session's and wait for its answer. Raises RefusedError."""
        return await (await self.begin_request(message))

    async def renew_token(self) -> None:
        """Get another token in place of ours. Raises RefusedError."""
        old = self.session.token
        await self.request(self.session.renew_token())
        assert old is not None
        assert self.session.token is not None
        self._keep(lambda tokens, token: tokens.renew(self.url, old, token))  # before it is used: the old one is good
        await self._connection.remake()
        await self.request(self.session.whose(self.session.token))  # which is answered once we are welcome with it

    async def begin_request(self, message: Message) -> asyncio.Future[Ok | Pong]:
        """Send a command of the session's; its answer comes in the future, a refusal as RefusedError."""
        future: asyncio.Future[Ok | Pong] = asyncio.get_running_loop().create_future()
        self._answers[message["ref"]] = future
        await self.send()
        return future

    async def ask(self, question: str = "") -> str:
        """Ask the person for a line, and let whatever else arrives meanwhile go by. Raises EndOfInputError."""
        if question:
            self.screen.line(question)
        while True:
            self.want_line()
            match await self.next():
                case Typed(text):
                    return text
                case Welcomed():
                    self.screen.line("Connected again.")
                case _:
                    pass

    def want_line(self) -> None:
        """Show that a line is wanted; a pipe or file is read no further than that."""
        self.screen.ask()
        if not self.console.is_terminal and not self._is_line_wanted:
            self.console.want()
        self._is_line_wanted = True


def _from_thread(loop: asyncio.AbstractEventLoop, callback: Callable[[str | None], None], text: str | None) -> None:
    with contextlib.suppress(RuntimeError):  # the loop has ended, and so has the need
        loop.call_soon_threadsafe(callback, text)


@contextlib.contextmanager
def _interrupts_cancel(task: asyncio.Task[None], loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let the first interrupt cancel *task*. A second one ends the program as ever."""
    previous: dict[int, Any] = {}

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)
        previous.clear()

    def interrupt(_number: int, _frame: object) -> None:
        restore()
        loop.call_soon_threadsafe(task.cancel)

    for number in _INTERRUPTS:
        previous[number] = signal.signal(number, interrupt)
    try:
        yield
    finally:
        restore()
