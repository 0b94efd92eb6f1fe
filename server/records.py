"""Records of the games in a table's log, in the format ``euchre/1`` (engine/record.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from engine.actions import parse_action
from engine.cards import parse_cards
from engine.events import SecretRevealed
from engine.fair import commitment
from engine.record import action_line, deal_line, header_line, result_line, reveal_line
from engine.state import Finished
from server.entries import Acted, DealtOut, Opened, SatDown, Started, unpack_entry
from server.log import Stored
from server.table import Happening, TableState, evolve, opened_table

_AT_A_TIME: Final = 8
"""Entries that are followed in one go: a few tenths of a millisecond."""


class GameRecord:
    """One game of a log, written as it is followed.

    ``players`` are those of the start, by seat; ``seats`` has everybody who took part, with the seat he had last. The
    score and the end are those of a finished game.
    """

    def __init__(self, game: str, state: TableState, at_ms: int) -> None:
        room, play = state.room, state.play
        assert play is not None
        self.game = game
        self.visibility = room.opened.visibility
        self.preset = room.opened.preset
        self.seats = {chair.player: seat for seat, chair in enumerate(room.chairs) if chair.player is not None}
        self.score: tuple[int, int] = 0, 0
        self.winner: int | None = None
        self.started_ms = at_ms
        self.ended_ms: int | None = None
        self.players: list[dict[str, Any]] = [
            {"seat": seat, "name": chair.name, "kind": chair.shown_kind}
            | ({"bot": {"level": chair.level}} if chair.kind == "bot" else {})
            for seat, chair in enumerate(room.chairs)
        ]
        commit = commitment(play.deals.secret)
        self.lines = [header_line(room.rules, preset=self.preset, players=self.players, game=game, commit=commit)]

    @property
    def is_finished(self) -> bool:
        """Tell whether the game was played to its end."""
        return self.ended_ms is not None

    @property
    def _n(self) -> int:
        return len(self.lines)

    def dealt(self, entry: DealtOut, hand: int) -> None:
        commit = commitment(entry.secret)
        deck = parse_cards(entry.deck)
        self.lines.append(deal_line(self._n, hand=hand, dealer=entry.dealer, deck=deck, commit=commit))

    def acted(self, entry: Acted, seat: int, took_ms: int) -> None:
        self.lines.append(action_line(self._n, seat, parse_action(entry.action), ms=took_ms))

    def sat_down(self, entry: SatDown) -> None:
        self.seats[entry.player] = entry.seat

    def ended(self, happenings: Sequence[Happening], state: TableState, at_ms: int) -> None:
        """Write what the end of a hand, and of the game, reveals."""
        for happening in happenings:
            if isinstance(happening, SecretRevealed):
                secret = bytes.fromhex(happening.secret)
                self.lines.append(reveal_line(self._n, secret=secret, entropies=happening.entropy))
        play = state.play
        if play is not None and isinstance(play.game.stage, Finished):
            self.score, self.winner, self.ended_ms = play.game.standing.score, play.game.stage.winner, at_ms
            self.lines.append(result_line(self._n, score=self.score, winner=self.winner))


async def finished_games(entries: Sequence[Stored]) -> list[GameRecord]:
    """Return the records of the finished games in a log, given whole, in order. Others have their turn meanwhile."""
    first = unpack_entry(entries[0].entry)
    assert isinstance(first, Opened)
    state, _ = opened_table(entries[0].seq, first)
    records: list[GameRecord] = []
    for stored in entries[1:]:
        if stored.seq % _AT_A_TIME == 0:
            await asyncio.sleep(0)
        entry = unpack_entry(stored.entry)
        before = state.play
        state, happenings = evolve(state, stored.seq, stored.at_ms, entry)
        play = state.play
        if isinstance(entry, Started):
            records.append(GameRecord(entry.game, state, stored.at_ms))
        elif isinstance(entry, SatDown) and records and not records[-1].is_finished:
            records[-1].sat_down(entry)
        elif isinstance(entry, DealtOut) and play is not None:
            records[-1].dealt(entry, play.game.standing.hands_dealt)
        elif isinstance(entry, Acted) and before is not None and before.decision is not None:
            records[-1].acted(entry, before.decision.seat, stored.at_ms - before.decision.since_ms)
            records[-1].ended(happenings, state, stored.at_ms)
    return [record for record in records if record.is_finished]
