"""Bots of strangers on a real server: over the wire of people, in Python and in JavaScript, through restarts."""

from __future__ import annotations

import asyncio
import json
import shutil
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bots.uniform import Uniform
from tests.bots import programs
from tests.support_player import Player, playing
from tests.support_server import EUCHRE, PATIENCE_S, Server, serving

GUESTS = Path(__file__).parents[1] / "bots" / "guests.py"
EXAMPLES = Path(__file__).parents[2] / "examples"


class Bot:
    """A running `euchre bot run`, and what it logged."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.logged: list[dict[str, Any]] = []
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.logged.append(json.loads(line) if line.startswith(b"{") else {"event": line.decode()})

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.logged if line["event"] == name]

    async def has_logged(self, name: str, *, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while len(self.events(name)) < times:  # noqa: ASYNC110  # nothing announces a line
                await asyncio.sleep(0.05)

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            status = await self.process.wait()
            await self._reading
        return status


@asynccontextmanager
async def running(server: Server, folder: Path, *arguments: str) -> AsyncIterator[Bot]:
    environment = server.environment | {"XDG_STATE_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        EUCHRE, "bot", "run", "--server", server.ws, *arguments, stderr=PIPE, env=environment
    )
    bot = Bot(process)
    try:
        yield bot
    finally:
        if process.returncode is None:
            process.kill()
        await bot.ended()


async def ask(server: Server, folder: Path, *arguments: str) -> tuple[int | None, str]:
    """Run `euchre bot …` to its end; return its exit status and what it said."""
    environment = server.environment | {"XDG_STATE_HOME": str(folder)}
    process = await asyncio.create_subprocess_exec(
        EUCHRE, "bot", *arguments, "--server", server.ws, stdout=PIPE, stderr=STDOUT, env=environment
    )
    out, _ = await process.communicate()
    return process.returncode, out.decode()


async def register(server: Server, folder: Path, name: str) -> str:
    status, told = await ask(server, folder, "register", name)
    assert status == 0
    return told


async def test_a_registered_bot_plays_games_at_several_tables_and_stops(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        told = await register(server, tmp_path, "First")
        assert f"First is registered at {server.ws}. Its token" in told
        async with running(server, tmp_path, f"{GUESTS}:First", "--tables", "2", "--games", "3") as bot:
            assert await bot.ended() == 0
        assert [line["kind"] for line in bot.events("welcome")] == ["bot"]
        assert len(bot.events("game over")) >= 3
        assert len({line["table"] for line in bot.events("game over")}) == 2
        assert not bot.events("fault")
        assert not bot.events("refused")


async def test_a_class_is_registered_with_its_name_and_version(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        told = await register(server, tmp_path, f"{GUESTS}:First")
        assert f"First is registered at {server.ws}. Its token" in told
        process = await asyncio.create_subprocess_exec(
            EUCHRE, "admin", "bots", "list", "--data", str(server.data), stdout=PIPE, env=server.environment
        )
        out, _ = await process.communicate()
        assert out.decode().split()[2:4] == ["First", "2"]


async def test_a_bot_is_listed_and_given_up(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        status, told = await ask(server, tmp_path, "list")
        assert (status, told.count("\n")) == (1, 1)
        assert "euchre bot register makes an account" in told
        await register(server, tmp_path, f"{GUESTS}:First")
        await register(server, tmp_path, "Second")
        _, told = await ask(server, tmp_path, "list")
        assert [line.split()[:2] for line in told.splitlines()] == [["First", "2"], ["Second", "-"]]
        assert await ask(server, tmp_path, "revoke", "First") == (0, f"The token of First at {server.ws} is revoked.\n")
        status, told = await ask(server, tmp_path, "revoke", "First")
        assert status == 1
        assert "you have no bot called First" in told
        async with running(server, tmp_path, f"{GUESTS}:First") as bot:
            assert await bot.ended() == 1
        assert "a bot needs the token it was registered with" in bot.logged[-1]["event"]
        await ask(server, tmp_path, "revoke", "Second")
        assert await ask(server, tmp_path, "list") == (0, f"No bot of yours is registered at {server.ws}.\n")


async def test_without_a_token_it_is_told_how_to_get_one(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        async with running(server, tmp_path, f"{GUESTS}:First") as bot:
            assert await bot.ended() == 1
        assert "a bot needs the token it was registered with. To get one: euchre bot reg" in bot.logged[-1]["event"]
        async with running(server, tmp_path, f"{GUESTS}:First", "--token", "worthless") as bot:
            assert await bot.ended() == 1
        assert "does not know the bot's token" in bot.logged[-1]["event"]
        async with running(server, tmp_path, f"{GUESTS}:First", "--token", "worthless\n") as bot:
            assert await bot.ended() == 2


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
async def test_the_javascript_of_the_examples_plays_a_whole_game_for_authors(tmp_path: Path) -> None:
    """At a server that wants no token: --dev."""
    async with serving(tmp_path, "--dev") as server:
        command = f"node {EXAMPLES / 'bot.mjs'}"
        async with running(server, tmp_path, "--stdio", command, "--games", "1", "--preset", "british") as bot:
            assert await bot.ended() == 0
        assert [line["name"] for line in bot.events("welcome")] == ["bot"]
        assert bot.events("game over")
        assert not bot.events("fault")


async def test_a_table_for_authors_is_dealt_the_same_cards_without_a_clock(tmp_path: Path) -> None:
    async with serving(tmp_path, "--dev") as server:
        ann = Player(server.ws, "Ann", policy=None)
        async with playing(ann):
            tables = [await ann.create(clock="fast") for _ in range(2)]
            for table in tables:
                await ann.start(table)
                await ann.until(lambda table=table: (v := ann.session.tables[table].view) and v.cards)  # type: ignore[misc]
            views = [ann.session.tables[table].view for table in tables]
            infos = [ann.session.tables[table].info for table in tables]
        assert views[0] is not None
        assert views[1] is not None
        assert (views[0].cards, views[0].upcard, views[0].dealer) == (views[1].cards, views[1].upcard, views[1].dealer)
        assert [info and info["clock"]["name"] for info in infos] == ["none", "none"]


async def test_a_bot_plays_on_after_the_server_was_killed(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await register(server, tmp_path, "First")
        async with running(server, tmp_path, f"{GUESTS}:First", "--games", "2") as bot:
            await bot.has_logged("welcome")
            await bot.has_logged("seated")
            await server.kill()
            await bot.has_logged("connection lost")
            await server.start()
            await bot.has_logged("welcome", times=2)
            await bot.has_logged("game over")
            await server.stop()
            await server.start()
            assert await bot.ended() == 0
        assert not bot.events("fault")
        assert len({line["table"] for line in bot.events("game over")}) == 1


@pytest.mark.parametrize(
    ("bot", "kind"),
    [
        ((f"{GUESTS}:Broken",), "error"),
        ((f"{GUESTS}:Sleeps", "--limit", "0.05"), "late"),
        (("--stdio", programs.LIES), "illegal"),
        (("--stdio", programs.DIES), "ended"),
    ],
)
async def test_a_bad_bot_holds_up_no_table(bot: tuple[str, ...], kind: str, tmp_path: Path) -> None:
    """What it does wrong is logged, and a rule of thumb plays on."""
    async with serving(tmp_path, "--dev") as server:
        async with running(server, tmp_path, *bot, "--games", "1", "--name", "Bad") as run:
            assert await run.ended() == 0
        assert {line["kind"] for line in run.events("fault")} == {kind}


async def test_a_bot_joins_people_who_wait_and_leaves_when_it_is_stopped(tmp_path: Path) -> None:
    async with serving(tmp_path, "--dev") as server:
        ann = Player(server.ws, "Ann", policy=Uniform(), seed=1)
        async with playing(ann):
            table = await ann.create(visibility="public", clock="normal")
            async with running(server, tmp_path, f"{GUESTS}:Patient") as bot:
                await ann.until(lambda: ann.info(table)["seats"][1]["name"] == "patient")
                assert ann.info(table)["seats"][1]["kind"] == "bot"
                await ann.start(table)
                await ann.until(lambda: ann.seq(table) > 20)
                bot.process.terminate()
                assert await bot.ended() == 0
            await ann.until(lambda: ann.info(table)["seats"][1]["level"] == "standard")
