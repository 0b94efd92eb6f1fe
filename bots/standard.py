"""The `standard` level: rules of thumb of a good partner. It never guesses; the seed changes nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from bots.bidding import choose_alone, choose_bid, choose_defence
from bots.discarding import choose_discard
from bots.play import choose_card
from bots.special import choose_claim, choose_gift, choose_name, choose_relief
from engine.actions import DISCARDS, PLAYS, Action, Discard
from engine.rules import Rules
from engine.state import Phase
from engine.view import View


class Standard:
    """Counts what is out, calls by the odds at the score, and plays so that a partner can rely on it."""

    name: Final = "standard"

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        """Return one of *legal* for the seat whose view this is."""
        if len(legal) == 1:
            return legal[0]
        match view.phase:
            case Phase.NAME:
                return choose_name(view, legal, rules)
            case Phase.ROUND_ONE | Phase.ROUND_TWO:
                return choose_relief(view, legal) or choose_bid(view, legal, rules)
            case Phase.DISCARD:
                assert view.trump is not None
                cards = [action.card for action in legal if isinstance(action, Discard)]
                return DISCARDS[choose_discard(view.cards, cards, view.trump, rules)]
            case Phase.ALONE:
                return choose_alone(view, rules)
            case Phase.EXCHANGE:
                return choose_gift(view, legal, rules)
            case Phase.DEFEND:
                return choose_defence(view, rules)
            case Phase.PLAY if claim := choose_claim(legal):
                return claim
            case Phase.PLAY:
                return PLAYS[choose_card(view, rules)]
            case _:
                raise ValueError(f"no seat decides in phase {view.phase}")
