"""The class a bot derives from."""

from __future__ import annotations

import random
import reprlib
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from typing import TypeAlias

from bots.standard import Standard
from engine.actions import Action, parse_action
from engine.errors import EngineError
from engine.rules import Rules
from engine.state import Phase
from engine.view import View

Answer: TypeAlias = Action | str
"""An action, or its text: ``pass``, ``call s alone``, ``play Jd``."""
Choice: TypeAlias = Answer | Awaitable[Answer]

_RULE_OF_THUMB = Standard()


class Bot:
    """A player. Derive from it and override what you want to decide yourself; the rest is played by rules of thumb.

    Every method gets what the seat may see and what it may do, two actions or more, and returns one of them or its
    text; each may be ``async``. Or override `act`, which gets every decision. An object plays one seat of one table.

    Before each call ``rules`` are the rules of the table, and ``random`` is seeded anew: a bot that takes its random
    numbers there plays the same hand the same way again.
    """

    name: str = ""
    """What tables show; by default the name of the class."""
    version: str = ""
    """What tables show beside it, once it is registered with it."""
    rules: Rules
    random: random.Random

    def act(self, view: View, legal: Sequence[Action]) -> Choice:
        """Return what to do, in any phase."""
        match view.phase:
            case Phase.NAME:
                return self.name_trump(view, legal)
            case Phase.ROUND_ONE | Phase.ROUND_TWO:
                return self.bid(view, legal)
            case Phase.DISCARD:
                return self.discard(view, legal)
            case Phase.ALONE:
                return self.alone(view, legal)
            case Phase.EXCHANGE:
                return self.give(view, legal)
            case Phase.DEFEND:
                return self.defend(view, legal)
            case _:
                return self.play(view, legal)

    def name_trump(self, view: View, legal: Sequence[Action]) -> Choice:
        """Name trump for a Benny turned up, as dealer."""
        return self.rule_of_thumb(view, legal)

    def bid(self, view: View, legal: Sequence[Action]) -> Choice:
        """Pass, order the upcard up or name trump, alone or not; or ask for relief."""
        return self.rule_of_thumb(view, legal)

    def discard(self, view: View, legal: Sequence[Action]) -> Choice:
        """Bury a card, as dealer."""
        return self.rule_of_thumb(view, legal)

    def alone(self, view: View, legal: Sequence[Action]) -> Choice:
        """Answer whether to go alone, where that is asked after the call."""
        return self.rule_of_thumb(view, legal)

    def give(self, view: View, legal: Sequence[Action]) -> Choice:
        """Give the partner a card as a lone maker, or give a lone maker one back."""
        return self.rule_of_thumb(view, legal)

    def defend(self, view: View, legal: Sequence[Action]) -> Choice:
        """Answer whether to defend alone."""
        return self.rule_of_thumb(view, legal)

    def play(self, view: View, legal: Sequence[Action]) -> Choice:
        """Play a card, or claim the rest."""
        return self.rule_of_thumb(view, legal)

    def rule_of_thumb(self, view: View, legal: Sequence[Action]) -> Action:
        """Return what the level `standard` would do."""
        return rule_of_thumb(view, legal, self.rules)

    async def close(self) -> None:
        """Close what it has open: called once, when the object has no more to do."""


def rule_of_thumb(view: View, legal: Sequence[Action], rules: Rules) -> Action:
    """Return what the level `standard` would do; it plays wherever a bot gives no answer that counts."""
    return _RULE_OF_THUMB.decide(view, legal, rules, random.Random(0))


class BotFaultError(Exception):
    """A bot gave no answer that counts. ``kind`` is ``illegal``, ``error``, ``late`` or ``ended``."""

    def __init__(self, kind: str, detail: str) -> None:
        self.kind, self.detail = kind, detail
        super().__init__(f"{kind}: {detail}")


def read_answer(answer: object, legal: Sequence[Action]) -> Action:
    """Return the one of *legal* that *answer* means. Raises BotFaultError where it means none."""
    action: Action | None = None
    said = reprlib.repr(answer)  # of whatever it is: not even that may raise
    if isinstance(answer, Action):
        action, said = answer, str(answer)
    elif isinstance(answer, str):
        said = answer
        with suppress(EngineError):
            action = parse_action(answer)
    for allowed in legal:
        if allowed == action:
            return allowed
    raise BotFaultError("illegal", f"answered {said[:80]!r}; legal: {', '.join(map(str, legal))}")
