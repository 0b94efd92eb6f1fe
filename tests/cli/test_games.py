"""`euchre games`: what we played, and its records."""

from __future__ import annotations

import asyncio
import json
import os
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from bots.policy import LEVELS
from clients.cli.games import described
from clients.cli.tokens import default_token_file
from protocol.outgoing import PlayedGame
from tests.support_player import Player, playing
from tests.support_server import EUCHRE, PATIENCE_S, serving


async def euchre(*arguments: str, folder: Path) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        EUCHRE, *arguments, cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=PIPE,
        env=os.environ | {"XDG_STATE_HOME": str(folder)},
    )  # fmt: skip
    out, error = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    assert process.returncode is not None
    return process.returncode, out.decode(), error.decode()


async def test_games_are_listed_and_their_records_saved_when_their_tables_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with serving(tmp_path) as server:
        ann = Player(server.ws, "Ann", policy=LEVELS["standard"])
        async with playing(ann):
            for _ in range(2):
                table = await ann.create(rules={"target": 2})
                await ann.start(table)
                await ann.game_over(table)
                await ann.command(ann.session.leave(table))
            async with asyncio.timeout(PATIENCE_S):
                while len((await ann.ask("games"))["games"]) < 2:  # noqa: ASYNC110  # nothing announces it
                    await asyncio.sleep(0.05)
        default_token_file().keep(server.ws, "Ann", ann.token)
        status, listed, _ = await euchre("games", server.ws, "--name", "Ann", "--json", folder=tmp_path)
        assert status == 0
        latest, first = map(json.loads, listed.splitlines())
        assert latest["ended_ms"] >= first["ended_ms"]
        _, listed, _ = await euchre("games", server.ws, "--count", "1", folder=tmp_path)
        assert listed.splitlines() == [described(latest)]
        status, said, _ = await euchre("games", server.ws, "--save", first["game"], folder=tmp_path)
        assert status == 0
        assert (record := f"euchre-{first['game']}.jsonl") in said
        assert (await euchre("verify", record, folder=tmp_path))[0] == 0
        assert (await euchre("games", server.ws, "--save", "g_nobodys", folder=tmp_path))[0] == 1
        status, _, error = await euchre("games", server.ws, "--name", "Eve", folder=tmp_path)
        assert (status, len(error.splitlines())) == (1, 1)
        assert error.startswith(f"euchre: Eve has not played at {server.ws} from here")


@pytest.mark.parametrize(
    ("seat", "winner", "says"),
    [(0, 0, "won  10-7   with Cat against Ben and Dan"), (3, 0, "lost 7-10   with Ben against Ann and Cat"),
     (1, None, "drew 7-10   with Dan against Ann and Cat")],
)  # fmt: skip
def test_a_game_is_told_as_we_saw_it(seat: int, winner: int | None, says: str) -> None:
    game: PlayedGame = {
        "n": 1, "table": "t", "game": "g_x", "preset": "club", "seat": seat, "score": [10, 7], "winner": winner,
        "started_ms": 0, "ended_ms": 60_000,
        "players": [
            {"seat": at, "kind": "human", "name": name} for at, name in enumerate(("Ann", "Ben", "Cat", "Dan"))
        ],
    }  # fmt: skip
    assert says in described(game)
    assert described(game).endswith("  club  g_x")
