"""What each action is worth, by playing it out over layouts that fit what the seat knows.

Hands are played out by four who go by rules of thumb (`bots.playouts`), and the last two tricks solved with all cards
open (`bots.solver`): over every layout there is, if they are not too many. `evaluate` answers in points and says how
sure it is; `hard` and `expert` choose by the same, and it explains a decision afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final, Protocol

from bots.contract import Contract, Result, results_by_tricks
from bots.estimate import seat_of
from bots.layouts import Layout, draw, every
from bots.playouts import BidsPlayedOut, CardsPlayedOut
from bots.solver.open_hand import bit_of, mask_from_numbers, solver_for, table_masks
from engine.actions import Action, PlayCard
from engine.cards import clockwise_from, team_of
from engine.rules import Rules
from engine.state import Phase
from engine.view import View

_SOLVED: Final = 2
"""With so many cards in hand the rest is solved: what is hidden then is little."""
_LOOKED_THROUGH: Final = 24
"""All layouts are solved then, where they are no more than so many times those that would be drawn."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of an action: how often, over the layouts, our side has which result."""

    counts: Counter[Result]

    def mean(self, worth: Callable[[Result], float]) -> tuple[float, float]:
        """Return the mean and the standard error of *worth*."""
        total = self.counts.total()
        values = [(worth(result), times) for result, times in self.counts.items()]
        mean = sum(times * value for value, times in values) / total
        spread = sum(times * (value - mean) ** 2 for value, times in values) / total
        return mean, sqrt(spread / max(1, total - 1))


@dataclass(frozen=True, slots=True)
class Worth:
    """Expected points of an action for the side that takes it, and their standard error."""

    action: Action
    points: float
    error: float


def evaluate(view: View, legal: Sequence[Action], rules: Rules, *, layouts: int, seed: int) -> tuple[Worth, ...]:
    """Return what each of *legal* is worth to the seat whose *view* this is, in their order.

    Actions the search does not judge are left out: relief, a claim, the cards of call for best, a blind call.
    """
    found = outcomes(view, legal, rules, layouts=layouts, seed=seed)
    return tuple(Worth(action, *found[action].mean(lambda result: result[0])) for action in legal if action in found)


def outcomes(
    view: View, legal: Sequence[Action], rules: Rules, *, layouts: int, seed: int, work: int | None = None
) -> dict[Action, Outcome]:
    """Return what comes of each of *legal* that can be searched, over about *layouts* layouts, the same for all.

    In the last two tricks it is over all that are possible, where they are not too many. Once *work* plays have been
    made, it makes do with the layouts it has seen: a bound on time that does not depend on the machine, so that the
    answer does not. Empty where there is nothing to search.
    """
    trial = _trial(view, legal, rules)
    counts: dict[Action, Counter[Result]] = {action: Counter() for action in trial.actions}
    if not counts:
        return {}
    whole = every(view, rules, most=_LOOKED_THROUGH * layouts) if isinstance(trial, _Solved) else []
    for layout in whole or draw(view, rules, layouts=layouts, seed=seed):
        for action, result in trial.results(layout):
            counts[action][result] += layout[0]
        if work is not None and trial.work > work and not whole:
            break
    return {action: Outcome(counted) for action, counted in counts.items() if counted}


class _Trial(Protocol):
    """A way of telling what comes of actions over one layout; ``work`` counts the plays looked at so far."""

    @property
    def actions(self) -> Sequence[Action]: ...

    @property
    def work(self) -> int: ...

    def results(self, layout: Layout) -> Iterator[tuple[Action, Result]]: ...


def _trial(view: View, legal: Sequence[Action], rules: Rules) -> _Trial:
    if view.phase is not Phase.PLAY:
        return BidsPlayedOut(view, legal, rules)
    plays = [action for action in legal if isinstance(action, PlayCard)]
    return (_Solved if len(view.cards) <= _SOLVED else CardsPlayedOut)(view, plays, rules)


class _Solved:
    """Every layout solved once, for all cards that may be played."""

    def __init__(self, view: View, plays: Sequence[PlayCard], rules: Rules) -> None:
        trump = view.trump
        assert trump is not None
        assert view.maker is not None
        self.actions: Final = plays
        self._trump = trump
        self._seat = seat_of(view)
        self._sitting = view.sitting
        self._tricks_left = len(view.cards)
        self._table = table_masks(self._seat, view.trick, trump)
        self._won = view.won[team_of(self._seat)]
        self._by_tricks = results_by_tricks(rules, Contract(view.maker, trump, view.alone), team_of(self._seat))
        self._action_of = {bit_of(trump)[action.card]: action for action in plays}
        self._solver = solver_for(trump)

    @property
    def work(self) -> int:
        return self._solver.nodes

    def results(self, layout: Layout) -> Iterator[tuple[Action, Result]]:
        first, second, third, fourth = (
            0 if seat in self._sitting else mask_from_numbers(layout[1 + seat], self._trump)
            for seat in clockwise_from(self._seat)
        )
        self._solver.forget()
        found = self._solver.plays(first, second, third, fourth, self._tricks_left, self._seat, self._table)
        for bit, tricks in found:
            yield self._action_of[bit], self._by_tricks[self._won + tricks]
