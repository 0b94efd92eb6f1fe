"""Interleaved rounds: A B A B, so that what else the machine does meanwhile falls on both."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Compared:
    """The rates of two things measured in turn, round by round."""

    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def our_rate(self) -> float:
        """The median of our rounds."""
        return statistics.median(self.ours)

    @property
    def their_rate(self) -> float:
        """The median of theirs."""
        return statistics.median(self.theirs)

    @property
    def ratio(self) -> float:
        """The median of the rounds' ratios, ours to theirs: neighbours in time are compared."""
        return statistics.median(our / their for our, their in zip(self.ours, self.theirs, strict=True))
