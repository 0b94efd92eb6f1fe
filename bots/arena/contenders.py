"""Who may compete: a level, by its name. Each is made anew in every process of a match."""

from __future__ import annotations

from typing import Final

from bots.policy import LEVELS, Policy
from bots.uniform import Uniform

YARDSTICK: Final = Uniform()
"""Not a level, but something to be better than."""


class UnknownContenderError(ValueError):
    """Nobody of that name plays. The text says who does."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name[:64]!r} is no bot; choose one of {', '.join((*LEVELS, YARDSTICK.name))}")


def contender(name: str) -> Policy:
    """Return the bot *name* stands for. Raises UnknownContenderError."""
    policy = YARDSTICK if name == YARDSTICK.name else LEVELS.get(name)
    if policy is None:
        raise UnknownContenderError(name)
    return policy
