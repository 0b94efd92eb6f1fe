"""The processes of a measurement: started, asked, looked at from outside, and gone with it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from clients.cli.errors import CommandError

_SPARE_FILES: Final = 200
_PATIENCE_S: Final = 20.0
_PLACES: Final = ("EUCHRE_LOG", "EUCHRE_DATABASE")
"""Where a server of this machine keeps things, which a measurement must not touch."""


class Process:
    """A process that takes orders on its standard input and answers each with one line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def line(self) -> str:
        """Return its next line. Raises CommandError when it has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CommandError(f"a process of the measurement ended with status {self._process.wait()}")
        return line.strip()

    def ask(self, order: str) -> dict[str, Any]:
        """Give an order and return the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    @property
    def cpu_s(self) -> float | None:
        """Its processor time so far, all threads, in seconds; None where there is no /proc."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        except OSError:
            return None
        user, system = int(fields[11]), int(fields[12])
        return (user + system) / os.sysconf("SC_CLK_TCK")

    @property
    def memory_kib(self) -> int | None:
        """Its resident memory; None where there is no /proc."""
        try:
            lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        except OSError:
            return None
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


@contextlib.contextmanager
def running(command: list[str]) -> Iterator[Process]:
    """Run *command* while the context is open."""
    environment = {name: value for name, value in os.environ.items() if name not in _PLACES}
    environment["PYTHONPATH"] = str(Path(__file__).parents[3])
    with (
        _leaving_on_sigterm(),
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process,
    ):
        try:
            yield Process(process)
        finally:
            process.terminate()
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()


@contextlib.contextmanager
def _leaving_on_sigterm() -> Iterator[None]:
    """Let SIGTERM unwind this process, so that it takes those it started with it."""
    previous = signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def python(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours."""
    return [sys.executable, "-m", module, *arguments]


@contextlib.contextmanager
def serving(log: str, data: Path, database: str | None = None) -> Iterator[tuple[Process, str]]:
    """Run a server as it is for players, but without limits, pauses and workers; yield it and its address."""
    data.mkdir(parents=True, exist_ok=True)
    command = python(
        "clients.cli.main", "serve", "--port", "0", "--data", str(data), "--log", log,
        "--workers", "0", "--pace", "0", "--limits", "off", "--log-level", "error",
        *(() if database is None else ("--database", database)),
    )  # fmt: skip
    with running(command) as server:
        yield server, server.line().rsplit(" ", 1)[-1]


def allow_files(connections: int) -> None:
    """Let this process and its children open as many files as there will be connections."""
    try:
        import resource
    except ImportError:  # no such limit here
        return
    wanted = connections + _SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise CommandError(f"{wanted} open files are needed, the limit is {hard}; try with fewer connections")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
