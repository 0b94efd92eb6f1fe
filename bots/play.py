"""Which card a player by rules of thumb plays. The rules are in `bots.solver.playing`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from bots.estimate import seat_of
from bots.layouts import cards_mask, put_away
from bots.solver.open_hand import bit_of, by_suit, mask_of
from bots.solver.playing import Table
from engine.cards import ALL_CARDS, SEATS, SUITS, Card, Trump, effective_suit, make_pack
from engine.rules import Rules
from engine.state import UpcardFate
from engine.view import SeatCard, View


def choose_card(view: View, rules: Rules) -> Card:
    """Return which card to play."""
    assert view.trump is not None
    counts = [0 if seat in view.sitting else view.counts[seat] for seat in SEATS]
    buried = 0 if view.discard is None else cards_mask([view.discard])
    bit = table_for(view, rules).choice(cards_mask(view.cards), counts, buried)
    return _card_of(view.trump)[bit]


@cache
def _card_of(trump: Trump) -> dict[int, Card]:
    return {bit: card for card, bit in bit_of(trump).items()}


def table_for(view: View, rules: Rules) -> Table:
    """Return the play as it stands in *view*, which must be a seat's own, of a hand whose trump is made."""
    seat, trump, maker, dealer = seat_of(view), view.trump, view.maker, view.dealer
    assert trump is not None
    assert maker is not None
    assert dealer is not None
    bits = bit_of(trump)
    before = [trick.cards for trick in view.tricks]
    gone = sum(bits[card] for cards in before for _, card in cards)
    aside = put_away(view, rules) - {view.discard} | ({view.given} if view.given else set())
    upcard = 0 if view.upcard is None else bits[view.upcard]
    is_seen = view.upcard_fate in (UpcardFate.TURNED_DOWN, UpcardFate.LEFT)
    is_held = view.upcard_fate is UpcardFate.TAKEN and dealer not in view.sitting
    return Table(
        by_suit(trump),
        pack=mask_of(make_pack(rules.low_rank, rules.jokers), trump),
        has_trump=trump in SUITS,
        maker=maker,
        dealer=dealer,
        sits=sum(1 << other for other in view.sitting),
        voids=_voids(before, trump),
        gone=gone | mask_of(aside, trump) | (upcard if is_seen else 0),
        taken=upcard & ~gone if is_held else 0,
        led_trump=sum({1 << cards[0][0] for cards in before if effective_suit(cards[0][1], trump) == trump}),
        won=list(view.won),
        leader=view.trick[0][0] if view.trick else seat,
        trick=[(other, bits[card]) for other, card in view.trick],
    )


def _voids(tricks: Iterable[Iterable[SeatCard]], trump: Trump) -> list[int]:
    """Return by seat the cards of the suits it did not follow."""
    voids = [0, 0, 0, 0]
    for (_, led), *others in tricks:
        suit = effective_suit(led, trump)
        for seat, card in others:
            if effective_suit(card, trump) != suit:
                voids[seat] |= _suit_mask(suit, trump)
    return voids


@cache
def _suit_mask(suit: str, trump: Trump) -> int:
    return mask_of([card for card in ALL_CARDS if effective_suit(card, trump) == suit], trump)
