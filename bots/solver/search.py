"""Open-hand play, solved: how many tricks each side takes when all hands are seen and nobody errs.

Alpha-beta over bit masks with a transposition table. This one module is compiled by mypyc where a C compiler is at
hand (setup.py); as plain Python it gives the same answers, slower. `bots.solver` makes the masks from cards.

A card is one bit. The cards of a suit are neighbours, stronger ones higher, the trumps above all others, so that of
two cards that may win a trick the greater number does. Hands are given from the seat to act, clockwise; a seat that
sits out has an empty hand. Tricks are always counted for the side of the seat to act.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

SUIT_BITS: Final = 9
"""Room for a plain suit: eight ranks and one bit nobody holds, so that the suits do not touch."""
TRUMP_AT: Final = 27
LONER_AT: Final = 38
"""Where trumps begin, ten of them, and the bit of a Benny that belongs to no suit."""

_FIRST: Final[i64] = 0x1FF
_SECOND: Final[i64] = 0x1FF << 9
_THIRD: Final[i64] = 0x1FF << 18
_TRUMP: Final[i64] = 0x7FF << 27
_LONER: Final[i64] = 1 << 38
_GAPS: Final[i64] = (1 << 8) | (1 << 17) | (1 << 26) | (1 << 37)
"""The bits nobody holds: they stand between the suits when equal cards are looked for."""


def suit_of(card: i64) -> i64:
    """Return the mask of the suit *card* belongs to."""
    if card > _THIRD:
        return _TRUMP if card < _LONER else _LONER
    if card > _SECOND:
        return _THIRD
    return _SECOND if card > _FIRST else _FIRST


def highest(cards: i64) -> i64:
    """Return the highest bit of *cards*, which has one."""
    cards |= cards >> 1
    cards |= cards >> 2
    cards |= cards >> 4
    cards |= cards >> 8
    cards |= cards >> 16
    cards |= cards >> 32
    return cards ^ (cards >> 1)


def _sure(own: i64, others: i64) -> i64:
    """Count the *own* cards above all *others*."""
    if others:
        own &= -(highest(others) << 1)
    count: i64 = 0
    while own:
        own &= own - 1
        count += 1
    return count


class Solver:
    """Solves positions of one deal under one trump. ``nodes`` counts the plays looked at, over all solutions.

    The table is kept between solutions: later positions of the same hands are found in it.
    """

    def __init__(self, *, has_trump: bool) -> None:
        self.nodes: i64 = 0
        self._always: i64 = _TRUMP | _LONER if has_trump else _LONER
        """Cards that may win a trick whatever was led."""
        self._table: dict[i64, i64] = {}

    def forget(self) -> None:
        """Make ready for other hands."""
        self._table.clear()

    def tricks(self, h0: i64, h1: i64, h2: i64, h3: i64, tricks: i64, who: i64) -> i64:
        """Return how many of the *tricks* to come the side of seat *who* takes, who leads and holds *h0*."""
        return self._lead(h0, h1, h2, h3, who, tricks, 0, tricks)

    def plays(
        self, h0: i64, h1: i64, h2: i64, h3: i64, tricks: i64, who: i64, trick: list[i64]
    ) -> list[tuple[i64, i64]]:
        """Return every card seat *who*, holding *h0*, may play to *trick*, with the tricks its side then takes.

        *trick* are the cards on the table from the leader's on, 0 for a seat that sits out. *tricks* counts it.
        """
        played = len(trick)
        led: i64 = 0
        best: i64 = 0
        winner: i64 = 0
        for at in range(played):
            card = trick[at]
            if at == 0:
                led = suit_of(card)
                best = card
            elif card & (led | self._always) and card > best:
                best = card
                winner = at
        legal = h0 & led or h0
        answers: list[tuple[i64, i64]] = []
        leader = (who - played) & 3
        others = h1 | h2 | h3 | best | _GAPS
        last: i64 = 0
        value: i64 = 0
        while legal:
            card = highest(legal)
            legal ^= card
            if last == 0 or others & (last - (card << 1)):
                suit = led or suit_of(card)
                wins = best == 0 or (card & (suit | self._always) != 0 and card > best)
                value = tricks - self._follow(
                    h1, h2, h3, h0 ^ card, leader, played + 1, suit, card if wins else best,
                    played if wins else winner, tricks, 0, tricks,
                )  # fmt: skip
            answers.append((card, value))
            last = card
        return answers

    def _lead(self, h0: i64, h1: i64, h2: i64, h3: i64, who: i64, tricks: i64, low: i64, high: i64) -> i64:
        """Solve from a lead. The answer is exact between *low* and *high*, else a bound on that side."""
        if low >= tricks:
            return tricks
        if high <= 0:
            return 0
        if tricks == 1:
            return self._last_trick(h0, h1, h2, h3)
        out = h1 | h2 | h3
        key = (h0 | out) << 2 | who
        known: i64 = -1
        if tricks > 2:
            known = self._table.get(key, -1)
        floor: i64 = 0
        ceiling: i64 = tricks
        if known >= 0:
            floor = known & 7
            ceiling = known >> 3
            if floor >= high or floor == ceiling:
                return floor
            if ceiling <= low:
                return ceiling
        trumps = (h0 | out) & self._always
        if trumps:
            top = highest(trumps)
            if top & h0:
                sure = _sure(trumps & h0, trumps & out)
            elif top & h2:
                sure = _sure(trumps & h2, trumps & ~h2)
            elif top & h1:
                sure = -_sure(trumps & h1, trumps & ~h1)
            else:
                sure = -_sure(trumps & h3, trumps & ~h3)
            if sure > 0:
                if sure >= high:
                    return sure
                if sure > floor:
                    floor = sure
            else:
                if tricks + sure <= low:
                    return tricks + sure
                if tricks + sure < ceiling:
                    ceiling = tricks + sure
        others = out | _GAPS
        legal = h0
        last: i64 = 0
        best: i64 = -1
        at_least = low
        while legal:
            card = highest(legal)
            legal ^= card
            if last and not others & (last - (card << 1)):
                last = card
                continue
            last = card
            value = tricks - self._follow(
                h1, h2, h3, h0 ^ card, who, 1, suit_of(card), card, 0, tricks, tricks - high, tricks - at_least
            )
            if value > best:
                best = value
                if value > at_least:
                    at_least = value
                if best >= high or best >= ceiling:
                    break
        if tricks > 2:
            if best < high:
                ceiling = best
            if best > low:
                floor = best
            self._table[key] = floor | ceiling << 3
        return best

    def _follow(
        self, h0: i64, h1: i64, h2: i64, h3: i64, leader: i64, played: i64, led: i64, best: i64, winner: i64,
        tricks: i64, low: i64, high: i64,
    ) -> i64:  # fmt: skip
        """Solve from a trick to which *played* seats have played; *best* wins it so far, played by the *winner*-th."""
        if played == 4:
            return self._after_trick(h0, h1, h2, h3, leader, winner, tricks, low, high)
        if h0 == 0:
            return tricks - self._follow(
                h1, h2, h3, h0, leader, played + 1, led, best, winner, tricks, tricks - high, tricks - low
            )
        self.nodes += 1
        legal = h0 & led
        if legal == 0:
            legal = h0
        winning = legal & (led | self._always) & -(best << 1)
        losing = legal ^ winning
        others = h1 | h2 | h3 | best | _GAPS
        best_value: i64 = -1
        at_least = low
        # What is likely to be best comes first: the partner's trick is left alone, another's is taken cheaply.
        is_partners = (played - winner) & 1 == 0
        group = losing if is_partners else winning
        for _turn in range(2):
            last: i64 = 0
            while group:
                card = group & -group
                group ^= card
                if last and not others & (card - (last << 1)):
                    last = card
                    continue
                last = card
                wins = card & winning
                value = tricks - self._follow(
                    h1, h2, h3, h0 ^ card, leader, played + 1, led, card if wins else best,
                    played if wins else winner, tricks, tricks - high, tricks - at_least,
                )  # fmt: skip
                if value > best_value:
                    best_value = value
                    if value >= high:
                        return value
                    if value > at_least:
                        at_least = value
            group = winning if is_partners else losing
        return best_value

    def _after_trick(
        self, h0: i64, h1: i64, h2: i64, h3: i64, leader: i64, winner: i64, tricks: i64, low: i64, high: i64
    ) -> i64:
        """Count the trick and go on from its winner's lead."""
        who = (leader + winner) & 3
        rest = tricks - 1
        if winner == 0:
            return 1 + self._lead(h0, h1, h2, h3, who, rest, low - 1, high - 1)
        if winner == 2:
            return 1 + self._lead(h2, h3, h0, h1, who, rest, low - 1, high - 1)
        if winner == 1:
            return rest - self._lead(h1, h2, h3, h0, who, rest, rest - high, rest - low)
        return rest - self._lead(h3, h0, h1, h2, who, rest, rest - high, rest - low)

    def _last_trick(self, h0: i64, h1: i64, h2: i64, h3: i64) -> i64:
        """Return whether the leader's side takes the trick of everybody's last card."""
        may_win = suit_of(h0) | self._always
        ours = h2 & may_win
        if ours < h0:
            ours = h0
        return 1 if ours > h1 & may_win and ours > h3 & may_win else 0
