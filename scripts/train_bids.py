"""Find the points, by search, from which each place should call, and write them to bots/bids.json.

    python scripts/train_bids.py [--deals N] [--seed S]

At every bid of self-play the hand is played out from the same cards with the best call, with it alone, and passed.
Where calling and passing score alike is the threshold of the place; what a lone hand scores beyond what the search said
is the bonus for going alone. It takes about a minute per thousand deals.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from bots.estimate import place_of
from bots.search import evaluate
from bots.standard import Standard
from engine.actions import PASS, Action, CallTrump, OrderUp
from engine.cards import Seat, make_pack, team_of
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game, Phase
from engine.view import view_for

_TABLE: Final = Path(__file__).parents[1] / "bots" / "bids.json"
_PLAYER: Final = Standard()
_RULES: Final = Rules()
_LAYOUTS: Final = 60
_WINDOW: Final = (-1.2, 1.4)
"""Hands worth so many points are near enough to the threshold to tell where it lies."""
_LEAST_SLOPE: Final = 0.6
_FEWEST: Final = 60
"""Samples below which a place keeps its old threshold."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A bid: what the search said of the best call, and what calling, calling alone and passing scored."""

    phase: Phase
    place: int
    together: float
    alone: float
    scored_together: int
    scored_alone: int
    scored_passed: int | None


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
        worth[together],
        worth[alone],
        _play_out(game, seat, together),
        _play_out(game, seat, alone),
        _play_out(game, seat, PASS) if PASS in legal else None,
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


def threshold(found: Sequence[Sample]) -> float:
    """Return where the line through gain (called less passed) by worth crosses zero."""
    pairs = [(bid.together, bid.scored_together - bid.scored_passed) for bid in found if bid.scored_passed is not None]
    middle, gain = fmean(worth for worth, _ in pairs), fmean(won for _, won in pairs)
    spread = sum((worth - middle) ** 2 for worth, _ in pairs)
    slope = sum((worth - middle) * (won - gain) for worth, won in pairs) / spread
    return middle - gain / max(slope, _LEAST_SLOPE)


def lone_bonus(found: Sequence[Sample]) -> float:
    """Return what going alone gains beyond what the search says, among hands for which it is close."""
    close = [bid for bid in found if abs(bid.alone - bid.together) < 1 and bid.together > 0]
    return fmean((bid.scored_alone - bid.scored_together) - (bid.alone - bid.together) for bid in close)


def main() -> None:
    """Train, and write the table."""
    parser = argparse.ArgumentParser(description="Find where each place should call, by self-play.")
    parser.add_argument("--deals", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    table = json.loads(_TABLE.read_text())
    by_place: dict[tuple[Phase, int], list[Sample]] = defaultdict(list)
    everything = list(samples(given.deals, random.Random(given.seed)))  # noqa: S311 - the same deals each time
    for bid in everything:
        if bid.scored_passed is not None and _WINDOW[0] < bid.together < _WINDOW[1]:
            by_place[bid.phase, bid.place].append(bid)
    for (phase, place), found in sorted(by_place.items()):
        kept = len(found) < _FEWEST
        if not kept:
            table["pass"][phase][place] = round(threshold(found), 2)
        print(f"{phase} place {place}: {table['pass'][phase][place]:+.2f} of {len(found)}{' (kept)' if kept else ''}")
    table["alone"] = round(lone_bonus(everything), 2)
    print(f"alone {table['alone']:+.2f} of {len(everything)}")
    _TABLE.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
