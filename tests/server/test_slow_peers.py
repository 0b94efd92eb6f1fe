"""Peers that do not keep up: watchers are spared news and shown the table later, seats are not, and nobody waits."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import statistics
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from websockets.protocol import State
from websockets.server import ServerProtocol

from clients.cli.bench.frames import CLOSE, FrameReader
from protocol.codec import JSON, MSGPACK
from protocol.codes import HELLO_TIMEOUT_S, CloseCode
from server.connections import PING_EVERY_S, Connection, Dispatch, Front, Peer
from server.store.opening import IN_MEMORY, open_store
from tests.server.clockwork import clockwork, settled
from tests.server.house import open_house, seat_people
from tests.support_player import Message, Player, Wire, playing, raw_handshake, raw_text
from tests.support_server import PATIENCE_S, Server, serving

# ── connections, without sockets ─────────────────────────────────────────────────────────────────────────────────────


class Pipe(asyncio.Transport):
    """Keeps what is written, or cannot be written to."""

    def __init__(self, *, is_broken: bool = False) -> None:
        super().__init__()
        self.is_broken = is_broken
        self.is_aborted = False
        self.written: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self.is_broken:
            raise RuntimeError
        self.written.append(bytes(data))

    def abort(self) -> None:
        self.is_aborted = True


def on_pipe(pipe: Pipe, dispatch: Dispatch) -> Connection:
    peer = Peer(ServerProtocol(state=State.OPEN), None)  # type: ignore[arg-type]  # no server: nothing listens
    peer.transport = pipe
    return Connection(peer, JSON, dispatch)


async def test_what_is_sent_in_one_round_is_one_frame_and_one_broken_connection_keeps_nobody_from_his() -> None:
    dispatch = Dispatch()
    pipes = [Pipe(), Pipe(is_broken=True), Pipe()]
    connections = [on_pipe(pipe, dispatch) for pipe in pipes]
    for message in ({"t": "one"}, {"t": "two"}):
        for connection in connections:
            connection.send(JSON.encode(message))
    assert not any(pipe.written for pipe in pipes)
    await asyncio.sleep(0)
    payload = b'[{"t":"one"},{"t":"two"}]'
    frame = bytes((0x81, len(payload))) + payload
    assert [pipe.written for pipe in pipes] == [[frame], [], [frame]]
    assert [pipe.is_aborted for pipe in pipes] == [False, True, False]
    connections[0].send(JSON.encode({"t": "three"}))
    await asyncio.sleep(0)
    assert len(pipes[0].written) == 2


# ── peers that are gone without a word ───────────────────────────────────────────────────────────────────────────────

_PING_S = 0.4


async def test_a_peer_that_answers_no_ping_is_dropped_after_two_intervals_and_his_seat_is_seen_to_be_empty() -> None:
    """A cable that was pulled says nothing, and nothing is stuck: the keepalive alone finds it, in 40 s."""
    assert 2 * PING_EVERY_S == 40
    store = await open_store(IN_MEMORY)
    async with open_house(store=store) as house:
        front = Front(house.house, {}, origins=frozenset(), proxies=None)
        front.is_ready = True
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        ann = Player(f"ws://127.0.0.1:{port}/ws", "Ann")
        async with front.listening(listener, ping_every_s=_PING_S), playing(ann):
            table = await ann.create()
            with socket.socket() as mute:
                mute.settimeout(0)
                loop = asyncio.get_running_loop()
                await loop.sock_connect(mute, ("127.0.0.1", port))
                began_s = loop.time()
                await loop.sock_sendall(mute, raw_handshake(JSON))
                for message in (
                    {"t": "hello", "ref": 1, "version": 1, "name": "Dee"},
                    {"t": "join", "ref": 2, "table": table, "seat": 2},
                ):
                    await loop.sock_sendall(mute, raw_text(JSON.encode(message)))
                reading = asyncio.create_task(read_to_the_end(mute))
                await ann.until(lambda: ann.info(table)["seats"][2]["online"])
                await ann.until(lambda: not ann.info(table)["seats"][2]["online"])
                assert loop.time() - began_s >= 2 * _PING_S
                async with asyncio.timeout(PATIENCE_S):
                    await reading
            # Who answers stays, however many intervals went by.
            assert (await ann.ask("start", table=table))["t"] == "ok"
            assert ann.closes == []
    await store.close()


async def read_to_the_end(peer: socket.socket) -> None:
    """Take what comes, and answer nothing, until the other end is gone."""
    with contextlib.suppress(ConnectionError):
        while await asyncio.get_running_loop().sock_recv(peer, 65536):
            pass


# ── tables, without sockets ──────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_a_watcher_who_is_behind_is_spared_news_and_shown_the_table_when_there_is_room() -> None:
    async with open_house() as house:
        table, people = await seat_people(house, 4)
        eve = await house.guest("Eve")
        await eve.do(eve.client.watch(table=table))
        heard = len(eve.heard)
        eve.paper.is_behind = True
        await people[0].start(table)
        await people[0].do(people[0].client.say(table, "hello"))
        asked = next(person for person in people if person.is_asked(table))
        next(person for person in people if person is not asked).lose()
        await settled()
        assert eve.heard[heard:] == []
        eve.paper.is_behind = False
        eve.session.catch_up()
        await settled()
        assert [message["t"] for message in eve.heard[heard:]] == ["view", "prompt"]
        assert eve.seq(table) == asked.seq(table)
        await asked.act(table)
        assert eve.heard[-2]["t"] == "event"
        assert eve.seq(table) == asked.seq(table)


@clockwork
async def test_nothing_is_shown_to_a_watcher_who_missed_nothing() -> None:
    async with open_house() as house:
        table, _ = await seat_people(house, 1)
        eve = await house.guest("Eve")
        await eve.do(eve.client.watch(table=table))
        heard = len(eve.heard)
        eve.paper.is_behind = True
        eve.paper.is_behind = False
        eve.session.catch_up()
        assert eve.heard[heard:] == []


@clockwork
async def test_who_watches_one_table_and_sits_at_another_hears_everything_of_his_own() -> None:
    """It is decided for each table, so being behind costs a seat nothing until its connection is too slow."""
    async with open_house() as house:
        watched, people = await seat_people(house, 4)
        eve = await house.guest("Eve")
        own = await eve.create()
        await eve.do(eve.client.watch(table=watched))
        heard = len(eve.heard)
        eve.paper.is_behind = True
        await people[0].start(watched)
        await eve.start(own)
        assert {message["table"] for message in eve.heard[heard:] if message["t"] == "event"} == {own}
        assert eve.seq(own) == house.state(own).seq
        eve.paper.is_behind = False
        eve.session.catch_up()
        await settled()
        assert eve.seq(watched) == house.state(watched).seq


@clockwork
async def test_a_table_that_closes_is_told_to_a_watcher_who_is_behind() -> None:
    async with open_house() as house:
        table, people = await seat_people(house, 1)
        eve = await house.guest("Eve")
        await eve.do(eve.client.watch(table=table))
        eve.paper.is_behind = True
        await people[0].do(people[0].client.leave(table))
        await settled()
        assert [message for message in eve.heard if message["t"] == "notice"][-1]["kind"] == "table_closed"


# ── sockets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class DeafWatcher:
    """A watcher on a socket of its own that reads when it is told to. ``messages`` is what it read."""

    def __init__(self, server: Server) -> None:
        self.messages: list[Message] = []
        self.close_code: int | None = None
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._socket = socket.socket()
        self._frames = FrameReader()
        self._ref = 0

    async def watch(self, table: str) -> None:
        """Connect and watch *table*; read no further than the view."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.settimeout(0)
        await self._loop.sock_connect(self._socket, ("127.0.0.1", self._server.port))
        await self._loop.sock_sendall(self._socket, raw_handshake(MSGPACK))
        head = b""
        while b"\r\n\r\n" not in head:
            head += await self._loop.sock_recv(self._socket, 1)
        await self.send("hello", version=1)
        await self.send("watch", table=table)
        while not any(message["t"] == "view" for message in self.messages):
            await self.read()

    async def send(self, kind: str, **fields: object) -> None:
        self._ref += 1
        frame = MSGPACK.encode({"t": kind, "ref": self._ref, **fields})
        await self._loop.sock_sendall(self._socket, b"\x82" + raw_text(frame)[1:])

    async def stop_reading(self, table: str) -> None:
        """Ask for more than sockets hold, and read none of it. What waits is still far from being too much."""
        for _ in range(180):
            await self.send("sync", table=table, seq=0)

    async def read(self) -> None:
        """Read what has come, waiting for something."""
        async with asyncio.timeout(PATIENCE_S):
            data = await self._loop.sock_recv(self._socket, 1 << 16)
        if not data:
            raise ConnectionResetError
        for opcode, payload in self._frames.feed(data):
            if opcode == CLOSE:
                self.close_code = int.from_bytes(payload[:2], "big")
            else:
                self.messages += MSGPACK.decode_frame(payload)

    async def dropped(self) -> None:
        """Wait until the system says that the connection is no more, without a byte being read or written."""
        async with asyncio.timeout(PATIENCE_S):
            while not self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):  # noqa: ASYNC110  # nobody tells
                await asyncio.sleep(0.05)

    def close(self) -> None:
        self._socket.close()

    async def gone(self) -> None:
        """Wait until the server has dropped the connection, without reading a byte of it."""
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(OSError):
                while True:
                    await self.send("ping")
                    await asyncio.sleep(0.05)


