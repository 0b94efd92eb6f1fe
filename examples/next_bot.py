"""A bot in Python: bids by its own idea, plays the rest by the rules of thumb.

euchre bot run next_bot.py:NextBot
"""

from __future__ import annotations

from collections.abc import Sequence

from bots import Bot
from engine.actions import Action
from engine.cards import is_trump, upcard_suit
from engine.view import View

NEXT = {"s": "c", "c": "s", "h": "d", "d": "h"}
"""The other suit of the same colour."""


class NextBot(Bot):
    """Orders up with three trumps; in round two, calls next from the dealer's left."""

    version = "1"

    def bid(self, view: View, legal: Sequence[Action]) -> str:
        """Return the text of a bid."""
        allowed = {str(action) for action in legal}
        assert view.upcard is not None  # it stays in the view when it was turned down
        trump = upcard_suit(view.upcard)
        if "order" in allowed and sum(is_trump(card, trump) for card in view.cards) >= 3:
            return "order"
        is_left_of_dealer = view.dealer is not None and view.viewer == (view.dealer + 1) % 4
        if is_left_of_dealer and f"call {NEXT[trump]}" in allowed:
            return f"call {NEXT[trump]}"
        return "pass" if "pass" in allowed else str(self.rule_of_thumb(view, legal))
