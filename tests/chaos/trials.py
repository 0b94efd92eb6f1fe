"""One fault, over and over, on games in play; then everything that was seen is checked."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

from protocol.codes import RefusalCode
from tests.chaos.checker import violations
from tests.chaos.faults import Fault
from tests.chaos.stage import Mark, one_server, two_servers


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a fault. A trial is one table in mid-game that the fault befell, and that went on afterwards.

    ``slowest_s`` is the longest that it took until every game had gone on by some entries, counted from when the fault
    was mended.
    """

    fault: str
    is_cluster: bool
    trials: int
    strikes: int
    entries: int
    messages: int
    acknowledged: int
    reconnects: int
    put_off: int
    slowest_s: float
    seconds: float
    seed: int
    found_at: Counter[Mark]
    violations: list[str]


async def try_fault(fault: Fault, folder: Path, *, trials: int, tables: int, seed: int) -> Result:
    """Strike until there are so many trials, and check all that was seen."""
    began = time.monotonic()
    slowest_s = 0.0
    strikes = -(-trials // tables)
    if fault.is_cluster:
        setting = two_servers(folder, tables=tables, seed=seed)
    else:
        setting = one_server(folder, tables=tables, seed=seed, is_lossy=fault.is_lossy)
    async with setting as stage:
        await stage.crowd.goes_on()
        for _ in range(strikes):
            await fault.strike(stage)
            mended = time.monotonic()
            await stage.crowd.goes_on()
            slowest_s = max(slowest_s, time.monotonic() - mended)
        await stage.crowd.leave()
        for node in stage.nodes:
            await node.stop()
        logs = await stage.logs()
    found = [
        f"table {table.id}, {violation}"
        for table in stage.crowd.tables
        for violation in violations(logs[table.id], table.transcripts())
    ]
    found += [f"the server logged {line}" for node in stage.nodes for line in _failures(node.logged())]
    players = stage.crowd.players
    answers = [message for player in players for message in player.heard if message["t"] in {"ok", "refused"}]
    return Result(
        fault=fault.name,
        is_cluster=fault.is_cluster,
        trials=strikes * tables,
        strikes=strikes,
        entries=sum(map(len, logs.values())),
        messages=sum(len(player.heard) for player in players),
        acknowledged=sum("seq" in answer for answer in answers),
        reconnects=sum(len(player.closes) for player in players),
        put_off=sum(answer.get("code") == RefusalCode.DEGRADED for answer in answers),
        slowest_s=slowest_s,
        seconds=time.monotonic() - began,
        seed=seed,
        found_at=stage.found_at,
        violations=found,
    )


def broken_off(fault: Fault, error: Exception, *, seed: int) -> Result:
    """Return the result of a fault whose games did not go on, or whose servers did not start again."""
    reason = f"broken off: {type(error).__name__} {str(error).partition(chr(10))[0]}".rstrip()
    return Result(
        fault=fault.name, is_cluster=fault.is_cluster, trials=0, strikes=0, entries=0, messages=0, acknowledged=0,
        reconnects=0, put_off=0, slowest_s=0, seconds=0, seed=seed, found_at=Counter(), violations=[reason],
    )  # fmt: skip


def _failures(logged: str) -> list[str]:
    """Return the lines in which a server says that it broke."""
    return [line for line in logged.splitlines() if "table_failed" in line or "damaged" in line or "Traceback" in line]


def seed_of(run: int, fault: Fault) -> int:
    """Return the seed of a fault in a run."""
    return Random(f"{run} {fault.name}").randrange(10**6)
