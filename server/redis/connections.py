"""The connections to Redis: one that writes, one that reads, and those that hear; and whether Redis can be reached."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

import structlog
from redis.asyncio import Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ClusterDownError,
    InvalidResponse,
    MasterDownError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
)
from redis.exceptions import ConnectionError as LostError
from redis.exceptions import TimeoutError as SilentError

from server import tasks
from server.log import LogUnavailableError
from server.redis.clock import StampClock, monotonic_ms
from server.redis.pipe import FAILURES, Client, Pipe, Script

LIMIT_S: Final = 6.0
"""How long is tried to find out what became of a command."""
_ANSWER_LIMIT_S: Final = 2.0
_CONNECT_LIMIT_S: Final = 2.0
_GRACE_S: Final = 1.0
"""A connection that broke is nobody's business if another is there so soon."""
_START_LIMIT_S: Final = 10.0
"""How long a node that starts waits for a Redis that is away, or busy with itself."""
_CLOCK_KEY: Final = "euchre:clock"
_TIME: Final = Script("return redis.call('TIME')")
_FIRST_PROBE_S: Final = 0.02
_LAST_PROBE_S: Final = 1.0
_PROBE_KEPT_MS: Final = 10_000

T = TypeVar("T")

_log = structlog.get_logger("server.redis")


class RedisStartError(Exception):
    """This Redis cannot serve as the back end; the message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where Redis is, from a URL: redis:// or rediss:// (TLS), with ``?cluster=true`` for a Redis Cluster."""

    url: str
    is_cluster: bool

    @property
    def shown(self) -> str:
        """Return the address without user and password."""
        parts = urlsplit(self.url)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host or 'localhost'}:{parts.port or 6379}"


