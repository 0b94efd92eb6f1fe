"""A house without sockets: sessions, lobby, tables and a log in memory, on a clock the test winds (clockwork.py)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
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
from server.lobby import Lobby
from server.log import Log
from server.log.memory import MemoryLog
from server.players import Players
from server.session import House, Session
from server.store import Store
from server.store.opening import IN_MEMORY, open_store
from server.table import TableState
from server.workers import WorkerPool
from tests.server.clockwork import clockwork_loop, now_ms, settled

Message = dict[str, Any]


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


@dataclass
class InnerHouse:
    """A house and its parts."""

    log: Log
    pool: WorkerPool
    lobby: Lobby
    house: House
    guests: list[Guest] = field(default_factory=list)

    async def guest(self, name: str, *, codec: Codec = JSON, token: str | None = None) -> Guest:
        """Let somebody in."""
        guest = Guest(self, name, codec=codec, token=token)
        self.guests.append(guest)
        await guest.connect()
        return guest

    def actor(self, table: str) -> TableActor:
        return self.lobby.get(table)

    def state(self, table: str) -> TableState:
        return self.lobby.get(table).state


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
async def open_house(log: Log | None = None, *, pace: float = 0) -> AsyncIterator[InnerHouse]:
    """Run a house on *log* while the context is open; tables that are in the log are taken up."""
    log = MemoryLog(now_ms) if log is None else log
    pool = WorkerPool()
    store = await a_store()
    archive = Archive(store)
    archivist = Archivist(log, archive)
    lobby = Lobby(log, archivist, pool, pace=pace)
    await lobby.take_up()
    players = Players(store, now_ms)
    house = InnerHouse(log, pool, lobby, House(lobby, players, archive, pool, "worker-token", {}))
    try:
        yield house
    finally:
        await lobby.stop()
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
