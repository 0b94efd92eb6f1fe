"""Several workers on one machine: a process each, started again when it ends, stopped with this one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from typing import Final

import structlog

MOST_PROCESSES: Final = 64
_RESTART_AFTER_S: Final = 1.0
_STOP_LIMIT_S: Final = 2.0
_GAVE_UP: Final = 1

log: Final = structlog.get_logger("crew")


async def run_crew(count: int, *arguments: str, token_variable: str, token: str) -> int:
    """Run *count* workers with *arguments* until a signal says stop, or the server will not have them.

    Return the exit status: 0 when it was told to stop, 1 when the workers gave up.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    environment = os.environ | {token_variable: token}
    keepers = [loop.create_task(_keep(arguments, environment)) for _ in range(count)]
    waiting = loop.create_task(stop.wait())
    await asyncio.wait([waiting, *keepers], return_when=asyncio.FIRST_COMPLETED)
    gave_up = not waiting.done()
    for task in (waiting, *keepers):
        task.cancel()
    for result in await asyncio.gather(waiting, *keepers, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return _GAVE_UP if gave_up else 0


async def _keep(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    """Keep one worker running until it gives up."""
    while True:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bots.worker", *arguments,
            # The other end of this pipe is ours: when we are gone, however we went, the worker reads an end.
            stdin=asyncio.subprocess.PIPE, env=environment, start_new_session=True,
        )  # fmt: skip
        try:
            status = await process.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
                try:
                    await asyncio.wait_for(process.wait(), _STOP_LIMIT_S)
                except TimeoutError:
                    process.kill()
                    await process.wait()
            raise
        if status == _GAVE_UP:
            return
        log.warning("worker ended", status=status)
        await asyncio.sleep(_RESTART_AFTER_S)
