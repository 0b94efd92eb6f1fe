"""An event loop whose time passes only when nothing else can happen, and then at once to the next timer.

What waits 20 seconds for a person, or a day for a forgotten table, is tested in no time and always alike. For code
without sockets, and without threads but those it is told of: a test in which everything waits for ever fails instead of
hanging.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any, Final, ParamSpec

P = ParamSpec("P")

EPOCH_MS: Final = 1_700_000_000_000
"""What the node's clock shows when the loop's shows 0."""


class _Skipping(selectors.DefaultSelector):
    now_s = 0.0

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[Callable[[], bool]] = []
        """Each tells whether a thread is at work that the loop must wait for; no time passes meanwhile."""

    @property
    def is_busy(self) -> bool:
        return any(is_busy() for is_busy in self.outside)

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(None if timeout != 0 and self.is_busy else 0)
        if not ready and timeout != 0:
            if timeout is None:
                raise AssertionError("everything waits, and nothing will ever happen")
            self.now_s += timeout
        return ready


class ClockworkLoop(asyncio.SelectorEventLoop):
    """See above."""

    at_end: AsyncExitStack
    """Closes what outlives the houses of a test, when the test is over."""

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
        due = any(timer.when() <= self.time() and not timer.cancelled() for timer in timers)
        return not ready and not due and not self._skipping.is_busy

    def stand_still(self, seconds: float) -> None:
        """Let time pass in which nothing happens, as in a process that was stopped: what is due then is late."""
        self._skipping.now_s += seconds

    @contextmanager
    def outside(self, is_busy: Callable[[], bool] = lambda: True) -> Iterator[None]:
        """While the context is open, wait for threads as long as *is_busy*."""
        self._skipping.outside.append(is_busy)
        try:
            yield
        finally:
            self._skipping.outside.remove(is_busy)


def clockwork(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run an asynchronous test on such a loop. It fails, too, where nobody caught what a timer or a task raised."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        uncaught: list[dict[str, Any]] = []

        async def whole() -> None:
            clockwork_loop().set_exception_handler(lambda _loop, context: uncaught.append(context))
            async with AsyncExitStack() as at_end:
                clockwork_loop().at_end = at_end
                await test(*args, **kwargs)

        with asyncio.Runner(loop_factory=ClockworkLoop) as runner:
            runner.run(whole())
        assert not uncaught

    return run


def now_ms() -> int:
    """Return the node's clock, which goes with the loop's."""
    return EPOCH_MS + round(asyncio.get_running_loop().time() * 1000)


def clockwork_loop() -> ClockworkLoop:
    """Return the running loop."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ClockworkLoop)
    return loop


async def settled() -> None:
    """Return when nothing more happens at this moment. No time passes."""
    loop = clockwork_loop()
    await asyncio.sleep(0)
    while not loop.is_quiet:  # noqa: ASYNC110  # nothing announces it
        await asyncio.sleep(0)


async def after(seconds: float) -> None:
    """Let time pass, and all that is due in it happen."""
    await asyncio.sleep(seconds)
    await settled()
