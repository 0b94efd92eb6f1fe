"""The archive and who fills it: every finished game once, from any node, however long the database is away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection
from structlog.testing import capture_logs
from websockets.datastructures import Headers
from websockets.http11 import Request

from scripts.services import Postgres
from server.archive import PAGE_GAMES, Archive
from server.archivist import Archivist
from server.entries import Started, unpack_entry
from server.http import respond_game
from server.log import LogTornError, Stored
from server.log.memory import MemoryLog
from server.records import GameRecord, finished_games
from server.store import Store, StoreAwayError
from server.store.opening import IN_MEMORY, open_store, url_of_file
from server.store.schema import GAMES, SITTINGS
from tests.server.clockwork import after, clockwork, settled
from tests.server.clockwork import now_ms as clockwork_ms
from tests.server.house import Guest, open_house, seat_people
from tests.server.tables import PureTable
from tests.support_postgres import fresh_database
from tests.support_postgres import postgres as run_postgres
from tests.support_server import PATIENCE_S

postgres = pytest.fixture(scope="module")(run_postgres)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return url_of_file(tmp_path / "records.db")
    cluster: Postgres = request.getfixturevalue("postgres")
    return fresh_database(cluster)


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = await open_store(url)
    yield opened
    await opened.close()


def a_game(table: PureTable | None = None, *, game: str = "g1") -> PureTable:
    """Play a game to its end, a short one."""
    table = PureTable(people=2, target=3, visibility="public", spectator_hands="after_hand") if table is None else table
    table.did(table.start(game=game))
    table.later(60_000)
    table.play_until_over()
    return table


async def record_of(table: PureTable) -> GameRecord:
    return (await finished_games(table.stored))[-1]


async def test_a_record_tells_the_level_of_a_bot_of_the_house_and_the_version_and_owner_of_another() -> None:
    table = PureTable(people=1, target=3)
    table.did(replace(table.sit_down("Deep Barn", 1), is_bot=True, version="1.2", owner="Ben"))
    table.did(replace(table.sit_down("Nobody's", 2), is_bot=True))
    players = (await record_of(a_game(table))).players
    assert [player.get("bot") for player in players] == [
        None, {"version": "1.2", "owner": "Ben"}, {}, {"level": "standard"},
    ]  # fmt: skip
    assert [player["kind"] for player in players] == ["human", "bot", "bot", "bot"]


async def test_a_record_tells_how_long_each_decision_took() -> None:
    table = PureTable(target=3).started()
    for ms in (700, 0, 2500):
        table.later(ms)
        table.did(table.act("pass"))
    table.play_until_over()
    played = [json.loads(line) for line in (await record_of(table)).lines if '"do"' in line]
    assert [line["ms"] for line in played[:4]] == [700, 0, 2500, 0]


class TornLog(MemoryLog):
    """A log that lost the end of the table "torn"."""

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        if table == "torn":
            raise LogTornError
        return await super().read(table, after=after)


async def logged(*tables: PureTable) -> MemoryLog:
    """Return a log with tables t0, t1, …"""
    log = TornLog(lambda: tables[0].now_ms)
    for number, table in enumerate(tables):
        for stored in table.stored:
            await log.append(f"t{number}", stored.seq, stored.entry)
    return log


# ── the archive ──────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_game_comes_back_as_it_was_put(store: Store) -> None:
    archive = Archive(store)
    record = await record_of(a_game())
    await archive.put({"t": [record]})
    found = await archive.get("t", "g1")
    assert found is not None
    assert list(found.lines) == record.lines
    assert found.seats == {"ann": 0, "ben": 1}
    assert await archive.get("t", "g2") is None
    assert await archive.get("u", "g1") is None
    assert await archive.missing("t", ["g1", "g2", "g3"]) == ["g2", "g3"]
    assert await archive.missing("u", ["g1"]) == ["g1"]


async def test_two_nodes_that_archive_a_game_at_once_keep_it_once(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    record = await record_of(a_game())
    await asyncio.gather(*(Archive(stores[number % 2]).put({"t": [record]}) for number in range(10)))
    assert [game["game"] for game in await Archive(stores[0]).of_player("ann")] == ["g1"]
    for store in stores:
        await store.close()


async def test_of_games_that_are_put_together_those_that_are_here_are_passed_over(store: Store) -> None:
    """They are listed in the order they ended in."""
    archive = Archive(store)
    first, second, third = await finished_games(a_game(a_game(a_game(game="g3"), game="g1"), game="g2").stored)
    assert await archive.put({"t": [second]}) == [("t", "g1")]
    assert await archive.put({"u": [third, first], "t": [third, second]}) == [("t", "g2"), ("u", "g2"), ("u", "g3")]
    listed = [(game["table"], game["game"]) for game in await archive.of_player("ann")]
    assert listed == [("u", "g2"), ("t", "g2"), ("u", "g3"), ("t", "g1")]
    assert await archive.put({}) == []


async def test_games_of_one_seed_at_two_tables_are_two_games(store: Store) -> None:
    """Each has been played by its own people, who have nothing to do with the other."""
    archive = Archive(store)
    record = await record_of(a_game(game="seed-7-1"))
    other = await record_of(a_game(PureTable(people=1, target=3), game="seed-7-1"))
    await archive.put({"t": [record]})
    await archive.put({"u": [other]})
    assert [game["table"] for game in await archive.of_player("ann")] == ["u", "t"]
    assert [game["table"] for game in await archive.of_player("ben")] == ["t"]
    for table, seats in (("t", {"ann": 0, "ben": 1}), ("u", {"ann": 0})):
        found = await archive.get(table, "seed-7-1")
        assert found is not None
        assert found.seats == seats


async def test_a_player_reads_his_games_page_by_page_the_latest_first(store: Store) -> None:
    archive = Archive(store)
    record = await record_of(a_game())
    names = [f"g{number}" for number in range(PAGE_GAMES + 3)]
    for name in names:
        record.game = name
        await archive.put({"t": [record]})
    first = await archive.of_player("ben")
    rest = await archive.of_player("ben", before=first[-1]["n"])
    assert [game["game"] for game in [*first, *rest]] == names[::-1]
    assert len(first) == PAGE_GAMES
    assert await archive.of_player("ben", before=rest[-1]["n"]) == []
    assert await archive.of_player("cat") == []
    game = first[0]
    assert (game["seat"], game["preset"], game["score"], game["winner"]) == (
        1, "standard", list(record.score), record.winner,
    )  # fmt: skip
    assert [one["kind"] for one in game["players"]] == ["human", "human", "bot", "bot"]
    assert game["ended_ms"] - game["started_ms"] == 60_000


async def test_who_left_and_who_came_during_the_game_took_part_in_it() -> None:
    table = PureTable(people=2, target=3)
    table.did(table.start())
    table.did(table.deal())
    table.did(table.stand_up("Ben"))
    table.did(table.sit_down("Eve", 3))
    table.play_until_over()
    table.did(table.sit_down("Dan"))
    assert (await record_of(table)).seats == {"ann": 0, "ben": 1, "eve": 3}


@pytest.mark.parametrize(
    ("options", "everybody", "those_who_sat"),
    [
        ({"visibility": "public", "spectator_hands": "after_hand"}, True, True),
        ({"visibility": "private", "spectator_hands": "after_hand"}, False, True),
        ({"visibility": "public"}, False, True),
        ({"visibility": "public", "spectator_hands": "after_hand", "reveal": "own_only"}, False, False),
    ],
    ids=["public", "private", "hidden from watchers", "hidden from all"],
)
async def test_who_may_read_a_record(
    store: Store,
    options: dict[str, str],
    everybody: bool,  # noqa: FBT001
    those_who_sat: bool,  # noqa: FBT001
) -> None:
    archive = Archive(store)
    table = PureTable(people=1, target=3, **options)  # type: ignore[arg-type]
    await archive.put({"t": [await record_of(a_game(table))]})
    assert (await archive.find_public("g1") is not None) is everybody
    found = await archive.get("t", "g1")
    assert found is not None
    assert found.may_be_read_by("ann") is those_who_sat


# ── the archivist ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_all_finished_games_of_a_table_are_archived_and_no_other(store: Store) -> None:
    table = a_game(a_game(game="g1"), game="g2")
    table.did(table.start(game="g3"))
    table.did(table.deal())
    archivist = Archivist(await logged(table), Archive(store))
    for _ in range(2):
        await archivist.archived("t0")
        await archivist.archived("nobody's")
        assert [game["game"] for game in await Archive(store).of_player("ann")] == ["g2", "g1"]
    await archivist.stop()


async def test_a_log_that_cannot_be_followed_keeps_no_other_waiting() -> None:
    log = await logged(a_game(), a_game())
    await log.append("bad", 1, b"\xc1")
    store = await open_store(IN_MEMORY)
    archivist = Archivist(log, Archive(store))
    for name in ("bad", "t0", "torn", "t1"):
        archivist.note(name)
    for name in ("torn", "t1"):
        await archivist.archived(name)
    assert len(await Archive(store).of_player("ann")) == 2
    await archivist.stop()
    await store.close()


async def test_games_that_ended_while_the_database_was_away_are_archived_when_it_is_back(postgres: Postgres) -> None:
    url = fresh_database(postgres)
    store = await open_store(url)
    log = await logged(a_game(), a_game())
    archivist = Archivist(log, Archive(store))
    postgres.kill()
    for name in ("t0", "t1"):
        archivist.note(name)
    with pytest.raises(StoreAwayError):
        await Archive(store).of_player("ann")
    postgres.start()
    async with asyncio.timeout(PATIENCE_S):
        for name in ("t0", "t1"):
            await archivist.archived(name)
    assert len(await Archive(store).of_player("ann")) == 2
    await archivist.stop()
    await store.close()


async def test_the_next_game_of_a_table_that_ends_while_the_first_waits_is_archived_too() -> None:
    table = a_game(a_game(game="g1"), game="g2")
    first, second = await finished_games(table.stored)
    store = await open_store(IN_MEMORY)
    archivist = Archivist(await logged(table), Archive(store))
    archivist.note("t0", first)
    archivist.note("t0", second)
    await archivist.archived("nobody's")
    assert [game["game"] for game in await Archive(store).of_player("ann")] == ["g2", "g1"]
    await archivist.stop()
    await store.close()


async def test_a_game_the_database_does_not_take_keeps_no_other_waiting(store: Store) -> None:
    log = await logged(a_game(), a_game(), a_game())
    archivist = Archivist(log, Archive(store))
    records = [await record_of(a_game()) for _ in range(3)]
    records[1].preset = None  # type: ignore[assignment]
    with capture_logs() as told:
        for number, record in enumerate(records):
            archivist.note(f"t{number}", record)
        await archivist.archived("nobody's")
    assert [game["table"] for game in await Archive(store).of_player("ann")] == ["t2", "t0"]
    assert [(line["event"], line["table"]) for line in told] == [
        ("archived", "t0"), ("not_archived", "t1"), ("archived", "t2"),
    ]  # fmt: skip
    await archivist.stop()


@pytest.mark.parametrize("is_archived", [True, False])
async def test_a_table_whose_games_are_all_archived_is_not_followed_again(*, is_archived: bool) -> None:
    """Its log could not be: all but the game's beginning is gone from it."""
    table = a_game()
    begun = next(stored for stored in table.stored if isinstance(unpack_entry(stored.entry), Started))
    log = MemoryLog(lambda: table.now_ms)
    await log.append("t0", 1, begun.entry)
    store = await open_store(IN_MEMORY)
    archivist = Archivist(log, Archive(store))
    with capture_logs() as told:
        if is_archived:
            archivist.note("t0", await record_of(table))
        await archivist.archived("t0")
    assert [line["event"] for line in told] == ["archived" if is_archived else "not_archived"]
    await archivist.stop()
    await store.close()


