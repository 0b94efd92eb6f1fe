"""What a table is after an entry of its log, and what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias, assert_never

from engine import fair
from engine.actions import parse_action
from engine.cards import SEATS, Seat, clockwise_from, parse_cards
from engine.events import Event, SecretRevealed
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import rules_from_plain
from engine.state import Game
from protocol.names import told_apart
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
from server import clock
from server.clock import Decision
from server.entries import (
    Acted,
    AwaySet,
    Closed,
    Credited,
    DealtOut,
    Entry,
    Filled,
    GaveTime,
    HostPassed,
    Opened,
    SatDown,
    Started,
    Stirred,
    StoodUp,
)
from server.table.state import Chair, Deals, Known, Play, Room, TableState

Happening: TypeAlias = Event | TableEvent
_REFS_KEPT: Final = 32
"""How many of a player's latest commands a table knows again. Older ones are stale by their turn, or done long ago."""
_PLAYERS_KEPT: Final = 32
"""Of how many players a table knows commands again: beyond that it forgets who came first and sits here no more."""
_MISSES_BEFORE_AWAY: Final = 2
"""Decisions in a row a person lets run out before a bot plays on until he is back."""
_BOT_NAMES: Final = ("Ada", "Basil", "Clara", "Dexter")
"""What the house's bots are called, by seat."""


def opened_table(seq: int, entry: Opened) -> tuple[TableState, tuple[Happening, ...]]:
    """Return the table its first entry makes."""
    host = _chair_of(entry, seq)
    rules = rules_from_plain(entry.rules)
    room = Room(entry, rules, clock.CLOCKS[entry.clock], (host, Chair(), Chair(), Chair()), entry.player)
    known = {entry.player: {entry.ref: (entry, seq)}}
    return TableState(seq, room, None, known), (_seated(0, entry), HostChanged(0))


def _chair_of(entry: Opened | SatDown, seq: int) -> Chair:
    return Chair(
        "human",
        entry.player,
        entry.name,
        since=seq,
        is_program=entry.is_bot,
        version=entry.version,
        owner=entry.owner,
    )


def _seated(seat: Seat, entry: Opened | SatDown) -> Seated:
    """Return what is told of a person or somebody's bot who sat down."""
    return Seated(seat, "bot" if entry.is_bot else "human", entry.name, None, entry.version, entry.owner)


def evolve(state: TableState, seq: int, at_ms: int, entry: Entry) -> tuple[TableState, tuple[Happening, ...]]:
    """Return the table after the entry numbered *seq* and stamped *at_ms*, and what happened, for no audience yet.

    Raises where the entry does not fit, which means a damaged log.
    """
    after: TableState
    happenings: tuple[Happening, ...]
    match entry:
        case Acted():
            after, happenings = _after_act(state, seq, at_ms, entry)
        case DealtOut():
            after, happenings = _after_deal(state, seq, at_ms, entry)
        case SatDown():
            after, happenings = _after_sitting(state, seq, entry)
        case StoodUp():
            after, happenings = _after_leaving(state, seq, at_ms, entry)
        case Filled():
            after, happenings = _with_bots(state, seq, entry.seats, entry.level)
        case Started():
            after, happenings = _after_start(state, seq, at_ms, entry)
        case Stirred():
            after, happenings = _after_stirring(state, entry)
        case AwaySet():
            seat = state.room.seat_of(entry.player)
            assert seat is not None
            chair = replace(state.room.chairs[seat], away=entry.on, misses=0)
            after = _with_room(_paid(state, seat, at_ms), _with_chairs(state.room, {seat: chair}))
            happenings = (WentAway(seat) if entry.on else CameBack(seat),)
        case Credited():
            after, seat = _with_credit(state, entry.ms, gifts=0)
            happenings = (TimeCredited(seat, entry.ms, entry.why),)
        case GaveTime():
            giver = state.room.seat_of(entry.player)
            assert giver is not None
            after, seat = _with_credit(state, entry.ms, gifts=1)
            happenings = (TimeGiven(seat, giver, entry.ms),)
        case HostPassed():
            after = _with_room(state, replace(state.room, host=entry.player))
            happenings = (HostChanged(after.room.host_seat),)
        case Closed():
            after = _with_room(state, replace(state.room, closed=True))
            happenings = (TableClosed(entry.why),)
        case Opened():
            raise ValueError(f"entry {seq} opens a table that is open")
        case _:
            assert_never(entry)
    ref = getattr(entry, "ref", 0)
    known = _remembering(state.known, after.room, seq, entry) if ref else state.known
    return TableState(seq, after.room, after.play, known), happenings


