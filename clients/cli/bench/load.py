"""The load: four clients a table that answer at once, lean enough to leave the server as the bottleneck.

A process of its own, told what to do on standard input and answering on standard output, a line each:

    → ready                 all tables are made and their games begun
    ← go 2.5                act at once for that many seconds
    → {"actions": …, "refused": …, "seconds": …, "cpu_s": …}

Between rounds whoever is asked keeps the question.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

import msgpack

from clients.cli.bench.frames import CLOSE, PING, PONG, FrameReader, client_frame, handshake
from clients.cli.bench.loops import run
from protocol.codec import MSGPACK

Kind = Literal["server", "bare"]

_AT_ONCE: Final = 16
"""Tables made at the same time."""
_OPENING_LIMIT_S: Final = 120
_SMALL_MESSAGE: Final = client_frame(bytes(40))
"""About the size of an ``act``."""

_OK: Final = msgpack.packb("ok")
_REFUSED: Final = msgpack.packb("refused")
_LEGAL: Final = msgpack.packb("legal")
_GAME_OVER: Final = msgpack.packb("game_over")
"""What to look for in a frame, which is not decoded where nothing of it is there."""


class Load:
    """What all clients of the process share: whether to act, and how much was done."""

    def __init__(self) -> None:
        self.is_running = False
        self.actions = 0
        self.refused = 0
        self._held: list[Callable[[], None]] = []

    def act(self, deed: Callable[[], None]) -> None:
        """Do *deed* now, or when the next round begins."""
        if self.is_running:
            deed()
        else:
            self._held.append(deed)

    async def round(self, seconds: float) -> dict[str, float]:
        """Run for *seconds* and return what was done in them."""
        before, begun, cpu = (self.actions, self.refused), time.perf_counter(), time.process_time()
        self.is_running = True
        held, self._held = self._held, []
        for deed in held:
            deed()
        await asyncio.sleep(seconds)
        self.is_running = False
        return {
            "actions": self.actions - before[0],
            "refused": self.refused - before[1],
            "seconds": time.perf_counter() - begun,
            "cpu_s": time.process_time() - cpu,
        }


class _Client(asyncio.Protocol):
    """One connection: the opening handshake, then whole frames for ``take``."""

    def __init__(self, load: Load, request: bytes) -> None:
        self.load = load
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._request = request
        self._reader = FrameReader()
        self._head: bytes | None = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            if not end:
                self._head = head
                return
            self._head = None
            if not head.startswith(b"HTTP/1.1 101 "):
                self.opened.set_exception(ConnectionError(head.partition(b"\r\n")[0].decode()))
                return
            self.opened.set_result(None)
        for opcode, payload in self._reader.feed(data):
            if opcode == PING:
                self.write(client_frame(payload, PONG))
            elif opcode != CLOSE:
                self.take(payload)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(error or ConnectionError("the server hung up"))

    def write(self, frame: bytes) -> None:
        self._transport.write(frame)

    def take(self, payload: bytes) -> None:
        raise NotImplementedError


class BareClient(_Client):
    """Sends a small message whenever it is its turn: each message of its table counts as one, by seat in turn."""

    def __init__(self, load: Load, request: bytes, seat: int) -> None:
        super().__init__(load, request)
        self._until_turn = seat

    def begin(self) -> None:
        """Take the first turn if it is ours."""
        if self._until_turn == 0:
            self.load.act(self._act)

    def _act(self) -> None:
        self.write(_SMALL_MESSAGE)

    def take(self, payload: bytes) -> None:
        turn = self._until_turn
        if turn == 0:
            self.load.actions += 1
        self._until_turn = (turn - 1) % 4
        if self._until_turn == 0:
            self.load.act(self._act)


class Player(_Client):
    """A seat at a table: answers every prompt with one of its legal actions, and begins the next game."""

    def __init__(self, load: Load, request: bytes) -> None:
        super().__init__(load, request)
        self._ref = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pack: Callable[[Any], bytes] = msgpack.Packer().pack
        self._table = ""
        self._is_host = False
        self._is_playing = False
        self._is_answer_due = False

    # ── before the game ──────────────────────────────────────────────────────────────────────────────────────────────

    async def call(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a message and wait for its answer."""
        self._ref += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[self._ref] = answer
        self.write(client_frame(self._pack({"t": kind, "ref": self._ref, **fields})))
        return await answer

    def play(self, table: str, *, is_host: bool) -> None:
        """From now on answer prompts."""
        self._table, self._is_host, self._is_playing = table, is_host, True
        if is_host:
            self._send("start", {})

    # ── in the game ──────────────────────────────────────────────────────────────────────────────────────────────────

    def take(self, payload: bytes) -> None:
        if not self._is_playing:
            self._take_answers(payload)
            return
        if self._is_answer_due and _OK in payload:
            self._is_answer_due = False
            self.load.actions += 1
        if _REFUSED in payload:
            self.load.refused += 1
        if _LEGAL in payload:
            self._take_prompt(payload)
        if self._is_host and _GAME_OVER in payload:
            self.load.act(lambda: self._send("start", {}))

    def _take_answers(self, payload: bytes) -> None:
        for message in MSGPACK.decode_frame(payload):
            answer = self._answers.pop(message.get("ref", 0), None)
            if answer is None:
                continue
            if message["t"] == "refused":
                answer.set_exception(RuntimeError(message["detail"]))
            else:
                self._ref = max(self._ref, message.get("next_ref", 0))
                answer.set_result(message)

    def _take_prompt(self, payload: bytes) -> None:
        prompt = next(message for message in msgpack.unpackb(payload) if "legal" in message)
        turn, legal = prompt["turn"], prompt["legal"]
        fields = {"turn": turn, "action": legal[turn % len(legal)]}
        self.load.act(lambda: self._act(fields))

    def _act(self, fields: dict[str, Any]) -> None:
        self._is_answer_due = True
        self._send("act", fields)

    def _send(self, kind: str, fields: dict[str, Any]) -> None:
        self._ref += 1
        self.write(client_frame(self._pack({"t": kind, "ref": self._ref, "table": self._table, **fields})))


