"""The text of Trickster's notation: tags in brackets, each with lines of data under it, as in PBN."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from engine.cards import BENNY, RANKS, SUITS, Card, Cards, Seat, Suit
from engine.interchange.reports import InterchangeError, shown
from engine.interchange.study import UNKNOWN

SIDES: Final = "SWNE"
"""Their seats, ours by number."""
_JOKERS: Final = "HL"
_SUIT_LETTERS: Final = "SHDCJ"
_TAG: Final = re.compile(r'\[(\w{1,40})\s+"([^"\\]*(?:\\.[^"\\]*)*)"\]')
_ESCAPED: Final = re.compile(r"\\(.)")
_MAX_LINES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag with the words of the lines under it, row by row; ``line`` is where it stands, rows follow."""

    name: str
    value: str
    line: int
    rows: tuple[tuple[int, tuple[str, ...]], ...]

    def fault(self, detail: str, *, line: int | None = None) -> InterchangeError:
        """Return the fault *detail* of this tag."""
        return InterchangeError(f"[{self.name}]: {detail}", line=line or self.line)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def write_tag(name: str, value: str) -> str:
    """Return a tag's line; control characters become spaces."""
    clean = "".join(sign if sign.isprintable() else " " for sign in value)
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def write_card(card: Card) -> str:
    """Return a card suit first: ``HJ``, ``JH`` for the Benny, ``-`` where it is not known."""
    if card == UNKNOWN:
        return "-"
    return "J" + _JOKERS[0] if card == BENNY else card[1].upper() + card[0]


def write_hand(cards: Cards) -> str:
    """Return a hand suit by suit, high cards first; ``-`` where it is not known."""
    if UNKNOWN in cards:
        return "-"
    suits = ["".join(sorted((card[0] for card in cards if card[1] == suit), key=RANKS.index)[::-1]) for suit in SUITS]
    return ".".join([*suits, _JOKERS[0]] if BENNY in cards else suits)


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def read_tags(text: str) -> list[Tag]:
    """Return the tags in order. Lines that begin with % are passed over.

    Raises InterchangeError for a line that is neither a tag nor under one.
    """
    lines = text.splitlines()
    if len(lines) > _MAX_LINES:
        raise InterchangeError(f"a file may have {_MAX_LINES} lines")
    tags: list[Tag] = []
    rows: list[tuple[int, tuple[str, ...]]] = []
    for at, line in enumerate(lines, start=1):
        bare = line.strip()
        if bare.startswith("["):
            _close(tags, rows)
            tags.append(_read_tag(bare, at))
            rows = []
        elif bare and not bare.startswith("%"):
            if not tags:
                raise InterchangeError(f"{shown(bare)} stands under no tag", line=at)
            rows.append((at, tuple(bare.split())))
    _close(tags, rows)
    return tags


def _close(tags: list[Tag], rows: list[tuple[int, tuple[str, ...]]]) -> None:
    if tags:
        last = tags[-1]
        tags[-1] = Tag(last.name, last.value, last.line, tuple(rows))


def _read_tag(text: str, line: int) -> Tag:
    match = _TAG.fullmatch(text)
    if match is None:
        raise InterchangeError(f'{shown(text)} is no tag; one is [Name "value"]', line=line)
    return Tag(match[1], _ESCAPED.sub(r"\1", match[2]), line, ())


def read_side(tag: Tag, text: str) -> Seat:
    """Return the seat of a side's letter."""
    side = text.strip().upper()
    if len(side) != 1 or side not in SIDES:
        raise tag.fault(f"{shown(text)} is none of the sides S, W, N and E")
    return SIDES.index(side)


def read_card(tag: Tag, text: str, *, line: int | None = None) -> Card:
    """Return a card written suit first."""
    sign = text.upper().replace("10", "T")
    if len(sign) == len(BENNY) and sign[0] in _SUIT_LETTERS:
        card = _card(sign[0], sign[1])
        if card is not None:
            return card
    raise tag.fault(f"{shown(text)} is no card; one is suit and rank, like HJ", line=line)


def _card(suit: str, rank: str) -> Card | None:
    if suit == "J":
        return BENNY if rank in _JOKERS else None
    return Card(rank + suit.lower()) if rank in RANKS else None


def read_cards(tag: Tag, text: str) -> Cards:
    """Return cards written suit first, apart or together."""
    words = text.replace(",", " ").upper().replace("10", "T").split()
    if len(words) == 1 and len(words[0]) % 2 == 0:
        words = [words[0][at : at + 2] for at in range(0, len(words[0]), 2)]
    return tuple(UNKNOWN if word == "-" else read_card(tag, word) for word in words)


def read_hand(tag: Tag, text: str) -> Cards:
    """Return a hand written suit by suit; no cards where it is not known."""
    if text == "-":
        return ()
    suits = text.upper().replace("10", "T").split(".")
    if not len(SUITS) <= len(suits) <= len(_SUIT_LETTERS):
        raise tag.fault(f"{shown(text)} is no hand; one is spades.hearts.diamonds.clubs")
    cards = [(_card(suit, rank), rank) for suit, ranks in zip(_SUIT_LETTERS, suits, strict=False) for rank in ranks]
    for card, rank in cards:
        if card is None:
            raise tag.fault(f"{shown(rank)} is no rank")
    return tuple(card for card, _ in cards if card is not None)


def suit_of_sign(text: str) -> Suit | None:
    """Return the suit of ``♥``, ``H`` or ``h``."""
    signs = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
    letter = signs.get(text, text.lower())
    return next((suit for suit in SUITS if suit == letter), None)
