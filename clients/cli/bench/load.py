"""The load: tables of four clients, and watchers, in a process of its own.

It is told what to do on standard input and answers on standard output, a line each:

    → ready                 all tables are made and their games begun
    ← go 2.5                act at once for that many seconds
    → {"actions": …, "refused": …, "seconds": …, "cpu_s": …}
    ← pace 2.5 250          take 250 actions a second at set times for that many seconds
    → {…, "ok_s": […], "event_s": […]}
    ← stick 100             let so many more watchers connect and stop reading
    → {"stuck": …}
    ← unstick               wait until the server has shown them out
    → {"gone_s": …}

Between rounds whoever is asked keeps the question. With a pace, what an action took is counted from the time it was to
be sent, not from when it was: a server that stalls for a second made everybody wait that long, also those who could not
act meanwhile. ``ok_s`` has the answers to whoever acted, ``event_s`` the last of the four seats to hear of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal

import msgpack

from clients.cli.bench.deaf import DeafWatcher, stuck_watchers
from clients.cli.bench.frames import client_frame
from clients.cli.bench.loops import run
from clients.cli.bench.peers import Caller, Peer, connected

Kind = Literal["server", "bare"]

_SEATS: Final = 4
_AT_ONCE: Final = 16
"""Tables made at the same time."""
_OPENING_LIMIT_S: Final = 120
_ANSWER_LIMIT_S: Final = 20.0
_SMALL_MESSAGE: Final = client_frame(bytes(40))
"""About the size of an ``act``."""

_OK: Final = msgpack.packb("ok")
_REFUSED: Final = msgpack.packb("refused")
_LEGAL: Final = msgpack.packb("legal")
_GAME_OVER: Final = msgpack.packb("game_over")
"""What to look for in a frame, which is not decoded where nothing of it is there."""

Deed = Callable[[float], None]
"""An action that may be taken, given the time it was due."""


class Load:
    """What all clients of the process share: whether and when to act, and how much was done."""

    def __init__(self) -> None:
        self.actions = 0
        self.refused = 0
        self.is_paced = False
        self.ok_s: list[float] = []
        self.event_s: list[float] = []
        self.now_s = time.perf_counter  # uvloop's own clock counts whole milliseconds
        self._is_running = False
        self._ready: deque[Deed] = deque()
        self._due_s: deque[float] = deque()

    def offer(self, deed: Deed) -> None:
        """Do *deed* now if it is time to, or when it is."""
        if self._is_running and not self.is_paced:
            deed(self.now_s())
        else:
            self._ready.append(deed)
            self._do_due()

    def _do_due(self) -> None:
        while self._ready and self._due_s:
            self._ready.popleft()(self._due_s.popleft())

    async def round(self, seconds: float, rate: float | None = None) -> dict[str, Any]:
        """Run for *seconds*, at *rate* or flat out, and return what was done in them."""
        before, begun, cpu = (self.actions, self.refused), time.perf_counter(), time.process_time()
        self.ok_s, self.event_s = [], []
        self.is_paced = rate is not None
        if rate is None:
            self._is_running = True
            ready, self._ready = self._ready, deque()
            for deed in ready:
                deed(self.now_s())
            await asyncio.sleep(seconds)
            self._is_running = False
        else:
            await self._keep_pace(seconds, rate)
        done = {
            "actions": self.actions - before[0],
            "refused": self.refused - before[1],
            "seconds": time.perf_counter() - begun,
            "cpu_s": time.process_time() - cpu,
        }
        return done | ({"ok_s": self.ok_s, "event_s": self.event_s} if self.is_paced else {})

    async def _keep_pace(self, seconds: float, rate: float) -> None:
        began_s, wanted = self.now_s(), round(seconds * rate)
        for number in range(wanted):
            due_s = began_s + number / rate
            if due_s > self.now_s():
                await asyncio.sleep(due_s - self.now_s())
            self._due_s.append(due_s)
            self._do_due()
        async with asyncio.timeout(_ANSWER_LIMIT_S):
            while min(len(self.event_s), len(self.ok_s)) < wanted:  # noqa: ASYNC110  # a look costs nothing here
                await asyncio.sleep(0.01)


class BareClient(Peer):
    """Sends a small message whenever it is its turn: each message of its table counts as one, by seat in turn."""

    def __init__(self, load: Load, seat: int, request: bytes) -> None:
        super().__init__(request)
        self._load = load
        self._until_turn = seat

    def begin(self) -> None:
        """Take the first turn if it is ours."""
        if self._until_turn == 0:
            self._load.offer(self._act)

    def _act(self, _due_s: float) -> None:
        self.write(_SMALL_MESSAGE)

    def take(self, payload: bytes) -> None:
        turn = self._until_turn
        if turn == 0:
            self._load.actions += 1
        self._until_turn = (turn - 1) % _SEATS
        if self._until_turn == 0:
            self._load.offer(self._act)


@dataclass(eq=False, slots=True)
class Flights:
    """A table's actions on their way. One waits for its answer at a time, but several may be on their way to seats."""

    load: Load
    due_s: float = 0.0
    """When the action that waits for its answer was due."""
    answered: dict[int, float] = field(default_factory=dict)
    """When actions that not every seat heard of were due, by their entry's number."""
    heard: dict[int, int] = field(default_factory=dict)
    """How many seats heard of an entry."""

    def answer(self, seq: int) -> None:
        """The player was answered, which comes before he hears of it."""
        self.load.ok_s.append(self.load.now_s() - self.due_s)
        self.answered[seq] = self.due_s

    def tell(self, seq: int) -> None:
        """One more seat heard of an entry."""
        self.heard[seq] = self.heard.get(seq, 0) + 1
        if self.heard[seq] == _SEATS:
            del self.heard[seq]
            due_s = self.answered.pop(seq, None)
            if due_s is not None:  # a deal was nobody's action
                self.load.event_s.append(self.load.now_s() - due_s)


