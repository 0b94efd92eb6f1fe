"""Stopping: a server asked to go says so, goes in time, and the next one goes on where it was."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from bots.policy import LEVELS
from clients.cli.bench.frames import CLOSE, FrameReader
from protocol.codec import JSON
from protocol.codes import CloseCode
from tests.e2e.records import check_acknowledged, check_each_decision_once, check_told_as_recorded, read_record
from tests.support_player import Player, Wire, four_players, playing, raw_handshake, raw_text, seat_four
from tests.support_server import PATIENCE_S, Server, serving, until_ended

GRACE_S = 10
"""Within what a server that was asked to stop has ended."""


@asynccontextmanager
async def deaf_peer(server: Server) -> AsyncIterator[None]:
    """A peer that is welcome and then neither reads nor answers any more."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write(raw_handshake(JSON) + raw_text(JSON.encode({"t": "hello", "ref": 1, "version": 1})))
    async with asyncio.timeout(PATIENCE_S):
        await reader.readuntil(b"welcome")
    try:
        yield
    finally:
        writer.transport.abort()


async def http_status(server: Server, path: str) -> int:
    """Return the status of a GET; 0 where nobody listens any more."""
    with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        line = await reader.readline()
        writer.close()
        return int(line.split()[1]) if line else 0
    return 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
async def test_a_server_asked_to_stop_says_so_and_its_tables_go_on_at_the_next(
    tmp_path: Path, number: signal.Signals
) -> None:
    """A notice `drain`, close 4011, exit status 0 within ten seconds; after the restart the game is finished."""
    async with serving(tmp_path) as server:
        await server.has_logged('"working"')
        (worker,) = server.children()
        players = await four_players(server.ws, policies=tuple(LEVELS.values()), seed=number, compare=True)
        async with playing(*players):
            table = await seat_four(players, rules={"target": 5})
            await players[0].start(table)
            await players[0].until(lambda: players[0].seq(table) > 30)
            loop = asyncio.get_running_loop()
            began = loop.time()
            server.signal(number)
            assert await server.ended() == 0
            assert loop.time() - began < GRACE_S
            await until_ended(worker)
            for player in players:
                await player.until(lambda player=player: player.closes)  # type: ignore[misc]
                assert player.closes[0] == CloseCode.DRAINING
                notices = [message for message in player.heard if message["t"] == "notice"]
                assert [notice["kind"] for notice in notices] == ["drain"]
                assert notices[0]["retry_ms"] > 0
            record = read_record(server.data, table)
            assert all(player.seq(table) <= record.last for player in players)
            await server.start()
            for player in players:
                await player.game_over(table)
        await server.stop()
        assert "Traceback" not in server.logged()
    record = read_record(server.data, table)
    check_each_decision_once(record)
    for seat, player in enumerate(players):
        check_told_as_recorded(record, table, seat, player)
        check_acknowledged(record, player)


async def test_a_peer_that_does_not_answer_does_not_keep_the_server(tmp_path: Path) -> None:
    """While it waits it is healthy, not ready, and lets nobody in; in the end it goes all the same."""
    async with serving(tmp_path, workers=0) as server, deaf_peer(server):
        loop = asyncio.get_running_loop()
        assert await http_status(server, "/readyz") == 200
        began = loop.time()
        server.signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            while await http_status(server, "/readyz") == 200:
                pass
        assert await http_status(server, "/readyz") == 503
        assert await http_status(server, "/healthz") == 200
        with pytest.raises(InvalidStatus) as refused:
            async with Wire.to(server.ws):
                pass
        assert refused.value.response.status_code == 503
        assert await server.ended() == 0
        assert loop.time() - began < GRACE_S


async def test_a_second_signal_ends_the_server_at_once_and_loses_nothing(tmp_path: Path) -> None:
    """A second one exits at once; that path is safe too."""
    async with serving(tmp_path) as server:
        await server.has_logged('"working"')
        (worker,) = server.children()
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create()
            async with deaf_peer(server):
                server.signal(signal.SIGTERM)
                await ann.until(lambda: ann.closes)
                loop = asyncio.get_running_loop()
                began = loop.time()
                server.signal(signal.SIGTERM)
                assert await server.ended() != 0
                assert loop.time() - began < 2
            await until_ended(worker)
            await server.start()
            await ann.until(lambda: ann.welcomes == 2)
            assert ann.info(table)["seats"][0]["name"] == "Ann"
            assert (await ann.ask("start", table=table))["t"] == "ok"


@pytest.mark.alone
async def test_a_crowd_is_sent_off_over_a_few_seconds(tmp_path: Path) -> None:
    """2,000 connections: 4011 for each, not all at once, a new table for none, and the end within ten seconds."""
    loop = asyncio.get_running_loop()
    async with serving(tmp_path, workers=0) as server:
        crowd = []
        for _ in range(40):  # they answer no ping, so they had better not take long
            came = [await loop.create_connection(Member, "127.0.0.1", server.port) for _ in range(50)]
            crowd += [member for _, member in came]
            await asyncio.gather(*(member.welcome for member in crowd))
        began = loop.time()
        server.signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE_S):
            notices = await asyncio.gather(*(member.notice for member in crowd))
        assert all(b"drain" in notice for notice in notices)
        for member in crowd:
            member.create()
        assert await server.ended() == 0
        assert loop.time() - began < GRACE_S
        assert [member.code for member in crowd] == [CloseCode.DRAINING] * len(crowd)
        ends = sorted(member.closed_at - began for member in crowd)
        assert ends[-1] - ends[0] > 2
        for third in range(3):
            share = sum(third <= 3 * (at - ends[0]) / (ends[-1] - ends[0] + 0.01) < third + 1 for at in ends)
            assert share > len(crowd) / 6
        refused = [member for member in crowd if b"draining" in member.heard]
        assert len(refused) > len(crowd) / 3
        assert not any(b'"seat"' in member.heard for member in crowd)


class Member(asyncio.Protocol):
    """One of many peers, as cheap as may be: says hello, and what it is told to, and notes how it ends."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.welcome: asyncio.Future[None] = loop.create_future()
        self.notice: asyncio.Future[bytes] = loop.create_future()
        self.heard = b""
        self.code: int | None = None
        self.closed_at = 0.0
        self._transport: asyncio.Transport | None = None
        self._frames = FrameReader()
        self._head, self._is_upgraded = b"", b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        hello = JSON.encode({"t": "hello", "ref": 1, "version": 1})
        transport.write(raw_handshake(JSON) + raw_text(hello))

    def create(self) -> None:
        """Wish for a table, which is none too many messages for one frame."""
        assert self._transport is not None
        wish = {"t": "create", "ref": 9, "preset": "standard", "visibility": "public", "clock": "none"}
        self._transport.write(raw_text(JSON.encode(wish)))

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        if not self._is_upgraded:
            head, self._is_upgraded, data = (self._head + data).partition(b"\r\n\r\n")
            self._head = head
        for opcode, payload in self._frames.feed(data):
            self.heard += payload
            if b"welcome" in payload:
                self.welcome.set_result(None)
            if b"notice" in payload:
                self.notice.set_result(payload)
            if opcode == CLOSE:
                self.code = int.from_bytes(payload[:2], "big")
                self.closed_at = asyncio.get_running_loop().time()
                self._transport.close()
