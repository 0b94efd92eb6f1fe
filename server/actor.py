"""The actor of one table: it performs what server/table.py decides, one command at a time, in order.

Recorded before told: a command becomes an entry, the entry is appended, and only then is it folded, sent out and
acknowledged. The actor waits for its inbox and the log, never for a socket or a bot: those put commands in the inbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import random
import secrets
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import structlog

from engine import fair
from engine.actions import Action
from engine.events import TrickWon
from engine.view import WATCHER, Viewer
from protocol import outgoing
from protocol.codes import RefusalCode, SayPreset
from protocol.outgoing import ListedTable
from server import clock
from server.archivist import Archivist
from server.entries import Closed, Opened, SatDown, StoodUp, pack_entry, unpack_entry
from server.log import ConflictError, Log, LogUnavailableError, Stored
from server.logs import place_of
from server.outlet import Outlet
from server.records import finished_games
from server.table import (
    ActFor,
    Close,
    Command,
    Credit,
    DealHand,
    Happening,
    Refusal,
    Repeated,
    SetAway,
    TableState,
    decide,
    evolve,
    opened_table,
)
from server.telling import (
    Bulletin,
    is_botted,
    listed_table,
    plain_happenings,
    prompt_message,
    view_message,
)
from server.workers import WorkerPool, rule_of_thumb

Answer: TypeAlias = Callable[[int | Refusal], None]
"""Told once per command: the number of its entry, or why there is none."""

_HISTORY: Final = 256
"""Entries whose events are kept for those who come back; whoever missed more gets a view."""
_RESUME_LIMIT: Final = 64
_SLEEP_AFTER_S: Final = 60.0
"""A table nobody is connected to goes on this long; then it waits for somebody."""
_RETRY_S: Final = 1.0

_BOT_DELAY_S: Final = (0.5, 1.0)
_AFTER_TRICK_S: Final = 1.2
_AFTER_HAND_S: Final = 5.0
_FIRST_DEAL_S: Final = 0.6

_log = structlog.get_logger("server.table")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a table needs of its server. ``pace`` scales the pauses that let people follow; 0 has none.

    ``moved`` is called after people sat down or left and when the table closed.
    """

    log: Log
    archivist: Archivist
    workers: WorkerPool
    pace: float
    moved: Callable[[TableActor], None]


class NotFinishedError(Exception):
    """No such game was finished at the table."""


@dataclass(eq=False, slots=True)
class Subscriber:
    """Who is told: a player's outlet, as whom he sees the table, and the last entry he was told of.

    ``is_behind``: a watcher did not get what happened, because he has yet to take what he was sent before.
    """

    player: str
    outlet: Outlet
    viewer: Viewer
    told: int = 0
    is_behind: bool = False


