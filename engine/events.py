"""What happened, in past tense. `engine.view.redact` decides who hears what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from engine.cards import Card, Cards, Seat, Suit, Trump

FourHands: TypeAlias = tuple[Cards, Cards, Cards, Cards]


class Reason(StrEnum):
    """Why a hand scored what it scored (RULES.md §7)."""

    MADE = "made"
    MARCH = "march"
    LONE_MARCH = "lone_march"
    EUCHRED = "euchred"
    LONE_EUCHRED = "lone_euchred"
    SUPER_EUCHRE = "super_euchre"
    LONE_DEFENDER = "lone_defender"


@dataclass(frozen=True, slots=True)
class HandDealt:
    """A hand was dealt; ``hand`` counts deals from 1, throw-ins too."""

    hand: int
    dealer: Seat
    upcard: Card


@dataclass(frozen=True, slots=True)
class CardsDealt:
    """A seat got its five cards. For that seat only."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat declined to make trump."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class OrderedUp:
    """A seat made the upcard's suit trump in round one."""

    seat: Seat
    trump: Suit
    alone: bool


@dataclass(frozen=True, slots=True)
class UpcardTurnedDown:
    """All four passed round one."""

    card: Card


@dataclass(frozen=True, slots=True)
class TrumpCalled:
    """A seat named trump in round two."""

    seat: Seat
    trump: Trump
    alone: bool


@dataclass(frozen=True, slots=True)
class UpcardTaken:
    """The dealer took up the upcard."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class UpcardLeft:
    """The dealer sits out and does not take the upcard: it stays out of play (R-ALONE-4)."""

    card: Card


@dataclass(frozen=True, slots=True)
class Discarded:
    """The dealer buried a card; ``card`` is None for everybody else."""

    seat: Seat
    card: Card | None


@dataclass(frozen=True, slots=True)
class AloneDecided:
    """A seat of the maker's side answered the alone window."""

    seat: Seat
    alone: bool


@dataclass(frozen=True, slots=True)
class DefenceDecided:
    """A defender answered the defenders' window."""

    seat: Seat
    alone: bool


@dataclass(frozen=True, slots=True)
class CardGiven:
    """A card went from ``seat`` to ``to``, face down; ``card`` is None for all but those two (R-ALONE-5)."""

    seat: Seat
    to: Seat
    card: Card | None


@dataclass(frozen=True, slots=True)
class ReliefAsked:
    """A seat showed a very bad hand to all (R-RELIEF-1)."""

    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardsSwapped:
    """A seat put ``given`` under the deck and took ``taken``; both are empty for everybody else (R-RELIEF-1)."""

    seat: Seat
    given: Cards
    taken: Cards


@dataclass(frozen=True, slots=True)
class RestClaimed:
    """A seat showed ``cards`` and takes the ``tricks`` to come (R-PLAY-5)."""

    seat: Seat
    cards: Cards
    tricks: int


@dataclass(frozen=True, slots=True)
class PlayStarted:
    """Everything is settled and ``leader`` leads; ``sitting`` seats have no turns this hand."""

    leader: Seat
    alone: tuple[Seat, ...]
    sitting: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat played a card."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class TrickWon:
    """A seat won the trick; ``trick`` counts from 1 to 5."""

    seat: Seat
    trick: int


@dataclass(frozen=True, slots=True)
class HandThrownIn:
    """The hand scores nothing, after eight passes or for relief, and ``next_dealer`` deals (R-DEAL-3)."""

    next_dealer: Seat


@dataclass(frozen=True, slots=True)
class HandScored:
    """A hand was scored: ``team`` got ``points``; ``tricks`` and ``score`` are by team, ``score`` after the hand.

    ``alone`` tells whether a seat of the maker's side played alone.
    """

    maker: Seat
    alone: bool
    tricks: tuple[int, int]
    team: int
    points: int
    reason: Reason
    score: tuple[int, int]


@dataclass(frozen=True, slots=True)
class HandsRevealed:
    """All the cards of a finished hand as they were dealt (R-VIEW-3)."""

    hands: FourHands
    upcard: Card
    buried: Cards


@dataclass(frozen=True, slots=True)
class SecretRevealed:
    """The secret a finished hand was dealt from, in hexadecimal, with the seats' entropy (the fair deal)."""

    hand: int
    secret: str
    entropy: tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class GameOver:
    """The game ended; ``winner`` is the team, or None for a draw (R-GAME-1)."""

    winner: int | None
    score: tuple[int, int]


Event: TypeAlias = (
    CardPlayed
    | TrickWon
    | HandDealt
    | CardsDealt
    | Passed
    | OrderedUp
    | UpcardTurnedDown
    | TrumpCalled
    | UpcardTaken
    | UpcardLeft
    | Discarded
    | AloneDecided
    | DefenceDecided
    | CardGiven
    | ReliefAsked
    | CardsSwapped
    | RestClaimed
    | PlayStarted
    | HandThrownIn
    | HandScored
    | HandsRevealed
    | SecretRevealed
    | GameOver
)
Events: TypeAlias = tuple[Event, ...]
