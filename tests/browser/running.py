"""A server of our own program in a process of its own, which a test may kill and start again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

START_LIMIT_S = 20.0
_LOOK_EVERY_S = 0.05


class RunningServer:
    """`euchre serve` on a free port of the loopback, with its data and its output in *folder*."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self._output = folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it and wait until it is ready."""
        program = Path(sys.executable).with_name("euchre")
        command = [str(program), "serve", "--port", str(self.port), "--data", str(self.folder), "--pace", "0"]
        with self._output.open("ab") as output:
            # A session of its own, so that its bot workers die with it.
            self._process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
        deadline = time.monotonic() + START_LIMIT_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server did not start:\n{self._output.read_text(errors='replace')}")
            time.sleep(_LOOK_EVERY_S)

    def kill(self) -> None:
        """End it, and its workers, as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        if how is signal.SIGKILL:
            os.killpg(self._process.pid, how)
        else:
            self._process.send_signal(how)
        self._process.wait(START_LIMIT_S)
        self._process = None

    def _is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}readyz", timeout=1) as response:  # noqa: S310 - our own server
                return bool(response.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
