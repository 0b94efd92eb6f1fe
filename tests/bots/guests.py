"""Bots that strangers might bring: a good one, and one for each way of being bad."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence

from bots import Bot
from engine.actions import PASS, Action
from engine.view import View


class First(Bot):
    """Takes the first legal action, in words of its own."""

    version = "2"

    def act(self, view: View, legal: Sequence[Action]) -> str:
        return str(legal[0]).upper()


class Patient(Bot):
    """Thinks a little, asynchronously."""

    name = "patient"

    async def play(self, view: View, legal: Sequence[Action]) -> Action:
        await asyncio.sleep(0)
        return self.random.choice(legal)


class Passes(Bot):
    """Passes whatever it is asked: a lie wherever that is not legal."""

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        return PASS


class Broken(Bot):
    """Raises as soon as it is to play."""

    def play(self, view: View, legal: Sequence[Action]) -> Action:
        raise LookupError("no such trick")


class Exits(Bot):
    """Ends the program."""

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        sys.exit("had enough")


class GivesUp(Bot):
    """Cancels itself, as what it waits for may."""

    async def act(self, view: View, legal: Sequence[Action]) -> Action:
        raise asyncio.CancelledError


class TimesOut(Bot):
    """Waits for something that is late, and says so at once."""

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        raise TimeoutError("no oracle")


class Rambles(Bot):
    """Raises in many words."""

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        raise ValueError("one line\nand another, " * 100)


class NeedsMore(Bot):
    """Cannot be made without something nobody gives it."""

    def __init__(self, model: str) -> None:
        self.model = model


class Closes(Bot):
    """Tells that it was closed, without being asynchronous about it."""

    closed = 0

    def close(self) -> None:  # type: ignore[override]  # as authors will write it
        type(self).closed += 1


class CannotClose(Bot):
    """Plays well, and fails in the end."""

    async def close(self) -> None:
        raise OSError("nothing to close")


class Sleeps(Bot):
    """Waits for ever, but can be interrupted."""

    async def act(self, view: View, legal: Sequence[Action]) -> str:
        await asyncio.sleep(3600)
        return "pass"


class Hangs(Bot):
    """Waits, and cannot be interrupted."""

    def act(self, view: View, legal: Sequence[Action]) -> str:
        time.sleep(2)
        return "pass"


class Counts(Bot):
    """Remembers, which it may for one hand: it plays the last legal card of every second decision."""

    def __init__(self) -> None:
        self.asked = 0

    def act(self, view: View, legal: Sequence[Action]) -> Action:
        self.asked += 1
        return legal[-self.asked % 2]


class NotABot:
    """Derived from nothing."""
