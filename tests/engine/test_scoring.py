"""What a hand scores and when a game ends (RULES.md §7, §9)."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from engine.cards import Seat, team_of
from engine.errors import Code
from engine.events import GameOver, HandScored, Reason
from engine.game import deal, legal_actions, phase_of, to_act
from engine.rules import Rules, make_rules
from engine.scoring import score_hand, winner_of
from engine.state import Finished, Phase
from tests.engine.table import (
    every_refusal,
    played_out,
    rules_for,
    scored_hand,
    settle,
    shuffled,
    shuffled_table,
    standing_at,
)

MAKERS, DEFENDERS = True, False

# Alone seats by name; the maker is seat 1.
NOBODY: Final = ()
MAKER: Final = (1,)
PARTNER: Final = (3,)
DEFENDER: Final = (2,)
BOTH: Final = (1, 2)

TABLE: Final[list[tuple[tuple[Seat, ...], int, dict[str, object], bool, int, Reason]]] = [
    # alone, tricks of the makers, options, who scores, points, reason
    (NOBODY, 3, {}, MAKERS, 1, Reason.MADE),
    (NOBODY, 4, {}, MAKERS, 1, Reason.MADE),
    (NOBODY, 5, {}, MAKERS, 2, Reason.MARCH),
    (NOBODY, 2, {}, DEFENDERS, 2, Reason.EUCHRED),
    (NOBODY, 1, {}, DEFENDERS, 2, Reason.EUCHRED),
    (NOBODY, 0, {}, DEFENDERS, 2, Reason.EUCHRED),
    (MAKER, 3, {}, MAKERS, 1, Reason.MADE),
    (MAKER, 4, {}, MAKERS, 1, Reason.MADE),
    (MAKER, 5, {}, MAKERS, 4, Reason.LONE_MARCH),
    (MAKER, 5, {"lone_march": 5}, MAKERS, 5, Reason.LONE_MARCH),
    (MAKER, 2, {}, DEFENDERS, 2, Reason.LONE_EUCHRED),
    (MAKER, 2, {"lone_euchred": 4}, DEFENDERS, 4, Reason.LONE_EUCHRED),
    (PARTNER, 5, {}, MAKERS, 4, Reason.LONE_MARCH),
    (PARTNER, 3, {}, MAKERS, 1, Reason.MADE),
    (PARTNER, 1, {"lone_euchred": 3}, DEFENDERS, 3, Reason.LONE_EUCHRED),
    (DEFENDER, 2, {}, DEFENDERS, 4, Reason.LONE_DEFENDER),
    (DEFENDER, 0, {}, DEFENDERS, 4, Reason.LONE_DEFENDER),
    (DEFENDER, 2, {"lone_defender": 3}, DEFENDERS, 3, Reason.LONE_DEFENDER),
    (DEFENDER, 3, {}, MAKERS, 1, Reason.MADE),
    (DEFENDER, 5, {}, MAKERS, 2, Reason.MARCH),
    (BOTH, 2, {}, DEFENDERS, 4, Reason.LONE_DEFENDER),
    (BOTH, 2, {"lone_euchred": 5}, DEFENDERS, 5, Reason.LONE_EUCHRED),
    (BOTH, 3, {}, MAKERS, 1, Reason.MADE),
    (BOTH, 5, {}, MAKERS, 4, Reason.LONE_MARCH),
    (NOBODY, 0, {"super_euchre": 4}, DEFENDERS, 4, Reason.SUPER_EUCHRE),
    (NOBODY, 1, {"super_euchre": 4}, DEFENDERS, 2, Reason.EUCHRED),
    (MAKER, 0, {"super_euchre": 4, "lone_euchred": 6}, DEFENDERS, 6, Reason.LONE_EUCHRED),
    (BOTH, 0, {"super_euchre": 6}, DEFENDERS, 6, Reason.SUPER_EUCHRE),
    (DEFENDER, 0, {"super_euchre": 3}, DEFENDERS, 4, Reason.LONE_DEFENDER),
    (NOBODY, 0, {"super_euchre": 2}, DEFENDERS, 2, Reason.SUPER_EUCHRE),
    (BOTH, 0, {"super_euchre": 4}, DEFENDERS, 4, Reason.SUPER_EUCHRE),
    (DEFENDER, 2, {"lone_defender": 2}, DEFENDERS, 2, Reason.LONE_DEFENDER),
    (BOTH, 2, {"lone_euchred": 4}, DEFENDERS, 4, Reason.LONE_DEFENDER),
    (NOBODY, 3, {"tricks_needed": 4}, DEFENDERS, 2, Reason.EUCHRED),
    (NOBODY, 4, {"tricks_needed": 4}, MAKERS, 1, Reason.MADE),
    (NOBODY, 5, {"tricks_needed": 4}, MAKERS, 2, Reason.MARCH),
    (DEFENDER, 3, {"tricks_needed": 4}, DEFENDERS, 2, Reason.EUCHRED),
    (MAKER, 4, {"lone_must_sweep": True}, DEFENDERS, 2, Reason.LONE_EUCHRED),
    (MAKER, 5, {"lone_must_sweep": True}, MAKERS, 4, Reason.LONE_MARCH),
    (PARTNER, 4, {"lone_must_sweep": True}, DEFENDERS, 2, Reason.LONE_EUCHRED),
    (NOBODY, 3, {"lone_must_sweep": True}, MAKERS, 1, Reason.MADE),
    (DEFENDER, 3, {"lone_must_sweep": True}, MAKERS, 1, Reason.MADE),
    (BOTH, 4, {"lone_must_sweep": True}, DEFENDERS, 2, Reason.LONE_EUCHRED),
]
"""RULES.md §7, value for value (R-SCORE-1 to R-SCORE-5), and which of equal amounts is told (R-SCORE-7)."""


@pytest.mark.parametrize(("alone", "taken", "options", "makers_score", "points", "reason"), TABLE)
def test_a_hand_scores_what_section_7_says(
    *, alone: tuple[Seat, ...], taken: int, options: dict[str, object], makers_score: bool, points: int, reason: Reason
) -> None:
    """By the scoring function for every maker, and for one by a hand really played."""
    rules = rules_for(1, alone, **options)
    for turned in range(4):
        maker, lone = (1 + turned) % 4, tuple((seat + turned) % 4 for seat in alone)
        side = team_of(maker) if makers_score else 1 - team_of(maker)
        tricks = (taken, 5 - taken) if team_of(maker) == 0 else (5 - taken, taken)
        assert score_hand(rules, maker=maker, alone=lone, tricks=tricks) == (side, points, reason)
    side = 1 if makers_score else 0
    _, scored = scored_hand(rules, maker=1, alone=alone, maker_team_tricks=taken)
    assert scored == HandScored(
        maker=1,
        alone=bool({1, 3} & {*alone}),
        tricks=(5 - taken, taken),
        team=side,
        points=points,
        reason=reason,
        score=(points, 0) if side == 0 else (0, points),
    )


@pytest.mark.parametrize("trump", ["n", "l"])
@pytest.mark.parametrize(("taken", "points"), [(5, 2), (3, 1), (2, -2)])
def test_no_trump_hands_score_the_same(trump: str, taken: int, points: int) -> None:
    """R-SCORE-6."""
    rules = make_rules("standard", {"no_trump": "round2", "low_no_trump": True})
    _, scored = scored_hand(rules, maker=1, alone=(), maker_team_tricks=taken, trump=trump)
    assert scored.score == ((0, points) if points > 0 else (-points, 0))


# ── the end of the game ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("target", [1, 5, 7, 10, 11, 15, 21, 99])
def test_the_first_team_at_or_over_the_target_wins(target: int) -> None:
    """R-GAME-1: not one point before."""
    rules = make_rules("standard", {"target": target})
    assert winner_of(rules, (target - 1, 0), 9) == (False, 0 if target > 1 else None)
    assert winner_of(rules, (target, target - 1), 9) == (True, 0)
    assert winner_of(rules, (target - 1, target + 3), 9) == (True, 1)


def test_the_overshoot_is_kept() -> None:
    """R-GAME-1: a lone march at nine of ten ends at thirteen."""
    done, scored = scored_hand(Rules(), maker=0, alone=[0], maker_team_tricks=5, score=(9, 7))
    assert scored.score == done.standing.score == (13, 7)
    assert isinstance(done.stage, Finished)
    assert done.stage.winner == 0


@pytest.mark.parametrize(
    ("score", "over"), [((10, 9), False), ((9, 10), False), ((11, 9), True), ((12, 14), True), ((10, 10), False)]
)
def test_a_table_may_ask_for_two_points_more(*, score: tuple[int, int], over: bool) -> None:
    """R-GAME-2: the game goes on past its target until somebody leads by `win_by`."""
    assert winner_of(make_rules("standard", {"win_by": 2}), score, 9)[0] is over


def test_a_game_of_two_ahead_goes_on_past_its_target() -> None:
    """R-GAME-2, in play: ten to nine is not over, and another hand is dealt."""
    rules = make_rules("standard", {"win_by": 2})
    game, _ = scored_hand(rules, maker=0, alone=(), maker_team_tricks=3, score=(9, 9))
    assert (game.standing.score, phase_of(game)) == ((10, 9), Phase.DEAL)
    game, _ = deal(game, shuffled(rules, Random(1)), dealer=1)
    assert to_act(game) == 2


@pytest.mark.parametrize(("score", "winner"), [((7, 7), None), ((8, 7), 0), ((0, 2), 1)])
def test_a_fixed_number_of_hands_may_end_in_a_draw(score: tuple[int, int], winner: int | None) -> None:
    """R-GAME-1 with `hands`."""
    rules = make_rules("championship")
    assert winner_of(rules, score, 11)[0] is False
    assert winner_of(rules, score, 12) == (True, winner)


def test_a_fixed_number_of_hands_knows_no_target() -> None:
    """R-GAME-1: eleven lone marches end nothing early."""
    assert winner_of(make_rules("championship"), (44, 0), 11)[0] is False


def test_a_draw_is_told_as_one() -> None:
    """R-GAME-1: winner null."""
    rules = make_rules("standard", {"target": None, "hands": 1})
    game, _ = scored_hand(rules, maker=0, alone=(), maker_team_tricks=3, score=(6, 7))
    assert isinstance(game.stage, Finished)
    assert game.stage.winner is None
    _, events = played_out(settle(shuffled_table(1, rules, score=(0, 0)), maker=0), Random(1))
    assert isinstance(events[-1], GameOver)


def test_nothing_can_be_done_when_the_game_is_over() -> None:
    """R-GAME-1: no seat is asked, and every action is refused with that reason."""
    done, _ = scored_hand(Rules(), maker=0, alone=(), maker_team_tricks=3, score=(9, 7))
    assert phase_of(done) is Phase.OVER
    assert to_act(done) is None
    assert legal_actions(done) == ()
    assert {code for seat in range(4) for code in every_refusal(done, seat)} == {Code.GAME_OVER}


def test_a_new_game_has_no_score() -> None:
    standing = standing_at(Rules()).standing
    assert (standing.score, standing.hands_dealt, standing.hands_scored) == ((0, 0), 0, 0)
