"""What the faults are done to: a server or two, what stands behind them, and the crowd that plays there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Literal

from server.log import Stored
from server.redis import open_redis
from tests.chaos.crowd import Crowd
from tests.chaos.network import Network, network
from tests.e2e.lossy import LossyNetwork, lossy_network
from tests.e2e.records import read_log
from tests.support_player import Message
from tests.support_postgres import fresh_database, postgres
from tests.support_redis import RedisServer, running_redis
from tests.support_server import PATIENCE_S, Server, serving

Mark = Literal["before the append", "after the append", "after the telling"]
MARKS: Final[tuple[Mark, ...]] = ("before the append", "after the append", "after the telling")
_PACE: Final = 0.2
"""Bots think, and people see, for a fifth of what they do at a table for people."""


@dataclass
class Behind:
    """What several servers share: Redis, and the network between it and them."""

    redis: RedisServer
    network: Network


@dataclass
class Stage:
    """``found_at`` counts, for tables, at what point of an entry's way a kill was found to have come."""

    nodes: list[Server]
    front: Network
    crowd: Crowd
    rng: Random
    behind: Behind | None = None
    lossy: LossyNetwork | None = None
    found_at: Counter[Mark] = field(default_factory=Counter)

    @property
    def redis(self) -> RedisServer:
        assert self.behind is not None
        return self.behind.redis

    def node(self) -> Server:
        return self.rng.choice(self.nodes)

    async def at(self, mark: Mark) -> None:
        """Return at about that point of the way of somebody's decision."""
        match mark:
            case "before the append":
                await self._hears(lambda message: message["t"] == "prompt" and "legal" in message)
                await asyncio.sleep(self.rng.uniform(0, 0.004))
            case "after the append":
                await self._writes()
            case "after the telling":
                await self._hears(lambda message: message["t"] == "event")

    async def _hears(self, wanted: Callable[[Message], bool]) -> None:
        """Wait until anybody hears such a message."""
        heard = asyncio.Event()
        for player in self.crowd.players:
            player.on_message = lambda message: heard.set() if wanted(message) else None
        async with asyncio.timeout(PATIENCE_S):
            await heard.wait()
        for player in self.crowd.players:
            player.on_message = bool

    async def _writes(self) -> None:
        """Wait until something is written to the log."""
        if self.behind is None:
            path = self.nodes[0].data / "euchre.db-wal"
        else:
            (path,) = self.redis.folder.glob("appendonlydir/*.incr.aof")
        before = path.stat()
        while (now := path.stat()).st_mtime_ns == before.st_mtime_ns and now.st_size == before.st_size:  # noqa: ASYNC110
            await asyncio.sleep(0)

    async def find_out(self) -> None:
        """Count where each table was when the only server was killed."""
        for table in self.crowd.tables:
            last = len(read_log(self.nodes[0].data, table.id))
            told = table.seq
            assert told <= last, f"table {table.id}: entry {told} was told, and the log ends at {last}"
            self.found_at["after the append" if told < last else MARKS[0] if table.is_owed else MARKS[2]] += 1

    async def logs(self) -> dict[str, list[Stored]]:
        """Return the logs of all tables. Only after the servers have ended, or from Redis."""
        if self.behind is None:
            return {table.id: read_log(self.nodes[0].data, table.id) for table in self.crowd.tables}
        opened = await open_redis(self.redis.url)
        try:
            return {table.id: list(await opened.log.read(table.id, after=0)) for table in self.crowd.tables}
        finally:
            await opened.log.close()


@asynccontextmanager
async def one_server(folder: Path, *, tables: int, seed: int, is_lossy: bool) -> AsyncIterator[Stage]:
    """Set up one server with its log in SQLite, and let the crowd come. Everything has ended when the context is over.

    *is_lossy*: the crowd comes by a network that knows their frames.
    """
    async with (
        serving(folder, pace=_PACE, workers=2) as server,
        network(lambda: (server.port,), seed=seed) as front,
        lossy_network(_address(front), loss=0, echo=0, seed=seed) as lossy,
    ):
        stage = Stage([server], front, Crowd(), Random(seed), lossy=lossy if is_lossy else None)
        try:
            await stage.crowd.come(lossy.url if is_lossy else _address(front), tables, seed=seed)
            yield stage
        finally:
            await stage.crowd.leave()


@asynccontextmanager
async def two_servers(folder: Path, *, tables: int, seed: int) -> AsyncIterator[Stage]:
    """Set up two servers with their log in Redis and their players in PostgreSQL, and let the crowd come.

    Their log is read while Redis still runs.
    """
    async with AsyncExitStack() as running:
        redis = running.enter_context(running_redis(folder / "redis"))
        database = running.enter_context(contextmanager(postgres)())
        back = await running.enter_async_context(network(lambda: (redis.port,), seed=seed))
        address = f"redis://127.0.0.1:{back.port}/"
        arguments = ("--database", fresh_database(database))
        async with AsyncExitStack() as serve:
            nodes = [
                await serve.enter_async_context(serving(folder / name, *arguments, log=address, pace=_PACE))
                for name in ("one", "other")
            ]
            front = await serve.enter_async_context(network(lambda: [node.port for node in nodes], seed=seed))
            stage = Stage(nodes, front, Crowd(), Random(seed), Behind(redis, back))
            try:
                await stage.crowd.come(_address(front), tables, seed=seed)
                yield stage
            finally:
                await stage.crowd.leave()


def _address(front: Network) -> str:
    return f"ws://127.0.0.1:{front.port}/ws"
