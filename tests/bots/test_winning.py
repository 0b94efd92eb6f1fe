"""What points are worth at a score."""

from __future__ import annotations

import pytest

from bots.estimate import Odds, odds_of
from bots.winning import Standing, points_of
from engine.rules import Rules, make_rules

TO_TEN = Rules()
TWELVE_HANDS = make_rules("championship")


def at(rules: Rules, ours: int, theirs: int, hands_scored: int = 0) -> Standing:
    return Standing(rules, ours, theirs, hands_scored)


@pytest.mark.parametrize(("ours", "theirs"), [(0, 0), (3, 7), (9, 8), (9, 9)])
def test_what_one_side_may_win_the_other_may_lose(ours: int, theirs: int) -> None:
    for points in (1, 2, 4):
        assert at(TO_TEN, ours, theirs).after(points) + at(TO_TEN, theirs, ours).after(-points) == pytest.approx(1)


def test_the_points_that_end_the_game_decide_it() -> None:
    assert at(TO_TEN, 9, 9).after(1) == 1
    assert at(TO_TEN, 9, 8).after(-2) == 0
    assert at(make_rules("standard", {"win_by": 2}), 9, 9).after(1) < 1


def test_more_points_are_never_worse() -> None:
    worth = [at(TO_TEN, 5, 6).after(points) for points in (-4, -2, -1, 1, 2, 4)]
    assert worth == sorted(worth)


def test_a_long_game_can_be_weighed() -> None:
    assert at(make_rules("standard", {"target": 99}), 0, 0).after(1) > 0.5
    assert at(make_rules("standard", {"target": None, "hands": 99}), 0, 0).after(1) > 0.5


def test_alone_gains_only_where_more_than_a_march_is_wanted() -> None:
    assert at(TO_TEN, 7, 0).alone_can_gain()
    assert not at(TO_TEN, 8, 0).alone_can_gain()
    assert not at(TO_TEN, 9, 9).alone_can_gain()


def test_in_the_last_of_a_fixed_number_of_hands_alone_gains_only_when_behind() -> None:
    assert at(TWELVE_HANDS, 10, 13, hands_scored=11).alone_can_gain()
    assert not at(TWELVE_HANDS, 13, 12, hands_scored=11).alone_can_gain()


def test_in_the_last_of_a_fixed_number_of_hands_a_point_decides_and_before_it_does_not() -> None:
    assert at(TWELVE_HANDS, 10, 10, hands_scored=11).after(1) == 1
    assert 0.5 < at(TWELVE_HANDS, 10, 10, hands_scored=10).after(1) < 1


def test_a_lone_march_counts_what_the_table_says() -> None:
    assert not at(make_rules("standard", {"lone_march": 2}), 0, 0).alone_can_gain()


@pytest.mark.parametrize(("alone", "mean"), [(False, 0.5 * 2 + 0.3 * 1 - 0.2 * 2), (True, 0.5 * 4 + 0.3 * 1 - 0.2 * 2)])
def test_a_call_is_worth_its_results_each_as_likely_as_it_is(*, alone: bool, mean: float) -> None:
    standing, odds = at(TO_TEN, 4, 6), Odds(march=0.5, made=0.3, euchred=0.2)
    assert points_of(odds, TO_TEN, alone=alone) == pytest.approx(mean)
    march, made, euchred = (standing.after(points) for points in (4 if alone else 2, 1, -2))
    assert standing.worth_of_calling(odds, alone=alone) == pytest.approx(0.5 * march + 0.3 * made + 0.2 * euchred)


def test_a_pass_is_worth_what_it_brings_on_average() -> None:
    even = at(TO_TEN, 5, 5)
    worth = [even.worth_of_passing(points / 4) for points in range(-8, 9)]
    assert worth == sorted(worth)
    assert worth[8] == pytest.approx(0.5)
    assert [one + other for one, other in zip(worth, reversed(worth), strict=True)] == pytest.approx([1] * 17)
    assert even.worth_of_passing(9) == even.worth_of_passing(99) < even.after(4)
    long = at(make_rules("standard", {"target": 99}), 0, 0)
    assert long.worth_of_passing(1) - 0.5 == pytest.approx(long.after(1) - 0.5, rel=0.02)


@pytest.mark.parametrize("alone", [True, False])
def test_odds_are_chances_and_better_hands_have_better_ones(alone: bool) -> None:  # noqa: FBT001  # a parameter of the test
    points = []
    for tenths in range(52):
        odds = odds_of(tenths / 10, TO_TEN, alone=alone)
        assert odds.march + odds.made + odds.euchred == pytest.approx(1)
        assert min(odds.march, odds.made, odds.euchred) >= 0
        points.append(points_of(odds, TO_TEN, alone=alone))
    assert points == sorted(points)


def test_a_higher_mark_is_harder_to_reach() -> None:
    four = make_rules("standard", {"tricks_needed": 4})
    assert odds_of(3.2, four, alone=False).euchred > odds_of(3.2, TO_TEN, alone=False).euchred
    sweep = make_rules("standard", {"lone_must_sweep": True})
    assert odds_of(3.9, sweep, alone=True).euchred == pytest.approx(1 - odds_of(3.9, sweep, alone=True).march)
