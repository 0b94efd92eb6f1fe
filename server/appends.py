"""Appends and nothing else, to any log: what `euchre bench server` holds a table's actions against.

A process of its own, told what to do on standard input and answering on standard output, a line each:

    → ready
    ← pace 2.5 250          append 250 entries a second at set times for that many seconds, to each table in turn
    → {"actions": …, "ok_s": […]}

An append's time is counted from when it was due, as an action's is.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import secrets
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from server.database import open_database
from server.log import Log, steady_clock
from server.log.memory import MemoryLog
from server.log.sqlite import SqliteLog
from server.main import loop_factory
from server.redis import open_redis

_FILE_NAME: Final = "appends.db"
_ENTRY: Final = bytes(60)
"""About the size of an action's entry."""


class _Appending:
    """Tables of a log, each appended to by one at a time, as by its actor."""

    def __init__(self, log: Log, tables: int) -> None:
        self._log = log
        run = secrets.token_urlsafe(6)
        self._seqs = {f"bench_{run}_{number}": 0 for number in range(tables)}
        self._locks = {table: asyncio.Lock() for table in self._seqs}
        self._loop = asyncio.get_running_loop()

    async def append(self, table: str, due_s: float) -> float:
        """Append the next entry; return how long after *due_s* it was durable."""
        async with self._locks[table]:
            self._seqs[table] += 1
            await self._log.append(table, self._seqs[table], _ENTRY)
        return time.perf_counter() - due_s

    async def open(self) -> None:
        """Make every table, which no server is to take up."""
        for table in self._seqs:
            await self.append(table, 0.0)
            await self._log.retire(table)

    async def round(self, seconds: float, rate: float) -> dict[str, object]:
        """Append at *rate* for *seconds*; return how long each took."""
        tables, began_s, tasks = list(self._seqs), time.perf_counter(), []
        for number in range(round(seconds * rate)):
            due_s = began_s + number / rate
            if due_s > time.perf_counter():
                await asyncio.sleep(due_s - time.perf_counter())
            tasks.append(self._loop.create_task(self.append(tables[number % len(tables)], due_s)))
        return {"actions": len(tasks), "ok_s": await asyncio.gather(*tasks)}

    async def forget(self) -> None:
        """Delete every table's log."""
        for table in self._seqs:
            await self._log.delete(table)


async def _open(log: str, data: Path) -> Log:
    if log == "memory":
        return MemoryLog(steady_clock())
    if log == "sqlite":
        return SqliteLog(open_database(data / _FILE_NAME, asyncio.get_running_loop()), steady_clock())
    return (await open_redis(log)).log


async def _work(log_name: str, data: Path, tables: int) -> None:
    log = await _open(log_name, data)
    try:
        appending = _Appending(log, tables)
        await appending.open()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        orders = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
        while order := (await orders.readline()).split():
            sys.stdout.write(json.dumps(await appending.round(float(order[1]), float(order[2]))) + "\n")
            sys.stdout.flush()
        await appending.forget()
    finally:
        await log.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run until standard input ends."""
    parser = argparse.ArgumentParser(prog="server.appends", description=__doc__)
    parser.add_argument("--log", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", type=int, required=True)
    given = parser.parse_args(arguments)
    gc.set_threshold(100_000, 20, 50)
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_work(given.log, given.data, given.tables))


if __name__ == "__main__":
    main()
