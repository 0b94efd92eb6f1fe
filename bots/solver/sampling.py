"""Hands that others may hold: drawn at random, weighed by how likely their owners would have bid as they did.

A hand is one mask, a bit a card in the order of `engine.cards.ALL_CARDS`. Compiled like `bots.solver.search`, and the
same as plain Python.
"""

from __future__ import annotations

from math import exp
from typing import Final

from mypy_extensions import i64

DISCARD: Final = 4
"""The place of a dealer's buried card, after those of the four hands."""
NOTHING: Final = -1
"""No card, no suit."""

_JACK: Final[i64] = 4
_BENNY: Final[i64] = 32
_SPREAD: Final = 0.30
"""How far apart, in tricks, two players are who judge the same hand."""
_LEAST: Final = 0.04
"""How likely anybody does what nobody would."""
_CLEAR: Final = 0.4
"""By how much, in tricks, a hand that everybody calls is at least better than one that just calls."""
_SURPRISING_DISCARD: Final = 0.05
_NEARLY_BEST: Final = 0.06
_SHARES: Final = 1_000_000
"""Into how many parts the likelihood of all layouts is divided among them."""


class Strength:
    """How many tricks a hand takes, looked up by suit.

    ``trumps`` are by the mask of a suit's eight ranks, with 256 added for the left bower and 512 for the Benny;
    ``plains`` by the mask of a plain suit, first for hands of fewer than two trumps, then for the others.
    """

    def __init__(self, trumps: list[float], plains: list[float]) -> None:
        self._trumps = trumps
        self._plains = plains

    def tricks(self, hand: i64, trump: i64) -> float:
        """Return what *hand* takes under *trump*, a suit's number."""
        same = 3 - trump
        own = hand >> 8 * trump & 255
        left = hand >> 8 * same + _JACK & 1
        benny = hand >> _BENNY & 1
        value: float = self._trumps[own | left << 8 | benny << 9]
        many: i64 = 256 if own & (own - 1) or (own != 0 and left | benny) or left & benny else 0
        for suit in range(4):
            at: i64 = suit
            if at != trump:
                ranks = hand >> 8 * at & 255
                if at == same:
                    ranks &= ~(1 << _JACK)
                value += self._plains[ranks | many]
        return value


def is_clear(hand: i64, trump: i64) -> bool:
    """Tell whether *hand* is one nearly everybody calls: with three trumps, or with both bowers."""
    own = hand >> 8 * trump & 255
    left = hand >> 8 * (3 - trump) + _JACK & 1
    if left and own >> _JACK & 1:
        return True
    trumps = left + (hand >> _BENNY & 1)
    while own:
        own &= own - 1
        trumps += 1
    return trumps >= 3


class Evidence:
    """What a bid tells of a hand: *seat* made *called* trump of what it could have, or none of it.

    ``trumps`` and ``offsets`` are what it could have called and what its place adds to each, less the tricks from which
    one calls. With ``alone`` 1 it called alone, with 0 it could have. ``extra`` is a card it counted as its own.
    """

    def __init__(
        self, seat: int, trumps: list[int], offsets: list[float], *, called: int, alone: int, extra: int
    ) -> None:
        self.seat: i64 = seat
        self.trumps = trumps
        self.offsets = offsets
        self.called: i64 = called
        self.alone: i64 = alone
        self.extra: i64 = extra


def _chance(tricks: float) -> float:
    """Return how likely a hand is called that is *tricks* better than what just calls."""
    return _LEAST + (1 - 2 * _LEAST) / (1 + exp(-tricks / _SPREAD))


