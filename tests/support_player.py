"""A player's program for tests: the client's half of the protocol on real connections, in either encoding.

It keeps all it hears, compares what it folded with every view the server sends, plays by a policy if it is given one,
and connects again by itself as PROTOCOL.md tells it to.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final, Literal, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from bots.policy import Policy
from engine.actions import parse_action
from engine.events import HandScored, HandThrownIn
from engine.plain import view_from_plain
from engine.rules import rules_from_plain
from engine.view import View
from protocol.client import ClientSession
from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import MAX_INTEGER, MAX_SERVER_FRAME_BYTES
from protocol.outgoing import TableInfo
from protocol.reconnect import GiveUp, advice_for_close
from protocol.updates import Answered, EventsArrived, PromptArrived, Update, Welcomed
from tests.support_server import PATIENCE_S

Message = dict[str, Any]
T = TypeVar("T")

BOTH: Final = (JSON, MSGPACK)
"""The encodings of both subprotocols."""


class Player:
    """One player, over any number of connections.

    ``heard`` has every message as it came, ``updates`` what the session made of them. ``folded`` has, by table and seq,
    the view as it was folded from events. ``closes`` are the codes of the connections that ended, None for one cut off.
    With *compare* a view is asked for at every hand's end, and compared with what was folded.
    """

    def __init__(
        self,
        url: str,
        name: str | None,
        *,
        token: str | None = None,
        codec: Codec = JSON,
        policy: Policy | None = None,
        seed: int = 0,
        compare: bool = False,
    ) -> None:
        self.session = ClientSession(name=name, token=token, client="tests")
        self.policy = policy
        self.heard: list[Message] = []
        self.updates: list[Update] = []
        self.folded: dict[tuple[str, int], View] = {}
        self.closes: list[int | None] = []
        self.welcomes = 0
        self.frames = 0
        self.views_compared = 0
        self.on_message: Callable[[Message], object] = bool
        """Called with every message before the session gets it."""
        self._url = url
        self._codec = codec
        self._compare = compare
        self._views_awaited = 0
        self._is_followed = False  # a view was heard on this connection: since then nobody came or went unheard
        self._cut_every = 0
        self._pause_s = 0.0
        self._errands: set[asyncio.Task[None]] = set()
        self._rng = random.Random(seed)
        self._socket: ClientConnection | None = None
        self._changed = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name=f"player {name}")
        self._task.add_done_callback(lambda _: self._changed.set())

    # ── what a test says ─────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def token(self) -> str:
        assert self.session.token is not None
        return self.session.token

    async def send(self, message: Message) -> None:
        """Send *message* as it is, past the session."""
        await self.send_frame(self._codec.encode(message))

    async def send_frame(self, frame: str | bytes, *, text: bool | None = None) -> None:
        """Send a frame, of the subprotocol's kind unless *text* says which."""
        assert self._socket is not None
        data = frame.encode() if isinstance(frame, str) else frame
        await self._socket.send(data, text=self._codec.is_text if text is None else text)

    def fresh_ref(self) -> int:
        """Return a ref nobody used."""
        ref, self.session.next_ref = self.session.next_ref, self.session.next_ref + 1
        return ref

    async def ask(self, kind: str, *, ref: int | None = None, **fields: Any) -> Message:
        """Send a message past the session and return its answer."""
        ref = self.fresh_ref() if ref is None else ref
        heard = len(self.heard)
        await self.send({"t": kind, "ref": ref, **fields})
        return await self.answer(ref, since=heard)

    async def answer(self, ref: int | None, *, since: int = 0) -> Message:
        """Wait for the answer with this ref among what was heard after the first *since* messages."""
        return await self.until(lambda: self._answer(ref, since))

    def _answer(self, ref: int | None, since: int) -> Message | None:
        for message in self.heard[since:]:
            if message["t"] in {"ok", "refused", "welcome", "pong"} and message["ref"] == ref:
                return message
        return None

    async def command(self, message: Message) -> Message:
        """Send a message the session queued, and return its answer, whatever connections come and go."""
        since = len(self.updates)
        await self.flush()
        found = await self.until(
            lambda: next(
                (
                    update
                    for update in self.updates[since:]
                    if isinstance(update, Answered) and update.ref == message["ref"]
                ),
                None,
            )
        )
        return dict(found.answer)

    async def create(self, preset: str = "standard", **fields: Any) -> str:
        """Make a table, without a clock unless *fields* say otherwise, and return its id once its view is here."""
        answer = await self.command(self.session.create(preset, **({"clock": "none"} | fields)))
        assert answer["t"] == "ok", answer
        await self.shown(answer["table"])
        return str(answer["table"])

    async def join(self, table: str, seat: int | None = None) -> None:
        answer = await self.command(self.session.join(table=table, seat=seat))
        assert answer["t"] == "ok", answer
        await self.shown(table)

    async def watch(self, table: str) -> None:
        answer = await self.command(self.session.watch(table=table))
        assert answer["t"] == "ok", answer
        await self.shown(table)

    async def start(self, table: str) -> None:
        answer = await self.command(self.session.start(table))
        assert answer["t"] == "ok", answer

    async def flush(self) -> None:
        """Send what the session queued, if there is a connection; the next one sends it again."""
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):  # there may be more to read
                for message in self.session.take_outbox():
                    await self.send(message)

    # ── what a test waits for ────────────────────────────────────────────────────────────────────────────────────────

    async def until(self, condition: Callable[[], T | Literal[False] | None]) -> T:
        """Wait until *condition* is true of this player, and return what it returned."""
        async with asyncio.timeout(PATIENCE_S):
            while not (value := condition()):
                if self._task.done():
                    self._task.result()
                    raise AssertionError(f"the player gave up, closed with {self.closes}")
                self._changed.clear()
                await self._changed.wait()
        return value

    async def welcome(self) -> None:
        await self.until(lambda: self.session.is_welcome)

    async def shown(self, table: str) -> None:
        """Wait until the table's state is known."""
        await self.until(lambda: table in self.session.tables and self.session.tables[table].info is not None)

    async def my_turn(self, table: str) -> Message:
        """Wait until this player is asked for a decision that is not on its way already, and return the prompt."""
        return await self.until(lambda: self._my_prompt(table))

    def _my_prompt(self, table: str) -> Message | None:
        follower = self.session.tables.get(table)
        if follower is None or follower.prompt is None or "legal" not in follower.prompt:
            return None
        return None if self._is_answered(table, follower.prompt["turn"]) else dict(follower.prompt)

    async def game_over(self, table: str) -> View:
        """Wait until the table's game is over and return its last view."""
        return await self.until(lambda: (view := self.session.tables[table].view) and view.over and view)

    async def closed(self) -> int | None:
        """Wait until the player has given up, and return the close code it gave up on."""
        async with asyncio.timeout(PATIENCE_S):
            await self._task
        return self.closes[-1]

    def seq(self, table: str) -> int:
        """Return the number of the last entry heard of."""
        return self.session.tables[table].seq or 0

    def view(self, table: str) -> View:
        view = self.session.tables[table].view
        assert view is not None
        return view

    def info(self, table: str) -> TableInfo:
        info = self.session.tables[table].info
        assert info is not None
        return info

    async def fresh_view(self, table: str) -> Message:
        """Ask the server for a view, and return it."""
        heard = len(self.heard)
        await self.send({"t": "sync", "ref": self.fresh_ref(), "table": table, "seq": MAX_INTEGER})
        return await self.until(
            lambda: next(
                (m for m in self.heard[heard:] if m["t"] == "view" and m["table"] == table),
                None,
            )
        )

    @property
    def is_compared(self) -> bool:
        """Tell whether every view that was asked for at a hand's end has come."""
        return self.views_compared >= self._views_awaited

    # ── the connection ───────────────────────────────────────────────────────────────────────────────────────────────

    def cut(self) -> None:
        """Lose the connection, without a word to the server."""
        if self._socket is not None:
            self._socket.transport.abort()

    def cut_off(self, pause_s: float) -> None:
        """Lose the connection, and try for no other for so long."""
        self._pause_s = pause_s
        self.cut()

    @contextlib.contextmanager
    def not_reading(self) -> Iterator[None]:
        """Read nothing while the context is open."""
        assert self._socket is not None
        transport = self._socket.transport
        transport.pause_reading()
        try:
            yield
        finally:
            transport.resume_reading()

    def cut_every(self, frames: int) -> None:
        """Lose the connection after every so many frames from now on."""
        self._cut_every = frames

    async def leave_the_room(self) -> None:
        """Close the connection for good."""
        for errand in list(self._errands):
            errand.cancel()
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _run(self) -> None:
        attempt = 0
        while True:
            code: int | None = None
            welcomes = self.welcomes
            try:
                async with connect(
                    self._url,
                    subprotocols=[Subprotocol(self._codec.subprotocol)],
                    compression=None,
                    max_size=MAX_SERVER_FRAME_BYTES,
                    open_timeout=PATIENCE_S,
                    close_timeout=1,
                    proxy=None,
                ) as socket:
                    self._socket = socket
                    try:
                        await self._converse(socket)
                    except ConnectionClosed:
                        pass
                    finally:
                        self._socket = None
                code = socket.close_code
            except (OSError, InvalidHandshake):
                code = None
            self.closes.append(None if code == 1006 else code)
            attempt = 0 if self.welcomes > welcomes else attempt + 1
            advice = advice_for_close(
                self.closes[-1], attempt=attempt, jitter=self._rng.random(), retry_ms=self.session.drain_retry_ms
            )
            self._changed.set()
            if isinstance(advice, GiveUp):
                return
            if advice.as_new_player:
                self.session.token = None
            pause_s, self._pause_s = self._pause_s, 0.0
            await asyncio.sleep(pause_s or advice.after_ms / 1000)

    async def _converse(self, socket: ClientConnection) -> None:
        self.session.hello()
        await self.flush()
        async for frame in socket:
            assert isinstance(frame, str) is self._codec.is_text
            self.frames += 1
            for message in self._codec.decode_frame(frame):
                self._take(message)
            await self.flush()
            self._changed.set()
            if self._cut_every and self.frames % self._cut_every == 0:
                socket.transport.abort()

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, message: Message) -> None:
        self.heard.append(message)
        self.on_message(message)
        if message["t"] == "welcome":
            self._is_followed = False
        if message["t"] == "view":
            self._compare_view(message)
            self._is_followed = True
        for update in self.session.receive(message):
            self.updates.append(update)
            match update:
                case Welcomed():
                    self.welcomes += 1
                case PromptArrived() if self.policy is not None and update.is_mine:
                    self._decide(update)
                case Answered(_, request, answer) if request is not None and answer["t"] == "refused":
                    if "retry_ms" in answer:
                        self._later(answer["retry_ms"], request)
                case EventsArrived() if self._compare and any(
                    isinstance(event, HandScored | HandThrownIn) for event in update.events
                ):
                    self._ask_for_a_view(update.table)
                case _:
                    pass
        if message["t"] in {"view", "event"}:
            follower = self.session.tables.get(message["table"])
            if follower is not None and follower.view is not None and follower.seq is not None:
                self.folded[follower.table, follower.seq] = without_prompt(follower.view)

    def _compare_view(self, message: Message) -> None:
        """Check that a view shows the table just as it was folded, if it was."""
        follower = self.session.tables.get(message["table"])
        if follower is None or follower.seq != message["seq"] or follower.info is None:
            return
        game = message["view"]["game"]
        shown = None if game is None else without_prompt(view_from_plain(game))
        assert (follower.view and without_prompt(follower.view)) == shown
        assert _entered(follower.info) == _entered(message["view"]["table"])
        if self._is_followed:
            assert {**follower.info, "watchers": 0} == {**message["view"]["table"], "watchers": 0}
        self.views_compared += 1

    def _decide(self, update: PromptArrived) -> None:
        assert self.policy is not None
        if self._is_answered(update.table, update.prompt["turn"]):
            return
        follower = update.after
        assert follower.view is not None
        assert follower.info is not None
        legal = [parse_action(text) for text in update.prompt["legal"]]
        rules = rules_from_plain(follower.info["rules"])
        action = self.policy.decide(follower.view, legal, rules, self._rng)
        self.session.act(update.table, update.prompt["turn"], action)

    def _later(self, ms: int, request: Message) -> None:
        """Send a command again that was put off, after the time the refusal asks for."""

        async def wait() -> None:
            await asyncio.sleep(ms / 1000)
            self.session.send_again(request)
            await self.flush()

        task = asyncio.create_task(wait())
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)

    def _ask_for_a_view(self, table: str) -> None:
        self._views_awaited += 1
        self.session.outbox.append({"t": "sync", "ref": self.fresh_ref(), "table": table, "seq": MAX_INTEGER})

    def _is_answered(self, table: str, turn: int) -> bool:
        """Tell whether an answer to this decision is on its way already."""
        waiting = [message for message in self.session.outstanding.values() if message["t"] == "act"]
        return any(message["table"] == table and message["turn"] == turn for message in waiting)


