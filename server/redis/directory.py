"""The directory in Redis: every key under one hash tag, each forgotten unless it is put in again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import msgpack

from server.directory import KEPT_S, MOST_LISTED, IsWanted, Listing
from server.redis.connections import Connections
from server.redis.pipe import Argument, Script

_COPY_KEPT_S: Final = 1.0
_MOST_COPIED: Final = 1000
"""How many public tables, the newest, are looked through for those that are wanted."""
_CLAIM_KEPT_S: Final = 60
_PUBLIC: Final = "euchre:{lobby}:public"
_GONE: Final = 2**53 - 1
"""The number of a table that is closed: no entry comes after it."""

_PUT: Final = Script("""
local known = redis.call('HGET', KEYS[1], 'seq')
if known and tonumber(known) > tonumber(ARGV[1]) then
  return 0
end
local table_id, kept_s = ARGV[3], ARGV[4]
redis.call('HSET', KEYS[1], 'seq', ARGV[1], 'listing', ARGV[2])
redis.call('SET', KEYS[2], table_id, 'EX', kept_s)
redis.call('SET', KEYS[3], table_id, 'EX', kept_s)
if ARGV[5] ~= '' then
  redis.call('ZADD', KEYS[4], ARGV[5], table_id)
else
  redis.call('ZREM', KEYS[4], table_id)
end
redis.call('EXPIRE', KEYS[1], kept_s)
redis.call('EXPIRE', KEYS[4], kept_s)
for at = 5, #KEYS do
  redis.call('SADD', KEYS[at], table_id)
  redis.call('EXPIRE', KEYS[at], kept_s)
end
return 1
""")

_REMOVE: Final = Script("""
redis.call('HSET', KEYS[1], 'seq', ARGV[1])
redis.call('HDEL', KEYS[1], 'listing')
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('ZREM', KEYS[2], ARGV[2])
""")

_CLAIM: Final = Script("""
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
end
return not holder or holder == ARGV[1]
""")


class RedisDirectory:
    """The directory all nodes on one Redis share."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._listed: Sequence[Listing] = ()
        self._listed_until_s = 0.0
        self._listing: asyncio.Task[Sequence[Listing]] | None = None

    async def put(self, listing: Listing) -> None:
        player, ref = listing.made_by
        keys = (
            _table_key(listing.table), _code_key(listing.code), _made_key(player, ref), _PUBLIC,
            *(_player_key(sitting) for sitting in sorted(listing.players)),
        )  # fmt: skip
        score: Argument = listing.made_ms if listing.is_public else ""
        await self._run(_PUT, keys, listing.seq, _packed(listing), listing.table, round(KEPT_S), score)

    async def remove(self, table: str) -> None:
        await self._run(_REMOVE, (_table_key(table), _PUBLIC), _GONE, table, round(KEPT_S))

    async def is_gone(self, table: str) -> bool:
        seq = await self._ask("HGET", _table_key(table), "seq")
        return seq is not None and int(seq) == _GONE

    async def find(self, table: str) -> Listing | None:
        packed = await self._ask("HGET", _table_key(table), "listing")
        return None if packed is None else _unpacked(packed)

    async def find_code(self, code: str) -> Listing | None:
        return await self._find_by(_code_key(code))

    async def made_by(self, player: str, ref: int) -> Listing | None:
        return await self._find_by(_made_key(player, ref))

    async def _find_by(self, key: str) -> Listing | None:
        table = await self._ask("GET", key)
        return None if table is None else await self.find(table.decode())

    async def of_player(self, player: str) -> Sequence[Listing]:
        tables = sorted(table.decode() for table in await self._ask("SMEMBERS", _player_key(player)))
        found = [listing for listing in await self._find_all(tables) if player in listing.players]
        left = set(tables) - {listing.table for listing in found}
        if left:
            self._connections.writes.post("SREM", _player_key(player), *left)
        return found

    async def _find_all(self, tables: Sequence[str]) -> list[Listing]:
        found = await asyncio.gather(*map(self.find, tables))
        return [listing for listing in found if listing is not None]

    async def listed(self, is_wanted: IsWanted) -> Sequence[Listing]:
        listed = [listing for listing in await self._all_listed() if is_wanted(listing)]
        return listed[:MOST_LISTED]

    async def _all_listed(self) -> Sequence[Listing]:
        if time.monotonic() < self._listed_until_s:
            return self._listed
        if self._listing is None or self._listing.done():
            self._listing = asyncio.get_running_loop().create_task(self._read_listed())
        return await asyncio.shield(self._listing)

    async def _read_listed(self) -> Sequence[Listing]:
        listed: list[Listing] = []
        begin = 0
        while len(listed) < _MOST_COPIED:
            tables = [table.decode() for table in await self._ask("ZREVRANGE", _PUBLIC, begin, begin + MOST_LISTED - 1)]
            found = await self._find_all(tables)
            forgotten = set(tables) - {listing.table for listing in found}
            if forgotten:
                self._connections.writes.post("ZREM", _PUBLIC, *forgotten)
            listed += found
            begin += MOST_LISTED
            if len(tables) < MOST_LISTED:
                break
        self._listed, self._listed_until_s = listed, time.monotonic() + _COPY_KEPT_S
        return self._listed

    async def claim_code(self, code: str, table: str) -> bool:
        return bool(await self._run(_CLAIM, (_code_key(code),), table, _CLAIM_KEPT_S))

    async def _ask(self, *command: Argument) -> Any:
        return await self._connections.insist(_PUBLIC, partial(self._connections.reads.call, *command))

    async def _run(self, script: Script, keys: tuple[str, ...], *arguments: Argument) -> Any:
        run = partial(script.run, self._connections.writes, keys, *arguments)
        return await self._connections.insist(_PUBLIC, run)


def _table_key(table: str) -> str:
    return f"euchre:{{lobby}}:table:{table}"


def _code_key(code: str) -> str:
    return f"euchre:{{lobby}}:code:{code}"


def _made_key(player: str, ref: int) -> str:
    return f"euchre:{{lobby}}:made:{player}:{ref}"


def _player_key(player: str) -> str:
    return f"euchre:{{lobby}}:player:{player}"


def _packed(listing: Listing) -> bytes:
    plain = [
        listing.table, listing.code, listing.seq, listing.made_ms, listing.made_by, sorted(listing.players),
        listing.is_public, listing.row,
    ]  # fmt: skip
    return bytes(msgpack.packb(plain))


def _unpacked(packed: bytes) -> Listing:
    table, code, seq, made_ms, (player, ref), players, is_public, row = msgpack.unpackb(packed)
    return Listing(table, code, seq, made_ms, (player, ref), frozenset(players), is_public, row)
