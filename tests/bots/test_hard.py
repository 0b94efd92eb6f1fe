"""The levels that search: what they weigh, what they never do, and that they are done in time."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bots.hard import HARD
from bots.policy import LEVELS
from bots.search import evaluate, outcomes
from engine.actions import ORDER, ORDER_ALONE, PASS, Action
from engine.cards import BENNY, legal_cards
from engine.rules import make_rules
from engine.state import Phase, UpcardFate
from engine.view import View
from tests.bots.scenes import RULES, action_of, bid_of, bidding, card_of, play_hands, playing

LONER = "Jh Jd Ah Kh As"
BIDS: tuple[Action, ...] = (PASS, ORDER, ORDER_ALONE)
searching = pytest.mark.parametrize("level", ["hard", "expert"])


def plays(view: View) -> list[Action]:
    assert view.trump is not None
    led = view.trick[0][1] if view.trick else None
    return [action_of(f"play {card}") for card in legal_cards(view.cards, led, view.trump)]


# ── what an action is worth ──────────────────────────────────────────────────────────────────────────────────────────


def test_every_card_is_weighed_in_points_with_its_error() -> None:
    view = playing("Jh Ah 9h As 9d", trump="h", maker=0)
    worth = evaluate(view, plays(view), RULES, layouts=60, seed=1)
    assert [found.action for found in worth] == plays(view)
    assert all(-2 <= found.points <= 2 and 0 <= found.error < 0.4 for found in worth)


def test_calls_are_weighed_against_what_comes_of_a_pass() -> None:
    view = bidding(LONER, upcard="9h")
    passed, together, alone = evaluate(view, BIDS, RULES, layouts=60, seed=1)
    assert passed.error > 0
    assert together.points <= 2 < alone.points <= 4
    assert passed.points < alone.points


def test_passing_is_worth_less_where_the_dealer_must_call() -> None:
    """Nobody need call with bad cards where the deal passes on."""
    weak = bidding("9h Th 9c Tc 9d", upcard="Qs", round_two=True, seat=3)
    bids = [PASS, *(action_of(f"call {suit}") for suit in "hdc")]
    passed, *calls = evaluate(weak, bids, make_rules("standard", {"all_pass": "redeal"}), layouts=60, seed=1)
    assert passed.points == 0
    assert max(call.points for call in calls) < 0


def test_the_same_seed_gives_the_same_figures_and_more_layouts_a_smaller_error() -> None:
    view = playing("Jd 9h Kd Qc Ts", trump="h", maker=1)
    few, again, many = (evaluate(view, plays(view), RULES, layouts=count, seed=2) for count in (30, 30, 300))
    assert few == again
    assert sum(found.error for found in many) < sum(found.error for found in few)


def test_what_is_not_searched_is_left_out() -> None:
    rules = make_rules("british")
    blind = View(viewer=3, phase=Phase.NAME, to_act=3, dealer=3, upcard=BENNY, upcard_fate=UpcardFate.UP)
    assert evaluate(blind, [action_of("call s"), action_of("call h")], rules, layouts=5, seed=1) == ()


def test_a_bound_on_the_work_ends_the_search() -> None:
    """The plays looked at bound the time of a decision, on any machine; `euchre arena` tells how long they take."""
    lead, bid = playing("Jh Ah 9h As 9d", trump="h", maker=0), bidding(LONER, upcard="9h")
    for view, legal in ((lead, plays(lead)), (bid, BIDS)):
        whole = outcomes(view, legal, RULES, layouts=60, seed=1)
        bounded = outcomes(view, legal, RULES, layouts=60, seed=1, work=1)
        assert set(bounded) == set(whole) == set(legal)
        assert all(0 < bounded[action].counts.total() < whole[action].counts.total() for action in legal)


def test_a_level_makes_do_with_the_work_it_may_do() -> None:
    """A search that stops at its first layout does not always find what a whole one finds."""
    hasty = replace(HARD, work=1, margin=0.0)
    whole = replace(HARD, work=10**9, margin=0.0)
    asked = [one for one in play_hands([LEVELS["standard"]] * 4, RULES, hands=2, seed=8) if len(one.legal) > 1]
    answers = [[level.decide(one.view, one.legal, RULES, Random(1)) for one in asked] for level in (hasty, whole)]
    assert answers[0] != answers[1]


# ── how they decide ──────────────────────────────────────────────────────────────────────────────────────────────────


@searching
def test_takes_the_trick_that_decides_the_hand(level: str) -> None:
    before = [(3, "9s Ts Js Qs"), (2, "Ac 9c Tc Qc"), (2, "9d Td Qd Jd")]
    view = playing("Ah As", trump="h", maker=1, trick="Ad Kd 9h", leader=1, before=before)
    assert card_of(view, level) == "Ah"


@searching
@pytest.mark.parametrize("score", [(9, 9), (9, 0), (8, 8), (9, 5)])
def test_does_not_go_alone_where_it_gains_nothing(level: str, score: tuple[int, int]) -> None:
    assert bid_of(bidding(LONER, upcard="9h", score=score), "pass, order, order alone", level) == "order"


@searching
def test_goes_alone_with_a_hand_that_wins_by_itself(level: str) -> None:
    assert bid_of(bidding(LONER, upcard="9h"), "pass, order, order alone", level) == "order alone"
