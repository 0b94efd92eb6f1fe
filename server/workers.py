"""The pool of bot workers: processes on the other end of a connection that answer ``decide`` and keep nothing.

Any worker can answer any request. One that is late, gone or wrong costs a table nothing: a rule of thumb answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from engine.actions import Action, AnswerAlone, AnswerDefence, CallTrump, Discard, Pass, PlayCard, parse_action
from engine.cards import strength
from engine.errors import IllegalActionError
from engine.game import legal_actions, phase_of, to_act
from engine.plain import view_to_plain
from engine.rules import rules_to_plain
from engine.state import Game, Phase
from engine.view import WATCHER, view_for
from protocol import outgoing
from protocol.codec import Codec, Encoded
from protocol.outgoing import Worth
from server.outlet import Outlet

DECISION_LIMIT_S: Final = 3.0
"""How long a worker may think before the rule of thumb answers."""
WEIGHING_LIMIT_S: Final = 10.0
"""How long it may weigh the actions of a decision that nobody's clock waits for."""
_SPARE: Final = 0.5
"""The share of a worker's slots for what no table waits for: the rest is kept for the bots of the tables."""
_SPARE_AWAITED_S: Final = 60.0

_log = structlog.get_logger("server.workers")


@dataclass(eq=False)
class Worker:
    """One connected worker: ``waiting`` maps its open requests to their answers."""

    outlet: Outlet
    slots: int
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)

    @property
    def load(self) -> float:
        return len(self.waiting) / self.slots

    @property
    def codec(self) -> Codec:
        return self.outlet.codec


class WorkerPool:
    """Who can be asked for a decision, and who was."""

    def __init__(self) -> None:
        self._workers: list[Worker] = []
        self._ids = itertools.count(1)
        self._has_news = asyncio.Event()
        """Set when a worker may have more to spare than before, or is gone."""

    def __len__(self) -> int:
        return len(self._workers)

    def join(self, outlet: Outlet, slots: int) -> Worker:
        """Take on a worker that answers up to *slots* requests at a time."""
        worker = Worker(outlet, slots)
        self._workers.append(worker)
        self._has_news.set()
        return worker

    def leave(self, worker: Worker) -> None:
        """Ask *worker* no more; what it was asked is answered by the rule of thumb at once."""
        self._workers.remove(worker)
        for answer in worker.waiting.values():
            answer.cancel()
        worker.waiting.clear()
        self._has_news.set()

    def answered(self, worker: Worker, request: int, outcome: str | list[Worth]) -> None:
        """Take a worker's answer; one that is late or was never asked for is passed over."""
        answer = worker.waiting.pop(request, None)
        if answer is not None and not answer.done():
            answer.set_result(outcome)
        self._has_news.set()

    async def decide(self, game: Game, *, level: str, seed: int, can_wait: bool = False) -> Action:
        """Return a legal action for the seat to act, from a worker if one answers in time.

        ``can_wait``: no table waits for it, so tables come first.
        """

        def question(request: int) -> outgoing.Decide:
            return outgoing.decide(
                request, **_situation(game), level=level, seed=seed, deadline_ms=round(DECISION_LIMIT_S * 1000)
            )

        answer = await self._ask(question, DECISION_LIMIT_S, can_wait=can_wait)
        legal = legal_actions(game)
        if isinstance(answer, str):
            try:
                action = parse_action(answer)
            except IllegalActionError:
                action = None
            if action in legal:
                return action
        if answer is not None:
            _log.warning("worker_answer_illegal", level=level)
        return rule_of_thumb(game)

    async def weigh(self, game: Game, *, layouts: int, seed: int) -> list[Worth] | None:
        """Return what the legal actions of the seat to act are worth, those that can be judged; None if nobody says.

        Tables come first. The worker gets that seat's view and no more.
        """

        def question(request: int) -> outgoing.Weigh:
            return outgoing.weigh(
                request, **_situation(game), layouts=layouts, seed=seed, deadline_ms=round(WEIGHING_LIMIT_S * 1000)
            )

        answer = await self._ask(question, WEIGHING_LIMIT_S, can_wait=True)
        if answer is None:
            return None
        legal = {str(action) for action in legal_actions(game)}
        if isinstance(answer, list) and {worth["action"] for worth in answer} <= legal:
            return answer
        _log.warning("worker_weighed_wrongly")
        return None

    async def _ask(
        self, question: Callable[[int], outgoing.Decide | outgoing.Weigh], limit_s: float, *, can_wait: bool
    ) -> str | list[Worth] | None:
        """Return what the least busy worker answers, None where none is free or it does not answer in time."""
        worker = await self._with_slots_to_spare() if can_wait else self._least_busy(1)
        if worker is None:
            return None
        request = next(self._ids)
        answer: asyncio.Future[str | list[Worth]] = asyncio.get_running_loop().create_future()
        worker.waiting[request] = answer
        worker.outlet.send(Encoded(worker.codec.encode(question(request))))
        # Not a timeout on the future itself: a worker that leaves cancels it, and that must not look like our own
        # cancellation.
        done, _ = await asyncio.wait([answer], timeout=limit_s)
        if not done:
            # The slot stays taken until the worker answers or leaves: one that hangs is soon asked no more.
            _log.warning("worker_late")
            return None
        return None if answer.cancelled() else answer.result()

    def _least_busy(self, share: float) -> Worker | None:
        """Return the worker with the least to do, None where all are busy with *share* of their slots."""
        worker = min(self._workers, key=lambda worker: worker.load, default=None)
        return worker if worker is not None and worker.load < share else None

    async def _with_slots_to_spare(self) -> Worker | None:
        """Return a worker that has slots to spare; None where there is no worker, or none of them has for too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SPARE_AWAITED_S):
                while self._workers:
                    worker = self._least_busy(_SPARE)
                    if worker is not None:
                        return worker
                    self._has_news.clear()
                    await self._has_news.wait()
        return None


def _situation(game: Game) -> dict[str, Any]:
    """Return what a worker is told of a decision: the acting seat's view, what is legal, and the rules."""
    seat = to_act(game)
    assert seat is not None
    return {
        "view": view_to_plain(view_for(game, seat)),
        "legal": [str(action) for action in legal_actions(game)],
        "rules": rules_to_plain(game.standing.rules),
    }


def rule_of_thumb(game: Game) -> Action:
    """Return a legal action without thinking: decline what can be declined, else part with the weakest card.

    Only the dealer does not pass in round two: where hands are dealt again, four that all pass would pass for ever.
    """
    return min(legal_actions(game), key=lambda action: _reluctance(game, action))


def _reluctance(game: Game, action: Action) -> tuple[int, int]:
    match action:
        case Pass() if phase_of(game) is Phase.ROUND_TWO and view_for(game, WATCHER).dealer == to_act(game):
            return 3, 0
        case Pass() | AnswerAlone(alone=False) | AnswerDefence(alone=False):
            return 0, 0
        case PlayCard(card) | Discard(card):
            view = view_for(game, to_act(game) or 0)
            return 1, strength(card, view.trump or "n")
        case CallTrump(trump, alone=False):
            view = view_for(game, to_act(game) or 0)
            return 1, -sum(strength(card, trump) for card in view.cards)
        case _:
            return 2, 0
