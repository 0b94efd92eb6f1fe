"""The store of players and games: one contract for SQLite and PostgreSQL, what is refused, and what is away."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from scripts.services import Postgres
from server.database import open_database
from server.players import MAX_BOTS_PER_OWNER, Player, Players, TooManyBotsError
from server.restarts import Restarts
from server.store import Store, StoreAwayError, StoreError
from server.store.opening import open_store, url_of_file
from server.store.schema import METADATA, VERSION_TABLE
from tests.server.failing import fail_once
from tests.support_postgres import fresh_database
from tests.support_postgres import postgres as run_postgres
from tests.support_server import PATIENCE_S

postgres = pytest.fixture(scope="module")(run_postgres)


def now_ms() -> int:
    return 1_700_000_000_000


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


async def execute(url: str, *statements: str) -> None:
    """Do something to a database behind the store's back."""
    driver = url.replace("sqlite:", "sqlite+aiosqlite:").replace("postgresql:", "postgresql+asyncpg:")
    engine = create_async_engine(driver)
    async with engine.begin() as connection:
        for statement in statements:
            await connection.execute(text(statement))
    await engine.dispose()


async def refused(url: str) -> str:
    with pytest.raises(StoreError) as raised:
        await open_store(url)
    line = str(raised.value)
    assert "\n" not in line
    return line


# ── opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_nodes_that_start_at_once_make_one_schema(url: str) -> None:
    for _ in range(2):
        stores = await asyncio.gather(*(open_store(url) for _ in range(6)))
        players = [Players(store, now_ms) for store in stores]
        _, token = await players[0].add("Ann")
        assert all([await each.find(token) for each in players])
        for store in stores:
            await store.close()


async def test_the_migrations_come_to_the_schema(store: Store) -> None:
    """What the steps make is what server/store/schema.py says."""

    def differences(connection: Connection) -> list[Any]:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        return list(compare_metadata(context, METADATA))

    assert await store.run(lambda connection: connection.run_sync(differences)) == []


async def test_a_database_of_the_first_version_keeps_its_players(url: str) -> None:
    store = await open_store(url)
    _, token = await Players(store, now_ms).add("Ann")
    await store.close()
    await execute(
        url,
        "DROP INDEX players_by_offer",
        "ALTER TABLE players DROP COLUMN offered_hash",
        "DROP TABLE restart",
        "UPDATE euchre_version SET version_num = '0001'",
    )
    store = await open_store(url)
    found = await Players(store, now_ms).find(token)
    assert found is not None
    assert await Players(store, now_ms).offer_token(found.id, token)
    await store.close()


async def test_a_restart_is_announced_at_one_node_and_heard_of_at_another(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    here, there = (Restarts(store, now_ms) for store in stores)
    for minutes in (10, 5):
        await here.announce(now_ms() + minutes * 60_000)
        assert await there.look()
        assert there.notice()["in_ms"] == minutes * 60_000
    assert not await there.look()
    assert await there.call_off()
    assert not await here.call_off()
    assert await there.look()
    assert not there.is_expected
    for store in stores:
        await store.close()


async def test_a_database_of_a_newer_version_is_refused(url: str) -> None:
    await (await open_store(url)).close()
    await execute(url, "UPDATE euchre_version SET version_num = '9999'")
    line = await refused(url)
    assert "9999" in line
    assert "update Euchre" in line
    await execute(url, "UPDATE euchre_version SET version_num = '0003'")
    await (await open_store(url)).close()


async def test_somebody_elses_database_is_refused_and_left_as_it_is(postgres: Postgres, tmp_path: Path) -> None:
    url = fresh_database(postgres)
    await execute(url, "CREATE TABLE recipes (name TEXT)")
    assert "not one of Euchre's" in await refused(url)
    await execute(url, "DROP TABLE recipes")
    await (await open_store(url)).close()
    file = tmp_path / "recipes.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = file.read_bytes()
    assert "not a Euchre database" in await refused(url_of_file(file))
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["recipes.db"]  # noqa: PTH208  # pathlib may block, says another rule


async def test_the_file_of_the_tables_is_no_store(tmp_path: Path) -> None:
    await open_database(tmp_path / "euchre.db", asyncio.get_running_loop()).close()
    before = (tmp_path / "euchre.db").read_bytes()
    assert "not one of Euchre's" in await refused(url_of_file(tmp_path / "euchre.db"))
    assert (tmp_path / "euchre.db").read_bytes() == before


async def test_a_store_that_lacks_a_table_is_refused(url: str) -> None:
    await (await open_store(url)).close()
    await execute(url, "DROP TABLE sittings")
    assert "sittings" in await refused(url)


@pytest.mark.parametrize("cut", [0.5, 0.9])
async def test_a_file_that_was_cut_is_refused(tmp_path: Path, cut: float) -> None:
    file = tmp_path / "records.db"
    store = await open_store(url_of_file(file))
    players = Players(store, now_ms)
    await asyncio.gather(*(players.add("Ann" * 10) for _ in range(500)))
    await store.close()
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * cut)])
    assert re.search("damaged|malformed", await refused(url_of_file(file)))


