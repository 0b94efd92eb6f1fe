"""Cards in Euchre Game Notation: `Jd`, `N` for a nine, `B` the Benny, `L` and `R` the bowers, `X` for unknown."""

from __future__ import annotations

from typing import Final

from engine.cards import BENNY, SAME_COLOUR, SUITS, Card, Trump, parse_card
from engine.errors import CardTextError
from engine.interchange.json_tree import Node
from engine.interchange.reports import Loss, shown
from engine.interchange.study import UNKNOWN

UNKNOWN_TEXT: Final = "Xx"
_NO_SUIT: Final = "xtng"
_RANKS: Final = "789TJQKAXN"


def write_card(card: Card) -> str:
    """Return their text of a card."""
    return {UNKNOWN: UNKNOWN_TEXT, BENNY: "B"}.get(card, card)


def read_card(node: Node, trump: Trump | None, losses: list[Loss], where: str) -> Card:
    """Return the card, or UNKNOWN; what is known of an unknown one is added to *losses*.

    Raises InterchangeError for text that is no card, and for a bower where no suit is trump.
    """
    text = node.words().strip()
    if text in {"", UNKNOWN_TEXT, UNKNOWN_TEXT.upper(), UNKNOWN_TEXT.lower()}:
        return UNKNOWN
    if text == "B":
        return BENNY
    if text in {"L", "R"}:
        if trump not in SUITS:
            raise node.fault(f"{text} is a bower, and no suit is trump")
        return Card("J" + (trump if text == "R" else SAME_COLOUR[trump]))
    if len(text) == len(UNKNOWN_TEXT):
        rank, of = text[0].upper(), text[1].lower()
        if rank in _RANKS and (rank == "X" or of in _NO_SUIT) and of in f"{_NO_SUIT}shdc":
            losses.append(Loss(f"what {text} tells of a card", where))
            return UNKNOWN
        if rank == "N":
            text = f"9{of}"
    try:
        return parse_card(text)
    except CardTextError:
        raise node.fault(f"{shown(text)} is no card") from None
