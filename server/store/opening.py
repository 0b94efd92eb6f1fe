"""Opening a store: the engine for its URL, and its schema made or brought up to this version's."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, event, inspect
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from server.database import APPLICATION_ID, CHECKED_BYTES, DatabaseError, check_header
from server.store import Store, StoreError, reason_of, transaction
from server.store.schema import METADATA, VERSION_TABLE

IN_MEMORY: Final = "sqlite://"
_LIMIT_S: Final = 5
"""How long connecting, waiting for a connection and one statement may each take."""
_CONNECTIONS: Final = 8
_USE: Final = "--database takes sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"


def url_of_file(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return URL.create("sqlite", database=str(path)).render_as_string()


async def open_store(url: str) -> Store:
    """Open the database at *url* with this version's schema; two nodes may do so at once.

    Raises StoreError where it cannot serve: away, damaged, not ours, or of a newer version.
    """
    parsed = _read_url(url)
    shown = parsed.render_as_string(hide_password=True)
    if parsed.database and parsed.drivername == "sqlite":
        try:
            check_header(Path(parsed.database))
            # The driver, where it cannot open a file, leaves a thread that complains after the end of the loop.
            sqlite3.connect(parsed.database).close()
        except DatabaseError as error:
            raise StoreError(str(error)) from None
        except sqlite3.Error as error:
            raise StoreError(f"cannot use the database {shown}: {error}") from None
    engine = _engine_for(parsed)
    try:
        async with transaction(engine, alone=True) as connection:
            await connection.run_sync(_migrate, shown)
        if parsed.drivername == "sqlite" and parsed.database:
            await engine.dispose()  # see _set_up_sqlite
    except (SQLAlchemyError, OSError) as error:
        await engine.dispose()
        raise StoreError(f"cannot use the database {shown}: {reason_of(error)}") from None
    except StoreError:
        await engine.dispose()
        raise
    return Store(engine)


def _read_url(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise StoreError(_USE) from None
    if url.drivername not in {"sqlite", "postgresql", "postgres"}:
        raise StoreError(_USE)
    return url


def _engine_for(url: URL) -> AsyncEngine:
    if url.drivername != "sqlite":
        # libpq and most hosts' addresses say sslmode; asyncpg takes the same words as ssl.
        query = {{"sslmode": "ssl"}.get(key, key): value for key, value in url.query.items()}
        return create_async_engine(
            url.set(drivername="postgresql+asyncpg", query=query),
            pool_size=_CONNECTIONS,
            max_overflow=0,
            pool_timeout=_LIMIT_S,
            pool_pre_ping=True,
            connect_args={"timeout": _LIMIT_S, "command_timeout": _LIMIT_S},
        )
    # One connection: SQLite has one writer at a time, and a database in memory lives as long as its connection.
    engine = create_async_engine(
        url.set(drivername="sqlite+aiosqlite"),
        poolclass=AsyncAdaptedQueuePool,
        pool_size=1,
        max_overflow=0,
        pool_timeout=_LIMIT_S,
        connect_args={"timeout": _LIMIT_S},
    )
    event.listen(engine.sync_engine, "connect", _set_up_sqlite)
    event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: object) -> None:
    # The driver begins no transactions by itself: it would wait for the first write, and then fail where it must wait.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # A file becomes ours in a transaction that goes straight to it: its header is what it is known by.
    cursor.execute("PRAGMA application_id")
    if cursor.fetchone() == (APPLICATION_ID,):
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _migrate(connection: Connection, shown: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    found = set(inspect(connection).get_table_names())
    if connection.dialect.name == "sqlite":
        _check_sqlite(connection, shown)
    if found and VERSION_TABLE not in found:
        raise StoreError(f"the database {shown} is not one of Euchre's; give --database an empty one")
    versions = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_heads()
    unknown = set(versions) - known
    if unknown:
        raise StoreError(
            f"the database {shown} was written by a newer version of Euchre (schema {max(unknown)}, this one reads up"
            f" to {max(known)}); update Euchre or give --database another"
        )
    command.upgrade(config, "head")
    missing = METADATA.tables.keys() - set(inspect(connection).get_table_names())
    if missing:
        raise StoreError(f"the database {shown} is damaged (it lacks {', '.join(sorted(missing))}); restore a copy")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")


def _check_sqlite(connection: Connection, shown: str) -> None:
    pages, page_bytes = (
        connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("page_count", "page_size")
    )
    if pages * page_bytes <= CHECKED_BYTES:
        found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one()
        if found != "ok":
            raise StoreError(f"the database {shown} is damaged ({' '.join(found.split())}); restore a copy")