@pytest.mark.parametrize("text", ["records.db", "mysql://localhost/x", "", "postgresql", "sqlite+pysqlite:///x.db"])
async def test_what_is_no_url_of_ours_is_refused_with_what_is(text: str) -> None:
    assert "sqlite:///FILE" in await refused(text)


async def test_a_database_that_cannot_be_reached_is_refused_without_its_password(postgres: Postgres) -> None:
    assert "nobody" in await refused(f"postgresql://nobody:hush@127.0.0.1:{postgres.port}/postgres")
    line = await refused("postgresql://euchre:hush@127.0.0.1:1/euchre")
    assert "127.0.0.1:1" in line
    assert "hush" not in line


# ── players ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_players_are_known_by_their_token_after_a_restart(url: str) -> None:
    store = await open_store(url)
    players = Players(store, now_ms)
    ann, token = await players.add("Ann")
    ben, _ = await players.add("Ann")
    assert ann.id != ben.id
    assert (await players.rename(ann, "Annabel")).name == "Annabel"
    await store.close()
    store = await open_store(url)
    players = Players(store, now_ms)
    assert await players.find(token) == Player(ann.id, "Annabel", "human")
    for wrong in (token[:-1], token + "x", token.swapcase(), "", ann.id):
        assert await players.find(wrong) is None
    await store.close()


async def test_only_the_hash_of_a_token_is_kept(tmp_path: Path) -> None:
    store = await open_store(url_of_file(tmp_path / "records.db"))
    players = Players(store, now_ms)
    tokens = [(await players.add("Ann"))[1], (await players.register_bot("Ann", "Robbie", "1")).token]
    await store.close()
    kept = (tmp_path / "records.db").read_bytes()
    assert b"Robbie" in kept
    assert not any(token.encode() in kept for token in tokens)


async def test_a_thousand_who_come_at_once_are_a_thousand_players(store: Store) -> None:
    """They share trips to the database, and each gets his own."""
    players = Players(store, now_ms)
    made = await asyncio.gather(*(players.add(f"Guest {number}") for number in range(1000)))
    found = await asyncio.gather(*(players.find(token) for _, token in made), players.find("nobody's"))
    assert found == [*(player for player, _ in made), None]
    assert len({player.id for player, _ in made}) == 1000