class TableActor:
    """One table, replica and performer. Made by `open_table` or `load_table`."""

    def __init__(
        self, id_: str, state: TableState, history: deque[tuple[int, tuple[Happening, ...]]], around: Surroundings
    ) -> None:
        self.id = id_
        self.state = state
        self._history = history
        self._around = around
        self._inbox: asyncio.Queue[tuple[Command, Answer | None, int]] = asyncio.Queue()
        self._subscribers: dict[str, Subscriber] = {}
        self._due_timer: asyncio.TimerHandle | None = None
        self._due: asyncio.Task[None] | None = None
        self._due_key: object = None
        self._after_trick = False
        self._is_asleep = False
        self.is_open = not state.room.closed
        self._loop = asyncio.get_running_loop()
        self.idle_since = self._loop.time()
        self._task = self._loop.create_task(self._run(), name=f"table {id_}")

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────────────────────

    def submit(self, command: Command, answer: Answer | None = None) -> None:
        """Queue *command*; *answer* is told what became of it. Whether it is in time is decided as of now."""
        self._inbox.put_nowait((command, answer, self._around.log.now_ms()))

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody is connected to the table."""
        return not self._subscribers

    def attach(self, player: str, outlet: Outlet, *, cursor: int | None) -> None:
        """Tell *outlet* of this table from now on, as the player's seat if he has one, else as a watcher.

        It first gets what it missed since entry *cursor*, or a view where that is None or too long ago; never both.
        """
        seat = self.state.room.seat_of(player)
        viewer: Viewer = WATCHER if seat is None else seat
        before = self._subscribers.get(player)
        self._subscribers[player] = subscriber = Subscriber(player, outlet, viewer)
        self._catch_up(subscriber, cursor)
        if seat is not None:
            if before is None:
                self._tell_presence(seat, except_for=player, online=True)
            if self.state.room.chairs[seat].away:
                self.submit(SetAway(player, on=False, ref=0, why="returned"))
        if self._is_asleep:
            self._is_asleep = False
            self._credit_outage("nobody was here")
            self._look()

    def detach(self, player: str, outlet: Outlet) -> None:
        """Tell *outlet* no more; nothing happens if the player has another by now."""
        subscriber = self._subscribers.get(player)
        if subscriber is None or subscriber.outlet is not outlet:
            return
        self._forget(player)
        if subscriber.viewer != WATCHER:
            self._tell_presence(subscriber.viewer, except_for=player, online=False)

    def _forget(self, player: str) -> None:
        if self._subscribers.pop(player, None) is not None and not self._subscribers:
            self.idle_since = self._loop.time()

    def sync(self, player: str, cursor: int) -> None:
        """Send the player what came after entry *cursor*, and the prompt."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None:
            self._catch_up(subscriber, cursor)

    def show(self, player: str) -> None:
        """Send the player a fresh view and the prompt."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None:
            subscriber.is_behind = False
            self._send_view(subscriber)
            self._send_prompt(subscriber)

    def catch_up(self, player: str, outlet: Outlet) -> None:
        """Show a watcher the table as it is now, if something was left out while *outlet* was behind."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None and subscriber.outlet is outlet and subscriber.is_behind:
            self.show(player)

    def is_attached(self, player: str) -> bool:
        return player in self._subscribers

    def chat(self, player: str, name: str, *, text: str | None, preset: SayPreset | None) -> None:
        """Pass on what a player or watcher said."""
        message = outgoing.chat(self.id, self.state.room.seat_of(player), name, text=text, preset=preset)
        for subscriber in self._subscribers.values():
            if not _is_left_out(subscriber):
                self._send(subscriber, message)

    def listed(self, *, changed: list[str]) -> ListedTable:
        """Return the table as the lobby lists it."""
        return listed_table(self.id, self.state, changed=changed, watchers=self._watchers())

    async def record(self, game: str | None) -> tuple[str, list[str]]:
        """Return the name and the record of a finished game at this table, the latest where *game* is None.

        Raises NotFinishedError where there is none.
        """
        finished = await finished_games(await self._around.log.read(self.id, after=0))
        wanted = [one for one in finished if game in (None, one.game)]
        if not wanted:
            raise NotFinishedError
        return wanted[-1].game, wanted[-1].lines

    async def stop(self) -> None:
        """Stop performing; the log has everything."""
        tasks = [task for task in (self._task, self._due) if task is not None]
        self._forget_due()
        self._task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # ── performing ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def _run(self) -> None:
        self._credit_outage("the server was away")
        play = self.state.play
        if play is not None and (play.number > 1 or not self.state.is_playing):
            self._around.archivist.note(self.id)  # in case the server ended before it was done
        self._look()
        while not self.state.room.closed:
            command, answer, arrived_ms = await self._inbox.get()
            try:
                await self._perform(command, answer, arrived_ms)
            except Exception as error:  # noqa: BLE001  # see below
                # We broke. Nobody can say what the replica is worth now: start over from the log, which has all that
                # was acknowledged. If even that fails the table stops here, alone, its log kept.
                _log.error("table_failed", table=self.id, error=type(error).__name__, at=place_of(error))
                if answer is not None:
                    answer(_unavailable())
                if not await self._recover():
                    return
        await self._wind_up()

    async def _perform(self, command: Command, answer: Answer | None, arrived_ms: int) -> None:
        around = self._around
        while True:
            entry = decide(self.state, command, arrived_ms)
            if isinstance(entry, Refusal):
                if answer is not None:
                    answer(entry)
                else:
                    self._look()
                return
            if isinstance(entry, Repeated):
                if answer is not None:
                    answer(entry.seq)
                return
            seq = self.state.seq + 1
            try:
                at_ms = await around.log.append(self.id, seq, pack_entry(entry))
            except ConflictError:
                await self._rebuild()
                continue
            except LogUnavailableError:
                if answer is not None:
                    answer(_unavailable())
                self._forget_due()
                self._loop.call_later(_RETRY_S, self._look)
                return
            break
        was_playing = self.state.is_playing
        self.state, happenings = evolve(self.state, seq, at_ms, entry)
        if was_playing and not self.state.is_playing:
            around.archivist.note(self.id)
        self._history.append((seq, happenings))
        if answer is not None:
            answer(seq)
        self._publish(happenings, at_ms)
        if isinstance(entry, SatDown | StoodUp | Closed):
            self.is_open = not self.state.room.closed
            self._after_move(entry)
        self._look()

    def _after_move(self, entry: SatDown | StoodUp | Closed) -> None:
        if isinstance(entry, StoodUp):
            self._forget(entry.player)
            if self.state.room.host is None:
                self.submit(Close("everybody left", only_deserted=True))
        self._around.moved(self)

    async def _rebuild(self) -> None:
        loaded = _fold(await self._around.log.read(self.id, after=0))
        if loaded is None:
            raise RuntimeError(f"the log of table {self.id} is gone")
        self.state, self._history = loaded
        for player, subscriber in self._subscribers.items():
            seat = self.state.room.seat_of(player)
            subscriber.viewer = WATCHER if seat is None else seat
            self.show(player)
        self._forget_due()
        self._look()

    async def _recover(self) -> bool:
        """Start over from the log; False where even that fails, and the table is given up, its log kept."""
        try:
            await self._rebuild()
        except Exception as error:  # noqa: BLE001  # this table stops, and it alone
            _log.error("table_stopped", table=self.id, error=type(error).__name__, at=place_of(error))
            self._forget_due()
            self.is_open = False
            self._around.moved(self)
            while not self._inbox.empty():
                _, answer, _ = self._inbox.get_nowait()
                if answer is not None:
                    answer(_unavailable())
            self._broadcast(outgoing.notice("table_closed", "this table failed; its record is kept", table=self.id))
            return False
        return True

    async def _wind_up(self) -> None:
        self._forget_due()
        while not self._inbox.empty():
            command, answer, arrived_ms = self._inbox.get_nowait()
            outcome = decide(self.state, command, arrived_ms)
            if answer is not None and isinstance(outcome, Refusal | Repeated):
                answer(outcome.seq if isinstance(outcome, Repeated) else outcome)
        self._broadcast(outgoing.notice("table_closed", "this table is closed", table=self.id))
        await self._around.archivist.archived(self.id)
        with contextlib.suppress(LogUnavailableError):
            await self._around.log.retire(self.id)

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _publish(self, happenings: tuple[Happening, ...], at_ms: int) -> None:
        """Send everyone his share of the latest entry, then the prompt."""
        seq = self.state.seq
        bulletin = Bulletin(self.id, self.state, happenings, now_ms=at_ms)
        for subscriber in self._subscribers.values():
            if subscriber.told < seq:  # else he was shown the table as it is now a moment ago
                subscriber.told = seq
                if _is_left_out(subscriber):
                    continue
                subscriber.outlet.send(*bulletin.parts_for(subscriber.outlet.codec, subscriber.viewer))
        self._after_trick = any(isinstance(happening, TrickWon) for happening in happenings)

    def _catch_up(self, subscriber: Subscriber, cursor: int | None) -> None:
        if cursor is None or not self._can_resume(subscriber, cursor):
            self._send_view(subscriber)
        else:
            rules = self.state.room.rules
            for seq, happenings in self._history:
                if seq > cursor:
                    plain = plain_happenings(happenings, subscriber.viewer, rules)
                    self._send(subscriber, outgoing.event(self.id, seq, plain))
            subscriber.told = self.state.seq
            self._send_presences(subscriber)
        self._send_prompt(subscriber)

    def _send_presences(self, subscriber: Subscriber) -> None:
        """Send who is connected, which no entry tells and a subscriber who was away cannot know."""
        for seat, chair in enumerate(self.state.room.chairs):
            if chair.player is not None and chair.player != subscriber.player:
                self._send(subscriber, outgoing.presence(self.id, seat, online=chair.player in self._subscribers))

    def _can_resume(self, subscriber: Subscriber, cursor: int) -> bool:
        seq = self.state.seq
        first = self._history[0][0] if self._history else seq + 1
        if not max(first - 1, seq - _RESUME_LIMIT, 1) <= cursor <= seq:
            return False
        # Events from before the viewer sat down were another viewer's.
        return subscriber.viewer == WATCHER or self.state.room.chairs[subscriber.viewer].since <= cursor

    def _send_view(self, subscriber: Subscriber) -> None:
        message = view_message(
            self.id, self.state, subscriber.viewer, online=self._subscribers.keys(), watchers=self._watchers()
        )
        self._send(subscriber, message)
        subscriber.told = self.state.seq

    def _send_prompt(self, subscriber: Subscriber) -> None:
        play = self.state.play
        to_actor = play is not None and play.decision is not None and play.decision.seat == subscriber.viewer
        message = prompt_message(self.id, self.state, to_actor=to_actor, now_ms=self._around.log.now_ms())
        if message is not None:
            self._send(subscriber, message)

    def _send(self, subscriber: Subscriber, message: outgoing.ServerMessage) -> None:
        subscriber.outlet.send(subscriber.outlet.codec.encode(message))

    def _broadcast(self, message: outgoing.ServerMessage) -> None:
        for subscriber in self._subscribers.values():
            self._send(subscriber, message)

    def _tell_presence(self, seat: int, *, except_for: str, online: bool) -> None:
        message = outgoing.presence(self.id, seat, online=online)
        for subscriber in self._subscribers.values():
            if subscriber.player != except_for and not _is_left_out(subscriber):
                self._send(subscriber, message)

    def _watchers(self) -> int:
        return sum(subscriber.viewer == WATCHER for subscriber in self._subscribers.values())

    # ── what is due ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _look(self) -> None:
        """See from the state what is due next, and arrange for it. Nothing arranged is needed after a restart."""
        if not self._subscribers and self._loop.time() - self.idle_since > _SLEEP_AFTER_S:
            self._is_asleep = True
        due = None if self._is_asleep or self.state.room.closed else self._next_due()
        key = None if due is None else due[0]
        if key == self._due_key and (self._due is None or not self._due.done()):
            return
        self._forget_due()
        if due is not None:
            _, delay_s, perform = due
            self._due_key = key
            self._due_timer = self._loop.call_later(delay_s, self._begin, perform)

    def _begin(self, perform: Callable[[], Coroutine[object, object, None]]) -> None:
        self._due_timer = None
        self._due = self._loop.create_task(perform())

    def _forget_due(self) -> None:
        if self._due_timer is not None:
            self._due_timer.cancel()
        if self._due is not None:
            self._due.cancel()
        self._due_timer, self._due, self._due_key = None, None, None

    def _next_due(self) -> tuple[object, float, Callable[[], Coroutine[object, object, None]]] | None:
        """Return what is due next: a key that tells it from others, in how many seconds, and how it is done."""
        state = self.state
        play = state.play
        if play is None:
            return None
        if state.awaits_deal:
            hand = play.game.standing.hands_dealt + 1
            pause_s = (_FIRST_DEAL_S if hand == 1 else _AFTER_HAND_S) * self._around.pace
            return ("deal", play.id, hand), pause_s, lambda: self._deal(hand)
        decision = play.decision
        if decision is None:
            return None
        turn = decision.turn
        if is_botted(state):
            why: Literal["bot", "away"] = "away" if state.room.chairs[decision.seat].away else "bot"
            return (why, turn), 0, lambda: self._decide_soon(turn, why)
        end = clock.deadline_ms(state.room.clock, decision, play.banks_ms[decision.seat])
        if end is None:
            return None
        wait_s = max(0, end - self._around.log.now_ms()) / 1000
        return ("clock", turn, end), wait_s, lambda: self._decide_late(turn)

    async def _deal(self, hand: int) -> None:
        self.submit(DealHand(hand, secrets.token_bytes(fair.SECRET_BYTES)))

    async def _decide_soon(self, turn: int, why: Literal["bot", "away"]) -> None:
        # The pause is drawn before and apart from the thinking: it tells nothing of the hand.
        pause = random.uniform(*_BOT_DELAY_S) + (_AFTER_TRICK_S if self._after_trick else 0)  # noqa: S311
        until = self._loop.time() + pause * self._around.pace
        action = await self._think(turn)
        await asyncio.sleep(until - self._loop.time())
        self.submit(ActFor(turn, action, why))

    async def _decide_late(self, turn: int) -> None:
        self.submit(ActFor(turn, await self._think(turn), "clock"))

    async def _think(self, turn: int) -> Action:
        play = self.state.play
        assert play is not None
        assert play.decision is not None
        chair = self.state.room.chairs[play.decision.seat]
        level = chair.level or self.state.room.opened.bots
        seed = int.from_bytes(hashlib.sha256(f"{play.id} {turn}".encode()).digest()[:6], "big")
        try:
            return await self._around.workers.decide(play.game, level=level, seed=seed)
        except Exception as error:  # noqa: BLE001  # whatever goes wrong with thinking, the table goes on
            _log.error("decision_failed", table=self.id, error=type(error).__name__, at=place_of(error))
            return rule_of_thumb(play.game)

    def _credit_outage(self, why: str) -> None:
        """Give the seat to act its least time back if the table was asleep or away while its clock ran."""
        play = self.state.play
        if play is None or play.decision is None or is_botted(self.state):
            return
        left = clock.left_ms(
            self.state.room.clock, play.decision, play.banks_ms[play.decision.seat], self._around.log.now_ms()
        )
        if left is not None and left[0] < clock.LEAST_AFTER_OUTAGE_MS:
            over = self._around.log.now_ms() - play.decision.since_ms - (self.state.room.clock.turn_ms or 0)
            ms = over - play.decision.credit_ms + clock.LEAST_AFTER_OUTAGE_MS
            self.submit(Credit(play.decision.turn, ms, why))


