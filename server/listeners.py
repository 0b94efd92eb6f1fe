"""Who is to be called about what: functions by key."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Listeners(Generic[P]):
    """Functions by key."""

    def __init__(self) -> None:
        self._calls: dict[str, dict[int, Callable[P, None]]] = {}
        self._numbers = itertools.count()

    def __contains__(self, key: str) -> bool:
        return key in self._calls

    def __iter__(self) -> Iterator[str]:
        """Yield every key somebody listens to."""
        return iter(self._calls)

    def add(self, key: str, call: Callable[P, None]) -> Callable[[], None]:
        """Add *call*; return what takes it off again, after which it is not called any more."""
        number = next(self._numbers)
        self._calls.setdefault(key, {})[number] = call

        def end() -> None:
            calls = self._calls.get(key, {})
            calls.pop(number, None)
            if not calls:
                self._calls.pop(key, None)

        return end

    def tell(self, key: str, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all who listen to *key*, soon: whoever tells it goes on first."""
        if key in self._calls:
            asyncio.get_running_loop().call_soon(lambda: self.tell_now(key, *args, **kwargs))

    def tell_now(self, key: str, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all who listen to *key*, at once: they must not raise."""
        calls = self._calls.get(key, {})
        for number in list(calls):
            if number in calls:  # the one before may have taken it off
                calls[number](*args, **kwargs)
