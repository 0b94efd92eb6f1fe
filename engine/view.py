"""What a viewer may see: the one way out of the engine (RULES.md §11).

`view_for` makes a viewer's view from the state, `redact` a viewer's share of an event, and `advance` is the client's
fold: a view advanced over a viewer's redacted events equals the view made from the state, except ``phase`` and
``to_act``, which a client learns from the prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, TypeVar, assert_never, cast

from engine.actions import (
    ALONE,
    CALLS,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    ORDER,
    ORDER_ALONE,
    PASS,
    RELIEF,
    TOGETHER,
    Action,
)
from engine.alone import AloneWindow
from engine.bidding import RoundOne, RoundTwo
from engine.cards import CARDS_PER_HAND, PARTNER_OF, Card, Cards, Seat, Trump
from engine.defence import DefenceWindow
from engine.events import (
    AloneDecided,
    CardGiven,
    CardPlayed,
    CardsDealt,
    CardsSwapped,
    DefenceDecided,
    Discarded,
    Event,
    Events,
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
from engine.exchange import Exchanging
from engine.naming import NamingTrump
from engine.pickup import Discarding
from engine.play import Playing, seats_of_trick, won_more
from engine.rules import Reveal, Rules, SpectatorHands
from engine.state import AwaitingDeal, Call, Dealt, Finished, Game, Made, Phase, Stage, Standing, UpcardFate

Watcher: TypeAlias = Literal["watcher"]
Viewer: TypeAlias = Seat | Watcher
WATCHER: Watcher = "watcher"
"""A spectator."""

SeatCard: TypeAlias = tuple[Seat, Card]
Counts: TypeAlias = tuple[int, int, int, int]
_Done = TypeVar("_Done")


@dataclass(frozen=True, slots=True)
class TrickSeen:
    """A finished trick: who won it, and its cards by seat in playing order."""

    winner: Seat
    cards: tuple[SeatCard, ...]


@dataclass(frozen=True, slots=True)
class View:
    """A game as one viewer may see it. Per-hand fields stay as the last hand left them until the next deal.

    ``phase`` and ``to_act`` are None where a client does not know them yet. ``hand`` counts deals, throw-ins too.
    ``calls`` are bids, relief and window answers in order. ``cards`` are the viewer's own, in the order he got them; a
    watcher has none. ``counts`` are cards in hand by seat. ``discard``, ``put_away`` and ``given`` are the viewer's
    own: put away are the three cards he swapped for relief, which a later swapper may have got; given is what he passed
    in call for best, unless it came back. ``trick`` holds the cards on the table by seat, ``won`` the tricks by team,
    ``shown`` the hands shown to all, for relief or with a claim. ``result`` tells how the last hand scored.
    """

    viewer: Viewer
    phase: Phase | None = Phase.DEAL
    to_act: Seat | None = None
    score: tuple[int, int] = (0, 0)
    hand: int = 0
    hands_scored: int = 0
    dealer: Seat | None = None
    upcard: Card | None = None
    upcard_fate: UpcardFate | None = None
    calls: tuple[Call, ...] = ()
    cards: Cards = ()
    counts: Counts = (0, 0, 0, 0)
    discard: Card | None = None
    put_away: Cards = ()
    given: Card | None = None
    trump: Trump | None = None
    maker: Seat | None = None
    alone: tuple[Seat, ...] = ()
    sitting: tuple[Seat, ...] = ()
    leader: Seat | None = None
    trick: tuple[SeatCard, ...] = ()
    tricks: tuple[TrickSeen, ...] = ()
    won: tuple[int, int] = (0, 0)
    shown: tuple[tuple[Seat, Cards], ...] = ()
    result: HandScored | None = None
    revealed: HandsRevealed | None = None
    winner: int | None = None
    over: bool = False


# ── events ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def redact(event: Event, viewer: Viewer, rules: Rules) -> Event | None:
    """Return what *viewer* may hear of *event*: all of it, a part, or None for nothing (R-VIEW-1 to R-VIEW-3)."""
    match event:
        case CardPlayed() | TrickWon():
            return event
        case CardsDealt():
            return event if event.seat == viewer else None
        case Discarded():
            return event if event.seat == viewer else Discarded(event.seat, None)
        case CardGiven():
            return event if viewer in (event.seat, event.to) else CardGiven(event.seat, event.to, None)
        case CardsSwapped():
            return event if event.seat == viewer else CardsSwapped(event.seat, (), ())
        case HandsRevealed() | SecretRevealed():
            # Who has the secret can deal the hand again.
            return event if sees_revealed(viewer, rules) else None
        case (
            HandDealt()
            | Passed()
            | OrderedUp()
            | UpcardTurnedDown()
            | TrumpCalled()
            | UpcardTaken()
            | UpcardLeft()
            | AloneDecided()
            | DefenceDecided()
            | ReliefAsked()
            | RestClaimed()
            | PlayStarted()
            | HandThrownIn()
            | HandScored()
            | GameOver()
        ):
            return event
        case _:
            assert_never(event)


def redact_all(events: Events, viewer: Viewer, rules: Rules) -> Events:
    """Return *viewer*'s share of *events*, in order."""
    return tuple([seen for event in events if (seen := redact(event, viewer, rules)) is not None])


