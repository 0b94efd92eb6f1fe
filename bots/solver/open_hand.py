"""A hand with all cards open: what each play is worth in tricks if nobody errs from then on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias

from bots.solver import search
from bots.solver.search import LONER_AT, SUIT_BITS, TRUMP_AT, Solver
from engine.cards import ALL_CARDS, BENNY, SUITS, Card, Cards, Seat, Trump, effective_suit, strength

IS_COMPILED: Final = not str(search.__file__).endswith(".py")
"""Whether the search runs as machine code; without a C compiler at set-up it runs as Python."""
HOW_IT_RUNS: Final = "compiled" if IS_COMPILED else "not compiled: slower"


def uncompiled(name: str = "search") -> ModuleType:
    """Return a compiled module of this package as Python runs it, from the same source, beside the one in use."""
    source = Path(str(search.__file__)).with_name(f"{name}.py")
    spec = spec_from_file_location(f"bots.solver.{name}_as_python", source)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TrickSoFar: TypeAlias = Sequence[tuple[Seat, Card]]


@cache
def bit_of(trump: Trump) -> dict[Card, int]:
    """Return every card's bit under *trump*, as `bots.solver.search` wants them."""
    bits = {BENNY: 1 << LONER_AT}
    plain = [suit for suit in SUITS if suit != trump]
    starts = {suit: at * SUIT_BITS for at, suit in enumerate(plain)} | {trump if trump in SUITS else plain[3]: TRUMP_AT}
    for suit, start in starts.items():
        cards = [card for card in ALL_CARDS if effective_suit(card, trump) == suit]
        for place, card in enumerate(sorted(cards, key=lambda card: strength(card, trump))):
            # A plain card is as far up as its equals of other suits, be its jack a trump or not.
            bits[card] = 1 << start + (place if suit == trump else strength(card, trump))
    return bits


def mask_of(cards: Iterable[Card], trump: Trump) -> int:
    """Return *cards* as one mask."""
    bits = bit_of(trump)
    return sum(bits[card] for card in cards)


@cache
def by_suit(trump: Trump) -> list[list[int]]:
    """Return, suit by suit, the mask for every combination of its eight ranks, and last without and with the Benny."""
    bits = [bit_of(trump)[card] for card in ALL_CARDS]
    suits = [
        [sum(bits[8 * suit + at] for at in range(8) if ranks >> at & 1) for ranks in range(256)]
        for suit in range(len(SUITS))
    ]
    return [*suits, [0, bits[-1]]]


def mask_from_numbers(hand: int, trump: Trump) -> int:
    """Return the mask of *hand*, itself a mask with a bit a card in the order of ALL_CARDS."""
    first, second, third, fourth, benny = by_suit(trump)
    return (
        first[hand & 255]
        | second[hand >> 8 & 255]
        | third[hand >> 16 & 255]
        | fourth[hand >> 24 & 255]
        | benny[hand >> 32]
    )


def solver_for(trump: Trump) -> Solver:
    """Return an empty solver for hands under *trump*."""
    return Solver(has_trump=trump in SUITS)


def tricks_led_by(seat: Seat, hands: Sequence[Cards], trump: Trump) -> int:
    """Return how many of the tricks to come *seat*'s side takes when *seat* leads.

    *hands* are by seat; one that sits out is empty.
    """
    masks = [mask_of(hands[(seat + at) % 4], trump) for at in range(4)]
    return solver_for(trump).tricks(masks[0], masks[1], masks[2], masks[3], len(hands[seat]), seat)


def tricks_by_play(seat: Seat, hands: Sequence[Cards], trick: TrickSoFar, trump: Trump) -> dict[Card, int]:
    """Return how many of the tricks to come, this one included, *seat*'s side takes by each card it may play.

    *hands* are by seat, without the cards of *trick*, which is on the table; one that sits out is empty.
    """
    bits = bit_of(trump)
    masks = [mask_of(hands[(seat + at) % 4], trump) for at in range(4)]
    table = table_masks(seat, trick, trump)
    values = solver_for(trump).plays(masks[0], masks[1], masks[2], masks[3], len(hands[seat]), seat, table)
    tricks = dict(values)
    return {card: tricks[bits[card]] for card in hands[seat] if bits[card] in tricks}


def table_masks(seat: Seat, trick: TrickSoFar, trump: Trump) -> list[int]:
    """Return the cards on the table as the solver wants them: the leader's first, 0 for a seat that sits out."""
    if not trick:
        return []
    bits = bit_of(trump)
    played = dict(trick)
    leader = trick[0][0]
    return [bits[played[at]] if (at := (leader + turn) % 4) in played else 0 for turn in range((seat - leader) % 4)]
