"""What is due at a table next, by itself: a deal, a bot's decision, a clock that ends. Timers say only "look now".

What is due is read from the table's state, so every node that holds the table knows it and none is needed: each waits
its turn, in an order that all work out alike (server/peers.py), and the log takes the first.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import structlog

from engine import fair
from engine.actions import Action
from server import clock
from server.logs import place_of
from server.table import ActFor, Close, Command, DealHand, TableState
from server.workers import WorkerPool, rule_of_thumb

BACK_OFF_S: Final = 0.75
"""How long a node waits for each of those whose turn it is before its own."""
_EARLY_S: Final = 0.001
"""So much before its time a loop's timer may ring."""
_BOT_DELAY_S: Final = (0.5, 1.0)
_AFTER_TRICK_S: Final = 1.2
_AFTER_HAND_S: Final = 5.0
_FIRST_DEAL_S: Final = 0.6

_log = structlog.get_logger("server.agenda")

What: TypeAlias = Literal["deal", "bot", "away", "clock", "close"]


@dataclass(frozen=True, slots=True)
class Due:
    """What is due: ``number`` is the hand's or the turn's, ``at_ms`` the log's time it is due at, None for now."""

    what: What
    number: int
    game: str = ""
    at_ms: int | None = None


def next_due(state: TableState) -> Due | None:
    """Return what is due next at a table, None where it waits for people."""
    if state.room.closed:
        return None
    if state.room.host is None:
        return Due("close", 0)
    play = state.play
    if play is None:
        return None
    if state.awaits_deal:
        return Due("deal", play.game.standing.hands_dealt + 1, play.id)
    decision = play.decision
    if decision is None:
        return None
    who = state.room.chairs[decision.seat].stand_in
    if who != "clock":
        return Due(who, decision.turn)
    end_ms = clock.deadline_ms(state.room.clock, decision, play.banks_ms[decision.seat])
    return None if end_ms is None else Due("clock", decision.turn, at_ms=end_ms)


class Agenda:
    """Arranges for what is due at one table, and submits it. ``rank`` tells how many nodes come before this one."""

    def __init__(
        self,
        table: str,
        workers: WorkerPool,
        now_ms: Callable[[], int],
        *,
        pace: float,
        rank: Callable[[str], int],
        submit: Callable[[Command], None],
    ) -> None:
        self._table = table
        self._workers = workers
        self._now_ms = now_ms
        self._pace = pace
        self._rank = rank
        self._submit = submit
        self._loop = asyncio.get_running_loop()
        self._due: Due | None = None
        self._state: TableState | None = None
        """The table in which that is due."""
        self._bell: asyncio.TimerHandle | None = None
        self._is_ringing = False
        self._ring_at = 0.0
        """When the bell is for what is due, on the loop's clock; it may ring before."""
        self._task: asyncio.Task[None] | None = None

    def look(self, state: TableState, *, after_trick: bool) -> None:
        """Arrange for what is due next. Nothing arranged is needed after a restart."""
        due = next_due(state)
        is_arranged = self._is_ringing or (self._task is not None and not self._task.done())
        if due == self._due and is_arranged:
            return
        self.forget()
        self._due, self._state = due, state
        match due:
            case None:
                pass
            case Due(at_ms=int(at_ms)):
                self._ring_in(max(0, at_ms - self._now_ms()) / 1000)
            case Due("bot" | "away" as why, turn):
                # The pause is drawn before and apart from the thinking: it tells nothing of the hand.
                pause_s = random.uniform(*_BOT_DELAY_S) + (_AFTER_TRICK_S if after_trick else 0)  # noqa: S311
                self._begin(self._decide(state, turn, why, self._behind_s(due), pause_s * self._pace))
            case Due("deal", hand):
                pause_s = (_FIRST_DEAL_S if hand == 1 else _AFTER_HAND_S) * self._pace
                self._ring_in(pause_s + self._behind_s(due))
            case _:
                self._ring_in(self._behind_s(due))

    def forget(self) -> None:
        """Arrange for nothing."""
        self._is_ringing = False  # the bell may stay: it will ring for nothing, or for what is due later
        if self._task is not None:
            self._task.cancel()
        self._task, self._due, self._state = None, None, None

    def end(self) -> None:
        """Arrange for nothing any more."""
        self.forget()
        if self._bell is not None:
            self._bell.cancel()
            self._bell = None

    def _behind_s(self, due: Due) -> float:
        """Return how long those whose turn it is before ours have."""
        return self._rank(f"{self._table} {due.what} {due.number}") * BACK_OFF_S

    def _ring_in(self, seconds: float) -> None:
        self._is_ringing, self._ring_at = True, self._loop.time() + seconds
        self._set_bell()

    def _set_bell(self) -> None:
        """Set the bell, unless it rings before anyhow: of many clocks in a game hardly one runs out."""
        if self._bell is not None:
            if self._bell.when() <= self._ring_at:
                return
            self._bell.cancel()
        self._bell = self._loop.call_at(self._ring_at, self._ring)

    def _ring(self) -> None:
        self._bell = None
        if not self._is_ringing:
            return
        if self._ring_at - self._loop.time() > _EARLY_S:
            self._set_bell()
            return
        self._is_ringing = False
        due, state = self._due, self._state
        assert due is not None
        assert state is not None
        match due.what:
            case "deal":
                self._submit(DealHand(due.number, secrets.token_bytes(fair.SECRET_BYTES)))
            case "close":
                self._submit(Close("everybody left", only_deserted=True))
            case why:
                self._begin(self._decide(state, due.number, why, self._behind_s(due), 0))

    def _begin(self, work: Coroutine[object, object, None]) -> None:
        self._task = self._loop.create_task(work)

    async def _decide(
        self, state: TableState, turn: int, why: Literal["bot", "away", "clock"], behind_s: float, pause_s: float
    ) -> None:
        if behind_s:  # another node thinks first, and for no longer than the pause if all is well
            await asyncio.sleep(behind_s + pause_s)
            pause_s = 0
        until = self._loop.time() + pause_s
        action = await self._think(state, turn)
        await asyncio.sleep(until - self._loop.time())
        self._submit(ActFor(turn, action, why))

    async def _think(self, state: TableState, turn: int) -> Action:
        play = state.play
        assert play is not None
        assert play.decision is not None
        level = state.room.chairs[play.decision.seat].level or state.room.opened.bots
        seed = int.from_bytes(hashlib.sha256(f"{play.id} {turn}".encode()).digest()[:6], "big")
        try:
            return await self._workers.decide(play.game, level=level, seed=seed)
        except Exception as error:  # noqa: BLE001  # whatever goes wrong with thinking, the table goes on
            _log.error("decision_failed", table=self._table, error=type(error).__name__, at=place_of(error))
            return rule_of_thumb(play.game)
