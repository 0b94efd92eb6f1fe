"""The levels that search: `hard`, which thinks for a moment, and `expert`, which takes its time."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.contract import Result
from bots.estimate import place_of, seat_of
from bots.search import Outcome, outcomes
from bots.solver.open_hand import IS_COMPILED
from bots.special import choose_claim, choose_relief
from bots.standard import Standard
from bots.winning import Standing
from engine.actions import PASS, Action, AnswerAlone, CallTrump, OrderUp
from engine.cards import team_of
from engine.rules import Rules
from engine.state import Phase
from engine.view import View

_STANDARD: Final = Standard()
_UNCOMPILED_SHARE: Final = 6
"""An uncompiled search takes one layout where a compiled one takes so many."""
_FEWEST_LAYOUTS: Final = 6
_SLOWER: Final = 25
"""How many times longer a play takes to look at uncompiled."""
_BIDS: Final = json.loads(Path(__file__).with_name("bids.json").read_text())
"""What scripts/train_bids.py found by self-play, in points beyond what the playouts say."""
_PASS_ADDS: Final[dict[str, list[float]]] = _BIDS["pass"]
_ALONE_ADDS: Final[float] = _BIDS["alone"]
_TRICK: Final = 0.02
"""What a trick is worth that brings no point: others err too."""


@dataclass(frozen=True, slots=True)
class Searching:
    """A level that plays out layouts and chooses by the chance to win the game.

    It takes ``layouts`` of them for a card, ``bids`` for what comes before the first lead, and stops after ``work``
    plays. Where actions come out the same within ``margin`` points, it does as `standard` does, whose ways a partner
    knows.
    """

    name: str
    bids: int
    layouts: int
    work: int
    margin: float

    def decide(self, view: View, legal: Sequence[Action], rules: Rules, rng: random.Random) -> Action:
        """Return one of *legal* for the seat whose view this is."""
        if len(legal) == 1:
            return legal[0]
        sure = choose_claim(legal) if view.phase is Phase.PLAY else None
        sure = sure or (choose_relief(view, legal) if view.phase is Phase.ROUND_ONE else None)
        if sure is not None:
            return sure
        usual = _STANDARD.decide(view, legal, rules, rng)
        found = outcomes(
            view,
            legal,
            rules,
            layouts=self._layouts(view),
            seed=rng.getrandbits(32),
            work=self.work if IS_COMPILED else self.work // _SLOWER,
        )
        return self._best(view, legal, rules, found, usual) if found else usual

    def _layouts(self, view: View) -> int:
        layouts = self.layouts if view.phase is Phase.PLAY else self.bids
        return layouts if IS_COMPILED else max(_FEWEST_LAYOUTS, layouts // _UNCOMPILED_SHARE)

    def _best(
        self, view: View, legal: Sequence[Action], rules: Rules, found: dict[Action, Outcome], usual: Action
    ) -> Action:
        scale = Scale(view, rules)
        worth = {action: scale.worth(outcome) + _self_play_adds(view, action) for action, outcome in found.items()}
        if not scale.alone_can_gain:
            # Alone is then only for who has no other way to call.
            worth = {action: value for action, value in worth.items() if not _is_alone(action)} or worth
        best = max(worth, key=lambda action: (round(worth[action], 6), str(action)))
        return usual if usual in worth and worth[usual] >= worth[best] - self.margin else best


def _self_play_adds(view: View, action: Action) -> float:
    if action == PASS and view.phase is not None and view.dealer is not None:
        return _PASS_ADDS[view.phase][place_of(seat_of(view), view.dealer)]
    return _ALONE_ADDS * _is_alone(action)


def _is_alone(action: Action) -> bool:
    return isinstance(action, OrderUp | CallTrump | AnswerAlone) and action.alone


class Scale:
    """What results are worth at the score: the chance to win, stretched so that an ordinary point is about 1."""

    def __init__(self, view: View, rules: Rules) -> None:
        self._team = team_of(seat_of(view))
        self._rules = rules
        self._standing = Standing(rules, view.score[self._team], view.score[1 - self._team], view.hands_scored)
        self.alone_can_gain = self._standing.alone_can_gain()
        """Whether the points of a lone march win more than those of one together."""
        self._even = self._standing.after(0)
        self._per_point = max(1e-9, (self._standing.after(2) - self._standing.after(-2)) / 4)

    def worth(self, outcome: Outcome) -> float:
        """Return what *outcome* is worth, in points."""
        mean, _ = outcome.mean(self._of)
        return mean

    def _of(self, result: Result) -> float:
        points, tricks = result
        return (self._standing.after(points) - self._even) / self._per_point + _TRICK * tricks


HARD: Final = Searching("hard", bids=800, layouts=250, work=120_000, margin=0.05)
EXPERT: Final = Searching("expert", bids=4000, layouts=1500, work=1_000_000, margin=0.03)
