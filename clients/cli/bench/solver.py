"""`euchre bench solver`: random hands solved with all cards open, compiled and as plain Python."""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random
from types import ModuleType
from typing import Final, TypeAlias

from bots.solver import search
from bots.solver.open_hand import IS_COMPILED, mask_of, uncompiled
from clients.cli.bench.rounds import Compared
from clients.cli.errors import UsageError
from engine.cards import CARDS_PER_HAND, SUITS, make_pack

_ROUNDS: Final = 5
_UNCOMPILED_SHARE: Final = 16
"""Of so many hands one is solved uncompiled too, so that both take about as long."""
_SEED: Final = 20_240_607

Masks: TypeAlias = tuple[int, int, int, int]


def solver(*, hands: int = 40_000) -> int:
    """Solve random deals of the standard pack, all 20 cards to be played, every suit being trump in turn.

    Next to it, in turn and in the same process, the same source runs as plain Python.

    Parameters
    ----------
    hands
        Hands solved, over all rounds; of every sixteen one uncompiled too.
    """
    fewest = _ROUNDS * _UNCOMPILED_SHARE
    if hands < fewest:
        raise UsageError(f"--hands is {fewest} or more")
    if not IS_COMPILED:
        print("The search is not compiled here: both columns are plain Python.")
    each = hands // _ROUNDS
    print(f"Random 20-card hands, {_ROUNDS} rounds of {each} compiled and {each // _UNCOMPILED_SHARE} not, in turn.")
    rng = Random(_SEED)  # noqa: S311 - the same cards each time are what is wanted
    as_python = uncompiled()
    fast: list[float] = []
    slow: list[float] = []
    for number in range(1, _ROUNDS + 1):
        deals = [_deal(rng, at) for at in range(each)]
        fast.append(_rate(search, deals))
        slow.append(_rate(as_python, deals[: each // _UNCOMPILED_SHARE]))
        print(f"round {number}: compiled {fast[-1]:>8,.0f} hands/s   Python {slow[-1]:>8,.0f} hands/s", flush=True)
    compared = Compared(fast, slow)
    print(
        f"median: compiled {compared.our_rate:,.0f} hands/s, Python {compared.their_rate:,.0f} hands/s, "
        f"ratio {compared.ratio:.1f}"
    )
    return 0


def _deal(rng: Random, at: int) -> Masks:
    cards = rng.sample(make_pack(9), 4 * CARDS_PER_HAND)
    trump = SUITS[at % len(SUITS)]
    first, second, third, fourth = (mask_of(cards[seat::4], trump) for seat in range(4))
    return first, second, third, fourth


def _rate(module: ModuleType, deals: Sequence[Masks]) -> float:
    """Return hands a second of this process's own processor time: others on the machine count less."""
    begun = time.process_time()
    for first, second, third, fourth in deals:
        module.Solver(has_trump=True).tricks(first, second, third, fourth, CARDS_PER_HAND, 0)
    return len(deals) / (time.process_time() - begun)
