"""Four nodes, many tables, rivals for most turns, lost answers, and nodes that lose their memory: is the log right?

Run as ``python -m tests.server.rivals --tables 200 --entries 40000`` it starts a Redis and prints what it found.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import uvloop

from server.log import ConflictError, Log, LogUnavailableError
from server.redis import RedisStartError, open_redis
from tests.support_redis import LossyProxy, RedisServer, lossy_proxy, running_redis

NODES = 4
_RIVALS = 0.7
"""How often a node tries for a turn that others try for, too."""
_PAUSE_S = 0.1
"""How long a node lets a table alone between two looks at it, at most."""
_FORGETS = 0.002
"""How often a node loses its memory before a turn."""


@dataclass
class Findings:
    """What happened, and every fault the log has."""

    acknowledged: int = 0
    conflicts: int = 0
    refused: int = 0
    forgotten: int = 0
    lost: int = 0
    seconds: float = 0
    faults: list[str] = field(default_factory=list)


class _Node:
    """A node: its own way to Redis, and what it folded of each table, which it may lose."""

    def __init__(self, number: int, proxy: LossyProxy, log: Log) -> None:
        self.number = number
        self.proxy = proxy
        self.log = log
        self.folded: dict[str, list[bytes]] = {}
        self.is_forgetting = False

    async def forget(self) -> None:
        """Start over without memory, on new connections; what was on its way on the old ones ends as it may."""
        self.is_forgetting = True
        old, self.folded = self.log, {}
        loss, self.proxy.loss = self.proxy.loss, 0
        with contextlib.suppress(RedisStartError):  # a machine so busy that Redis did not answer in time
            self.log = (await open_redis(self.proxy.url)).log
        self.proxy.loss = loss
        self.is_forgetting = False
        if self.log is not old:
            await old.close()

    async def catch_up(self, table: str) -> list[bytes]:
        """Read what is missing of *table*, and return all of it."""
        folded = self.folded.setdefault(table, [])
        for stored in await self.log.read(table, after=len(folded)):
            if stored.seq == len(folded) + 1:  # else another task of this node was quicker
                folded.append(stored.entry)
        return folded


async def play(redis: RedisServer, *, tables: int, entries: int, loss: float = 0.03, seed: int = 0) -> Findings:
    """Let the nodes fill *tables* tables with *entries* entries in all, then check every log."""
    found, rng = Findings(), Random(seed)
    each = entries // tables
    acknowledged: dict[tuple[str, int], bytes] = {}
    began_s = time.monotonic()
    async with contextlib.AsyncExitStack() as stack:
        nodes = []
        for number in range(NODES):
            proxy = await stack.enter_async_context(lossy_proxy(redis, loss=0, seed=seed + number))
            nodes.append(_Node(number, proxy, (await open_redis(proxy.url)).log))
            proxy.loss = loss

        async def take_turns(node: _Node, table: str) -> None:
            attempt = 0
            while True:
                await asyncio.sleep(rng.uniform(0, _PAUSE_S))
                if rng.random() < _FORGETS and not node.is_forgetting:
                    found.forgotten += 1
                    await node.forget()
                try:
                    folded = await node.catch_up(table)
                    seq = len(folded) + 1
                    if seq > each:
                        return
                    if rng.random() > _RIVALS:
                        continue  # somebody else's turn
                    attempt += 1
                    entry = f"{table} {seq} by node {node.number}, attempt {attempt}".encode() + b"." * 150
                    await node.log.append(table, seq, entry)
                except ConflictError:
                    found.conflicts += 1
                except LogUnavailableError:
                    found.refused += 1
                    await asyncio.sleep(0.05)
                else:
                    found.acknowledged += 1
                    if (table, seq) in acknowledged:
                        found.faults.append(f"{table} {seq} was acknowledged twice")
                    acknowledged[table, seq] = entry

        names = [f"t{number}" for number in range(tables)]
        await asyncio.gather(*(take_turns(node, table) for node in nodes for table in names))
        found.seconds = time.monotonic() - began_s
        found.lost = sum(node.proxy.lost for node in nodes)
        for node in nodes:
            node.proxy.loss = 0
            await node.log.close()
    await _check(redis, names, each, acknowledged, found)
    return found


async def _check(
    redis: RedisServer, names: list[str], each: int, acknowledged: dict[tuple[str, int], bytes], found: Findings
) -> None:
    log, _, _ = await open_redis(redis.url)
    written: Counter[bytes] = Counter()
    for table in names:
        stored = await log.read(table, after=0)
        if [one.seq for one in stored] != list(range(1, each + 1)):
            found.faults.append(f"{table} is numbered {[one.seq for one in stored]}")
        if [one.at_ms for one in stored] != sorted(one.at_ms for one in stored):
            found.faults.append(f"{table} has stamps that go back")
        there = {(table, one.seq): one.entry for one in stored}
        found.faults += [
            f"{key} was acknowledged and is not there as it was"
            for key, entry in acknowledged.items()
            if key[0] == table and there.get(key) != entry
        ]
        written.update(one.entry for one in stored)
    found.faults += [f"{entry!r} is there {count} times" for entry, count in written.items() if count > 1]
    await log.close()


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--entries", type=int, default=40_000)
    parser.add_argument("--loss", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_redis(Path(folder)) as redis,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        found = runner.run(
            play(redis, tables=wanted.tables, entries=wanted.entries, loss=wanted.loss, seed=wanted.seed)
        )
    print(  # noqa: T201
        f"{found.acknowledged} entries acknowledged, {found.conflicts} conflicts, {found.lost} answers lost, "
        f"{found.forgotten} times a node lost its memory, {found.refused} appends refused, {found.seconds:.0f} s; "
        f"{len(found.faults)} faults"
    )
    for fault in found.faults[:20]:
        print(fault)  # noqa: T201


if __name__ == "__main__":
    _main()
