"""`make cluster`: services, nodes and a balancer, played on two nodes at once; and what a killed run leaves behind."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bots.policy import LEVELS
from scripts.services import Postgres, Redis, free_port
from tests.support_player import Player, playing
from tests.support_server import PATIENCE_S, until_ended

ROOT = Path(__file__).parents[2]

# Services, servers and their restarts: more than a test's usual time on a busy machine.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's own user may enter."""
    made = Path(tempfile.mkdtemp(prefix="euchre-cluster-"))
    made.chmod(0o711)
    yield made
    shutil.rmtree(made)


class Cluster:
    """One run: its address, its nodes' addresses and processes, and what it said."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.said = ""
        self.url = ""

    async def says(self, pattern: str) -> re.Match[str]:
        """Wait until it has said *pattern*."""
        assert self.process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while (found := re.search(pattern, self.said)) is None:
                line = await self.process.stdout.readline()
                assert line, self.said
                self.said += line.decode()
        return found

    def nodes(self) -> list[tuple[str, int]]:
        """Return the address and process of each node that was started."""
        found = re.findall(r"node(\d+): http://(\S+)/ \(process (\d+)\)", self.said)
        return [(f"ws://{address}/ws", int(pid)) for _, address, pid in sorted(found)]

    def service(self, name: str) -> int:
        """Return the process of a service that was started, the latest."""
        return int(re.findall(rf"{name}: port \d+ \(process (\d+)\)", self.said)[-1])


@asynccontextmanager
async def a_cluster(folder: Path) -> AsyncIterator[Cluster]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "scripts/cluster.py", "--folder", str(folder), "--port", str(free_port()), "--pace", "0",
        cwd=ROOT, stdout=PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    cluster = Cluster(process)
    try:
        address = (await cluster.says(r"served at http://(\S+)/ by")).group(1)
        cluster.url = f"ws://{address}/ws"
        yield cluster
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), PATIENCE_S)


async def test_people_on_two_nodes_play_at_one_table_and_their_games_are_there_after_a_restart(folder: Path) -> None:
    policy = LEVELS["standard"]
    async with a_cluster(folder) as cluster:
        (first, _), (second, killed) = cluster.nodes()
        ann, ben, cat = Player(first, "Ann", policy=policy), Player(second, "Ben", policy=policy), Player(first, "Cat")
        async with playing(ann, ben):
            table = await ann.create(rules={"target": 4})
            await ben.join(table)
            await ann.start(table)
            ends = [await player.game_over(table) for player in (ann, ben)]
            assert ends[0].score == ends[1].score
            assert ends[0].winner is not None
        # The balancer finds a node that is up; the one that was killed comes back.
        os.kill(killed, signal.SIGKILL)
        there = Player(cluster.url, "Ann", token=ann.token)
        async with playing(there, cat):
            await there.until(lambda: there.welcomes)
        await cluster.says(r"(?s)node2 ended.*node2: http")
    async with a_cluster(folder) as cluster:
        back = Player(cluster.url, "Ann", token=ann.token)
        async with playing(back):
            async with asyncio.timeout(PATIENCE_S):  # whoever ended it may have been killed before it was archived
                while not (games := (await back.ask("games"))["games"]):  # noqa: ASYNC110  # nothing announces it
                    await asyncio.sleep(0.1)
            assert [game["table"] for game in games] == [table]


async def test_a_service_that_is_killed_is_started_again_and_play_goes_on(folder: Path) -> None:
    async with a_cluster(folder) as cluster:
        ann = Player(cluster.url, "Ann", policy=LEVELS["standard"])
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            for name in ("Redis", "Postgres"):
                os.kill(cluster.service(name), signal.SIGKILL)
                await cluster.says(rf"(?s){name} ended.*{name}: port")
                seq = ann.seq(table)
                await ann.until(lambda seq=seq: ann.seq(table) > seq + 6)  # type: ignore[misc]
            new = Player(cluster.url, "Ben")
            async with playing(new):
                assert new.welcomes


@pytest.mark.parametrize("kind", [Postgres, Redis])
def test_a_service_starts_once_an_earlier_run_of_it_has_ended(folder: Path, kind: type[Postgres | Redis]) -> None:
    earlier, service = (kind(folder / kind.__name__, free_port()) for _ in range(2))
    earlier.start()
    ending = threading.Timer(0.5, earlier.stop)
    ending.start()
    try:
        service.start()
        assert earlier.has_ended
    finally:
        ending.join()
        service.stop()


async def test_a_killed_run_leaves_nothing_that_blocks_the_next(folder: Path) -> None:
    async with a_cluster(folder) as cluster:
        nodes = cluster.nodes()
        cluster.process.kill()
        await cluster.process.wait()
        for _, pid in nodes:
            await until_ended(pid)
    async with a_cluster(folder) as cluster:
        other = await asyncio.create_subprocess_exec(
            sys.executable, "scripts/cluster.py", "--folder", str(folder), cwd=ROOT, stderr=PIPE
        )
        _, said = await asyncio.wait_for(other.communicate(), PATIENCE_S)
        assert other.returncode == 1
        assert b"runs in" in said
        assert len(cluster.nodes()) == 2
