"""`euchre bench server`: accepted actions a second of one server process, next to a loop that only fans messages."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from clients.cli.bench.rounds import Compared
from clients.cli.errors import CommandError, UsageError

_ROUNDS: Final = 5
_WARM_UP_S: Final = 1.0
_CLIENTS: Final = 4
_SPARE_FILES: Final = 200


def server(
    *,
    tables: int = 250,
    seconds: Annotated[float, Parameter(negative="")] = 10.0,
    log: Literal["sqlite", "memory"] = "sqlite",
) -> int:
    """Count accepted actions a second: a server process, tables of four clients that answer at once.

    Next to it, in turn, an asyncio WebSocket server that on every small message sends a fixed one of 150 bytes to the
    four clients of its table, under the same load. All on this machine's loopback, nothing is left behind.

    Parameters
    ----------
    tables
        Tables of four clients.
    seconds
        How long each of the two is under load, over all rounds.
    log
        The server's log.
    """
    if tables < 1 or seconds <= 0:
        raise UsageError("--tables is 1 or more, --seconds above 0")
    _allow_files(tables * _CLIENTS + _SPARE_FILES)
    with contextlib.ExitStack() as stack:
        data = stack.enter_context(tempfile.TemporaryDirectory(prefix="euchre-bench-"))
        print(
            f"{tables} tables of {_CLIENTS} clients, {log} log; "
            f"{_ROUNDS} rounds of {seconds / _ROUNDS:g} s each, in turn."
        )
        ours = stack.enter_context(_measured("server", _serve_command(data, log), tables))
        theirs = stack.enter_context(_measured("bare", ["-m", "clients.cli.bench.bare"], tables))
        for side in (ours, theirs):
            side.round(_WARM_UP_S)
        rounds = []
        for number in range(1, _ROUNDS + 1):
            our, their = ours.round(seconds / _ROUNDS), theirs.round(seconds / _ROUNDS)
            rounds.append((our, their))
            print(f"round {number}: server {our}   bare loop {their}", flush=True)
        _print_summary(rounds)
    return 0


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
        cpu = (
            ""
            if self.server_cpu_s is None
            else f", {self.cpu_us:.0f} µs an action, CPU {_share(self.server_cpu_s, self)}"
        )
        return f"{self.rate:>7,.0f} actions/s{cpu} (load {_share(self.load_cpu_s, self)})"


def _share(cpu_s: float, of: Round) -> str:
    return f"{cpu_s / of.seconds:.0%}"


def _print_summary(rounds: list[tuple[Round, Round]]) -> None:
    rates = Compared([our.rate for our, _ in rounds], [their.rate for _, their in rounds])
    print(
        f"median: server {rates.our_rate:,.0f} actions/s, bare loop {rates.their_rate:,.0f} actions/s, "
        f"ratio {rates.ratio:.2f}"
    )
    costs = [(our.cpu_us, their.cpu_us) for our, their in rounds]
    if all(our is not None and their is not None for our, their in costs):
        cpu = Compared([their or 0 for _, their in costs], [our or 0 for our, _ in costs])
        print(
            f"processor time an action: server {cpu.their_rate:.0f} µs, bare loop {cpu.our_rate:.0f} µs, "
            f"ratio {cpu.ratio:.2f} (bare loop to server)"
        )


# ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────────


class _Measured:
    """A server under load, in two processes."""

    def __init__(self, server: subprocess.Popen[str], load: subprocess.Popen[str]) -> None:
        self._server = server
        self._load = load

    def round(self, seconds: float) -> Round:
        """Load the server for *seconds*."""
        before = _cpu_s(self._server.pid)
        done = json.loads(_ask(self._load, f"go {seconds}"))
        after = _cpu_s(self._server.pid)
        if done["refused"]:
            raise CommandError(f"the server refused {done['refused']} messages of the load")
        if not done["actions"]:
            raise CommandError("nothing was played: the server or the load has failed")
        cpu_s = None if before is None or after is None else after - before
        return Round(done["actions"], done["seconds"], cpu_s, done["cpu_s"])


def _serve_command(data: str, log: str) -> list[str]:
    return [
        "-m", "clients.cli.main", "serve", "--port", "0", "--data", data, "--log", log,
        "--workers", "0", "--pace", "0", "--log-level", "error",
    ]  # fmt: skip


@contextlib.contextmanager
def _measured(kind: str, command: list[str], tables: int) -> Iterator[_Measured]:
    with _running(command) as server:
        url = _line(server).rsplit(" ", 1)[-1]
        with _running(["-m", "clients.cli.bench.load", url, kind, str(tables)]) as load:
            if _line(load) != "ready":
                raise CommandError(f"the tables of the {kind} could not be made")
            yield _Measured(server, load)


@contextlib.contextmanager
def _running(arguments: list[str]) -> Iterator[subprocess.Popen[str]]:
    """Run Python with *arguments* while the context is open."""
    root = Path(__file__).parents[3]
    environment = os.environ | {"PYTHONPATH": str(root)}
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise CommandError(f"a process of the measurement ended with status {process.wait()}")
    return line.strip()


def _ask(process: subprocess.Popen[str], order: str) -> str:
    assert process.stdin is not None
    process.stdin.write(f"{order}\n")
    process.stdin.flush()
    return _line(process)


def _cpu_s(pid: int) -> float | None:
    """Return the processor time of a process so far, all threads, in seconds; None where there is no /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return None
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")


def _allow_files(wanted: int) -> None:
    """Let this process and its children open as many files as there will be connections."""
    try:
        import resource
    except ImportError:  # no such limit here
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise CommandError(f"{wanted} open files are needed, the limit is {hard}; try fewer --tables")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
