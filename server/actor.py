"""The actor of one table: this node's replica, performing what server/table/ decides, one at a time, in order.

Recorded before told: a command becomes an entry, the entry is appended, and only then is it folded, sent out and
acknowledged. Entries that other nodes appended are read from the log and folded and sent out alike. The actor waits
for its inbox and the log, never for a socket or a bot: those put commands in the inbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import structlog

from engine.cards import clockwise_from
from engine.events import TrickWon
from protocol import outgoing
from protocol.codes import RefusalCode, SayPreset
from server import clock, tasks
from server.agenda import Agenda
from server.archivist import Archivist
from server.attendance import Attendance
from server.audience import HISTORY, Audience, History
from server.entries import Closed, DealtOut, Entry, Filled, Opened, SatDown, Started, StoodUp, pack_entry, unpack_entry
from server.log import ConflictError, Log, LogTornError, LogUnavailableError, Stored
from server.logs import place_of
from server.metrics import Metrics
from server.outlet import Outlet
from server.peers import Peers
from server.records import GameRecord, finished_games, follow, follow_on
from server.table import (
    Command,
    Credit,
    PassHost,
    Refusal,
    Repeated,
    SetAway,
    TableState,
    decide,
)
from server.workers import WorkerPool

Answer: TypeAlias = Callable[[int | Refusal], None]
"""Told once per command: the number of its entry, or why there is none."""

_SLEEP_AFTER_S: Final = 60.0
"""A table nobody is connected to goes on this long; then it waits for somebody."""
_HOST_AWAITED_S: Final = 60.0
"""After this time without a connection a host who holds up the start is one no more."""
_RETRY_S: Final = 1.0
_FROZEN_LOOK_S: Final = 30.0
"""How often a table whose log was torn looks whether it is whole again."""

_log = structlog.get_logger("server.table")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a table needs of its server. ``pace`` scales the pauses that let people follow; 0 has none.

    ``moved`` is awaited after people sat down or left and when the table closed, before whoever asked for it hears;
    ``changed`` is called when else it is to be listed anew, ``broken`` when it stops because it cannot be followed.
    None of them raises.
    """

    log: Log
    peers: Peers
    archivist: Archivist
    workers: WorkerPool
    metrics: Metrics
    pace: float
    moved: Callable[[TableActor], Awaitable[None]]
    changed: Callable[[TableActor], None]
    broken: Callable[[TableActor], None]


TORN: Final = "the end of this table's record was lost; it stands still until the record is restored"
UNAVAILABLE: Final = "the server cannot record that now; try again in a moment"


class NotFinishedError(Exception):
    """No such game was finished at the table."""


@dataclass(frozen=True, slots=True)
class _Outage:
    """Since when the log does not take what the table has to say; ``is_torn`` where it lost what it said before."""

    since_ms: int
    is_torn: bool


