"""A real Redis for tests: `redis-server` as a process on a port of its own, that can be ended in every way.

with running_redis(folder) as redis:
    ... redis.url ...
    redis.kill()      # as if the power went
    redis.start()     # on the same port, with the same data
"""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import socket
import subprocess
import time
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from typing import Final

from tests.support_server import PATIENCE_S, free_port

ALL_SLOTS: Final = (0, 16383)
REDIS_SERVER: Final = shutil.which("redis-server") or "redis-server"


class RedisServer:
    """One Redis: where it listens, where its data is, and its process while it runs."""

    def __init__(self, folder: Path, *settings: str, slots: tuple[int, int] | None = None) -> None:
        self.folder = folder
        self.port = free_port()
        self.cluster_port = free_port()
        self.slots = slots
        """The first and last slot of a cluster it has; None for a Redis that is no cluster's."""
        self.process: subprocess.Popen[bytes] | None = None
        self._settings = settings

    @property
    def url(self) -> str:
        """Its address for `--log`."""
        return f"redis://127.0.0.1:{self.port}/{'?cluster=true' if self.slots else ''}"

    def start(self, *settings: str) -> None:
        """Start, with *settings* beside the usual ones, and wait until it answers. What it wrote is there again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        cluster = ("--cluster-enabled", "yes", "--cluster-port", str(self.cluster_port)) if self.slots else ()
        with (self.folder / "redis.log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    REDIS_SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder),
                    "--save", "", "--appendonly", "yes", "--appendfsync", "always",
                    *cluster, *self._settings, *settings,
                ],
                # Signals as Python has them: a write beyond `limit_files` is an error then, as on a full disk.
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, restore_signals=False,
            )  # fmt: skip
        until_s = time.monotonic() + PATIENCE_S
        while not self._is_ready():
            assert self.process.poll() is None, self.logged()
            assert time.monotonic() < until_s, self.logged()
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            if self.ask("PING") != "+PONG\r\n":
                return False
            if self.slots and "cluster_slots_assigned:0" in self.ask("CLUSTER", "INFO"):
                self.ask("CLUSTER", "ADDSLOTSRANGE", *map(str, self.slots))
            return self.slots != ALL_SLOTS or "cluster_state:ok" in self.ask("CLUSTER", "INFO")
        except OSError:
            return False

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

    def limit_files(self, size: int) -> None:
        """Let none of its files grow beyond *size* bytes, as if the disk were full; -1 lifts it. Linux only."""
        _, most = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (size, most))

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
def running_redis(folder: Path, *settings: str, slots: tuple[int, int] | None = None) -> Iterator[RedisServer]:
    """Run a Redis with its data in *folder* while the context is open."""
    server = RedisServer(folder, *settings, slots=slots)
    try:
        server.start()
        yield server
    finally:
        server.kill()


@contextmanager
def running_cluster(folder: Path) -> Iterator[list[RedisServer]]:
    """Run a Redis Cluster of three nodes, each with a third of the slots, while the context is open."""
    thirds = [(0, 5460), (5461, 10922), (10923, ALL_SLOTS[1])]
    with ExitStack() as stack:
        nodes = [
            stack.enter_context(running_redis(folder / str(number), slots=slots)) for number, slots in enumerate(thirds)
        ]
        for node in nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", str(nodes[0].port), str(nodes[0].cluster_port))
        until_s = time.monotonic() + PATIENCE_S
        while not all("cluster_state:ok" in node.ask("CLUSTER", "INFO") for node in nodes):
            assert time.monotonic() < until_s, nodes[0].logged()
            time.sleep(0.05)
        yield nodes


class LossyProxy:
    """A way to Redis that loses answers: of what comes from it, *loss* is thrown away and the connection cut.

    ``change`` is applied to what comes through.
    """

    def __init__(self, redis: RedisServer, *, loss: float, seed: int) -> None:
        self.url = ""
        self.loss = loss
        self.lost = 0
        self.change: Callable[[bytes], bytes] = bytes
        self._redis = redis
        self._rng = Random(seed)
        self._carriers: set[asyncio.Task[None]] = set()

    async def carry(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Carry one connection."""
        task = asyncio.current_task()
        assert task is not None
        self._carriers.add(task)
        redis_writer = None
        try:
            redis_reader, redis_writer = await asyncio.open_connection("127.0.0.1", self._redis.port)
            up = asyncio.create_task(self._up(reader, redis_writer))
            down = asyncio.create_task(self._down(redis_reader, writer))
            try:
                await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            finally:
                up.cancel()
                down.cancel()
                await asyncio.gather(up, down, return_exceptions=True)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for side in (writer, redis_writer):
                if side is not None:
                    side.transport.abort()
            self._carriers.discard(task)

    async def _up(self, reader: StreamReader, writer: StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()

    async def _down(self, reader: StreamReader, writer: StreamWriter) -> None:
        while data := await reader.read(65536):
            if self._rng.random() < self.loss:
                self.lost += 1
                return
            writer.write(self.change(data))
            await writer.drain()

    def cut(self) -> None:
        """Cut every connection there is."""
        for carrier in self._carriers:
            carrier.cancel()


@asynccontextmanager
async def lossy_proxy(redis: RedisServer, *, loss: float = 0.03, seed: int = 0) -> AsyncIterator[LossyProxy]:
    """Run such a way to *redis* while the context is open."""
    proxy = LossyProxy(redis, loss=loss, seed=seed)
    server = await asyncio.start_server(proxy.carry, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    proxy.url = redis.url.replace(f":{redis.port}", f":{port}")
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        await server.wait_closed()
