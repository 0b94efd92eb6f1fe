"""A table, pure: which entry a command becomes, and what the table is after an entry.

``decide(state, command, time) -> entry | refusal`` and ``evolve(state, stored entry) -> state, events``: no I/O, no
clock, no randomness. Times come in as the log's stamps, secrets and ids from the caller. server/actor.py performs it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, assert_never

from engine import fair
from engine.actions import Action, parse_action
from engine.cards import SEATS, Seat, clockwise_from, make_pack, parse_cards
from engine.errors import WHY, Code
from engine.events import Event, SecretRevealed
from engine.game import apply, deal, legal_actions, new_game, to_act, why_illegal
from engine.rules import Rules, rules_from_plain
from engine.state import AwaitingDeal, Finished, Game
from engine.view import WATCHER, Viewer
from protocol.codes import RefusalCode
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
    Unseated,
    WentAway,
)
from server import clock
from server.clock import Clock, Decision
from server.entries import (
    Acted,
    AwaySet,
    Closed,
    Credited,
    DealtOut,
    Entry,
    Filled,
    HostPassed,
    Opened,
    SatDown,
    Started,
    Stirred,
    StoodUp,
)

Happening: TypeAlias = Event | TableEvent
SeatKind: TypeAlias = Literal["open", "human", "bot"]
StandIn: TypeAlias = Literal["bot", "away", "clock"]
_REFS_KEPT: Final = 32
"""How many of a player's latest commands a table knows again. Older ones are stale by their turn, or done long ago."""
_PLAYERS_KEPT: Final = 32
"""Of how many players a table knows commands again: beyond that it forgets who came first and sits here no more."""
_MISSES_BEFORE_AWAY: Final = 2
"""Decisions in a row a person lets run out before a bot plays on until he is back."""
_LEAST_CREDIT_MS: Final = 500
"""Time given back that is less is none: nodes that saw the same outage differ by as much."""
REF_REUSED: Final = "this ref was used for another command at this table; count refs up from welcome.next_ref"
LEVELS: Final = ("easy", "standard", "hard", "expert")
"""Levels of the house's bots, weakest first."""
_BOT_NAMES: Final = ("Ada", "Basil", "Clara", "Dexter")
"""What the house's bots are called, by seat."""


# ── the state ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Chair:
    """One seat: ``player`` is a person's id, ``level`` a bot's. ``since`` is the entry from which on it is his.

    ``waits`` is a person who sat down in mid-hand: the bot that was there, of ``level``, plays the hand to its end and
    he sees and plays the next. ``misses`` counts decisions in a row that ran out of time. A
    player who ``is_program`` is an external bot: at the table like a person, and shown to everybody as a bot, with its
    ``version`` and its ``owner``'s name where there are any.
    """

    kind: SeatKind = "open"
    player: str | None = None
    name: str | None = None
    level: str | None = None
    away: bool = False
    since: int = 0
    misses: int = 0
    waits: bool = False
    is_program: bool = False
    version: str | None = None
    owner: str | None = None

    @property
    def stand_in(self) -> StandIn:
        """Who decides for the seat: the bot in it, one for a person who is away, or one when the clock is over."""
        return "bot" if self.kind == "bot" or self.waits else "away" if self.away else "clock"

    @property
    def shown_kind(self) -> SeatKind:
        """What everybody is told sits here: an external bot is a bot, one without a level."""
        return "bot" if self.is_program else self.kind


@dataclass(frozen=True, slots=True)
class Room:
    """The table beside its game. ``host`` is a player's id, None when no person sits here any more."""

    opened: Opened
    rules: Rules
    clock: Clock
    chairs: tuple[Chair, Chair, Chair, Chair]
    host: str | None
    closed: bool = False

    def seat_of(self, player: str) -> Seat | None:
        """Return where *player* sits, None if nowhere here."""
        for seat, chair in enumerate(self.chairs):
            if chair.player == player:
                return seat
        return None

    @property
    def host_seat(self) -> Seat | None:
        """Where the host sits."""
        return None if self.host is None else self.seat_of(self.host)


Entropy: TypeAlias = tuple[str, str, str, str]
_NO_ENTROPY: Final[Entropy] = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class Deals:
    """What hands are dealt from: the next one's ``secret`` and the seats' entropy so far (the fair deal).

    ``dealt`` is the same of the hand in play, to be revealed when it is over; None between hands.
    """

    secret: bytes
    entropy: Entropy = _NO_ENTROPY
    dealt: tuple[bytes, Entropy] | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """The game at the table, the latest if one is over; ``number`` counts this table's games from 1.

    ``legal`` are the actions of the open decision, none where there is none. ``since_ms`` stamps the entry the game was
    last moved by.
    """

    id: str
    number: int
    deals: Deals
    game: Game
    decision: Decision | None
    legal: tuple[Action, ...]
    banks_ms: tuple[int, int, int, int]
    since_ms: int


Known: TypeAlias = Mapping[int, tuple[Entry, int]]
"""Commands of a player that are in the log, by ref, the latest last: the entry each became, and its number."""


