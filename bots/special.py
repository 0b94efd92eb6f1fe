"""The decisions of special tables: relief, a card for a lone maker, trump for a Benny turned up, a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bots.bidding import ALONE_AT
from bots.discarding import choose_discard
from bots.estimate import holding, tricks_alone, tricks_together
from bots.winning import Standing
from engine.actions import CALLS, CLAIM, GIVES, Action, AskRelief, CallTrump, GiveCard
from engine.cards import Card, Trump, is_trump, strength, team_of, upcard_suit
from engine.rules import Rules
from engine.view import View

_HIGH_TRUMP: Final = "QKAJ"
_ACES_WORTH_KEEPING: Final = 2


def choose_relief(view: View, legal: Sequence[Action]) -> Action | None:
    """Return the relief to ask for, of the three worst cards where they are swapped; None for a hand with two aces."""
    asked = [action for action in legal if isinstance(action, AskRelief)]
    if not asked or sum(card[0] == "A" for card in view.cards) >= _ACES_WORTH_KEEPING:
        return None
    assert view.upcard is not None
    trump = upcard_suit(view.upcard)
    return min(asked, key=lambda action: (sum(strength(card, trump) for card in action.cards), str(action)))


def choose_gift(view: View, legal: Sequence[Action], rules: Rules) -> Action:
    """Return the card to pass in call for best: the least useful to a lone maker, the best of the partner's six."""
    assert view.trump is not None
    trump = view.trump
    cards = [action.card for action in legal if isinstance(action, GiveCard)]
    if view.viewer not in view.alone:
        return GIVES[max(cards, key=lambda card: (_worth_to_maker(card, trump), card))]

    def tricks_without(card: Card) -> float:
        return tricks_alone(holding([other for other in view.cards if other != card], trump, rules), trump)

    return GIVES[max(cards, key=lambda card: (round(tricks_without(card), 6), -strength(card, trump), card))]


def _worth_to_maker(card: Card, trump: Trump) -> tuple[int, int]:
    """Rank a partner's card: high trumps, then tops of plain suits, then low trumps, then the rest."""
    if is_trump(card, trump):
        return (3 if card[0] in _HIGH_TRUMP or card[1] == "j" else 1), strength(card, trump)
    top = "9" if trump == "l" else "A"
    return (2 if card[0] == top else 0), strength(card, trump)


def choose_name(view: View, legal: Sequence[Action], rules: Rules) -> Action:
    """Return what a dealer names for the Benny he will take; blind, he has nothing to choose by."""
    calls = [action for action in legal if isinstance(action, CallTrump)]
    assert view.upcard is not None
    if not view.cards:
        return calls[0]
    upcard = view.upcard

    def five(trump: Trump) -> list[Card]:
        six = (*view.cards, upcard)
        buried = choose_discard(six, six if rules.upcard_discard else view.cards, trump, rules)
        return [card for card in six if card != buried]

    worth = {call: tricks_together(holding(five(call.trump), call.trump, rules), call.trump) for call in calls}
    best = max((call for call in calls if not call.alone), key=lambda call: (round(worth[call], 6), call.trump))
    lone = CALLS[best.trump, True]
    team = team_of(view.dealer or 0)
    standing = Standing(rules, view.score[team], view.score[1 - team], view.hands_scored)
    fit = tricks_alone(holding(five(best.trump), best.trump, rules), best.trump) >= ALONE_AT
    return lone if lone in legal and fit and standing.alone_can_gain() else best


def choose_claim(legal: Sequence[Action]) -> Action | None:
    """Claim whenever it is certain: it ends a hand nobody can change."""
    return CLAIM if CLAIM in legal else None
