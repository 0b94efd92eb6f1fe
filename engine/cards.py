"""Cards, effective suits and the order of cards (RULES.md §1, §2, §6).

A card is its canonical two-character text, rank then suit: ``"9s"``, ``"Td"``, ``"Jh"``, ``"Bj"`` (the Benny). Text
needs no conversion on its way to a log or a socket, hashes once, and reads the same everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, Literal, NewType, TypeAlias, cast

from engine.errors import CardTextError

Card = NewType("Card", str)
Seat: TypeAlias = int
"""0 to 3, clockwise. Partners sit at 0 and 2, and at 1 and 3."""

Suit: TypeAlias = Literal["s", "h", "d", "c"]
Trump: TypeAlias = Literal["s", "h", "d", "c", "n", "l"]
"""A suit, ``n`` for no trump, or ``l`` for low no trump."""

Cards: TypeAlias = tuple[Card, ...]

SEATS: Final[tuple[Seat, ...]] = (0, 1, 2, 3)
SUITS: Final[tuple[Suit, ...]] = ("s", "h", "d", "c")
TRUMPS: Final[tuple[Trump, ...]] = (*SUITS, "n", "l")
RANKS: Final = "789TJQKA"
BENNY: Final = Card("Bj")
CARDS_PER_HAND: Final = 5
SWAPPED: Final = 3
"""Cards a hand going under swaps (R-RELIEF-1)."""

SAME_COLOUR: Final[dict[Suit, Suit]] = {"s": "c", "c": "s", "h": "d", "d": "h"}
LEFT_OF: Final[tuple[Seat, ...]] = (1, 2, 3, 0)
"""The next seat clockwise, by seat."""
PARTNER_OF: Final[tuple[Seat, ...]] = (2, 3, 0, 1)
ALL_CARDS: Final[Cards] = (*(Card(rank + suit) for suit in SUITS for rank in RANKS), BENNY)


def team_of(seat: Seat) -> int:
    """Return 0 for seats 0 and 2, 1 for seats 1 and 3."""
    return seat & 1


def clockwise_from(seat: Seat) -> tuple[Seat, Seat, Seat, Seat]:
    """Return the four seats in turn order, *seat* first."""
    return seat, (seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4


@cache
def make_pack(low_rank: int, jokers: int = 0) -> Cards:
    """Return the sorted pack: suits s h d c, each from *low_rank* (7, 8 or 9) to the ace, the Benny last.

    R-PACK-1, R-PACK-2.
    """
    ranks = RANKS[low_rank - 7 :]
    pack = tuple(Card(rank + suit) for suit in SUITS for rank in ranks)
    return (*pack, BENNY) if jokers else pack


# ── which suit a card belongs to ─────────────────────────────────────────────────────────────────────────────────────


def _effective_suit(card: Card, trump: Trump) -> str:
    """Return the suit *card* belongs to under *trump* (R-CARD-1, R-CARD-4)."""
    if card == BENNY:
        return trump if trump in SUITS else "j"
    suit = cast("Suit", card[1])
    if card[0] == "J" and trump in SUITS and SAME_COLOUR[suit] == trump:
        return trump
    return suit


_SUIT_UNDER: Final[dict[str, dict[Card, str]]] = {
    trump: {card: _effective_suit(card, trump) for card in ALL_CARDS} for trump in TRUMPS
}


def effective_suit(card: Card, trump: Trump) -> str:
    """Return the suit *card* belongs to for every purpose: ``s h d c``, or ``j`` for a Benny in a no-trump hand.

    R-CARD-1, R-CARD-4.
    """
    return _SUIT_UNDER[trump][card]


def upcard_suit(upcard: Card) -> Suit:
    """Return the suit *upcard* stands for while trump is open; a Benny stands for spades (R-BID-7)."""
    return "s" if upcard == BENNY else cast("Suit", upcard[1])


def is_trump(card: Card, trump: Trump) -> bool:
    """Tell whether *card* is a trump; in no trump nothing is."""
    return _SUIT_UNDER[trump][card] == trump


# ── which card beats which ───────────────────────────────────────────────────────────────────────────────────────────

_RIGHT, _LEFT, _BENNY_STRENGTH, _TRUMP_BASE = 30, 29, 40, 20


def _strength(card: Card, trump: Trump) -> int:
    """Return a number that orders the cards of one trick; equal only for cards of different plain suits.

    R-CARD-2 to R-CARD-4.
    """
    if card == BENNY:
        return _BENNY_STRENGTH
    rank = RANKS.index(card[0])
    if trump == "l":
        return len(RANKS) - 1 - rank
    if trump == "n" or _SUIT_UNDER[trump][card] != trump:
        return rank
    if card[0] == "J":
        return _RIGHT if card[1] == trump else _LEFT
    return _TRUMP_BASE + rank


_STRENGTH: Final[dict[str, dict[Card, int]]] = {
    trump: {card: _strength(card, trump) for card in ALL_CARDS} for trump in TRUMPS
}


def strength(card: Card, trump: Trump) -> int:
    """Return *card*'s rank among cards of its effective suit; any trump is above every plain card."""
    return _STRENGTH[trump][card]


