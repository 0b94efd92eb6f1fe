"""Which tags of Trickster's notation are of which hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from engine.interchange.ptn import PLAYER_TAGS
from engine.interchange.ptn_tags import Tag
from engine.interchange.reports import Loss, shown

_MAX_HANDS: Final = 1_000
_BOARD: Final = re.compile(r"[0-9]{1,6}")
_BEFORE_DEAL: Final = frozenset({"Event", "Board", "GameOptionsJson", *PLAYER_TAGS})
_OF_HAND: Final = frozenset(
    {"Deal", "Undealt", "Auction", "CardsAdded", "CardsRemoved", "CardsPassed", "Declarer", "Contract", "Play"}
)
_WITH_ROWS: Final = frozenset({"Auction", "Play"})
_SEVERAL: Final = frozenset({"CardsAdded", "CardsRemoved", "CardsPassed"})


@dataclass(slots=True)
class Block:
    """The tags of one hand: ``number`` counts the deals of a file from 1."""

    number: int
    tags: dict[str, list[Tag]] = field(default_factory=dict)

    def one(self, name: str) -> Tag | None:
        """Return the tag of that name, or None."""
        found = self.tags.get(name)
        return found[0] if found else None

    def all(self, name: str) -> list[Tag]:
        """Return the tags of that name, in order."""
        return self.tags.get(name, [])


def blocks_of(tags: list[Tag], losses: list[Loss]) -> Iterator[Block]:
    """Yield the hands: each ends where a tag comes that stands before a deal."""
    block = Block(1)
    for tag in tags:
        is_dealt = "Deal" in block.tags
        if is_dealt and tag.name in _BEFORE_DEAL | {"Deal"}:
            yield block
            if block.number == _MAX_HANDS:
                raise tag.fault(f"a game has at most {_MAX_HANDS} hands")
            block = Block(block.number + 1)
        if tag.name not in _BEFORE_DEAL | _OF_HAND:
            losses.append(Loss(f"[{tag.name}]", f"hand {block.number}"))
            continue
        if tag.rows and tag.name not in _WITH_ROWS:
            raise tag.fault("nothing may stand under it", line=tag.rows[0][0]).placed(hand=block.number)
        if tag.name in block.tags and tag.name not in _SEVERAL:
            raise tag.fault("it stands twice").placed(hand=block.number)
        if tag.name in _OF_HAND - {"Deal"} and not is_dealt:
            raise tag.fault("it stands before the deal").placed(hand=block.number)
        block.tags.setdefault(tag.name, []).append(tag)
    if "Deal" in block.tags:
        yield block
    elif block.tags:
        last = next(iter(block.tags.values()))[0]
        raise last.fault("no [Deal] follows").placed(hand=block.number)


def check_alike(blocks: list[Block]) -> None:
    """The hands of a game have the options, players and name of the first, and their numbers follow each other."""
    for before, after in pairwise(blocks):
        for name in ("GameOptionsJson", "Event", *PLAYER_TAGS):
            first, tag = blocks[0].one(name), after.one(name)
            if tag is not None and (first is None or first.value != tag.value):
                raise tag.fault("it is not that of the first hand").placed(hand=after.number)
        board, then = before.one("Board"), after.one("Board")
        if board and then and _number(then) != _number(board) + 1:
            raise then.fault(f"it does not follow board {board.value}; a hand is missing").placed(hand=after.number)


def _number(tag: Tag) -> int:
    if not _BOARD.fullmatch(tag.value):
        raise tag.fault(f"{shown(tag.value)} is no number of a hand")
    return int(tag.value)
