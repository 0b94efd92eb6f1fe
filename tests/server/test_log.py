"""The contract of the log, for every back end; and what the durable ones promise beside it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
import threading
from asyncio.subprocess import PIPE, create_subprocess_exec
from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path

import pytest

from server.database import Database, open_database
from server.log import RETIRED_KEPT_S, ConflictError, Log, LogTornError, LogUnavailableError
from server.log.memory import RETIRED_KEPT, MemoryLog
from server.log.sqlite import SqliteLog
from tests.server.appending import entry_of
from tests.server.backends import Clock, sqlite_log, two_nodes
from tests.support_server import PATIENCE_S


def sqlite_database(folder: Path) -> Database:
    return open_database(folder / "euchre.db", asyncio.get_running_loop())


@pytest.fixture(params=["memory", "sqlite", "redis", "cluster", "lossy"])
async def nodes(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Log, Log]]:
    """The log as two nodes have it. ``lossy`` is a Redis whose answers are lost now and then, with the connection."""
    async with two_nodes(request, tmp_path) as (one, other):
        yield one.log, other.log


@pytest.fixture
def log(nodes: tuple[Log, Log]) -> Log:
    return nodes[0]


async def entries(log: Log, table: str, *, after: int = 0) -> list[tuple[int, bytes]]:
    return [(stored.seq, stored.entry) for stored in await log.read(table, after=after)]


# ── the contract ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_entry_appended_is_an_entry_read(log: Log) -> None:
    """Bytes come back as they went in, with the number they were given and the stamp that was returned."""
    stamps = [await log.append("t", seq, bytes([0, 255, seq])) for seq in (1, 2, 3)]
    stored = await log.read("t", after=0)
    assert [(one.seq, one.entry, one.at_ms) for one in stored] == [
        (seq, bytes([0, 255, seq]), stamps[seq - 1]) for seq in (1, 2, 3)
    ]
    assert stamps == sorted(stamps)


@pytest.mark.parametrize("seq", [-1, 0, 1, 2, 4, 5, 1000])
async def test_only_the_next_number_is_taken(log: Log, seq: int) -> None:
    """A taken number conflicts; one that builds upon what is not there finds the log torn. Neither is written."""
    for number in (1, 2):
        await log.append("t", number, b"entry")
    with pytest.raises(ConflictError if seq < 3 else LogTornError):
        await log.append("t", seq, b"rival")
    assert await entries(log, "t") == [(1, b"entry"), (2, b"entry")]
    await log.append("t", 3, b"next")


@pytest.mark.parametrize("seq", [-1, 0, 2, 7])
async def test_a_log_begins_at_one(log: Log, seq: int) -> None:
    with pytest.raises(ConflictError if seq < 1 else LogTornError):
        await log.append("t", seq, b"entry")
    assert await log.read("t", after=0) == []
    assert await log.tables() == []
    await log.append("t", 1, b"entry")


async def test_of_rivals_exactly_one_wins(log: Log) -> None:
    """However many append the same number at once, one is told so and the others that they conflict (C4)."""
    for seq in range(1, 21):
        rivals = [b"%d of %d" % (rival, seq) for rival in range(10)]
        outcomes = await asyncio.gather(*(log.append("t", seq, rival) for rival in rivals), return_exceptions=True)
        winners = [rival for rival, outcome in zip(rivals, outcomes, strict=True) if isinstance(outcome, int)]
        assert len(winners) == 1
        assert sum(isinstance(outcome, ConflictError) for outcome in outcomes) == 9
        assert await entries(log, "t", after=seq - 1) == [(seq, winners[0])]


async def test_of_rival_nodes_exactly_one_wins(nodes: tuple[Log, Log]) -> None:
    """The same entry from two nodes is two appends: who was second is told so, whatever answers were lost."""
    for seq in range(1, 101):
        outcomes = await asyncio.gather(*(log.append("t", seq, b"the same") for log in nodes), return_exceptions=True)
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "int"]
    assert [seq for seq, _ in await entries(nodes[0], "t")] == list(range(1, 101))


async def test_what_one_node_appended_another_reads(nodes: tuple[Log, Log]) -> None:
    """Entries, their stamps and their order are the same for all; the clock is never behind a stamp that was read."""
    one, other = nodes
    for seq in range(1, 21):
        at_ms = await nodes[seq % 2].append("t", seq, b"%d" % seq)
        assert nodes[seq % 2].now_ms() >= at_ms
    stored = await one.read("t", after=0)
    assert stored == await other.read("t", after=0)
    assert [one.at_ms for one in stored] == sorted(one.at_ms for one in stored)
    with pytest.raises(ConflictError):
        await one.append("t", 20, b"late")


async def test_whoever_watches_is_woken_by_another_node(nodes: tuple[Log, Log]) -> None:
    one, other = nodes
    await one.append("t", 1, b"entry")
    heard: asyncio.Queue[int] = asyncio.Queue()
    end = other.watch("t", heard.put_nowait)
    known = 0
    async with asyncio.timeout(PATIENCE_S):
        for seq in range(2, 12):
            await one.append("t", seq, b"entry")
            while known < seq:
                await heard.get()
                known = max([known, *(stored.seq for stored in await other.read("t", after=0))])
    end()
    end()
    while not heard.empty():
        heard.get_nowait()
    await one.append("t", 12, b"entry")
    await other.read("t", after=0)
    await asyncio.sleep(0)
    assert heard.empty()


async def test_many_watch_one_table(nodes: tuple[Log, Log]) -> None:
    """Each is woken until he ends it, whatever the others do."""
    one, other = nodes
    await one.append("t", 1, b"entry")
    first, second = asyncio.Event(), asyncio.Event()
    end = other.watch("t", lambda _: first.set())
    other.watch("t", lambda _: second.set())
    end()
    await one.append("t", 2, b"entry")
    async with asyncio.timeout(PATIENCE_S):
        await second.wait()
    assert not first.is_set()


@pytest.mark.parametrize("size", [0, 1, 100_000, 1_000_000])
async def test_entries_are_of_any_size(nodes: tuple[Log, Log], size: int) -> None:
    one, other = nodes
    entry = (b"\x00\r\n\xff*$" * (size // 6 + 1))[:size]
    for seq in (1, 2, 3):
        await one.append("t", seq, entry)
    assert await entries(other, "t") == [(1, entry), (2, entry), (3, entry)]


async def test_a_long_log_is_read_whole(nodes: tuple[Log, Log]) -> None:
    one, other = nodes
    for seq in range(1, 1203):
        await one.append("t", seq, b"%d" % seq)
    assert await entries(other, "t", after=100) == [(seq, b"%d" % seq) for seq in range(101, 1203)]
    assert len(await other.read("t", after=0)) == 1202


async def test_the_clock_goes_on_and_never_back(log: Log) -> None:
    shown, stamps = [log.now_ms()], []
    for seq in range(1, 51):
        stamps.append(await log.append("t", seq, b"entry"))
        shown.append(log.now_ms())
        assert shown[-1] >= stamps[-1]
    assert stamps == sorted(stamps)
    assert shown == sorted(shown)
    assert log.is_available


async def test_reading_starts_after_a_number(log: Log) -> None:
    for seq in range(1, 6):
        await log.append("t", seq, b"%d" % seq)
    assert [seq for seq, _ in await entries(log, "t", after=0)] == [1, 2, 3, 4, 5]
    assert [seq for seq, _ in await entries(log, "t", after=3)] == [4, 5]
    assert await entries(log, "t", after=5) == []
    assert await entries(log, "t", after=99) == []
    assert await entries(log, "nobody's", after=0) == []


async def test_what_was_read_stays_as_it_was(log: Log) -> None:
    """A reader's entries do not grow under his hands."""
    await log.append("t", 1, b"1")
    before = await log.read("t", after=0)
    await log.append("t", 2, b"2")
    assert len(before) == 1


