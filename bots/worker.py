"""A bot worker: a process that answers a server's ``decide`` requests over the same WebSocket as everybody's.

It keeps nothing between requests, so any worker can answer any of them, and it gets nothing but the view of the seat
that decides. It ends on SIGTERM, when the server refuses its token, and, where it was started by a server, with that
server. Logs go to stderr and hold neither cards nor tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import stat
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import structlog
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Subprotocol

from bots.addresses import DEFAULT_URL, AddressError, websocket_url
from bots.crew import MOST_PROCESSES, run_crew
from bots.policy import decide
from bots.search import evaluate
from engine.actions import Action, parse_action
from engine.plain import view_from_plain
from engine.rules import Rules, rules_from_plain
from protocol.codec import MSGPACK
from protocol.codes import (
    MAX_SERVER_FRAME_BYTES,
    MAX_WORKER_SLOTS,
    TOKEN_IN_WORDS,
    TOKEN_PATTERN,
    CloseCode,
    RefusalCode,
)
from protocol.errors import ProtocolViolationError
from protocol.reconnect import Advice, GiveUp, advice_for_close

Message: TypeAlias = dict[str, Any]

TOKEN_VARIABLE: Final = "EUCHRE_WORKER_TOKEN"
"""The environment variable with the worker's token: arguments can be read by everyone on the machine."""
DEFAULT_SLOTS: Final = 8

_OK, _GAVE_UP, _BAD_USE = 0, 1, 2
_STDIN: Final = 0
_PARENT_POLL_S: Final = 0.5
_OPEN_TIMEOUT_S: Final = 10
_CLOSE_TIMEOUT_S: Final = 1

log: Final = structlog.get_logger("worker")


# ── deciding ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def answer(request: Message) -> Message:
    """Return the ``decided`` that answers *request*, a ``decide`` message.

    A decision that fails is logged, without the cards it was about, and the first legal action is the answer. Raises
    KeyError, TypeError or IndexError for a request that names no id or no legal action.
    """
    number, legal = request["id"], request["legal"]
    fallback: str = legal[0]
    try:
        action = str(_think(request))
        if action not in legal:
            raise ValueError("the policy chose an action that is not legal")
    except Exception as error:  # noqa: BLE001  # whatever a policy does wrong, the table must go on
        log.error("decision failed", id=number, error=type(error).__name__, at=_place_of(error))  # noqa: TRY400
        action = fallback
    return {"t": "decided", "id": number, "action": action}


def _think(request: Message) -> Action:
    return decide(
        request["level"],
        view_from_plain(request["view"]),
        [parse_action(text) for text in request["legal"]],
        _rules(tuple(request["rules"].items())),
        request["seed"],
    )


def weigh(request: Message) -> Message:
    """Return the ``weighed`` that answers *request*, a ``weigh`` message; without worths, where that fails."""
    try:
        worths = evaluate(
            view_from_plain(request["view"]),
            [parse_action(text) for text in request["legal"]],
            _rules(tuple(request["rules"].items())),
            layouts=request["layouts"],
            seed=request["seed"],
        )
    except Exception as error:  # noqa: BLE001  # whatever the search does wrong, the tables must go on
        log.error("weighing failed", id=request["id"], error=type(error).__name__, at=_place_of(error))  # noqa: TRY400
        worths = ()
    plain = [{"action": str(one.action), "points": one.points, "error": one.error} for one in worths]
    return {"t": "weighed", "id": request["id"], "worths": plain}


@lru_cache(maxsize=256)
def _rules(items: tuple[tuple[str, object], ...]) -> Rules:
    return rules_from_plain(dict(items))


def _place_of(error: Exception) -> str:
    """Return the file and line that raised; an error's text could hold cards."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return "?" if at is None else f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}"


# ── the connection ───────────────────────────────────────────────────────────────────────────────────────────────────


class Worker:
    """One worker's connection to one server, made again whenever it is lost."""

    def __init__(self, server: str, token: str, *, slots: int) -> None:
        self._server = server
        self._token = token
        self._slots = slots
        self._attempt = 0
        self._retry_ms: int | None = None

    async def run(self) -> None:
        """Work until the server will not have this worker any more, and log why. Cancel it to stop."""
        while True:
            advice = await self._work_until_lost()
            if isinstance(advice, GiveUp):
                log.error("given up", server=self._server, reason=advice.reason)
                return
            log.info("reconnecting", server=self._server, after_ms=advice.after_ms)
            self._attempt += 1
            self._retry_ms = None
            await asyncio.sleep(advice.after_ms / 1000)

    async def _work_until_lost(self) -> Advice:
        code: int | None = None
        try:
            async with connect(
                self._server,
                subprotocols=[Subprotocol(MSGPACK.subprotocol)],
                compression=None,
                max_size=MAX_SERVER_FRAME_BYTES,
                open_timeout=_OPEN_TIMEOUT_S,
                close_timeout=_CLOSE_TIMEOUT_S,
                proxy=None,
            ) as connection:
                try:
                    await self._offer_work(connection)
                    while True:
                        await self._take_frame(connection, await connection.recv())
                finally:
                    await connection.close()
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd is not None else None
            log.info("disconnected", server=self._server, code=code)
        except _RefusedError as refusal:
            log.warning("refused", server=self._server, code=refusal.code)
            code = CloseCode.TOKEN_REFUSED if refusal.code == RefusalCode.BAD_TOKEN else None
        except (OSError, InvalidHandshake) as error:  # a TimeoutError is an OSError
            log.warning("no connection", server=self._server, reason=str(error) or type(error).__name__)
        except ProtocolViolationError as error:
            log.warning("undecodable frame", server=self._server, detail=str(error))
        if code == CloseCode.TOKEN_REFUSED:
            return GiveUp("the server does not know this worker's token")
        return advice_for_close(code, attempt=self._attempt, jitter=random.random(), retry_ms=self._retry_ms)

    async def _offer_work(self, connection: ClientConnection) -> None:
        work = {"t": "work", "ref": 1, "token": self._token, "slots": self._slots}
        await connection.send(MSGPACK.encode(work))

    async def _take_frame(self, connection: ClientConnection, frame: str | bytes) -> None:
        for message in MSGPACK.decode_frame(frame):
            match message.get("t"):
                case "decide":
                    try:
                        decided = answer(message)
                    except (KeyError, IndexError, TypeError) as error:
                        log.warning("bad request", error=type(error).__name__)
                    else:
                        await connection.send(MSGPACK.encode(decided))
                case "weigh":
                    await connection.send(MSGPACK.encode(weigh(message)))
                case "ok":
                    log.info("working", server=self._server, slots=self._slots)
                    self._attempt = 0
                case "refused":
                    self._retry_ms = message.get("retry_ms")
                    raise _RefusedError(str(message.get("code")))
                case "notice":
                    self._retry_ms = message.get("retry_ms")
                case _:
                    pass  # of a newer server