def parse_address(url: str) -> Address:
    """Read *url*. Raises RedisStartError."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise RedisStartError(f"not the URL of a Redis: {error}") from None
    if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
        raise RedisStartError("the URL of a Redis is like redis://user:password@host:6379/0, or rediss:// for TLS")
    query = dict(parse_qsl(parts.query))
    is_cluster = query.pop("cluster", "false").lower() in {"true", "yes", "1"}
    return Address(parts._replace(query=urlencode(query)).geturl(), is_cluster)


def _options() -> dict[str, Any]:
    # No blind retries: whether a command arrived is for the one who sent it to find out.
    return {
        "retry": Retry(NoBackoff(), 0),
        "socket_timeout": _ANSWER_LIMIT_S,
        "socket_connect_timeout": _CONNECT_LIMIT_S,
    }


def new_client(address: Address) -> Client:
    try:
        if address.is_cluster:
            return RedisCluster.from_url(address.url, **_options())
        return Redis.from_url(address.url, **_options())
    except (ValueError, TypeError, RedisClusterException) as error:
        raise RedisStartError(f"cannot use {address.shown}: {error}") from None


async def close_client(client: Client) -> None:
    """Let go of *client*. Redis may be stuck: its saying goodbye is not insisted on."""
    with contextlib.suppress(*FAILURES):
        await client.aclose()


class Connections:
    """All connections of this node. Made by `connect`."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.clock = StampClock(monotonic_ms)
        self._clients = (new_client(address), new_client(address))
        self.writes, self.reads = (Pipe(client) for client in self._clients)
        self._reason = ""
        self._away_from_s = 0.0
        self._back = asyncio.Event()
        self._back.set()
        self._prober: asyncio.Task[None] | None = None
        self._is_closed = False

    @property
    def is_available(self) -> bool:
        return self._back.is_set() or time.monotonic() < self._away_from_s

    async def insist(self, key: str, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what *ask* returns; it is asked again where nobody knows whether it was carried out, for a while.

        So it must do no harm when it is carried out twice. Raises LogUnavailableError, at once where Redis is known to
        be away or refuses. *key* is one it needs.
        """
        until_s = time.monotonic() + LIMIT_S
        is_in_doubt = False
        while True:
            if self._is_closed:
                raise LogUnavailableError("the log is closed")
            if not (self._back.is_set() or is_in_doubt):
                await self._returned(self._away_from_s - time.monotonic())
                if not self._back.is_set():
                    raise LogUnavailableError(self._reason)
            try:
                return await ask()
            except FAILURES as error:
                self.lost(error, key=key)
                is_in_doubt = is_in_doubt or not isinstance(error, ResponseError)
                if is_in_doubt:
                    await self._returned(until_s - time.monotonic())
                if not is_in_doubt or time.monotonic() >= until_s:
                    raise LogUnavailableError(explain(error)) from None

    async def _returned(self, limit_s: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                await self._back.wait()

    def lost(self, error: BaseException, *, key: str) -> None:
        """Take Redis for away after *error*, until it takes a write beside *key* again."""
        if self._is_closed or not self._back.is_set():
            return
        self._back.clear()
        self._reason = explain(error)
        self._away_from_s = time.monotonic() + (0 if isinstance(error, ResponseError) else _GRACE_S)
        self._prober = asyncio.get_running_loop().create_task(self._probe(f"{key}:probe"))

    async def _probe(self, key: str) -> None:
        began_s = time.monotonic()
        pause_s = _FIRST_PROBE_S
        is_said = False
        while not await self._takes_a_write(key):
            if not (is_said or self.is_available):
                is_said = True
                _log.error("redis_away", redis=self.address.shown, reason=self._reason)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LAST_PROBE_S)
        if is_said:
            _log.warning("redis_back", redis=self.address.shown, away_s=round(time.monotonic() - began_s, 1))
        self._back.set()

    async def _takes_a_write(self, key: str) -> bool:
        try:
            await self._renew()
            await self.writes.call("SET", key, "", "PX", _PROBE_KEPT_MS)
        except Exception as error:  # noqa: BLE001  # whatever it is: who gave up probing would be away for ever
            self._reason = explain(error)
            return False
        return True

    async def _renew(self) -> None:
        """Connect anew at the next command: Redis may be another now, after a failover."""
        for client in self._clients:
            if isinstance(client, RedisCluster):
                await client.aclose()
            else:
                await client.connection_pool.disconnect(inuse_connections=False)

    def carrier(self, key: str) -> Address:
        """Return the Redis that has *key*, or carries the channel of that name."""
        client = self._clients[0]
        if not isinstance(client, RedisCluster):
            return self.address
        node = client.get_node_from_key(key)
        if node is None:
            raise LostError("no node of the cluster has this key")
        return self._node_address(node)

    async def primaries(self) -> list[Address]:
        """Return every Redis that takes writes: the nodes of a cluster, or the one."""
        client = self._clients[0]
        if not isinstance(client, RedisCluster):
            return [self.address]
        _ = await client.initialize()
        return [self._node_address(node) for node in client.get_primaries()]

    async def look_again(self) -> None:
        """Learn anew which node of a cluster has what."""
        client = self._clients[0]
        if isinstance(client, RedisCluster):
            await client.nodes_manager.initialize()

    def _node_address(self, node: ClusterNode) -> Address:
        parts = urlsplit(self.address.url)
        user, at, _ = parts.netloc.rpartition("@")
        host = f"[{node.host}]" if ":" in node.host else node.host
        return Address(parts._replace(netloc=f"{user}{at}{host}:{node.port}").geturl(), is_cluster=False)

    async def set_clock(self) -> None:
        """Ask Redis for the time. Raises one of FAILURES."""
        asked_ms = monotonic_ms()
        seconds, microseconds = await _TIME.run(self.reads, (_CLOCK_KEY,))
        self.clock.heard(1000 * int(seconds) + int(microseconds) // 1000, asked_ms=asked_ms)

    async def close(self) -> None:
        """Let what was sent be answered, and close."""
        self._is_closed = True
        if self._prober is not None:
            await tasks.end(self._prober)
        self._back.set()  # whoever waits for it sees that it is over
        for pipe in (self.writes, self.reads):
            await pipe.finish()
        for client in self._clients:
            await close_client(client)


async def connect(url: str) -> Connections:
    """Connect to the Redis at *url* and see whether it can serve; wait a while for it. Raises RedisStartError."""
    address = parse_address(url)
    connections = Connections(address)
    try:
        await _await(connections)
    except BaseException as error:
        await connections.close()
        if isinstance(error, FAILURES):
            raise RedisStartError(f"cannot use {address.shown}: {explain(error)}") from None
        raise
    return connections


async def _await(connections: Connections) -> None:
    """Check Redis, again and again while it may yet come: nodes and Redis start in any order, and on busy machines."""
    until_s = time.monotonic() + _START_LIMIT_S
    pause_s = _FIRST_PROBE_S
    is_said = False
    while True:
        try:
            await _check(connections)
        except FAILURES as error:
            if not _may_pass(error) or time.monotonic() + pause_s >= until_s:
                raise
            if not is_said:
                is_said = True
                _log.warning("redis_awaited", redis=connections.address.shown, reason=explain(error))
        else:
            return
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, _LAST_PROBE_S)


def _may_pass(error: BaseException) -> bool:
    """Tell whether *error* may be over in a moment, with nobody doing anything about it."""
    if isinstance(error, RedisClusterException) and error.__cause__ is not None:
        error = error.__cause__
    return isinstance(error, (*_PASSING, OSError)) and not isinstance(error, AuthenticationError)


async def _check(connections: Connections) -> None:
    """Refuse a Redis that cannot keep a log, and say in the server's log what makes one a poor keeper."""
    for address in await connections.primaries():
        client = new_client(address)
        try:
            await _check_one(client, address.shown, in_cluster=connections.address.is_cluster)
        finally:
            await close_client(client)
    await connections.set_clock()


async def _check_one(client: Client, shown: str, *, in_cluster: bool) -> None:
    info = await client.info()
    if info.get("cluster_enabled") and not in_cluster:
        raise RedisStartError(f"{shown} is a node of a Redis Cluster; add ?cluster=true to its URL")
    if (await client.execute_command("COMMAND INFO", "SPUBLISH"))[0] is None:
        version = info.get("redis_version", "of an unknown version")
        raise RedisStartError(f"{shown} is Redis {version} without SPUBLISH; 7.0 or newer is needed")
    if info.get("role") == "slave":
        raise RedisStartError(f"{shown} is a replica, which takes no writes; name its primary")
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy.startswith("allkeys") and info.get("maxmemory"):
        raise RedisStartError(f"{shown} drops keys when memory is short (maxmemory-policy {policy}); set noeviction")
    if not info.get("aof_enabled"):
        _log.warning("redis_forgets", redis=shown, reason="appendonly is off: what Redis holds is lost when it ends")
        return
    with contextlib.suppress(ResponseError):  # a user who may not ask for settings: docs/operations.md says which
        if (await client.config_get("appendfsync")).get("appendfsync") != "always":
            _log.warning(
                "redis_forgets", redis=shown, reason="appendfsync is not always: a crash may lose the last second"
            )


_PASSING: Final = (SilentError, LostError, ClusterDownError, MasterDownError)
_WORDS: Final[tuple[tuple[type[Exception], str], ...]] = (
    (OutOfMemoryError, "Redis is out of memory (maxmemory)"),
    (ReadOnlyError, "this Redis is a replica and takes no writes"),
    (NoPermissionError, "the Redis user may not do what a server does"),
    (BusyLoadingError, "Redis is still reading its data"),
    (AuthenticationError, "Redis does not know the user or password, or asks for one"),
    (MasterDownError, "Redis has lost its primary"),
    (ClusterDownError, "the Redis cluster is down"),
    (SilentError, "Redis does not answer"),
    (LostError, "Redis cannot be reached"),
    (InvalidResponse, "what answers is no Redis"),
    (RedisClusterException, "it is no Redis Cluster, or a part of it cannot be reached"),
)


def explain(error: BaseException) -> str:
    """Return what is wrong in plain words. The text of an error stays out: it could quote a command."""
    for kind, words in _WORDS:
        if isinstance(error, kind):
            return words
    code = str(error).partition(" ")[0] if isinstance(error, ResponseError) else ""
    if code == "MISCONF":
        return "Redis cannot write to its disk"
    if code.isupper() and code.isalpha():
        return f"Redis answers {code}"
    return type(error).__name__
