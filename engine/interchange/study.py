"""A game as far as it is known: what every importer gives and every exporter takes.

A game of which everything is known can be written as a record (`engine.interchange.to_record`). One whose hands,
discards or calls are partly unknown, or that begins in the middle, stays a study.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.actions import Action, AnswerAlone, AnswerDefence, AskRelief, CallTrump, OrderUp, Pass
from engine.cards import (
    BENNY,
    CARDS_PER_HAND,
    PARTNER_OF,
    SWAPPED,
    Card,
    Cards,
    Seat,
    Trump,
    team_of,
    trick_winner,
    upcard_suit,
)
from engine.events import FourHands
from engine.play import first_leader, seats_of_trick
from engine.rules import PRESETS, Rules, make_rules, rules_to_plain
from engine.state import Dealt, Made, UpcardFate

STUDY_FORMAT: Final = "euchre-study/1"
UNKNOWN: Final = Card("??")
"""A card nobody told, wherever a card stands: in a hand, a discard, a trick."""
UNKNOWN_HAND: Final[Cards] = (UNKNOWN,) * CARDS_PER_HAND

Move: TypeAlias = tuple[Seat, Action | None]
"""What a seat did before the first lead; None for a call nobody told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyHand:
    """One deal. ``number`` counts deals from 1; ``hands`` are as dealt, five cards each.

    ``buried`` are the cards under the upcard in order, in the pack's order where only
    which they are is known, or none. ``moves`` is all that
    was done before the first lead, in order: relief, calls, discard, answers, cards given. ``tricks`` are in playing
    order, the last one perhaps not complete. ``claimed`` is the seat that claimed the rest.
    """

    number: int
    dealer: Seat
    upcard: Card
    hands: FourHands
    buried: Cards = ()
    moves: tuple[Move, ...] = ()
    tricks: tuple[Cards, ...] = ()
    claimed: Seat | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A game as far as it is known.

    ``names`` are the players by seat and ``game`` is the game's name, "" where there is none; ``score`` is by team
    before the first of ``hands``, ``final`` the last score as the source tells it. Where ``is_game`` is false the hands
    stand each for itself.
    """

    rules: Rules
    names: tuple[str, str, str, str] = ("", "", "", "")
    game: str = ""
    score: tuple[int, int] = (0, 0)
    final: tuple[int, int] | None = None
    hands: tuple[StudyHand, ...] = ()
    is_game: bool = True


# ── what follows from the moves ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Contract:
    """Who made trump, what it is (None where nobody told), who plays alone, and whether the upcard made it."""

    maker: Seat
    trump: Trump | None
    alone: tuple[Seat, ...]
    is_ordered: bool

    @property
    def is_partner_alone(self) -> bool:
        """Tell whether it is the maker's partner who plays alone."""
        return PARTNER_OF[self.maker] in self.alone


def contract_of(hand: StudyHand) -> Contract | None:
    """Return what the moves came to; None where trump is not made yet."""
    maker: Seat | None = None
    trump: Trump | None = None
    alone: list[Seat] = []
    is_ordered = has_passed = False
    for seat, action in hand.moves:
        match action:
            case OrderUp():
                maker, is_ordered = seat, True
                trump = None if hand.upcard == UNKNOWN else upcard_suit(hand.upcard)
            case CallTrump():
                maker, trump = seat, action.trump
                is_ordered = hand.upcard == BENNY and not has_passed
            case Pass():
                has_passed = True
            case None:
                maker = seat
            case _:
                pass
        is_alone = isinstance(action, OrderUp | CallTrump | AnswerAlone | AnswerDefence) and action.alone
        if is_alone and team_of(seat) not in map(team_of, alone):
            alone.append(seat)
    return None if maker is None else Contract(maker, trump, tuple(alone), is_ordered)


def lead_of(rules: Rules, hand: StudyHand, contract: Contract) -> Seat:
    """Return who leads first (R-PLAY-1)."""
    dealt = Dealt(hand.number, hand.dealer, hand.hands, hand.upcard, hand.buried)
    made = Made(dealt, (), contract.trump or "s", contract.maker, UpcardFate.UP, hand.hands, alone=contract.alone)
    return first_leader(rules, dealer=made.dealt.dealer, maker=made.maker, alone=made.alone)


def seats_by_trick(rules: Rules, hand: StudyHand) -> tuple[tuple[Seat, ...], ...]:
    """Return who plays to each trick, in order; fewer than there are tricks where a winner cannot be told."""
    contract = contract_of(hand)
    if contract is None:
        return ()
    leader = lead_of(rules, hand, contract)
    found: list[tuple[Seat, ...]] = []
    for cards in hand.tricks:
        seats = seats_of_trick(contract.alone, leader)
        found.append(seats)
        if contract.trump is None or UNKNOWN in cards or len(cards) != len(seats):
            break
        leader = seats[trick_winner(cards, contract.trump)]
    return tuple(found)


def swaps_of(hand: StudyHand) -> Iterator[tuple[Seat, Cards, Cards]]:
    """Yield who went under, what he put away and what he took (none where the buried cards are not known)."""
    buried = hand.buried
    for seat, action in hand.moves:
        if isinstance(action, AskRelief) and action.cards:
            yield seat, action.cards, buried[:SWAPPED]
            buried = (*buried[SWAPPED:], *action.cards) if buried else ()


def preset_of(rules: Rules) -> str:
    """Return the first preset with exactly these rules, or "own"."""
    return next((name for name in PRESETS if make_rules(name) == rules), "own")


# ── as text ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def study_lines(study: Study) -> list[str]:
    """Return the study as JSON lines: a header, then a line a hand; unknown cards are ``??``, an unknown call null."""
    header = {
        "format": STUDY_FORMAT,
        "rules": rules_to_plain(study.rules),
        "players": [{"seat": seat, "name": name} for seat, name in enumerate(study.names) if name],
        "game": study.game,
        "score": study.score,
        "is_game": study.is_game,
    }
    return [_line(header), *(_line(_hand_to_plain(study.rules, hand)) for hand in study.hands)]


def _hand_to_plain(rules: Rules, hand: StudyHand) -> dict[str, object]:
    seats = seats_by_trick(rules, hand)
    leaders = [seats[at][0] if at < len(seats) else None for at in range(len(hand.tricks))]
    plain: dict[str, object] = {
        "hand": hand.number,
        "dealer": hand.dealer,
        "upcard": hand.upcard,
        "hands": ["".join(cards) for cards in hand.hands],
        "buried": "".join(hand.buried),
        "moves": [[seat, None if action is None else str(action)] for seat, action in hand.moves],
        "tricks": [
            {"leader": leader, "cards": "".join(cards)} for leader, cards in zip(leaders, hand.tricks, strict=True)
        ],
    }
    return plain if hand.claimed is None else plain | {"claimed": hand.claimed}


def _line(plain: dict[str, object]) -> str:
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False)
