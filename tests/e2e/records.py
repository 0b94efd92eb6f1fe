"""What a server's log says, read from its file while no server runs, to hold against what clients were told."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.view import WATCHER, Viewer, view_for
from server.entries import Acted, Entry, Opened, unpack_entry
from server.log import Stored
from server.table import Happening, TableState, evolve, opened_table
from tests.support_player import Player, without_prompt

_CARD = re.compile(r'"(?:play |discard )?([789TJQKA][shdc]|Bj)"')


@dataclass(frozen=True, slots=True)
class Record:
    """A table's log by number: its entries, the table after each of them, and what each made happen."""

    entries: dict[int, Entry]
    states: dict[int, TableState]
    happenings: dict[int, tuple[Happening, ...]]

    @property
    def last(self) -> int:
        return max(self.entries)

    def acts(self) -> list[Acted]:
        return [entry for entry in self.entries.values() if isinstance(entry, Acted)]


def read_record(data: Path, table: str) -> Record:
    """Read the log of *table* from the database of a server that has ended, and fold it."""
    return fold_record(read_log(data, table))


def read_log(data: Path, table: str) -> list[Stored]:
    """Read the log of *table* from the database of a server that has ended."""
    connection = sqlite3.connect(f"file:{data / 'euchre.db'}?mode=ro", uri=True)
    try:
        rows = connection.execute(
            "SELECT seq, at_ms, entry FROM entries WHERE table_id = ? ORDER BY seq", (table,)
        ).fetchall()
    finally:
        connection.close()
    return [Stored(*row) for row in rows]


def fold_record(log: Sequence[Stored]) -> Record:
    """Return what the whole log of a table comes to."""
    assert [stored.seq for stored in log] == list(range(1, len(log) + 1))
    entries = {stored.seq: unpack_entry(stored.entry) for stored in log}
    first = entries[1]
    assert isinstance(first, Opened)
    state, happened = opened_table(1, first)
    states, happenings = {1: state}, {1: happened}
    for stored in log[1:]:
        state, happenings[stored.seq] = evolve(state, stored.seq, stored.at_ms, entries[stored.seq])
        states[stored.seq] = state
    return Record(entries, states, happenings)


def check_told_as_recorded(record: Record, table: str, viewer: Viewer, player: Player) -> int:
    """C2, C6, H6: at every number the player folded just what the log comes to; return how many were compared."""
    compared = 0
    for (where, seq), folded in player.folded.items():
        if where != table:
            continue
        assert seq <= record.last, "an entry was told that is not in the log"
        play = record.states[seq].play
        assert play is not None
        assert folded == without_prompt(view_for(play.game, viewer)), f"at {seq}"
        compared += 1
    return compared


def check_acknowledged(record: Record, player: Player) -> int:
    """C1: every act that was answered `ok` is in the log, once, under the number it was told; return how many."""
    acted = [(entry.player, entry.ref) for entry in record.acts() if entry.ref]
    assert len(set(acted)) == len(acted)
    assert player.session.player is not None
    count = 0
    for message in player.heard:
        if message["t"] == "ok" and "seq" in message and "table" not in message:
            entry = record.entries[message["seq"]]
            assert isinstance(entry, Acted)
            assert (entry.player, entry.ref) == (player.session.player["id"], message["ref"])
            count += 1
    return count


def check_each_decision_once(record: Record) -> None:
    """C4, C5: no decision was taken twice."""
    turns = [entry.turn for entry in record.acts()]
    assert turns == sorted(set(turns))


def check_saw_nothing_hidden(heard: Iterable[dict[str, Any]], table: str, viewer: Viewer) -> int:
    """H1: no message about *table* held a card its reader could not know then; return how many were looked at.

    For tables where no hands are revealed to this viewer.
    """
    known: set[str] = set()
    looked_at = 0
    for message in heard:
        if message.get("table") != table or message["t"] not in {"event", "view", "prompt"}:
            continue
        for event in message.get("events", ()):
            match event["e"]:
                case "hand_dealt":
                    known = {event["upcard"]}
                case "cards_dealt":
                    assert event["seat"] == viewer != WATCHER
                    known |= set(event["cards"])
                case "card_played":
                    known.add(event["card"])
                case "relief_asked" | "rest_claimed":
                    known |= set(event["cards"])
                case "hands_revealed" | "secret_revealed":
                    raise AssertionError(f"{event['e']}, which tells every hand")
                case _:
                    pass
        game = message["view"]["game"] if message["t"] == "view" else None
        if game is not None:
            # A view says by itself which cards are known: one's own, and those that were played.
            assert game["viewer"] == viewer
            assert viewer != WATCHER or (game["cards"] == [] and game["discard"] is None)
            played = [*game["trick"], *(card for trick in game["tricks"] for card in trick["cards"])]
            known |= {card for _, card in played} | {game["upcard"], game["discard"], *game["cards"]}
            assert game["revealed"] is None
        assert set(_CARD.findall(json.dumps(message))) <= known
        looked_at += 1
    return looked_at
