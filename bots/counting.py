"""What is still out, counted from one seat's view: unseen cards, who is void, what can be beaten and how likely.

Everything here follows from cards this seat has seen. Unseen cards are in other hands or buried; a seat that once did
not follow has none of that suit; a dealer who took up the upcard holds it until it is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb

from engine.cards import PARTNER_OF, Card, Cards, Seat, Trump, clockwise_from, effective_suit, make_pack, strength
from engine.cards import trick_winner as winner_at
from engine.relief import still_under
from engine.rules import Rules
from engine.state import UpcardFate
from engine.view import View, Viewer


@dataclass(frozen=True, slots=True)
class Known:
    """What a seat knows while a hand is played.

    ``unseen`` are the cards this seat has never seen, as far as they may still be played or lie buried. ``voids`` are,
    by seat, the suits it has shown to be out of. ``taken`` is the upcard while the dealer holds it unplayed. ``trick``
    are the cards on the table, ``to_follow`` the seats that play after this one in this trick, in order.
    """

    seat: Seat
    partner: Seat
    trump: Trump
    hand: Cards
    unseen: Cards
    counts: tuple[int, int, int, int]
    voids: tuple[frozenset[str], ...]
    dealer: Seat
    taken: Card | None
    trick: tuple[tuple[Seat, Card], ...]
    to_follow: tuple[Seat, ...]
    opponents: tuple[Seat, ...]

    def suit(self, card: Card) -> str:
        """Return the suit *card* belongs to in this hand."""
        return effective_suit(card, self.trump)

    def is_trump(self, card: Card) -> bool:
        """Tell whether *card* is a trump; in no trump nothing is."""
        return effective_suit(card, self.trump) == self.trump

    @property
    def led(self) -> Card | None:
        """The card that was led; None when this seat leads."""
        return self.trick[0][1] if self.trick else None

    @property
    def tricks_left(self) -> int:
        """Tricks still to be decided, this one included."""
        return len(self.hand)

    def of_suit(self, suit: str) -> Cards:
        """Return the cards of *suit* in this hand."""
        return tuple([card for card in self.hand if self.suit(card) == suit])

    def winning(self) -> tuple[Seat, Card]:
        """Return who is winning the trick on the table, and with which card; there must be one."""
        return self.trick[winner_at([card for _, card in self.trick], self.trump)]

    def beats(self, card: Card, best: Card) -> bool:
        """Tell whether *card*, played now, beats *best* of the trick on the table, or of a trick *best* leads."""
        led = self.led or best
        return winner_at((led, best, card), self.trump) == 2

    def above(self, card: Card) -> int:
        """Return how many unseen cards of *card*'s suit are higher; none makes it the boss of its suit."""
        suit, height = self.suit(card), strength(card, self.trump)
        return sum(1 for other in self.unseen if self.suit(other) == suit and strength(other, self.trump) > height)

    def is_boss(self, card: Card) -> bool:
        """Tell whether *card* is the highest of its suit still out."""
        return not self.above(card)

    def unseen_of(self, suit: str) -> Cards:
        """Return the unseen cards of *suit*."""
        return tuple([card for card in self.unseen if self.suit(card) == suit])

    def may_hold(self, seat: Seat, suit: str) -> bool:
        """Tell whether *seat* may hold a card of *suit*."""
        if not self.counts[seat]:
            return False
        return suit not in self.voids[seat] and bool(self.unseen_of(suit))

    def trumps_against(self) -> int:
        """Return how many unseen trumps an opponent may hold."""
        if not any(self.may_hold(seat, self.trump) for seat in self.opponents):
            return 0
        return len(self.unseen_of(self.trump))

    def _could_hold(self, seat: Seat) -> Iterator[Card]:
        """Yield the unseen cards that may be in *seat*'s hand, apart from an upcard everybody saw go to the dealer."""
        voids = self.voids[seat]
        for card in self.unseen:
            if card != self.taken and self.suit(card) not in voids:
                yield card

    def chance_to_beat(self, seat: Seat, best: Card, led: Card) -> float:
        """Return the chance that *seat* holds a card that may be played on *led* and beats *best*.

        Zero means it cannot. Every unseen card is held to be as likely as another in every hidden place.
        """
        led_suit = self.suit(led)
        cards = places = following = higher = over = 0
        for card in self._could_hold(seat):
            cards += 1
            wins = winner_at((led, best, card), self.trump) == 2
            if self.suit(card) == led_suit:
                following += 1
                higher += wins
            else:
                over += wins
        places = self.counts[seat]
        if self.taken is not None and seat == self.dealer:
            places -= 1
            wins = winner_at((led, best, self.taken), self.trump) == 2
            if self.suit(self.taken) == led_suit:
                return 1.0 if wins else _chance_of_any(higher, cards, places)
            if wins:
                return _chance_of_any(higher, cards, places) + 1 - _chance_of_any(following, cards, places)
        none_following = 1 - _chance_of_any(following, cards, places)
        neither = 1 - _chance_of_any(following + over, cards, places)
        return _chance_of_any(higher, cards, places) + none_following - neither