def _is_left_out(subscriber: Subscriber) -> bool:
    """Tell whether a watcher who does not keep up is spared news: he gets a view when he has caught up.

    A seat gets every event, or is closed as too slow and resumes.
    """
    if subscriber.viewer == WATCHER and subscriber.outlet.is_behind:
        subscriber.is_behind = True
    return subscriber.is_behind


def _unavailable() -> Refusal:
    return Refusal(str(RefusalCode.DEGRADED), "the server cannot record that now; try again in a moment")


def _fold(entries: Sequence[Stored]) -> tuple[TableState, deque[tuple[int, tuple[Happening, ...]]]] | None:
    """Return the table that *entries*, all of a log, come to, and its recent history; None for an empty log."""
    if not entries:
        return None
    first = unpack_entry(entries[0].entry)
    if not isinstance(first, Opened):
        raise ValueError("a log must begin with its table's opening")
    state, happenings = opened_table(entries[0].seq, first)
    history = deque([(entries[0].seq, happenings)], maxlen=_HISTORY)
    for stored in entries[1:]:
        state, happenings = evolve(state, stored.seq, stored.at_ms, unpack_entry(stored.entry))
        history.append((stored.seq, happenings))
    return state, history


async def open_table(id_: str, opened: Opened, around: Surroundings) -> TableActor:
    """Make a table: its first entry is in the log before anybody hears of it.

    Raises ConflictError where the id is taken, and LogUnavailableError.
    """
    at_ms = await around.log.append(id_, 1, pack_entry(opened))
    loaded = _fold([Stored(1, at_ms, pack_entry(opened))])
    assert loaded is not None
    return TableActor(id_, *loaded, around)


async def load_table(id_: str, around: Surroundings) -> TableActor | None:
    """Take up a table from its log; None where there is none. Raises ValueError for a damaged log."""
    loaded = _fold(await around.log.read(id_, after=0))
    return None if loaded is None else TableActor(id_, *loaded, around)
