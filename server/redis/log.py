"""The log in Redis: a stream for each table, appended to by one script.

The id in the stream is the entry's number and stamp, ``7-1700000000000``; the fields are the entry and the mark of the
append that wrote it. The mark settles an unknown outcome: an append whose answer was lost is sent again, and the script
finds that it is there already, that a rival is, or that nothing is and it can still be written.
"""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog

from server import tasks
from server.listeners import Listeners
from server.log import RETIRED_KEPT_S, ConflictError, End, LogTornError, LogUnavailableError, Stored, Wake
from server.logs import place_of
from server.redis.clock import monotonic_ms
from server.redis.connections import LIMIT_S, Connections
from server.redis.hearing import Hearing
from server.redis.pipe import FAILURES, Argument, Script

_POLL_EVERY_S: Final = 2.0
_POLL_PARTS: Final = 20
_PAGE: Final = 500
_ENDS_KEPT: Final = 20_000
_TAKEN_WITHIN_MS: Final = round(1000 * LIMIT_S) - 250
"""So long after it was asked for an append may be carried out. Its caller waits for longer: Redis's time is known here
to within the way of an answer."""
_OPENING_LIMIT_US: Final = 60_000_000
"""A table listed so long ago whose log never began was never made: its node died in between."""

_log = structlog.get_logger("server.log")

_INDEX: Final = "euchre:{tables}:open"

_APPEND: Final = Script("""
local seq, entry, mark = tonumber(ARGV[1]), ARGV[2], ARGV[3]
local latest_ms, before_ms = tonumber(ARGV[4]), ARGV[5]
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local last_seq, last_ms = 0, '0'
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
  last_seq, last_ms = string.match(last[1], '(%d+)-(%d+)')
  last_seq = tonumber(last_seq)
end
if last_seq >= seq then
  local there = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
  if there and there[2][4] == mark then
    return {'written', tonumber(string.match(there[1], '-(%d+)'))}
  end
  return {'conflict', now_ms}
end
if last_seq < seq - 1 or (before_ms ~= '' and before_ms ~= last_ms) or redis.call('EXISTS', KEYS[2]) == 1 then
  return {'torn', now_ms}
end
if now_ms > latest_ms then
  return {'late', now_ms}
end
local at_ms = math.max(now_ms, tonumber(last_ms))
redis.call('XADD', KEYS[1], string.format('%.0f-%.0f', seq, at_ms), 'entry', entry, 'mark', mark)
redis.call('SPUBLISH', KEYS[3], ARGV[6] .. ' ' .. ARGV[1])
return {'written', at_ms}
""")
"""Nothing is written after *latest_ms*: an append given up is not carried out later by a Redis that was stuck."""

_FREEZE: Final = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('SET', KEYS[2], ARGV[1])
end
""")

_LIST: Final = Script("""
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2] or '0'
local now = redis.call('TIME')
local score = math.max(now[1] * 1000000 + now[2], tonumber(last) + 1)
return redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', score), ARGV[1])
""")


@dataclass(frozen=True, slots=True)
class _Keys:
    """A table's keys and channel, under one hash tag."""

    log: str
    torn: str
    grown: str


def _keys(table: str) -> _Keys:
    tag = f"euchre:{{{table}}}"
    return _Keys(f"{tag}:log", f"{tag}:torn", f"{tag}:grown")


