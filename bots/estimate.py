"""How many tricks a hand will take, and what is likely to come of that.

The numbers are fitted to tens of thousands of hands of the `standard` level against itself, each played out from the
same cards with the call made, made alone, and not made (docs/bots.md). They are per card or feature and simply add up,
so a call can be explained by naming what is in the hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import erf, sqrt
from typing import Final

from engine.cards import SAME_COLOUR, SUITS, Card, Cards, Seat, Trump, effective_suit, make_pack, strength, upcard_suit
from engine.rules import Rules
from engine.view import View

FIRST, SECOND, THIRD, DEALER = range(4)
"""Places at the table, counted from the dealer's left."""


def seat_of(view: View) -> Seat:
    """Return the viewer, who must be a seat."""
    assert isinstance(view.viewer, int)
    return view.viewer


def place_of(seat: Seat, dealer: Seat) -> int:
    """Return where *seat* sits, counted from the dealer's left: the first to bid and to lead is FIRST."""
    return (seat - dealer - 1) % 4


# ── what is in a hand ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Holding:
    """A hand as a bidder sees it. Each number counts; ranks are places in the suit's order, 0 for its highest card.

    ``trumps`` are the ranks of the trumps. Of the other suits: ``tops`` hold the highest card, ``runs`` the two
    highest, ``forks`` the first and third; in ``guarded`` the second highest has a companion, in ``bare`` it has none.
    ``voids`` have no card, ``long_suits`` four or more.
    """

    trumps: tuple[int, ...]
    tops: int
    runs: int
    forks: int
    guarded: int
    bare: int
    voids: int
    long_suits: int


@lru_cache(maxsize=64)
def _ranks(trump: Trump, rules: Rules) -> dict[Card, int]:
    """Return every card's place in its effective suit under *trump*, 0 for the highest."""
    by_suit: dict[str, list[Card]] = {}
    for card in make_pack(rules.low_rank, rules.jokers):
        by_suit.setdefault(effective_suit(card, trump), []).append(card)
    return {
        card: rank
        for cards in by_suit.values()
        for rank, card in enumerate(sorted(cards, key=lambda card: -strength(card, trump)))
    }


def holding(hand: Iterable[Card], trump: Trump, rules: Rules) -> Holding:
    """Return what *hand* holds under *trump*."""
    rank_of = _ranks(trump, rules)
    suits: dict[str, list[int]] = {suit: [] for suit in SUITS}
    for card in hand:
        suits.setdefault(effective_suit(card, trump), []).append(rank_of[card])
    trumps = suits.pop(trump, [])
    plain = [sorted(ranks) for ranks in suits.values()]
    seconds = [ranks for ranks in plain if ranks[:1] == [1]]
    return Holding(
        trumps=tuple(sorted(trumps)),
        tops=sum(ranks[:1] == [0] for ranks in plain),
        runs=sum(ranks[:2] == [0, 1] for ranks in plain),
        forks=sum(ranks[:2] == [0, 2] for ranks in plain),
        guarded=sum(len(ranks) > 1 for ranks in seconds),
        bare=sum(len(ranks) == 1 for ranks in seconds),
        voids=sum(not ranks for ranks in plain),
        long_suits=sum(len(ranks) >= 4 for ranks in plain),
    )


_RIGHT, _LEFT, _ACE, _KING = range(4)


def _trump_tricks(trumps: tuple[int, ...], each: float, extra: dict[int, float], low: float) -> float:
    """Return *each* for every trump, with what the high ones add and the low ones (queen and below) take away."""
    return sum(each + (extra.get(rank, 0.0) if rank <= _KING else low) for rank in trumps)


