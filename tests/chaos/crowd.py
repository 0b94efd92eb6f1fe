"""Many tables in play at once: two people and two bots at each, and at every fourth somebody who looks on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Final

from bots.uniform import Uniform
from engine.rules import PRESETS
from engine.view import WATCHER, Viewer
from protocol.client import ClientSession
from tests.chaos.checker import Transcript
from tests.support_player import BOTH, Player

_WITHOUT_END: Final = {"target": 99, "hands": None}
_TRICK_AND_MORE: Final = 6
"""Entries after which a game has surely gone on."""


@dataclass
class Table:
    """A table in play, and who is at it: as whom each sees it."""

    id: str
    people: dict[Viewer, Player]

    @property
    def seq(self) -> int:
        """The newest entry that anybody here was told of."""
        return max((player.session.tables[self.id].seq or 0) for player in self.people.values())

    @property
    def is_owed(self) -> bool:
        """Tell whether somebody waits for the answer to a decision."""
        return any(_acts(player.session) for player in self.people.values())

    async def goes_on(self, entries: int = _TRICK_AND_MORE) -> None:
        """Wait until everybody here was told of so many entries more."""
        goal = self.seq + entries
        for player in self.people.values():
            await player.until(lambda player=player: player.seq(self.id) >= goal)  # type: ignore[misc]

    def transcripts(self) -> list[Transcript]:
        """Return what everybody here heard and folded."""
        found = []
        for viewer, player in self.people.items():
            assert player.session.player is not None
            folded = {seq: view for (table, seq), view in player.folded.items() if table == self.id}
            found.append(Transcript(player.session.player["id"], viewer, player.heard, folded))
        return found


def _acts(session: ClientSession) -> list[dict[str, Any]]:
    return [message for message in session.outstanding.values() if message["t"] == "act"]


class Crowd:
    """All tables."""

    def __init__(self) -> None:
        self.tables: list[Table] = []

    @property
    def players(self) -> list[Player]:
        return [player for table in self.tables for player in table.people.values()]

    async def come(self, url: str, tables: int, *, seed: int) -> None:
        """Come to *url*, sit down at so many tables, and begin to play."""
        await asyncio.gather(*(self._sit_down(url, number, seed) for number in range(tables)))

    async def _sit_down(self, url: str, number: int, seed: int) -> None:
        def come_in(name: str, at: int) -> Player:
            return Player(url, name, codec=BOTH[number % 2], policy=Uniform(), seed=1000 * seed + 10 * number + at)

        ann, cat = come_in("Ann", 0), come_in("Cat", 2)
        table = Table("", {0: ann, 2: cat})
        if number % 4 == 0:
            table.people[WATCHER] = come_in("Wim", 4)
        self.tables.append(table)
        for player in table.people.values():
            await player.welcome()
        preset = tuple(PRESETS)[number % len(PRESETS)]
        table.id = await ann.create(preset, rules=_WITHOUT_END, clock=("none", "normal")[number % 2])
        await cat.join(table.id, 2)
        if number % 4 == 0:
            await table.people[WATCHER].watch(table.id)
        await ann.start(table.id)

    async def goes_on(self, entries: int = _TRICK_AND_MORE) -> None:
        """Wait until every game has gone on by so many entries."""
        await asyncio.gather(*(table.goes_on(entries) for table in self.tables))

    async def lost_everybody(self, strike: Awaitable[object]) -> None:
        """Do what ends all connections, and wait until everybody has noticed."""
        before = [(player, len(player.closes)) for player in self.players]
        await strike
        for player, closes in before:
            await player.until(lambda player=player, closes=closes: len(player.closes) > closes)  # type: ignore[misc]

    async def leave(self) -> None:
        """Go, without a word to the tables."""
        await asyncio.gather(*(player.leave_the_room() for player in self.players))
