"""A bot that is a program in any language: it reads a JSON object a line and answers with a line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from bots.sdk.bot import Answer, Bot, BotFaultError
from engine.actions import Action, parse_action
from engine.errors import Code, IllegalActionError
from engine.rules import Rules, rules_to_plain
from engine.view import View

MAX_LINE_BYTES: Final = 65_536
MAX_NOISE_LINES: Final = 1000
"""So many lines that are no answer end the program, from one answer to the next."""
_STDOUT: Final = 1
_GOODBYE_S: Final = 0.5


def question(view: View, legal: Sequence[Action], rules: Rules, *, seed: int) -> Mapping[str, Any]:
    """Return the object of one line: all a seat may see, so that a program need remember nothing.

    ``plays`` are the tricks in order, the one on the table last, each a list of ``[seat, card]``.
    """
    return {
        "seat": view.viewer,
        "phase": view.phase,
        "dealer": view.dealer,
        "hand": view.cards,
        "upcard": view.upcard,
        "upcard_fate": view.upcard_fate,
        "calls": [(seat, str(action)) for seat, action in view.calls],
        "discard": view.discard,
        "put_away": view.put_away,
        "given": view.given,
        "trump": view.trump,
        "maker": view.maker,
        "alone": view.alone,
        "sitting": view.sitting,
        "shown": view.shown,
        "plays": [*(trick.cards for trick in view.tricks), view.trick],
        "won": view.won,
        "scores": view.score,
        "hands_scored": view.hands_scored,
        "rules": rules_to_plain(rules),
        "seed": seed,
        "legal": [str(action) for action in legal],
    }


class StdioBot(Bot):
    """Asks a program, started when it is first asked and again when it has died.

    A line that reads as no action is noise and passed over. One that is late is killed.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._program: _Program | None = None

    async def act(self, view: View, legal: Sequence[Action]) -> Answer:
        """Return the program's answer. Raises BotFaultError where it ends or cannot be started."""
        if self._program is not None and self._program.has_ended:
            await self.close()  # to the end: whoever closes us waits for the last one only
            self._program = None
        if self._program is None:
            self._program = await _Program.start(self._command)
        line = json.dumps(question(view, legal, self.rules, seed=self.random.getrandbits(32)), separators=(",", ":"))
        try:
            return await self._program.ask(line)
        except BaseException:  # it is late: the next question goes to another
            self._program.kill()
            raise

    async def close(self) -> None:
        """Close the program's input, at which it should end, and kill it if it does not."""
        if self._program is not None:
            await self._program.end()


class _Program(asyncio.SubprocessProtocol):
    """A running program, line by line."""

    def __init__(self) -> None:
        self.has_ended = False
        self._ended = asyncio.get_running_loop().create_future()
        self._asked: asyncio.Future[str] | None = None
        self._rest = b""
        self._noise = 0

    @classmethod
    async def start(cls, command: Sequence[str]) -> _Program:
        loop = asyncio.get_running_loop()
        try:
            # A session of its own: a Ctrl-C is for us, and we end it in good order. Its stderr is the author's to read.
            _, program = await loop.subprocess_exec(cls, *command, stderr=None, start_new_session=True)
        except OSError as error:
            raise BotFaultError("ended", f"{command[0]} cannot be started: {error.strerror}") from None
        return program

    async def ask(self, line: str) -> str:
        self._asked = asyncio.get_running_loop().create_future()
        self._noise = 0
        self._input.write(line.encode() + b"\n")
        try:
            return await self._asked
        finally:
            self._asked = None

    async def end(self) -> None:
        self._input.close()
        await asyncio.wait([self._ended], timeout=_GOODBYE_S)
        self.kill()
        await self._ended

    def kill(self) -> None:
        """Kill the program and whatever it started."""
        self.has_ended = True
        if self._transport.get_returncode() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)

    # ── what asyncio calls ───────────────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)
        self._input = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line.decode(errors="replace").strip().strip('"'))
        if len(self._rest) > MAX_LINE_BYTES:
            self._give_up(f"a line of more than {MAX_LINE_BYTES} bytes")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == _STDOUT:
            self._give_up("its output ended")

    def process_exited(self) -> None:
        self._give_up(f"it ended with status {self._transport.get_returncode()}")
        self._transport.close()
        self._ended.set_result(None)

    def _take(self, line: str) -> None:
        if self._asked is not None and not self._asked.done() and _reads_as_action(line):
            self._asked.set_result(line)
            return
        self._noise += 1
        if self._noise > MAX_NOISE_LINES:
            self._give_up(f"more than {MAX_NOISE_LINES} lines that are no answer")

    def _give_up(self, why: str) -> None:
        """End a program that is beyond use, which may be so between two questions."""
        self.kill()
        if self._asked is not None and not self._asked.done():
            self._asked.set_exception(BotFaultError("ended", why))


def _reads_as_action(line: str) -> bool:
    try:
        parse_action(line)
    except IllegalActionError as error:
        return error.code is not Code.BAD_ACTION  # a card nobody has is an answer, if no good one
    return True
