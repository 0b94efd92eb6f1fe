"""The archivist: sees that every finished game comes from its table's log into the archive, however long that takes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

import structlog

from server import tasks
from server.archive import Archive
from server.log import Log, LogTornError, LogUnavailableError
from server.logs import place_of
from server.records import GameRecord, finished_games
from server.store import StoreAwayError

_RETRY_S: Final = 2.0

_log = structlog.get_logger("server.archivist")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What of a table is to be archived: the game of ``record``, or where that is None all that its log has.

    ``futures`` are of those who wait for it.
    """

    record: GameRecord | None
    futures: tuple[asyncio.Future[None], ...] = ()


class Archivist:
    """Works through the tables it is told of, one at a time. What it has not done by the end is told it again.

    Of each table that waits it keeps one record at most: where a second is wanted, the log has both.
    """

    def __init__(self, log: Log, archive: Archive) -> None:
        self._log = log
        self._archive = archive
        self._waiting: dict[str, _Wanted] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, table: str, record: GameRecord | None = None) -> None:
        """Have *record*, of a game that is over, archived; without one all finished games in the log of *table*."""
        self._want(table, _Wanted(record))

    async def archived(self, table: str) -> None:
        """Have the finished games of *table* archived, and return when the archive has them all."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._want(table, _Wanted(None, (future,)))
        await future

    def _want(self, table: str, wanted: _Wanted) -> None:
        before = self._waiting.get(table)
        self._waiting[table] = wanted if before is None else _Wanted(None, before.futures + wanted.futures)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting:
            table = next(iter(self._waiting))
            wanted = self._waiting.pop(table)
            try:
                if wanted.record is not None:
                    await self._archive_all(table, [wanted.record])
                else:
                    await self._archive_all(table, await finished_games(await self._log.read(table, after=0)))
            except (StoreAwayError, LogUnavailableError):
                self._want(table, wanted)
                await asyncio.sleep(_RETRY_S)
                continue
            except LogTornError:
                pass  # the table stands still; its games are noted again when it is taken up whole
            except Exception as error:  # noqa: BLE001  # a log nobody can follow keeps no other table's games waiting
                _log.error("not_archived", table=table, error=type(error).__name__, at=place_of(error))
            for future in wanted.futures:
                if not future.done():
                    future.set_result(None)

    async def _archive_all(self, table: str, records: list[GameRecord]) -> None:
        if not records:
            return
        missing = await self._archive.missing(table, [record.game for record in records])
        for record in records:
            if record.game in missing:
                await self._archive.put(table, record)
                _log.info("archived", table=table, game=record.game)

    async def stop(self) -> None:
        """Stop where it is; what is not archived is in the log yet."""
        if self._task is not None:
            await tasks.end(self._task)
