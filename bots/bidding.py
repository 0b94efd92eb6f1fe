"""Whether to make trump, in what, and whether to go alone: a hand's tricks, then what they are worth at this score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.actions import (
    ALONE,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    PASS,
    TOGETHER,
    Action,
    CallTrump,
    OrderUp,
)
from engine.cards import PARTNER_OF, SUITS, Card, Trump, effective_suit, strength, team_of
from engine.rules import Rules
from engine.view import View

_MARCH_POINTS: Final = 2
_CALL_AT: Final = 2.0
_ALONE_AT: Final = 4.2
_DEFEND_ALONE_AT: Final = 3.2


def trick_value(hand: Sequence[Card], trump: Trump) -> float:
    """Return about how many tricks *hand* takes under *trump*."""
    trumps = sorted((strength(card, trump) for card in hand if effective_suit(card, trump) == trump), reverse=True)
    value = 0.0
    for height in trumps:
        value += 1.0 if height >= 30 else 0.85 if height == 29 else 0.7 if height >= 27 else 0.5
    plain: dict[str, list[str]] = {}
    for card in hand:
        suit = effective_suit(card, trump)
        if suit != trump:
            plain.setdefault(suit, []).append(card[0])
    for ranks in plain.values():
        if "A" in ranks:
            value += 0.55
        elif "K" in ranks and len(ranks) > 1:
            value += 0.15
    if len(trumps) >= 2:
        value += 0.2 * (3 - len(plain))
    return value


def choose_bid(view: View, legal: Sequence[Action], rules: Rules) -> Action:
    """Return the bid, in either round."""
    best = max(
        (action for action in legal if action != PASS), key=lambda action: _bid_value(view, action, rules), default=PASS
    )
    if PASS in legal and (best == PASS or not _is_a_call(view, best)):
        return PASS
    return best


def _bid_value(view: View, action: Action, rules: Rules) -> tuple[float, bool]:
    assert isinstance(action, OrderUp | CallTrump)
    value = _value_of_call(view, action)
    wants_alone = value >= _ALONE_AT and not alone_gains_nothing(view, rules)
    return value, action.alone == wants_alone


def _value_of_call(view: View, action: OrderUp | CallTrump) -> float:
    seat = view.viewer
    assert isinstance(seat, int)
    if isinstance(action, CallTrump):
        return trick_value(view.cards, action.trump)
    upcard, trump = view.upcard, upcard_suit(view)
    assert upcard is not None
    if seat == view.dealer:
        six = (*view.cards, upcard)
        return max(trick_value([card for card in six if card != buried], trump) for buried in six)
    sign = 1 if view.dealer == PARTNER_OF[seat] else -1
    return trick_value(view.cards, trump) + sign * (0.6 if upcard[0] == "J" else 0.3)


def upcard_suit(view: View) -> Trump:
    assert view.upcard is not None
    return next(suit for suit in SUITS if suit == view.upcard[1])


def _is_a_call(view: View, action: Action) -> bool:
    assert isinstance(action, OrderUp | CallTrump)
    value = _value_of_call(view, action)
    return value >= (_ALONE_AT if action.alone else _CALL_AT)


def alone_gains_nothing(view: View, rules: Rules) -> bool:
    """Tell whether a march together would win the game as well (a lone one needs more and helps no further)."""
    assert isinstance(view.viewer, int)
    return rules.target is not None and rules.target - view.score[team_of(view.viewer)] <= _MARCH_POINTS


def choose_alone(view: View, rules: Rules) -> Action:
    """Answer the maker side's alone window."""
    assert view.trump is not None
    value = trick_value(view.cards, view.trump)
    return ALONE if value >= _ALONE_AT and not alone_gains_nothing(view, rules) else TOGETHER


def choose_defence(view: View) -> Action:
    """Answer the defenders' window."""
    assert view.trump is not None
    value = trick_value(view.cards, view.trump)
    return DEFEND_ALONE if value >= _DEFEND_ALONE_AT else DEFEND_TOGETHER
