"""Find what self-play adds to what the playouts say of a bid, and write it to bots/bids.json.

    python scripts/train_bids.py [--deals N] [--seed S]

At every bid of self-play where calling and passing are about level, the hand is played out from the same cards with the
best call, with it alone, and passed. What passing scored beyond what the playouts said of it, next to the call, is the
place's worth of passing, and what alone scored beyond that, next to calling together, the worth of alone. It takes
about a minute per thousand deals.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from bots.estimate import place_of
from bots.search import evaluate
from bots.standard import Standard
from engine.actions import PASS, Action, CallTrump, OrderUp
from engine.cards import SEATS, Seat, make_pack, team_of
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game, Phase
from engine.view import view_for

_TABLE: Final = Path(__file__).parents[1] / "bots" / "bids.json"
_PLAYER: Final = Standard()
_RULES: Final = Rules()
_LAYOUTS: Final = 60
_CLOSE: Final = 0.8
"""Actions less than so many points apart tell what decides between them."""
_FEWEST: Final = 300
"""Samples below which a place is left as the playouts have it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A bid: what the playouts said and what was scored, of the best call, of it alone and of passing."""

    phase: Phase
    place: int
    said: tuple[float, float, float]
    scored: tuple[int, int, int]

    def adds(self, one: int, other: int) -> float:
        """Return by how much *one* scored better, next to *other*, than the playouts said."""
        return (self.scored[one] - self.scored[other]) - (self.said[one] - self.said[other])

    def is_close(self, one: int, other: int) -> bool:
        """Tell whether the playouts found the two about level."""
        return abs(self.said[one] - self.said[other]) < _CLOSE


_CALLED, _ALONE, _PASSED = range(3)


def samples(deals: int, rng: random.Random) -> Iterator[Sample]:
    """Play *deals* hands and yield a sample at each bid."""
    pack = make_pack(_RULES.low_rank)
    for _ in range(deals):
        deck = tuple(rng.sample(pack, len(pack)))
        game, _ = deal(new_game(_RULES), deck, dealer=rng.randrange(4))
        while (seat := to_act(game)) is not None:
            view, legal = view_for(game, seat), legal_actions(game)
            if view.phase not in (Phase.ROUND_ONE, Phase.ROUND_TWO):
                break
            if PASS in legal:
                yield _sample(game, seat, rng.getrandbits(32))
            action = _PLAYER.decide(view, legal, _RULES, rng)
            if action != PASS:
                break
            game, _ = apply(game, seat, action)


def _sample(game: Game, seat: Seat, seed: int) -> Sample:
    view, legal = view_for(game, seat), legal_actions(game)
    assert view.phase is not None
    assert view.dealer is not None
    worth = {found.action: found.points for found in evaluate(view, legal, _RULES, layouts=_LAYOUTS, seed=seed)}
    together, alone = (
        max((action for action in worth if _is_call(action, alone=is_alone)), key=worth.__getitem__)
        for is_alone in (False, True)
    )
    return Sample(
        view.phase,
        place_of(seat, view.dealer),
        (worth[together], worth[alone], worth[PASS]),
        (_play_out(game, seat, together), _play_out(game, seat, alone), _play_out(game, seat, PASS)),
    )


def _is_call(action: Action, *, alone: bool) -> bool:
    return isinstance(action, OrderUp | CallTrump) and action.alone is alone


def _play_out(game: Game, seat: Seat, action: Action) -> int:
    """Return the points of *seat*'s side, less the other's, once *action* is taken and the hand played."""
    game, _ = apply(game, seat, action)
    rng = random.Random(0)  # noqa: S311 - nothing is drawn from it
    while (other := to_act(game)) is not None:
        view, legal = view_for(game, other), legal_actions(game)
        game, _ = apply(game, other, _PLAYER.decide(view, legal, _RULES, rng))
    assert isinstance(game.stage, AwaitingDeal | Finished)
    result = game.stage.result
    assert result is not None
    return result.points if result.team == team_of(seat) else -result.points


def main() -> None:
    """Train, and write the table."""
    parser = argparse.ArgumentParser(description="Find where each place should call, by self-play.")
    parser.add_argument("--deals", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    everything = list(samples(given.deals, random.Random(given.seed)))  # noqa: S311 - the same deals each time
    by_place: dict[tuple[Phase, int], list[float]] = defaultdict(list)
    for bid in everything:
        if bid.is_close(_PASSED, _CALLED):
            by_place[bid.phase, bid.place].append(bid.adds(_PASSED, _CALLED))
    passing: dict[str, list[float]] = {phase: [0.0] * len(SEATS) for phase in (Phase.ROUND_ONE, Phase.ROUND_TWO)}
    for (phase, place), found in sorted(by_place.items()):
        if len(found) >= _FEWEST:
            passing[phase][place] = round(fmean(found), 2)
        print(f"{phase} place {place}: {fmean(found):+.2f} ± {stdev(found) / sqrt(len(found)):.2f} of {len(found)}")
    alone = [bid.adds(_ALONE, _CALLED) for bid in everything if bid.is_close(_ALONE, _CALLED)]
    print(f"alone {fmean(alone):+.2f} ± {stdev(alone) / sqrt(len(alone)):.2f} of {len(alone)}")
    table = {"pass": passing, "alone": round(fmean(alone), 2)}
    _TABLE.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
