"""The play by rules of thumb: which card, and a whole hand played out by four who see their own cards only.

One idea carries most of it: a card is worth the chance that our side takes this trick with it, less its price, which is
what it would likely have won later. Around that stand the manners a partner relies on: trump is led by the side that
made it, a partner's sure trick is left alone, and winners outside trump are cashed when they are safe.

What a seat counts with follows from cards it has seen. Unseen cards are in other hands or buried, each as likely in one
hidden place as in another; a seat that once did not follow has none of that suit; a dealer who took up the upcard holds
it until it is played.

Masks are those of `bots.solver.search`. Compiled like it, and the same as plain Python.
"""

from __future__ import annotations

from math import comb
from typing import Final

from mypy_extensions import i64

from bots.solver.search import highest, suit_of

_FIRST: Final[i64] = 0x1FF
_SECOND: Final[i64] = 0x1FF << 9
_THIRD: Final[i64] = 0x1FF << 18
_TRUMP: Final[i64] = 0x7FF << 27
_LONER: Final[i64] = 1 << 38

_TRUMP_PRICES: Final[list[float]] = [0.80, 0.55, 0.40, 0.30]
"""What a trump would win later, by how many unseen trumps are higher; the last is for all further ones."""
_PLAIN_PRICES: Final[list[float]] = [0.40, 0.12, 0.05, 0.03]
"""The same for a card outside trump."""
_SECOND_ROUND: Final = 0.5
"""How much of that is left of a card in a suit that is being led now: the next time somebody ruffs."""
_NO_TRUMP_PRICES: Final[list[float]] = [0.85, 0.40, 0.15, 0.05]
"""The same in a hand without trump, where nothing but a higher card of its suit beats a card."""
_GUARD_PRICE: Final = 0.12
"""What the last small trump beside a second-highest one adds to its own price."""
_VOID_BONUS: Final = 0.05
"""What running out of a suit is worth while a trump is left."""
_ACES_WORTH_A_TRUMP: Final = 3
_RAISED: Final = 0.5
"""How much harder a trick is to take behind somebody who could have raised it."""
_SAME: Final = 0.000001
"""Worths closer than this are the same."""

_CARDS: Final = 34
_PLACES: Final = 6


def _chances() -> list[float]:
    """Return the chances that one of some wanted cards is drawn, see `_chance_of_any`."""
    table: list[float] = []
    for places in range(_PLACES):
        for cards in range(_CARDS):
            for wanted in range(_CARDS):
                if wanted == 0 or places == 0:
                    chance = 0.0
                elif places > cards - wanted:
                    chance = 1.0
                else:
                    chance = 1 - comb(cards - wanted, places) / comb(cards, places)
                table.append(chance)
    return table


_CHANCES: Final[list[float]] = _chances()


def _chance_of_any(wanted: i64, cards: i64, places: i64) -> float:
    """Return the chance that at least one of *wanted* cards out of *cards* is among *places* drawn."""
    return _CHANCES[(places * _CARDS + cards) * _CARDS + wanted]


def _rank(card: i64) -> i64:
    """Return *card* as if all plain suits were one: the greater is the stronger."""
    if card > _THIRD:
        return card
    if card > _SECOND:
        return card >> 18
    return card >> 9 if card > _FIRST else card


def _count(cards: i64) -> i64:
    count: i64 = 0
    while cards:
        cards &= cards - 1
        count += 1
    return count


