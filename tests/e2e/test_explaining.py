"""What decisions are worth, from a real server and its workers: as a hint, and of a finished game."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from bots.analysis import analyse
from bots.uniform import Uniform
from engine.actions import parse_action
from engine.record import replay
from engine.view import view_for
from protocol.client import Message
from tests.support_player import Player, playing
from tests.support_server import serving


async def code_of(player: Player, command: Message) -> str:
    answer: Any = await player.command(command)
    return str(answer["code"]) if answer["t"] == "refused" else "ok"


async def until_asked(player: Player, table: str) -> dict[str, Any]:
    """Wait for a decision of *player*'s own with a choice in it; pass over those without."""

    def prompt() -> dict[str, Any] | None:
        open_ = player.session.tables[table].prompt
        return dict(open_) if open_ is not None and len(open_.get("legal", ())) > 1 else None

    return await player.until(prompt)


async def test_who_practises_is_told_what_his_actions_are_worth(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.has_logged("working")
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create(seed=3)
            assert await code_of(ann, ann.session.hint(table)) == "nothing_to_do"
            await ann.start(table)
            prompt = await until_asked(ann, table)
            hint: Any = await ann.command(ann.session.hint(table))
            assert hint["turn"] == prompt["turn"]
            assert {worth["action"] for worth in hint["worths"]} == set(prompt["legal"])
            assert hint["layouts"] >= 50
            again: Any = await ann.command(ann.session.hint(table))
            assert again["worths"] == hint["worths"]


async def test_there_are_no_hints_where_others_play_or_a_clock_runs(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        ann, bob = Player(server.ws, "Ann"), Player(server.ws, "Bob")
        async with playing(ann, bob):
            timed = await ann.create(clock="slow")
            public = await ann.create(visibility="public", clock="normal")
            shared = await ann.create()
            await bob.join(shared)
            for table in (timed, public, shared):
                await ann.start(table)
                assert await code_of(ann, ann.session.hint(table)) == "no_hints"
            assert await code_of(bob, bob.session.hint(timed)) == "not_seated"


async def test_without_a_worker_there_is_nobody_to_say(tmp_path: Path) -> None:
    async with serving(tmp_path, workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create(seed=3)
            await ann.start(table)
            await until_asked(ann, table)
            assert await code_of(ann, ann.session.hint(table)) == "no_worker"


async def test_a_finished_game_is_looked_at_hand_by_hand_as_the_command_line_does(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        await server.has_logged("working")
        ann, eve = Player(server.ws, "Ann", policy=Uniform(), seed=2), Player(server.ws, "Eve")
        async with playing(ann, eve):
            table = await ann.create(rules={"target": 2})
            assert await code_of(ann, ann.session.analyse(table, 1)) == "not_finished"
            await ann.start(table)
            await ann.game_over(table)
            record: Any = await ann.command(ann.session.game(table))
            expected = analyse(record["lines"], layouts=1)
            told: list[dict[str, Any]] = []
            hands, hand, deals = 1, 1, []
            while hand <= hands:
                answer: Any = await ann.command(ann.session.analyse(table, hand, game=record["game"]))
                assert answer["t"] == "ok", answer
                told += answer["decisions"]
                deals.append((answer["par"], answer["luck"]))
                hands, hand = answer["hands"], hand + 1
            assert [(one["n"], one["seat"], one["played"]) for one in told] == [
                (one.n, one.seat, str(one.played)) for one in expected.decisions
            ]
            games = [step.game for step in replay(record["lines"])[1]]
            assert all(set(one["cards"]) == set(view_for(games[one["n"] - 2], one["seat"]).cards) for one in told)
            assert deals == [(looked.par, looked.luck) for looked in expected.hands]
            assert all(parse_action(worth["action"]) for one in told for worth in one["worths"])
            assert await code_of(ann, ann.session.analyse(table, hands + 1)) == "not_finished"
            assert await code_of(eve, eve.session.analyse(table, 1, game=record["game"])) == "not_seated"


async def test_many_who_look_back_at_once_are_all_answered(tmp_path: Path) -> None:
    """One worker has fewer slots than they ask of it: they wait for each other."""
    async with serving(tmp_path) as server, AsyncExitStack() as rooms:
        await server.has_logged("working")
        people = [Player(server.ws, f"P{seed}", policy=Uniform(), seed=seed) for seed in range(8)]
        await rooms.enter_async_context(playing(*people))
        tables = [await person.create(rules={"target": 1}, bots="easy") for person in people]
        for person, table in zip(people, tables, strict=True):
            await person.start(table)
            await person.game_over(table)
        looking = [
            person.command(person.session.analyse(table, 1)) for person, table in zip(people, tables, strict=True)
        ]
        assert [answer["t"] for answer in await asyncio.gather(*looking)] == ["ok"] * len(people)
        assert "worker_late" not in server.logged()