async def test_logs_do_not_know_each_other(log: Log) -> None:
    for table in ("a", "b", "A", "ä", "a b\n", "🂡{x}", "x" * 500):
        await log.append(table, 1, table.encode())
    await log.append("a", 2, b"more")
    assert await entries(log, "a") == [(1, b"a"), (2, b"more")]
    assert await entries(log, "b") == [(1, b"b")]
    assert await entries(log, "A") == [(1, b"A")]
    for table in ("ä", "a b\n", "🂡{x}", "x" * 500):
        assert await entries(log, table) == [(1, table.encode())]


async def test_open_tables_are_listed_in_the_order_they_were_made(log: Log) -> None:
    for table in ("c", "a", "b"):
        await log.append(table, 1, b"entry")
    await log.append("a", 2, b"entry")
    assert await log.tables() == ["c", "a", "b"]


async def test_a_retired_log_is_kept_but_not_listed(log: Log) -> None:
    for table in ("a", "b"):
        await log.append(table, 1, b"entry")
    await log.retire("a")
    assert await log.tables() == ["b"]
    assert await entries(log, "a") == [(1, b"entry")]
    with pytest.raises(ConflictError):
        await log.append("a", 1, b"again")
    await log.retire("a")
    await log.retire("nobody's")
    assert await log.tables() == ["b"]


