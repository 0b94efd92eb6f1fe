"""Where a bot runs: a thread of its own with an event loop, so that one that hangs holds nobody else up."""

from __future__ import annotations

import asyncio
import inspect
import random
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from bots.sdk.bot import Bot, BotFaultError, read_answer
from engine.actions import Action
from engine.rules import Rules
from engine.view import View

LIMIT_S: Final = 5.0
"""How long a bot may think, where nobody says otherwise."""
_GRACE_S: Final = 0.25
"""So much later than the limit a bot is given up that will not even be interrupted."""
_CLOSE_LIMIT_S: Final = 2.0
_LONGEST_TEXT: Final = 300
_OURS: Final = Path(__file__).parent

T = TypeVar("T")


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
        deciding = self._begin(bot, view, legal, rules, seed=seed, limit_s=limit_s)
        wait_for((deciding,), limit_s + _GRACE_S)
        return _outcome(deciding, limit_s)

    async def ask(
        self, bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float = LIMIT_S
    ) -> Action:
        """Do the same without blocking the caller's event loop."""
        deciding = asyncio.wrap_future(self._begin(bot, view, legal, rules, seed=seed, limit_s=limit_s))
        await asyncio.wait((deciding,), timeout=limit_s + _GRACE_S)
        return _outcome(deciding, limit_s)

    def end(self, bot: Bot) -> BotFaultError | None:
        """Let *bot* close what it has open, and return what it did wrong with that, or that it took too long."""
        if self._is_stuck:
            return None
        closing = asyncio.run_coroutine_threadsafe(_called(bot.close, limit_s=_CLOSE_LIMIT_S), self._loop)
        wait_for((closing,), _CLOSE_LIMIT_S + _GRACE_S)
        try:
            _outcome(closing, _CLOSE_LIMIT_S)
        except BotFaultError as fault:
            return fault
        return None

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


def _outcome(asked: Future[T] | asyncio.Future[T], limit_s: float) -> T:
    if not asked.done():
        raise _late(limit_s)
    if asked.cancelled():
        raise BotFaultError("error", "it cancelled itself")
    return asked.result()


async def _decide(bot: Bot, view: View, legal: Sequence[Action], rules: Rules, *, seed: int, limit_s: float) -> Action:
    bot.rules, bot.random = rules, random.Random(seed)
    return read_answer(await _called(partial(bot.act, view, legal), limit_s=limit_s), legal)


async def _called(method: Callable[[], object], *, limit_s: float) -> object:
    """Return what a bot's *method* does, or what it waits for does. Raises BotFaultError for all it may raise."""
    clock = asyncio.timeout(limit_s)
    try:
        async with clock:
            said = method()
            return await said if inspect.isawaitable(said) else said
    except BotFaultError:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # whatever a bot does wrong, the table must go on
        if isinstance(error, TimeoutError) and clock.expired():
            raise _late(limit_s) from None
        raise BotFaultError("error", f"{_text_of(error)} ({_place_of(error)})") from error


async def _until_set(event: asyncio.Event) -> None:
    await event.wait()


def _text_of(error: BaseException) -> str:
    """Return its kind and text as one line of bounded length."""
    return " ".join("".join(traceback.format_exception_only(error)).split())[:_LONGEST_TEXT]


def _place_of(error: BaseException) -> str:
    """Return the last line in the bot's own file; where it comes to none, the line that raised."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = next((frame.filename for frame in frames if Path(frame.filename).parent != _OURS), frames[-1].filename)
    last = next(frame for frame in reversed(frames) if frame.filename == theirs)
    return f"{Path(last.filename).name}:{last.lineno}"