# ── at a table ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def play_out(people: list[Guest], table: str) -> str:
    """Begin a game at *table* and play it to its end; return its name."""
    await people[0].start(table)
    return await play_on(people, table)


async def play_on(people: list[Guest], table: str) -> str:
    """Play the game at *table* to its end, each with the first legal action; return its name."""
    while not people[0].view(table).over:
        await after(1)
        for person in people:
            while person.is_asked(table):
                await person.act(table)
    await settled()
    answer = await people[0].ask("game", table=table)
    return str(answer["game"])


@clockwork
async def test_a_finished_game_is_listed_and_can_be_read_when_its_table_is_gone() -> None:
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2, clock="none", rules={"target": 3})
        game = await play_out([ann, ben], table)
        lines = (await ann.ask("game", table=table))["lines"]
        for person, seat in ((ann, 0), (ben, 1)):
            (listed,) = (await person.ask("games"))["games"]
            assert (listed["table"], listed["game"], listed["seat"]) == (table, game, seat)
        assert (await ann.ask("game", table=table, game=game))["lines"] == lines
        assert (await ann.ask("game", table=table, game="g_none"))["code"] == "not_finished"
        for person in (ann, ben):
            assert (await person.ask("leave", table=table))["t"] == "ok"
        await after(1)
        assert (await ann.ask("game", table=table))["code"] == "no_such_table"
        assert (await ann.ask("game", table=table, game=game))["lines"] == lines
        eve = await house.guest("Eve")
        assert (await eve.ask("game", table=table, game=game))["code"] == "no_such_table"
        assert (await eve.ask("games"))["games"] == []


