"""Which card a dealer buries after taking up the upcard."""

from __future__ import annotations

from collections.abc import Sequence

from bots.estimate import holding, tricks_together
from engine.cards import Card, Cards, Trump, strength
from engine.rules import Rules


def choose_discard(hand: Cards, allowed: Sequence[Card], trump: Trump, rules: Rules) -> Card:
    """Return which of *allowed* to bury from *hand*, which holds six cards: what leaves the best five.

    In practice a lone low card goes first, because its suit can then be ruffed; aces, trumps and a king's companion
    stay. Between equals the lower card goes.
    """

    def tricks_without(card: Card) -> float:
        return tricks_together(holding([other for other in hand if other != card], trump, rules), trump)

    return max(allowed, key=lambda card: (round(tricks_without(card), 6), -strength(card, trump), card))
