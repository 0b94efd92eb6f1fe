"""Programs that a test of the log starts, to kill them or to fill their disk. Run as ``python -m``."""

from __future__ import annotations

import asyncio
import itertools
import resource
import sys
import time
from pathlib import Path

from server.database import open_database
from server.log import LogUnavailableError
from server.log.sqlite import SqliteLog
from server.logs import configure_logs


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def entry_of(table: str, seq: int) -> bytes:
    """Return the entry this program appends under that number."""
    return f"{table} {seq} ".encode() * 40


def say(*words: object) -> None:
    """Write a line in one go, so that a kill cuts no line in two."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


async def append_for_ever(path: Path) -> None:
    """Append to eight tables at once, and say each number as soon as it is acknowledged."""
    log = SqliteLog(open_database(path, asyncio.get_running_loop()), now_ms)

    async def one_table(table: str) -> None:
        for seq in itertools.count(1):
            await log.append(table, seq, entry_of(table, seq))
            say(table, seq)

    await asyncio.gather(*(one_table(f"t{number}") for number in range(8)))


async def append_on_a_full_disk(path: Path) -> None:
    """Append until the disk is full, go on trying, make room, and go on; say what became of each append."""
    log = SqliteLog(open_database(path, asyncio.get_running_loop()), now_ms)
    seq = 1

    async def append() -> bool:
        nonlocal seq
        try:
            await log.append("t", seq, entry_of("t", seq))
        except LogUnavailableError:
            say("refused", seq)
            return False
        say("acknowledged", seq)
        seq += 1
        return True

    await append()
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, most))
    while await append():
        pass
    for _ in range(3):
        await append()
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    say("room again")
    for _ in range(5):
        await append()
    await log.close()


if __name__ == "__main__":
    configure_logs("json", "info")
    what = {"for-ever": append_for_ever, "on-a-full-disk": append_on_a_full_disk}[sys.argv[1]]
    asyncio.run(what(Path(sys.argv[2])))