@contextlib.asynccontextmanager
async def deaf_watchers(server: Server, table: str, count: int) -> AsyncIterator[list[DeafWatcher]]:
    deaf = [DeafWatcher(server) for _ in range(count)]
    try:
        for watcher in deaf:
            await watcher.watch(table)
        yield deaf
    finally:
        for watcher in deaf:
            watcher.close()


def rss_kib(server: Server) -> int:
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


async def test_a_watcher_who_reads_again_in_time_is_shown_the_table_and_goes_on(tmp_path: Path) -> None:
    """He keeps his connection, misses what happened meanwhile, and hears every event after the view."""
    async with serving(tmp_path, log="memory", workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            async with deaf_watchers(server, table, 1) as (deaf,):
                await deaf.stop_reading(table)
                began = ann.seq(table)
                while ann.seq(table) < began + 40:
                    await act(ann, table)
                missed = ann.seq(table)
                while not any(m["t"] == "view" and m["seq"] >= missed for m in deaf.messages):
                    await deaf.read()
                assert len([m for m in deaf.messages if m["t"] == "event" and m["seq"] > began]) < 40
                view = max(m["seq"] for m in deaf.messages if m["t"] == "view")
                while ann.seq(table) < missed + 10:
                    await act(ann, table)
                while not (heard := after(deaf, view)) or heard[-1] < missed + 10:
                    await deaf.read()
                assert heard == list(range(view + 1, heard[-1] + 1))
                assert deaf.close_code is None


def after(watcher: DeafWatcher, seq: int) -> list[int]:
    return [message["seq"] for message in watcher.messages if message["t"] == "event" and message["seq"] > seq]


async def act(player: Player, table: str) -> float:
    """Take the player's next decision; return how long the answer took."""
    prompt = await player.my_turn(table)
    loop = asyncio.get_running_loop()
    began = loop.time()
    answer = await player.ask("act", table=table, turn=prompt["turn"], action=prompt["legal"][0])
    took = loop.time() - began
    assert answer["t"] == "ok", answer
    await player.until(lambda: player.seq(table) >= answer["seq"])
    return took


@pytest.mark.alone
async def test_n2_a_hundred_watchers_that_stop_reading_are_gone_in_ten_seconds(tmp_path: Path) -> None:
    """N2. The seats play on as fast as ever, and the server's memory grows by no more than it may hold for each."""
    async with serving(tmp_path, log="memory", workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            async with deaf_watchers(server, table, 100) as deaf:
                before = statistics.median([await act(ann, table) for _ in range(60)])
                memory = rss_kib(server)
                for watcher in deaf:
                    await watcher.stop_reading(table)
                while max([await act(ann, table) for _ in range(3)]) > 3 * before + 0.005:
                    pass  # the server is still busy with what they asked
                stopped = asyncio.get_running_loop().time()
                going = asyncio.gather(*(watcher.gone() for watcher in deaf))
                meanwhile = statistics.median([await act(ann, table) for _ in range(60)])
                assert rss_kib(server) - memory < 100 * 512
                while (await ann.fresh_view(table))["view"]["table"]["watchers"]:  # noqa: ASYNC110  # nobody tells
                    await asyncio.sleep(0.1)
                assert asyncio.get_running_loop().time() - stopped < 10
                await going  # when each hears of it is up to his system, which has to ask for what he did not take
            assert meanwhile < 3 * before + 0.005, "euchre bench stuck measures this; here it is but kept in bounds"
            assert ann.closes == []
    assert "failed" not in server.logged()


async def test_a_peer_that_takes_nothing_is_told_that_he_was_dropped_and_nothing_is_kept_for_him(
    tmp_path: Path,
) -> None:
    """The system would keep what he has yet to take for minutes after the socket is closed, and tell him nothing."""
    async with serving(tmp_path, log="memory", workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            async with deaf_watchers(server, table, 1) as (deaf,):
                await deaf.stop_reading(table)
                await deaf.dropped()
            assert ann.closes == []


# ── a slow server ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_nobody_is_shown_out_because_the_server_was_late(tmp_path: Path) -> None:
    """Whoever said hello in time is welcome, however late it is read; who said none has his time again, no more."""
    async with (
        serving(tmp_path, log="memory", workers=0) as server,
        Wire.to(server.ws) as ann,
        Wire.to(server.ws) as eve,
    ):
        assert await ann.ask({"t": "ping", "ref": 1}) == {"t": "pong", "ref": 1}
        assert await eve.ask({"t": "ping", "ref": 1}) == {"t": "pong", "ref": 1}
        server.signal(signal.SIGSTOP)
        await ann.send({"t": "hello", "ref": 2, "version": 1, "name": "Ann"})
        await asyncio.sleep(HELLO_TIMEOUT_S + 1)
        server.signal(signal.SIGCONT)
        assert (await ann.receive())["t"] == "welcome"
        assert await eve.closed() == CloseCode.PROTOCOL_VIOLATION
        assert await ann.ask({"t": "ping", "ref": 3}) == {"t": "pong", "ref": 3}
