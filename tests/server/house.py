"""A house without sockets: sessions, lobby, tables and a log in memory, on a clock the test winds (clockwork.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from engine.view import View
from protocol.client import ClientSession
from protocol.codec import JSON, Codec, Encoded
from protocol.outgoing import TableInfo
from protocol.updates import Update
from server.actor import TableActor
from server.archive import Archive
from server.archivist import Archivist
from server.bus import MemoryBus
from server.directory import MemoryDirectory
from server.listeners import Listeners
from server.lobby import Lobby
from server.log import End, Log, LogUnavailableError, Stored, Wake
from server.log.memory import MemoryLog
from server.peers import Peers
from server.players import Players
from server.restarts import Restarts
from server.rounds import Rounds
from server.session import House, Session
from server.store import Store
from server.store.opening import IN_MEMORY, open_store
from server.table import TableState
from server.workers import WorkerPool
from tests.server.clockwork import clockwork_loop, now_ms, settled

Message = dict[str, Any]
Hub = dict[str, Listeners[[bytes]]]


class Paper:
    """An outlet that keeps what it is sent. ``on_send`` is called with every message."""

    def __init__(self, codec: Codec = JSON) -> None:
        self._codec = codec
        self.messages: list[Message] = []
        self.closed: tuple[int, str] | None = None
        self.on_send: Callable[[Message], object] = bool
        self.is_behind = False

    @property
    def codec(self) -> Codec:
        return self._codec

    def close_code(self) -> int | None:
        """Return what the server closed the connection with, None while it is open."""
        return None if self.closed is None else self.closed[0]

    def send(self, *parts: Encoded) -> None:
        if self.closed is not None:
            return
        for message in self._codec.decode_frame(self._codec.frame(parts)):
            self.messages.append(message)
            self.on_send(message)

    def close(self, code: int, reason: str) -> None:
        if self.closed is None:
            self.closed = int(code), reason


class Guest:
    """A player's client session, connected to a house by paper."""

    def __init__(self, house: InnerHouse, name: str, *, token: str | None = None, codec: Codec = JSON) -> None:
        self.house = house
        self.client = ClientSession(name=name, token=token)
        self.codec = codec
        self.updates: list[Update] = []
        self.heard: list[Message] = []
        self.paper = Paper(codec)
        self.session = Session(house.house, self.paper)

    async def connect(self) -> None:
        """Connect, anew if there was a connection; the old one is not closed by this."""
        self.paper = Paper(self.codec)
        self.paper.on_send = self._take
        self.session = Session(self.house.house, self.paper)
        self.client.hello()
        await self.flush()

    def lose(self) -> None:
        """Lose the connection: the server notices."""
        self.paper.on_send = bool
        self.session.end()

    def _take(self, message: Message) -> None:
        self.heard.append(message)
        self.updates += self.client.receive(message)

    async def flush(self) -> None:
        """Send what waits, and wait until nothing more happens."""
        await settled()
        while waiting := self.client.take_outbox():
            for message in waiting:
                await self.say(message)
        await settled()

    async def say(self, message: Message) -> None:
        """Send *message* past the client session."""
        frame = self.codec.encode(message)
        await self.session.receive(frame.decode() if self.codec.is_text else frame)
        await settled()

    async def ask(self, kind: str, *, ref: int | None = None, **fields: Any) -> Message:
        """Send a message past the client session and return its answer."""
        if ref is None:
            ref, self.client.next_ref = self.client.next_ref, self.client.next_ref + 1
        heard = len(self.heard)
        await self.say({"t": kind, "ref": ref, **fields})
        answers = [
            message
            for message in self.heard[heard:]
            if message["t"] in {"ok", "refused", "welcome", "pong"} and message["ref"] == ref
        ]
        assert len(answers) == 1, answers
        return answers[0]

    async def do(self, command: Message) -> Message:
        """Send a command the client session queued, and return its answer."""
        heard = len(self.heard)
        await self.flush()
        answers = [message for message in self.heard[heard:] if message.get("ref") == command["ref"]]
        assert len(answers) == 1, answers
        return answers[0]

    async def create(self, preset: str = "standard", **fields: Any) -> str:
        answer = await self.do(self.client.create(preset, **fields))
        assert answer["t"] == "ok", answer
        return str(answer["table"])

    async def join(self, table: str, seat: int | None = None) -> None:
        answer = await self.do(self.client.join(table=table, seat=seat))
        assert answer["t"] == "ok", answer

    async def start(self, table: str) -> None:
        answer = await self.do(self.client.start(table))
        assert answer["t"] == "ok", answer

    async def act(self, table: str, action: str | None = None, *, turn: int | None = None) -> Message:
        """Take the open decision, with its first legal action unless *action* is given."""
        prompt = self.prompt(table)
        chosen = prompt["legal"][0] if action is None else action
        return await self.do(self.client.act(table, prompt["turn"] if turn is None else turn, chosen))

    def prompt(self, table: str) -> Message:
        prompt = self.client.tables[table].prompt
        assert prompt is not None
        return dict(prompt)

    def is_asked(self, table: str) -> bool:
        """Tell whether the open decision is this player's."""
        prompt = self.client.tables[table].prompt
        return prompt is not None and "legal" in prompt

    def view(self, table: str) -> View:
        view = self.client.tables[table].view
        assert view is not None
        return view

    def info(self, table: str) -> TableInfo:
        info = self.client.tables[table].info
        assert info is not None
        return info

    def seq(self, table: str) -> int:
        return self.client.tables[table].seq or 0

    def events(self, table: str, kind: str | None = None) -> list[Message]:
        """Return the events heard of at a table, as they came, or those of one kind."""
        heard = [message for message in self.heard if message["t"] == "event" and message["table"] == table]
        return [event for message in heard for event in message["events"] if kind in (None, event["e"])]


