"""Two policies over the same deals, with the pairs swapped: who is better, by how much, and how sure that is.

    python -m bots.arena standard easy --deals 3000

Every deal is played twice, each policy once in each pair of seats, so that the luck of the cards cancels. A hand is
scored by itself, at 0-0 unless *score* says otherwise, and its points count for the pair that made them.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, variance
from typing import Final, TypeAlias

from bots.policy import LEVELS, Policy
from bots.uniform import Uniform
from engine.cards import Cards, Seat, make_pack, team_of
from engine.errors import RulesError
from engine.events import HandScored
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import PRESETS, Rules, make_rules
from engine.state import AwaitingDeal, Finished, Game
from engine.view import view_for

_FEWEST_DEALS: Final = 2
"""A standard error needs two."""

Seats: TypeAlias = tuple[Policy, Policy, Policy, Policy]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better the first policy was: mean points a hand (its own less the other's), and the standard error.

    ``hands`` counts hands played, two a deal. ``results`` tells how the first policy's side fared when it made trump,
    by the reason of the score.
    """

    points: float
    error: float
    hands: int
    results: Counter[str]

    @property
    def made_rate(self) -> float:
        """The share of the first policy's calls that were not euchred."""
        lost = sum(count for reason, count in self.results.items() if "euchre" in reason or "defender" in reason)
        return 1 - lost / max(1, self.results.total())


def compare(first: Policy, second: Policy, rules: Rules, *, deals: int, seed: int) -> Comparison:
    """Play *deals* random deals, at least two, twice each. The same seed gives the same answer."""
    rng = random.Random(seed)
    pack = make_pack(rules.low_rank, rules.jokers)
    differences: list[float] = []
    results: Counter[str] = Counter()
    for _ in range(deals):
        deck = tuple(rng.sample(pack, len(pack)))
        dealer, hand_seed = rng.randrange(4), rng.getrandbits(48)
        difference = 0
        for own_team, seats in ((0, (first, second, first, second)), (1, (second, first, second, first))):
            result = play_hand(seats, rules, deck, dealer=dealer, seed=hand_seed)
            if result is None:
                continue
            difference += result.points if result.team == own_team else -result.points
            if team_of(result.maker) == own_team:
                results[str(result.reason)] += 1
        differences.append(difference / 2)
    return Comparison(fmean(differences), sqrt(variance(differences) / deals), 2 * deals, results)


def play_hand(
    seats: Seats, rules: Rules, deck: Cards, *, dealer: Seat, seed: int, score: tuple[int, int] = (0, 0)
) -> HandScored | None:
    """Play one hand of *deck* and return how it scored; None when it was thrown in."""
    game = new_game(rules)
    game, _ = deal(replace(game, standing=replace(game.standing, score=score)), deck, dealer=dealer)
    game = play_out(game, seats, random.Random(seed))
    assert isinstance(game.stage, AwaitingDeal | Finished)
    return game.stage.result


def play_out(game: Game, seats: Seats, rng: random.Random) -> Game:
    """Let *seats* act until no seat is asked: the hand is over."""
    while (seat := to_act(game)) is not None:
        action, *others = legal = legal_actions(game)
        if others:
            view = view_for(game, seat)
            action = seats[seat].decide(view, legal, game.standing.rules, random.Random(rng.getrandbits(48)))
        game, _ = apply(game, seat, action)
    return game


def main() -> None:
    """Compare two policies by name and write what was measured."""
    contenders: dict[str, Policy] = {**LEVELS, Uniform.name: Uniform()}
    parser = argparse.ArgumentParser(prog="python -m bots.arena", description="Compare two bots over duplicate deals.")
    parser.add_argument("first", choices=contenders)
    parser.add_argument("second", choices=contenders)
    parser.add_argument("--deals", type=int, default=500, help="each is played twice (default: %(default)s)")
    parser.add_argument("--preset", choices=PRESETS, default="standard")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.deals < _FEWEST_DEALS:
        parser.error(f"--deals must be at least {_FEWEST_DEALS}")
    try:
        rules = make_rules(given.preset)
    except RulesError as error:
        parser.error(str(error))
    first, second = contenders[given.first], contenders[given.second]
    measured = compare(first, second, rules, deals=given.deals, seed=given.seed)
    results = ", ".join(f"{reason} {count}" for reason, count in measured.results.most_common())
    sys.stdout.write(
        f"{first.name} against {second.name}: {measured.points:+.3f} points a hand"
        f" (standard error {measured.error:.3f}, {measured.hands} hands)\n"
        f"{first.name}'s calls: {results}\n"
    )


if __name__ == "__main__":
    main()
