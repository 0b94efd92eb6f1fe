"""Any legal action, each as likely as the next: a yardstick for the levels and a source of odd games for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from engine.actions import Action
from engine.rules import Rules
from engine.view import View


class Uniform:
    """Chooses uniformly."""

    name: Final = "random"

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        """Return one of *legal*."""
        return rng.choice(legal)