class Table:
    """The play of a hand, from a position everybody sees on.

    All cards are masks of `bots.solver.search`, but for the hands given to `choice` and `tricks`, which are those of
    `bots.solver.sampling`; *by_suit* turns the latter into the former, suit by suit by the mask of its eight ranks, the
    Benny last.
    *sits* and *led_trump* have a bit for each seat that sits out or has led trump. *voids* are by seat the cards of the
    suits it did not follow, *gone* the cards played or turned down, *taken* is the upcard while the dealer holds it.
    *won* are the tricks by team. *leader* leads this trick; its cards are in *trick*, by seat and in order.
    """

    def __init__(
        self,
        by_suit: list[list[i64]],
        *,
        pack: int,
        has_trump: bool,
        maker: int,
        dealer: int,
        sits: int,
        voids: list[i64],
        gone: int,
        taken: int,
        led_trump: int,
        won: list[i64],
        leader: int,
        trick: list[tuple[i64, i64]],
    ) -> None:
        self.nodes: i64 = 0
        """The plays made, over all hands."""
        self._by_suit = by_suit
        self._pack: i64 = pack
        self._has_trump = has_trump
        self._trump: i64 = _TRUMP if has_trump else 0
        self._always: i64 = _TRUMP | _LONER if has_trump else _LONER
        self._maker: i64 = maker
        self._dealer: i64 = dealer
        self._sits: i64 = sits
        # where the play begins
        self._first_voids = voids
        self._first_gone: i64 = gone
        self._first_taken: i64 = taken
        self._first_led_trump: i64 = led_trump
        self._first_won = won
        self._first_leader: i64 = leader
        self._first_trick = trick
        # where it is
        self._hands: list[i64] = [0, 0, 0, 0]
        self._counts: list[i64] = [0, 0, 0, 0]
        self._voids: list[i64] = [0, 0, 0, 0]
        self._buried: i64 = 0
        self._gone: i64 = 0
        self._taken: i64 = 0
        self._led_trump: i64 = 0
        self._won: list[i64] = [0, 0]
        self._leader: i64 = 0
        self._led: i64 = 0
        self._best: i64 = 0
        self._holder: i64 = 0
        # what the seat to play knows
        self._seat: i64 = 0
        self._hand: i64 = 0
        self._unseen: i64 = 0

    def choice(self, hand: i64, counts: list[i64], buried: i64) -> i64:
        """Return what the seat to play, which holds *hand* and may know the card *buried*, plays.

        *counts* are the cards in hand by seat, none for those who sit.
        """
        seat = self._begin(self._masked(buried))
        for at in range(4):
            self._counts[at] = counts[at]
        self._hands[seat] = self._masked(hand)
        return self._choose(seat)

    def tricks(self, hands: list[i64], buried: i64, card: i64) -> i64:
        """Return how many tricks the even seats have in the end, if the seat to play plays *card* now.

        With *card* 0 it plays as it would. *hands* are by seat; *buried* is the dealer's.
        """
        seat = self._begin(self._masked(buried))
        for at in range(4):
            hand: i64 = 0 if self._sits >> at & 1 else hands[at]
            self._hands[at] = self._masked(hand)
            self._counts[at] = _count(hand)
        if card:
            self._play(seat, card)
            seat = (seat + 1) & 3
        while True:
            while self._led == 0 or seat != self._leader:
                if not self._sits >> seat & 1:
                    self._play(seat, self._choose(seat))
                    self.nodes += 1
                seat = (seat + 1) & 3
            seat = self._holder
            self._won[seat & 1] += 1
            if self._hands[seat] == 0:
                return self._won[0]
            self._leader = seat
            self._led = 0
            self._best = 0

    def _masked(self, hand: i64) -> i64:
        suits = self._by_suit
        return (
            suits[0][hand & 255]
            | suits[1][hand >> 8 & 255]
            | suits[2][hand >> 16 & 255]
            | suits[3][hand >> 24 & 255]
            | suits[4][hand >> 32]
        )

    def _begin(self, buried: i64) -> i64:
        """Go to where the play begins, and return who is to play."""
        for at in range(4):
            self._voids[at] = self._first_voids[at]
        self._buried = buried
        self._gone = self._first_gone
        self._taken = self._first_taken & ~buried
        self._led_trump = self._first_led_trump
        self._won[0] = self._first_won[0]
        self._won[1] = self._first_won[1]
        self._leader = self._first_leader
        self._led = 0
        self._best = 0
        seat = self._leader
        for at in range(len(self._first_trick)):
            seat, card = self._first_trick[at]
            self._play(seat, card)
            seat = (seat + 1) & 3
        while self._sits >> seat & 1:
            seat = (seat + 1) & 3
        return seat

    def _play(self, seat: i64, card: i64) -> None:
        self._hands[seat] &= ~card
        self._counts[seat] -= 1
        self._gone |= card
        self._taken &= ~card
        if self._led == 0:
            self._led = suit_of(card)
            self._best = card
            self._holder = seat
            if self._led == self._trump:
                self._led_trump |= 1 << seat
            return
        if card & self._led == 0:
            self._voids[seat] |= self._led
        if card & (self._led | self._always) and card > self._best:
            self._best = card
            self._holder = seat

    # ── one card ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _choose(self, seat: i64) -> i64:
        """Return the card *seat*, who is to play, plays."""
        hand = self._hands[seat]
        if hand & (hand - 1) == 0:
            return hand
        self._seat = seat
        self._hand = hand
        self._unseen = self._pack & ~(hand | self._gone)
        if seat == self._dealer:
            self._unseen &= ~self._buried
        if self._led == 0:
            return self._lead()
        legal = hand & self._led
        if legal == 0:
            legal = hand
        if legal & (legal - 1) == 0:
            return legal
        return self._follow(legal)

    def _above(self, card: i64) -> i64:
        """Return how many unseen cards of *card*'s suit are higher."""
        return _count(self._unseen & suit_of(card) & -(card << 1))

    def _price(self, card: i64) -> float:
        """Return about how many later tricks *card* would win."""
        suit = suit_of(card)
        above = self._above(card)
        if above > 3:
            above = 3
        if suit == self._trump:
            price: float = _TRUMP_PRICES[above]
            others = self._hand & suit & ~card
            if others and others & (others - 1) == 0 and above > 1 and self._above(others) == 1:
                price += _GUARD_PRICE
            return price
        if not self._has_trump:
            return _NO_TRUMP_PRICES[above]
        price = _PLAIN_PRICES[above]
        if suit == self._led:
            price *= _SECOND_ROUND
        if self._hand & suit == card and self._hand & self._trump:
            price -= _VOID_BONUS
        return price

    def chance_to_beat(self, seat: i64, best: i64, led: i64) -> float:
        """Return the chance that *seat* holds a card that may be played to the suit *led* and beats *best*.

        As the seat sees it whose choice was asked for last. Zero means it cannot.
        """
        could = self._unseen & ~self._taken & ~self._voids[seat]
        above = (led | self._always) & -(best << 1)
        cards = _count(could)
        following = _count(could & led)
        higher = _count(could & led & above)
        over = _count(could & ~led & above)
        places = self._counts[seat]
        if self._taken and seat == self._dealer:
            places -= 1
            wins = self._taken & above
            if self._taken & led:
                return 1.0 if wins else _chance_of_any(higher, cards, places)
            if wins:
                return _chance_of_any(higher, cards, places) + 1 - _chance_of_any(following, cards, places)
        none_following = 1 - _chance_of_any(following, cards, places)
        neither = 1 - _chance_of_any(following + over, cards, places)
        return _chance_of_any(higher, cards, places) + none_following - neither

    def _chance_ours(self, holder: i64, best: i64, led: i64) -> float:
        """Return the chance that our side takes the trick *holder* is winning with *best*, the rest yet to play."""
        chance: float = 1.0 if (holder ^ self._seat) & 1 == 0 else 0.0
        ease: float = 1.0
        seat = (self._seat + 1) & 3
        while seat != self._leader:
            if not self._sits >> seat & 1:
                beats = self.chance_to_beat(seat, best, led)
                if (seat ^ self._seat) & 1 == 0:
                    chance += (1 - chance) * beats * ease
                else:
                    chance *= 1 - beats * ease
                ease *= 1 - _RAISED * beats
            seat = (seat + 1) & 3
        return chance

    def _is_sure(self, best: i64, led: i64) -> bool:
        """Tell whether no opponent still to play can beat *best*."""
        seat = (self._seat + 1) & 3
        while seat != self._leader:
            if (seat ^ self._seat) & 1 and not self._sits >> seat & 1 and self.chance_to_beat(seat, best, led) > 0.0:
                return False
            seat = (seat + 1) & 3
        return True

    def _cheapest(self, cards: i64) -> i64:
        """Return the card that is missed least."""
        best: i64 = 0
        lowest: float = 0.0
        while cards:
            card = cards & -cards
            cards ^= card
            price = self._price(card)
            if best == 0 or price < lowest or (price == lowest and _rank(card) < _rank(best)):
                best = card
                lowest = price
        return best

    def _follow(self, legal: i64) -> i64:
        """Return which of *legal* to play to the trick on the table."""
        led = self._led
        winning = legal & (led | self._always) & -(self._best << 1)
        losing = legal ^ winning
        if winning == 0:
            return self._cheapest(losing)
        holder = self._holder
        if losing and holder == self._seat ^ 2 and self._is_sure(self._best, led):
            return self._cheapest(losing)
        stands: float = self._chance_ours(holder, self._best, led) if losing else 0.0
        return self._most_worth(legal, losing, stands)

    def _most_worth(self, cards: i64, losing: i64, stands: float) -> i64:
        """Return which of *cards* brings most for what it costs.

        With the *losing* ones the chance of the trick *stands* as it is.
        """
        best: i64 = 0
        most: float = 0.0
        while cards:
            card = cards & -cards
            cards ^= card
            led = self._led or suit_of(card)
            chance: float = stands if card & losing else self._chance_ours(self._seat, card, led)
            worth = chance - self._price(card)
            if best == 0 or worth > most + _SAME or (worth > most - _SAME and _rank(card) <= _rank(best)):
                best = card
                most = worth
        return best

    def _lead(self) -> i64:
        hand = self._hand
        bosses = self._bosses(hand & ~self._trump)
        if not self._has_trump:
            return self._longest(bosses or hand)
        if (self._maker ^ self._seat) & 1:
            return self._lead_for_the_defence(hand & self._trump, hand & ~self._trump, bosses)
        return self._lead_for_the_makers(hand & self._trump, hand & ~self._trump, bosses)

    def _bosses(self, cards: i64) -> i64:
        """Return those of *cards* that are the highest of their suit still out."""
        bosses: i64 = 0
        while cards:
            card = cards & -cards
            cards ^= card
            if self._unseen & suit_of(card) & -(card << 1) == 0:
                bosses |= card
        return bosses

    def _lead_for_the_defence(self, trumps: i64, plain: i64, bosses: i64) -> i64:
        """Cash an ace before it can be ruffed; draw trump only so that a hand full of aces can stand."""
        if trumps and _count(bosses) >= _ACES_WORTH_A_TRUMP and self._trumps_against():
            return trumps & -trumps
        if bosses:
            return self._best_plain(bosses)
        return self._most_worth(plain or trumps, 0, 0.0)

    def _lead_for_the_makers(self, trumps: i64, plain: i64, bosses: i64) -> i64:
        """Draw trump while an opponent may hold one; then run the winners.

        While a march is on, the last trumps go before a loser: whoever must throw cards on them may throw the wrong
        ones.
        """
        top = highest(trumps) if trumps else 0
        has_all_tricks = self._won[1 - (self._seat & 1)] == 0
        is_drawn = not self._trumps_against()
        if not is_drawn and trumps and (self._owes_partner_a_trump() or self._above(top) == 0 or trumps != top):
            return top
        if bosses:
            return self._best_plain(bosses)
        if is_drawn and trumps and (has_all_tricks or plain == 0):
            return top
        return self._most_worth(plain or trumps, 0, 0.0)

    def _owes_partner_a_trump(self) -> bool:
        """Tell whether the partner made trump and plays, and this seat has led none."""
        partner = self._seat ^ 2
        return partner == self._maker and not self._sits >> partner & 1 and not self._led_trump >> self._seat & 1

    def _trumps_against(self) -> bool:
        """Tell whether an opponent may hold a trump."""
        if self._unseen & self._trump == 0:
            return False
        for at in range(1, 4, 2):
            seat = (self._seat + at) & 3
            if not self._sits >> seat & 1 and self._counts[seat] and self._voids[seat] & self._trump == 0:
                return True
        return False

    def _longest(self, cards: i64) -> i64:
        """Return the top of the longest suit among *cards*: winners to run, or a suit to set up."""
        best: i64 = 0
        most: i64 = 0
        while cards:
            card = cards & -cards
            cards ^= card
            length = _count(self._hand & suit_of(card))
            if length > most or (length == most and _rank(card) >= _rank(best)):
                best = card
                most = length
        return best

    def _best_plain(self, bosses: i64) -> i64:
        """Return the winner most likely to stand: of a suit of which most cards are out."""
        best: i64 = 0
        most: float = -1.0
        while bosses:
            card = bosses & -bosses
            bosses ^= card
            chance = self._chance_ours(self._seat, card, suit_of(card))
            if chance >= most:
                best = card
                most = chance
        return best
