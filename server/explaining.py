"""What decisions are worth: of the open one as a hint, and of a finished hand. Workers say; each gets a seat's view."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.events import HandScored
from engine.game import apply, legal_actions, passed_on, phase_of, to_act
from engine.record import Step, replay
from engine.state import Game
from engine.view import view_for
from protocol.codes import RefusalCode
from protocol.outgoing import WeighedDecision, Worth
from server.lobby import LobbyRefusalError
from server.table import TableState
from server.workers import WorkerPool

LAYOUTS: Final = 100
_AT_A_TIME: Final = 2
"""Decisions of a hand that are weighed at a time: the tables come first."""
_FOLLOWED_AT_A_TIME: Final = 8
_NO_WORKER: Final = "no bot worker has time for that now"
_PAR_LEVEL: Final = "standard"


@dataclass(frozen=True, slots=True)
class HandWeighed:
    """One hand of a game of so many *hands*: what its decisions were worth, and what the deal was.

    ``par`` is what four of the house's bots make of the same deal: points of team 0 less those of team 1. ``luck`` is
    half of what that is more than they make of it with every hand passed one seat on, so that to deal counts for
    nothing.
    """

    decisions: list[WeighedDecision]
    hands: int
    par: int
    luck: float


async def hint(pool: WorkerPool, state: TableState, player: str) -> tuple[int, list[Worth]]:
    """Return the turn of the decision *player* is asked for, and what his actions are worth.

    Raises LobbyRefusalError.
    """
    room, play = state.room, state.play
    seat = room.seat_of(player)
    if seat is None:
        raise LobbyRefusalError(RefusalCode.NOT_SEATED, "you do not sit at this table")
    others = [chair for chair in room.chairs if chair.player not in (None, player)]
    if room.opened.visibility != "private" or room.opened.clock != "none" or others:
        detail = "hints are for practice: at a private table without a clock, with bots only"
        raise LobbyRefusalError(RefusalCode.NO_HINTS, detail)
    if play is None or play.decision is None or play.decision.seat != seat:
        raise LobbyRefusalError(RefusalCode.NOTHING_TO_DO, "you are not asked for a decision")
    turn = play.decision.turn
    return turn, await _weighed(pool, play.game, seed=turn)


async def analyse_hand(pool: WorkerPool, lines: Sequence[str], hand: int) -> HandWeighed:
    """Look at one hand of a record. Raises LobbyRefusalError."""
    steps = await _followed(lines)
    hands = steps[-1].game.standing.hands_dealt if steps else 0
    if hand > hands:
        raise LobbyRefusalError(RefusalCode.NOT_FINISHED, f"that game has {hands} hands")
    turns = asyncio.Semaphore(_AT_A_TIME)

    async def weigh(step: Step, before: Game) -> WeighedDecision:
        async with turns:
            worths = await _weighed(pool, before, seed=step.n)
        return {
            "n": step.n,
            "seat": step.entry["seat"],
            "phase": str(phase_of(before)),
            "cards": list(view_for(before, step.entry["seat"]).cards),
            "played": str(step.entry["do"]),
            "worths": worths,
        }

    dealt = next(step.game for step in steps if step.game.standing.hands_dealt == hand)
    try:
        async with asyncio.TaskGroup() as group:
            weighing = [group.create_task(weigh(step, before)) for step, before in _choices(steps, hand)]
            par = group.create_task(_par(pool, dealt))
            passed = group.create_task(_par(pool, passed_on(dealt)))
    except* LobbyRefusalError as refusals:
        raise LobbyRefusalError(RefusalCode.NO_WORKER, _NO_WORKER) from refusals
    decisions = [task.result() for task in weighing]
    return HandWeighed(decisions, hands, par.result(), (par.result() - passed.result()) / 2)


async def _followed(lines: Sequence[str]) -> list[Step]:
    """Return the steps of a record. Others have their turn meanwhile."""
    steps: list[Step] = []
    for step in replay(lines)[1]:
        steps.append(step)
        if step.n % _FOLLOWED_AT_A_TIME == 0:
            await asyncio.sleep(0)
    return steps


async def _weighed(pool: WorkerPool, game: Game, *, seed: int) -> list[Worth]:
    worths = await pool.weigh(game, layouts=LAYOUTS, seed=seed)
    if worths is None:
        raise LobbyRefusalError(RefusalCode.NO_WORKER, _NO_WORKER)
    return worths


def _choices(steps: Sequence[Step], hand: int) -> Iterator[tuple[Step, Game]]:
    """Yield the entries of *hand* in which a seat chose, each with the game before it."""
    for before, step in itertools.pairwise(steps):
        game = before.game
        if game.standing.hands_dealt == hand and "do" in step.entry and len(legal_actions(game)) > 1:
            yield step, game


async def _par(pool: WorkerPool, game: Game) -> int:
    while to_act(game) is not None:
        action, *others = legal_actions(game)
        if others:
            action = await pool.decide(game, level=_PAR_LEVEL, seed=0, can_wait=True)
        game, events = apply(game, to_act(game) or 0, action)
        for event in events:
            if isinstance(event, HandScored):
                return event.points if event.team == 0 else -event.points
    return 0
