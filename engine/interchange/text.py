"""A game in plain sentences, from nobody's chair: every card is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, assert_never

from engine.cards import SEATS, Cards, sort_hand
from engine.events import (
    AloneDecided,
    CardGiven,
    CardPlayed,
    CardsDealt,
    CardsSwapped,
    DefenceDecided,
    Discarded,
    Event,
    GameOver,
    HandDealt,
    HandScored,
    HandsRevealed,
    HandThrownIn,
    OrderedUp,
    Passed,
    PlayStarted,
    ReliefAsked,
    RestClaimed,
    SecretRevealed,
    TrickWon,
    TrumpCalled,
    UpcardLeft,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.interchange.from_record import read_record
from engine.interchange.reports import Loss
from engine.rules import changed_rules

_TRUMP_WORDS: Final = {
    "s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs", "n": "no trump", "l": "low no trump",
}  # fmt: skip
_REASONS: Final = {
    "made": "made it",
    "march": "took all five tricks",
    "lone_march": "took all five tricks alone",
    "euchred": "euchred the makers",
    "lone_euchred": "euchred a lone maker",
    "super_euchre": "took every trick from the makers",
    "lone_defender": "euchred the makers with a lone defender",
}


def export_text(lines: Iterable[str]) -> tuple[str, tuple[Loss, ...]]:
    """Return the game as sentences, an event a line, the cards of a trick on one."""
    recorded = read_record(lines)
    study = recorded.study
    names = tuple(_printable(name) or f"Seat {seat}" for seat, name in enumerate(study.names))
    told = [f"Game {_printable(study.game)}".rstrip()]
    told += [f"{names[0]} and {names[2]} against {names[1]} and {names[3]}"]
    options = ", ".join(f"{name} {value}" for name, value in changed_rules(study.rules).items())
    told.append(f"Rules: {options or 'standard'}")
    told += _sentences((event for step in recorded.steps for event in step.events), names)
    return "\n".join(told) + "\n", ()


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()


def _sentences(events: Iterable[Event], names: tuple[str, ...]) -> Iterator[str]:
    trick: list[str] = []
    for event in events:
        if isinstance(event, CardPlayed):
            trick.append(f"{names[event.seat]} {event.card}")
            continue
        if trick:
            won = f"; {names[event.seat]} wins" if isinstance(event, TrickWon) else ""
            number = f"{event.trick}. " if isinstance(event, TrickWon) else ""
            yield f"  {number}{', '.join(trick)}{won}"
            trick = []
        yield from _sentence(event, names)
    if trick:
        yield f"  {', '.join(trick)}"


def _cards(cards: Cards) -> str:
    return " ".join(sort_hand(cards))


def _sentence(event: Event, names: tuple[str, ...]) -> Iterator[str]:
    match event:
        case HandDealt():
            yield f"\nHand {event.hand}: {names[event.dealer]} deals, {event.upcard} is turned up"
        case CardsDealt():
            yield f"  {names[event.seat]} holds {_cards(event.cards)}"
        case Passed():
            yield f"  {names[event.seat]} passes"
        case OrderedUp():
            yield f"  {names[event.seat]} orders up {_TRUMP_WORDS[event.trump]}{_alone(alone=event.alone)}"
        case UpcardTurnedDown():
            yield f"  {event.card} is turned down"
        case TrumpCalled():
            yield f"  {names[event.seat]} calls {_TRUMP_WORDS[event.trump]}{_alone(alone=event.alone)}"
        case UpcardTaken():
            yield f"  {names[event.seat]} takes up {event.card}"
        case UpcardLeft():
            yield f"  {event.card} stays where it is"
        case Discarded():
            yield f"  {names[event.seat]} buries {event.card}"
        case AloneDecided():
            yield f"  {names[event.seat]} {'goes alone' if event.alone else 'does not go alone'}"
        case DefenceDecided():
            yield f"  {names[event.seat]} {'defends alone' if event.alone else 'does not defend alone'}"
        case CardGiven():
            yield f"  {names[event.seat]} gives {names[event.to]} {event.card}"
        case ReliefAsked():
            yield f"  {names[event.seat]} shows {_cards(event.cards)} and asks for relief"
        case CardsSwapped():
            yield f"  {names[event.seat]} puts away {' '.join(event.given)} and takes {' '.join(event.taken)}"
        case RestClaimed():
            yield f"  {names[event.seat]} claims the rest with {_cards(event.cards)}"
        case HandThrownIn():
            yield "  The hand is thrown in"
        case HandScored():
            yield f"  {_team(event.team, names)} {_REASONS[event.reason]}: {event.points}, now {_score(event.score)}"
        case GameOver():
            winner = "Nobody wins" if event.winner is None else f"{_team(event.winner, names)} win"
            yield f"\n{winner}, {_score(event.score)}"
        case PlayStarted() | TrickWon() | CardPlayed() | HandsRevealed() | SecretRevealed():
            pass
        case _:
            assert_never(event)


def _alone(*, alone: bool) -> str:
    return " and goes alone" if alone else ""


def _team(team: int, names: tuple[str, ...]) -> str:
    first, second = (seat for seat in SEATS if seat % 2 == team)
    return f"{names[first]} and {names[second]}"


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]} to {score[1]}"
