"""`euchre bench server`: actions a second, or how long each takes at a given rate, next to something known."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Final

from clients.cli.bench.processes import Process, allow_files, python, running, serving
from clients.cli.bench.rounds import Compared
from clients.cli.bench.spread import quantile, spread
from clients.cli.errors import CommandError, UsageError

_ROUNDS: Final = 5
_WARM_UP_S: Final = 1.0
_CLIENTS: Final = 4
_NODE_LOOP: Final = Path(__file__).with_name("node_loop.mjs")
_NODES_NEED_REDIS: Final = "several nodes share their tables in Redis: --nodes goes with --log redis://HOST"


def server(
    *,
    tables: int = 250,
    seconds: float = 10.0,
    log: str = "sqlite",
    database: str | None = None,
    nodes: int = 1,
    spectators: int = 0,
    rate: float | None = None,
) -> int:
    """Measure a server: tables of four clients on this machine's loopback. Nothing is left behind.

    Without --rate it counts accepted actions a second while all clients answer at once. In turn with it: the same
    server with its log in memory; an asyncio WebSocket server that on every small message sends a fixed one of 150
    bytes to the four clients of its table; and, where Node.js is installed, the same in Node.js.

    With --rate that many actions a second are sent at set times, and it tells how long each took from then: until its
    player had the answer, and until the last of the four had heard of it. In turn with it: bare appends to the same
    kind of log, at the same rate.

    Parameters
    ----------
    tables
        Tables of four clients.
    seconds
        How long each is under load, over all rounds.
    log
        The server's log: sqlite, memory or redis://HOST:PORT, a Redis that is for this alone.
    database
        The PostgreSQL database beside a Redis, for this alone, too.
    nodes
        How many servers share the tables; for Redis.
    spectators
        Watchers, spread over the tables, who read what they are sent.
    rate
        Actions a second.
    """
    if tables < 1 or seconds <= 0 or nodes < 1 or spectators < 0 or (rate is not None and rate <= 0):
        raise UsageError("--tables and --nodes are 1 or more, --seconds and --rate above 0, --spectators 0 or more")
    if nodes > 1 and not log.startswith("redis"):
        raise UsageError(_NODES_NEED_REDIS)
    allow_files(tables * _CLIENTS + spectators)
    with contextlib.ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="euchre-bench-")))
        name = log.partition(":")[0]
        setting = f"{tables} tables of {_CLIENTS} clients, {name} log"
        setting += f", {nodes} nodes" * (nodes > 1) + f", {spectators} spectators" * (spectators > 0)
        print(f"{setting}; {_ROUNDS} rounds of {seconds / _ROUNDS:g} s each, in turn.", flush=True)
        ours = stack.enter_context(_loaded(log, data, database, tables=tables, nodes=nodes, spectators=spectators))
        if rate is not None:
            _keep_pace(ours, stack.enter_context(_appending(log, data, tables)), seconds, rate)
            return 0
        others = {"bare loop": stack.enter_context(_loop(python("clients.cli.bench.bare"), tables))}
        if log != "memory":
            others["memory log"] = stack.enter_context(
                _loaded("memory", data, None, tables=tables, nodes=1, spectators=spectators)
            )
        if node := shutil.which("node"):
            others["Node.js loop"] = stack.enter_context(_loop([node, str(_NODE_LOOP)], tables))
        _flat_out(ours, others, seconds)
    return 0


# ── flat out ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Round:
    """What was done in one round. ``server_cpu_s`` is None where the system does not tell."""

    actions: int
    seconds: float
    server_cpu_s: float | None
    load_cpu_s: float

    @property
    def rate(self) -> float:
        """Actions a second."""
        return self.actions / self.seconds

    @property
    def cpu_us(self) -> float | None:
        """Microseconds of the server's processor time an action."""
        return None if self.server_cpu_s is None else 1e6 * self.server_cpu_s / max(1, self.actions)

    def __str__(self) -> str:
        cpu = "" if self.cpu_us is None else f", {self.cpu_us:.0f} µs an action"
        return f"{self.rate:,.0f}/s{cpu} (load {self.load_cpu_s / self.seconds:.0%})"


@dataclass(frozen=True, slots=True)
class _Measured:
    """Servers under load."""

    servers: list[Process]
    load: Process

    def flat_out(self, seconds: float) -> Round:
        """Load the servers for *seconds*."""
        before = self._cpu_s()
        done = self._checked(self.load.ask(f"go {seconds}"))
        after = self._cpu_s()
        cpu_s = None if before is None or after is None else after - before
        return Round(done["actions"], done["seconds"], cpu_s, done["cpu_s"])

    def at_pace(self, seconds: float, rate: float) -> dict[str, Any]:
        """Take *rate* actions a second."""
        return self._checked(self.load.ask(f"pace {seconds} {rate}"))

    def _checked(self, done: dict[str, Any]) -> dict[str, Any]:
        if done["refused"]:
            raise CommandError(f"the server refused {done['refused']} messages of the load")
        if not done["actions"]:
            raise CommandError("nothing was played: the server or the load has failed")
        return done

    def _cpu_s(self) -> float | None:
        times = [server.cpu_s for server in self.servers]
        return None if None in times else sum(time for time in times if time is not None)