async def test_a_deleted_log_may_begin_anew(log: Log) -> None:
    for seq in (1, 2):
        await log.append("a", seq, b"old")
    await log.append("b", 1, b"entry")
    await log.delete("a")
    await log.delete("nobody's")
    assert await entries(log, "a") == []
    assert await log.tables() == ["b"]
    with pytest.raises(LogTornError):
        await log.append("a", 3, b"old")
    await log.append("a", 1, b"new")
    assert await entries(log, "a") == [(1, b"new")]
    assert await log.tables() == ["b", "a"]


async def test_a_conflict_is_nobody_elses(log: Log) -> None:
    """Appends that conflict fail alone, whatever is written in the same moment."""
    await log.append("odd", 1, b"entry")
    wishes = [(f"t{number}", 1) for number in range(20)] + [("odd", 1)] * 5 + [("new", 0)] * 5
    outcomes = await asyncio.gather(
        *(log.append(table, seq, b"entry") for table, seq in wishes), return_exceptions=True
    )
    for (table, _), outcome in zip(wishes, outcomes, strict=True):
        assert isinstance(outcome, int if table.startswith("t") else ConflictError)
    assert len(await log.tables()) == 21


@pytest.mark.parametrize("nodes", ["sqlite", "redis", "cluster"], indirect=True)
async def test_after_closing_nobody_waits_for_ever(nodes: tuple[Log, Log]) -> None:
    log, _ = nodes
    await log.append("t", 1, b"entry")
    await log.close()
    for ask in (log.append("t", 2, b"entry"), log.read("t", after=0), log.tables(), log.retire("t")):
        with pytest.raises(LogUnavailableError, match="closed"):
            await asyncio.wait_for(ask, PATIENCE_S)
    await log.close()


async def test_the_log_in_memory_forgets_closed_tables_in_the_end() -> None:
    log = MemoryLog(Clock())
    tables = [f"t{number}" for number in range(RETIRED_KEPT + 1)]
    for table in ("open", *tables):
        await log.append(table, 1, b"entry")
    for table in tables:
        await log.retire(table)
    assert [await entries(log, table) for table in ("t0", "t1", "open")] == [[], [(1, b"entry")], [(1, b"entry")]]


# ── the durable log ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_closed_file_opens_as_it_was(tmp_path: Path) -> None:
    log = sqlite_log(tmp_path)
    for table in ("a", "b", "c"):
        for seq in (1, 2):
            await log.append(table, seq, f"{table}{seq}".encode())
    await log.retire("b")
    await log.delete("c")
    await log.close()
    log = sqlite_log(tmp_path)
    assert await log.tables() == ["a"]
    assert await entries(log, "a") == [(1, b"a1"), (2, b"a2")]
    assert await entries(log, "b") == [(1, b"b1"), (2, b"b2")]
    assert await entries(log, "c") == []
    with pytest.raises(ConflictError):
        await log.append("a", 2, b"again")
    await log.append("a", 3, b"a3")
    await log.close()


