"""What every bot is: a function of one seat's view, deterministic from a seed; and the levels a table may ask for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Protocol

from bots.easy import Easy
from bots.hard import EXPERT, HARD
from bots.standard import Standard
from engine.actions import Action
from engine.rules import Rules
from engine.view import View


class Policy(Protocol):
    """A way of playing."""

    @property
    def name(self) -> str:
        """What tables, records and the arena call it."""

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        """Return one of *legal*, which is not empty, for the seat to act, whose view this is (with phase and to_act).

        The answer is a function of the arguments alone: whatever is random in it comes from *rng*.
        """


LEVELS: Final[dict[str, Policy]] = {policy.name: policy for policy in (Easy(), Standard(), HARD, EXPERT)}
"""The levels by name, weakest first."""


class UnknownLevelError(ValueError):
    """A level nobody plays at. ``level`` is what was asked for."""

    def __init__(self, level: str) -> None:
        self.level = level
        super().__init__(f"unknown level {level[:32]!r}; choose one of {', '.join(LEVELS)}")


def decide(level: str, view: View, legal: Sequence[Action], rules: Rules, seed: int) -> Action:
    """Return what a bot of *level* does: one of *legal*, the same for the same arguments.

    Raises UnknownLevelError.
    """
    policy = LEVELS.get(level)
    if policy is None:
        raise UnknownLevelError(level)
    return policy.decide(view, legal, rules, random.Random(seed))
