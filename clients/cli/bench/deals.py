"""`euchre bench deals`: that the fair shuffle prefers no card, seat or upcard, counted over many deals."""

from __future__ import annotations

import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import comb, sqrt
from typing import Final

from clients.cli.errors import FAILURE, UsageError
from engine.cards import CARDS_PER_HAND, SEATS, Cards, make_pack
from engine.fair import SECRET_BYTES, first_dealer, shuffle

BOUND_Z: Final = 4.5
"""How many standard deviations a count may be off.

One in 147,000 honest counts is off by more. So with 144 of them, dependent or not, at most one honest run in a thousand
has any that is (Bonferroni).
"""
FEWEST: Final = 20_000
"""Below that the rarest of what is counted, all four jacks in a hand, is too rare for a bound of this kind."""
_GAME: Final = "statistics"
_STEP: Final = 10_000
_UPCARD: Final = CARDS_PER_HAND * len(SEATS)
_JACKS: Final = 4


@dataclass(frozen=True, slots=True)
class Count:
    """How often something came, of ``deals``, and how likely it is in one of them."""

    what: str
    seen: int
    deals: int
    chance: float

    @property
    def expected(self) -> float:
        """The mean of such counts."""
        return self.deals * self.chance

    @property
    def deviation(self) -> float:
        """Their standard deviation; one deal is independent of the next."""
        return sqrt(self.expected * (1 - self.chance))

    @property
    def z(self) -> float:
        """By how many standard deviations the count is off."""
        return (self.seen - self.expected) / self.deviation


def deals(*, deals: int = 1_000_000) -> int:
    """Count over many deals, each from a secret of its own, where every card comes to lie.

    Counted are every card in every seat, every upcard, the number of jacks in each seat's hand, and the first dealer.
    The exit status is 1 where any count is off by more than 4.5 standard deviations. There are 144 counts, so honest
    deals come to that in about one of a thousand runs.

    Parameters
    ----------
    deals
        How many.
    """
    if deals < FEWEST:
        raise UsageError(f"--deals is {FEWEST} or more")
    print(f"{deals:,} deals of the standard pack, each from a fresh secret of {SECRET_BYTES} bytes.", flush=True)
    fresh = (secrets.token_bytes(SECRET_BYTES) for _ in range(deals))
    counts = count_deals(fresh, on_progress=_progress(deals))
    return report(counts)


def _progress(deals: int) -> Callable[[int], None]:
    """Return what tells how far it is: in place at a terminal, nowhere else."""

    def tell(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done:,} of {deals:,} dealt", end="\n" if done == deals else "", file=sys.stderr, flush=True)

    return tell


def count_deals(
    fresh: Iterable[bytes], *, on_progress: Callable[[int], None] = lambda _: None
) -> dict[str, list[Count]]:
    """Deal once from each of the *fresh* secrets and return the counts by kind."""
    pack = make_pack(9)
    in_seat: Counter[tuple[int, str]] = Counter()
    jacks: Counter[tuple[int, int]] = Counter()
    upcards: Counter[str] = Counter()
    dealers: Counter[int] = Counter()
    done = 0
    for done, secret in enumerate(fresh, start=1):
        deck = shuffle(pack, secret=secret, game=_GAME, hand=1)
        for seat, hand in enumerate(_hands(deck)):
            in_seat.update((seat, card) for card in hand)
            jacks[seat, sum(card[0] == "J" for card in hand)] += 1
        upcards[deck[_UPCARD]] += 1
        dealers[first_dealer(secret=secret, game=_GAME)] += 1
        if done % _STEP == 0:
            on_progress(done)
    on_progress(done)

    def count(what: str, seen: int, chance: float) -> Count:
        return Count(what, seen, done, chance)

    size = len(pack)
    return {
        "card in seat": [
            count(f"{card} in seat {seat}", in_seat[seat, card], CARDS_PER_HAND / size)
            for seat in SEATS
            for card in pack
        ],
        "upcard": [count(f"{card} turned up", upcards[card], 1 / size) for card in pack],
        **{
            f"{many} of {_JACKS} jacks": [
                count(f"{many} of {_JACKS} jacks in seat {seat}", jacks[seat, many], _chance_of_jacks(many, size))
                for seat in SEATS
            ]
            for many in range(_JACKS + 1)
        },
        "first dealer": [count(f"seat {seat} deals first", dealers[seat], 1 / len(SEATS)) for seat in SEATS],
    }


def _hands(deck: Cards) -> list[Cards]:
    """Return the four hands in the order of the deal; seats are counted from the dealer's left."""
    return [deck[at : at + CARDS_PER_HAND] for at in range(0, _UPCARD, CARDS_PER_HAND)]


def _chance_of_jacks(many: int, size: int) -> float:
    return comb(_JACKS, many) * comb(size - _JACKS, CARDS_PER_HAND - many) / comb(size, CARDS_PER_HAND)


def report(counts: dict[str, list[Count]]) -> int:
    """Print a line for each kind of count, then every count out of bounds and the verdict; return the exit status.

    The counts of a kind are equally likely, so they share a bound.
    """
    print(f"{'':15}{'counts':>6}{'expected':>13}{'bound ±':>9}{'largest |z|':>13}  which")
    for kind, of_kind in counts.items():
        worst = max(of_kind, key=lambda count: abs(count.z))
        bound = BOUND_Z * worst.deviation
        print(
            f"{kind:15}{len(of_kind):>6}{worst.expected:>13,.1f}{bound:>9,.1f}{abs(worst.z):>13.2f}"
            f"  {worst.what}: {worst.seen:,}"
        )
    everything = [count for of_kind in counts.values() for count in of_kind]
    outside = [count for count in everything if abs(count.z) > BOUND_Z]
    for count in outside:
        print(f"out of bounds: {count.what}: {count.seen:,}, expected {count.expected:,.0f}, z {count.z:+.2f}")
    verdict = f"{len(outside)} of" if outside else "all"
    print(f"{verdict} {len(everything)} counts are {'out of' if outside else 'within'} bounds (|z| up to {BOUND_Z}).")
    return FAILURE if outside else 0