async def test_a_file_forgets_what_was_closed_a_week_ago(tmp_path: Path) -> None:
    """When another table is closed, as Redis does by itself. An open table stays, however old."""
    log = sqlite_log(tmp_path)
    for table in ("open", "a", "b"):
        await log.append(table, 1, b"entry")
    await log.retire("a")
    await log.close()
    log = sqlite_log(tmp_path, start_ms=1000 + 1000 * RETIRED_KEPT_S)
    await log.append("b", 2, b"entry")
    for table in ("b", "c"):
        await log.retire(table)
    assert [len(await entries(log, table)) for table in ("open", "a", "b")] == [1, 0, 2]
    assert await log.tables() == ["open"]
    await log.close()


async def test_time_goes_on_from_the_last_stamp_where_the_clock_was_set_back(tmp_path: Path) -> None:
    """Else it would stand still, and with it every turn clock, until the clock has caught up."""
    log = sqlite_log(tmp_path, start_ms=1_000_000)
    before = await log.append("t", 1, b"first")
    await log.close()
    log = sqlite_log(tmp_path, start_ms=1000)
    await log.read("t", after=0)
    shown = [log.now_ms() for _ in range(20)]
    assert before < shown[0]
    assert [later - earlier for earlier, later in pairwise(shown)] == [1] * 19
    assert await log.append("t", 2, b"second") > shown[-1]
    await log.close()


async def test_it_closes_while_the_disk_takes_nothing(tmp_path: Path) -> None:
    database = sqlite_database(tmp_path)
    log = SqliteLog(database, Clock())
    await database.submit(lambda connection: connection.execute("PRAGMA query_only = on").close())
    with pytest.raises(LogUnavailableError):
        await log.append("t", 1, b"entry")
    assert not log.is_available
    async with asyncio.timeout(PATIENCE_S):
        await log.close()
    with pytest.raises(LogUnavailableError):
        await log.append("t", 1, b"entry")
    log = sqlite_log(tmp_path)
    assert await log.tables() == []
    await log.close()


async def test_closing_writes_what_is_on_its_way(tmp_path: Path) -> None:
    log = sqlite_log(tmp_path)
    appends = [asyncio.ensure_future(log.append(f"t{number}", 1, b"entry")) for number in range(50)]
    await asyncio.sleep(0)  # all are handed in
    await log.close()
    await asyncio.gather(*appends)
    log = sqlite_log(tmp_path)
    assert len(await log.tables()) == 50
    await log.close()


async def test_what_waits_shares_a_commit(tmp_path: Path) -> None:
    """Appends that wait while the disk is busy become one transaction, and those in it that conflict fail alone."""
    database = sqlite_database(tmp_path)
    log = SqliteLog(database, Clock())
    commits: list[str] = []
    busy, gate = threading.Event(), threading.Event()

    def hold(connection: sqlite3.Connection) -> None:
        connection.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
        busy.set()
        gate.wait(PATIENCE_S)

    held = database.submit(hold)
    await asyncio.to_thread(busy.wait, PATIENCE_S)
    appends = [asyncio.ensure_future(log.append(f"t{number}", 1, b"entry")) for number in range(30)]
    late = asyncio.ensure_future(log.append("t5", 1, b"rival"))
    await asyncio.sleep(0)
    gate.set()
    await held
    await asyncio.gather(*appends)
    with pytest.raises(ConflictError):
        await late
    assert len(commits) == 2  # the one that held, and one for all the others
    await log.close()


async def test_work_that_goes_wrong_is_told_to_the_one_who_asked(tmp_path: Path) -> None:
    database = sqlite_database(tmp_path)
    log = SqliteLog(database, Clock())

    def wrong(_: sqlite3.Connection) -> None:
        raise LookupError("nothing there")

    outcomes = await asyncio.gather(
        log.append("a", 1, b"entry"), database.submit(wrong), log.append("b", 1, b"entry"), return_exceptions=True
    )
    assert isinstance(outcomes[1], LookupError)
    assert await log.tables() == ["a", "b"]
    await log.close()