def _chance_of_any(wanted: int, cards: int, places: int) -> float:
    """Return the chance that at least one of *wanted* cards out of *cards* is among *places* drawn."""
    if not wanted or places <= 0:
        return 0.0
    if places > cards - wanted:
        return 1.0
    return 1 - comb(cards - wanted, places) / comb(cards, places)


def known_from(view: View, rules: Rules) -> Known:
    """Count from *view*, which must be a seat's own, of a hand whose trump is made."""
    seat, trump, dealer = view.viewer, view.trump, view.dealer
    assert isinstance(seat, int)
    assert trump is not None
    assert dealer is not None
    played = {card for trick in view.tricks for _, card in trick.cards} | {card for _, card in view.trick}
    seen = played.union(view.cards, put_away(view, rules))
    if view.given is not None:
        seen.add(view.given)
    upcard = view.upcard
    if view.upcard_fate in (UpcardFate.TURNED_DOWN, UpcardFate.LEFT) and upcard is not None:
        seen.add(upcard)
    is_held = view.upcard_fate is UpcardFate.TAKEN and upcard not in seen and dealer not in view.sitting
    waiting = {other for other, _ in view.trick} | set(view.sitting) | {seat}
    return Known(
        seat=seat,
        partner=PARTNER_OF[seat],
        trump=trump,
        hand=view.cards,
        unseen=tuple([card for card in make_pack(rules.low_rank, rules.jokers) if card not in seen]),
        counts=_counts_in_play(view),
        voids=_voids(view, trump),
        dealer=dealer,
        taken=upcard if is_held else None,
        trick=view.trick,
        to_follow=tuple([other for other in clockwise_from(seat) if other not in waiting]),
        opponents=tuple([other for other in clockwise_from(seat)[1::2] if other not in view.sitting]),
    )


def put_away(view: View, rules: Rules) -> set[Card]:
    """Return the cards that the seat whose *view* this is put where no hand has them."""
    away = set() if view.discard is None else {view.discard}
    if view.put_away:
        swappers: list[Viewer] = [seat for seat, _ in reversed(view.shown)]
        away.update(still_under(view.put_away, swappers.index(view.viewer), rules))
    return away


def _counts_in_play(view: View) -> tuple[int, int, int, int]:
    """Return the cards in hand by seat, none for those who sit."""
    first, second, third, fourth = (0 if seat in view.sitting else view.counts[seat] for seat in range(4))
    return first, second, third, fourth


def _voids(view: View, trump: Trump) -> tuple[frozenset[str], ...]:
    """Return, by seat, the suits it did not follow when they were led."""
    voids: tuple[set[str], ...] = (set(), set(), set(), set())
    for cards in (*(trick.cards for trick in view.tricks), view.trick):
        if not cards:
            continue
        led = effective_suit(cards[0][1], trump)
        for seat, card in cards[1:]:
            if effective_suit(card, trump) != led:
                voids[seat].add(led)
    return tuple(frozenset(suits) for suits in voids)
