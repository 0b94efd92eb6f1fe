"""The store of players and finished games: SQLite or PostgreSQL, by its URL. Tables in play never wait for it.

Work for the store is a function of the connection, done in one transaction of its own. While the database is away, work
is refused at once, and the store looks by itself whether it is back.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias, TypeVar

import structlog
from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError, ProgrammingError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server import tasks
from server.logs import place_of

T = TypeVar("T")
Work: TypeAlias = Callable[[AsyncConnection], Awaitable[T]]

_LOOK_EVERY_S: Final = 1.0
_GOODBYE_S: Final = 1.0
"""How long a database may take to be taken leave of: one that hangs would take seconds for each connection."""
_LOCK: Final = 0x45554348
"""What PostgreSQL's advisory lock of work that is done by one node at a time is called."""
_OURS: Final = (IntegrityError, ProgrammingError, DataError)
"""Errors that say the statement is wrong, not that the database is away."""

_log = structlog.get_logger("server.store")


class StoreError(Exception):
    """The database cannot serve as the store; the message is one line that says why and what to do.

    Nothing in it was changed.
    """


class StoreAwayError(Exception):
    """The database cannot do it now. Nothing was done, as far as anybody can know."""

    def __init__(self) -> None:
        super().__init__("the database is away; try again in a moment")


class Store:
    """An open database. Made by `server.store.opening.open_store`."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._looking: asyncio.Task[None] | None = None
        self._works: set[asyncio.Task[Any]] = set()

    @property
    def is_available(self) -> bool:
        """Tell whether the database answered the last time somebody asked."""
        return self._looking is None

    @property
    def is_busy(self) -> bool:
        """Tell whether work is under way."""
        return bool(self._works)

    async def run(self, work: Work[T], *, alone: bool = False) -> T:
        """Return what *work* returns once it is committed. *alone*: no other work that is, on any node, runs meanwhile.

        Raises StoreAwayError, at once while the database is known to be away.
        """
        if not self.is_available:
            raise StoreAwayError
        # In a task of its own: a caller who is cancelled does not cut a connection in the middle of its work.
        return await asyncio.shield(self._begin(self._do(work, alone=alone)))

    def _begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)
        task.add_done_callback(self._works.discard)
        return task

    async def _do(self, work: Work[T], *, alone: bool) -> T:
        try:
            async with transaction(self._engine, alone=alone) as connection:
                return await work(connection)
        except _OURS:
            raise
        except PoolTimeoutError:
            raise StoreAwayError from None  # the database answers, but not as fast as everybody asks
        except (SQLAlchemyError, OSError) as error:  # a TimeoutError is an OSError
            if self._looking is None:
                _log.warning("database_away", error=reason_of(error))
                self._looking = asyncio.get_running_loop().create_task(self._look())
            raise StoreAwayError from None

    async def _look(self) -> None:
        """Ask the database until it answers."""
        is_back = False
        while not is_back:
            await asyncio.sleep(_LOOK_EVERY_S)
            is_back = await self._answers()
        self._looking = None
        _log.info("database_back")

    async def _answers(self) -> bool:
        try:
            async with self._engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError):
            return False
        except Exception as error:  # noqa: BLE001  # a store that looked no more would be away for ever
            _log.error("database_look_failed", error=type(error).__name__, at=place_of(error))
            return False
        return True

    async def close(self) -> None:
        """Finish what was begun and let go of the database."""
        await asyncio.gather(*self._works, return_exceptions=True)
        if self._looking is not None:
            await tasks.end(self._looking)
        leaving = self._begin(self._engine.dispose())
        await asyncio.wait([leaving], timeout=_GOODBYE_S)
        await tasks.end(leaving)
        await asyncio.gather(leaving, return_exceptions=True)


@asynccontextmanager
async def transaction(engine: AsyncEngine, *, alone: bool) -> AsyncIterator[AsyncConnection]:
    """Open a transaction, committed at the end of the context; SQLite's are always alone."""
    async with engine.begin() as connection:
        if alone and connection.dialect.name == "postgresql":
            await connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))
        yield connection


def insert_once(connection: AsyncConnection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an insert into *table* that passes over rows whose key is there already."""
    if connection.dialect.name == "postgresql":
        return postgresql.insert(table).on_conflict_do_nothing()
    return sqlite.insert(table).on_conflict_do_nothing()


def reason_of(error: Exception) -> str:
    """Return in one line why the database failed, without the statement and its values."""
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split()) or type(cause).__name__
