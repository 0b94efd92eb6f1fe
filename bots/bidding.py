"""Whether to make trump, in what, and whether to go alone.

A call is worth the chance to win the game with it: the hand's tricks (`bots.estimate`) give the odds of its results,
and the score gives what each is worth (`bots.winning`). Passing is worth what the weakest hand that calls from this
place is worth, so that hand's tricks are the one threshold of each place. Three trumps or both bowers always call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bots.discarding import choose_discard
from bots.estimate import (
    DEALER,
    FIRST,
    SECOND,
    THIRD,
    cards_after_pickup,
    holding,
    lead_adds,
    odds_of,
    place_of,
    seat_of,
    tricks_alone,
    tricks_together,
    turned_down_adds,
    upcard_adds,
)
from bots.winning import Standing, points_of
from engine.actions import ALONE, DEFEND_ALONE, DEFEND_TOGETHER, PASS, TOGETHER, Action, CallTrump, OrderUp
from engine.cards import Card, Cards, Trump, team_of, upcard_suit
from engine.rules import Rules
from engine.state import Phase, UpcardFate
from engine.view import View

CALLS_AT: Final[dict[tuple[Phase, int], float]] = {
    (Phase.ROUND_ONE, FIRST): 3.40,
    (Phase.ROUND_ONE, SECOND): 3.40,
    (Phase.ROUND_ONE, THIRD): 3.25,
    (Phase.ROUND_ONE, DEALER): 2.75,
    (Phase.ROUND_TWO, FIRST): 2.75,
    (Phase.ROUND_TWO, SECOND): 2.70,
    (Phase.ROUND_TWO, THIRD): 2.60,
    (Phase.ROUND_TWO, DEALER): 2.60,
}
"""The tricks, taken with the partner, from which a hand calls when the score does not matter."""
ALONE_AT: Final = 3.90
"""The tricks, taken alone, from which a hand goes alone rather than with the partner."""
ALONE_OR_PASS_AT: Final = 3.40
"""The same where the rules leave only alone or pass."""
DEFEND_ALONE_AT: Final = 3.00
DEFEND_ALONE_AGAINST_ALONE_AT: Final = 3.40
"""The same for a defender: against two makers, and against a lone one, whose hand is stronger."""
_CLEAR_TRUMPS: Final = 3
_BOTH_BOWERS: Final = (0, 1)


@dataclass(frozen=True, slots=True)
class Call:
    """A call a seat could make, and the tricks it is worth. A clear call is made whatever the odds say."""

    action: OrderUp | CallTrump
    tricks: float
    is_clear: bool


def choose_bid(view: View, legal: Sequence[Action], rules: Rules) -> Action:
    """Return the bid, in either round: the call worth most, or a pass if that is worth more."""
    standing = _standing(view, rules)
    calls = [
        call for action in legal if isinstance(action, OrderUp | CallTrump) for call in [_weigh(view, action, rules)]
    ]
    must_be_alone = all(call.action.alone for call in calls)
    may_pass = PASS in legal
    best, best_worth = None, 0.0
    for call in calls:
        if call.action.alone and not _is_fit_for_alone(standing, call, only_way=must_be_alone and may_pass):
            continue
        odds = odds_of(call.tricks, rules, alone=call.action.alone)
        worth = standing.worth_of_calling(odds, alone=call.action.alone)
        if best is None or worth > best_worth:
            best, best_worth = call, worth
    if best is None:
        return PASS if may_pass else legal[0]
    if not may_pass or best.is_clear or best_worth > _worth_of_passing(view, standing):
        return best.action
    return PASS


def _is_fit_for_alone(standing: Standing, call: Call, *, only_way: bool) -> bool:
    if only_way:
        return call.tricks >= ALONE_OR_PASS_AT
    return call.tricks >= ALONE_AT and standing.alone_can_gain()


def _worth_of_passing(view: View, standing: Standing) -> float:
    assert view.phase is not None
    at = CALLS_AT[view.phase, _place(view)]
    return standing.worth_of_passing(points_of(odds_of(at, standing.rules, alone=False), standing.rules, alone=False))


# ── what a call is worth ─────────────────────────────────────────────────────────────────────────────────────────────


def _weigh(view: View, action: OrderUp | CallTrump, rules: Rules) -> Call:
    upcard, place = view.upcard, _place(view)
    assert upcard is not None
    if isinstance(action, OrderUp):
        trump: Trump = upcard_suit(upcard)
        hand = hand_after_ordering(view.cards, upcard, place, rules)
        position = upcard_adds(upcard, place, rules, alone=action.alone)
    else:
        trump, hand = action.trump, view.cards
        position = turned_down_adds(upcard, trump, place)
    position += lead_adds(place, trump, alone=action.alone)
    held = holding(hand, trump, rules)
    tricks = (tricks_alone if action.alone else tricks_together)(held, trump)
    is_clear = len(held.trumps) >= _CLEAR_TRUMPS or held.trumps[:2] == _BOTH_BOWERS
    return Call(action, tricks + position, is_clear)


def hand_after_ordering(hand: Cards, upcard: Card, place: int, rules: Rules) -> Cards:
    """Return the five cards a seat plays with once *upcard* is ordered up: the dealer's change."""
    if place != DEALER:
        return hand
    six = (*hand, upcard)
    buried = choose_discard(six, six if rules.upcard_discard else hand, upcard_suit(upcard), rules)
    return cards_after_pickup(hand, upcard, buried)


# ── the windows ──────────────────────────────────────────────────────────────────────────────────────────────────────


def choose_alone(view: View, rules: Rules) -> Action:
    """Answer the maker side's alone window."""
    assert view.trump is not None
    standing = _standing(view, rules)
    if not standing.alone_can_gain():
        return TOGETHER
    held = holding(view.cards, view.trump, rules)
    place = _place(view)
    tricks = tricks_alone(held, view.trump) + lead_adds(place, view.trump, alone=True)
    if view.upcard_fate is UpcardFate.TAKEN and view.upcard is not None and place != DEALER:
        tricks += upcard_adds(view.upcard, place, rules, alone=True)
    return ALONE if tricks >= ALONE_AT else TOGETHER


def choose_defence(view: View, rules: Rules) -> Action:
    """Answer the defenders' window."""
    assert view.trump is not None
    tricks = tricks_alone(holding(view.cards, view.trump, rules), view.trump)
    return (
        DEFEND_ALONE
        if tricks >= (DEFEND_ALONE_AGAINST_ALONE_AT if view.alone else DEFEND_ALONE_AT)
        else DEFEND_TOGETHER
    )


def _place(view: View) -> int:
    assert view.dealer is not None
    return place_of(seat_of(view), view.dealer)


def _standing(view: View, rules: Rules) -> Standing:
    team = team_of(seat_of(view))
    return Standing(rules, view.score[team], view.score[1 - team], view.hands_scored)
