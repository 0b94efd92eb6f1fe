"""Redis's clock on this node: as the stamps tell it, and between them as the monotonic clock goes on."""

from __future__ import annotations

import time
from collections.abc import Callable


class StampClock:
    """Never steps back, and keeps to what each answer proves.

    An answer stamped *s* was stamped after it was asked for and before it came. That bounds how far Redis's clock is
    ahead of the monotonic one; what is believed is moved into these bounds, and not otherwise.
    """

    def __init__(self, monotonic_ms: Callable[[], int]) -> None:
        self._monotonic_ms = monotonic_ms
        self._ahead_ms: int | None = None
        self._latest_ms = 0

    def now_ms(self) -> int:
        self._latest_ms = max(self._latest_ms, self._monotonic_ms() + (self._ahead_ms or 0))
        return self._latest_ms

    def heard(self, at_ms: int, *, asked_ms: int) -> None:
        """Learn from a stamp that came just now and was asked for when the monotonic clock showed *asked_ms*."""
        least, most = at_ms - self._monotonic_ms(), at_ms - asked_ms
        self._ahead_ms = least if self._ahead_ms is None else min(max(self._ahead_ms, least), most)


def monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
