"""A record of the format euchre/1 as a study of which everything is known."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.actions import ClaimRest, PlayCard, parse_action
from engine.cards import CARDS_PER_HAND, LEFT_OF, SEATS, clockwise_from, parse_cards
from engine.events import FourHands, TrickWon
from engine.interchange.reports import InterchangeError, Loss, bounded
from engine.interchange.study import Study, StudyHand
from engine.record import Header, RecordError, Step, replay
from engine.state import Finished

_HEADER_FIELDS: Final = frozenset({"format", "rules", "preset", "players", "game"})
_ENTRY_FIELDS: Final = frozenset({"n", "deal", "seat", "do", "result"})
_DEAL_FIELDS: Final = frozenset({"hand", "dealer", "deck"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """A record read whole. ``extras`` name what it tells beyond the game: times, commitments, who is a bot."""

    study: Study
    header: Header
    steps: tuple[Step, ...]
    extras: tuple[Loss, ...]


def read_record(lines: Iterable[str]) -> Recorded:
    """Follow a record to its end. Raises InterchangeError at the first entry that does not fit."""
    kept = [(at, line) for at, line in enumerate(lines, start=1) if line.strip()]
    reader = _Reader()
    try:
        header, steps = replay(line for _, line in kept)
        for step in steps:
            reader.take(step)
    except RecordError as error:
        at = kept[error.n][0] if error.n < len(kept) else None
        hand, trick = reader.place() if error.n else (None, None)
        raise InterchangeError(error.detail, line=at, hand=hand, trick=trick) from None
    names, extras = _read_players(header)
    last = reader.steps[-1].game if reader.steps else None
    study = Study(
        rules=header.rules,
        names=names,
        game=header.game or "",
        final=last.standing.score if last is not None and isinstance(last.stage, Finished) else None,
        hands=tuple(reader.hands),
    )
    extras += [Loss(bounded(name), "header") for name in sorted(json.loads(kept[0][1]).keys() - _HEADER_FIELDS)]
    extras += [Loss(bounded(name), "entries") for name in sorted(reader.extras)]
    return Recorded(study, header, tuple(reader.steps), tuple(extras))


class _Reader:
    """Gathers the entries of a record hand by hand."""

    def __init__(self) -> None:
        self.hands: list[StudyHand] = []
        self.steps: list[Step] = []
        self.extras: set[str] = set()
        self._is_trick_over = True

    def take(self, step: Step) -> None:
        entry = step.entry
        self.steps.append(step)
        self.extras |= entry.keys() - _ENTRY_FIELDS
        if "deal" in entry:
            self.extras |= entry["deal"].keys() - _DEAL_FIELDS
            self.hands.append(_dealt(len(self.hands) + 1, entry["deal"]))
            self._is_trick_over = True
        elif "do" in entry:
            self._act(step)

    def _act(self, step: Step) -> None:
        entry = step.entry
        hand, action = self.hands[-1], parse_action(entry["do"])
        match action:
            case PlayCard():
                *before, trick = (*hand.tricks, ()) if self._is_trick_over else hand.tricks
                hand = replace(hand, tricks=(*before, (*trick, action.card)))
                self._is_trick_over = any(isinstance(event, TrickWon) for event in step.events)
            case ClaimRest():
                hand = replace(hand, claimed=entry["seat"])
            case _:
                hand = replace(hand, moves=(*hand.moves, (entry["seat"], action)))
        self.hands[-1] = hand

    def place(self) -> tuple[int | None, int | None]:
        """Return the hand and trick reached, from 1; None where there is none yet."""
        if not self.hands:
            return None, None
        tricks = len(self.hands[-1].tricks)
        return len(self.hands), tricks or None


def _dealt(number: int, deal: Mapping[str, Any]) -> StudyHand:
    deck, dealer = parse_cards(deal["deck"]), deal["dealer"]
    order = clockwise_from(LEFT_OF[dealer])
    dealt = {seat: deck[at * CARDS_PER_HAND : (at + 1) * CARDS_PER_HAND] for at, seat in enumerate(order)}
    hands: FourHands = (dealt[0], dealt[1], dealt[2], dealt[3])
    under = len(SEATS) * CARDS_PER_HAND
    return StudyHand(number=number, dealer=dealer, hands=hands, upcard=deck[under], buried=deck[under + 1 :])


def _read_players(header: Header) -> tuple[tuple[str, str, str, str], list[Loss]]:
    """Return the names by seat, and what else the header tells of the players."""
    names = ["", "", "", ""]
    extras: list[Loss] = []
    for at, player in enumerate(header.players, start=1):
        seat, name = player.get("seat"), player.get("name", "")
        if type(seat) is not int or seat not in SEATS or not isinstance(name, str) or names[seat]:
            extras.append(Loss("all of it, for it has no seat of its own", f"player {at}"))
            continue
        names[seat] = name
        extras += [Loss(bounded(field), f"player {at}") for field in sorted(player.keys() - {"seat", "name"})]
    return (names[0], names[1], names[2], names[3]), extras