class RedisLog:
    """Logs of all tables in one Redis or Redis Cluster, shared by any number of nodes."""

    def __init__(self, connections: Connections, hearing: Hearing, node: str) -> None:
        self._connections = connections
        self._hearing = hearing
        self._node = node
        self._marks = (f"{node} {number}" for number in itertools.count(1))
        self._ends: OrderedDict[str, tuple[int, int]] = OrderedDict()
        """Of the tables last used here, the last entry known to be in the log: number and stamp."""
        self._watchers: Listeners[[int]] = Listeners()
        self._poller = asyncio.get_running_loop().create_task(self._poll())

    @property
    def is_available(self) -> bool:
        return self._connections.is_available

    def now_ms(self) -> int:
        return self._connections.clock.now_ms()

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        if seq < 1:
            raise ConflictError
        # Listed before it begins: a table that is nowhere listed would be found by nobody.
        is_listed_by_us = seq == 1 and await self._list(table)
        try:
            at_ms = await self._append(table, seq, entry)
        except ConflictError:
            if is_listed_by_us and await self._is_retired(table):
                await self._unlist(table)
            raise
        self._know(table, seq, at_ms)
        return at_ms

    async def _append(self, table: str, seq: int, entry: bytes) -> int:
        clock, keys = self._connections.clock, _keys(table)
        end_seq, end_ms = self._ends.get(table, (0, 0))
        before: Argument = end_ms if end_seq == seq - 1 > 0 else ""
        mark = next(self._marks)
        asked_ms = monotonic_ms()
        outcome = b"late"
        while outcome == b"late" and monotonic_ms() - asked_ms < _TAKEN_WITHIN_MS:
            latest_ms = clock.now_ms() + asked_ms - monotonic_ms() + _TAKEN_WITHIN_MS
            outcome, at_ms = await self._connections.insist(
                keys.log,
                partial(
                    _APPEND.run, self._connections.writes, (keys.log, keys.torn, keys.grown),
                    seq, entry, mark, latest_ms, before, self._node,
                ),
            )  # fmt: skip
            clock.heard(at_ms, asked_ms=asked_ms)
            if outcome == b"written":
                return int(at_ms)
        if outcome == b"conflict":
            raise ConflictError
        if outcome == b"torn":
            if seq - 1 <= end_seq:  # else it is the caller's word alone that there was such an entry
                await self._freeze(table)
            raise LogTornError(table)
        raise LogUnavailableError("Redis was away too long")

    async def _freeze(self, table: str) -> None:
        """Stop a table whose log lost entries we know of, for every node, and say so."""
        keys = _keys(table)
        _log.error("log_torn", table=table, known=self._ends.get(table))
        await self._connections.insist(
            keys.log, partial(_FREEZE.run, self._connections.writes, (keys.log, keys.torn), self._node)
        )

    def _know(self, table: str, seq: int, at_ms: int) -> None:
        if seq >= self._ends.get(table, (0, 0))[0]:
            self._ends[table] = seq, at_ms
        self._ends.move_to_end(table)
        if len(self._ends) > _ENDS_KEPT:
            self._ends.popitem(last=False)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        keys = _keys(table)
        torn, stored = await asyncio.gather(self._read("EXISTS", keys.torn), self._range(keys.log, max(after, 1)))
        if torn or not self._follows(table, max(after, 1), stored):
            await self._freeze(table)
            raise LogTornError(table)
        if stored:
            self._know(table, stored[-1].seq, stored[-1].at_ms)
        return stored[1:] if stored and stored[0].seq == after else stored

    async def _range(self, key: str, first: int) -> list[Stored]:
        stored: list[Stored] = []
        page: list[Any] = [None] * _PAGE
        while len(page) == _PAGE:
            page = await self._read("XRANGE", key, first + len(stored), "+", "COUNT", _PAGE)
            stored += [_stored(id_, fields) for id_, fields in page]
        return stored

    def _follows(self, table: str, first: int, stored: Sequence[Stored]) -> bool:
        """Tell whether *stored*, the log from *first* on, has no gap and still has the last entry we know of."""
        if any(one.seq != first + index for index, one in enumerate(stored)):
            return False
        seq, at_ms = self._ends.get(table, (0, 0))
        return seq < first or (seq - first < len(stored) and stored[seq - first].at_ms == at_ms)

    async def _read(self, *command: Argument) -> Any:
        return await self._connections.insist(str(command[1]), partial(self._connections.reads.call, *command))

    async def _write(self, *command: Argument) -> Any:
        return await self._connections.insist(str(command[1]), partial(self._connections.writes.call, *command))

    # ── watching ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def watch(self, table: str, wake: Wake) -> End:
        def hear(message: bytes | None) -> None:
            if message is None:  # every later append is heard of; one from a moment before is found by looking
                wake(0)
                return
            node, _, seq = message.decode().partition(" ")
            if node != self._node:
                wake(int(seq))

        end_polling = self._watchers.add(table, wake)
        end_hearing = self._hearing.listen(_keys(table).grown, hear)

        def end() -> None:
            end_polling()
            end_hearing()

        return end

    async def _poll(self) -> None:
        """Look from time to time whether a watched log has another length than we know: a wake-up may be lost.

        A few logs at a time, for the players' commands wait behind what is asked here.
        """
        while True:
            tables = list(self._watchers)
            for part in range(_POLL_PARTS):
                await asyncio.sleep(_POLL_EVERY_S / _POLL_PARTS)
                await self._try(partial(self._look_at, tables[part::_POLL_PARTS]))
            await self._try(self._connections.set_clock)

    async def _try(self, look: Callable[[], Awaitable[None]]) -> None:
        """Do *look* if Redis is there. It fails alone: it is done again soon."""
        if not self._connections.is_available:
            return
        try:
            await look()
        except (LogUnavailableError, *FAILURES):
            pass
        except Exception as error:  # noqa: BLE001  # a node that looked no more would lag behind what it did not hear
            _log.error("redis_poll_failed", error=type(error).__name__, at=place_of(error))

    async def _look_at(self, tables: Sequence[str]) -> None:
        lengths = await asyncio.gather(*(self._read("XLEN", _keys(table).log) for table in tables))
        for table, length in zip(tables, lengths, strict=True):
            known, _ = self._ends.get(table, (0, 0))
            if length != known:
                self._watchers.tell(table, length if length > known else 0)

    # ── which are open ───────────────────────────────────────────────────────────────────────────────────────────────

    async def tables(self) -> Sequence[str]:
        listed = await self._read("ZRANGE", _INDEX, 0, -1, "WITHSCORES")
        names = [name.decode() for name, _ in listed]
        begun = await asyncio.gather(*(self._read("EXISTS", _keys(table).log) for table in names))
        latest_us = 1000 * self.now_ms() - _OPENING_LIMIT_US
        for table, has_begun, (_, listed_us) in zip(names, begun, listed, strict=True):
            if not has_begun and listed_us < latest_us:
                await self._unlist(table)
        return [table for table, has_begun in zip(names, begun, strict=True) if has_begun]

    async def _list(self, table: str) -> bool:
        return bool(
            await self._connections.insist(_INDEX, partial(_LIST.run, self._connections.writes, (_INDEX,), table))
        )

    async def _unlist(self, table: str) -> None:
        await self._write("ZREM", _INDEX, table)

    async def _is_retired(self, table: str) -> bool:
        return bool(await self._read("PTTL", _keys(table).log) > 0)

    async def retire(self, table: str) -> None:
        await self._write("EXPIRE", _keys(table).log, RETIRED_KEPT_S)
        await self._unlist(table)

    async def delete(self, table: str) -> None:
        keys = _keys(table)
        await self._unlist(table)
        await self._write("DEL", keys.log, keys.torn)
        self._ends.pop(table, None)

    async def close(self) -> None:
        await tasks.end(self._poller)
        await self._hearing.close()
        await self._connections.close()


def _stored(id_: bytes, fields: dict[bytes, bytes]) -> Stored:
    seq, _, at_ms = id_.partition(b"-")
    return Stored(int(seq), int(at_ms), fields[b"entry"])
