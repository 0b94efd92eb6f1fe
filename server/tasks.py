"""The end of a task."""

from __future__ import annotations

import asyncio
from typing import Any, Final

_AGAIN_S: Final = 0.1


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel *tasks* and return when they have ended.

    They are cancelled again and again: before Python 3.12, ``asyncio.wait_for`` keeps a cancellation to itself when
    what it waits for is done already, and the drivers of databases use it for all they send.
    """
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=_AGAIN_S)
