"""Reading Trickster's notation: hands of one game, complete or partly unknown."""

from __future__ import annotations

from dataclasses import replace

from engine.interchange.completing import with_shown_options
from engine.interchange.ptn import PLAYER_TAGS
from engine.interchange.ptn_blocks import Block, blocks_of, check_alike
from engine.interchange.ptn_hand import HandReader
from engine.interchange.ptn_options import read_options
from engine.interchange.ptn_tags import read_tags
from engine.interchange.readings import Reading
from engine.interchange.reports import InterchangeError, Loss
from engine.interchange.study import Study, StudyHand
from engine.rules import LonerLead, Rules


def read_ptn(text: str) -> Reading:
    """Read hands. Raises InterchangeError where there are none, or where they tell what cannot be."""
    losses: list[Loss] = []
    blocks = list(blocks_of(read_tags(text), losses))
    if not blocks:
        raise InterchangeError("there is no [Deal]")
    rules, lost = read_options(blocks[0].one("GameOptionsJson"))
    losses += lost
    check_alike(blocks)
    rules, hands = _read_hands(rules, blocks)
    rules = with_shown_options(rules, hands)
    names = [tag.value if tag else "" for tag in map(blocks[0].one, PLAYER_TAGS)]
    event = blocks[0].one("Event")
    study = Study(
        rules=rules,
        names=(names[0], names[1], names[2], names[3]),
        game="" if event is None else event.value,
        hands=tuple(hands),
    )
    return Reading(study, tuple(losses), _Lines(blocks))


def _read_hands(rules: Rules, blocks: list[Block]) -> tuple[Rules, list[StudyHand]]:
    """Return the hands, and the rules with who leads against a lone maker as they show it (R-PLAY-1)."""
    try:
        return rules, [HandReader(rules, block).hand() for block in blocks]
    except InterchangeError as error:
        others = replace(rules, loner_lead=LonerLead.LEFT_OF_LONER)
        try:
            return others, [HandReader(others, block).hand() for block in blocks]
        except InterchangeError:
            raise error from None


class _Lines:
    """Finds the line of a hand or a trick."""

    def __init__(self, blocks: list[Block]) -> None:
        self._blocks = {block.number: block for block in blocks}

    def __call__(self, hand: int, trick: int | None) -> int | None:
        block = self._blocks.get(hand)
        if block is None:
            return None
        play = block.one("Play")
        if trick is not None and play is not None and trick <= len(play.rows):
            return play.rows[trick - 1][0]
        deal = block.one("Deal")
        return None if deal is None else deal.line