class Line:
    """A node's line to a log that several share. It can be cut, and mended; one that ``is_deaf`` hears of no entry."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.is_available = True
        self.is_deaf = False

    def now_ms(self) -> int:
        return self.log.now_ms()

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        self._check()
        return await self.log.append(table, seq, entry)

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        self._check()
        return await self.log.read(table, after=after)

    def watch(self, table: str, wake: Wake) -> End:
        return self.log.watch(table, lambda seq: wake(seq) if self.is_available and not self.is_deaf else None)

    async def tables(self) -> Sequence[str]:
        self._check()
        return await self.log.tables()

    async def retire(self, table: str) -> None:
        self._check()
        await self.log.retire(table)

    async def delete(self, table: str) -> None:
        self._check()
        await self.log.delete(table)

    async def close(self) -> None:
        return

    def _check(self) -> None:
        if not self.is_available:
            raise LogUnavailableError


class Radio(MemoryBus):
    """A node's end of the bus. It can be cut off, and put back."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.hub = hub
        self.ear = hub[self.node]

    def publish(self, channel: str, message: bytes) -> None:
        if self.node in self.hub:
            super().publish(channel, message)

    def cut(self) -> None:
        del self.hub[self.node]

    def mend(self) -> None:
        self.hub[self.node] = self.ear


@dataclass
class InnerHouse:
    """A house and its parts: one node. ``line`` is its own to the log."""

    log: Log
    line: Line
    bus: Radio
    store: Store
    pool: WorkerPool
    lobby: Lobby
    house: House
    directory: MemoryDirectory
    hub: Hub
    guests: list[Guest] = field(default_factory=list)

    async def guest(self, name: str, *, codec: Codec = JSON, token: str | None = None) -> Guest:
        """Let somebody in."""
        guest = Guest(self, name, codec=codec, token=token)
        self.guests.append(guest)
        await guest.connect()
        return guest

    def cut(self) -> None:
        """Cut the node off from the others and from the log, as its death or a broken network does."""
        self.line.is_available = False
        self.bus.cut()

    def mend(self) -> None:
        """Connect the node again."""
        self.bus.mend()
        self.line.is_available = True

    def actor(self, table: str) -> TableActor:
        actor = self.lobby.held(table)
        assert actor is not None
        return actor

    def state(self, table: str) -> TableState:
        return self.actor(table).state


async def a_store() -> Store:
    """Return a store in memory that stands until the test is over, and whose thread the clock waits for."""
    loop = clockwork_loop()
    with loop.outside():
        store = await open_store(IN_MEMORY)

    async def close() -> None:
        with loop.outside():
            await store.close()

    loop.at_end.push_async_callback(close)
    loop.at_end.enter_context(loop.outside(lambda: store.is_busy))
    return store


@asynccontextmanager
async def open_house(
    log: Log | None = None, *, pace: float = 0, beside: InnerHouse | None = None, store: Store | None = None
) -> AsyncIterator[InnerHouse]:
    """Run a house on *log* while the context is open; tables that are in the log are taken up.

    *beside* is another node of the same house: what nodes share is shared with it. *store* is one of the caller's, who
    needs no clock that the test winds then.
    """
    directory, hub = MemoryDirectory(), Hub()
    if log is None:
        log = MemoryLog(now_ms) if beside is None else beside.log
    pool = WorkerPool()
    if beside is not None:
        directory, hub = beside.directory, beside.hub
    line, bus = Line(log), Radio(hub)
    if store is None:
        store = await a_store() if beside is None else beside.store
    archive = Archive(store)
    archivist = Archivist(line, archive)
    peers = Peers(bus)
    lobby = Lobby(line, directory, peers, archivist, pool, pace=pace)
    house = House(lobby, Players(store, now_ms), archive, Restarts(store, now_ms), pool, "worker-token", {})
    rounds = Rounds(house)
    if beside is not None:
        await peers.meet()
    await rounds.begin()
    try:
        yield InnerHouse(log, line, bus, store, pool, lobby, house, directory, hub)
    finally:
        await rounds.end()
        await archivist.stop()


async def seat_people(
    house: InnerHouse, count: int, preset: str = "standard", **fields: Any
) -> tuple[str, list[Guest]]:
    """Seat people from seat 0 on at a new table, and return the table and them."""
    people = [await house.guest(name) for name in ("Ann", "Ben", "Cat", "Dan")[:count]]
    table = await people[0].create(preset, **fields)
    for seat, person in enumerate(people[1:], start=1):
        await person.join(table, seat)
    return table, people
