"""PostgreSQL dies under a game in play: nobody at the table notices, and what came of it is kept when it is back."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.policy import LEVELS
from protocol.codes import CloseCode
from scripts.services import Postgres
from tests.e2e.test_shutdown import GRACE_S, deaf_peer
from tests.support_player import Player, Wire, playing
from tests.support_postgres import fresh_database
from tests.support_postgres import postgres as run_postgres
from tests.support_server import PATIENCE_S, serving

# Services, servers and their restarts: more than a test's usual time on a busy machine.
pytestmark = pytest.mark.timeout(300)

postgres = pytest.fixture(scope="module")(run_postgres)


@pytest.fixture
def url(postgres: Postgres) -> Iterator[str]:
    yield fresh_database(postgres)
    if postgres.process is None or postgres.process.poll() is not None:
        postgres.start()


async def archived(player: Player, count: int) -> list[str]:
    """Wait until *count* games of the player are archived; return their names."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            answer = await player.ask("games")
            if answer["t"] == "ok" and len(answer["games"]) >= count:
                return [game["game"] for game in answer["games"]]
            await asyncio.sleep(0.2)


async def test_a_game_is_played_to_its_end_and_archived_when_the_database_is_back(
    tmp_path: Path, postgres: Postgres, url: str
) -> None:
    environment = {"EUCHRE_DATABASE": url}
    async with serving(tmp_path, environment=environment) as server:
        ann = Player(server.ws, "Ann", policy=LEVELS["standard"])
        async with playing(ann):
            table = await ann.create(rules={"target": 5})
            await ann.start(table)
            await ann.until(lambda: ann.view(table).hand >= 1)
            postgres.kill()
            view = await ann.game_over(table)
            assert view.winner is not None
            assert (await ann.ask("games"))["code"] == "degraded"
            # Whoever comes now is asked to come again, and does by himself.
            async with Wire.to(server.ws) as wire:
                refusal = await wire.ask({"t": "hello", "ref": 1, "version": 1, "name": "Cat"})
                assert (refusal["code"], refusal["retry_ms"] > 0) == ("degraded", True)
                assert await wire.closed() == CloseCode.DRAINING
            late = Player(server.ws, "Ben")
            await asyncio.sleep(1)
            assert not late.welcomes
            postgres.start()
            async with playing(late):
                assert late.closes
                assert set(late.closes) == {CloseCode.DRAINING}
            (game,) = await archived(ann, 1)
            assert (await ann.ask("game", table=table, game=game))["game"] == game


@pytest.mark.parametrize("is_asked", [False, True])
async def test_a_server_asked_to_stop_while_the_database_hangs_ends_in_time(
    tmp_path: Path, postgres: Postgres, url: str, *, is_asked: bool
) -> None:
    """Also where a peer does not go by himself, and somebody waits for what he asked of the database."""
    loop = asyncio.get_running_loop()
    async with serving(tmp_path, environment={"EUCHRE_DATABASE": url}) as server, deaf_peer(server):
        async with Wire.to(server.ws, name="Ann") as ann:
            postgres.freeze()
            try:
                if is_asked:
                    await ann.send({"t": "games", "ref": 2})
                began = loop.time()
                server.signal(signal.SIGTERM)
                assert await server.ended() == 0
                assert loop.time() - began < GRACE_S
            finally:
                postgres.thaw()
        assert "Traceback" not in server.logged()


async def test_a_game_that_ended_while_the_database_was_away_is_archived_after_a_restart(
    tmp_path: Path, postgres: Postgres, url: str
) -> None:
    async with serving(tmp_path, environment={"EUCHRE_DATABASE": url}) as server:
        ann = Player(server.ws, "Ann", policy=LEVELS["standard"])
        async with playing(ann):
            table = await ann.create(rules={"target": 5})
            await ann.start(table)
            await ann.until(lambda: ann.view(table).hand >= 1)
            postgres.kill()
            await ann.game_over(table)
            await ann.command(ann.session.leave(table))
        await server.kill()
        postgres.start()
        await server.start()
        back = Player(server.ws, None, token=ann.token)
        async with playing(back):
            (game,) = await archived(back, 1)
            assert (await back.ask("game", table=table, game=game))["lines"]
