"""Whole games over real sockets, to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.policy import LEVELS
from tests.support_player import four_players, playing, seat_four
from tests.support_server import serving

PRESETS = ("standard", "screw", "ladder", "practice", "club", "championship")


@pytest.mark.parametrize("preset", PRESETS)
async def test_four_policies_finish_a_game(tmp_path: Path, preset: str) -> None:
    async with serving(tmp_path) as server:
        players = await four_players(server.ws, policies=tuple(LEVELS.values()))
        async with playing(*players):
            table = await seat_four(players, preset)
            await players[0].start(table)
            for player in players:
                view = await player.game_over(table)
                assert max(view.score) >= 10
