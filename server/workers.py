"""The pool of bot workers: processes on the other end of a connection that answer ``decide`` and keep nothing.

Any worker can answer any request. One that is late, gone or wrong costs a table nothing: a rule of thumb answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
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
_MISSES_BEFORE_ASIDE: Final = 3
"""How many tables in a row a worker lets wait in vain before it is asked no more for a while."""
_ASIDE_S: Final = 30.0
"""How long that while is; then it is tried with one decision."""
_LATE_S: Final = 0.5
"""A server that comes round so late is late itself, and cannot tell whether a worker is."""

_log = structlog.get_logger("server.workers")


@dataclass(eq=False)
class Worker:
    """One connected worker: ``waiting`` maps its open requests to their answers, None for one that was late.

    ``misses`` counts tables in a row that waited for it in vain, ``aside_until_s`` is on the loop's clock.
    """

    outlet: Outlet
    slots: int
    waiting: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    misses: int = 0
    aside_until_s: float = 0.0

    @property
    def load(self) -> float:
        return len(self.waiting) / self.slots

    @property
    def is_aside(self) -> bool:
        """Tell whether it missed so much that it is only tried now and then."""
        return self.misses >= _MISSES_BEFORE_ASIDE

    @property
    def codec(self) -> Codec:
        return self.outlet.codec


class WorkerPool:
    """Who can be asked for a decision, and who was."""

    def __init__(self) -> None:
        self._workers: list[Worker] = []
        self._ids = itertools.count(1)
        self._has_news = asyncio.Event()
        """Set when a worker may have more to spare than before, is set aside, or is gone."""

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def set_aside(self) -> int:
        """How many workers are set aside because they are late again and again."""
        return sum(worker.is_aside for worker in self._workers)

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
            if not answer.done():
                answer.set_result(None)
        worker.waiting.clear()
        self._has_news.set()

    def answered(self, worker: Worker, request: int, outcome: str | list[Worth]) -> None:
        """Take a worker's answer; one that is late or was never asked for is passed over."""
        answer = worker.waiting.pop(request, None)
        if answer is not None and not answer.done():
            answer.set_result(outcome)
            if isinstance(outcome, str):
                self._take_back(worker)
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
        loop = asyncio.get_running_loop()
        if worker.is_aside and not can_wait:  # this is the one it is tried with
            worker.aside_until_s = loop.time() + _ASIDE_S
        request = next(self._ids)
        answer: asyncio.Future[str | list[Worth] | None] = loop.create_future()
        worker.waiting[request] = answer
        worker.outlet.send(Encoded(worker.codec.encode(question(request))))
        due_s = loop.time() + limit_s
        bell = loop.call_at(due_s, partial(self._late, worker, answer, due_s, can_wait=can_wait))
        answer.add_done_callback(lambda _: bell.cancel())
        # Shielded: whoever asked may want it no more, and the worker be late all the same.
        return await asyncio.shield(answer)

    def _late(self, worker: Worker, answer: asyncio.Future[Any], due_s: float, *, can_wait: bool) -> None:
        """Wait no longer for *worker*. The slot stays taken until it answers or leaves."""
        answer.set_result(None)
        _log.warning("worker_late")
        now_s = asyncio.get_running_loop().time()
        if can_wait or now_s > due_s + _LATE_S:
            return
        worker.misses += 1
        if worker.is_aside:
            worker.aside_until_s = now_s + _ASIDE_S
            self._has_news.set()
        if worker.misses == _MISSES_BEFORE_ASIDE:
            _log.error("worker_set_aside", misses=worker.misses, tried_every_s=_ASIDE_S)

    def _take_back(self, worker: Worker) -> None:
        """Ask *worker* like any other: it decided in time."""
        if worker.is_aside:
            _log.info("worker_back")
        worker.misses, worker.aside_until_s = 0, 0.0

    def _least_busy(self, share: float) -> Worker | None:
        """Return the worker with the least to do, None where all are busy with *share* of their slots."""
        worker = min(self._asked(), key=lambda worker: worker.load, default=None)
        return worker if worker is not None and worker.load < share else None

    def _asked(self) -> list[Worker]:
        """Return the workers that may be asked: those that are not set aside, or are to be tried."""
        now_s = asyncio.get_running_loop().time()
        return [worker for worker in self._workers if worker.aside_until_s <= now_s]

    async def _with_slots_to_spare(self) -> Worker | None:
        """Return a worker that has slots to spare; None where none may be asked, or none has any for too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_SPARE_AWAITED_S):
                while self._asked():
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
