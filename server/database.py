"""The embedded database: one SQLite file, one thread that alone touches it, commits by group.

Work for the database is a function of the connection. Whatever waits when the thread comes round shares one
transaction; nobody hears of his work before it is committed to disk. Work that refuses (a conflict) raises before it
writes, and the others in its group go on. If SQLite itself fails, the whole group is rolled back and told so.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import structlog

from server.log import LogUnavailableError

T = TypeVar("T")
Work: TypeAlias = Callable[[sqlite3.Connection], T]

SCHEMA_VERSION: Final = 2
_WITH_PLAYERS: Final = 1
"""The version that had the players, too; they moved to the store (server/store)."""
APPLICATION_ID: Final = 0x45554348  # "EUCH", in the file's header
_HEADER_BYTES: Final = 100
_TABLES: Final = frozenset({"entries", "tables"})
_GROUP_LIMIT: Final = 512
CHECKED_BYTES: Final = 256 * 1024 * 1024
"""Files up to this size are checked whole when opened; larger ones would keep players waiting."""

# Entries go by rowid, appended at the end of the file's tree, beside a plain unique index: a table WITHOUT ROWID in
# (table, seq) order was measured nine times slower.
_SCHEMA: Final = (
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, table_id TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL,
        entry BLOB NOT NULL
    )""",
    "CREATE UNIQUE INDEX entries_by_table ON entries (table_id, seq)",
    "CREATE TABLE tables (id INTEGER PRIMARY KEY, table_id TEXT NOT NULL UNIQUE, open INTEGER NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)

_log = structlog.get_logger("server.database")


class DatabaseError(Exception):
    """The file cannot serve as the database; the message is one line that says why. Nothing in it was changed."""


class Database:
    """An open database file. Made by `open_database`."""

    def __init__(self, connection: sqlite3.Connection, loop: asyncio.AbstractEventLoop) -> None:
        self._connection = connection
        self._loop = loop
        self._waiting: queue.SimpleQueue[tuple[Work[Any], asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self.before_commit: list[Callable[[sqlite3.Connection], None]] = []
        """Called in the thread before a group's commit, to write in one go what its works gathered."""
        self.rolled_back: list[Callable[[], None]] = []
        """Called in the thread after a rollback, to drop what was remembered of work that did not happen."""
        self._is_closing = False
        self._thread = threading.Thread(target=self._serve, name="database", daemon=True)
        self._thread.start()

    def submit(self, work: Work[T]) -> asyncio.Future[T]:
        """Return a future of *work*'s result, set once it is on disk.

        The future raises what *work* raised, or LogUnavailableError when the disk would not take it or the file is
        closed.
        """
        future: asyncio.Future[T] = self._loop.create_future()
        if self._is_closing:
            future.set_exception(LogUnavailableError("the database is closed"))
        else:
            self._waiting.put((work, future))
        return future

    async def write_nothing_new(self) -> None:
        """Write something to the disk that changes nothing. Raises LogUnavailableError where it cannot be written."""

        def work(connection: sqlite3.Connection) -> None:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            connection.execute(f"PRAGMA user_version = {version}")

        await self.submit(work)

    async def move_players(self, move: Callable[[list[dict[str, Any]]], Awaitable[None]]) -> None:
        """Give the players that an earlier version kept in this file to *move*, and forget them once it is done."""

        def read(connection: sqlite3.Connection) -> list[dict[str, Any]]:
            if connection.execute("PRAGMA user_version").fetchone()[0] != _WITH_PLAYERS:
                return []
            names = ("id", "token_hash", "name", "kind", "made_ms")
            rows = connection.execute(f"SELECT {', '.join(names)} FROM players")  # noqa: S608  # names of columns
            return [dict(zip(names, row, strict=True)) for row in rows]

        def forget(connection: sqlite3.Connection) -> None:
            connection.execute("DROP TABLE IF EXISTS players")
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")

        await move(await self.submit(read))
        await self.submit(forget)

    async def close(self) -> None:
        """Finish what was submitted and close the file."""
        if not self._is_closing:
            self._is_closing = True
            self._waiting.put(None)
        await asyncio.to_thread(self._thread.join)

    def _serve(self) -> None:
        going_on = True
        while going_on:
            group = [self._waiting.get()]
            with contextlib.suppress(queue.Empty):
                while len(group) < _GROUP_LIMIT:
                    group.append(self._waiting.get_nowait())
            going_on = None not in group
            self._commit([item for item in group if item is not None])
        self._connection.close()

    def _commit(self, group: list[tuple[Work[Any], asyncio.Future[Any]]]) -> None:
        outcomes: list[tuple[asyncio.Future[Any], Any, Exception | None]] = []
        failure: Exception | None = None
        connection = self._connection
        try:
            connection.execute("BEGIN")
            for work, future in group:
                try:
                    outcomes.append((future, work(connection), None))
                except sqlite3.Error:
                    raise
                except Exception as error:  # noqa: BLE001  # the one who asked hears it; the group goes on
                    outcomes.append((future, None, error))
            for write in self.before_commit:
                write(connection)
            connection.execute("COMMIT")
        except Exception as error:  # noqa: BLE001  # whatever it is, the thread goes on: others would wait for ever
            failure = error
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            for forget in self.rolled_back:
                forget()
            lost = LogUnavailableError(str(error))
            outcomes = [(future, None, lost) for _, future in group]
        with contextlib.suppress(RuntimeError):  # the loop ended while this was written: nobody waits any more
            self._loop.call_soon_threadsafe(_tell, outcomes)
        if failure is not None:
            _log.error("database_write_failed", error=str(failure), works=len(group))


def _tell(outcomes: list[tuple[asyncio.Future[Any], Any, Exception | None]]) -> None:
    for future, result, error in outcomes:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)


def open_database(path: Path, loop: asyncio.AbstractEventLoop) -> Database:
    """Open the database file *path*, made if it is missing, for this process alone.

    Raises DatabaseError when the file cannot be used: unreadable, in use, damaged, not ours, or of a newer version.
    """
    check_header(path)
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=1.0)
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot open {path}: {error}") from None
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise DatabaseError(_explain(path, error)) from None
    except DatabaseError:
        connection.close()
        raise
    return Database(connection, loop)


