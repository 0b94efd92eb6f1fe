"""Commands to Redis, many in one trip: what is asked for while an answer is awaited goes out together after it."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from typing import Any, Final, TypeAlias

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.exceptions import NoScriptError, RedisClusterException, RedisError

Client: TypeAlias = Redis | RedisCluster
Argument: TypeAlias = str | bytes | int

FAILURES: Final = (RedisError, RedisClusterException, OSError)
"""What the client raises when Redis, or the way to it, fails."""
_MOST_AT_ONCE: Final = 1000
_MOST_BYTES_AT_ONCE: Final = 4 * 1024 * 1024
_MOST_POSTED: Final = 10_000
"""How many commands may wait before those nobody waits for are dropped."""


class Script:
    """A Lua script, known to Redis by its hash; sent whole where Redis does not have it, or has it no more."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._sha = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()

    async def run(self, pipe: Pipe, keys: tuple[str, ...], *arguments: Argument) -> Any:
        try:
            return await pipe.call("EVALSHA", self._sha, len(keys), *keys, *arguments)
        except NoScriptError:
            return await pipe.call("EVAL", self._source, len(keys), *keys, *arguments)


class Pipe:
    """One connection (one to each node of a cluster) with one batch of commands on its way at a time.

    Commands of a batch go out in the order they were given, and no command is ever sent twice.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: deque[tuple[tuple[Argument, ...], asyncio.Future[Any] | None]] = deque()
        self._pump: asyncio.Task[None] | None = None

    async def call(self, *command: Argument) -> Any:
        """Return the answer to *command*. Raises what Redis or the connection failed with, one of FAILURES."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._put(command, answer)
        return await answer

    def post(self, *command: Argument) -> None:
        """Send *command* and don't wait; nobody hears whether it arrived."""
        if len(self._waiting) < _MOST_POSTED:
            self._put(command, None)

    def _put(self, command: tuple[Argument, ...], answer: asyncio.Future[Any] | None) -> None:
        self._waiting.append((command, answer))
        if self._pump is None or self._pump.done():
            # It runs when everything else of this moment has been put in.
            self._pump = asyncio.get_running_loop().create_task(self._send_all())

    async def _send_all(self) -> None:
        while self._waiting:
            batch: list[tuple[tuple[Argument, ...], asyncio.Future[Any] | None]] = []
            size = 0
            while self._waiting and len(batch) < _MOST_AT_ONCE and size < _MOST_BYTES_AT_ONCE:
                batch.append(self._waiting.popleft())
                size += sum(len(part) for part in batch[-1][0] if isinstance(part, bytes))
            answers = await self._send([command for command, _ in batch])
            for (_, future), answer in zip(batch, answers, strict=True):
                if future is None or future.done():
                    continue
                if isinstance(answer, BaseException):
                    future.set_exception(answer)
                else:
                    future.set_result(answer)

    async def _send(self, commands: list[tuple[Argument, ...]]) -> list[Any]:
        pipeline = self._client.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            return await pipeline.execute(raise_on_error=False)
        except Exception as error:  # noqa: BLE001  # those who asked hear it, whatever it is
            return [error] * len(commands)

    async def finish(self) -> None:
        """Wait until all that was put in is answered."""
        if self._pump is not None:
            await self._pump
