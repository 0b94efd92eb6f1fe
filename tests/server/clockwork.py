"""An event loop whose time passes only when nothing else can happen, and then at once to the next timer.

What waits 20 seconds for a person, or a day for a forgotten table, is tested in no time and always alike. For code
without threads and sockets: a test in which everything waits for ever fails instead of hanging.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, ParamSpec

P = ParamSpec("P")

EPOCH_MS: Final = 1_700_000_000_000
"""What the node's clock shows when the loop's shows 0."""


class _Skipping(selectors.DefaultSelector):
    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout != 0:
            if timeout is None:
                raise AssertionError("everything waits, and nothing will ever happen")
            self.now_s += timeout
        return ready


class ClockworkLoop(asyncio.SelectorEventLoop):
    """See above."""

    def __init__(self) -> None:
        self._skipping = _Skipping()
        super().__init__(self._skipping)

    def time(self) -> float:
        return self._skipping.now_s

    @property
    def is_quiet(self) -> bool:
        """Tell whether nothing will happen before time passes, beside the task that asks."""
        ready: deque[asyncio.Handle] = self._ready  # type: ignore[attr-defined]  # asyncio shows it nowhere
        timers: list[asyncio.TimerHandle] = self._scheduled  # type: ignore[attr-defined]
        return not ready and not any(timer.when() <= self.time() and not timer.cancelled() for timer in timers)


def clockwork(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on such a loop."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        with asyncio.Runner(loop_factory=ClockworkLoop) as runner:
            runner.run(test(*args, **kwargs))

    return run


def now_ms() -> int:
    """Return the node's clock, which goes with the loop's."""
    return EPOCH_MS + round(asyncio.get_running_loop().time() * 1000)


async def settled() -> None:
    """Return when nothing more happens at this moment. No time passes."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ClockworkLoop)
    await asyncio.sleep(0)
    while not loop.is_quiet:  # noqa: ASYNC110  # nothing announces it
        await asyncio.sleep(0)


async def after(seconds: float) -> None:
    """Let time pass, and all that is due in it happen."""
    await asyncio.sleep(seconds)
    await settled()
