"""The database file: what can serve as one, and what is refused in one line and left as it is."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from server.database import SCHEMA_VERSION, DatabaseError, open_database
from server.log.sqlite import SqliteLog


def now_ms() -> int:
    return 1_700_000_000_000


async def a_database(folder: Path) -> Path:
    """Make a database with some pages of entries in it; return its path."""
    path = folder / "euchre.db"
    database = open_database(path, asyncio.get_running_loop())
    log = SqliteLog(database, now_ms)
    for seq in range(1, 101):
        await log.append("t", seq, b"entry" * 50)
    await log.close()
    return path


async def refused(path: Path) -> str:
    """Open a file that cannot serve; return why. Not a byte beside or in it may change."""
    before = contents(path.parent)
    with pytest.raises(DatabaseError) as raised:
        open_database(path, asyncio.get_running_loop())
    assert contents(path.parent) == before
    line = str(raised.value)
    assert "\n" not in line
    assert str(path) in line
    return line


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes; what shares memory among SQLite's processes is none."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.suffix != ".db-shm"}


def sqlite_file(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def spoil(at: int, length: int) -> Callable[[bytes], bytes]:
    return lambda content: content[:at] + b"\xa5" * length + content[at + length :]


async def test_a_missing_or_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    for name in ("missing.db", "empty.db"):
        log = SqliteLog(open_database(tmp_path / name, asyncio.get_running_loop()), now_ms)
        await log.append("t", 1, b"entry")
        await log.close()


async def test_a_file_says_whose_it_is_as_it_always_did(tmp_path: Path) -> None:
    """Otherwise no server would open the files of the versions before."""
    header = (await a_database(tmp_path)).read_bytes()[:100]
    assert (header[:16], header[68:72]) == (b"SQLite format 3\x00", b"EUCH")
    assert int.from_bytes(header[60:64], "big") == SCHEMA_VERSION


@pytest.mark.parametrize(
    "spoiled",
    [
        lambda _: b"not a database at all, but somebody's letter\n" * 100,
        lambda _: b"x",
        lambda _: b"a short note that is nobody's database",
        lambda content: content[:50],
        lambda content: content[: len(content) // 2],
        lambda content: content[:4096],
        spoil(4096, 4096),
        spoil(100, 300),
        spoil(0, 16),
        lambda content: content[:-4096] + bytes(4096),
        lambda content: b"\x00" * len(content),
    ],
    ids=[
        "a letter", "one byte", "a note", "half a header", "half", "one page", "a page", "the schema", "the magic",
        "the last page", "zeros",
    ],
)  # fmt: skip
async def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, spoiled: Callable[[bytes], bytes]) -> None:
    path = await a_database(tmp_path)
    path.write_bytes(spoiled(path.read_bytes()))
    await refused(path)


async def test_a_folder_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "euchre.db").mkdir()
    with pytest.raises(DatabaseError):
        open_database(tmp_path / "euchre.db", asyncio.get_running_loop())


async def test_somebody_elses_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "euchre.db"
    sqlite_file(path, "CREATE TABLE recipes (name TEXT)", "INSERT INTO recipes VALUES ('soup')")
    assert "not a Euchre database" in await refused(path)


async def test_somebody_elses_database_in_use_is_left_as_it_is(tmp_path: Path) -> None:
    """Its journal, which its owner has not yet written back, is not touched either."""
    other = sqlite3.connect(tmp_path / "theirs.db", isolation_level=None)
    for statement in (
        "PRAGMA journal_mode = WAL",
        "PRAGMA wal_autocheckpoint = 0",
        "CREATE TABLE recipes (name TEXT)",
        "INSERT INTO recipes VALUES ('soup')",
    ):
        other.execute(statement)
    folder = tmp_path / "data"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"theirs.db{suffix}", folder / f"euchre.db{suffix}")
    assert "not a Euchre database" in await refused(folder / "euchre.db")
    other.close()


async def test_a_newer_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = await a_database(tmp_path)
    sqlite_file(path, f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    line = await refused(path)
    assert "newer" in line
    assert str(SCHEMA_VERSION + 1) in line


@pytest.mark.parametrize("table", ["entries", "tables"])
async def test_a_database_that_lacks_what_is_ours_is_refused(tmp_path: Path, table: str) -> None:
    path = await a_database(tmp_path)
    sqlite_file(path, f"DROP TABLE {table}")
    assert table in await refused(path)


async def test_a_database_in_use_is_refused_and_its_user_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "euchre.db"
    log = SqliteLog(open_database(path, asyncio.get_running_loop()), now_ms)
    await log.append("t", 1, b"entry")
    with pytest.raises(DatabaseError, match="in use"):
        open_database(path, asyncio.get_running_loop())
    await log.append("t", 2, b"entry")
    await log.close()


async def test_a_file_that_was_being_made_when_the_server_was_killed_is_made_anew(tmp_path: Path) -> None:
    """A first transaction that was not finished is undone, whatever of it had reached the file."""
    path = await a_database(tmp_path)
    whole = path.read_bytes()
    half = tmp_path / "half.db"
    connection = sqlite3.connect(half, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE entries (entry BLOB)")
    for _ in range(100):
        connection.execute("INSERT INTO entries VALUES (zeroblob(4000))")
    folder = tmp_path / "data"
    folder.mkdir()
    for suffix in ("", "-journal"):
        shutil.copy(tmp_path / f"half.db{suffix}", folder / f"euchre.db{suffix}")
    connection.close()
    log = SqliteLog(open_database(folder / "euchre.db", asyncio.get_running_loop()), now_ms)
    assert await log.tables() == []
    await log.append("t", 1, b"entry")
    await log.close()
    assert path.read_bytes() == whole
