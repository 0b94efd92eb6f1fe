"""What a reader returns before it is known whether the game is complete."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.interchange.reports import Loss
from engine.interchange.study import Study


@dataclass(frozen=True, slots=True)
class Reading:
    """A file read: the game, what of the file it does not hold, and where in the file a hand and its tricks stand.

    ``line_of`` takes a hand's number and a trick's, or None for the hand, and returns a line or None.
    """

    study: Study
    losses: tuple[Loss, ...]
    line_of: Callable[[int, int | None], int | None]
