"""What a hand is played for, and what its tricks score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from engine.cards import CARDS_PER_HAND, PARTNER_OF, Seat, Trump
from engine.play import first_leader
from engine.rules import Rules
from engine.scoring import score_hand

Result: TypeAlias = tuple[int, int]
"""A side's points less the other's, and its tricks."""


@dataclass(frozen=True, slots=True)
class Contract:
    """Who made trump, what it is and who plays alone, the maker's side first."""

    maker: Seat
    trump: Trump
    alone: tuple[Seat, ...] = ()

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """The partners of those who play alone."""
        return tuple([PARTNER_OF[lone] for lone in self.alone])

    def with_lone(self, seat: Seat) -> Contract:
        """Return the same with *seat* playing alone."""
        return Contract(self.maker, self.trump, (*self.alone, seat))

    def leader(self, rules: Rules, dealer: Seat) -> Seat:
        """Return who leads first."""
        return first_leader(rules, dealer=dealer, maker=self.maker, alone=self.alone)


@lru_cache(maxsize=4096)
def results_by_tricks(rules: Rules, contract: Contract, team: int) -> tuple[Result, ...]:
    """Return what *team* has by the tricks it takes, from none to five."""
    results = []
    for ours in range(CARDS_PER_HAND + 1):
        theirs = CARDS_PER_HAND - ours
        tricks = (ours, theirs) if team == 0 else (theirs, ours)
        scored, won, _ = score_hand(rules, maker=contract.maker, alone=contract.alone, tricks=tricks)
        results.append((won if scored == team else -won, ours))
    return tuple(results)
