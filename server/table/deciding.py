"""Which entry a command becomes, or why it becomes none."""

from __future__ import annotations

from typing import Final

from engine import fair
from engine.actions import Action
from engine.cards import SEATS, Seat, make_pack
from engine.errors import WHY, Code
from engine.game import why_illegal
from engine.state import AwaitingDeal, Finished, Game
from protocol.codes import RefusalCode
from protocol.names import told_apart
from server import clock
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
    SatDown,
    Started,
    Stirred,
    StoodUp,
)
from server.table.commands import (
    Act,
    ActFor,
    Asked,
    Close,
    Command,
    Credit,
    DealHand,
    FillSeats,
    GiveTime,
    PassHost,
    Refusal,
    Repeated,
    SetAway,
    SitDown,
    StandUp,
    StartGame,
    Stir,
)
from server.table.state import LEVELS, Room, TableState

_LEAST_CREDIT_MS: Final = 500
"""Time given back that is less is none: nodes that saw the same outage differ by as much."""
REF_REUSED: Final = "this ref was used for another command at this table; count refs up from welcome.next_ref"


def decide(state: TableState, command: Command, now_ms: int) -> Entry | Refusal | Repeated:
    """Return the entry *command* becomes, why it is refused, or which entry it was already.

    *now_ms* is the time on the log's clock: a decision whose time is over belongs to the bot that stands in.
    """
    if isinstance(command, Asked):
        known = _known(state, command)
        if known is not None:
            return known
    if state.room.closed:
        return _refuse(RefusalCode.TABLE_CLOSED, "this table is closed")
    match command:
        case Act():
            return _decide_act(state, command, now_ms)
        case ActFor():
            return _decide_act_for(state, command, now_ms)
        case DealHand():
            return _decide_deal(state, command)
        case SitDown():
            return _decide_sit_down(state, command)
        case StandUp():
            if state.room.seat_of(command.player) is None:
                return _not_seated()
            return StoodUp(command.player, command.ref)
        case FillSeats():
            return _decide_fill(state, command)
        case StartGame():
            if state.room.host != command.player:
                return _not_host()
            if state.is_playing:
                return _refuse(RefusalCode.ALREADY_PLAYING, "a game is on at this table")
            return _started(state, command)
        case SetAway():
            return _decide_away(state, command)
        case Stir():
            if state.room.seat_of(command.player) is None:
                return _not_seated()
            if not state.is_playing:
                return _refuse(RefusalCode.NOT_PLAYING, "no game is on at this table")
            return Stirred(command.text, command.player, command.ref)
        case GiveTime():
            return _decide_gift(state, command, now_ms)
        case Credit():
            play = state.play
            if play is None or play.decision is None or play.decision.turn != command.turn:
                return _refuse(RefusalCode.STALE, "that decision was taken")
            end_ms = clock.own_end_ms(state.room.clock, play.decision)
            if state.is_botted or end_ms is None or command.end_ms - end_ms < _LEAST_CREDIT_MS:
                return _refuse(RefusalCode.NOTHING_TO_DO, "there is as much time")
            return Credited(command.end_ms - end_ms, command.why)
        case PassHost():
            if state.is_playing or state.room.host != command.gone or state.room.seat_of(command.to) is None:
                return _refuse(RefusalCode.STALE, "the host need not be another")
            return HostPassed(command.to)
        case Close():
            if command.only_deserted and state.room.host is not None:
                return _refuse(RefusalCode.STALE, "somebody sits here again")
            return Closed(command.why)


def _known(state: TableState, command: Asked) -> Repeated | Refusal | None:
    known = state.known.get(command.player, {}).get(command.ref)
    if known is None:
        return None
    entry, seq = known
    if _became(command, entry, state.room):
        return Repeated(seq)
    return _refuse(RefusalCode.REF_REUSED, REF_REUSED)


