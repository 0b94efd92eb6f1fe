"""Cards, suits and contracts as people read them: ``J♥``, "the jack of hearts", "hearts ♥"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.cards import BENNY, SUITS, Card, Trump, effective_suit, is_trump, sort_hand

SUIT_SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
SUIT_WORDS: Final = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}
_CONTRACT_WORDS: Final = SUIT_WORDS | {"n": "no trump", "l": "low no trump"}
_RANK_WORDS: Final = {
    "7": "seven", "8": "eight", "9": "nine", "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip


def short(card: Card) -> str:
    """Return ``J♥``, ``10♦`` or ``Joker``."""
    if card == BENNY:
        return "Joker"
    return ("10" if card[0] == "T" else card[0]) + SUIT_SIGNS[card[1]]


def long(card: Card) -> str:
    """Return "the jack of hearts"."""
    if card == BENNY:
        return "the joker"
    return f"the {_RANK_WORDS[card[0]]} of {SUIT_WORDS[card[1]]}"


def row(cards: Iterable[Card]) -> str:
    """Return *cards* in their order, two spaces between."""
    return "  ".join(short(card) for card in cards)


def hand_row(cards: Iterable[Card], trump: Trump | None) -> str:
    """Return a hand sorted for reading, trump first."""
    return row(sort_hand(cards, trump))


def suit_word(suit: str) -> str:
    """Return "hearts", "no trump" or "low no trump"."""
    return _CONTRACT_WORDS[suit]


def contract(trump: Trump) -> str:
    """Return "hearts ♥", or "no trump", which has no sign."""
    return f"{SUIT_WORDS[trump]} {SUIT_SIGNS[trump]}" if trump in SUITS else _CONTRACT_WORDS[trump]


def is_declared(trump: Trump) -> str:
    """Return "Hearts are trump" or "The hand is played in no trump"."""
    if trump in SUITS:
        return f"{SUIT_WORDS[trump].capitalize()} are trump"
    return f"The hand is played in {_CONTRACT_WORDS[trump]}"


def bower(card: Card, trump: Trump | None) -> str | None:
    """Return "right bower" or "left bower" where *card* is one."""
    if trump is None or trump not in SUITS or card == BENNY or card[0] != "J" or not is_trump(card, trump):
        return None
    return "right bower" if card[1] == trump else "left bower"


def named(card: Card, trump: Trump | None) -> str:
    """Return the card with what is special about it: "J♦ (left bower)"."""
    which = bower(card, trump)
    return f"{short(card)} ({which})" if which else short(card)


def must_follow(card: Card, led: Card, trump: Trump) -> str:
    """Say why *card* may not be played on *led* by a hand that can follow."""
    suit = effective_suit(led, trump)
    why = f"you must follow {suit_word(suit)}"
    if bower(led, trump) == "left bower":
        why += f"; {long(led)} that was led is the left bower, a {SUIT_WORDS[suit][:-1]}"
    elif bower(card, trump) == "left bower":
        why += f"; {long(card)} is the left bower and counts as a {SUIT_WORDS[effective_suit(card, trump)][:-1]}"
    return why
