"""`euchre bench engine`: whole hands of random play, through the engine's public functions."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from random import Random
from typing import Any, Final

from clients.cli.bench.rounds import Compared
from clients.cli.errors import UsageError
from engine import apply, deal, legal_actions, make_rules, new_game, to_act
from engine.cards import make_pack

_ROUNDS: Final = 5
_SEED: Final = 20_240_607

PlayHands = Callable[[int, Random], None]


def engine(*, hands: int = 20_000) -> int:
    """Count random hands a second: deal, then legal_actions and apply until the hand is scored, standard rules.

    Next to it, in turn and in the same process, OpenSpiel's euchre where it is installed: the same kind of play through
    its Python interface, one game being one hand.

    Parameters
    ----------
    hands
        Hands of each, over all rounds.
    """
    if hands < _ROUNDS:
        raise UsageError(f"--hands is {_ROUNDS} or more")
    theirs = _openspiel()
    print(f"Random hands, standard rules, {_ROUNDS} rounds of {hands // _ROUNDS} hands each", end="")
    print(", in turn." if theirs else "; OpenSpiel is not installed (pip install open-spiel).")
    rng = Random(_SEED)  # noqa: S311 - the same cards each time are what is wanted
    our_rates: list[float] = []
    their_rates: list[float] = []
    for number in range(1, _ROUNDS + 1):
        our_rates.append(_rate(play_hands, hands // _ROUNDS, rng))
        line = f"round {number}: engine {our_rates[-1]:>8,.0f} hands/s"
        if theirs is not None:
            their_rates.append(_rate(theirs, hands // _ROUNDS, rng))
            line += f"   OpenSpiel {their_rates[-1]:>8,.0f} hands/s"
        print(line, flush=True)
    if theirs is None:
        print(f"median: {Compared(our_rates, our_rates).our_rate:,.0f} hands/s")
        return 0
    compared = Compared(our_rates, their_rates)
    print(
        f"median: engine {compared.our_rate:,.0f} hands/s, OpenSpiel {compared.their_rate:,.0f} hands/s, "
        f"ratio {compared.ratio:.2f}"
    )
    return 0


def _rate(play: PlayHands, hands: int, rng: Random) -> float:
    """Return hands a second of this process's own processor time: others on the machine count less."""
    begun = time.process_time()
    play(hands, rng)
    return hands / (time.process_time() - begun)


def play_hands(hands: int, rng: Random) -> None:
    """Play that many hands of the standard game at random."""
    rules = make_rules()
    pack = list(make_pack(rules.low_rank, rules.jokers))
    before = new_game(rules)
    random = rng.random
    for number in range(hands):
        rng.shuffle(pack)
        game, _ = deal(before, tuple(pack), dealer=number % 4)
        while (seat := to_act(game)) is not None:
            legal = legal_actions(game)
            game, _ = apply(game, seat, legal[int(random() * len(legal))])


def _openspiel() -> PlayHands | None:
    """Return the same with OpenSpiel's euchre; None where it is not installed."""
    try:
        pyspiel: Any = importlib.import_module("pyspiel")
    except ImportError:
        return None
    euchre = pyspiel.load_game("euchre")

    def play(hands: int, rng: Random) -> None:
        random = rng.random
        for _ in range(hands):
            state = euchre.new_initial_state()
            while not state.is_terminal():
                legal = state.legal_actions()
                state.apply_action(legal[int(random() * len(legal))])

    return play
