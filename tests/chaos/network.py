"""TCP between two parties, and what goes wrong there: it holds things up, loses them, and ends in mid-sentence.

Bytes that are lost take their connection with them, as they do in TCP. What is said twice is said twice by a client
(tests/e2e/lossy.py), never by the network.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from random import Random


class Network:
    """Carries connections to the first of the ports that answers, which it tries in turns.

    ``loss`` is the share of what comes back that is lost, ``delay_s`` how long anything may be held up. Both may be set
    at any time.
    """

    def __init__(self, ports: Callable[[], Sequence[int]], *, seed: int) -> None:
        self.port = 0
        self.loss = 0.0
        self.delay_s = 0.0
        self._ports = ports
        self._rng = Random(seed)
        self._turn = 0
        self._ends: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """End all connections at once, in mid-sentence."""
        for end in self._ends:
            end.transport.abort()

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        found = await self._connect()
        if found is None:
            writer.transport.abort()
            return
        far_reader, far_writer = found
        ends = (writer, far_writer)
        self._ends.update(ends)
        ways = (self._pass_on(reader, far_writer, is_answer=False), self._pass_on(far_reader, writer, is_answer=True))
        tasks = [asyncio.create_task(way) for way in ways]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._ends.difference_update(ends)
            for task in tasks:
                task.cancel()
            for end in ends:
                end.transport.abort()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        ports = self._ports()
        self._turn += 1
        for at in range(len(ports)):
            with contextlib.suppress(OSError):
                return await asyncio.open_connection("127.0.0.1", ports[(self._turn + at) % len(ports)])
        return None

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                if self.delay_s:
                    await asyncio.sleep(self._rng.uniform(0, self.delay_s))
                if is_answer and self._rng.random() < self.loss:
                    return
                writer.write(data)
                await writer.drain()
            await writer.drain()


@asynccontextmanager
async def network(ports: Callable[[], Sequence[int]], *, seed: int = 0) -> AsyncIterator[Network]:
    """Run a network in front of *ports* while the context is open."""
    carrying = Network(ports, seed=seed)
    server = await asyncio.start_server(carrying.carry, "127.0.0.1", 0)
    carrying.port = server.sockets[0].getsockname()[1]
    try:
        yield carrying
    finally:
        server.close()
        carrying.cut()
        await asyncio.sleep(0)
