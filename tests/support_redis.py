"""A real Redis for tests: `redis-server` as a process on a port of its own, that can be ended in every way.

with running_redis(folder) as redis:
    ... redis.url ...
    redis.kill()      # as if the power went
    redis.start()     # on the same port, with the same data
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support_server import PATIENCE_S, free_port

REDIS_SERVER: Final = shutil.which("redis-server") or "redis-server"


class RedisServer:
    """One Redis: where it listens, where its data is, and its process while it runs."""

    def __init__(self, folder: Path, *settings: str, is_cluster: bool = False) -> None:
        self.folder = folder
        self.port = free_port()
        self.is_cluster = is_cluster
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = settings

    @property
    def url(self) -> str:
        """Its address for `--log`."""
        return f"redis://127.0.0.1:{self.port}/{'?cluster=true' if self.is_cluster else ''}"

    def start(self, *settings: str) -> None:
        """Start, with *settings* beside the usual ones, and wait until it answers. What it wrote is there again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        cluster = ("--cluster-enabled", "yes", "--cluster-port", str(free_port())) if self.is_cluster else ()
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    REDIS_SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder),
                    "--save", "", "--appendonly", "yes", "--appendfsync", "always",
                    *cluster, *self._settings, *settings,
                ],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        until_s = time.monotonic() + PATIENCE_S
        while not self._is_ready():
            assert self.process.poll() is None, self.logged()
            assert time.monotonic() < until_s, self.logged()
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            answer = self.ask("PING")
            if self.is_cluster and "cluster_state:ok" not in self.ask("CLUSTER", "INFO"):
                if "cluster_slots_assigned:0" in self.ask("CLUSTER", "INFO"):
                    self.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
                return False
        except OSError:
            return False
        return not answer.startswith("-LOADING")

    def ask(self, *words: str) -> str:
        """Send one command over a connection of its own and return the answer as it came, up to 64 KiB of it."""
        command = b"*%d\r\n" % len(words) + b"".join(
            b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words
        )
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            connection.sendall(command)
            answer = connection.recv(65536)
            if answer.startswith(b"$"):
                length = int(answer[1 : answer.index(b"\r\n")])
                while len(answer) < length and (more := connection.recv(65536)):
                    answer += more
        return answer.decode(errors="replace")

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def pause(self) -> None:
        """Stop it in its tracks: it answers nothing, and its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after a `pause`."""
        os.kill(self.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it with SIGKILL, as if the power went."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it with SIGTERM."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.send_signal(signal.SIGCONT)
            self.process.wait(PATIENCE_S)

    def logged(self) -> str:
        """Return what it wrote to its own log."""
        return (self.folder / "redis.log").read_text(errors="replace")


@contextmanager
def running_redis(folder: Path, *settings: str, is_cluster: bool = False) -> Iterator[RedisServer]:
    """Run a Redis with its data in *folder* while the context is open."""
    server = RedisServer(folder, *settings, is_cluster=is_cluster)
    try:
        server.start()
        yield server
    finally:
        server.kill()