class _RefusedError(Exception):
    """The server did not take this worker on. ``code`` says why."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(code)


# ── the process ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def _work(bots: Worker, *, with_parent: bool) -> int:
    """Run *bots* until it gives up, a signal says stop or, with *with_parent*, the parent is gone."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    tasks = [asyncio.create_task(bots.run()), asyncio.create_task(_until_set(stop))]
    if with_parent:
        _stop_at_end_of_input(loop, stop)
        tasks.append(asyncio.create_task(_parent_is_gone()))
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    gave_up = tasks[0].done()
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    log.info("stopped")
    return _GAVE_UP if gave_up else _OK


async def _until_set(stop: asyncio.Event) -> None:
    await stop.wait()


async def _parent_is_gone() -> None:
    """Wait until the process that started this one has ended; then another becomes its parent."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110  # nothing announces it everywhere
        await asyncio.sleep(_PARENT_POLL_S)


def _stop_at_end_of_input(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """Set *stop* when the other end of a pipe on standard input is closed: the parent is gone, at once and for sure."""
    try:
        mode = os.fstat(_STDIN).st_mode
    except OSError:
        return
    is_pipe = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)  # asyncio's pipe to a child may be a pair of sockets

    def on_input() -> None:
        if not os.read(_STDIN, 1024):
            loop.remove_reader(_STDIN)
            stop.set()

    if is_pipe:
        loop.add_reader(_STDIN, on_input)


def worker(server: str = DEFAULT_URL, *, token: str = "", processes: int = 1, slots: int = DEFAULT_SLOTS) -> int:
    """Run more bots for a server, which may be on another machine, until stopped.

    While the server is away the bots try again, at most 15 seconds apart.

    Args:
        server: The server: http://HOST:PORT/, ws://HOST:PORT/ws (or https, wss) or HOST:PORT.
        token: The server's worker token. Better in the environment variable EUCHRE_WORKER_TOKEN: arguments can be read
            by everyone on the machine.
        processes: How many processes decide at once; one a core is about right.
        slots: How many decisions the server may ask of a process at once.
    """
    return main(server, slots, token=token, processes=processes)


def main(
    server: str = DEFAULT_URL,
    slots: int = DEFAULT_SLOTS,
    *,
    token: str = "",
    processes: int = 1,
    with_parent: bool = False,
) -> int:
    """Work for *server* until told to stop. Return the exit status.

    *slots* is how many decisions the server may have open here at once. 0 means stopped on request, 1 that the server
    will not have this worker, 2 that it was started wrongly.
    """
    log_to_stderr()
    token = token or os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        return _bad_use(f"set {TOKEN_VARIABLE} to the worker token of the server")
    if re.fullmatch(TOKEN_PATTERN, token) is None:
        return _bad_use(f"a worker token is {TOKEN_IN_WORDS}")
    try:
        url = websocket_url(server)
    except AddressError as error:
        return _bad_use(str(error))
    if not 1 <= slots <= MAX_WORKER_SLOTS:
        return _bad_use(f"slots must be from 1 to {MAX_WORKER_SLOTS}")
    if not 1 <= processes <= MOST_PROCESSES:
        return _bad_use(f"processes must be from 1 to {MOST_PROCESSES}")
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        if processes > 1:
            arguments = ("--server", url, "--slots", str(slots))
            return runner.run(run_crew(processes, *arguments, token_variable=TOKEN_VARIABLE, token=token))
        return runner.run(_work(Worker(url, token, slots=slots), with_parent=with_parent))


def _bad_use(why: str) -> int:
    sys.stderr.write(f"euchre worker: {why}\n")
    return _BAD_USE


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """Return uvloop's loop where it is installed."""
    try:
        import uvloop  # noqa: PLC0415
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def log_to_stderr() -> None:
    """Write log lines to standard error: for people on a terminal, as JSON elsewhere."""
    is_terminal = sys.stderr.isatty()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.dev.ConsoleRenderer() if is_terminal else structlog.processors.JSONRenderer(),
        ],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
    )


def _parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bots.worker",
        description=f"Decide for a server's bots until the parent process ends. The token is {TOKEN_VARIABLE}'s.",
    )
    parser.add_argument("--server", default=DEFAULT_URL, help="its address (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=DEFAULT_SLOTS, help="decisions at once (default: %(default)s)")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    given = _parse_arguments()
    sys.exit(main(given.server, given.slots, with_parent=True))