def is_public(event: Event) -> bool:
    """Tell whether every viewer under any rules hears *event* whole, so that it need be packed only once."""
    return not isinstance(event, CardsDealt | Discarded | CardGiven | CardsSwapped | HandsRevealed | SecretRevealed)


def sees_revealed(viewer: Viewer, rules: Rules) -> bool:
    """Tell whether *viewer* sees all the cards of a hand that is over (R-VIEW-2, R-VIEW-3)."""
    to_watchers = rules.spectator_hands is SpectatorHands.AFTER_HAND
    return rules.reveal is Reveal.ALL and (viewer != WATCHER or to_watchers)


# ── from the state ───────────────────────────────────────────────────────────────────────────────────────────────────


def view_for(game: Game, viewer: Viewer) -> View:
    """Return the game as *viewer*, a seat or WATCHER, may see it."""
    standing, stage = game.standing, game.stage
    match stage:
        case AwaitingDeal() | Finished():
            seen = _view_of(standing, stage.last, viewer) if stage.last is not None else View(viewer)
            revealed = stage.result is not None and stage.last is not None and sees_revealed(viewer, standing.rules)
            seen = replace(
                seen,
                result=stage.result,
                revealed=_revealed(stage.last) if revealed else None,
                winner=stage.winner if isinstance(stage, Finished) else None,
                over=isinstance(stage, Finished),
            )
        case _:
            seen = _view_of(standing, stage, viewer)
    return replace(seen, phase=stage.phase, to_act=stage.to_act)


def _revealed(last: Stage | None) -> HandsRevealed:
    assert isinstance(last, Playing)
    dealt = last.made.dealt
    return HandsRevealed(dealt.hands, dealt.upcard, dealt.buried)


def _view_of(standing: Standing, stage: Stage, viewer: Viewer) -> View:
    match stage:
        case NamingTrump():
            seen = _bidding_view(standing, stage.dealt, (), viewer, UpcardFate.UP)
            return replace(seen, cards=()) if stage.is_blind and viewer == stage.to_act else seen
        case RoundOne() | RoundTwo():
            fate = UpcardFate.UP if isinstance(stage, RoundOne) else UpcardFate.TURNED_DOWN
            seen = _bidding_view(standing, stage.dealt, stage.calls, viewer, fate)
            return replace(
                seen,
                cards=_own(stage.hands, viewer),
                put_away=_by(viewer, stage.put_away) or (),
                shown=stage.shown,
            )
        case Discarding() | AloneWindow() | Exchanging() | DefenceWindow():
            return _made_view(standing, stage.made, viewer)
        case Playing():
            return _playing_view(standing, stage, viewer)
        case _:
            raise AssertionError(f"no view of {type(stage).__name__}")


def _bidding_view(standing: Standing, dealt: Dealt, calls: tuple[Call, ...], viewer: Viewer, fate: UpcardFate) -> View:
    return View(
        viewer,
        score=standing.score,
        hand=dealt.number,
        hands_scored=standing.hands_scored,
        dealer=dealt.dealer,
        upcard=dealt.upcard,
        upcard_fate=fate,
        calls=calls,
        cards=_own(dealt.hands, viewer),
        counts=(CARDS_PER_HAND,) * 4,
    )


def _made_view(standing: Standing, made: Made, viewer: Viewer) -> View:
    return replace(
        _bidding_view(standing, made.dealt, made.calls, viewer, made.upcard_fate),
        cards=_own(made.hands, viewer),
        counts=_counts(made.hands),
        discard=made.discard if viewer == made.dealt.dealer else None,
        put_away=_by(viewer, made.put_away) or (),
        given=_by(viewer, made.given),
        trump=made.trump,
        maker=made.maker,
        alone=made.alone,
        sitting=made.sitting,
        shown=made.shown,
    )


def _playing_view(standing: Standing, stage: Playing, viewer: Viewer) -> View:
    seats = seats_of_trick(stage.made.alone, stage.leader)
    return replace(
        _made_view(standing, stage.made, viewer),
        cards=_own(stage.hands, viewer),
        counts=_counts(stage.hands),
        leader=stage.leader,
        trick=tuple(zip(seats, stage.trick, strict=False)),
        tricks=tuple(
            TrickSeen(trick.winner, tuple(zip(trick.seats, trick.cards, strict=True))) for trick in stage.tricks
        ),
        won=stage.won,
    )


def _own(hands: tuple[Cards, Cards, Cards, Cards], viewer: Viewer) -> Cards:
    return () if viewer == WATCHER else hands[viewer]


def _by(viewer: Viewer, done: tuple[tuple[Seat, _Done], ...]) -> _Done | None:
    return next((what for seat, what in done if seat == viewer), None)


def _counts(hands: tuple[Cards, Cards, Cards, Cards]) -> Counts:
    return len(hands[0]), len(hands[1]), len(hands[2]), len(hands[3])