def trick_winner(cards: Sequence[Card], trump: Trump) -> int:
    """Return the index of the winning card of *cards*, given in playing order, at least one (R-PLAY-3)."""
    suit_of = _SUIT_UNDER[trump]
    strength_of = _STRENGTH[trump]
    led = suit_of[cards[0]]
    best, best_strength = 0, strength_of[cards[0]]
    for index in range(1, len(cards)):
        card = cards[index]
        suit = suit_of[card]
        if (suit == led or suit in (trump, "j")) and strength_of[card] > best_strength:
            best, best_strength = index, strength_of[card]
    return best


def legal_cards(hand: Cards, led: Card | None, trump: Trump) -> Cards:
    """Return the cards of *hand* that may be played on *led* (None when leading), in the hand's order.

    R-PLAY-2, R-CARD-4.
    """
    if led is None:
        return hand
    suit_of = _SUIT_UNDER[trump]
    suit = suit_of[led]
    following = tuple([card for card in hand if suit_of[card] == suit])
    return following or hand


def holds_trump(hand: Iterable[Card], trump: Trump, *, natural: bool) -> bool:
    """Tell whether *hand* holds a trump; with *natural* the left bower and the Benny do not count (R-BID-6)."""
    if natural:
        return any(card[1] == trump for card in hand)
    return any(_SUIT_UNDER[trump][card] == trump for card in hand)


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

_SUIT_SIGNS: Final = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "♤": "s", "♡": "h", "♢": "d", "♧": "c"}
_RANK_WORDS: Final = {
    "seven": "7", "eight": "8", "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K", "ace": "A",
}  # fmt: skip
_SUIT_WORDS: Final = {"spade": "s", "heart": "h", "diamond": "d", "club": "c"}
_CARD_BY_TEXT: Final = {card.lower(): card for card in ALL_CARDS}
_MAX_CARD_TEXT: Final = 24


def parse_card(text: str) -> Card:
    """Read one card, leniently: ``Td``, ``10d``, ``DT``, ``♦10``, ``ten of diamonds``, ``joker``; any case.

    Raises CardTextError for anything else.
    """
    if len(text) > _MAX_CARD_TEXT:
        raise CardTextError(text[:_MAX_CARD_TEXT])
    canonical = _CARD_BY_TEXT.get(text.strip().lower())
    if canonical is not None:
        return canonical
    short = text.strip().lower().replace("\ufe0f", "")  # makes a suit's sign an emoji
    if short in {"joker", "benny", "bj"}:
        return BENNY
    if words := re.fullmatch(r"([a-z]+) of ([a-z]+?)s?", short):
        short = _RANK_WORDS.get(words[1], "?").lower() + _SUIT_WORDS.get(words[2], "?")
    for sign, letter in _SUIT_SIGNS.items():
        short = short.replace(sign, letter)
    short = short.replace("10", "t")
    card = _CARD_BY_TEXT.get(short) or _CARD_BY_TEXT.get(short[::-1])
    if card is None:
        raise CardTextError(text)
    return card


def parse_cards(text: str) -> Cards:
    """Read a run of canonical two-character cards, such as a deck of a record: ``"9sTdJh"``.

    Raises CardTextError naming the first pair of characters that is no card.
    """
    return tuple(_exact_card(text[at : at + 2]) for at in range(0, len(text), 2))


def _exact_card(text: str) -> Card:
    card = _CARD_BY_TEXT.get(text.lower())
    if card is None:
        raise CardTextError(text)
    return card


def sort_hand(hand: Iterable[Card], trump: Trump | None = None) -> Cards:
    """Return *hand* for showing: trump first, then plain suits, colours alternating, high cards first."""
    order = _suit_order(trump)
    lens = trump or "n"
    return tuple(
        sorted(hand, key=lambda card: (order[_SUIT_UNDER[lens][card]], -_STRENGTH[lens][card])),
    )


def _suit_order(trump: Trump | None) -> dict[str, int]:
    first: Suit = trump if trump in SUITS else "s"
    other_colour: tuple[Suit, Suit] = ("h", "d") if first in "sc" else ("s", "c")
    ordered = (first, other_colour[0], SAME_COLOUR[first], other_colour[1])
    return {"j": -1} | {suit: place for place, suit in enumerate(ordered)}
