"""The state of a game: what stands between hands, and one class a phase (in the phase's module).

Everything is frozen; a phase accepts an action by returning the next game. `engine.game` is the way in.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from engine.actions import Action
from engine.cards import PARTNER_OF, Card, Cards, Seat, Trump
from engine.errors import Code
from engine.events import Events, FourHands, HandScored
from engine.rules import Rules

Call: TypeAlias = tuple[Seat, Action]


class Phase(StrEnum):
    """The phases by name, in the order of a hand."""

    DEAL = "deal"
    NAME = "name"
    ROUND_ONE = "bid1"
    ROUND_TWO = "bid2"
    DISCARD = "discard"
    ALONE = "alone"
    EXCHANGE = "exchange"
    DEFEND = "defend"
    PLAY = "play"
    OVER = "over"


class UpcardFate(StrEnum):
    """Where the upcard is: on the table, in the dealer's hand, turned down, or left out of play (R-ALONE-4)."""

    UP = "up"
    TAKEN = "taken"
    TURNED_DOWN = "turned_down"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Dealt:
    """The cards of one hand as dealt (R-DEAL-1): five a seat by seat number, the upcard, and the rest in order."""

    number: int
    dealer: Seat
    hands: FourHands
    upcard: Card
    buried: Cards


@dataclass(frozen=True, slots=True)
class Made:
    """A hand whose trump is made: who made it, and who plays alone, the maker's side first.

    ``calls`` are all bids and window answers so far. ``discard`` is None until the dealer buried a card, and for good
    where nobody picks up. ``shown`` are hands shown to all. ``put_away`` are the three cards each swapper put
    under the deck, in turn (R-RELIEF-1), ``given`` what was passed in call for best and did not come back (R-ALONE-5).
    """

    dealt: Dealt
    calls: tuple[Call, ...]
    trump: Trump
    maker: Seat
    upcard_fate: UpcardFate
    hands: FourHands
    discard: Card | None = None
    alone: tuple[Seat, ...] = ()
    shown: tuple[tuple[Seat, Cards], ...] = ()
    put_away: tuple[tuple[Seat, Cards], ...] = ()
    given: tuple[tuple[Seat, Card], ...] = ()

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """The partners of those who play alone (R-ALONE-1)."""
        return tuple(PARTNER_OF[seat] for seat in self.alone)


def with_hand(hands: FourHands, seat: Seat, hand: Cards) -> FourHands:
    """Return *hands* with *seat*'s replaced."""
    changed = [*hands[:seat], hand, *hands[seat + 1 :]]
    return changed[0], changed[1], changed[2], changed[3]


class Stage(Protocol):
    """What every phase can tell. ``to_act`` is the one seat asked, None when no seat is."""

    @property
    def phase(self) -> Phase:
        """The phase's name."""

    @property
    def to_act(self) -> Seat | None:
        """The one seat asked."""

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """The seats that sit this hand out."""

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Every action the seat to act may take; empty when no seat is asked."""

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Why *action*, not among the legal ones, may not be taken by the seat to act."""

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the legal *action* for the seat to act."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands while a hand is played: rules, score by team, hands dealt (throw-ins too) and hands scored."""

    rules: Rules
    score: tuple[int, int] = (0, 0)
    hands_dealt: int = 0
    hands_scored: int = 0


@dataclass(frozen=True, slots=True)
class Game:
    """A game at one moment."""

    standing: Standing
    stage: Stage


@dataclass(frozen=True, slots=True)
class NoDecision:
    """Base of the phases in which no seat is asked; ``last`` is the stage the previous hand ended in."""

    last: Stage | None
    result: HandScored | None

    @property
    def to_act(self) -> None:
        """Nobody."""
        return

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """Nobody sits out between hands."""
        return ()

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Nothing."""
        return ()

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Never called: no action is legal."""
        raise AssertionError(f"{action} accepted where nothing is legal")


@dataclass(frozen=True, slots=True)
class AwaitingDeal(NoDecision):
    """Between hands. ``dealer`` is None before the first hand of a game, whose dealer comes with the deal (R-DEAL-2).

    ``result`` is None after a throw-in.
    """

    dealer: Seat | None

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.DEAL

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """No seat is asked for anything."""
        return Code.WRONG_PHASE


@dataclass(frozen=True, slots=True)
class Finished(NoDecision):
    """The game is over; ``winner`` is a team, or None for a draw."""

    winner: int | None

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.OVER

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Nothing is legal any more."""
        return Code.GAME_OVER