def check_header(path: Path) -> None:
    """Refuse what is none of ours before SQLite opens it, for SQLite writes even so.

    It takes a file of a few bytes for an empty database, and puts another program's unfinished journal into its file.
    """
    if path.with_name(f"{path.name}-journal").exists():
        return  # we were killed while we made the file: SQLite undoes that first
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
    except FileNotFoundError:
        return
    except OSError as error:
        raise DatabaseError(f"cannot open {path}: {error.strerror}") from None
    is_database = len(header) == _HEADER_BYTES and header.startswith(b"SQLite format 3\x00")
    if header and not (is_database and header[68:72] == APPLICATION_ID.to_bytes(4, "big")):
        raise DatabaseError(f"{path} is not a Euchre database; nothing in it was changed")


def _explain(path: Path, error: sqlite3.Error) -> str:
    if "locked" in str(error):
        return f"{path} is in use by another server; stop that one or choose another --data"
    return f"cannot use {path}: {error}; nothing in it was changed"


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    # Exclusive: a second server on the same file is refused when it opens it, not when it first writes.
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        is_new = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if is_new and version == 0:
            for statement in _SCHEMA:
                connection.execute(statement)
        elif application != APPLICATION_ID:
            raise DatabaseError(f"{path} is not a Euchre database; nothing in it was changed")
        elif version > SCHEMA_VERSION:
            raise DatabaseError(
                f"{path} was written by a newer version of Euchre (schema {version}, this one reads up to"
                f" {SCHEMA_VERSION}); update Euchre or choose another --data"
            )
        if path.stat().st_size <= CHECKED_BYTES:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise DatabaseError(f"{path} is damaged ({' '.join(found.split())}); restore a copy or move it away")
        expected = _TABLES | {"players"} if version == _WITH_PLAYERS else _TABLES
        missing = expected - {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
        if missing:
            raise DatabaseError(f"{path} is damaged (it lacks {', '.join(sorted(missing))}); restore a copy")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