async def test_a_group_the_disk_does_not_take_is_lost_whole_and_said_so(tmp_path: Path) -> None:
    """When SQLite fails nothing of the group is in the log; when it works again appends go on from there."""
    database = sqlite_database(tmp_path)
    log = SqliteLog(database, Clock())
    await log.append("t", 1, b"entry")
    pages = await database.submit(lambda connection: connection.execute("PRAGMA page_count").fetchone()[0])
    await database.submit(lambda connection: connection.execute(f"PRAGMA max_page_count = {pages + 3}").fetchone())
    acknowledged = 1
    with contextlib.suppress(LogUnavailableError):
        while True:
            await log.append("t", acknowledged + 1, bytes(2000))
            acknowledged += 1
    assert acknowledged > 1
    outcomes = await asyncio.gather(
        *(log.append(table, seq, bytes(3000)) for table in ("a", "b", "c") for seq in (1, 2, 3, 4)),
        return_exceptions=True,
    )
    refused = [outcome for outcome in outcomes if isinstance(outcome, LogUnavailableError)]
    assert refused
    assert not log.is_available
    assert len(await log.read("t", after=0)) == acknowledged
    await database.submit(lambda connection: connection.execute("PRAGMA max_page_count = 100000").fetchone())
    await log.append("t", acknowledged + 1, b"after")
    for table in ("a", "b", "c"):
        written = len(await log.read(table, after=0))
        await log.append(table, written + 1, b"after")
    await back(log)
    await log.close()
    log = sqlite_log(tmp_path)
    assert [seq for seq, _ in await entries(log, "t")] == list(range(1, acknowledged + 2))
    await log.close()


async def back(log: Log) -> None:
    """Wait until the log takes itself to be available."""
    async with asyncio.timeout(PATIENCE_S):
        while not log.is_available:  # noqa: ASYNC110  # nothing announces it
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("stderr", ["/dev/null", "/dev/full"])
async def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path, stderr: str) -> None:
    """A real one: the system takes no more bytes for the file, or for log lines either, and later takes them again."""
    path = tmp_path / "euchre.db"
    log_lines = os.open(stderr, os.O_WRONLY)
    program = await create_subprocess_exec(
        sys.executable, "-m", "tests.server.appending", "on-a-full-disk", str(path), stdout=PIPE, stderr=log_lines
    )
    os.close(log_lines)
    said, _ = await asyncio.wait_for(program.communicate(), PATIENCE_S)
    assert program.returncode == 0
    lines = [line.split() for line in said.decode().splitlines()]
    acknowledged = [int(words[1]) for words in lines if words[0] == "acknowledged"]
    refused = [int(words[1]) for words in lines if words[0] == "refused"]
    assert len(refused) == 4
    assert refused == [refused[0]] * 4
    assert acknowledged == list(range(1, refused[0] + 5))
    log = sqlite_log(tmp_path)
    assert await entries(log, "t") == [(seq, entry_of("t", seq)) for seq in acknowledged]
    await log.close()


@pytest.mark.parametrize("lines", [40, 400])
async def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path: Path, lines: int) -> None:
    """C1, C2: whatever was acknowledged before a process was killed is there, and without gaps."""
    path = tmp_path / "euchre.db"
    program = await create_subprocess_exec(
        sys.executable, "-m", "tests.server.appending", "for-ever", str(path), stdout=PIPE
    )
    assert program.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        said = [await program.stdout.readline() for _ in range(lines)]
        program.send_signal(signal.SIGKILL)
        rest, _ = await program.communicate()
    acknowledged: dict[str, int] = {}
    for line in [*said, *rest.splitlines()]:
        table, seq = line.decode().split()
        acknowledged[table] = max(acknowledged.get(table, 0), int(seq))
    log = sqlite_log(tmp_path)
    assert acknowledged.keys() <= set(await log.tables())
    for table, last in acknowledged.items():
        stored = await entries(log, table)
        assert len(stored) >= last
        assert stored == [(seq, entry_of(table, seq)) for seq in range(1, len(stored) + 1)]
        await log.append(table, len(stored) + 1, b"and on it goes")
    await log.close()
