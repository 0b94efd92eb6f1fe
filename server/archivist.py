"""The archivist: sees that every finished game comes from its table's log into the archive, however long that takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

import structlog

from server import tasks
from server.archive import Archive
from server.log import Log, LogTornError, LogUnavailableError
from server.logs import place_of
from server.records import GameRecord, finished_games, games_of
from server.store import StoreAwayError

_RETRY_S: Final = 2.0
_AT_ONCE: Final = 32
"""Tables whose games are archived together: their records are committed once."""

_log = structlog.get_logger("server.archivist")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What of a table is to be archived: the game of ``record``, and with ``is_all`` all that its log has.

    ``futures`` are of those who wait for it.
    """

    record: GameRecord | None = None
    is_all: bool = False
    futures: tuple[asyncio.Future[None], ...] = ()

    def and_then(self, later: _Wanted) -> _Wanted:
        """Return what is to be archived where *later* is wanted too. Of two records the log has the second."""
        is_second = self.record is not None and later.record is not None
        is_all = self.is_all or later.is_all or is_second
        return _Wanted(self.record or later.record, is_all, self.futures + later.futures)


class Archivist:
    """Works through the tables it is told of, some at a time. What it has not done by the end is told it again.

    Of each table that waits it keeps one record at most, so what waits is bounded by the tables there are.
    """

    def __init__(self, log: Log, archive: Archive) -> None:
        self._log = log
        self._archive = archive
        self._waiting: dict[str, _Wanted] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, table: str, record: GameRecord | None = None) -> None:
        """Have *record*, of a game that is over, archived; without one all finished games in the log of *table*."""
        self._want(table, _Wanted(record, is_all=record is None))

    async def archived(self, table: str) -> None:
        """Have the finished games of *table* archived, and return when the archive has them all."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._want(table, _Wanted(is_all=True, futures=(future,)))
        await future

    def _want(self, table: str, wanted: _Wanted) -> None:
        before = self._waiting.get(table)
        self._waiting[table] = wanted if before is None else before.and_then(wanted)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._serve())

    async def _serve(self) -> None:
        while self._waiting:
            batch = {table: self._waiting.pop(table) for table in list(islice(self._waiting, _AT_ONCE))}
            try:
                await self._put({table: [one.record] for table, one in batch.items() if one.record is not None})
                for table, wanted in list(batch.items()):
                    if wanted.is_all:
                        await self._archive_log(table)
                    del batch[table]
                    for future in wanted.futures:
                        if not future.done():
                            future.set_result(None)
            except (StoreAwayError, LogUnavailableError):
                for table, wanted in batch.items():
                    self._want(table, wanted)
                await asyncio.sleep(_RETRY_S)

    async def _archive_log(self, table: str) -> None:
        """Archive the finished games of *table*'s log; it is followed only where one of its games is not archived."""
        try:
            log = await self._log.read(table, after=0)
            missing = await self._archive.missing(table, games_of(log))
            records = await finished_games(log) if missing else []
        except (StoreAwayError, LogUnavailableError):
            raise
        except LogTornError:
            return  # the table stands still; its games are noted again when it is taken up whole
        except Exception as error:  # noqa: BLE001  # a log nobody can follow keeps no other table's games waiting
            _tell(error, table)
            return
        await self._put({table: [one for one in records if one.game in missing]})

    async def _put(self, records: Mapping[str, Sequence[GameRecord]]) -> None:
        try:
            for table, game in await self._archive.put(records):
                _log.info("archived", table=table, game=game)
        except StoreAwayError:
            raise
        except Exception as error:  # noqa: BLE001  # one the database does not take keeps no other waiting
            if len(records) == 1:
                _tell(error, *records)
                return
            for table, of_table in records.items():
                await self._put({table: of_table})

    async def stop(self) -> None:
        """Stop where it is; what is not archived is in the log yet."""
        if self._task is not None:
            await tasks.end(self._task)


def _tell(error: Exception, table: str) -> None:
    _log.error("not_archived", table=table, error=type(error).__name__, at=place_of(error))
