"""One thing to be said later, unless something happens first."""

from __future__ import annotations

import time
from collections.abc import Callable


class Alarm:
    """At most one call to come. Whoever waits asks ``left_s`` how long he may, and calls ``ring`` after it."""

    def __init__(self) -> None:
        self._due: tuple[float, Callable[[], None]] | None = None

    def set(self, after_s: float, say: Callable[[], None]) -> None:
        """Call *say* in *after_s* seconds, instead of what was to be called."""
        self._due = (time.monotonic() + after_s, say)

    def clear(self) -> None:
        """Call nothing."""
        self._due = None

    def left_s(self) -> float | None:
        """Return how long to wait for the call; None where there is none."""
        return None if self._due is None else max(0.0, self._due[0] - time.monotonic())

    def ring(self) -> None:
        """Make the call if its time has come."""
        if self._due is not None and self._due[0] <= time.monotonic():
            _, say = self._due
            self._due = None
            say()