async def test_two_nodes_register_at_once(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    nodes = [Players(store, now_ms) for store in stores]
    made = await asyncio.gather(*(nodes[number % 2].add(f"Guest {number}") for number in range(100)))
    for node in nodes:
        assert await asyncio.gather(*(node.find(token) for _, token in made)) == [player for player, _ in made]
    for store in stores:
        await store.close()


async def test_one_who_gives_up_waiting_takes_nobody_else_along(store: Store) -> None:
    players = Players(store, now_ms)
    asking = [asyncio.create_task(players.add(f"Guest {number}")) for number in range(20)]
    await asyncio.sleep(0)
    for task in asking[::2]:
        task.cancel()
    for player, token in await asyncio.gather(*asking[1::2]):
        assert await players.find(token) == player


# ── another token ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_token_is_good_until_the_one_offered_in_its_place_is_accepted(store: Store) -> None:
    """So whoever loses the answer has the one he had, and of two offers only the latest stands."""
    players = Players(store, now_ms)
    ann, old = await players.add("Ann")
    ben, bens = await players.add("Ben")
    lost, new = [await players.offer_token(ann.id, old) for _ in range(2)]
    assert lost is not None
    assert new is not None
    assert [await players.find(token) for token in (old, lost, new)] == [ann, None, None]
    assert not await players.accept(lost)
    assert await players.accept(new)
    assert [await players.find(token) for token in (old, lost, new, bens)] == [None, None, ann, ben]
    assert not await players.accept(new)


async def test_who_has_another_token_by_now_is_offered_none_for_the_old(store: Store) -> None:
    players = Players(store, now_ms)
    ann, old = await players.add("Ann")
    new = await players.offer_token(ann.id, old)
    assert new is not None
    assert await players.accept(new)
    assert await players.offer_token(ann.id, old) is None
    assert await players.offer_token(ann.id, new) is not None
    assert await players.find(new) == ann


async def test_a_token_that_two_nodes_accept_at_once_takes_the_others_place_once(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    nodes = [Players(store, now_ms) for store in stores]
    ann, old = await nodes[0].add("Ann")
    new = await nodes[0].offer_token(ann.id, old)
    assert new is not None
    assert sorted(await asyncio.gather(*(nodes[at % 2].accept(new) for at in range(6)))) == [False] * 5 + [True]
    assert [await node.find(new) for node in nodes] == [ann, ann]
    for store in stores:
        await store.close()


# ── external bots ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_bot_account_is_found_by_its_token_until_it_is_revoked(store: Store) -> None:
    players = Players(store, now_ms)
    registered = await players.register_bot("ann@example.org", "Robbie", "1.0")
    others = await players.register_bot("ben", "Robbie", "2.0")
    assert await players.find(registered.token) == Player(registered.id, "Robbie", "bot", "1.0")
    (account,) = await players.bots("ann@example.org")
    assert (account.id, account.name, account.version) == (registered.id, "Robbie", "1.0")
    assert {bot.id for bot in await players.bots()} == {registered.id, others.id}
    assert await players.revoke(registered.id)
    assert await players.find(registered.token) is None
    assert await players.bots("ann@example.org") == []
    assert not await players.revoke(registered.id)
    assert await players.find(others.token) == Player(others.id, "Robbie", "bot", "2.0")
    anew = await players.register_bot("ann@example.org", "Robbie")
    assert (anew.is_renewed, anew.id == registered.id) == (False, False)


async def test_a_bot_that_is_registered_again_is_the_same_with_a_new_token(store: Store) -> None:
    """The token it had is worthless; its version is the new one, or stays where none is told."""
    players = Players(store, now_ms)
    first = await players.register_bot("ann", "Robbie", "1.0")
    second = await players.register_bot("ann", "Robbie", "1.1")
    third = await players.register_bot("ann", "Robbie")
    assert [each.is_renewed for each in (first, second, third)] == [False, True, True]
    assert {each.id for each in (first, second, third)} == {first.id}
    found = [await players.find(each.token) for each in (first, second, third)]
    assert found == [None, None, Player(first.id, "Robbie", "bot", "1.1")]
    assert [(bot.id, bot.version) for bot in await players.bots()] == [(first.id, "1.1")]


async def test_whose_a_bot_is_is_told_by_the_owners_name_where_it_is_a_player(store: Store) -> None:
    """What an admin wrote for an owner is nobody else's to read."""
    players = Players(store, now_ms)
    ann, _ = await players.add("Ann")
    hers = await players.register_bot(ann.id, "Robbie", "1")
    admins = await players.register_bot("ann@example.org", "Marvin")
    assert await players.find(hers.token) == Player(hers.id, "Robbie", "bot", "1", "Ann")
    assert await players.find(admins.token) == Player(admins.id, "Marvin", "bot", None, None)
    await players.rename(ann, "Annabel")
    assert await players.find(hers.token) == Player(hers.id, "Robbie", "bot", "1", "Annabel")


async def test_a_bot_registered_by_two_nodes_at_once_is_one_bot_with_one_token(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    nodes = [Players(store, now_ms) for store in stores]
    registered = await asyncio.gather(*(nodes[at % 2].register_bot("ann", "Robbie", "1") for at in range(6)))
    assert sorted(each.is_renewed for each in registered) == [False] + [True] * 5
    found = [await nodes[0].find(each.token) for each in registered]
    assert [bot for bot in found if bot is not None] == [Player(registered[0].id, "Robbie", "bot", "1")]
    assert len(await nodes[1].bots("ann")) == 1
    for store in stores:
        await store.close()


async def test_a_person_is_no_bot_that_could_be_revoked(store: Store) -> None:
    players = Players(store, now_ms)
    ann, token = await players.add("Ann")
    assert not await players.revoke(ann.id)
    assert await players.find(token) == ann


async def test_an_owner_has_so_many_bots_and_no_more_even_by_two_nodes_at_once(url: str) -> None:
    stores = [await open_store(url) for _ in range(2)]
    nodes = [Players(store, now_ms) for store in stores]
    for number in range(MAX_BOTS_PER_OWNER - 1):
        await nodes[0].register_bot("ann", f"Bot {number}", "1")
    asking = (nodes[at % 2].register_bot("ann", f"Last {at}", "1") for at in range(6))
    last = await asyncio.gather(*asking, return_exceptions=True)
    assert sorted(isinstance(one, TooManyBotsError) for one in last) == [False] + [True] * 5
    bots = await nodes[1].bots("ann")
    assert len(bots) == MAX_BOTS_PER_OWNER
    assert (await nodes[0].register_bot("ann", "Bot 3", "2")).is_renewed
    await nodes[0].register_bot("ben", "Another's", "1")
    await nodes[0].revoke(bots[0].id)
    await nodes[0].register_bot("ann", "In its place", "1")
    for store in stores:
        await store.close()


# ── away ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def available(store: Store) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not store.is_available:  # noqa: ASYNC110  # the store looks by itself
            await asyncio.sleep(0.05)


async def test_a_killed_database_is_away_until_it_is_back_with_all_it_had(postgres: Postgres) -> None:
    store = await open_store(fresh_database(postgres))
    players = Players(store, now_ms)
    ann, token = await players.add("Ann")
    postgres.kill()
    for _ in range(3):
        with pytest.raises(StoreAwayError):
            await players.find(token)
    assert not store.is_available
    with pytest.raises(StoreAwayError):
        await players.add("Ben")
    postgres.start()
    await available(store)
    assert await players.find(token) == ann
    await store.close()


async def test_a_database_that_hangs_keeps_nobody_for_long(postgres: Postgres) -> None:
    store = await open_store(fresh_database(postgres))
    players = Players(store, now_ms)
    ann, token = await players.add("Ann")
    postgres.freeze()
    try:
        async with asyncio.timeout(15):
            with pytest.raises(StoreAwayError):
                await players.find(token)
        began = asyncio.get_running_loop().time()
        with pytest.raises(StoreAwayError):
            await players.find(token)
        assert asyncio.get_running_loop().time() - began < 1
    finally:
        postgres.thaw()
    await available(store)
    assert await players.find(token) == ann
    await store.close()


async def test_a_full_disk_is_away_and_what_is_there_can_be_read_once_the_store_looked(tmp_path: Path) -> None:
    url = url_of_file(tmp_path / "records.db")
    store = await open_store(url)
    players = Players(store, now_ms)
    ann, token = await players.add("Ann")
    pages = await store.run(lambda connection: connection.execute(text("PRAGMA page_count")))
    await store.run(lambda connection: connection.execute(text(f"PRAGMA max_page_count = {pages.scalar_one()}")))
    with pytest.raises(StoreAwayError):
        await asyncio.gather(*(players.add("Ben" * 20) for _ in range(2000)))
    await available(store)
    assert await players.find(token) == ann
    await store.run(lambda connection: connection.execute(text("PRAGMA max_page_count = 100000")))
    await players.add("Cat")
    await store.close()


async def test_a_driver_that_fails_in_no_known_way_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that gave up finding out whether the database is back would be away for ever."""
    store = await open_store(url_of_file(tmp_path / "records.db"))
    await store.run(lambda connection: connection.execute(text("PRAGMA max_page_count = 1")))
    with pytest.raises(StoreAwayError):
        await asyncio.gather(*(Players(store, now_ms).add("Ben" * 20) for _ in range(2000)))
    failures = fail_once(monkeypatch, AsyncConnection, "execute")
    await available(store)
    assert next(failures, None) is None
    await store.close()


async def test_a_mistake_of_ours_is_not_taken_for_an_outage(store: Store) -> None:
    nameless = text("INSERT INTO players (id, kind, made_ms) VALUES ('p', 'human', 0)")
    with pytest.raises(IntegrityError):
        await store.run(lambda connection: connection.execute(nameless))
    assert store.is_available


# ── from the log's file ──────────────────────────────────────────────────────────────────────────────────────────────


_EARLIER = """
CREATE TABLE entries (
    id INTEGER PRIMARY KEY, table_id TEXT NOT NULL, seq INTEGER NOT NULL, at_ms INTEGER NOT NULL, entry BLOB NOT NULL
);
CREATE UNIQUE INDEX entries_by_table ON entries (table_id, seq);
CREATE TABLE tables (id INTEGER PRIMARY KEY, table_id TEXT NOT NULL UNIQUE, open INTEGER NOT NULL);
CREATE TABLE players (
    id TEXT PRIMARY KEY, token_hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, kind TEXT NOT NULL,
    made_ms INTEGER NOT NULL
);
INSERT INTO entries VALUES (1, 't', 1, 5, x'01');
INSERT INTO tables VALUES (1, 't', 1);
PRAGMA application_id = 0x45554348;
PRAGMA user_version = 1;
"""


def earlier_file(folder: Path) -> Path:
    """Make a euchre.db as the version wrote it that kept players in it, with two players and a table."""
    path = folder / "euchre.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(_EARLIER)
    connection.executemany(
        "INSERT INTO players VALUES (?, ?, ?, 'human', 1)",
        [(f"p_{name.lower()}", hashlib.sha256(name.lower().encode()).digest(), name) for name in ("Ann", "Ben")],
    )
    connection.close()
    return path


async def moved(file: Path, url: str) -> None:
    database = open_database(file, asyncio.get_running_loop())
    store = await open_store(url)
    await database.move_players(Players(store, now_ms).take_over)
    await database.close()
    await store.close()


async def test_players_of_an_earlier_version_move_to_the_store(tmp_path: Path, url: str) -> None:
    path = earlier_file(tmp_path)
    shutil.copy(path, tmp_path / "copy.db")
    await moved(path, url)
    store = await open_store(url)
    players = Players(store, now_ms)
    assert await players.find("ann") == Player("p_ann", "Ann", "human")
    await players.rename(Player("p_ann", "Ann"), "Annabel")
    await store.close()
    # Killed before it was forgotten in the file: the next start moves them again, and changes nobody.
    await moved(tmp_path / "copy.db", url)
    await moved(path, url)
    store = await open_store(url)
    assert await Players(store, now_ms).find("ann") == Player("p_ann", "Annabel", "human")
    await store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'players'").fetchone() == (0,)
    assert connection.execute("SELECT entry FROM entries").fetchall() == [(b"\x01",)]
    connection.close()


async def test_players_stay_in_the_file_where_the_store_cannot_take_them(tmp_path: Path, postgres: Postgres) -> None:
    path = earlier_file(tmp_path)
    database = open_database(path, asyncio.get_running_loop())
    store = await open_store(fresh_database(postgres))
    postgres.kill()
    with pytest.raises(StoreAwayError):
        await database.move_players(Players(store, now_ms).take_over)
    postgres.start()
    await database.close()
    await store.close()
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM players").fetchone() == (2,)
    connection.close()


async def test_more_who_ask_than_connections_are_put_off_and_nobody_takes_it_for_an_outage(postgres: Postgres) -> None:
    store = await open_store(fresh_database(postgres))
    sleeps = text("SELECT pg_sleep(4)")
    asking = [store.run(lambda connection: connection.execute(sleeps)) for _ in range(20)]
    outcomes = await asyncio.gather(*asking, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, BaseException)} == {StoreAwayError}
    assert sum(not isinstance(outcome, BaseException) for outcome in outcomes) >= 8
    assert store.is_available
    await store.close()
