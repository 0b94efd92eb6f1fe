"""What points are worth: the chance to win the game from a score. A point at 9-9 is not a point at 0-0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from bots.estimate import Odds
from engine.rules import Rules
from engine.scoring import score_hand

_POINTS: Final = ((1, 0.65), (2, 0.30), (4, 0.05))
"""What the side that wins an ordinary hand gets, and how often."""
_MEAN_POINTS: Final = sum(points * share for points, share in _POINTS)
_EVEN: Final = 0.5
_PER_POINT_IN_EXTRA: Final = 0.25


@dataclass(frozen=True, slots=True)
class Standing:
    """A game as one side sees it: its points, the others', and how many hands are scored."""

    rules: Rules
    ours: int
    theirs: int
    hands_scored: int

    def after(self, points: int) -> float:
        """Return the chance to win once this hand brought *points*, to the others if negative."""
        rules = self.rules
        ours, theirs = self.ours + max(0, points), self.theirs + max(0, -points)
        if rules.target is None:
            assert rules.hands is not None
            return _chance_in_hands(ours - theirs, max(0, rules.hands - self.hands_scored - 1))
        return _chance_to_target(rules.target - ours, rules.target - theirs, rules.win_by)

    def worth_of_calling(self, odds: Odds, *, alone: bool) -> float:
        """Return the chance to win when our side makes trump with these *odds*."""
        march, made, euchred = _points_of_a_call(self.rules, alone=alone)
        return odds.march * self.after(march) + odds.made * self.after(made) + odds.euchred * self.after(-euchred)

    def worth_of_passing(self, points: float) -> float:
        """Return the chance to win when passing brings *points* on average."""
        ours = min(1.0, max(0.0, _EVEN + points / _MEAN_POINTS / 2))
        return sum(share * (ours * self.after(won) + (1 - ours) * self.after(-won)) for won, share in _POINTS)

    def alone_can_gain(self) -> bool:
        """Tell whether the points of a lone march are better to have than those of a march together."""
        lone, _, _ = _points_of_a_call(self.rules, alone=True)
        together, _, _ = _points_of_a_call(self.rules, alone=False)
        return self.after(lone) > self.after(together)


def points_of(odds: Odds, rules: Rules, *, alone: bool) -> float:
    """Return the mean points of a call with these *odds*."""
    march, made, euchred = _points_of_a_call(rules, alone=alone)
    return odds.march * march + odds.made * made - odds.euchred * euchred


@lru_cache(maxsize=256)
def _points_of_a_call(rules: Rules, *, alone: bool) -> tuple[int, int, int]:
    """Return the points of a march, of the bare mark, and of a euchre to the others."""
    seats = (0,) if alone else ()
    tricks = ((5, 0), (4, 1), (1, 4))
    march, made, euchred = (score_hand(rules, maker=0, alone=seats, tricks=taken)[1] for taken in tricks)
    return march, made, euchred


@cache
def _chance_to_target(we_need: int, they_need: int, win_by: int) -> float:
    """Return the chance to win when so many points are missing, the hands to come being even."""
    if we_need <= 0 or they_need <= 0:
        lead = they_need - we_need
        if abs(lead) >= win_by:
            return float(lead > 0)
        return _EVEN + _PER_POINT_IN_EXTRA * lead
    return sum(
        share
        * _EVEN
        * (
            _chance_to_target(we_need - points, they_need, win_by)
            + _chance_to_target(we_need, they_need - points, win_by)
        )
        for points, share in _POINTS
    )


@cache
def _chance_in_hands(lead: int, hands: int) -> float:
    """Return the chance to win when *lead* points ahead with so many even hands to come; a draw is half a win."""
    if hands == 0:
        return _EVEN if lead == 0 else float(lead > 0)
    return sum(
        share * _EVEN * (_chance_in_hands(lead + points, hands - 1) + _chance_in_hands(lead - points, hands - 1))
        for points, share in _POINTS
    )
