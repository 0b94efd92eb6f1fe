"""Where a bot runs: a thread of its own with an event loop, so that one that hangs holds nobody else up."""

from __future__ import annotations

import asyncio
import inspect
import random
import threading
import traceback
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDoneError
from pathlib import Path
from typing import Final

from bots.sdk.bot import Bot, BotFaultError, read_answer
from engine.actions import Action
from engine.rules import Rules
from engine.view import View

LIMIT_S: Final = 5.0
"""How long a bot may think, where nobody says otherwise."""
_GRACE_S: Final = 0.25
"""So much later than the limit a bot is given up that will not even be interrupted."""
_CLOSE_LIMIT_S: Final = 2.0


class Host:
    """A thread that runs bots, one decision at a time. Close it in the end; a bot that hangs ends with the process."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_closed = asyncio.Event()
        self._deciding: Future[Action] | None = None
        threading.Thread(target=self._run, name="bot", daemon=True).start()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(_until_set(self._is_closed))

    def decide(
        self, bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float = LIMIT_S
    ) -> Action:
        """Return what *bot* does, one of *legal*. Raises BotFaultError when it gives no such answer in time."""
        future = self._begin(bot, view, legal, rules, seed=seed, limit_s=limit_s)
        try:
            return future.result(limit_s + _GRACE_S)
        except NotDoneError:
            raise _late(limit_s) from None

    async def ask(
        self, bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float = LIMIT_S
    ) -> Action:
        """Do the same without blocking the caller's event loop."""
        future = self._begin(bot, view, legal, rules, seed=seed, limit_s=limit_s)
        done, _ = await asyncio.wait([asyncio.wrap_future(future)], timeout=limit_s + _GRACE_S)
        if not done:
            raise _late(limit_s)
        return done.pop().result()

    def end(self, bot: Bot) -> None:
        """Let *bot* close what it has open, if it does that in time."""
        if self._is_stuck:
            return
        closing = asyncio.run_coroutine_threadsafe(_close(bot), self._loop)
        try:
            closing.result(_CLOSE_LIMIT_S)
        except NotDoneError:
            closing.cancel()

    def close(self) -> None:
        """End the thread, once it is idle."""
        self._loop.call_soon_threadsafe(self._is_closed.set)

    @property
    def _is_stuck(self) -> bool:
        return self._deciding is not None and not self._deciding.done()

    def _begin(
        self, bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float
    ) -> Future[Action]:
        if self._is_stuck:
            raise BotFaultError("late", "still busy with an earlier decision")
        deciding = _decide(bot, view, legal, rules, seed=seed, limit_s=limit_s)
        self._deciding = asyncio.run_coroutine_threadsafe(deciding, self._loop)
        return self._deciding


def _late(limit_s: float) -> BotFaultError:
    return BotFaultError("late", f"no answer within {limit_s:g} s")


async def _decide(bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float) -> Action:
    bot.rules, bot.random = rules, random.Random(seed)
    try:
        async with asyncio.timeout(limit_s):
            answer = bot.act(view, legal)
            if inspect.isawaitable(answer):
                answer = await answer
    except TimeoutError:
        raise _late(limit_s) from None
    except BotFaultError:
        raise
    except Exception as error:  # whatever a bot does wrong, the table must go on
        raise BotFaultError("error", f"{type(error).__name__}: {error} ({_place_of(error)})") from error
    return read_answer(answer, legal)


async def _until_set(event: asyncio.Event) -> None:
    await event.wait()


async def _close(bot: Bot) -> None:
    await bot.close()


def _place_of(error: Exception) -> str:
    """Return the file and line that raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}:{last.lineno}"
