"""deploy/nginx.conf, as it is, before two nodes; where nginx is installed."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.services import free_port
from tests.support_player import Player, playing
from tests.support_server import PATIENCE_S, Server, serving

NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx.conf"

pytestmark = pytest.mark.skipif(not Path(NGINX).exists(), reason="nginx is not installed")


class Proxy:
    """A running nginx: its port and that of its health check."""

    def __init__(self, folder: Path, nodes: list[Server]) -> None:
        self.port, self.health_port = free_port(), free_port()
        text = CONFIGURATION.read_text()
        changes = {
            "listen 8080;": f"listen 127.0.0.1:{self.port};",
            "listen 127.0.0.1:8081;": f"listen 127.0.0.1:{self.health_port};",
            "/tmp/": f"{folder}/",
            # Names of containers are Docker's.
            "resolver 127.0.0.11 valid=5s;": "",
            " resolve ": " ",
            **{f"node{number}:8765": f"127.0.0.1:{node.port}" for number, node in enumerate(nodes, start=1)},
        }
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        self._file = folder / "nginx.conf"
        self._file.write_text(text)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [NGINX, "-c", str(self._file), "-e", "stderr", "-g", "daemon off;"]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)

    def stop(self) -> None:
        assert self._process is not None
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def get(self, path: str, *, port: int | None = None) -> int:
        """Return the status of the answer, 0 where there is none."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{port or self.port}{path}", timeout=PATIENCE_S) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return 0

    async def is_up(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while await asyncio.to_thread(self.get, "/healthz") != 200:  # noqa: ASYNC110  # nothing announces it
                await asyncio.sleep(0.05)


@pytest.fixture
def proxies() -> Iterator[list[Proxy]]:
    """Stop whatever a test puts in here."""
    started: list[Proxy] = []
    yield started
    for proxy in started:
        proxy.stop()


async def test_people_are_carried_to_any_node_that_is_up(tmp_path: Path, proxies: list[Proxy]) -> None:
    header = ("--proxy-header", "X-Forwarded-For")
    async with (
        serving(tmp_path / "1", *header, log="memory", workers=0) as first,
        serving(tmp_path / "2", *header, log="memory", workers=0) as second,
    ):
        proxy = Proxy(tmp_path, [first, second])
        proxy.start()
        proxies.append(proxy)
        await proxy.is_up()
        assert await asyncio.to_thread(proxy.get, "/") == 200
        assert await asyncio.to_thread(proxy.get, "/readyz", port=proxy.health_port) == 200
        assert await asyncio.to_thread(proxy.get, "/metrics", port=proxy.health_port) == 404
        url = f"ws://127.0.0.1:{proxy.port}/ws"
        people = [Player(url, name) for name in ("Ann", "Ben", "Cat", "Dan")]
        async with playing(*people):
            for person in people:
                await person.until(lambda person=person: person.welcomes)  # type: ignore[misc]
            table = await people[0].create()
            assert people[0].info(table).get("seats")
        await first.kill()
        for name in ("Eve", "Fay", "Gus"):
            person = Player(url, name)
            async with playing(person):
                await person.until(lambda person=person: person.welcomes)  # type: ignore[misc]
        assert await asyncio.to_thread(proxy.get, "/readyz", port=proxy.health_port) == 200
        await second.kill()
        assert await asyncio.to_thread(proxy.get, "/readyz") == 502
