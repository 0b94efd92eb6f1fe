"""How strong the levels are, and that the arena measures it."""

from __future__ import annotations

import pytest

from bots.arena import compare
from bots.policy import LEVELS
from bots.uniform import Uniform
from engine.rules import make_rules
from tests.bots.scenes import RULES

EASY, STANDARD, UNIFORM = LEVELS["easy"], LEVELS["standard"], Uniform()


def test_standard_beats_random_by_a_point_a_hand() -> None:
    measured = compare(STANDARD, UNIFORM, RULES, deals=300, seed=1)
    assert measured.points - 2 * measured.error > 1.0


def test_standard_beats_easy() -> None:
    measured = compare(STANDARD, EASY, RULES, deals=250, seed=2)
    assert measured.points - 2 * measured.error > 0.05


def test_easy_beats_random() -> None:
    measured = compare(EASY, UNIFORM, RULES, deals=200, seed=3)
    assert measured.points - 2 * measured.error > 0.5


@pytest.mark.parametrize("overrides", [{"low_rank": 7}, {"no_trump": "round2", "low_no_trump": True}])
def test_standard_beats_random_with_other_rules_too(overrides: dict[str, object]) -> None:
    measured = compare(STANDARD, UNIFORM, make_rules("standard", overrides), deals=120, seed=4)
    assert measured.points - 2 * measured.error > 0.7


def test_a_policy_is_as_good_as_itself() -> None:
    """The same deals from both sides: exactly even, not only about."""
    measured = compare(STANDARD, STANDARD, RULES, deals=40, seed=5)
    assert (measured.points, measured.error, measured.hands) == (0.0, 0.0, 80)


def test_the_same_seed_measures_the_same() -> None:
    assert compare(EASY, UNIFORM, RULES, deals=30, seed=6) == compare(EASY, UNIFORM, RULES, deals=30, seed=6)


def test_standards_calls_are_sound_and_not_timid() -> None:
    """Among themselves they are euchred in an eighth to a quarter of the hands they call."""
    measured = compare(STANDARD, STANDARD, RULES, deals=200, seed=7)
    assert 0.75 < measured.made_rate < 0.9