def _remembering(known: Mapping[str, Known], room: Room, seq: int, entry: Any) -> Mapping[str, Known]:
    mine = {**known.get(entry.player, {}), entry.ref: (entry, seq)}
    if len(mine) > _REFS_KEPT:
        del mine[next(iter(mine))]
    after = {**known, entry.player: mine}
    if len(after) > _PLAYERS_KEPT:
        del after[next(player for player in after if room.seat_of(player) is None)]
    return after


def _with_room(state: TableState, room: Room) -> TableState:
    return TableState(state.seq, room, state.play, state.known)


def _with_chairs(room: Room, changed: Mapping[Seat, Chair]) -> Room:
    chairs = [changed.get(seat, chair) for seat, chair in enumerate(room.chairs)]
    return replace(room, chairs=(chairs[0], chairs[1], chairs[2], chairs[3]))


def _moved(state: TableState, seq: int, at_ms: int, play: Play, game: Game) -> TableState:
    """Return the table whose game moved to *game*: a decision may be open from now on."""
    seat = to_act(game)
    decision = None if seat is None else Decision(seq, seat, at_ms)
    moved = Play(play.id, play.number, play.deals, game, decision, legal_actions(game), play.banks_ms, at_ms)
    return TableState(state.seq, state.room, moved, state.known)


def _after_act(state: TableState, seq: int, at_ms: int, entry: Acted) -> tuple[TableState, tuple[Happening, ...]]:
    play = state.play
    assert play is not None
    decision = play.decision
    assert decision is not None
    seat = decision.seat
    game: Game
    events: tuple[Happening, ...]
    game, events = apply(play.game, seat, parse_action(entry.action))
    if to_act(game) is None:
        # The hand is over: what it was dealt from is no secret any more.
        play, revealed = _reveal(play)
        events = (*events, *revealed)
    chair = state.room.chairs[seat]
    if chair.stand_in == "clock" and state.room.clock.turn_ms is not None:
        play = _with_bank(play, seat, clock.bank_after(state.room.clock, decision, play.banks_ms[seat], at_ms))
    after = _moved(state, seq, at_ms, play, game)
    if entry.why == "player":
        if not chair.away and not chair.misses:
            return after, events
        back = replace(chair, away=False, misses=0)
        came_back: tuple[Happening, ...] = (CameBack(seat),) if chair.away else ()
        return _with_room(after, _with_chairs(after.room, {seat: back})), (*came_back, *events)
    if entry.why == "bot":
        return after, events
    stood_in = StoodIn(seat, entry.why)
    if entry.why == "away":
        return after, (stood_in, *events)
    misses = chair.misses + 1
    away = misses >= _MISSES_BEFORE_AWAY
    missed = replace(chair, misses=misses, away=away)
    went: tuple[Happening, ...] = (WentAway(seat),) if away else ()
    return _with_room(after, _with_chairs(after.room, {seat: missed})), (stood_in, *events, *went)


def _with_bank(play: Play, seat: Seat, left_ms: int) -> Play:
    if left_ms == play.banks_ms[seat]:
        return play
    banks = [left_ms if at == seat else bank for at, bank in enumerate(play.banks_ms)]
    return replace(play, banks_ms=(banks[0], banks[1], banks[2], banks[3]))


def _paid(state: TableState, seat: Seat, at_ms: int) -> TableState:
    """Return *state* when the bank has paid for the open decision so far, if the person in *seat* was taking it.

    He gives it to a bot, whose time costs nothing: what he used himself would be forgotten.
    """
    play = state.play
    if play is None or play.decision is None or play.decision.seat != seat:
        return state
    if state.room.chairs[seat].stand_in != "clock" or state.room.clock.turn_ms is None:
        return state
    left_ms = clock.bank_after(state.room.clock, play.decision, play.banks_ms[seat], at_ms)
    paid_ms = play.banks_ms[seat] - left_ms
    decision = replace(play.decision, credit_ms=play.decision.credit_ms + paid_ms)
    return replace(state, play=replace(_with_bank(play, seat, left_ms), decision=decision))


def _with_credit(state: TableState, ms: int, *, gifts: int) -> tuple[TableState, Seat]:
    """Return *state* with so much more time for the open decision, and whose that is."""
    play = state.play
    assert play is not None
    decision = play.decision
    assert decision is not None
    credited = replace(decision, credit_ms=decision.credit_ms + ms, gifts=decision.gifts + gifts)
    return replace(state, play=replace(play, decision=credited)), decision.seat


