"""How strong the levels are, and that the arena measures it."""

from __future__ import annotations

from typing import Any

import pytest

from bots.arena.contenders import UnknownContenderError
from bots.arena.match import Match, play_match
from bots.arena.tally import Tally, estimate
from engine.record import replay
from engine.rules import make_rules
from engine.state import AwaitingDeal


def play(first: str, second: str, *, deals: int = 0, games: int = 0, seed: int, jobs: int = 1, **rules: Any) -> Tally:
    match = Match(
        first=first,
        second=second,
        rules=make_rules("standard", rules),
        preset="standard",
        deals=deals,
        games=games,
        seed=seed,
    )
    tally = Tally()
    for part in play_match(match, jobs=jobs):
        tally.add(part)
    return tally


def surely_better(tally: Tally) -> float:
    return tally.points.mean - 2 * tally.points.error


def test_standard_beats_random_by_a_point_a_hand() -> None:
    assert surely_better(play("standard", "random", deals=300, seed=1)) > 1.0


def test_standard_beats_easy() -> None:
    assert surely_better(play("standard", "easy", deals=250, seed=2)) > 0.05


def test_easy_beats_random() -> None:
    assert surely_better(play("easy", "random", deals=200, seed=3)) > 0.5


@pytest.mark.parametrize("rules", [{"low_rank": 7}, {"no_trump": "round2", "low_no_trump": True}])
def test_standard_beats_random_with_other_rules_too(rules: dict[str, Any]) -> None:
    assert surely_better(play("standard", "random", deals=120, seed=4, **rules)) > 0.7


def test_a_bot_is_as_good_as_itself() -> None:
    """The same deals and games from both sides: exactly even, not only about."""
    tally = play("standard", "standard", deals=40, games=4, seed=5)
    assert (tally.points.mean, tally.points.error, tally.hands) == (0.0, 0.0, 80)
    assert (tally.games_won, tally.games) == ((4, 4), 8)
    assert tally.first.calls == tally.second.calls


def test_any_number_of_processes_measures_the_same() -> None:
    one, two = (play("easy", "random", deals=23, games=2, seed=6, jobs=jobs) for jobs in (1, 2))
    assert one.differences == two.differences
    assert one.worst == two.worst
    assert [deal.records for deal in one.worst] == [deal.records for deal in two.worst]
    assert (one.games_won, one.first.calls, one.second.calls) == (two.games_won, two.first.calls, two.second.calls)
    assert len(one.first.times_s) == len(two.first.times_s)
    assert play("easy", "random", deals=23, seed=7).differences != one.differences


def test_standards_calls_are_sound_and_not_timid() -> None:
    """Among themselves they are euchred in an eighth to a quarter of the hands they call."""
    calls = play("standard", "standard", deals=200, seed=7).first.calls
    assert calls["calls"] == calls["made"] + calls["euchred"]
    assert 0.75 < calls["made"] / calls["calls"] < 0.9
    assert calls["alone_marches"] <= calls["alone"] < calls["calls"]


def test_the_worst_deals_can_be_followed_and_come_to_what_they_are_said_to() -> None:
    tally = play("easy", "standard", deals=30, seed=8)
    assert tally.worst
    assert [deal.difference for deal in tally.worst] == sorted(tally.differences)[: len(tally.worst)]
    for deal in tally.worst:
        difference = 0
        for team, record in enumerate(deal.records):
            header, steps = replay(record)
            assert [player["name"] for player in header.players][team] == "easy"
            *_, last = steps
            assert isinstance(last.game.stage, AwaitingDeal)
            result = last.game.stage.result
            assert result is not None
            difference += result.points if result.team == team else -result.points
        assert difference == deal.difference


def test_games_are_played_to_the_end_of_the_rules() -> None:
    """Twelve hands may end in a draw; a hand thrown in is nobody's."""
    tally = play("random", "standard", deals=20, games=2, seed=9, target=None, hands=12, all_pass="redeal")
    assert tally.games == 4
    assert tally.games_won[1] >= 3
    both = tally.first.calls["calls"] + tally.second.calls["calls"]
    assert both + tally.thrown_in == tally.hands


def test_nobody_of_that_name() -> None:
    with pytest.raises(UnknownContenderError, match=r"one of easy, standard, hard, expert, random$"):
        play("grandmaster", "easy", deals=1, seed=1)


def test_an_estimate_of_nothing_is_none() -> None:
    """Of one value there is a mean, but nothing to say how sure it is."""
    assert estimate([]).mean != estimate([]).mean
    assert (estimate([2.0]).mean, estimate([1.0, 3.0]).mean, estimate([1.0, 3.0]).error) == (2.0, 2.0, 1.0)
    assert estimate([2.0]).error != estimate([2.0]).error
