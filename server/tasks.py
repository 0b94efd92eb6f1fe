"""The end of a task."""

from __future__ import annotations

import asyncio
from typing import Any, Final

_AGAIN_S: Final = 0.1


async def end(task: asyncio.Task[Any]) -> None:
    """Cancel *task* and return when it has ended.

    It is cancelled again and again: before Python 3.12, ``asyncio.wait_for`` keeps a cancellation to itself when what
    it waits for is done already, and the drivers of databases use it for all they send.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=_AGAIN_S)
