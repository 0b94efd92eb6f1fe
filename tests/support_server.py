"""A real server for tests: `euchre serve` as a process on a port of its own, that can be ended in every way.

async with serving(tmp_path) as server:
    ... server.ws, server.http ...
    await server.kill()      # as if the power went
    await server.start()     # on the same port, with the same data
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

EUCHRE: Final = str(Path(sys.executable).with_name("euchre"))
"""The program, installed beside the Python that runs the tests."""
WORKER_TOKEN: Final = "worker-token-of-the-tests"
PATIENCE_S: Final = 60.0
"""How long a test waits for what must come. Only a test that fails waits so long."""
_SHOWN: Final = 3000
"""So many characters of a server's log are shown with a test that failed."""


class Server:
    """One server: where it listens, where its data is, and its process while it runs."""

    def __init__(
        self,
        data: Path,
        *arguments: str,
        log: str = "sqlite",
        workers: int = 1,
        pace: float = 0,
        limits: Literal["on", "off"] = "off",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.data = data
        self.port = 0
        self.log_file = data.with_name(f"{data.name}.log")
        self.process: Process | None = None
        self.environment = os.environ | {"EUCHRE_WORKER_TOKEN": WORKER_TOKEN} | dict(environment or {})
        self._arguments = (
            "--data", str(data), "--log", log, "--workers", str(workers), "--pace", str(pace),
            "--limits", limits, "--log-format", "json", *arguments,
        )  # fmt: skip

    @property
    def http(self) -> str:
        """The address of the web page, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        """The address of the WebSocket server."""
        return f"ws://127.0.0.1:{self.port}/ws"

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    async def start(self) -> None:
        """Start, and wait until it serves. A server that served before gets the port it had."""
        self.log_file.parent.mkdir(parents=True, exist_ok=True)
        with self.log_file.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                EUCHRE, "serve", "--port", str(self.port), *self._arguments,
                stdin=asyncio.subprocess.DEVNULL, stdout=PIPE, stderr=log, env=self.environment,
            )  # fmt: skip
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            line = (await self.process.stdout.readline()).decode()
        assert line.startswith("Euchre is served at http://127.0.0.1:"), f"{line!r}\n{self.logged()}"
        self.port = int(line.rstrip("/\n").rsplit(":", 1)[1])

    def signal(self, number: int) -> None:
        """Send the process a signal."""
        assert self.process is not None
        self.process.send_signal(number)

    async def ended(self) -> int:
        """Wait until the process has ended; return its exit status, negative for a signal."""
        assert self.process is not None
        async with asyncio.timeout(PATIENCE_S):
            return await self.process.wait()

    async def kill(self) -> None:
        """End the process with SIGKILL, as if the power went."""
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> int:
        """End the process with SIGTERM; return its exit status."""
        self.signal(signal.SIGTERM)
        return await self.ended()

    def logged(self) -> str:
        """Return what the server, and its workers, wrote to stderr since it was first started."""
        return self.log_file.read_text() if self.log_file.exists() else ""

    async def has_logged(self, text: str, *, times: int = 1) -> None:
        """Wait until *text* was logged so many times."""
        async with asyncio.timeout(PATIENCE_S):
            while self.logged().count(text) < times:  # noqa: ASYNC110  # nothing announces a line in a file
                await asyncio.sleep(0.05)

    def children(self) -> list[int]:
        """Return the process ids of the running bot workers. Linux only."""
        return children_of(self.pid)


@asynccontextmanager
async def serving(
    folder: Path,
    *arguments: str,
    log: str = "sqlite",
    workers: int = 1,
    pace: float = 0,
    limits: Literal["on", "off"] = "off",
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[Server]:
    """Run a server with its data below *folder* while the context is open, and let nothing of it live on."""
    server = Server(
        folder / "data", *arguments, log=log, workers=workers, pace=pace, limits=limits, environment=environment
    )
    try:
        await server.start()
        yield server
    except Exception as error:
        error.add_note(f"The end of {server.log_file}:\n{server.logged()[-_SHOWN:]}")
        raise
    finally:
        if server.process is not None and server.process.returncode is None:
            server.signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(PATIENCE_S / 2):
                    await server.process.wait()
            except TimeoutError:
                await server.kill()


def children_of(pid: int) -> list[int]:
    """Return the process ids of a process's running children. Linux only."""
    tasks = Path(f"/proc/{pid}/task")
    return sorted(int(child) for task in tasks.iterdir() for child in (task / "children").read_text().split())


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that ended and was not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until_ended(pid: int) -> None:
    """Wait until a process that may be nobody's child has ended. Linux only."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            gone = asyncio.Event()
            loop = asyncio.get_running_loop()
            loop.add_reader(descriptor, gone.set)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await gone.wait()
            finally:
                loop.remove_reader(descriptor)
        finally:
            os.close(descriptor)


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