@dataclass(frozen=True, slots=True)
class TableState:
    """A table after entry ``seq``. ``known`` has each player's latest commands."""

    seq: int
    room: Room
    play: Play | None = None
    known: Mapping[str, Known] = field(default_factory=dict)

    @property
    def is_playing(self) -> bool:
        """Tell whether a game is on."""
        return self.play is not None and not isinstance(self.play.game.stage, Finished)

    @property
    def awaits_deal(self) -> bool:
        """Tell whether a game waits for the next deal."""
        return self.play is not None and isinstance(self.play.game.stage, AwaitingDeal)

    @property
    def is_in_hand(self) -> bool:
        """Tell whether a hand is dealt and not over."""
        return self.play is not None and not isinstance(self.play.game.stage, AwaitingDeal | Finished)

    @property
    def is_botted(self) -> bool:
        """Tell whether a bot takes the open decision: its own seat's, or for a person who is away."""
        decision = None if self.play is None else self.play.decision
        return decision is not None and self.room.chairs[decision.seat].stand_in != "clock"


def viewer_of(state: TableState, player: str) -> Viewer:
    """Return as whom *player* sees the table: his seat, or a watcher until the deal he sits down for."""
    seat = state.room.seat_of(player)
    return WATCHER if seat is None or state.room.chairs[seat].waits else seat


# ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class SitDown:
    player: str
    name: str
    seat: Seat | None
    ref: int
    is_bot: bool = False
    version: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class StandUp:
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class FillSeats:
    player: str
    seat: Seat | None
    level: str | None
    ref: int


@dataclass(frozen=True, slots=True)
class StartGame:
    """``game`` is a fresh id for the game, ``secret`` a fresh secret for its first deal."""

    player: str
    game: str
    secret: bytes
    ref: int


@dataclass(frozen=True, slots=True)
class Act:
    """``action`` is a Code where it could not be read: it is refused where an illegal one would be."""

    player: str
    turn: int
    action: Action | Code
    ref: int


@dataclass(frozen=True, slots=True)
class SetAway:
    """``why`` is ``asked`` with the person's ref, or ``returned`` with ref 0 when a lost person is back."""

    player: str
    on: bool
    ref: int
    why: str = "asked"


@dataclass(frozen=True, slots=True)
class ActFor:
    """A bot's choice for decision ``turn``; ``why`` as in the entry Acted."""

    turn: int
    action: Action
    why: str


@dataclass(frozen=True, slots=True)
class DealHand:
    """Deal hand number ``hand``; ``secret`` is a fresh one for the hand after it."""

    hand: int
    secret: bytes


@dataclass(frozen=True, slots=True)
class Stir:
    """Add ``text`` to what the next hand is dealt from."""

    player: str
    text: str
    ref: int


@dataclass(frozen=True, slots=True)
class Credit:
    """Let the own time of decision ``turn`` end at ``end_ms``, if it would sooner. Said twice, it is done once."""

    turn: int
    end_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class PassHost:
    """Make ``to`` the host in place of ``gone``, who is not connected any more."""

    gone: str
    to: str


@dataclass(frozen=True, slots=True)
class Close:
    """``only_deserted``: not if somebody sits here by the time it is decided."""

    why: str
    only_deserted: bool = False


Asked: TypeAlias = SitDown | StandUp | FillSeats | StartGame | Act | SetAway | Stir
"""What players ask for; the rest is the server's own."""
Command: TypeAlias = Asked | ActFor | DealHand | Credit | PassHost | Close


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command is not taken. ``code`` is a RefusalCode or an engine Code, as the wire spells it.

    ``retry_ms`` is when to try again, where that helps and is not the usual.
    """

    code: str
    detail: str
    retry_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The command is in the log already, as entry ``seq``: answer it again, do nothing."""

    seq: int


def _refuse(code: RefusalCode, detail: str) -> Refusal:
    return Refusal(str(code), detail)


# ── deciding ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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
    if command.seat is not None:
        if kinds[command.seat] == "human":
            return _refuse(RefusalCode.SEAT_TAKEN, "somebody sits there")
        return _seated_at(command.seat, command)
    free = [seat for wanted in ("open", "bot") for seat in SEATS if kinds[seat] == wanted]
    if not free:
        return _refuse(RefusalCode.TABLE_FULL, "four people sit at this table")
    return _seated_at(free[0], command)


def _seated_at(seat: Seat, command: SitDown) -> SatDown:
    return SatDown(seat, command.player, command.name, command.ref, command.is_bot, command.version, command.owner)


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


# ── evolving ─────────────────────────────────────────────────────────────────────────────────────────────────────────


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
            play = state.play
            assert play is not None
            assert play.decision is not None
            credited = replace(play.decision, credit_ms=play.decision.credit_ms + entry.ms)
            after = replace(state, play=replace(play, decision=credited))
            happenings = (TimeCredited(credited.seat, entry.ms, entry.why),)
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
    chairs = {seat: Chair("bot", None, _BOT_NAMES[seat], level, since=seq) for seat in seats}
    happenings = tuple(Seated(seat, "bot", _BOT_NAMES[seat], level) for seat in seats)
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