class Player(Caller):
    """A seat at a table: answers every prompt with one of its legal actions, and begins the next game."""

    def __init__(self, load: Load, flights: Flights, request: bytes) -> None:
        super().__init__(request)
        self._load = load
        self._flights = flights
        self._table = ""
        self._is_host = False
        self._is_playing = False
        self._is_answer_due = False

    def play(self, table: str, *, is_host: bool) -> None:
        """From now on answer prompts."""
        self._table, self._is_host, self._is_playing = table, is_host, True
        if is_host:
            self.send("start", table=table)

    def take(self, payload: bytes) -> None:
        if not self._is_playing:
            super().take(payload)
            return
        if self._load.is_paced:
            self._take_times(payload)
        elif self._is_answer_due and _OK in payload:
            self._is_answer_due = False
            self._load.actions += 1
        if _REFUSED in payload:
            self._load.refused += 1
        if _LEGAL in payload:
            self._take_prompt(payload)
        if self._is_host and _GAME_OVER in payload:
            self.send("start", table=self._table)

    def _take_times(self, payload: bytes) -> None:
        for message in msgpack.unpackb(payload):
            if message["t"] == "event":
                self._flights.tell(message["seq"])
            elif message["t"] == "ok" and self._is_answer_due:
                self._is_answer_due = False
                self._load.actions += 1
                self._flights.answer(message["seq"])

    def _take_prompt(self, payload: bytes) -> None:
        prompt = next(message for message in msgpack.unpackb(payload) if "legal" in message)
        self._load.offer(partial(self._act, prompt["turn"], prompt["legal"]))

    def _act(self, turn: int, legal: list[str], due_s: float) -> None:
        self._is_answer_due = True
        self._flights.due_s = due_s
        self.send("act", table=self._table, turn=turn, action=legal[turn % len(legal)])


class Watcher(Caller):
    """Looks on, and reads what it is sent."""


# ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def _open_bare_table(load: Load, urls: list[str], number: int) -> str:
    clients = [await connected(partial(BareClient, load, seat), urls[0], f"/{number}") for seat in range(_SEATS)]
    for client in clients:
        client.begin()
    return str(number)


async def _open_table(load: Load, urls: list[str], number: int) -> str:
    """Make a table whose seats are spread over the nodes."""
    players, flights = [], Flights(load)
    for seat in range(_SEATS):
        player = await connected(partial(Player, load, flights), urls[(number + seat) % len(urls)])
        await player.call("hello", version=1, name=f"Load {number}.{seat}")
        players.append(player)
    made = await players[0].call("create", preset="standard", visibility="private", clock="none")
    table: str = made["table"]
    for player in players[1:]:
        await player.call("join", table=table)
    for player in reversed(players):
        player.play(table, is_host=player is players[0])
    return table


async def _watch(urls: list[str], tables: list[str], number: int) -> None:
    watcher = await connected(Watcher, urls[number % len(urls)])
    await watcher.call("hello", version=1, name=f"Watcher {number}")
    await watcher.call("watch", table=tables[number % len(tables)])


async def _open(load: Load, urls: list[str], kind: Kind, tables: int, spectators: int) -> list[str]:
    opening = _open_table if kind == "server" else _open_bare_table
    gate = asyncio.Semaphore(_AT_ONCE)

    async def open_one(number: int) -> str:
        async with gate:
            return await opening(load, urls, number)

    async with asyncio.timeout(_OPENING_LIMIT_S):
        opened = await asyncio.gather(*(open_one(number) for number in range(tables)))
        for number in range(spectators):
            await _watch(urls, opened, number)
    return opened


async def _work(urls: list[str], kind: Kind, tables: int, spectators: int) -> None:
    load = Load()
    opened = await _open(load, urls, kind, tables, spectators)
    print("ready", flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    deaf: list[DeafWatcher] = []
    while order := (await orders.readline()).split():
        match order[0]:
            case b"go":
                done = await load.round(float(order[1]))
            case b"pace":
                done = await load.round(float(order[1]), float(order[2]))
            case b"stick":
                deaf = await stuck_watchers(urls[0], opened, int(order[1]))
                done = {"stuck": len(deaf)}
            case _:
                await asyncio.gather(*(watcher.gone() for watcher in deaf))
                done = {"gone_s": max(watcher.stuck_for_s for watcher in deaf)}
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    _kind: Kind = "bare" if sys.argv[2] == "bare" else "server"
    run(_work(sys.argv[1].split(","), _kind, int(sys.argv[3]), int(sys.argv[4])))
