"""Records of the games in a table's log, in the format ``euchre/1`` (engine/record.py)."""

from __future__ import annotations

from collections.abc import Sequence

from engine.actions import parse_action
from engine.cards import parse_cards
from engine.events import SecretRevealed
from engine.fair import commitment
from engine.record import action_line, deal_line, header_line, result_line, reveal_line
from engine.state import Finished
from server.entries import Acted, DealtOut, Opened, Started, unpack_entry
from server.log import Stored
from server.table import Happening, TableState, evolve, opened_table


class GameRecord:
    """One game of a log, written as it is followed."""

    def __init__(self, game: str, state: TableState) -> None:
        room, play = state.room, state.play
        assert play is not None
        self.game = game
        self.is_finished = False
        players = [
            {"seat": seat, "name": chair.name, "kind": chair.kind}
            | ({"bot": {"level": chair.level}} if chair.kind == "bot" else {})
            for seat, chair in enumerate(room.chairs)
        ]
        commit = commitment(play.deals.secret)
        self.lines = [header_line(room.rules, preset=room.opened.preset, players=players, game=game, commit=commit)]

    @property
    def _n(self) -> int:
        return len(self.lines)

    def dealt(self, entry: DealtOut, hand: int) -> None:
        commit = commitment(entry.secret)
        deck = parse_cards(entry.deck)
        self.lines.append(deal_line(self._n, hand=hand, dealer=entry.dealer, deck=deck, commit=commit))

    def acted(self, entry: Acted, seat: int, took_ms: int) -> None:
        self.lines.append(action_line(self._n, seat, parse_action(entry.action), ms=took_ms))

    def ended(self, happenings: Sequence[Happening], state: TableState) -> None:
        """Write what the end of a hand, and of the game, reveals."""
        for happening in happenings:
            if isinstance(happening, SecretRevealed):
                secret = bytes.fromhex(happening.secret)
                self.lines.append(reveal_line(self._n, secret=secret, entropies=happening.entropy))
        play = state.play
        if play is not None and isinstance(play.game.stage, Finished):
            score, winner = play.game.standing.score, play.game.stage.winner
            self.lines.append(result_line(self._n, score=score, winner=winner))
            self.is_finished = True


def games_of(entries: Sequence[Stored]) -> list[GameRecord]:
    """Return the records of the games in a log, given whole, in order."""
    first = unpack_entry(entries[0].entry)
    assert isinstance(first, Opened)
    state, _ = opened_table(entries[0].seq, first)
    records: list[GameRecord] = []
    for stored in entries[1:]:
        entry = unpack_entry(stored.entry)
        before = state.play
        state, happenings = evolve(state, stored.seq, stored.at_ms, entry)
        play = state.play
        if isinstance(entry, Started):
            records.append(GameRecord(entry.game, state))
        elif isinstance(entry, DealtOut) and play is not None:
            records[-1].dealt(entry, play.game.standing.hands_dealt)
        elif isinstance(entry, Acted) and before is not None and before.decision is not None:
            records[-1].acted(entry, before.decision.seat, stored.at_ms - before.decision.since_ms)
            records[-1].ended(happenings, state)
    return records
