"""Which card a dealer buries after taking up the upcard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import Card, Cards, Trump, effective_suit, strength

_HIGHEST_PLAIN: Final = 7


def choose_discard(hand: Cards, allowed: Sequence[Card], trump: Trump) -> Card:
    """Return which of *allowed* to bury from *hand*, which holds six cards.

    A lone card outside trump goes first, if it is no ace: the suit it leaves can be ruffed. Then the lowest card of
    the suit whose loss hurts least: a king keeps its guard, and trumps stay.
    """
    return min(allowed, key=lambda card: (_missed(hand, card, trump), card))


def _missed(hand: Cards, card: Card, trump: Trump) -> float:
    suit = effective_suit(card, trump)
    height = strength(card, trump)
    if suit == trump:
        return 100.0 + height
    others = [other for other in hand if other != card and effective_suit(other, trump) == suit]
    if not others:
        return 50.0 if height == _HIGHEST_PLAIN else float(height)
    if len(others) == 1 and strength(others[0], trump) == _HIGHEST_PLAIN - 1:
        return 30.0 + height
    return 10.0 + height + (30.0 if height == _HIGHEST_PLAIN else 0.0)
