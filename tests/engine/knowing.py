"""Which cards a viewer may know of a hand, told from the events before anything is redacted (R-VIEW-1 to R-VIEW-3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import orjson

from engine.cards import SEATS, Card, make_pack
from engine.events import (
    CardGiven,
    CardPlayed,
    CardsDealt,
    CardsSwapped,
    HandDealt,
    HandsRevealed,
    ReliefAsked,
    RestClaimed,
)
from engine.rules import Reveal, Rules, SpectatorHands
from engine.view import WATCHER, Viewer

VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, WATCHER)
_CARD: Final = re.compile(r"(?<![\w-])(?:[789TJQKA][shdc]|Bj)(?![\w-])")
"""Not within the ids of tables, games and players, whose characters are drawn: one may end in ``-7h``."""


def may_know(happenings: Iterable[object], viewer: Viewer, rules: Rules) -> Iterator[Card]:
    """Yield the cards that *happenings*, not redacted, let *viewer* see."""
    to_watchers = rules.spectator_hands is SpectatorHands.AFTER_HAND
    reveals = rules.reveal is Reveal.ALL and (viewer != WATCHER or to_watchers)
    for event in happenings:
        match event:
            case HandDealt():
                yield event.upcard
            case CardPlayed():
                yield event.card
            case CardsDealt() if event.seat == viewer:
                yield from event.cards
            case ReliefAsked() | RestClaimed():
                yield from event.cards
            case CardsSwapped() if event.seat == viewer:
                yield from event.taken
            case CardGiven() if event.to == viewer and event.card is not None:
                yield event.card
            case HandsRevealed() if reveals:
                yield from make_pack(rules.low_rank, rules.jokers)


def cards_in(plain: object) -> set[str]:
    """Return every card that is a word of any text in *plain*, as in ``Jd`` and ``play Jd``."""
    return set(_CARD.findall(orjson.dumps(plain).decode()))
