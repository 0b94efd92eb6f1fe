"""Records of the games in a table's log, in the format ``euchre/1`` (engine/record.py)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

from engine.actions import parse_action
from engine.cards import parse_cards
from engine.events import SecretRevealed
from engine.fair import commitment
from engine.record import action_line, deal_line, header_line, result_line, reveal_line
from engine.state import Finished
from server.entries import Acted, DealtOut, Entry, Opened, SatDown, Started, unpack_entry
from server.log import Stored
from server.table import Chair, Happening, TableState, evolve, opened_table

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
            | ({"bot": _bot_in(chair)} if chair.shown_kind == "bot" else {})
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


def _bot_in(chair: Chair) -> dict[str, str]:
    """Return what is known of a bot: its level if it is the house's, else its version and its owner's name."""
    known = {"level": chair.level, "version": chair.version, "owner": chair.owner}
    return {name: value for name, value in known.items() if value is not None}


Followed: TypeAlias = tuple[TableState, tuple[Happening, ...], GameRecord | None]
"""A table after an entry of its log, what the entry made happen, and the record of the latest game so far."""


def follow(log: Sequence[Stored]) -> Iterator[Followed]:
    """Follow a log, given whole: yield the table after each entry. Raises where an entry does not fit."""
    if not log:
        return
    first = unpack_entry(log[0].entry)
    if not isinstance(first, Opened):
        raise ValueError("a log must begin with its table's opening")
    state, happenings = opened_table(log[0].seq, first)
    record: GameRecord | None = None
    yield state, happenings, record
    for stored in log[1:]:
        state, happenings, record = follow_on(state, record, stored.seq, stored.at_ms, unpack_entry(stored.entry))
        yield state, happenings, record


def follow_on(before: TableState, record: GameRecord | None, seq: int, at_ms: int, entry: Entry) -> Followed:
    """Follow one entry more. *record*, of the latest game until then, is written on, or a new one is begun."""
    state, happenings = evolve(before, seq, at_ms, entry)
    play = before.play
    if isinstance(entry, Started):
        record = GameRecord(entry.game, state, at_ms)
    elif record is None or record.is_finished or play is None:
        pass
    elif isinstance(entry, Acted) and play.decision is not None:
        record.acted(entry, play.decision.seat, at_ms - play.decision.since_ms)
        record.ended(happenings, state, at_ms)
    elif isinstance(entry, DealtOut):
        record.dealt(entry, play.game.standing.hands_dealt + 1)
    elif isinstance(entry, SatDown):
        record.sat_down(entry)
    return state, happenings, record


def games_of(log: Sequence[Stored]) -> list[str]:
    """Return the names of all games that were begun in a log."""
    return [entry.game for entry in (unpack_entry(stored.entry) for stored in log) if isinstance(entry, Started)]


async def finished_games(log: Sequence[Stored]) -> list[GameRecord]:
    """Return the records of the finished games in a log, given whole, in order. Others have their turn meanwhile."""
    records: list[GameRecord] = []
    for number, (_, _, record) in enumerate(follow(log)):
        if number % _AT_A_TIME == 0:
            await asyncio.sleep(0)
        if record is not None and record not in records[-1:]:
            records.append(record)
    return [record for record in records if record.is_finished]