class Wire:
    """A connection without manners, for what no client would send."""

    def __init__(self, socket: ClientConnection, codec: Codec) -> None:
        self.socket = socket
        self.codec = codec
        self.heard: list[Message] = []
        self._unread: deque[Message] = deque()

    @classmethod
    async def open(cls, url: str, codec: Codec = JSON) -> Wire:
        """Connect with one subprotocol. Whoever opens it closes it."""
        socket = await connect(
            url,
            subprotocols=[Subprotocol(codec.subprotocol)],
            compression=None,
            max_size=MAX_SERVER_FRAME_BYTES,
            open_timeout=PATIENCE_S,
            close_timeout=1,
            proxy=None,
        )
        return cls(socket, codec)

    @classmethod
    @asynccontextmanager
    async def to(cls, url: str, codec: Codec = JSON, *, name: str | None = None) -> AsyncIterator[Wire]:
        """Connect with one subprotocol; with *name*, say hello and read the welcome."""
        wire = await cls.open(url, codec)
        async with wire.socket:
            if name is not None:
                await wire.send({"t": "hello", "ref": 1, "version": 1, "name": name})
                assert (await wire.receive())["t"] == "welcome"
            yield wire

    async def send(self, message: Message) -> None:
        """Send one message."""
        await self.send_frame(self.codec.encode(message))

    async def send_frame(self, frame: str | bytes, *, text: bool | None = None) -> None:
        """Send one frame, of the subprotocol's kind unless *text* says which."""
        data = frame.encode() if isinstance(frame, str) else frame
        await self.socket.send(data, text=self.codec.is_text if text is None else text)

    async def send_at_once(self, messages: list[Message]) -> None:
        """Hand the frames of all *messages* to the socket in one piece."""
        protocol = self.socket.protocol
        for message in messages:
            frame = self.codec.encode(message)
            protocol.send_text(frame) if self.codec.is_text else protocol.send_binary(frame)
        self.socket.transport.write(b"".join(protocol.data_to_send()))

    async def receive(self) -> Message:
        """Return the next message."""
        while not self._unread:
            async with asyncio.timeout(PATIENCE_S):
                frame = await self.socket.recv()
            assert isinstance(frame, str) is self.codec.is_text
            self._unread.extend(self.codec.decode_frame(frame))
        return self._unread.popleft()

    async def ask(self, message: Message) -> Message:
        """Send *message* and return the next message that answers one."""
        await self.send(message)
        while (answer := await self.receive())["t"] not in {"ok", "refused", "welcome", "pong"}:
            pass
        return answer

    async def answer(self, ref: int) -> Message:
        """Return the answer with this ref; what came before it is in ``heard``."""
        while (message := await self.receive()).get("ref") != ref:
            self.heard.append(message)
        return message

    async def closed(self) -> int | None:
        """Read on until the server closes the connection; return the close code."""
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionClosed):
                while True:
                    self._unread.extend(self.codec.decode_frame(await self.socket.recv()))
        return self.socket.close_code

    @property
    def unread(self) -> list[Message]:
        """What was heard and not received yet."""
        return list(self._unread)


