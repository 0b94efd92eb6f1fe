"""What the faults are done to: a server or several, what stands behind them, and the crowd that plays there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final, Literal

from server.log import Stored
from tests.chaos.crowd import Crowd
from tests.chaos.network import Network, network
from tests.e2e.lossy import LossyNetwork, lossy_network
from tests.e2e.records import read_log
from tests.support_player import Message, Player
from tests.support_server import Server, serving

Mark = Literal["before the append", "after the append", "after the telling"]
MARKS: Final[tuple[Mark, ...]] = ("before the append", "after the append", "after the telling")
_PACE: Final = 0.1
"""Bots think, and people see, for a tenth of what they do at a table for people."""


@dataclass
class Stage:
    """``found_at`` counts, for tables, at what point of an entry's way a kill was found to have come."""

    nodes: list[Server]
    front: Network
    crowd: Crowd
    rng: Random
    lossy: LossyNetwork | None = None
    found_at: Counter[Mark] = field(default_factory=Counter)

    def node(self) -> Server:
        return self.rng.choice(self.nodes)

    async def at(self, mark: Mark) -> None:
        """Return at about that point of the way of somebody's decision."""
        match mark:
            case "before the append":
                await self._hears(lambda message: message["t"] == "prompt" and "legal" in message)
                await asyncio.sleep(self.rng.uniform(0, 0.004))
            case "after the append":
                await self._writes()
            case "after the telling":
                await self._hears(lambda message: message["t"] == "event")

    async def _hears(self, wanted: Callable[[Message], bool]) -> None:
        player: Player = self.rng.choice(self.crowd.players)
        heard = asyncio.Event()
        player.on_message = lambda message: heard.set() if wanted(message) else None
        await player.until(heard.is_set)
        player.on_message = bool

    async def _writes(self) -> None:
        """Wait until something is written to the log."""
        path = self.nodes[0].data / "euchre.db-wal"
        before = path.stat()
        while (now := path.stat()).st_mtime_ns == before.st_mtime_ns and now.st_size == before.st_size:  # noqa: ASYNC110
            await asyncio.sleep(0)

    async def kill_node(self, mark: Mark) -> None:
        """Kill a server at that mark, find out where in fact it was, and start it again."""
        node = self.node()
        await self.at(mark)
        await self.crowd.lost_everybody(node.kill())
        for table in self.crowd.tables:
            last = len(read_log(node.data, table.id))
            told = table.seq
            assert told <= last, f"table {table.id}: entry {told} was told, and the log ends at {last}"
            self.found_at["after the append" if told < last else MARKS[0] if table.is_owed else MARKS[2]] += 1
        await node.start()

    def logs(self) -> dict[str, list[Stored]]:
        """Return the logs of all tables. Only after the servers have ended."""
        return {table.id: read_log(self.nodes[0].data, table.id) for table in self.crowd.tables}


@asynccontextmanager
async def one_server(folder: Path, *, tables: int, seed: int, is_lossy: bool) -> AsyncIterator[Stage]:
    """Set up one server with its log in SQLite, and let the crowd come. It has left when the context is over."""
    async with (
        serving(folder, pace=_PACE, workers=2) as server,
        network(lambda: (server.port,), seed=seed) as front,
        lossy_network(f"ws://127.0.0.1:{front.port}/ws", loss=0, echo=0, seed=seed) as lossy,
    ):
        stage = Stage([server], front, Crowd(), Random(seed), lossy if is_lossy else None)
        try:
            await stage.crowd.come(lossy.url if is_lossy else f"ws://127.0.0.1:{front.port}/ws", tables, seed=seed)
            yield stage
        finally:
            await stage.crowd.leave()
