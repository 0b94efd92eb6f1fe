"""A game looked at afterwards: what was played, what the search prefers, and the points each decision cost.

What a decision cost is what its action is worth less than the best one, both over layouts that fit what that seat knew:
nobody is blamed for cards he could not see. A difference within twice its error counts as none.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot
from typing import Final

from bots.sdk.bot import rule_of_thumb
from bots.search import Worth, evaluate
from engine.actions import Action, parse_action
from engine.cards import SEATS, Seat, team_of
from engine.events import HandScored
from engine.game import apply, legal_actions, passed_on, phase_of, to_act
from engine.record import Header, Step, replay
from engine.state import Game, Phase
from engine.view import view_for

LAYOUTS: Final = 100
_ERRORS_THAT_COUNT: Final = 2
_LEAST_COST: Final = 0.005
"""Less than a hundredth of a point is nothing, also where every layout was looked at and there is no error."""
_WORST_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision with a choice: ``n`` is its entry in the record, ``hand`` the number of its deal.

    ``worths`` are those of the actions the search judges, in the order of the legal ones.
    """

    n: int
    hand: int
    seat: Seat
    phase: Phase
    played: Action
    worths: tuple[Worth, ...]

    @property
    def best(self) -> Worth | None:
        """What the search prefers; the played action where nothing is better."""
        played = self._played
        best = max(self.worths, key=lambda worth: worth.points, default=None)
        return played if best is None or (played is not None and played.points >= best.points) else best

    @property
    def cost(self) -> float:
        """The points lost; 0 where the difference is within the error, or the search does not judge."""
        played, best = self._played, self.best
        if played is None or best is None:
            return 0.0
        lost = best.points - played.points
        return lost if lost > max(_LEAST_COST, _ERRORS_THAT_COUNT * hypot(best.error, played.error)) else 0.0

    @property
    def _played(self) -> Worth | None:
        return next((worth for worth in self.worths if worth.action == self.played), None)


@dataclass(frozen=True, slots=True)
class HandLooked:
    """How a hand came out and what the deal was worth, in points of team 0 less those of team 1.

    ``par`` is what four players by rules of thumb make of the same deal, ``par_passed_on`` what they make of it with
    every hand passed one seat on, so that each side has the other's cards. ``result`` is None where the hand was thrown
    in or the record ends before its end.
    """

    hand: int
    par: int
    par_passed_on: int
    result: HandScored | None

    @property
    def points(self) -> int:
        """What it came out as."""
        return 0 if self.result is None else _of_team_0(self.result)

    @property
    def luck(self) -> float:
        """What the cards brought team 0 above an average deal.

        It is half of what they make more than the other side's would. To deal is worth something, too, whatever the
        cards; that is in both and cancels.
        """
        return (self.par - self.par_passed_on) / 2


@dataclass(frozen=True, slots=True)
class Analysis:
    """A whole game: its hands and every decision that was asked about."""

    header: Header
    hands: tuple[HandLooked, ...]
    decisions: tuple[Decision, ...]

    def cost_of(self, seat: Seat) -> float:
        """Return the points a player's decisions cost his side."""
        return sum(decision.cost for decision in self.decisions if decision.seat == seat)

    def worst(self, seats: Iterable[Seat] = SEATS) -> Sequence[Decision]:
        """Return the three costliest mistakes."""
        wanted = frozenset(seats)
        mistakes = [decision for decision in self.decisions if decision.seat in wanted and decision.cost > 0]
        return sorted(mistakes, key=lambda decision: (-decision.cost, decision.n))[:_WORST_TOLD]

    def luck(self, team: int) -> float:
        """Return the points the cards brought *team* above average ones, which bring none."""
        luck = sum(hand.luck for hand in self.hands)
        return luck if team == 0 else -luck


def analyse(
    lines: Iterable[str],
    *,
    seats: Iterable[Seat] = SEATS,
    layouts: int = LAYOUTS,
    seed: int = 1,
    on_progress: Callable[[int], None] = lambda _: None,
) -> Analysis:
    """Look at the decisions of *seats* in a record. The same seed gives the same answer.

    *on_progress* hears of every entry done. Raises RecordError.
    """
    header, steps = replay(lines)
    followed, asked = list(steps), frozenset(seats)
    decisions = []
    for before, step in itertools.pairwise(followed):
        game = before.game
        if "do" in step.entry and to_act(game) in asked and len(legal_actions(game)) > 1:
            decisions.append(_decision(step, game, layouts=layouts, seed=seed))
        on_progress(1)
    return Analysis(header, tuple(_hands(followed)), tuple(decisions))


def _decision(step: Step, before: Game, *, layouts: int, seed: int) -> Decision:
    seat = to_act(before)
    assert seat is not None
    rules = before.standing.rules
    worths = evaluate(view_for(before, seat), legal_actions(before), rules, layouts=layouts, seed=seed + step.n)
    played = parse_action(step.entry["do"])
    return Decision(step.n, before.standing.hands_dealt, seat, phase_of(before), played, worths)


def _hands(steps: Sequence[Step]) -> Iterator[HandLooked]:
    looked: HandLooked | None = None
    for step in steps:
        if "deal" in step.entry:
            if looked is not None:
                yield looked
            pars = _par(step.game), _par(passed_on(step.game))
            looked = HandLooked(step.game.standing.hands_dealt, *pars, None)
        for event in step.events:
            if isinstance(event, HandScored) and looked is not None:
                looked = replace(looked, result=event)
    if looked is not None:
        yield looked


def _par(game: Game) -> int:
    """Return what a deal comes to when all four play by rules of thumb."""
    rules = game.standing.rules
    while (seat := to_act(game)) is not None:
        action, *others = legal = legal_actions(game)
        if others:
            action = rule_of_thumb(view_for(game, seat), legal, rules)
        game, events = apply(game, seat, action)
        for event in events:
            if isinstance(event, HandScored):
                return _of_team_0(event)
    return 0


def _of_team_0(result: HandScored) -> int:
    return result.points if result.team == team_of(0) else -result.points