def raw_handshake(codec: Codec) -> bytes:
    """Return a client's half of a handshake, for sockets that no library reads or answers."""
    return (
        "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: {codec.subprotocol}\r\n\r\n"
    ).encode()


def raw_text(data: bytes) -> bytes:
    """Return a client's text frame of up to 125 bytes; its mask changes nothing."""
    assert len(data) < 126
    return bytes((0x81, 0x80 | len(data), 0, 0, 0, 0)) + data


def _entered(info: TableInfo) -> dict[str, Any]:
    """Return what of *info* follows from the table's entries: all but who is connected."""
    return {**info, "watchers": 0, "seats": [{**seat, "online": True} for seat in info["seats"]]}


def without_prompt(view: View) -> View:
    """Return *view* without what only a prompt tells."""
    return replace(view, phase=None, to_act=None)


@asynccontextmanager
async def playing(*players: Player) -> AsyncIterator[None]:
    """Wait for the players' welcome; let their connections go in the end."""
    try:
        for player in players:
            await player.welcome()
        yield
    finally:
        for player in players:
            await player.leave_the_room()


async def four_players(
    url: str,
    *,
    codecs: tuple[Codec, ...] = BOTH,
    policies: tuple[Policy | None, ...] = (None,),
    seed: int = 0,
    compare: bool = False,
) -> tuple[Player, Player, Player, Player]:
    """Return four players whose encodings and policies go round; their connections are on their way."""
    ann, ben, cat, dan = (
        Player(
            url,
            name,
            codec=codecs[at % len(codecs)],
            policy=policies[at % len(policies)],
            seed=4 * seed + at,
            compare=compare,
        )
        for at, name in enumerate(("Ann", "Ben", "Cat", "Dan"))
    )
    return ann, ben, cat, dan


async def seat_four(players: tuple[Player, Player, Player, Player], preset: str = "standard", **fields: Any) -> str:
    """Let the first make a table, and the others sit down; return the table."""
    table = await players[0].create(preset, **fields)
    for seat, player in enumerate(players[1:], start=1):
        await player.join(table, seat)
    return table