def _became(command: Asked, entry: Entry, room: Room) -> bool:
    """Tell whether *entry* is what *command* became, and not another command with the same ref.

    A seat or level that is not named is as good as the one that was got.
    """
    match command, entry:
        case Act(), Acted():
            return (command.turn, str(command.action)) == (entry.turn, entry.action)
        case SitDown(), SatDown():
            return command.seat in (None, entry.seat)
        case FillSeats(), Filled():
            is_seat = command.seat is None or (command.seat,) == entry.seats
            return is_seat and (command.level or room.opened.bots) == entry.level
        case SetAway(), AwaySet():
            return command.on == entry.on
        case Stir(), Stirred():
            return command.text == entry.text
        case GiveTime(), GaveTime():
            return command.turn == entry.turn
        case (StandUp(), StoodUp()) | (StartGame(), Started()):
            return True
        case _:
            return False


def _not_seated() -> Refusal:
    return _refuse(RefusalCode.NOT_SEATED, "you do not sit at this table")


def _not_host() -> Refusal:
    return _refuse(RefusalCode.NOT_HOST, "only the table's host can do that")


def _decide_act(state: TableState, command: Act, now_ms: int) -> Entry | Refusal:
    seat = state.room.seat_of(command.player)
    if seat is None:
        return _not_seated()
    play = state.play
    if play is None:
        return _refuse(RefusalCode.NOT_PLAYING, "no game is on at this table")
    decision = play.decision
    if decision is None or decision.turn != command.turn:
        if isinstance(play.game.stage, Finished):
            return _illegal(play.game, seat, Code.GAME_OVER)
        return _refuse(RefusalCode.STALE, "that decision is not open any more")
    if state.room.chairs[seat].waits:
        return _refuse(RefusalCode.NOT_PLAYING, "you play from the next hand on")
    if seat != decision.seat:
        return _illegal(play.game, seat, Code.NOT_YOUR_TURN if isinstance(command.action, Code) else command.action)
    if clock.is_over(state.room.clock, decision, play.banks_ms[seat], now_ms):
        return _refuse(RefusalCode.STALE, "time ran out for that decision")
    if command.action not in play.legal:
        return _illegal(play.game, seat, command.action)
    return Acted(command.turn, str(command.action), command.player, command.ref, "player")


def _illegal(game: Game, seat: Seat, action: Action | Code) -> Refusal:
    code = action if isinstance(action, Code) else why_illegal(game, seat, action)
    return Refusal(str(code), WHY[code])


def _decide_act_for(state: TableState, command: ActFor, now_ms: int) -> Entry | Refusal:
    play = state.play
    if play is None or play.decision is None or play.decision.turn != command.turn:
        return _refuse(RefusalCode.STALE, "that decision was taken")
    # A bot thought, or a timer waited, for as long as it took: who decides may have changed since, or the time left.
    who = state.room.chairs[play.decision.seat].stand_in
    if command.why != who:
        return _refuse(RefusalCode.STALE, "another decides by now")
    bank_ms = play.banks_ms[play.decision.seat]
    if who == "clock" and not clock.is_over(state.room.clock, play.decision, bank_ms, now_ms):
        return _refuse(RefusalCode.STALE, "there is time left")
    if command.action not in play.legal:
        return _illegal(play.game, play.decision.seat, command.action)
    return Acted(command.turn, str(command.action), "", 0, command.why)


def _decide_deal(state: TableState, command: DealHand) -> Entry | Refusal:
    play = state.play
    if play is None or not isinstance(play.game.stage, AwaitingDeal):
        return _refuse(RefusalCode.STALE, "no hand is to be dealt")
    if command.hand != play.game.standing.hands_dealt + 1:
        return _refuse(RefusalCode.STALE, "that hand was dealt")
    rules, deals = state.room.rules, play.deals
    deck = fair.shuffle(
        make_pack(rules.low_rank, rules.jokers),
        secret=deals.secret,
        game=play.id,
        hand=command.hand,
        entropies=deals.entropy,
    )
    due = play.game.stage.dealer
    dealer = fair.first_dealer(secret=deals.secret, game=play.id) if due is None else due
    return DealtOut(dealer, "".join(deck), _secret(state, command.secret, game=play.number, hand=command.hand + 1))


def _started(state: TableState, command: StartGame) -> Started:
    number = 1 if state.play is None else state.play.number + 1
    seed = state.room.opened.seed
    # A table with a seed says so in its games' names, and deals from the seed alone.
    game = command.game if seed is None else f"seed-{seed}-{number}"
    return Started(game, _secret(state, command.secret, game=number, hand=1), command.player, command.ref)


