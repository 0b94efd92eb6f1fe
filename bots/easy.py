"""The `easy` level: plays by the look of the trick, forgets what has gone, and is not always of the same mind."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from bots.estimate import seat_of
from bots.special import choose_claim, choose_gift, choose_name, choose_relief
from engine.actions import (
    DEFEND_TOGETHER,
    DISCARDS,
    PASS,
    PLAYS,
    TOGETHER,
    Action,
    CallTrump,
    Discard,
    OrderUp,
    PlayCard,
)
from engine.cards import PARTNER_OF, Card, Trump, is_trump, strength, trick_winner, upcard_suit
from engine.rules import Rules
from engine.state import Phase
from engine.view import View

_CALL_AT: Final = 2.2
_ALONE_AT: Final = 4.4
_BOWERS: Final = 29
_MOOD: Final = 0.6
"""How far, in tricks, a hand may look better or worse than it is."""
_TRUSTS_PARTNER: Final = 0.5
"""How often a trick the partner is winning is left alone."""
_LEADS_HIGH: Final = 0.7
"""How often the lead is the highest card rather than any."""


class Easy:
    """A casual player: sees the trick in front of it and little more."""

    name: Final = "easy"

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        """Return one of *legal*; the same seed gives the same answer."""
        if len(legal) == 1:
            return legal[0]
        match view.phase:
            case Phase.NAME:
                return choose_name(view, legal, rules)
            case Phase.ROUND_ONE | Phase.ROUND_TWO:
                return choose_relief(view, legal) or _bid(view, legal, rng)
            case Phase.DISCARD:
                return _discard(view, legal)
            case Phase.ALONE:
                return TOGETHER
            case Phase.EXCHANGE:
                return choose_gift(view, legal, rules)
            case Phase.DEFEND:
                return DEFEND_TOGETHER
            case Phase.PLAY if claim := choose_claim(legal):
                return claim
            case Phase.PLAY:
                return PLAYS[_card(view, [action.card for action in legal if isinstance(action, PlayCard)], rng)]
            case _:
                raise ValueError(f"no seat decides in phase {view.phase}")


def _bid(view: View, legal: Sequence[Action], rng: random.Random) -> Action:
    """Call what looks best, if it looks good enough today."""
    calls = [action for action in legal if isinstance(action, OrderUp | CallTrump)]
    looks: dict[OrderUp | CallTrump, float] = {call: _looks(view, call) + rng.uniform(-_MOOD, _MOOD) for call in calls}
    if not looks:
        return PASS
    best = max(looks, key=lambda action: (looks[action], str(action)))
    return best if PASS not in legal or looks[best] >= 0 else PASS


def _looks(view: View, action: OrderUp | CallTrump) -> float:
    """Return by how many tricks the hand seems good enough for the call *action*."""
    assert view.upcard is not None
    trump = action.trump if isinstance(action, CallTrump) else upcard_suit(view.upcard)
    hand = (*view.cards, view.upcard) if isinstance(action, OrderUp) and view.dealer == view.viewer else view.cards
    return _tricks_at_a_glance(hand, trump) - (_ALONE_AT if action.alone else _CALL_AT)


def _tricks_at_a_glance(hand: Sequence[Card], trump: Trump) -> float:
    """Return a beginner's count: a bower or an ace is a trick, another trump half of one."""
    tricks = 0.0
    for card in hand:
        if card[0] == "A" or strength(card, trump) >= _BOWERS:
            tricks += 0.9
        elif is_trump(card, trump):
            tricks += 0.5
    return tricks


def _discard(view: View, legal: Sequence[Action]) -> Action:
    assert view.trump is not None
    cards = [action.card for action in legal if isinstance(action, Discard)]
    return DISCARDS[_lowest(cards, view.trump)]


def _card(view: View, cards: Sequence[Card], rng: random.Random) -> Card:
    """Win the trick cheaply if it can be won now, else throw the lowest card; lead high or anything."""
    trump = view.trump
    assert trump is not None
    if not view.trick:
        return _highest(cards, trump) if rng.random() < _LEADS_HIGH else rng.choice(cards)
    on_table = [card for _, card in view.trick]
    at = trick_winner(on_table, trump)
    winning = [card for card in cards if trick_winner((*on_table, card), trump) == len(on_table)]
    is_partners = view.trick[at][0] == PARTNER_OF[seat_of(view)]
    if not winning or (is_partners and rng.random() < _TRUSTS_PARTNER):
        return _lowest(cards, trump)
    return _lowest(winning, trump)


def _highest(cards: Sequence[Card], trump: Trump) -> Card:
    return max(cards, key=lambda card: (strength(card, trump), card))


def _lowest(cards: Sequence[Card], trump: Trump) -> Card:
    return min(cards, key=lambda card: (strength(card, trump), card))
