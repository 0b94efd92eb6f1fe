"""A game as comma-separated values: a row a hand, or a row a decision. Nothing reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.actions import Discard
from engine.cards import team_of
from engine.events import HandScored
from engine.game import legal_actions, phase_of
from engine.interchange.from_record import Recorded, read_record
from engine.interchange.reports import Loss
from engine.interchange.study import StudyHand, contract_of

_HAND_COLUMNS: Final = (
    "game", "hand", "dealer", "upcard", "hand0", "hand1", "hand2", "hand3", "buried", "maker", "trump", "ordered",
    "alone", "alone_defender", "discard", "tricks0", "tricks1", "scored_by", "points", "reason", "score0", "score1",
)  # fmt: skip
_DECISION_COLUMNS: Final = ("game", "n", "hand", "phase", "seat", "name", "action", "choices", "ms")
_FORMULA_SIGNS: Final = "=+-@\t\r"


def export_hands(lines: Iterable[str]) -> tuple[str, tuple[Loss, ...]]:
    """Return a row a hand: the deal, the contract, tricks by team, and what was scored; blank where not reached."""
    recorded = read_record(lines)
    scored = _scored_by_hand(recorded)
    rows = [_hand_row(recorded, hand, scored.get(hand.number)) for hand in recorded.study.hands]
    return _table(_HAND_COLUMNS, rows), ()


def _scored_by_hand(recorded: Recorded) -> dict[int, HandScored]:
    found: dict[int, HandScored] = {}
    for step in recorded.steps:
        for event in step.events:
            if isinstance(event, HandScored):
                found[step.game.standing.hands_dealt] = event
    return found


def _hand_row(recorded: Recorded, hand: StudyHand, scored: HandScored | None) -> list[object]:
    contract = contract_of(hand)
    discard = next((action.card for _, action in hand.moves if isinstance(action, Discard)), "")
    row: list[object] = [recorded.study.game, hand.number, hand.dealer, hand.upcard, *map("".join, hand.hands)]
    row.append("".join(hand.buried))
    if contract is None:
        row += [""] * 5
    else:
        makers = team_of(contract.maker)
        lone = {team_of(seat) == makers: seat for seat in contract.alone}
        row += [contract.maker, contract.trump, contract.is_ordered, lone.get(True, ""), lone.get(False, "")]
    row.append(discard)
    if scored is None:
        return row + [""] * 7
    return [*row, *scored.tricks, scored.team, scored.points, scored.reason, *scored.score]


def export_decisions(lines: Iterable[str]) -> tuple[str, tuple[Loss, ...]]:
    """Return a row a decision: who did what among how many legal choices, in which phase, and how long it took."""
    return _table(_DECISION_COLUMNS, _decision_rows(read_record(lines))), ()


def _decision_rows(recorded: Recorded) -> Iterator[list[object]]:
    before = None
    for step in recorded.steps:
        entry = step.entry
        if "do" in entry:
            assert before is not None  # an action follows a deal
            seat, hand = entry["seat"], before.standing.hands_dealt
            choices, ms = len(legal_actions(before)), entry.get("ms", "")
            names = recorded.study.names
            yield [recorded.study.game, step.n, hand, phase_of(before), seat, names[seat], entry["do"], choices, ms]
        before = step.game


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    return "".join(",".join(map(_cell, row)) + "\r\n" for row in (columns, *rows))


def _cell(value: object) -> str:
    """Return a value as a cell. Text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    if isinstance(value, str) and text[:1] in set(_FORMULA_SIGNS):
        text = f"'{text}"
    if any(sign in text for sign in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