def tricks_together(held: Holding, trump: Trump) -> float:
    """Return how many tricks maker and partner take with *held* in the maker's hand, before position counts."""
    if trump not in SUITS:
        return (
            1.45
            + 0.80 * held.tops
            + 0.40 * held.runs
            + 0.20 * held.forks
            + 0.35 * held.guarded
            + 0.10 * held.bare
            + 0.10 * held.long_suits
        )
    can_ruff = len(held.trumps) >= 2
    return (
        1.10
        + _trump_tricks(held.trumps, 0.60, {_RIGHT: 0.60, _LEFT: 0.20, _ACE: 0.05}, -0.10)
        + 0.38 * held.tops
        + 0.07 * held.runs
        + 0.15 * held.guarded
        + 0.04 * held.bare
        + (0.15 if can_ruff else 0.06) * held.voids
    )


def tricks_alone(held: Holding, trump: Trump) -> float:
    """Return how many tricks a lone maker takes with *held*, before position counts."""
    if trump not in SUITS:
        return 0.25 + 1.15 * held.tops + 0.45 * held.runs + 0.30 * held.forks + 0.65 * held.guarded + 0.30 * held.bare
    return (
        -0.40
        + _trump_tricks(held.trumps, 0.90, {_RIGHT: 0.80, _LEFT: 0.30, _ACE: 0.10}, -0.06)
        + 0.67 * held.tops
        + 0.52 * held.runs
        + 0.44 * held.guarded
        + 0.12 * held.bare
    )


# ── what the position adds ───────────────────────────────────────────────────────────────────────────────────────────


def upcard_adds(upcard: Card, place: int, rules: Rules, *, alone: bool) -> float:
    """Return what ordering *upcard* into the dealer's hand adds to the orderer's tricks: it helps the dealer's side."""
    trump = upcard_suit(upcard)
    rank = _ranks(trump, rules)[upcard]
    if place == DEALER:
        return -0.15
    if place == SECOND:
        if alone:  # the partner sits on it
            return 0.30 if rank == _RIGHT else 0.10
        return 1.15 if rank == _RIGHT else 0.70 if rank <= _KING else 0.60
    if rank == _RIGHT:
        return -0.80
    return -0.30 if alone else -0.36


def turned_down_adds(turned_down: Card, trump: Trump, place: int) -> float:
    """Return what the card turned down tells about the suit of its colour ("next") and the others ("cross").

    The dealer's side passed it up, so it holds few bowers of that colour: next is for the other side, cross for it.
    """
    if trump not in SUITS:
        return 0.0
    is_next = SAME_COLOUR[upcard_suit(turned_down)] == trump
    if place in (FIRST, THIRD):
        return 0.31 if is_next else -0.16
    return -0.13 if is_next else 0.23


def lead_adds(place: int, trump: Trump, *, alone: bool) -> float:
    """Return what leading to the first trick adds."""
    if place != FIRST:
        return 0.0
    return 0.22 if alone or trump not in SUITS else 0.03


# ── what comes of it ─────────────────────────────────────────────────────────────────────────────────────────────────

_MARK: Final = {3: (2.55, 0.92), 4: (3.55, 1.03), 5: (4.52, 1.15)}
_LONE_MARK: Final = {3: (2.70, 0.70), 4: (3.55, 0.70), 5: (4.45, 0.70)}
"""For a mark of so many tricks: the estimate at which it is reached half of the time, and the spread around it."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The chances of a hand's three results for the side that made trump; they add up to 1."""

    march: float
    made: float
    euchred: float


def odds_of(tricks: float, rules: Rules, *, alone: bool) -> Odds:
    """Return what comes of a call that is worth *tricks*."""
    marks = _LONE_MARK if alone else _MARK
    needed = 5 if alone and rules.lone_must_sweep else rules.tricks_needed
    march, made = _chance(tricks, *marks[5]), _chance(tricks, *marks[needed])
    return Odds(march=march, made=max(0.0, made - march), euchred=1 - max(made, march))


def _chance(tricks: float, half: float, spread: float) -> float:
    return (1 + erf((tricks - half) / spread / sqrt(2))) / 2


def cards_after_pickup(hand: Cards, upcard: Card, buried: Card) -> Cards:
    """Return a dealer's five cards once he took *upcard* and buried *buried*."""
    return tuple([card for card in (*hand, upcard) if card != buried])
