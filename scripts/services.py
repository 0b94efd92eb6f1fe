"""Servers other than ours, started from their installed packages below a folder: PostgreSQL and Redis.

They listen on the loopback address alone. Where a parent can ask for it (Linux), they end with the thread that started
them, however it ended. For `make cluster` and the tests.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Final

PATIENCE_S: Final = 60.0
_POLL_S: Final = 0.05


class MissingError(Exception):
    """A program that is not installed. The message says which package has it."""


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def ending_with_us(signal_name: str) -> list[str]:
    """Return what to put before a command so that its process gets the signal when the thread that starts it ends."""
    setpriv = shutil.which("setpriv")
    return [] if setpriv is None else [setpriv, "--pdeathsig", signal_name, "--"]


class _Service:
    program: ClassVar[str]
    """What its processes are called."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None

    def _start(self, command: list[str], is_ready: Callable[[], bool], *, user: str | None = None) -> None:
        self._outlast_earlier()
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, user=user, group=user, cwd=self.folder,
                start_new_session=True,
            )  # fmt: skip
        until = time.monotonic() + PATIENCE_S
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{command[0]} did not start; see {self.folder / 'log'}")
            time.sleep(_POLL_S)

    def _outlast_earlier(self) -> None:
        """Wait for what an earlier start left behind: it was told to end, and writes what it has first. Linux only."""
        until = time.monotonic() + PATIENCE_S / 4
        while any(map(self._is_ours, Path("/proc").glob("[0-9]*"))) and time.monotonic() < until:
            time.sleep(_POLL_S)

    def _is_ours(self, process: Path) -> bool:
        try:
            return (process / "comm").read_text().strip() == self.program and (
                (process / "cwd").readlink().is_relative_to(self.folder.resolve())
            )
        except OSError:  # it is gone, or somebody else's
            return False

    @property
    def has_ended(self) -> bool:
        """Tell whether it was started and is no more."""
        return self.process is not None and self.process.poll() is not None

    def stop(self) -> None:
        """Stop it as its own users would; its data stays."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it, and all it started, as if the power went."""
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE_S)

    def freeze(self) -> None:
        """Let it hang: connections stand, nothing answers."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGCONT)

    def _end(self, number: int) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(PATIENCE_S / 4)
        except subprocess.TimeoutExpired:
            self.kill()


class Postgres(_Service):
    """A PostgreSQL cluster that trusts everybody on this machine. It runs as the user postgres where we are root.

    Without *fsync* its data survives the end of any process, but not of the machine.
    """

    program = "postgres"

    def __init__(self, folder: Path, port: int, *, fsync: bool = True) -> None:
        super().__init__(folder, port)
        self._fsync = fsync

    def start(self) -> None:
        """Start it, its data made first if there is none, and wait until it answers."""
        programs = _postgres_programs()
        user = "postgres" if os.geteuid() == 0 else None
        self.folder.mkdir(parents=True, exist_ok=True)
        if user is not None:
            shutil.chown(self.folder, user, user)
        data = self.folder / "data"
        if not (data / "PG_VERSION").exists():
            shutil.rmtree(data, ignore_errors=True)
            subprocess.run(
                [programs / "initdb", "--pgdata", data, "--username", "euchre", "--auth", "trust", "--encoding", "UTF8",
                 "--no-locale", "--no-sync"],
                check=True, capture_output=True, user=user, group=user, cwd=self.folder,
            )  # fmt: skip
        self._start(
            [*ending_with_us("INT"), str(programs / self.program), "-D", str(data), "-p", str(self.port),
             "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
             "-c", f"fsync={'on' if self._fsync else 'off'}"],
            lambda: self._ask("SELECT 1"),
            user=user,
        )  # fmt: skip

    def kill(self) -> None:
        """End it and its children, which have process groups of their own, as if the power went."""
        children = self._children()
        super().kill()
        for pid in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(map(_is_alive, children)):
            time.sleep(_POLL_S)

    def freeze(self) -> None:
        super().freeze()
        for pid in self._children():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self) -> None:
        for pid in self._children():
            os.kill(pid, signal.SIGCONT)
        super().thaw()

    def _children(self) -> list[int]:
        if self.process is None or self.process.poll() is not None:
            return []
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def database(self, name: str) -> str:
        """Return the URL of the database *name*, made if it is missing."""
        if not self._ask("SELECT 1", database=name):
            self._ask(f'CREATE DATABASE "{name}"')
        return f"postgresql://euchre@127.0.0.1:{self.port}/{name}"

    def _ask(self, statement: str, *, database: str = "postgres") -> bool:
        """Tell whether the statement is done."""
        psql = [
            str(_postgres_programs() / "psql"),
            "-h",
            "127.0.0.1",
            "-p",
            str(self.port),
            "-U",
            "euchre",
            "-d",
            database,
        ]
        done = subprocess.run([*psql, "-qAtX", "-c", statement], check=False, capture_output=True, cwd="/")
        return done.returncode == 0


class Redis(_Service):
    """A Redis that writes every command to disk before it answers."""

    program = "redis-server"

    def start(self) -> None:
        """Start it on the data that is there, and wait until it answers."""
        program = shutil.which(self.program)
        if program is None:
            raise MissingError("redis-server is missing; Debian's package is redis-server")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._start(
            [*ending_with_us("TERM"), program, "--port", str(self.port), "--bind", "127.0.0.1", "--dir",
             str(self.folder), "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
            self._answers,
        )  # fmt: skip

    @property
    def url(self) -> str:
        """Return where it is."""
        return f"redis://127.0.0.1:{self.port}"

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def _postgres_programs() -> Path:
    """Return the folder of PostgreSQL's programs, which Debian keeps out of the PATH; the newest version's."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if not folders:
        raise MissingError("PostgreSQL is missing; Debian's package is postgresql")
    return folders[-1].parent


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
