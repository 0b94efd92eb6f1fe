"""The house's own bot workers: processes this server starts, watches, and takes with it when it goes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from typing import Final

import structlog

WORKER_TOKEN_VARIABLE: Final = "EUCHRE_WORKER_TOKEN"
_WORKER_MODULE: Final = "bots.worker"
"""Started by name: the server knows bots over the wire only."""
_RESTART_AFTER_S: Final = 1.0
_STOP_LIMIT_S: Final = 2.0

_log = structlog.get_logger("server.staff")


class Staff:
    """Keeps *count* workers running until it is stopped."""

    def __init__(self, url: str, token: str, count: int) -> None:
        self._url = url
        self._token = token
        self._keepers = [asyncio.get_running_loop().create_task(self._keep()) for _ in range(count)]

    async def _keep(self) -> None:
        environment = os.environ | {WORKER_TOKEN_VARIABLE: self._token}
        while True:
            try:
                status = await self._run(environment)
                _log.warning("worker_ended", status=status)
            except OSError as error:  # too many processes or files, maybe only now
                _log.error("worker_not_started", reason=error.strerror)
            await asyncio.sleep(_RESTART_AFTER_S)

    async def _run(self, environment: dict[str, str]) -> int:
        """Run one worker to its end and return its exit status. Raises OSError where it cannot be started."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            _WORKER_MODULE,
            "--server",
            self._url,
            # The other end of this pipe is ours: when the server is gone, however it went, the worker reads an end.
            stdin=asyncio.subprocess.PIPE,
            env=environment,
        )
        try:
            return await process.wait()
        except asyncio.CancelledError:
            await _stop(process)
            raise

    async def stop(self) -> None:
        """Stop the workers."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)


async def _stop(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _STOP_LIMIT_S)
        except TimeoutError:
            process.kill()
            await process.wait()
