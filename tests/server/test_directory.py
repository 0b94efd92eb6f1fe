"""The contract of the directory, for every back end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.outgoing import ListedTable
from server.directory import MOST_LISTED, Directory, Listing, MemoryDirectory
from tests.server.backends import two_nodes
from tests.support_server import PATIENCE_S


@pytest.fixture(params=["memory", "redis", "cluster", "lossy"])
async def directories(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Directory, Directory]]:
    async with two_nodes(request, tmp_path) as (one, other):
        yield one.directory, other.directory


def any_table(_: Listing) -> bool:
    return True


def listing(number: int, *players: str, seq: int = 1, is_public: bool = True) -> Listing:
    row: ListedTable = {
        "table": f"t_{number}", "name": "Ännchen's 🂡", "preset": "standard", "changed": ["stick_the_dealer"],
        "state": "waiting", "bots_stay": False, "watchers": number,
        "seats": [{"seat": 0, "kind": "human", "name": "Ann", "version": None, "owner": None}],
    }  # fmt: skip
    return Listing(
        f"t_{number}", f"CODE{number}", seq, 1000 + number, ("p_ann", number), frozenset(players), is_public, row
    )


async def test_what_one_node_puts_in_another_finds(directories: tuple[Directory, Directory]) -> None:
    table = listing(1, "p_ann", "p_ben")
    await directories[0].put(table)
    for directory in directories:
        assert await directory.find("t_1") == table
        assert await directory.find_code("CODE1") == table
        assert await directory.made_by("p_ann", 1) == table
        assert await directory.of_player("p_ann") == [table]
        assert await directory.of_player("p_ben") == [table]
        assert await directory.listed(any_table) == [table]


async def test_what_was_never_put_in_is_not_found(directories: tuple[Directory, Directory]) -> None:
    one, _ = directories
    assert await one.find("t_1") is None
    assert await one.find_code("CODE1") is None
    assert await one.made_by("p_ann", 1) is None
    assert await one.of_player("p_ann") == []
    assert await one.listed(any_table) == []


async def test_newer_replaces_older_and_older_nothing(directories: tuple[Directory, Directory]) -> None:
    """Nodes put in what they see, in any order; the one derived from the latest entry stays."""
    one, other = directories
    await one.put(listing(1, "p_ann", seq=5))
    await other.put(listing(1, "p_ann", "p_ben", seq=4))
    assert await one.find("t_1") == listing(1, "p_ann", seq=5)
    assert await one.of_player("p_ben") == []
    again = replace(listing(1, "p_ann", seq=5), is_public=False)
    await other.put(again)
    assert await one.find("t_1") == again
    await one.put(listing(1, "p_ben", seq=6))
    assert await other.of_player("p_ann") == []
    assert await other.of_player("p_ben") == [listing(1, "p_ben", seq=6)]


async def test_a_removed_table_stays_removed(directories: tuple[Directory, Directory]) -> None:
    one, other = directories
    await one.put(listing(1, "p_ann", seq=5))
    await one.put(listing(2, "p_ann"))
    await other.remove("t_1")
    await one.put(listing(1, "p_ann", seq=4))
    await one.put(listing(1, "p_ann", seq=6))
    assert await one.find("t_1") is None
    await other.remove("t_1")
    await other.remove("nobody's")
    assert await one.is_gone("t_1")
    assert not await one.is_gone("t_2")
    assert not await one.is_gone("t_77")
    assert await one.find("t_1") is None
    assert await one.find_code("CODE1") is None
    assert await one.made_by("p_ann", 1) is None
    assert await one.of_player("p_ann") == [listing(2, "p_ann")]
    assert await one.listed(any_table) == [listing(2, "p_ann")]


async def test_in_one_process_the_latest_removed_tables_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.directory._MOST_GONE", 10)
    one = MemoryDirectory()
    for number in range(12):
        await one.remove(f"t_{number}")
    assert [number for number in range(12) if await one.is_gone(f"t_{number}")] == list(range(2, 12))


async def test_public_tables_are_listed_the_newest_first(directories: tuple[Directory, Directory]) -> None:
    one, other = directories
    for number in (2, 3, 1, 4):
        await one.put(listing(number, is_public=number != 3))
    assert [row.table for row in await other.listed(any_table)] == ["t_4", "t_2", "t_1"]


async def test_a_list_is_bounded_and_not_cut_short_by_tables_that_are_gone(
    directories: tuple[Directory, Directory],
) -> None:
    one, other = directories
    count = MOST_LISTED + 30
    await asyncio.gather(*(one.put(listing(number)) for number in range(count)))
    await asyncio.gather(*(one.remove(f"t_{number}") for number in range(count - 10, count)))
    assert [row.table for row in await other.listed(any_table)] == [f"t_{count - 11 - n}" for n in range(MOST_LISTED)]


async def test_a_list_has_what_is_wanted_however_much_is_newer(directories: tuple[Directory, Directory]) -> None:
    """The bound is on what is wanted, so that many tables in play do not hide one that waits for players."""
    one, other = directories
    await one.put(listing(0))
    await asyncio.gather(*(one.put(listing(number)) for number in range(1, MOST_LISTED + 30)))
    assert await other.listed(lambda found: found.table == "t_0") == [listing(0)]


async def test_a_list_is_at_most_a_little_old(directories: tuple[Directory, Directory]) -> None:
    one, other = directories
    assert await other.listed(any_table) == []
    await one.put(listing(1))
    async with asyncio.timeout(PATIENCE_S):
        while not await other.listed(any_table):  # noqa: ASYNC110  # a copy may be a second old
            await asyncio.sleep(0.05)


async def test_a_code_is_one_tables(directories: tuple[Directory, Directory]) -> None:
    """Of those who claim it at once one has it, and keeps it when his table is put in."""
    one, other = directories
    claims = await asyncio.gather(
        *(directory.claim_code("CODE1", f"t_{number}") for number, directory in enumerate(directories * 5))
    )
    assert sum(claims) == 1
    winner = claims.index(True)
    assert await one.find_code("CODE1") is None
    assert await other.claim_code("CODE1", f"t_{winner}")
    await one.put(replace(listing(winner), code="CODE1"))
    assert not await other.claim_code("CODE1", "t_77")
    found = await other.find_code("CODE1")
    assert found is not None
    assert found.table == f"t_{winner}"
