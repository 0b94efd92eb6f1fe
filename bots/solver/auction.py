"""The bidding by rules of thumb over given hands: who makes trump, in what, and whether alone.

Hands are those of `bots.solver.sampling`: a bit a card in the order of `engine.cards.ALL_CARDS`. Compiled like it, and
the same as plain Python.
"""

from __future__ import annotations

from mypy_extensions import i64

from bots.solver.sampling import Strength, is_clear

NOBODY: i64 = -1


class Turn:
    """A seat's turn to bid: what it may call, and by how much each call is better or worse there.

    ``trumps`` are suits' numbers. ``together`` and ``alone`` are what its place adds to each, less the tricks from
    which one calls so. ``picks_up`` is the upcard a dealer would take, or 0. With ``must_call`` it cannot pass, with
    ``only_alone`` it calls alone or passes, and it calls alone only if it ``may_be_alone``.
    """

    def __init__(
        self,
        seat: int,
        trumps: list[int],
        together: list[float],
        alone: list[float],
        *,
        picks_up: int,
        must_call: bool,
        only_alone: bool,
        may_be_alone: bool,
    ) -> None:
        self.seat: i64 = seat
        self.trumps = trumps
        self.together = together
        self.alone = alone
        self.picks_up: i64 = picks_up
        self.must_call = must_call
        self.only_alone = only_alone
        self.may_be_alone = may_be_alone


class Auction:
    """The turns that are left. Hands are valued by *together* and *lone*."""

    def __init__(self, turns: list[Turn], together: Strength, lone: Strength) -> None:
        self._turns = turns
        self._together = together
        self._lone = lone

    def call(self, hands: list[i64]) -> tuple[i64, i64, bool]:
        """Return who calls over *hands*, by seat, what suit and whether alone; NOBODY if all pass."""
        for turn in self._turns:
            best: i64 = 0
            most: float = -99.0
            fit: float = -99.0
            clear = False
            for at in range(len(turn.trumps)):
                trump: i64 = turn.trumps[at]
                hand = hands[turn.seat]
                if turn.picks_up:
                    hand = best_five(hand | turn.picks_up, trump, self._together)
                worth = self._together.tricks(hand, trump) + turn.together[at]
                if worth > most:
                    best = trump
                    most = worth
                    fit = self._lone.tricks(hand, trump) + turn.alone[at]
                    clear = is_clear(hand, trump)
            alone = fit >= 0.0 and turn.may_be_alone
            if alone if turn.only_alone else most > 0.0 or clear or turn.must_call:
                return turn.seat, best, alone
        return NOBODY, 0, False


def best_five(six: i64, trump: i64, together: Strength) -> i64:
    """Return the five of *six* cards that take most tricks under *trump*."""
    best: i64 = 0
    most: float = -99.0
    rest = six
    while rest:
        card = rest & -rest
        rest ^= card
        worth = together.tricks(six ^ card, trump)
        if worth > most:
            best = six ^ card
            most = worth
    return best
