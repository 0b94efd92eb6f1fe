"""Who may compete: a level by its name, a class in a file, or a program. Each is made anew in every process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, Protocol

from bots.policy import LEVELS, Policy
from bots.sdk.bot import Bot, BotFaultError
from bots.sdk.hosting import Host
from bots.sdk.loading import BotSource, LoadError, is_class_in_file, load_class, load_program
from bots.uniform import Uniform
from engine.actions import Action
from engine.rules import Rules
from engine.view import View

YARDSTICK: Final = Uniform()
"""Not a level, but something to be better than."""


class UnknownContenderError(ValueError):
    """Nobody of that name plays. The text says who does."""

    def __init__(self, name: str, why: str) -> None:
        levels = ", ".join((*LEVELS, YARDSTICK.name))
        super().__init__(f"{name[:64]!r} is no bot: {why}; a level is one of {levels}")


class Contender(Protocol):
    """One side of a match, in one process of it."""

    @property
    def name(self) -> str:
        """What records call it."""

    def sit_down(self) -> Policy:
        """Return what plays one seat for one hand or game. May raise BotFaultError where it decides.

        Raises LoadError where there is none to be had.
        """

    def stand_up(self) -> list[BotFaultError]:
        """End what sits, as the hand or game is over; return what went wrong with that."""

    def close(self) -> None:
        """End whatever runs for it."""


def contender(name: str, *, limit_s: float) -> Contender:
    """Return the bot *name* stands for, which may think for *limit_s* if it is not a level.

    Raises UnknownContenderError.
    """
    policy = YARDSTICK if name == YARDSTICK.name else LEVELS.get(name)
    if policy is not None:
        return _Level(policy)
    try:
        return _Guest(load_class(name) if is_class_in_file(name) else load_program(name), limit_s)
    except LoadError as error:
        raise UnknownContenderError(name, str(error)) from error


class _Level:
    """One of our own."""

    def __init__(self, policy: Policy) -> None:
        self.name = policy.name
        self._policy = policy

    def sit_down(self) -> Policy:
        return self._policy

    def stand_up(self) -> list[BotFaultError]:
        return []

    def close(self) -> None:
        pass


class _Guest:
    """Somebody else's bot: one program, or an object for every seat, so that it remembers that hand alone."""

    def __init__(self, source: BotSource, limit_s: float) -> None:
        self.name = source.name
        self._source = source
        self._limit_s = limit_s
        self._host = Host()
        self._program = source.make() if source.is_program else None
        self._seated: list[Bot] = []

    def sit_down(self) -> Policy:
        bot = self._program
        if bot is None:
            bot = self._source.make()
            self._seated.append(bot)
        return _Seat(self.name, self._host, bot, self._limit_s)

    def stand_up(self) -> list[BotFaultError]:
        faults = [fault for bot in self._seated if (fault := self._host.end(bot)) is not None]
        self._seated.clear()
        return faults

    def close(self) -> None:
        if self._program is not None:
            self._host.end(self._program)
        self._host.close()


class _Seat:
    """A guest's bot at one seat."""

    def __init__(self, name: str, host: Host, bot: Bot, limit_s: float) -> None:
        self.name = name
        self._host = host
        self._bot = bot
        self._limit_s = limit_s

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        return self._host.decide(self._bot, view, legal, rules, seed=rng.getrandbits(48), limit_s=self._limit_s)
