"""Find what self-play adds to what the playouts say of a bid, and write it to bots/bids.json.

    python scripts/train_bids.py [--deals N] [--seed S] [--jobs J]

Four of `hard`, with fewer layouts, play by the table as it is. At every bid where the best call and a pass, or the best
call alone, are about level and nothing is better, the hand is played out with each of them from the same cards. What
passing scored beyond what the playouts said of it, next to the call, is the place's worth of passing, and what alone
scored beyond that is the worth of alone; the less is known of either, the nearer it is drawn to nothing. A core takes
about eight minutes for a thousand deals.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from bots.estimate import place_of
from bots.hard import HARD
from bots.search import evaluate
from engine.actions import PASS, Action, CallTrump, OrderUp
from engine.cards import SEATS, Seat, make_pack, team_of
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game, Phase
from engine.view import view_for

_TABLE: Final = Path(__file__).parents[1] / "bots" / "bids.json"
_PLAYER: Final = replace(HARD, bids=240, layouts=80, work=40_000)
_RULES: Final = Rules()
_CLOSE: Final = 0.6
"""Actions less than so many points below the best may be the right ones."""
_LIKELY: Final = 0.15
"""Points by which the playouts are likely to be wrong about a place."""


@dataclass(frozen=True, slots=True)
class Sample:
    """By how much a pass, and alone, scored better next to the best call than the playouts said; None if not level."""

    phase: Phase
    place: int
    passed: float | None
    alone: float | None


def samples(seed: int, number: int) -> list[Sample]:
    """Play deal *number* and return a sample of each bid that is close."""
    rng = random.Random(f"{seed}/{number}")  # noqa: S311 - the same deals each time
    pack = make_pack(_RULES.low_rank)
    deck = tuple(rng.sample(pack, len(pack)))
    game, _ = deal(new_game(_RULES), deck, dealer=rng.randrange(len(SEATS)))
    found: list[Sample] = []
    while (seat := to_act(game)) is not None:
        view, legal = view_for(game, seat), legal_actions(game)
        if view.phase not in (Phase.ROUND_ONE, Phase.ROUND_TWO):
            break
        if PASS in legal:
            found.append(_sample(game, seat, rng))
        action = _PLAYER.decide(view, legal, _RULES, rng)
        if action != PASS:
            break
        game, _ = apply(game, seat, action)
    return found


def _sample(game: Game, seat: Seat, rng: random.Random) -> Sample:
    view, legal = view_for(game, seat), legal_actions(game)
    assert view.phase is not None
    assert view.dealer is not None
    seed = rng.getrandbits(32)
    said = {found.action: found.points for found in evaluate(view, legal, _RULES, layouts=_PLAYER.bids, seed=seed)}
    together, alone = (
        max((action for action in said if _is_call(action, alone=is_alone)), key=said.__getitem__)
        for is_alone in (False, True)
    )
    best = max(said.values())
    level = [action for action in (together, alone, PASS) if said[action] > best - _CLOSE]
    beyond: dict[Action, float] = {}
    if together in level and len(level) > 1:
        beyond = {action: _play_out(game, seat, action) - said[action] for action in level}
    passed, by_itself = (beyond[action] - beyond[together] if action in beyond else None for action in (PASS, alone))
    return Sample(view.phase, place_of(seat, view.dealer), passed, by_itself)


def _is_call(action: Action, *, alone: bool) -> bool:
    return isinstance(action, OrderUp | CallTrump) and action.alone is alone


def _play_out(game: Game, seat: Seat, action: Action) -> int:
    """Return the points of *seat*'s side, less the other's, once *action* is taken and the hand played."""
    game, _ = apply(game, seat, action)
    rng = random.Random(0)  # noqa: S311 - both are played with the same
    while (other := to_act(game)) is not None:
        view, legal = view_for(game, other), legal_actions(game)
        game, _ = apply(game, other, _PLAYER.decide(view, legal, _RULES, rng))
    assert isinstance(game.stage, AwaitingDeal | Finished)
    result = game.stage.result
    assert result is not None
    return result.points if result.team == team_of(seat) else -result.points


def _summed_up(name: str, adds: list[float]) -> float:
    """Return the mean of *adds*, drawn towards nothing as far as it is uncertain, and print it."""
    if len(adds) < 2:
        return 0.0
    mean, error = fmean(adds), stdev(adds) / sqrt(len(adds))
    kept = mean * _LIKELY**2 / (_LIKELY**2 + error**2)
    print(f"{name}: {mean:+.2f} ± {error:.2f} of {len(adds)}, taken for {kept:+.2f}")
    return round(kept, 2)


def main() -> None:
    """Train, and write the table."""
    parser = argparse.ArgumentParser(description="Find where each place should call, by self-play.")
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    with ProcessPoolExecutor(given.jobs) as pool:
        everything = list(chain.from_iterable(pool.map(partial(samples, given.seed), range(given.deals), chunksize=20)))
    passing = {
        str(phase): [
            _summed_up(
                f"pass in {phase}, place {place}",
                [
                    bid.passed
                    for bid in everything
                    if (bid.phase, bid.place) == (phase, place) and bid.passed is not None
                ],
            )
            for place in SEATS
        ]
        for phase in (Phase.ROUND_ONE, Phase.ROUND_TWO)
    }
    alone = _summed_up("alone", [bid.alone for bid in everything if bid.alone is not None])
    _TABLE.write_text(json.dumps({"pass": passing, "alone": alone}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