class ReadLog(MemoryLog):
    """A log that counts how often a table is read whole."""

    reads = 0

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        self.reads += after == 0
        return await super().read(table, after=after)


@clockwork
async def test_a_game_is_written_down_while_it_is_played_and_archived_without_reading_the_log() -> None:
    """People come, go and stir; the record is the one its log comes to."""
    log = ReadLog(clockwork_ms)
    async with open_house(log) as house:
        table, (ann, ben) = await seat_people(house, 2, clock="none", rules={"target": 3})
        await ann.start(table)
        await after(1)
        assert (await ben.ask("entropy", table=table, text="more"))["t"] == "ok"
        eve = await house.guest("Eve")
        assert (await ben.ask("leave", table=table))["t"] == "ok"
        await eve.join(table, 3)
        game = await play_on([ann, eve], table)
        for person, seat in ((ann, 0), (ben, 1), (eve, 3)):
            assert [(one["game"], one["seat"]) for one in (await person.ask("games"))["games"]] == [(game, seat)]
        archived = await house.house.archive.get(table, game)
        assert log.reads == 0
        (record,) = await finished_games(await log.read(table, after=0))
        assert archived is not None
        assert archived.lines == record.lines
        assert archived.seats == record.seats


@clockwork
async def test_a_game_taken_up_in_its_middle_is_written_down_whole() -> None:
    log = ReadLog(clockwork_ms)
    async with open_house(log) as house:
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        await ann.start(table)
        await after(1)
        await ann.act(table)
        players = house.house.players
    async with open_house(log) as house:
        house.house.players = players
        await after(1)
        ann.house = house
        await ann.connect()
        log.reads = 0
        game = await play_on([ann], table)
        archived = await house.house.archive.get(table, game)
        assert log.reads == 0
        (record,) = await finished_games(await log.read(table, after=0))
        assert archived is not None
        assert archived.lines == record.lines