# ── the client's fold ────────────────────────────────────────────────────────────────────────────────────────────────


def advance(view: View, event: Event) -> View:
    """Return *view* after its viewer heard *event*; the next prompt tells ``phase`` and ``to_act``, now None."""
    return _advance(replace(view, phase=None, to_act=None), event)


def _advance(view: View, event: Event) -> View:
    match event:
        case HandDealt():
            return View(
                view.viewer,
                phase=None,
                score=view.score,
                hand=event.hand,
                hands_scored=view.hands_scored,
                dealer=event.dealer,
                upcard=event.upcard,
                upcard_fate=UpcardFate.UP,
                counts=(CARDS_PER_HAND,) * 4,
            )
        case CardsDealt():
            return replace(view, cards=event.cards) if event.seat == view.viewer else view
        case Passed():
            return _with_call(view, event.seat, PASS)
        case OrderedUp():
            made = _with_call(view, event.seat, ORDER_ALONE if event.alone else ORDER)
            return _with_trump(made, event.seat, event.trump, alone=event.alone)
        case UpcardTurnedDown():
            return replace(view, upcard_fate=UpcardFate.TURNED_DOWN)
        case TrumpCalled():
            made = _with_call(view, event.seat, CALLS[event.trump, event.alone])
            return _with_trump(made, event.seat, event.trump, alone=event.alone)
        case UpcardTaken():
            own = (*view.cards, event.card) if event.seat == view.viewer else view.cards
            return replace(view, upcard_fate=UpcardFate.TAKEN, cards=own, counts=_changed(view.counts, event.seat, 1))
        case Discarded():
            return replace(
                view,
                cards=tuple(card for card in view.cards if card != event.card),
                discard=event.card,
                counts=_changed(view.counts, event.seat, -1),
            )
        case UpcardLeft():
            return replace(view, upcard_fate=UpcardFate.LEFT)
        case AloneDecided():
            return _with_answer(view, event.seat, ALONE if event.alone else TOGETHER, alone=event.alone)
        case DefenceDecided():
            return _with_answer(view, event.seat, DEFEND_ALONE if event.alone else DEFEND_TOGETHER, alone=event.alone)
        case CardGiven():
            counts = _changed(_changed(view.counts, event.seat, -1), event.to, 1)
            if event.card is None:
                return replace(view, counts=counts)
            if event.seat == view.viewer:
                kept = tuple(card for card in view.cards if card != event.card)
                return replace(view, cards=kept, counts=counts, given=event.card)
            given = None if event.card == view.given else view.given
            return replace(view, cards=(*view.cards, event.card), counts=counts, given=given)
        case ReliefAsked():
            return replace(_with_call(view, event.seat, RELIEF), shown=(*view.shown, (event.seat, event.cards)))
        case CardsSwapped():
            kept = tuple(card for card in view.cards if card not in event.given)
            return replace(view, cards=(*kept, *event.taken), put_away=view.put_away or event.given)
        case RestClaimed():
            return replace(
                view,
                won=won_more(view.won, event.seat, event.tricks),
                shown=(*view.shown, (event.seat, event.cards)),
            )
        case PlayStarted():
            return replace(view, leader=event.leader, alone=event.alone, sitting=event.sitting)
        case CardPlayed():
            own = view.cards
            if event.seat == view.viewer:
                own = tuple(card for card in own if card != event.card)
            trick = (*view.trick, (event.seat, event.card))
            return replace(view, cards=own, trick=trick, counts=_changed(view.counts, event.seat, -1))
        case TrickWon():
            won = won_more(view.won, event.seat, 1)
            tricks = (*view.tricks, TrickSeen(event.seat, view.trick))
            return replace(view, trick=(), tricks=tricks, won=won, leader=event.seat)
        case HandThrownIn() | SecretRevealed():
            return view
        case HandScored():
            return replace(view, result=event, score=event.score, hands_scored=view.hands_scored + 1)
        case HandsRevealed():
            return replace(view, revealed=event)
        case GameOver():
            return replace(view, winner=event.winner, over=True)
        case _:
            assert_never(event)


def _with_call(view: View, seat: Seat, action: Action) -> View:
    return replace(view, calls=(*view.calls, (seat, action)))


def _with_trump(view: View, seat: Seat, trump: Trump, *, alone: bool) -> View:
    lone = (seat,) if alone else ()
    return replace(view, trump=trump, maker=seat, alone=lone, sitting=_partners(lone))


def _with_answer(view: View, seat: Seat, action: Action, *, alone: bool) -> View:
    lone = (*view.alone, seat) if alone else view.alone
    return replace(_with_call(view, seat, action), alone=lone, sitting=_partners(lone))


def _partners(seats: tuple[Seat, ...]) -> tuple[Seat, ...]:
    return tuple(PARTNER_OF[seat] for seat in seats)


def _changed(counts: Counts, seat: Seat, by: int) -> Counts:
    changed = list(counts)
    changed[seat] += by
    return cast("Counts", tuple(changed))
