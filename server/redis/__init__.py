"""Redis as what many nodes share: the log, the bus and the directory. Nothing else imports redis."""

from __future__ import annotations

from typing import NamedTuple

from server.bus import new_node
from server.redis.bus import RedisBus
from server.redis.connections import RedisStartError, connect
from server.redis.directory import RedisDirectory
from server.redis.hearing import Hearing
from server.redis.log import RedisLog

__all__ = ["Opened", "RedisStartError", "open_redis"]


class Opened(NamedTuple):
    """What a node has of Redis. Closing the log closes all three."""

    log: RedisLog
    bus: RedisBus
    directory: RedisDirectory


async def open_redis(url: str) -> Opened:
    """Open the Redis at *url* for a new node. Raises RedisStartError."""
    connections = await connect(url)
    hearing, node = Hearing(connections), new_node()
    return Opened(
        RedisLog(connections, hearing, node), RedisBus(connections, hearing, node), RedisDirectory(connections)
    )
