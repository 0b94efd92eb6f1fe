"""The log in the embedded database: one file, no services."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Final

from server import tasks
from server.database import Database
from server.listeners import Listeners
from server.log import RETIRED_KEPT_S, ConflictError, End, LogTornError, LogUnavailableError, NowMs, Stored, Wake

_PROBE_EVERY_S: Final = 1.0
_SWEPT_AT_ONCE: Final = 4
"""How many closed tables are looked at when one more is closed, the oldest: more than one, to catch up."""


class SqliteLog:
    """Logs of all tables in one file; appends of one moment share a commit.

    After one that the disk would not take the log is away until it takes a write again.
    """

    def __init__(self, database: Database, now_ms: NowMs) -> None:
        self._database = database
        self._clock = now_ms
        self._ahead_ms = 0
        """How far the log's time is ahead of the clock, which was set back since the log was last written."""
        self._latest_ms = 0
        self._watchers: Listeners[[int]] = Listeners()
        self._prober: asyncio.Task[None] | None = None
        self._is_closed = False
        # Touched by the database's thread alone: the last number by table, and entries taken but not yet written.
        self._last: dict[str, int] = {}
        self._rows: list[tuple[str, int, int, bytes]] = []
        database.before_commit.append(self._write_rows)
        database.rolled_back.append(self._forget)

    @property
    def is_available(self) -> bool:
        return self._prober is None or self._prober.done()

    def now_ms(self) -> int:
        self._latest_ms = max(self._latest_ms, self._clock() + self._ahead_ms)
        return self._latest_ms

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        at_ms = self.now_ms()

        def work(connection: sqlite3.Connection) -> None:
            last = self._last_of(connection, table)
            if seq <= last or seq < 1:
                raise ConflictError
            if seq > last + 1:
                raise LogTornError
            self._rows.append((table, seq, at_ms, entry))
            if seq == 1:
                connection.execute("INSERT INTO tables (table_id, open) VALUES (?, 1)", (table,))
            self._last[table] = seq

        try:
            await self._database.submit(work)
        except LogUnavailableError:
            self._lost()
            raise
        self._watchers.tell_now(table, seq)
        return at_ms

    def _lost(self) -> None:
        if self.is_available and not self._is_closed:
            self._prober = asyncio.get_running_loop().create_task(self._probe())

    async def _probe(self) -> None:
        """Try from time to time whether the disk takes a write, and return when it does."""
        is_written = False
        while not is_written:
            await asyncio.sleep(_PROBE_EVERY_S)
            with contextlib.suppress(LogUnavailableError):
                await self._database.write_nothing_new()
                is_written = True

    def _write_rows(self, connection: sqlite3.Connection) -> None:
        if self._rows:
            connection.executemany("INSERT INTO entries (table_id, seq, at_ms, entry) VALUES (?, ?, ?, ?)", self._rows)
            self._rows.clear()

    def _forget(self) -> None:
        self._last.clear()
        self._rows.clear()

    def _last_of(self, connection: sqlite3.Connection, table: str) -> int:
        if table not in self._last:
            row = connection.execute("SELECT max(seq) FROM entries WHERE table_id = ?", (table,)).fetchone()
            self._last[table] = row[0] or 0
        return self._last[table]

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        query = "SELECT seq, at_ms, entry FROM entries WHERE table_id = ? AND seq > ? ORDER BY seq"

        def work(connection: sqlite3.Connection) -> list[Stored]:
            self._write_rows(connection)
            return [Stored(*row) for row in connection.execute(query, (table, after))]

        stored = await self._database.submit(work)
        if stored:
            self._ahead_ms = max(self._ahead_ms, stored[-1].at_ms - self._clock())
        return stored

    def watch(self, table: str, wake: Wake) -> End:
        return self._watchers.add(table, wake)

    async def tables(self) -> Sequence[str]:
        query = "SELECT table_id FROM tables WHERE open = 1 ORDER BY id"
        return await self._database.submit(lambda connection: [row[0] for row in connection.execute(query)])

    async def retire(self, table: str) -> None:
        before_ms = self.now_ms() - 1000 * RETIRED_KEPT_S

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE tables SET open = 0 WHERE table_id = ?", (table,))
            self._last.pop(table, None)
            self._sweep(connection, before_ms)

        await self._database.submit(work)

    async def delete(self, table: str) -> None:
        await self._database.submit(partial(self._delete, table))

    def _delete(self, table: str, connection: sqlite3.Connection) -> None:
        self._write_rows(connection)
        connection.execute("DELETE FROM entries WHERE table_id = ?", (table,))
        connection.execute("DELETE FROM tables WHERE table_id = ?", (table,))
        self._last.pop(table, None)

    def _sweep(self, connection: sqlite3.Connection, before_ms: int) -> None:
        """Delete a few logs of closed tables that ended before *before_ms*; the file uses their room again."""
        self._write_rows(connection)
        oldest = "SELECT table_id FROM tables WHERE open = 0 ORDER BY id LIMIT ?"
        latest = "SELECT at_ms FROM entries WHERE table_id = ? ORDER BY seq DESC LIMIT 1"
        for (table,) in connection.execute(oldest, (_SWEPT_AT_ONCE,)).fetchall():
            entry = connection.execute(latest, (table,)).fetchone()
            if entry is None or entry[0] < before_ms:
                self._delete(table, connection)

    async def close(self) -> None:
        self._is_closed = True
        if self._prober is not None:
            await tasks.end(self._prober)
        await self._database.close()