class Sampler:
    """Draws what is hidden from one seat.

    ``unseen`` are the cards, one mask. Each of ``places`` (a seat, or DISCARD) takes as many of them as ``needs``
    says, of those ``allowed`` has in its mask; the most restricted places come first. ``known`` are by place the cards
    seen to be there, ``past`` by seat those it has played since it bid. ``taken`` is the card ``dealer`` took up, or 0.
    ``kept`` are shown hands, of which the seat kept two: they are with it or with the other seat named.
    """

    def __init__(
        self,
        *,
        unseen: int,
        places: list[int],
        needs: list[int],
        allowed: list[int],
        known: list[int],
        past: list[int],
        dealer: int,
        taken: int,
        trump: int,
        evidence: list[Evidence],
        kept: list[tuple[int, int, int]],
        together: Strength,
        lone: Strength,
        alone_at: float,
        seed: int,
    ) -> None:
        self._unseen: i64 = unseen
        self._places = places
        self._needs = needs
        self._allowed = allowed
        self._known = known
        self._past = past
        self._dealer: i64 = dealer
        self._taken: i64 = taken
        self._trump: i64 = trump
        self._evidence = evidence
        self._kept = kept
        self._together = together
        self._lone = lone
        self._alone_at = alone_at
        self._state: i64 = seed % 0xFFFFFFFE + 1
        self._hands: list[i64] = [0, 0, 0, 0, 0]
        self._found: list[tuple[float, i64, i64, i64, i64, i64]] = []

    def every(self, most: int) -> list[tuple[int, i64, i64, i64, i64, i64]]:
        """Return all layouts that are possible, as `draw` does: each as often as it is likely.

        Empty where there are more than *most*.
        """
        self._found = []
        for at in range(5):
            self._hands[at] = self._known[at]
        if not self._fill(-1, 0, 0, self._unseen, most):
            return []
        total: float = 0.0
        for weight, _first, _second, _third, _fourth, _buried in self._found:
            total += weight
        if total == 0.0:
            return []
        shared: list[tuple[int, i64, i64, i64, i64, i64]] = []
        for weight, first, second, third, fourth, buried in self._found:
            times = int(weight / total * _SHARES + 0.5)
            if times:
                shared.append((times, first, second, third, fourth, buried))
        return shared

    def _fill(self, at: i64, pool: i64, need: i64, left: i64, most: i64) -> bool:
        """Put *need* more cards of *pool* into the place numbered *at*, and fill all after it from what is *left*.

        In every way there is; False where that makes more than *most* layouts.
        """
        if need == 0:
            at += 1
            if at < len(self._places):
                return self._fill(at, left & self._allowed[at], self._needs[at], left, most)
            hands = self._hands
            self._found.append((self._likelihood(), hands[0], hands[1], hands[2], hands[3], hands[4]))
            return len(self._found) <= most
        place = self._places[at]
        while pool:
            card = pool & -pool
            pool ^= card
            self._hands[place] ^= card
            is_within = self._fill(at, pool, need - 1, left ^ card, most)
            self._hands[place] ^= card
            if not is_within:
                return False
        return True

    def draw(self, count: int, proposals: int) -> list[tuple[int, i64, i64, i64, i64, i64]]:
        """Return about *count* layouts, the likely ones of *proposals*: each how often, and the masks by place.

        Empty where no proposal was possible.
        """
        weights: list[float] = []
        layouts: list[tuple[i64, i64, i64, i64, i64]] = []
        total: float = 0.0
        for _ in range(proposals):
            weight = self._propose()
            if weight > 0.0:
                total += weight
                weights.append(weight)
                hands = self._hands
                layouts.append((hands[0], hands[1], hands[2], hands[3], hands[4]))
        chosen: list[tuple[int, i64, i64, i64, i64, i64]] = []
        if not weights:
            return chosen
        step = total / count
        passed: float = step * (float(self._below(1000)) / 1000.0)
        for at in range(len(weights)):
            passed += weights[at]
            times = 0
            while passed >= step:
                passed -= step
                times += 1
            if times:
                first, second, third, fourth, buried = layouts[at]
                chosen.append((times, first, second, third, fourth, buried))
        return chosen

    def _below(self, bound: i64) -> i64:
        """Return a random number from 0 to *bound* - 1 (xorshift of 32 bits)."""
        state = self._state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        self._state = state
        return state * bound >> 32

    def _propose(self) -> float:
        """Deal the unseen cards and return the weight of that: 0 if a place could not be filled."""
        hands = self._hands
        for at in range(5):
            hands[at] = self._known[at]
        left = self._unseen
        weight: float = 1.0
        for at in range(len(self._places)):
            place = self._places[at]
            need: i64 = self._needs[at]
            allowed: i64 = self._allowed[at]
            pool: i64 = left & allowed
            size: i64 = 0
            rest = pool
            while rest:
                rest &= rest - 1
                size += 1
            if size < need:
                return 0.0
            got: i64 = 0
            while need:
                weight *= float(size) / float(need)
                pick = self._below(size)
                rest = pool
                while pick:
                    rest &= rest - 1
                    pick -= 1
                card_bit = rest & -rest
                pool ^= card_bit
                got |= card_bit
                size -= 1
                need -= 1
            left ^= got
            hands[place] |= got
        return weight * self._likelihood()

    def _likelihood(self) -> float:
        likelihood: float = 1.0
        for seat, other, shown in self._kept:
            mask: i64 = shown
            held = (self._at_the_bid(seat) | self._at_the_bid(other)) & mask
            held &= held - 1
            if held == 0 or held & (held - 1):
                return 0.0
        for evidence in self._evidence:
            likelihood *= self._of_bid(evidence)
        if self._taken and self._hands[DISCARD]:
            likelihood *= self._of_discard()
        return likelihood

    def _at_the_bid(self, seat: i64) -> i64:
        """Return the hand *seat* held when it bid."""
        hand = self._hands[seat] | self._past[seat]
        if seat == self._dealer and self._taken:
            hand = (hand | self._hands[DISCARD]) & ~self._taken
        return hand

    def _of_bid(self, evidence: Evidence) -> float:
        hand = self._at_the_bid(evidence.seat) | evidence.extra
        likelihood: float = 1.0
        called = evidence.called
        if called == NOTHING:
            for at in range(len(evidence.trumps)):
                trump: i64 = evidence.trumps[at]
                likelihood *= 1 - _chance(self._worth(hand, trump, evidence.offsets[at]))
            return likelihood
        best: float = 0.0
        for at in range(len(evidence.trumps)):
            trump = evidence.trumps[at]
            if trump == called:
                best = self._worth(hand, trump, evidence.offsets[at])
        likelihood = _chance(best)
        for at in range(len(evidence.trumps)):
            trump = evidence.trumps[at]
            if trump != called:
                likelihood *= _chance(best - self._worth(hand, trump, evidence.offsets[at]))
        if evidence.alone != NOTHING:
            lone = _chance(self._lone.tricks(hand, called) - self._alone_at)
            likelihood *= lone if evidence.alone == 1 else 1 - lone
        return likelihood

    def _worth(self, hand: i64, trump: i64, offset: float) -> float:
        """Return by how many tricks *hand* is better than what just calls *trump*."""
        worth: float = self._together.tricks(hand, trump) + offset
        return _CLEAR if worth < _CLEAR and is_clear(hand, trump) else worth

    def _of_discard(self) -> float:
        """Return how likely the dealer buried what he did: the card he misses least."""
        buried = self._hands[DISCARD]
        six = self._hands[self._dealer] | self._past[self._dealer] | buried
        without = self._together.tricks(six ^ buried, self._trump)
        best: float = without
        rest = six
        while rest:
            card = rest & -rest
            rest ^= card
            value = self._together.tricks(six ^ card, self._trump)
            if value > best:
                best = value
        return 1.0 if without > best - _NEARLY_BEST else _SURPRISING_DISCARD