@clockwork
async def test_a_game_that_was_over_but_not_archived_when_the_server_ended_is_archived_after_the_restart() -> None:
    """The next server has an archive that knows nothing: as if this one had ended before it could tell it."""
    log = MemoryLog(clockwork_ms)
    async with open_house(log) as house:
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        game = await play_out([ann], table)
        players = house.house.players
    async with open_house(log) as house:
        house.house.players = players
        await after(1)
        ann.house = house
        await ann.connect()
        assert [listed["game"] for listed in (await ann.ask("games"))["games"]] == [game]


@clockwork
async def test_when_a_node_is_lost_what_it_may_not_have_archived_is() -> None:
    """As if the node that ended the game had died on the way: the archive lacks it, and another node has the table."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        game = await play_out([ann], table)
        for forget in (SITTINGS.delete(), GAMES.delete()):
            await house.store.run(partial(AsyncConnection.execute, statement=forget))
        assert (await ann.ask("games"))["games"] == []
        house.actor(table).lost_node("n_gone")
        await settled()
        assert [listed["game"] for listed in (await ann.ask("games"))["games"]] == [game]


@clockwork
async def test_a_closed_table_is_listed_in_the_log_until_its_games_are_archived() -> None:
    async with open_house() as house:
        store = house.house.archive._store  # noqa: SLF001
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        await store.close()
        await play_out([ann], table)
        assert (await ann.ask("leave", table=table))["t"] == "ok"
        await after(60)
        assert await house.log.tables() == [table]
        assert (await ann.ask("games"))["code"] == "degraded"


# ── on the web ───────────────────────────────────────────────────────────────────────────────────────────────────────


def asking(path: str, *, method: str = "GET") -> Request:
    return Request(path, Headers(), method)


async def test_the_record_of_a_public_game_is_a_page() -> None:
    store = await open_store(IN_MEMORY)
    archive = Archive(store)
    record = await record_of(a_game())
    await archive.put({"t": [record]})
    await archive.put({"u": [await record_of(a_game(PureTable(people=2, target=3), game="g_private"))]})
    response = await respond_game(archive, asking("/games/g1"))
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/jsonl")
    assert response.body.decode().splitlines() == record.lines
    for missing in ("/games/g_private", "/games/", "/games/g1/", "/games/%00", "/games/" + "x" * 5000):
        assert (await respond_game(archive, asking(missing))).status_code == 404
    assert (await respond_game(archive, asking("/games/g1", method="HEAD"))).body == b""
    assert (await respond_game(archive, asking("/games/g1", method="DELETE"))).status_code == 405
    await store.close()


async def test_the_page_of_a_game_says_when_the_database_is_away(postgres: Postgres) -> None:
    store = await open_store(fresh_database(postgres))
    postgres.kill()
    response = await respond_game(Archive(store), asking("/games/g1"))
    postgres.start()
    assert response.status_code == 503
    await store.close()
