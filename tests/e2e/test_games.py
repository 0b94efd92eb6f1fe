"""Whole games over real sockets, to the end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bots.policy import LEVELS
from bots.uniform import Uniform
from engine.rules import PRESETS, Rules, make_rules
from engine.view import WATCHER, View, Viewer
from protocol.codec import JSON, MSGPACK
from server.entries import Acted
from tests.e2e.records import (
    Record,
    check_acknowledged,
    check_each_decision_once,
    check_saw_nothing_hidden,
    check_told_as_recorded,
    read_record,
)
from tests.support_player import Player, four_players, playing, seat_four
from tests.support_server import Server, serving

POLICIES = (*LEVELS.values(), Uniform())


class Table:
    """A table at which four policies play a game, watched by a fifth."""

    def __init__(self, preset: str, players: tuple[Player, Player, Player, Player], watcher: Player) -> None:
        self.preset = preset
        self.players = players
        self.watcher = watcher
        self.id = ""

    async def play(self) -> list[View]:
        """Play to the end, everybody comparing what he folded with the server's view at every hand's end."""
        self.id = await seat_four(self.players, self.preset)
        await self.watcher.watch(self.id)
        await self.players[0].start(self.id)
        return [await player.game_over(self.id) for player in (*self.players, self.watcher)]


async def table_of(server: Server, preset: str, seed: int) -> Table:
    players = await four_players(
        server.ws, policies=(POLICIES[seed % 3], POLICIES[(seed + 1) % 3]), seed=seed, compare=True
    )
    watcher = Player(server.ws, "Wim", codec=(JSON, MSGPACK)[seed % 2], compare=True)
    return Table(preset, players, watcher)


async def test_r9_four_policies_finish_a_game_with_every_preset(tmp_path: Path) -> None:
    """On both subprotocols at once; what each was told is what the log says, and a watcher sees no hidden card."""
    async with serving(tmp_path) as server:
        tables = [await table_of(server, preset, seed) for seed, preset in enumerate(PRESETS)]
        people = [player for table in tables for player in (*table.players, table.watcher)]
        async with playing(*people):
            ends = await asyncio.gather(*(table.play() for table in tables))
            for player in people:
                await player.until(lambda player=player: player.is_compared)  # type: ignore[misc]
        await server.stop()
        assert "_failed" not in server.logged()
        assert all(player.token not in server.logged() for player in people)
    for table, views in zip(tables, ends, strict=True):
        check_end(make_rules(table.preset), views)
        record = read_record(server.data, table.id)
        check_each_decision_once(record)
        hands = views[0].hands_scored
        for seat, player in enumerate(table.players):
            assert check_told_as_recorded(record, table.id, seat, player) > 25 * hands // 2
            assert check_acknowledged(record, player) > 0
            assert player.views_compared >= hands
        assert check_told_as_recorded(record, table.id, WATCHER, table.watcher) > 25 * hands // 2
        assert table.watcher.views_compared >= hands
        assert check_saw_nothing_hidden(table.watcher.heard, table.id, WATCHER) > 25 * hands


def check_end(rules: Rules, views: list[View]) -> None:
    """R9: the game is over when its rules say so, and for all alike."""
    assert len({(view.score, view.winner, view.hands_scored) for view in views}) == 1
    score = views[0].score
    if rules.target is None:
        assert views[0].hands_scored == rules.hands
    else:
        assert max(score) >= rules.target > min(score)
        assert views[0].winner == score.index(max(score))


async def test_h1_seats_that_reveal_nothing_see_their_own_cards_only(tmp_path: Path) -> None:
    """H1. Every frame to every seat, with a rematch and reconnects: no card outside what that seat may know."""
    async with serving(tmp_path, log="memory") as server:
        players = await four_players(server.ws, policies=POLICIES, seed=5)
        async with playing(*players):
            table = await seat_four(players, "ladder", rules={"reveal": "own_only", "target": 5})
            for game in range(2):
                await players[0].start(table)
                other = players[game + 1]
                await other.until(lambda other=other: (view := other.session.tables[table].view) and view.hand > 1)  # type: ignore[misc]
                other.cut()
                for player in players:
                    await player.game_over(table)
        for seat, player in enumerate(players):
            assert check_saw_nothing_hidden(player.heard, table, seat) > 100


async def test_a_person_and_three_bots_of_each_level_finish_a_game(tmp_path: Path) -> None:
    """The house's bots decide in processes of their own, and the person never waits for long."""
    async with serving(tmp_path, log="memory", workers=2) as server:
        for level in LEVELS:
            ann = Player(server.ws, "Ann", policy=Uniform(), seed=3)
            async with playing(ann):
                table = await ann.create(bots=level, rules={"target": 5})
                await ann.start(table)
                await ann.game_over(table)
                assert {seat["level"] for seat in ann.info(table)["seats"][1:]} == {level}
        assert "worker_late" not in server.logged()
        assert "worker_answer_illegal" not in server.logged()
        assert "decision failed" not in server.logged()


@pytest.mark.parametrize("people", [4, 1])
async def test_c6_who_reconnects_all_the_time_knows_all_there_is(tmp_path: Path, people: int) -> None:
    """C6. Cut and resume in a loop while others play flat out: the folded view is the server's at every hand's end.

    With people and with the house's bots; somebody who looks on is cut off, too.
    """
    async with serving(tmp_path) as server:
        players = (await four_players(server.ws, policies=POLICIES, seed=9, compare=True))[:people]
        wim = Player(server.ws, "Wim", codec=MSGPACK, compare=True)
        async with playing(*players, wim):
            table = await players[0].create(rules={"target": 7})
            for seat, player in enumerate(players[1:], start=1):
                await player.join(table, seat)
            await wim.watch(table)
            for at, player in enumerate((*players, wim)):
                player.cut_every(15 + 4 * at)
            await players[0].start(table)
            for player in (*players, wim):
                await player.game_over(table)
        await server.stop()
    record = read_record(server.data, table)
    check_each_decision_once(record)
    ends = {seq for seq, entry in record.entries.items() if isinstance(entry, Acted) and is_between_hands(record, seq)}
    assert len(ends) > 2
    viewers: dict[Viewer, Player] = {**dict(enumerate(players)), WATCHER: wim}
    for viewer, player in viewers.items():
        assert player.welcomes > 2
        assert check_told_as_recorded(record, table, viewer, player) > 50
        check_acknowledged(record, player)
        if viewer != WATCHER:  # who may miss so much that he gets a view instead
            assert {(table, seq) for seq in ends} <= player.folded.keys()


def is_between_hands(record: Record, seq: int) -> bool:
    """Tell whether after entry *seq* a hand is over."""
    return not record.states[seq].is_in_hand