class TableActor:
    """One table, replica and performer. Made by `open_table` or `load_table`."""

    def __init__(
        self,
        id_: str,
        state: TableState,
        history: History,
        record: GameRecord | None,
        around: Surroundings,
        attendance: Attendance,
        *,
        made_ms: int,
        was_away: bool,
    ) -> None:
        self.id = id_
        self.made_ms = made_ms
        self.state = state
        self._record = record
        """The record of the latest game, as far as it is."""
        self.is_open = not state.room.closed
        self._around = around
        self._attendance = attendance
        attendance.news = self._on_attendance
        attendance.said = self._on_said
        self.audience = Audience(id_, state, history, attendance, around.log.now_ms)
        self._agenda = Agenda(
            id_,
            around.workers,
            around.log.now_ms,
            pace=around.pace,
            rank=lambda key: around.peers.rank(key, attendance.nodes),
            submit=self.submit,
        )
        self._inbox: deque[tuple[Command, Answer | None, int]] = deque()
        self._answer: Answer | None = None
        self._newest = state.seq
        """The newest entry heard of, which may be one to read yet."""
        self._readers: list[asyncio.Future[None]] = []
        self._end_watch = around.log.watch(id_, self._on_wake)
        self._idle: asyncio.Future[None] | None = None
        self._after_trick = False
        self._is_asleep = False
        self._has_ended = False
        """Whether nothing is performed any more: who found the table before may ask for something only now."""
        self._outage: _Outage | None = None
        self._is_to_retry = False
        self._retry_bell: asyncio.TimerHandle | None = None
        self._is_to_retire = True
        """Whether, once closed, it is ours to take off the list of open ones: who closed it does, or finds it so."""
        self._loop = asyncio.get_running_loop()
        self._tell_attendance()
        if was_away:
            self._credit("the server was away")
        self._task = self._loop.create_task(self._run(), name=f"table {id_}")

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────────────────────

    def submit(self, command: Command, answer: Answer | None = None) -> None:
        """Queue *command*; *answer* is told what became of it. Whether it is in time is decided as of now."""
        is_refused = self._has_ended or self._outage is not None or not self._around.log.is_available
        if answer is not None and is_refused:
            answer(self._unavailable())
            return
        self._inbox.append((command, answer, self._around.log.now_ms()))
        self._poke()

    def attach(self, player: str, outlet: Outlet, *, cursor: int | None) -> None:
        """Tell *outlet* of this table from now on, as the player's seat if he has one, else as a watcher.

        It first gets what it missed since entry *cursor*, or a view where that is None or too long ago; never both.
        """
        self.audience.add(player, outlet, cursor=cursor)
        self._came_or_went(player)
        seat = self.state.room.seat_of(player)
        if seat is not None and self.state.room.chairs[seat].away:
            self.submit(SetAway(player, on=False, ref=0, why="returned"))
        self._wake_up()

    def detach(self, player: str, outlet: Outlet) -> None:
        """Tell *outlet* no more; nothing happens if the player has another by now."""
        if self.audience.remove(player, outlet):
            self._came_or_went(player)

    async def reached(self, seq: int) -> None:
        """Wait until entry *seq* is folded, if the log has it and can be read."""
        if seq > self.state.seq and not self._has_ended and self._outage is None:
            reader = self._loop.create_future()
            self._readers.append(reader)
            self._on_wake(seq)
            await reader

    async def caught_up(self) -> None:
        """Wait until what the log has by now is folded, if it can be read: others may know more than this node."""
        await self.reached(self.state.seq + 1)

    def chat(self, player: str, name: str, *, text: str | None, preset: SayPreset | None) -> None:
        """Pass on what a player or watcher said; who sits here is called as the table calls him."""
        room = self.state.room
        seat = room.seat_of(player)
        if seat is not None:
            name = room.chairs[seat].name or name
        self.audience.chat(seat, name, text=text, preset=preset)
        self._attendance.say({"seat": seat, "name": name, "text": text, "preset": preset})

    @property
    def is_idle(self) -> bool:
        """Tell whether nobody is connected to the table on this node and nothing waits to be done."""
        return self.audience.is_empty and self._idle is not None and not self._inbox and self._outage is None

    async def record(self, game: str | None) -> tuple[str, list[str]]:
        """Return the name and the record of a finished game at this table, the latest where *game* is None.

        Raises NotFinishedError where there is none, and LogUnavailableError.
        """
        await self.caught_up()
        latest = self._record
        if latest is not None and latest.is_finished and game in (None, latest.game):
            return latest.game, latest.lines
        finished = await finished_games(await self._around.log.read(self.id, after=0))
        wanted = [one for one in finished if game in (None, one.game)]
        if not wanted:
            raise NotFinishedError
        return wanted[-1].game, wanted[-1].lines

    def tick(self) -> None:
        """See what time has brought; to be called every few seconds."""
        self._attendance.tell_again()
        self.audience.attended()
        if not self._is_asleep and self.audience.idle_s > _SLEEP_AFTER_S:
            self._is_asleep = True
            self._agenda.forget()
            self._tell_attendance()
        self._pass_host()

    def _pass_host(self) -> None:
        """Make somebody who is here the host, where the host has long gone and nothing can begin without one."""
        room = self.state.room
        is_wanted = not self.state.is_playing and self._outage is None
        if not is_wanted or room.host is None or self.audience.gone_s(room.host) < _HOST_AWAITED_S:
            return
        for seat in clockwise_from(room.host_seat or 0):
            player = room.chairs[seat].player
            if player is not None and not self.audience.gone_s(player):
                self.submit(PassHost(room.host, player))
                return

    def lost_node(self, node: str) -> None:
        """Take it that *node* is gone, and with it whoever was connected there."""
        self._attendance.forget(node)
        self._archive_earlier()

    def stood_still(self) -> None:
        """Take it that this node did nothing for a while: nobody here could act, and no other node serves the table."""
        if not self._is_asleep and not self._attendance.nodes:
            self._credit("the server stood still")

    def log_went(self) -> None:
        """Take it that the log is away: commands are refused, nothing is due and no clock runs until it is back."""
        self._begin_outage(is_torn=False)

    def log_came(self) -> None:
        """Go on: give back the time that was lost, and see what is due."""
        self._retry()

    async def stop(self) -> None:
        """Stop performing; the log has everything."""
        self._let_go()
        await tasks.end(self._task)

    # ── hearing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _on_wake(self, seq: int) -> None:
        """Hear that the log has entry *seq*; 0 where nobody knows which, but one may be new."""
        self._newest = max(self._newest, seq or self.state.seq + 1)
        if self._newest > self.state.seq:
            self._poke()

    def _on_attendance(self) -> None:
        self.audience.attended()
        self._wake_up()

    def _on_said(self, said: dict[str, Any]) -> None:
        self.audience.chat(said["seat"], said["name"], text=said["text"], preset=said["preset"])

    def _came_or_went(self, player: str) -> None:
        self._tell_attendance()
        self.audience.attended()
        if self.state.room.seat_of(player) is None:
            self._around.changed(self)

    def _tell_attendance(self) -> None:
        players, watchers = self.audience.attendance()
        self._attendance.tell(players, watchers, is_asleep=self._is_asleep)

    def _wake_up(self) -> None:
        """Go on if the table slept and somebody is here again."""
        if self._is_asleep and self.audience.idle_s == 0:
            self._is_asleep = False
            self._tell_attendance()
            self._credit("nobody was here")
            self._look()

    # ── performing ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _poke(self) -> None:
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    async def _run(self) -> None:
        self._archive_earlier()
        self._look()
        while self.is_open:
            try:
                await self._step()
            except LogUnavailableError:
                self._begin_outage(is_torn=False)
            except LogTornError:
                self._begin_outage(is_torn=True)
            except Exception as error:  # noqa: BLE001  # see below
                # We broke. Nobody can say what the replica is worth now: start over from the log, which has all that
                # was acknowledged. If even that fails the table stops here, alone, its log kept.
                _log.error("table_failed", table=self.id, error=type(error).__name__, at=place_of(error))
                self._reply(self._unavailable())
                if not await self._recover():
                    return
        await self._wind_up()

    async def _step(self) -> None:
        """Do the next thing there is to do, or wait for one."""
        if self._outage is not None and self._is_to_retry:
            await self._end_outage(self._outage)
        elif self._outage is not None:
            await self._rest()
        elif self._newest > self.state.seq:
            await self._follow()
        elif self._inbox:
            command, self._answer, arrived_ms = self._inbox.popleft()
            await self._perform(command, arrived_ms)
        else:
            await self._rest()

    async def _rest(self) -> None:
        self._idle = self._loop.create_future()
        try:
            await self._idle
        finally:
            self._idle = None

    def _reply(self, outcome: int | Refusal) -> None:
        """Answer the command that is being performed, once, whatever happens after."""
        answer, self._answer = self._answer, None
        if answer is not None:
            answer(outcome)

    async def _perform(self, command: Command, arrived_ms: int) -> None:
        while True:
            entry = decide(self.state, command, arrived_ms)
            if isinstance(entry, Refusal) and self._answer is not None and await self._was_behind():
                continue
            if isinstance(entry, Refusal | Repeated):
                self._look()
                self._reply(entry.seq if isinstance(entry, Repeated) else entry)
                return
            seq = self.state.seq + 1
            began_s = time.monotonic()
            try:
                at_ms = await self._around.log.append(self.id, seq, pack_entry(entry))
            except ConflictError:
                await self._follow()
                if self.state.seq < seq:
                    raise LogTornError from None  # taken, they say, but not there
                continue
            self._around.metrics.appends.count(time.monotonic() - began_s)
            await self._fold(seq, at_ms, entry, is_ours=True)
            if self._newest <= self.state.seq:  # as far as the log went
                self._release_readers()
            return

    async def _follow(self) -> int | None:
        """Fold what other nodes appended, as if it were our own. Return the stamp of the latest, None without any."""
        newest, latest_ms = self._newest, None
        for stored in await self._around.log.read(self.id, after=self.state.seq):
            if stored.seq != self.state.seq + 1:
                raise LogTornError
            await self._fold(stored.seq, stored.at_ms, unpack_entry(stored.entry), is_ours=False)
            latest_ms = stored.at_ms
        if self._newest == newest:
            self._newest = self.state.seq
        self._release_readers()
        return latest_ms

    async def _was_behind(self) -> bool:
        """Fold what the log has and this node has not heard of yet; tell whether there was any.

        Who is refused may know more than this node: he sat down, or heard of his turn, at another.
        """
        return await self._follow() is not None

    async def _fold(self, seq: int, at_ms: int, entry: Entry, *, is_ours: bool) -> None:
        """Take *entry* into the replica, tell everybody of it, and see what is due next."""
        before = self.state
        self.state, happenings, self._record = follow_on(before, self._record, seq, at_ms, entry)
        self.is_open = not self.state.room.closed
        if isinstance(entry, SatDown | StoodUp | Closed) and (is_ours or not self.is_open):
            # Before whoever asked for it hears: he may ask any node for his tables next.
            await self._around.moved(self)
        if isinstance(entry, DealtOut):
            waited = [chair.player for chair in before.room.chairs if chair.waits and chair.player is not None]
            self.audience.begin(self.state, waited)
        if is_ours and not isinstance(entry, SatDown):
            self._reply(seq)
        self.audience.publish(self.state, happenings, at_ms)
        if isinstance(entry, SatDown):
            self.audience.seated(entry.seat)
            if is_ours:  # he is shown the table as it is now, after the others heard of him
                self._reply(seq)
        if isinstance(entry, StoodUp):
            self.audience.remove(entry.player)
            self._tell_attendance()
            self.audience.attended()
        elif isinstance(entry, SatDown):
            self._tell_attendance()
        elif isinstance(entry, Filled | Started) or before.is_playing != self.state.is_playing:
            self._around.changed(self)
        if before.is_playing and not self.state.is_playing:
            self._archive(self._record, is_ours=is_ours)
        if isinstance(entry, Closed):
            self._is_to_retire = is_ours
        self._after_trick = any(isinstance(happening, TrickWon) for happening in happenings)
        self._look()

    def _archive(self, record: GameRecord | None, *, is_ours: bool) -> None:
        """Have the game of *record* archived, or all that are over, by who ended it and by the table's keeper.

        It is done once.
        """
        if is_ours or self._around.peers.is_keeper(self.id):
            self._around.archivist.note(self.id, record)

    def _archive_earlier(self) -> None:
        """Have the games archived that were over before, in case whoever ended them was gone before it was done."""
        play = self.state.play
        if play is not None and (play.number > 1 or not self.state.is_playing):
            self._archive(None, is_ours=False)

    def _look(self) -> None:
        """See what is due next, and arrange for it."""
        if not self._is_asleep and self._outage is None:
            self._agenda.look(self.state, after_trick=self._after_trick)

    def _credit(self, why: str) -> None:
        """Give the seat to act its least time back, if nobody served the table while its clock ran."""
        play = self.state.play
        if play is not None and play.decision is not None:
            end_ms = self._around.log.now_ms() + clock.LEAST_AFTER_OUTAGE_MS
            self.submit(Credit(play.decision.turn, end_ms, why))

    # ── when something fails ─────────────────────────────────────────────────────────────────────────────────────────

    def _begin_outage(self, *, is_torn: bool) -> None:
        """Do nothing until the log is back, and refuse what is asked; torn, until its operator restored it."""
        self._agenda.forget()
        if self._outage is None or (is_torn and not self._outage.is_torn):
            since_ms = self._around.log.now_ms() if self._outage is None else self._outage.since_ms
            self._outage = _Outage(since_ms, is_torn)
            if is_torn:
                _log.error("table_frozen", table=self.id, seq=self.state.seq)
                self.audience.broadcast(outgoing.notice("degraded", TORN, table=self.id))
        self._reply(self._unavailable())
        self._refuse_waiting()
        self._release_readers()
        self._retry_in(_FROZEN_LOOK_S if is_torn else _RETRY_S)

    def _retry_in(self, seconds: float) -> None:
        if self._retry_bell is not None:
            self._retry_bell.cancel()
        self._retry_bell = self._loop.call_later(seconds, self._retry)

    def _retry(self) -> None:
        """Try to go on, if the log is there; else later: it may come and go with nobody told."""
        if self._outage is None:
            return
        if self._around.log.is_available:
            self._is_to_retry = True
            self._poke()
        else:
            self._retry_in(_RETRY_S)

    async def _end_outage(self, outage: _Outage) -> None:
        """Give back the time that was lost, and go on. Raises LogUnavailableError or LogTornError where it lasts."""
        self._is_to_retry = False
        if outage.is_torn and not await self._around.log.read(self.id, after=self.state.seq - 1):
            raise LogTornError
        latest_ms = await self._follow()
        # What was appended before, as an act of ours whose answer was lost, leaves the outage to whoever is asked next.
        is_served = latest_ms is not None and latest_ms > outage.since_ms
        play = self.state.play
        if play is not None and play.decision is not None and not is_served:
            now_ms = self._around.log.now_ms()
            own_end_ms = clock.own_end_ms(self.state.room.clock, play.decision) or 0
            lost_ms = now_ms - max(outage.since_ms, play.decision.since_ms)
            end_ms = max(own_end_ms + lost_ms, now_ms + clock.LEAST_AFTER_OUTAGE_MS)
            await self._perform(Credit(play.decision.turn, end_ms, "the server could not record"), now_ms)
        self._outage = None
        if outage.is_torn:
            self.audience.broadcast(outgoing.notice("restored", "this table goes on", table=self.id))
        self._look()

    def _unavailable(self) -> Refusal:
        if self._outage is not None and self._outage.is_torn:
            return Refusal(str(RefusalCode.DEGRADED), TORN, retry_ms=round(_FROZEN_LOOK_S * 1000))
        return Refusal(str(RefusalCode.DEGRADED), UNAVAILABLE)

    def _refuse_waiting(self) -> None:
        """Answer what waits with a refusal, and keep what nobody waits for."""
        waiting = list(self._inbox)
        self._inbox = deque(item for item in waiting if item[1] is None)
        for _, answer, _ in waiting:
            if answer is not None:
                answer(self._unavailable())

    def _release_readers(self) -> None:
        readers, self._readers = self._readers, []
        for reader in readers:
            if not reader.done():
                reader.set_result(None)

    async def _recover(self) -> bool:
        """Start over from the log; False where even that fails, and the table is given up, its log kept."""
        self._agenda.forget()
        try:
            loaded = _fold_all(await self._read_all())
            if loaded is None:
                raise RuntimeError(f"the log of table {self.id} is gone")
        except Exception as error:  # noqa: BLE001  # this table stops, and it alone
            _log.error("table_stopped", table=self.id, error=type(error).__name__, at=place_of(error))
            self.is_open = False
            self._let_go()
            self._around.broken(self)
            self._refuse_waiting()
            self.audience.broadcast(
                outgoing.notice("table_closed", "this table failed; its record is kept", table=self.id)
            )
            return False
        self.state, history, self._record = loaded
        self.is_open = not self.state.room.closed
        self._newest = self.state.seq
        self.audience.start_over(self.state, history)
        self._release_readers()
        self._look()
        return True

    async def _read_all(self) -> Sequence[Stored]:
        while True:
            try:
                return await self._around.log.read(self.id, after=0)
            except LogUnavailableError:
                await asyncio.sleep(_RETRY_S)

    async def _wind_up(self) -> None:
        self._let_go()
        while self._inbox:
            command, self._answer, arrived_ms = self._inbox.popleft()
            outcome = decide(self.state, command, arrived_ms)
            if isinstance(outcome, Refusal | Repeated):
                self._reply(outcome.seq if isinstance(outcome, Repeated) else outcome)
        self.audience.broadcast(outgoing.notice("table_closed", "this table is closed", table=self.id))
        if self._is_to_retire:
            await self._around.archivist.archived(self.id)
            with contextlib.suppress(LogUnavailableError):
                await self._around.log.retire(self.id)

    def _let_go(self) -> None:
        self._has_ended = True
        self._end_watch()
        self._attendance.end()
        self._agenda.end()
        if self._retry_bell is not None:
            self._retry_bell.cancel()
        self._release_readers()


