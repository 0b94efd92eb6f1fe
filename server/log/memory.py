"""The log in memory: for tests, benches and servers that need not remember."""

from __future__ import annotations

from collections.abc import Sequence

from server.log import ConflictError, NowMs, Stored


class MemoryLog:
    """Keeps every log until the process ends."""

    def __init__(self, now_ms: NowMs) -> None:
        self._now_ms = now_ms
        self._entries: dict[str, list[Stored]] = {}
        self._open: dict[str, None] = {}

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        entries = self._entries.setdefault(table, [])
        if seq != len(entries) + 1:
            raise ConflictError
        stored = Stored(seq, self._now_ms(), entry)
        entries.append(stored)
        if seq == 1:
            self._open[table] = None
        return stored.at_ms

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        return self._entries.get(table, [])[after:]

    async def tables(self) -> Sequence[str]:
        return list(self._open)

    async def retire(self, table: str) -> None:
        self._open.pop(table, None)

    async def delete(self, table: str) -> None:
        self._entries.pop(table, None)
        self._open.pop(table, None)

    async def close(self) -> None:
        return
