"""A hand that a viewer cannot tell from another: all that he has not seen lies in other places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from engine.actions import AskRelief, Discard, GiveCard, PlayCard, swap_of
from engine.cards import SWAPPED, Card, make_pack
from engine.events import (
    ReliefAsked,
    RestClaimed,
)
from engine.rules import Rules
from engine.state import Game
from engine.view import Viewer
from tests.engine.knowing import may_know
from tests.engine.strategies import Act, Deal, Step


@dataclass(frozen=True, slots=True)
class Hand:
    """One hand of a random game, and the game before its deal."""

    before: Game
    steps: Sequence[Step]

    @property
    def rules(self) -> Rules:
        return self.before.standing.rules


def in_another_world(hand: Hand, viewer: Viewer, cut: int, rng: Random) -> list[Deal | Act] | None:
    """Return the hand's first *cut* entries with the cards *viewer* has not seen by then in other places.

    Who goes under puts away others of the cards he showed, if they did not appear again. None where the viewer has
    seen too much for any of that.
    """
    steps = hand.steps[:cut]
    seen = {card for step in steps for card in may_know(step.events, viewer, hand.rules)}
    unseen = [card for card in make_pack(hand.rules.low_rank, hand.rules.jokers) if card not in seen]
    moved = dict(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
    entries: list[Deal | Act] = []
    for at, step in enumerate(steps):
        match step.entry:
            case Act(seat, AskRelief(cards)) if cards and seat != viewer:
                entries.append(Act(seat, swap_of(_put_away(step, steps[at + 1 :], rng) or cards)))
            case entry:
                entries.append(_moved(entry, moved))
    return None if entries == [step.entry for step in steps] else entries


def _moved(entry: Deal | Act, moved: dict[Card, Card]) -> Deal | Act:
    """Move the cards of a deal, and those that went face down; every other entry speaks of cards that all have seen."""
    match entry:
        case Deal(deck, dealer):
            return Deal(tuple(moved.get(card, card) for card in deck), dealer)
        case Act(seat, Discard(card)):
            return Act(seat, Discard(moved.get(card, card)))
        case Act(seat, GiveCard(card)):
            return Act(seat, GiveCard(moved.get(card, card)))
        case _:
            return entry


def _put_away(swap: Step, later: Sequence[Step], rng: Random) -> tuple[Card, ...] | None:
    """Return three cards of the hand shown for a swap that nobody came to see again; None where there are none."""
    (shown,) = [event.cards for event in swap.events if isinstance(event, ReliefAsked)]
    acts = [step.entry.action for step in later if isinstance(step.entry, Act)]
    again = {action.card for action in acts if isinstance(action, PlayCard | GiveCard | Discard)}
    events = [event for step in later for event in step.events]
    again.update(*(event.cards for event in events if isinstance(event, ReliefAsked | RestClaimed)))
    free = [card for card in shown if card not in again]
    return tuple(rng.sample(free, SWAPPED)) if len(free) >= SWAPPED else None