_Folded: TypeAlias = tuple[TableState, History, GameRecord | None]
"""What a log comes to: the table, its recent history, and the record of its latest game."""


def _fold_all(log: Sequence[Stored]) -> _Folded | None:
    """Fold a log, given whole; None where it is empty."""
    history: History = deque(maxlen=HISTORY)
    folded: _Folded | None = None
    for state, happenings, record in follow(log):
        history.append((state.seq, happenings))
        folded = state, history, record
    return folded


async def open_table(id_: str, opened: Opened, around: Surroundings) -> TableActor:
    """Make a table: its first entry is in the log before anybody hears of it.

    Raises ConflictError where the id is taken, and LogUnavailableError.
    """
    packed = pack_entry(opened)
    at_ms = await around.log.append(id_, 1, packed)
    loaded = _fold_all([Stored(1, at_ms, packed)])
    assert loaded is not None
    return TableActor(id_, *loaded, around, Attendance(id_, around.peers), made_ms=at_ms, was_away=False)


async def load_table(id_: str, around: Surroundings) -> TableActor | None:
    """Take up a table from its log; None where there is none. Raises LogUnavailableError, and others for a damaged log.

    If no other node served it meanwhile, the seat to act gets time for that.
    """
    attendance = Attendance(id_, around.peers)
    try:
        is_served = await attendance.ask()
        entries = await around.log.read(id_, after=0)
        loaded = _fold_all(entries)
    except BaseException:
        attendance.end()
        raise
    if loaded is None:
        attendance.end()
        return None
    return TableActor(id_, *loaded, around, attendance, made_ms=entries[0].at_ms, was_away=not is_served)
