"""Calls that come while one is under way are done together by the next: one trip to the database, one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

A = TypeVar("A")
R = TypeVar("R")

_GROUP_LIMIT: Final = 256


class Together(Generic[A, R]):
    """Answers each call by *work*, which takes what several callers gave and returns their answers in that order."""

    def __init__(self, work: Callable[[Sequence[A]], Awaitable[Sequence[R]]]) -> None:
        self._work = work
        self._waiting: list[tuple[A, asyncio.Future[R]]] = []
        self._task: asyncio.Task[None] | None = None

    def ask(self, given: A) -> asyncio.Future[R]:
        """Return a future of the answer to *given*; it raises what *work* raised for its group."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[R] = loop.create_future()
        self._waiting.append((given, future))
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._serve())
        return future

    async def _serve(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:_GROUP_LIMIT], self._waiting[_GROUP_LIMIT:]
            try:
                answers = await self._work([given for given, _ in group])
            except Exception as error:  # noqa: BLE001  # those who asked hear it; the next group is tried
                for _, future in group:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), answer in zip(group, answers, strict=True):
                if not future.done():
                    future.set_result(answer)