def _flat_out(ours: _Measured, others: dict[str, _Measured], seconds: float) -> None:
    sides = {"server": ours} | others
    for side in sides.values():
        side.flat_out(_WARM_UP_S)
    rounds: dict[str, list[Round]] = {name: [] for name in sides}
    for number in range(1, _ROUNDS + 1):
        for name, side in sides.items():
            rounds[name].append(side.flat_out(seconds / _ROUNDS))
        print(f"round {number}: " + "   ".join(f"{name} {done[-1]}" for name, done in rounds.items()), flush=True)
    our_rates = [one.rate for one in rounds["server"]]
    for name in others:
        rates = Compared(our_rates, [one.rate for one in rounds[name]])
        line = (
            f"median: server {rates.our_rate:,.0f} actions/s, {name} {rates.their_rate:,.0f} actions/s, "
            f"ratio {rates.ratio:.2f}"
        )
        costs = [(our.cpu_us, their.cpu_us) for our, their in zip(rounds["server"], rounds[name], strict=True)]
        if all(our is not None and their is not None for our, their in costs):
            cpu = Compared([their or 0 for _, their in costs], [our or 0 for our, _ in costs])
            line += f"; processor time {cpu.their_rate:.0f} and {cpu.our_rate:.0f} µs an action, ratio {cpu.ratio:.2f}"
        print(line)


# ── at a pace ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _keep_pace(ours: _Measured, appending: Process, seconds: float, rate: float) -> None:
    print(f"{rate:g} actions a second; times in ms: half, 99 % and 99.9 % were no longer.")
    ours.at_pace(_WARM_UP_S, rate)
    appending.ask(f"pace {_WARM_UP_S} {rate}")
    answers, events, appends = [], [], []
    for number in range(1, _ROUNDS + 1):
        done = ours.at_pace(seconds / _ROUNDS, rate)
        bare = appending.ask(f"pace {seconds / _ROUNDS} {rate}")
        answers.append(done["ok_s"])
        events.append(done["event_s"])
        appends.append(bare["ok_s"])
        print(
            f"round {number}: to the answer {spread(answers[-1])}   to the last seat {spread(events[-1])}   "
            f"bare append {spread(appends[-1])}",
            flush=True,
        )
    for name, rounds in (("act to its answer", answers), ("act to the last seat", events), ("bare append", appends)):
        print(f"{name}: {spread(list(chain.from_iterable(rounds)))}")
    for name, rounds in (("the answer", answers), ("the last seat", events)):
        p99 = Compared([quantile(one, 0.99) for one in rounds], [quantile(one, 0.99) for one in appends])
        print(f"p99 to {name} is {p99.ratio:.1f} times that of a bare append (median of the rounds)")


# ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def _loaded(
    log: str, data: Path, database: str | None, *, tables: int, nodes: int, spectators: int
) -> Iterator[_Measured]:
    with contextlib.ExitStack() as stack:
        servers = [
            stack.enter_context(serving(log, data / f"{log.partition(':')[0]}-{node}", database))
            for node in range(nodes)
        ]
        yield _Measured(
            [process for process, _ in servers],
            stack.enter_context(load("server", [url for _, url in servers], tables, spectators)),
        )


@contextlib.contextmanager
def _loop(command: list[str], tables: int) -> Iterator[_Measured]:
    with running(command) as server, load("bare", [server.line()], tables) as under_load:
        yield _Measured([server], under_load)


@contextlib.contextmanager
def load(kind: str, urls: list[str], tables: int, spectators: int = 0) -> Iterator[Process]:
    """Run a load on the servers at *urls* and wait until its tables are made."""
    arguments = (",".join(urls), kind, str(tables), str(spectators))
    with running(python("clients.cli.bench.load", *arguments)) as process:
        if process.line() != "ready":
            raise CommandError("the tables could not be made")
        yield process


@contextlib.contextmanager
def _appending(log: str, data: Path, tables: int) -> Iterator[Process]:
    folder = data / "appends"
    folder.mkdir()
    arguments = ("--log", log, "--data", str(folder), "--tables", str(tables))
    with running(python("server.appends", *arguments)) as process:
        if process.line() != "ready":
            raise CommandError("the log for bare appends could not be opened")
        yield process
