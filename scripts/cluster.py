"""A whole cluster on this machine without containers: Redis, PostgreSQL, some `euchre serve` nodes, and a balancer.

    python scripts/cluster.py [--nodes N] [--host HOST] [--port PORT] [--folder DIR] [arguments of euchre serve ...]

All data is below the folder and is there again at the next start. Ctrl-C stops everything; so does the end of this
process, however it comes (on Linux). A node that is killed is started again after a moment, and so are the services.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fcntl
import itertools
import os
import secrets
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from services import MissingError, Postgres, Redis, ending_with_us, free_port

EUCHRE: Final = str(Path(sys.executable).with_name("euchre"))
_RESTART_AFTER_S: Final = 1.0
_STOP_LIMIT_S: Final = 15.0
_PIECE_BYTES: Final = 64 * 1024


class Node:
    """One `euchre serve`, kept running on a port of its own."""

    def __init__(self, name: str, folder: Path, arguments: list[str], environment: dict[str, str]) -> None:
        self.name = name
        self.port = free_port()
        self.is_up = asyncio.Event()
        self._log = folder / f"{name}.log"
        self._command = [*ending_with_us("TERM"), EUCHRE, "serve", "--port", str(self.port), *arguments]
        self._environment = environment
        self._process: Process | None = None

    async def keep(self) -> None:
        """Run it, and run it again whenever it ends."""
        while True:
            with self._log.open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    *self._command, stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=log, env=self._environment,
                    start_new_session=True,
                )  # fmt: skip
            assert self._process.stdout is not None
            if await self._process.stdout.readline():
                self.is_up.set()
                print(f"  {self.name}: http://127.0.0.1:{self.port}/ (process {self._process.pid})", flush=True)
            status = await self._process.wait()
            print(f"  {self.name} ended with status {status}; see {self._log}", flush=True)
            await asyncio.sleep(_RESTART_AFTER_S)

    async def stop(self) -> None:
        """Let it drain and end."""
        if self._process is None or self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            async with asyncio.timeout(_STOP_LIMIT_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()


class Balancer:
    """Passes each connection on to the next node that takes it."""

    def __init__(self, nodes: list[Node]) -> None:
        self._nodes = nodes
        self._first = itertools.cycle(range(len(nodes)))

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection until either end closes it."""
        try:
            for node in self._in_turn():
                try:
                    there, here = await asyncio.open_connection("127.0.0.1", node.port)
                except OSError:
                    continue
                await _join(reader, writer, there, here)
                return
        finally:
            writer.close()

    def _in_turn(self) -> Iterator[Node]:
        first = next(self._first)
        return iter(self._nodes[first:] + self._nodes[:first])


async def _join(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    there: asyncio.StreamReader,
    here: asyncio.StreamWriter,
) -> None:
    ways = [asyncio.ensure_future(_pass_on(reader, here)), asyncio.ensure_future(_pass_on(there, writer))]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        here.close()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while piece := await reader.read(_PIECE_BYTES):
            writer.write(piece)
            await writer.drain()


def start(service: Redis | Postgres) -> None:
    """Start a service, and say where it is."""
    service.start()
    assert service.process is not None
    print(f"  {type(service).__name__}: port {service.port} (process {service.process.pid})", flush=True)


async def keep_up(services: list[Redis | Postgres]) -> None:
    """Start a service again when it has ended."""
    while True:
        await asyncio.sleep(_RESTART_AFTER_S)
        for service in services:
            if service.has_ended:
                print(f"  {type(service).__name__} ended; see {service.folder / 'log'}", flush=True)
                with contextlib.suppress(RuntimeError):  # it is tried again
                    start(service)


async def run(
    options: argparse.Namespace,
    services: list[Redis | Postgres],
    serve_arguments: list[str],
    environment: dict[str, str],
) -> int:
    """Run nodes and balancer until a signal says stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    nodes = [Node(f"node{n}", options.folder, serve_arguments, environment) for n in range(1, options.nodes + 1)]
    try:
        listener = await asyncio.start_server(Balancer(nodes).carry, options.host, options.port)
    except OSError as error:
        print(f"cannot listen on {options.host}:{options.port}: {error.strerror}", file=sys.stderr)
        return 1
    keepers = [loop.create_task(keep_up(services)), *(loop.create_task(node.keep()) for node in nodes)]
    ready = asyncio.gather(*(node.is_up.wait() for node in nodes))
    waiting = loop.create_task(stop.wait())
    await asyncio.wait([waiting, ready], return_when=asyncio.FIRST_COMPLETED)
    if not waiting.done():
        print(f"Euchre is served at http://{options.host}:{options.port}/ by {options.nodes} nodes", flush=True)
        await waiting
    print("stopping", flush=True)
    ready.cancel()
    for keeper in keepers:
        keeper.cancel()
    listener.close()
    await asyncio.gather(*(node.stop() for node in nodes))
    return 0


def lock(folder: Path) -> TextIO | None:
    """Return the locked lock file of *folder*, None where another run has it. It is free when the process is gone."""
    file = (folder / "lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def main() -> int:
    parser = argparse.ArgumentParser(description="Run a cluster on this machine: Redis, PostgreSQL, nodes, a balancer.")
    parser.add_argument("--nodes", type=int, default=2, choices=range(1, 17), metavar="N", help="how many (2)")
    parser.add_argument("--host", default="127.0.0.1", help="where the balancer listens (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8765, help="its port (8765)")
    parser.add_argument("--folder", type=Path, default=Path(".cluster"), help="where all data is (.cluster)")
    options, serve_arguments = parser.parse_known_args()
    options.folder = options.folder.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    locked = lock(options.folder)
    if locked is None:
        print(f"a cluster runs in {options.folder} already; stop it, or choose another --folder", file=sys.stderr)
        return 1
    if os.geteuid() == 0 and not all(folder.stat().st_mode & 0o001 for folder in options.folder.parents):
        # PostgreSQL does not run as root; its own user must be able to come to its data.
        print(f"{options.folder} is closed to the user postgres; choose another --folder", file=sys.stderr)
        return 1
    redis = Redis(options.folder / "redis", free_port())
    postgres = Postgres(options.folder / "postgres", free_port())
    try:
        start(redis)
        start(postgres)
        environment = os.environ | {
            "EUCHRE_LOG": redis.url,
            "EUCHRE_DATABASE": postgres.database("euchre"),
            "EUCHRE_WORKER_TOKEN": os.environ.get("EUCHRE_WORKER_TOKEN") or secrets.token_urlsafe(24),
        }
        return asyncio.run(run(options, [redis, postgres], serve_arguments, environment))
    except MissingError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    finally:
        postgres.stop()
        redis.stop()


if __name__ == "__main__":
    sys.exit(main())
