"""Tells of a restart that the server announced: at once, and again as it comes near."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from clients.cli.screen import Screen

_AGAIN_S: Final = (300, 60, 10)
"""How long before it the person is told again."""
_SAME_S: Final = 5
"""Restarts no further apart are one, heard of again on another connection."""


class Restart:
    """The restart that is to come, if one is."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._due_s: float | None = None
        """When it is, on the loop's clock, as last told to the person."""
        self._timers: list[asyncio.TimerHandle] = []

    def heard(self, in_ms: int | None) -> None:
        """Take it that the server restarts in so long; None: not after all."""
        self.forget()
        if in_ms is None:
            if self._due_s is not None:
                self._screen.line("The server does not restart after all.")
            self._due_s = None
            return
        loop, left_s = asyncio.get_running_loop(), in_ms / 1000
        before_s, self._due_s = self._due_s, loop.time() + left_s
        if before_s is None or abs(before_s - self._due_s) > _SAME_S:
            self._tell(left_s)
        self._timers = [
            loop.call_later(left_s - again_s, self._tell, float(again_s)) for again_s in _AGAIN_S if again_s < left_s
        ]

    def forget(self) -> None:
        """Tell no more of it."""
        for timer in self._timers:
            timer.cancel()
        self._timers = []

    def _tell(self, left_s: float) -> None:
        self._screen.line(restart_words(time.localtime(time.time() + left_s), left_s))


def restart_words(at: time.struct_time, left_s: float) -> str:
    """Return what a person is told of a restart at a time of day, so many seconds before it."""
    left = f"{round(left_s / 60)} min" if left_s >= 60 else f"{round(left_s)} s"
    when = f"in {left}" if left_s >= 1 else "any moment now"
    return f"The server restarts at {time.strftime('%H:%M', at)} ({when}); your game goes on afterwards."