def _secret(state: TableState, fresh: bytes, *, game: int, hand: int) -> bytes:
    seed = state.room.opened.seed
    return fresh if seed is None else fair.seeded_secret(seed, game=game, hand=hand)


def _decide_sit_down(state: TableState, command: SitDown) -> Entry | Refusal:
    room = state.room
    if room.seat_of(command.player) is not None:
        return _refuse(RefusalCode.ALREADY_SEATED, "you sit at this table")
    kinds = [chair.kind for chair in room.chairs]
    seats = SEATS if command.seat is None else (command.seat,)
    free = [seat for wanted in ("open", "bot") for seat in seats if kinds[seat] == wanted]
    if not free and command.seat is not None:
        return _refuse(RefusalCode.SEAT_TAKEN, "somebody sits there")
    if not free:
        return _refuse(RefusalCode.TABLE_FULL, "four people sit at this table")
    if kinds[free[0]] == "bot" and room.opened.bots_stay:
        return _refuse(RefusalCode.BOTS_STAY, "at this table bots keep their seats")
    return _seated_at(room, free[0], command)


def _seated_at(room: Room, seat: Seat, command: SitDown) -> SatDown:
    name = told_apart(command.name, room.names_beside(seat))
    return SatDown(seat, command.player, name, command.ref, command.is_bot, command.version, command.owner)


def _decide_fill(state: TableState, command: FillSeats) -> Entry | Refusal:
    room = state.room
    if room.host != command.player:
        return _not_host()
    level = command.level or room.opened.bots
    if level not in LEVELS:
        return _refuse(RefusalCode.UNKNOWN_LEVEL, f"bots play at these levels: {', '.join(LEVELS)}")
    if command.seat is not None:
        if room.chairs[command.seat].kind == "human":
            return _refuse(RefusalCode.SEAT_TAKEN, "somebody sits there")
        return Filled((command.seat,), level, command.player, command.ref)
    seats = tuple(seat for seat in SEATS if room.chairs[seat].kind == "open")
    if not seats:
        return _refuse(RefusalCode.NOTHING_TO_DO, "no seat is open")
    return Filled(seats, level, command.player, command.ref)


def _decide_away(state: TableState, command: SetAway) -> Entry | Refusal:
    seat = state.room.seat_of(command.player)
    if seat is None:
        return _not_seated()
    if state.room.chairs[seat].away == command.on:
        detail = "a bot plays for you already" if command.on else "you play for yourself already"
        return _refuse(RefusalCode.NOTHING_TO_DO, detail)
    return AwaySet(command.player, command.on, command.why, command.ref)


def _decide_gift(state: TableState, command: GiveTime, now_ms: int) -> Entry | Refusal:
    seat, play = state.room.seat_of(command.player), state.play
    if seat is None:
        return _not_seated()
    if state.room.chairs[seat].is_program:
        return _refuse(RefusalCode.NOT_FOR_BOTS, "people give one another time")
    if play is None or not state.is_playing:
        return _refuse(RefusalCode.NOT_PLAYING, "no game is on at this table")
    decision = play.decision
    if decision is None or decision.turn != command.turn:
        return _refuse(RefusalCode.STALE, "that decision is not open any more")
    if decision.seat == seat:
        return _refuse(RefusalCode.OWN_CLOCK, "only the others can give you time")
    if not state.has_thinker:
        return _refuse(RefusalCode.NO_CLOCK, "nobody's clock runs for that decision")
    if clock.is_over(state.room.clock, decision, play.banks_ms[decision.seat], now_ms):
        return _refuse(RefusalCode.STALE, "time ran out for that decision")
    if state.gift_ms is None:
        return _refuse(RefusalCode.ENOUGH_TIME, f"{clock.MOST_GIFTS} times is the most for one decision")
    return GaveTime(command.turn, state.gift_ms, command.player, command.ref)


def _refuse(code: RefusalCode, detail: str) -> Refusal:
    return Refusal(str(code), detail)
