"""`euchre bench engine`: whole hands of random play, through the engine's public functions."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, Final

from clients.cli.bench.rounds import Compared
from clients.cli.errors import UsageError
from engine import Rules, apply, deal, legal_actions, make_rules, new_game, to_act
from engine.cards import make_pack
from engine.rules import PRESETS

_ROUNDS: Final = 9
_SEED: Final = 20_240_607
_STANDARD: Final = "standard"
_OPENSPIEL: Final = "OpenSpiel"
_OPTION_SETS: Final[dict[str, dict[str, object]]] = {
    "claims": {"claim": "validated"},
    "32 cards, Benny": {"low_rank": 7, "jokers": 1, "no_trump": "round2", "low_no_trump": True},
    "many questions": {
        "alone": "maker_side",
        "alone_timing": "before_first_lead",
        "partner_exchange": "call_for_best",
        "defend_alone": "any",
        "order_requires": "natural_trump",
        "relief": "swap3",
    },
}
"""Options that no preset has, by what is told of them; on top of the standard game."""

PlayHands = Callable[[int, Random], None]


def engine(*, hands: int = 9_000) -> int:
    """Count random hands a second: deal, then legal_actions and apply until the hand is scored or thrown in.

    Every preset and some option sets in turn, and OpenSpiel's euchre where it is installed: the same kind of play
    through its Python interface, one game being one hand. Ratios are to the standard game, and of it to OpenSpiel.

    Parameters
    ----------
    hands
        Hands of each, over all rounds.
    """
    if hands < _ROUNDS:
        raise UsageError(f"--hands is {_ROUNDS} or more")
    a_round = hands // _ROUNDS
    players = _players()
    print(f"Random hands, {_ROUNDS} rounds of {a_round} hands of each, in turn", end="")
    print("." if _OPENSPIEL in players else "; OpenSpiel is not installed (pip install open-spiel).", flush=True)
    rng = Random(_SEED)  # noqa: S311 - the same cards each time are what is wanted
    rates: dict[str, list[float]] = {name: [] for name in players}
    for _ in range(_ROUNDS):
        for name, play in players.items():
            rates[name].append(_rate(play, a_round, rng))
    _print_table(rates)
    return 0


def _players() -> dict[str, PlayHands]:
    """Return what is measured, by name, the standard game first."""
    players: dict[str, PlayHands] = {preset: partial(play_hands, make_rules(preset)) for preset in PRESETS}
    for name, options in _OPTION_SETS.items():
        players[name] = partial(play_hands, make_rules(_STANDARD, options))
    if (theirs := _openspiel()) is not None:
        players[_OPENSPIEL] = theirs
    return players


def _print_table(rates: dict[str, list[float]]) -> None:
    print(f"{'median':16}{'hands/s':>10}{'to standard':>14}")
    for name, own in rates.items():
        compared = Compared(own, rates[_STANDARD])
        print(f"{name:16}{compared.our_rate:>10,.0f}{compared.ratio:>14.2f}")
    slowest = min(PRESETS, key=lambda preset: Compared(rates[preset], rates[_STANDARD]).ratio)
    ratio = Compared(rates[slowest], rates[_STANDARD]).ratio
    print(f"slowest preset: {slowest}, {ratio:.2f} of {_STANDARD}")
    if _OPENSPIEL in rates:
        print(f"{_STANDARD} to {_OPENSPIEL}: {Compared(rates[_STANDARD], rates[_OPENSPIEL]).ratio:.2f}")


def _rate(play: PlayHands, hands: int, rng: Random) -> float:
    """Return hands a second of this process's own processor time: others on the machine count less."""
    begun = time.process_time()
    play(hands, rng)
    return hands / (time.process_time() - begun)


def play_hands(rules: Rules, hands: int, rng: Random) -> None:
    """Play that many hands at random."""
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