async def _open_bare_table(load: Load, host: str, port: int, number: int) -> None:
    request = handshake(f"{host}:{port}", f"/{number}", None)
    loop = asyncio.get_running_loop()
    clients = []
    for seat in range(4):
        _, client = await loop.create_connection(partial(BareClient, load, request, seat), host, port)
        await client.opened
        clients.append(client)
    for client in clients:
        client.begin()


async def _open_table(load: Load, host: str, port: int, number: int) -> None:
    request = handshake(f"{host}:{port}", "/ws", MSGPACK.subprotocol)
    loop = asyncio.get_running_loop()
    players = []
    for seat in range(4):
        _, player = await loop.create_connection(partial(Player, load, request), host, port)
        await player.opened
        await player.call("hello", version=1, name=f"Load {number}.{seat}")
        players.append(player)
    made = await players[0].call("create", preset="standard", visibility="private", clock="none")
    table = made["table"]
    for player in players[1:]:
        await player.call("join", table=table)
    for player in reversed(players):
        player.play(table, is_host=player is players[0])


async def _work(url: str, kind: Kind, tables: int) -> None:
    address = urlsplit(url)
    host, port = address.hostname or "127.0.0.1", address.port or 80
    load = Load()
    opening = _open_table if kind == "server" else _open_bare_table
    gate = asyncio.Semaphore(_AT_ONCE)

    async def open_one(number: int) -> None:
        async with gate:
            await opening(load, host, port, number)

    async with asyncio.timeout(_OPENING_LIMIT_S), asyncio.TaskGroup() as group:
        for number in range(tables):
            group.create_task(open_one(number))
    print("ready", flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while order := (await orders.readline()).split():
        done = await load.round(float(order[1]))
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    run(_work(sys.argv[1], "bare" if sys.argv[2] == "bare" else "server", int(sys.argv[3])))
