"""The log in memory: for tests, benches and servers that need not remember."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from server.listeners import Listeners
from server.log import ConflictError, End, LogTornError, NowMs, Stored, Wake

RETIRED_KEPT: Final = 100
"""How many logs of closed tables are kept, the latest: some 60 KiB for each game that was played there."""


class MemoryLog:
    """Keeps every log until the process ends, and those of closed tables until RETIRED_KEPT others are closed.

    Several nodes of one process may share it.
    """

    is_available = True

    def __init__(self, now_ms: NowMs) -> None:
        self._clock = now_ms
        self._latest_ms = 0
        self._entries: dict[str, list[Stored]] = {}
        self._open: dict[str, None] = {}
        self._retired: dict[str, None] = {}
        self._watchers: Listeners[[int]] = Listeners()

    def now_ms(self) -> int:
        self._latest_ms = max(self._latest_ms, self._clock())
        return self._latest_ms

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        entries = self._entries.get(table, [])
        if seq <= len(entries) or seq < 1:
            raise ConflictError
        if seq > len(entries) + 1:
            raise LogTornError
        stored = Stored(seq, self.now_ms(), entry)
        entries.append(stored)
        if seq == 1:
            self._entries[table] = entries
            self._open[table] = None
        self._watchers.tell_now(table, seq)
        return stored.at_ms

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        return self._entries.get(table, [])[after:]

    def watch(self, table: str, wake: Wake) -> End:
        return self._watchers.add(table, wake)

    async def tables(self) -> Sequence[str]:
        return list(self._open)

    async def retire(self, table: str) -> None:
        if table not in self._open:
            return
        del self._open[table]
        self._retired[table] = None
        if len(self._retired) > RETIRED_KEPT:
            await self.delete(next(iter(self._retired)))

    async def delete(self, table: str) -> None:
        self._entries.pop(table, None)
        self._open.pop(table, None)
        self._retired.pop(table, None)

    async def close(self) -> None:
        return
