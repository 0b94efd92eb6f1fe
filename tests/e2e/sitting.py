"""A table of four people whose every decision the test takes, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Final

import pytest

from engine.state import Phase
from protocol.codec import JSON
from tests.support_player import BOTH, Message, Player, four_players, playing, seat_four
from tests.support_server import Server, serving

PHASES: Final[dict[Phase, tuple[str, dict[str, object]]]] = {
    Phase.ROUND_ONE: ("standard", {}),
    Phase.ROUND_TWO: ("standard", {}),
    Phase.DISCARD: ("standard", {}),
    Phase.PLAY: ("standard", {}),
    Phase.NAME: ("standard", {"jokers": 1}),
    Phase.ALONE: ("ladder", {}),
    Phase.DEFEND: ("ladder", {}),
    Phase.EXCHANGE: ("standard", {"partner_exchange": "call_for_best"}),
}
"""Each phase of a hand in which somebody decides, and rules under which it comes about."""


@dataclass
class FourSit:
    """Four people at a table, by seat. Nobody decides by himself."""

    players: tuple[Player, Player, Player, Player]
    table: str
    rng: Random

    async def asked(self) -> tuple[Player, Message]:
        """Wait until somebody is asked; return him and his prompt."""
        first = self.players[0]
        prompt = await first.until(lambda: first.session.tables[self.table].prompt)
        player = self.players[prompt["seat"]]
        return player, await player.until(lambda: self._mine(player, prompt["turn"]))

    def _mine(self, player: Player, turn: int) -> Message | None:
        prompt = player.session.tables[self.table].prompt
        return dict(prompt) if prompt is not None and "legal" in prompt and prompt["turn"] >= turn else None

    async def act(self, action: str | None = None) -> Message:
        """Let who is asked take *action*, any that is legal by default; return the answer when all have heard of it."""
        player, prompt = await self.asked()
        chosen = self.rng.choice(prompt["legal"]) if action is None else action
        answer = await player.command(player.session.act(self.table, prompt["turn"], chosen))
        assert answer["t"] == "ok", answer
        await self.heard(answer["seq"])
        return answer

    async def heard(self, seq: int) -> None:
        """Wait until all have heard of that entry."""
        for player in self.players:
            await player.until(lambda player=player: player.seq(self.table) >= seq)  # type: ignore[misc]

    async def reach(self, phase: Phase | str) -> tuple[Player, Message]:
        """Play at random until a decision of that phase is open; return whose it is and his prompt."""
        while True:
            if self.players[0].view(self.table).over:
                await self.players[0].start(self.table)
                await self.players[0].until(lambda: not self.players[0].view(self.table).over)
            player, prompt = await self.asked()
            if prompt["phase"] == phase:
                return player, prompt
            calls = [action for action in prompt["legal"] if "alone" in action]
            passes = "pass" in prompt["legal"] and phase in {Phase.ROUND_TWO, Phase.NAME}
            await self.act("pass" if passes else self.rng.choice(calls) if calls else None)

    async def games(self) -> list[Message | None]:
        """Return the game as the server shows it to each of the four."""
        return [(await player.fresh_view(self.table))["view"]["game"] for player in self.players]

    def events(self, player: Player, kind: str) -> list[Message]:
        """Return the events of that kind that *player* heard of here."""
        heard = [message for message in player.heard if message["t"] == "event" and message["table"] == self.table]
        return [event for message in heard for event in message["events"] if event["e"] == kind]


@asynccontextmanager
async def four_sit(
    url: str, preset: str = "standard", *, seed: int = 1, is_started: bool = True, **fields: Any
) -> AsyncIterator[FourSit]:
    """Seat four at a table of their own and start a game."""
    players = await four_players(url, codecs=BOTH, seed=seed)
    async with playing(*players):
        table = await seat_four(players, preset, **fields)
        four = FourSit(players, table, Random(seed))
        if is_started:
            await players[0].start(table)
        yield four


async def a_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """Run a server for a module's tests, each of which brings its own players; nothing may break. A fixture."""
    async with serving(tmp_path_factory.mktemp("cases"), log="memory") as running:
        yield running
    assert "_failed" not in running.logged()
    assert "Traceback" not in running.logged()


@asynccontextmanager
async def onlooker(url: str, table: str) -> AsyncIterator[Player]:
    """Let somebody look on at *table*."""
    wim = Player(url, "Wim", codec=JSON)
    async with playing(wim):
        await wim.watch(table)
        yield wim


def stood_in(events: Sequence[Message]) -> list[Message]:
    """Return those of *events* that tell of a bot in a person's place."""
    return [event for event in events if event["e"] == "stood_in"]