def _after_deal(state: TableState, seq: int, at_ms: int, entry: DealtOut) -> tuple[TableState, tuple[Happening, ...]]:
    play = state.play
    assert play is not None
    game, events = deal(play.game, parse_cards(entry.deck), dealer=entry.dealer)
    deals = Deals(entry.secret, dealt=(play.deals.secret, play.deals.entropy))
    committed = DealCommitted(game.standing.hands_dealt + 1, fair.commitment(entry.secret))
    after = _moved(state, seq, at_ms, replace(play, deals=deals), game)
    chairs = state.room.chairs
    dealt_in = {seat: replace(chairs[seat], waits=False, level=None, since=seq) for seat in SEATS if chairs[seat].waits}
    if dealt_in:
        after = _with_room(after, _with_chairs(after.room, dealt_in))
    return after, (*events, committed)


def _reveal(play: Play) -> tuple[Play, tuple[Happening, ...]]:
    assert play.deals.dealt is not None
    secret, entropy = play.deals.dealt
    event = SecretRevealed(play.game.standing.hands_dealt, secret.hex(), entropy)
    return replace(play, deals=replace(play.deals, dealt=None)), (event,)


def _after_stirring(state: TableState, entry: Stirred) -> tuple[TableState, tuple[Happening, ...]]:
    seat, play = state.room.seat_of(entry.player), state.play
    assert seat is not None
    assert play is not None
    entropy = [entry.text if at == seat else text for at, text in enumerate(play.deals.entropy)]
    deals = replace(play.deals, entropy=(entropy[0], entropy[1], entropy[2], entropy[3]))
    after = TableState(state.seq, state.room, replace(play, deals=deals), state.known)
    return after, (EntropyAdded(seat, entry.text),)


def _after_start(state: TableState, seq: int, at_ms: int, entry: Started) -> tuple[TableState, tuple[Happening, ...]]:
    open_seats = tuple(seat for seat in SEATS if state.room.chairs[seat].kind == "open")
    filled, seated = _with_bots(state, seq, open_seats, state.room.opened.bots)
    bank = state.room.clock.bank_ms or 0
    number = 1 if state.play is None else state.play.number + 1
    play = Play(entry.game, number, Deals(entry.secret), new_game(state.room.rules), None, (), (bank,) * 4, at_ms)
    committed = DealCommitted(1, fair.commitment(entry.secret))
    return TableState(state.seq, filled.room, play, state.known), (*seated, GameStarted(), committed)


def _with_bots(
    state: TableState, seq: int, seats: tuple[Seat, ...], level: str
) -> tuple[TableState, tuple[Happening, ...]]:
    names = {seat: told_apart(_BOT_NAMES[seat], state.room.names_beside(seat)) for seat in seats}
    chairs = {seat: Chair("bot", None, names[seat], level, since=seq) for seat in seats}
    happenings = tuple(Seated(seat, "bot", names[seat], level) for seat in seats)
    return _with_room(state, _with_chairs(state.room, chairs)), happenings


def _after_sitting(state: TableState, seq: int, entry: SatDown) -> tuple[TableState, tuple[Happening, ...]]:
    chair = _chair_of(entry, seq)
    if state.is_in_hand:
        chair = replace(chair, level=state.room.chairs[entry.seat].level, waits=True)
    room = _with_chairs(state.room, {entry.seat: chair})
    happenings: tuple[Happening, ...] = (_seated(entry.seat, entry),)
    if room.host is None:
        room = replace(room, host=entry.player)
        happenings = (*happenings, HostChanged(entry.seat))
    return _with_room(state, room), happenings


def _after_leaving(state: TableState, seq: int, at_ms: int, entry: StoodUp) -> tuple[TableState, tuple[Happening, ...]]:
    seat = state.room.seat_of(entry.player)
    assert seat is not None
    state = _paid(state, seat, at_ms)
    happenings: tuple[Happening, ...]
    if state.is_playing:
        left, happenings = _with_bots(state, seq, (seat,), state.room.opened.bots)
    else:
        left, happenings = _with_room(state, _with_chairs(state.room, {seat: Chair()})), (Unseated(seat),)
    room = left.room
    if room.host == entry.player:
        people = [after for after in clockwise_from(seat) if room.chairs[after].kind == "human"]
        room = replace(room, host=room.chairs[people[0]].player if people else None)
        happenings = (*happenings, HostChanged(room.host_seat))
    return _with_room(left, room), happenings
