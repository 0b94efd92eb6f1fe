"""Holds what clients of a table saw against its log. Knows nothing of how either came about, nor of the faults.

The log alone says what is true: from it, folded anew, follows what each viewer should have been told under each number,
which cards he could know by then, and which commands were done.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.cards import Card
from engine.events import HandDealt
from engine.game import legal_actions
from engine.plain import view_from_plain
from engine.view import View, Viewer, view_for
from protocol.codec import JSON
from server.entries import Acted, Closed, Credited, DealtOut, Entry, HostPassed, unpack_entry
from server.log import Stored
from server.table import TableState
from server.telling import plain_happenings
from tests.e2e.records import Record, fold_record
from tests.engine.knowing import cards_in, may_know
from tests.support_player import without_prompt

Message = dict[str, Any]

GAP: Final = "the log has a gap or a number twice"
DONE_TWICE: Final = "a command is in the log twice"
TAKEN_TWICE: Final = "a decision was taken twice"
LOST: Final = "an acknowledged command is not in the log"
DENIED: Final = "a refused command is in the log"
UNMADE: Final = "something was told that is not in the log"
SKIPPED: Final = "a client was told an entry and not the one before it"
WENT_BACK: Final = "a client was shown an older table than it knew"
OTHER_EVENTS: Final = "a client was told other events than the log has"
OTHER_VIEW: Final = "a client's view is not the log's"
OTHER_PROMPT: Final = "a client was asked something else than the log asks"
SHOWN_HIDDEN: Final = "a client was sent a card it may not know"


@dataclass(frozen=True, slots=True)
class Transcript:
    """What one client heard of one table, over all its connections, and the view it had folded at each number."""

    player: str
    viewer: Viewer
    heard: Sequence[Message]
    folded: Mapping[int, View]


@dataclass(frozen=True, slots=True)
class Violation:
    """``kind`` is one of the sentences above; ``at`` an entry's number."""

    kind: str
    at: int
    who: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: entry {self.at}{self.who and f', {self.who}'}"


def violations(log: Sequence[Stored], transcripts: Sequence[Transcript]) -> list[Violation]:
    """Return everything that is wrong with a table, from its whole log and what its clients saw."""
    found = list(_of_log(log))
    if found:
        return found  # nothing follows from a log that is wrong
    record = fold_record(log)
    for transcript in transcripts:
        found += _of_answers(record, transcript)
        found += _of_numbers(record, transcript)
        found += _of_telling(record, transcript)
        found += _of_cards(record, transcript)
    return found


def _of_log(log: Sequence[Stored]) -> Iterator[Violation]:
    """What can be told before anything is folded."""
    for at, stored in enumerate(log, start=1):
        if stored.seq != at:
            yield Violation(GAP, at)
            return
    refs: set[tuple[str, int]] = set()
    turns: set[int] = set()
    for stored in log:
        entry = unpack_entry(stored.entry)
        asked = _asked(entry)
        if asked in refs:
            yield Violation(DONE_TWICE, stored.seq)
        if asked is not None:
            refs.add(asked)
        if isinstance(entry, Acted):
            if entry.turn in turns:
                yield Violation(TAKEN_TWICE, stored.seq)
            turns.add(entry.turn)


def _asked(entry: Entry) -> tuple[str, int] | None:
    """Return whose command the entry is, and its ref; None for the server's own."""
    match entry:
        case DealtOut() | Credited() | HostPassed() | Closed():
            return None
        case _:
            return (entry.player, entry.ref) if entry.ref else None


def _of_answers(record: Record, transcript: Transcript) -> Iterator[Violation]:
    """What was answered ``ok`` is in the log under the number it was told; what was refused to the last is not."""
    done: dict[object, int] = {_asked(entry): seq for seq, entry in record.entries.items()}
    last: dict[int, Message] = {}
    for message in transcript.heard:
        asked = transcript.player, message.get("ref", 0)
        if message["t"] == "ok" and "seq" in message and done.get(asked) != message["seq"]:
            yield Violation(LOST, message["seq"], transcript.player)
        if message["t"] in {"ok", "refused"} and message["ref"] is not None:
            last[message["ref"]] = message
    for ref, message in last.items():
        if message["t"] == "refused" and message["code"] != "ref_reused" and (transcript.player, ref) in done:
            yield Violation(DENIED, done[transcript.player, ref], transcript.player)


def _of_numbers(record: Record, transcript: Transcript) -> Iterator[Violation]:
    known: int | None = None
    for message in transcript.heard:
        if message["t"] not in {"event", "view", "prompt"}:
            continue
        seq = message["seq"]
        if seq not in record.entries:
            yield Violation(UNMADE, seq, transcript.player)
        elif known is not None and seq < known and message["t"] == "view":
            yield Violation(WENT_BACK, seq, transcript.player)
        elif known is not None and seq > known + 1 and message["t"] == "event":
            yield Violation(SKIPPED, seq, transcript.player)
        if message["t"] != "prompt":
            known = seq if known is None else max(known, seq)


def _of_telling(record: Record, transcript: Transcript) -> Iterator[Violation]:
    viewer, player = transcript.viewer, transcript.player
    for message in transcript.heard:
        state = record.states.get(message.get("seq", 0))
        if state is None:
            continue
        match message["t"]:
            case "event":
                plain = plain_happenings(record.happenings[state.seq], viewer, state.room.rules)
                if message["events"] != _as_heard(plain):
                    yield Violation(OTHER_EVENTS, state.seq, player)
            case "view":
                game = message["view"]["game"]
                if (None if game is None else without_prompt(view_from_plain(game))) != _view(state, viewer):
                    yield Violation(OTHER_VIEW, state.seq, player)
            case "prompt" if not _is_asked(state, viewer, message):
                yield Violation(OTHER_PROMPT, state.seq, player)
            case _:
                pass
    for seq, folded in transcript.folded.items():
        if seq in record.states and folded != _view(record.states[seq], viewer):
            yield Violation(OTHER_VIEW, seq, player)


def _as_heard(plain: list[dict[str, Any]]) -> list[dict[str, Any]]:
    (heard,) = JSON.decode_frame(JSON.frame([JSON.encode({"events": plain})]).decode())
    events: list[dict[str, Any]] = heard["events"]
    return events


def _view(state: TableState, viewer: Viewer) -> View | None:
    return None if state.play is None else without_prompt(view_for(state.play.game, viewer))


def _is_asked(state: TableState, viewer: Viewer, prompt: Message) -> bool:
    if state.play is None or state.play.decision is None:
        return False
    decision = state.play.decision
    legal = [str(action) for action in legal_actions(state.play.game)] if decision.seat == viewer else None
    return (prompt["turn"], prompt["seat"], prompt.get("legal")) == (decision.turn, decision.seat, legal)


def _of_cards(record: Record, transcript: Transcript) -> Iterator[Violation]:
    """Scan every message for cards, whatever it is; what may be known is told from the log's events alone."""
    known: dict[int, set[Card]] = {0: set()}
    for seq, happenings in record.happenings.items():
        is_dealt = any(isinstance(happening, HandDealt) for happening in happenings)
        rules = record.states[seq].room.rules
        known[seq] = (set() if is_dealt else known[seq - 1]) | set(may_know(happenings, transcript.viewer, rules))
    latest = 0
    for message in transcript.heard:
        if message["t"] == "welcome":
            continue
        latest = message["seq"] if message["t"] in {"event", "view", "prompt"} else latest
        if not cards_in(message) <= known.get(latest, set()):
            yield Violation(SHOWN_HIDDEN, latest, transcript.player)
