"""The archivist: sees that every finished game comes from its table's log into the archive, however long that takes."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from server import tasks
from server.archive import Archive
from server.log import Log, LogTornError, LogUnavailableError
from server.logs import place_of
from server.records import finished_games
from server.store import StoreAwayError

_RETRY_S: Final = 2.0

_log = structlog.get_logger("server.archivist")


class Archivist:
    """Works through the tables it is told of, one at a time. What it has not done by the end is told it again."""

    def __init__(self, log: Log, archive: Archive) -> None:
        self._log = log
        self._archive = archive
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, table: str) -> None:
        """Have the finished games of *table* archived."""
        self._waiting.setdefault(table, [])
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def archived(self, table: str) -> None:
        """Have the finished games of *table* archived, and return when the archive has them all."""
        self.note(table)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[table].append(future)
        await future

    async def _serve(self) -> None:
        while self._waiting:
            table = next(iter(self._waiting))
            futures = self._waiting.pop(table)
            try:
                await self._archive_table(table)
            except (StoreAwayError, LogUnavailableError):
                self._waiting[table] = futures + self._waiting.get(table, [])
                await asyncio.sleep(_RETRY_S)
                continue
            except LogTornError:
                pass  # the table stands still; its games are noted again when it is taken up whole
            except Exception as error:  # noqa: BLE001  # a log nobody can follow keeps no other table's games waiting
                _log.error("not_archived", table=table, error=type(error).__name__, at=place_of(error))
            for future in futures:
                if not future.done():
                    future.set_result(None)

    async def _archive_table(self, table: str) -> None:
        entries = await self._log.read(table, after=0)
        if not entries:
            return
        records = {record.game: record for record in await finished_games(entries)}
        if not records:
            return
        for game in await self._archive.missing(table, list(records)):
            await self._archive.put(table, records[game])
            _log.info("archived", table=table, game=game)

    async def stop(self) -> None:
        """Stop where it is; what is not archived is in the log yet."""
        if self._task is not None:
            await tasks.end(self._task)
