"""Two nodes on one back end of each kind, for the contract suites of the log, the bus and the directory."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.bus import Bus, MemoryBus
from server.database import open_database
from server.directory import Directory, MemoryDirectory
from server.listeners import Listeners
from server.log import Log
from server.log.memory import MemoryLog
from server.log.sqlite import SqliteLog
from server.redis import open_redis
from tests.support_redis import RedisServer, lossy_proxy


class Clock:
    """A clock that goes on by a millisecond each time somebody looks."""

    def __init__(self, start_ms: int = 1000) -> None:
        self._ticks = itertools.count(start_ms)

    def __call__(self) -> int:
        return next(self._ticks)


@dataclass(frozen=True, slots=True)
class Node:
    log: Log
    bus: Bus
    directory: Directory


def sqlite_log(folder: Path, *, start_ms: int = 1000) -> SqliteLog:
    return SqliteLog(open_database(folder / "euchre.db", asyncio.get_running_loop()), Clock(start_ms))


def in_one_process(log: Log) -> tuple[Node, Node]:
    hub: dict[str, Listeners[[bytes]]] = {}
    directory = MemoryDirectory()
    return Node(log, MemoryBus(hub), directory), Node(log, MemoryBus(hub), directory)


async def on_redis(url: str) -> tuple[Node, Node]:
    return Node(*await open_redis(url)), Node(*await open_redis(url))


@asynccontextmanager
async def two_nodes(request: pytest.FixtureRequest, folder: Path) -> AsyncIterator[tuple[Node, Node]]:
    """Run two nodes on a new, empty back end of the kind the fixture's parameter names."""
    async with AsyncExitStack() as stack:
        match request.param:
            case "memory":
                nodes = in_one_process(MemoryLog(Clock()))
            case "sqlite":
                nodes = in_one_process(sqlite_log(folder))
            case "lossy":
                proxy = await stack.enter_async_context(lossy_proxy(emptied(request, "one_redis"), loss=0))
                nodes = await on_redis(proxy.url)
                proxy.loss = 0.03
            case name:
                nodes = await on_redis(emptied(request, {"redis": "one_redis", "cluster": "redis_cluster"}[name]).url)
        for node in nodes:
            stack.push_async_callback(node.log.close)
        yield nodes


def emptied(request: pytest.FixtureRequest, name: str) -> RedisServer:
    """Return the Redis of the fixture *name*, emptied."""
    redis: RedisServer = request.getfixturevalue(name)
    assert redis.ask("FLUSHALL").startswith("+OK")
    return redis
