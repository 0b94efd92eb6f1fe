"""What happened, in sentences: one line an event, from the viewer's chair. Pure.

A sentence may depend on what came before (a card is led or played), so the view is folded as it is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias, assert_never

from clients.cli.cardwords import contract, hand_row, is_declared, named, row, short, suit_word
from clients.cli.naming import Naming
from engine.actions import RELIEF
from engine.cards import PARTNER_OF, is_trump, team_of, upcard_suit
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
    Reason,
    ReliefAsked,
    RestClaimed,
    SecretRevealed,
    TrickWon,
    TrumpCalled,
    UpcardLeft,
    UpcardTaken,
    UpcardTurnedDown,
)
from engine.view import WATCHER, View, advance
from protocol.table_events import (
    CameBack,
    DealCommitted,
    EntropyAdded,
    GameStarted,
    HostChanged,
    Seated,
    StoodIn,
    TableClosed,
    TableEvent,
    TimeCredited,
    TimeGiven,
    Unseated,
    WentAway,
)

Told: TypeAlias = tuple[Event, str]
"""A sentence, and the event it tells."""


def tell_game(events: Sequence[Event], before: View, naming: Naming) -> list[Told]:
    """Return the sentences for what happened, in order, to a viewer whose view was *before*."""
    told: list[Told] = []
    view = before
    for at, event in enumerate(events):
        after = advance(view, event)
        previous = events[at - 1] if at else None
        following = events[at + 1] if at + 1 < len(events) else None
        if isinstance(event, OrderedUp):
            told.append((event, _ordered_up(event, following, naming)))
        elif not isinstance(previous, OrderedUp):  # else what became of the upcard is told already
            told.extend((event, sentence) for sentence in _sentences(event, view, after, naming))
        view = after
    return told


def _sentences(event: Event, before: View, after: View, naming: Naming) -> Iterator[str]:
    match event:
        case HandDealt():
            yield f"Hand {event.hand}. {naming.subject(event.dealer, 'deal')}; {short(event.upcard)} is turned up."
        case CardsDealt():
            whose = "Your cards" if naming.is_you(event.seat) else f"The cards of {naming.who(event.seat)}"
            yield f"{whose}: {hand_row(event.cards, None)}"
        case Passed():
            yield f"{naming.subject(event.seat, 'pass')}."
        case UpcardTurnedDown():
            barred = suit_word(upcard_suit(event.card))
            yield f"{short(event.card)} is turned down: now any suit but {barred} may be called."
        case OrderedUp():
            yield _ordered_up(event, None, naming)
        case TrumpCalled():
            yield f"{naming.subject(event.seat, 'call')} {contract(event.trump)}{', alone' if event.alone else ''}."
        case UpcardTaken():
            yield f"{naming.subject(event.seat, 'pick up')} {short(event.card)}."
        case UpcardLeft():
            yield f"The dealer sits out: {short(event.card)} stays on the table."
        case Discarded():
            what = "a card face down" if event.card is None else short(event.card)
            yield f"{naming.subject(event.seat, 'discard')} {what}."
        case AloneDecided():
            yield f"{naming.subject(event.seat, 'go alone' if event.alone else 'do not go alone')}."
        case DefenceDecided():
            yield f"{naming.subject(event.seat, 'defend alone' if event.alone else 'do not defend alone')}."
        case CardGiven():
            what = "a card" if event.card is None else short(event.card)
            yield f"{naming.subject(event.seat, 'pass')} {what} to {naming.who(event.to)}, face down."
        case ReliefAsked():
            yield f"{naming.subject(event.seat, 'show')} a hand to be relieved of: {hand_row(event.cards, None)}."
        case CardsSwapped():
            what = f"{row(event.given)} for {row(event.taken)}" if event.given else "three cards"
            yield f"{naming.subject(event.seat, 'swap')} {what} under the deck."
        case RestClaimed():
            shown = hand_row(event.cards, before.trump)
            yield f"{naming.subject(event.seat, 'claim')} the rest, {_count(event.tricks, 'trick')}, with {shown}."
        case PlayStarted():
            yield _play_started(event, before, naming)
        case CardPlayed():
            yield _card_played(event, before, naming)
        case TrickWon():
            yield f"{naming.subject(event.seat, 'win')} trick {event.trick}. Tricks: {naming.tally(after.won)}."
        case HandThrownIn():
            relieved = bool(before.calls) and before.calls[-1][1] == RELIEF
            why = "Relief" if relieved else "All passed twice"
            yield f"{why}: the hand is thrown in. {naming.subject(event.next_dealer, 'deal')} next."
        case HandScored():
            yield f"{_hand_scored(event, naming)} Score: {naming.tally(event.score)}."
        case HandsRevealed() | SecretRevealed():
            pass  # too much to tell unasked
        case GameOver():
            yield _game_over(event, naming)
        case _:
            assert_never(event)


def _ordered_up(event: OrderedUp, following: Event | None, naming: Naming) -> str:
    """Tell the call together with what became of the upcard, where that follows."""
    alone = ", alone" if event.alone else ""
    if isinstance(following, UpcardTaken) and following.seat == event.seat:
        taken, makes = naming.subject(event.seat, "pick up"), naming.verb(event.seat, "make")
        return f"{taken} {short(following.card)} and {makes} {contract(event.trump)} trump{alone}."
    call = f"{naming.subject(event.seat, 'order up')} {contract(event.trump)}{alone}"
    match following:
        case UpcardTaken():
            return f"{call}; {naming.clause(following.seat, 'pick up')} {short(following.card)}."
        case UpcardLeft():
            return f"{call}; the dealer sits out and {short(following.card)} stays on the table."
        case _:
            return f"{call}."


def _play_started(event: PlayStarted, before: View, naming: Naming) -> str:
    parts = []
    if before.trump is not None and before.maker is not None:
        parts.append(f"{is_declared(before.trump)}; {naming.clause(before.maker, 'are')} the maker.")
    parts.extend(f"{naming.subject(PARTNER_OF[seat], 'sit')} this hand out." for seat in event.alone)
    return " ".join(parts)


def _card_played(event: CardPlayed, before: View, naming: Naming) -> str:
    card, trump = named(event.card, before.trump), before.trump
    if not before.trick:
        return f"{naming.subject(event.seat, 'lead')} {card}."
    led = before.trick[0][1]
    if trump is not None and is_trump(event.card, trump) and not is_trump(led, trump):
        return f"{naming.subject(event.seat, 'trump')} with {card}."
    return f"{naming.subject(event.seat, 'play')} {card}."


_HOW: Final[dict[Reason, str]] = {
    Reason.MADE: "made {tricks}",
    Reason.MARCH: "took all five tricks",
    Reason.LONE_MARCH: "took all five tricks with a lone hand",
    Reason.EUCHRED: "were euchred with {tricks}",
    Reason.LONE_EUCHRED: "were euchred with {tricks}, playing alone",
    Reason.SUPER_EUCHRE: "were euchred without a trick",
    Reason.LONE_DEFENDER: "were euchred with {tricks} by a lone defender",
}


def _hand_scored(event: HandScored, naming: Naming) -> str:
    makers = team_of(event.maker)
    how = _HOW[event.reason].format(tricks=_count(event.tricks[makers], "trick"))
    points = _count(event.points, "point")
    subject = _side(makers, naming)
    if event.team == makers:
        return f"{subject} {how}: {points}."
    return f"{subject} {how}: {points} for {naming.side(event.team)}."


def _side(team: int, naming: Naming) -> str:
    if naming.viewer == WATCHER:
        return naming.team(team)
    return "We" if team == team_of(naming.viewer) else "They"


def _game_over(event: GameOver, naming: Naming) -> str:
    if event.winner is None:
        return f"The game is over: a draw, {event.score[0]} to {event.score[1]}."
    won = f"{_side(event.winner, naming)} won {event.score[event.winner]} to {event.score[1 - event.winner]}."
    return f"The game is over. {won}"


def _count(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


# ── the table ────────────────────────────────────────────────────────────────────────────────────────────────────────


def bot_words(version: str | None, owner: str | None) -> str:
    """Return what a bot is called: a bot, its version and whose it is, as far as it has them."""
    return f"bot{f' {version}' if version else ''}{f' by {owner}' if owner else ''}"


def tell_table(event: TableEvent, naming: Naming) -> str | None:
    """Return the sentence for something beside the game. *naming* is the table's after it; for a seat left, before."""
    match event:
        case Seated():
            if naming.is_you(event.seat):
                return "You sit down."
            kind = f", a {bot_words(event.version, event.owner)}," if event.kind == "bot" else ""
            return f"{naming.who(event.seat)}{kind} sits down."
        case Unseated():
            return f"{naming.subject(event.seat, 'leave')} the table."
        case HostChanged():
            return None if event.seat is None else f"{naming.subject(event.seat, 'are')} now the host."
        case GameStarted():
            return "The game begins."
        case WentAway():
            back = "; type back to play yourself" if naming.is_you(event.seat) else ""
            return f"A bot plays for {naming.who(event.seat)}{back}."
        case CameBack():
            return f"{naming.subject(event.seat, 'are')} back."
        case StoodIn():
            if event.why != "clock":
                return None
            whose = "Your time" if naming.is_you(event.seat) else f"The time of {naming.who(event.seat)}"
            return f"{whose} ran out: a bot decides."
        case DealCommitted() | EntropyAdded():
            return None  # for those who check the deal, and in the record
        case TimeCredited():
            return f"{naming.subject(event.seat, 'get')} {round(event.ms / 1000)} s more."
        case TimeGiven():
            return f"{naming.subject(event.by, 'give')} {naming.who(event.seat)} {round(event.ms / 1000)} s more."
        case TableClosed():
            return f"The table is closed: {event.why}."
        case _:
            assert_never(event)


def tell_presence(seat: int, naming: Naming, *, online: bool) -> str | None:
    """Return the sentence for a connection that came or went; nothing about one's own."""
    if naming.is_you(seat):
        return None
    return naming.subject(seat, "are connected again." if online else "have lost the connection.")
