"""Reading Euchre Game Notation: a version 1 document, complete or as much as somebody saw from his chair."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import zip_longest
from typing import Final

from engine.cards import CARDS_PER_HAND, SEATS, make_pack
from engine.interchange.completing import completed, with_buried, with_shown_options
from engine.interchange.egn import FILE_TYPE, MOST_DEALS
from engine.interchange.egn_deals import DealSheet, others, read_deal
from engine.interchange.egn_moves import moves_of
from engine.interchange.egn_rules import read_ruleset
from engine.interchange.json_tree import Node, line_of, read_tree
from engine.interchange.readings import Reading
from engine.interchange.reports import InterchangeError, Loss
from engine.interchange.study import Study, StudyHand, contract_of, lead_of
from engine.rules import DefendAlone, Rules

_VERSION: Final = re.compile(r"1(\.\d{1,3}){1,2}")
_MAX_SCORE: Final = 999
_DEALT: Final = len(SEATS) * CARDS_PER_HAND + 1
"""Cards that are not buried."""
_METADATA: Final = frozenset({"gameId", "players", "initialScore", "finalScore", "ruleset"})


def read_egn(text: str) -> Reading:
    """Read a document. Raises InterchangeError where it is none, or tells what cannot be."""
    document = read_tree(text)
    fields = document.fields()
    if "fileType" not in fields or fields["fileType"].words() != FILE_TYPE:
        raise document.fault(f'"fileType" must be "{FILE_TYPE}"')
    version = _needed(document, "version")
    if not _VERSION.fullmatch(version.words()):
        raise version.fault("only version 1 is read")
    losses = others(fields, {"fileType", "version", "metadata", "deals"}, "document")
    study = _metadata(_needed(document, "metadata"), losses)
    deals = _needed(document, "deals")
    sheets = [_deal(node, at, losses) for at, node in enumerate(deals.items(most=MOST_DEALS), start=1)]
    return Reading(_with_hands(study, sheets, losses), tuple(losses), _Lines(text, sheets))


def _needed(node: Node, name: str) -> Node:
    fields = node.fields()
    if name not in fields:
        raise node.fault(f'"{name}" is missing')
    return fields[name]


class _Lines:
    """Finds the line of a hand or a trick when it is asked for."""

    def __init__(self, text: str, sheets: list[DealSheet]) -> None:
        self._text = text
        self._sheets = {sheet.number: sheet for sheet in sheets}

    def __call__(self, hand: int, trick: int | None) -> int | None:
        sheet = self._sheets.get(hand)
        if sheet is None:
            return None
        tricks = sheet.tricks_path
        return line_of(self._text, sheet.path if trick is None or tricks is None else (*tricks, trick - 1))


# ── the game ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _metadata(node: Node, losses: list[Loss]) -> Study:
    fields = node.fields()
    losses += others(fields, _METADATA, "metadata")
    ruleset = read_ruleset(fields.get("ruleset"))
    losses += ruleset.losses
    players = _needed(node, "players").items(most=len(SEATS))
    names = [_name(player, seat, losses) for seat, player in enumerate(players)] + [""] * len(SEATS)
    final = fields.get("finalScore")
    return Study(
        rules=ruleset.rules,
        names=(names[0], names[1], names[2], names[3]),
        game=fields["gameId"].words() if "gameId" in fields else "",
        score=_score(_needed(node, "initialScore")),
        final=None if final is None else _score(final),
    )


def _name(node: Node, seat: int, losses: list[Loss]) -> str:
    if isinstance(node.value, str):
        return node.value
    losses += others(node.fields(), {"name"}, f"seat {seat}")
    return _needed(node, "name").words()


def _score(node: Node) -> tuple[int, int]:
    items = node.items(most=2)
    if len(items) != 2:
        raise node.fault("a score has two numbers")
    return items[0].whole(0, _MAX_SCORE), items[1].whole(0, _MAX_SCORE)


# ── the hands ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _deal(node: Node, number: int, losses: list[Loss]) -> DealSheet:
    try:
        return read_deal(node, number, losses)
    except InterchangeError as error:
        raise error.placed(hand=number) from None


def _with_hands(study: Study, sheets: list[DealSheet], losses: list[Loss]) -> Study:
    _check_numbers(sheets, losses)
    rules = _with_lone_defenders(study.rules, sheets)
    hands = []
    for sheet, after in zip_longest(sheets, sheets[1:]):
        try:
            hands.append(_hand(rules, sheet, after))
        except InterchangeError as error:
            raise error.placed(hand=sheet.number) from None
    rules = with_shown_options(rules, hands)
    return replace(study, rules=rules, hands=tuple(hands))


def _check_numbers(sheets: list[DealSheet], losses: list[Loss]) -> None:
    """Deals follow each other without gaps; the first may have any number."""
    for sheet in sheets:
        if sheet.told_number != sheets[0].told_number + sheet.number - 1:
            raise sheet.node.fault(
                f"deal {sheet.told_number} stands where deal {sheets[0].told_number + sheet.number - 1} must"
            ).placed(hand=sheet.number)
    if sheets and sheets[0].told_number > 1:
        losses.append(Loss(f"the first deal's number, {sheets[0].told_number}", "hand 1"))


def _with_lone_defenders(rules: Rules, sheets: list[DealSheet]) -> Rules:
    """Return *rules* in which a defender plays alone also against two, where one did."""
    if rules.defend_alone is DefendAlone.VS_LONE and any(sheet.is_lone_against_two() for sheet in sheets):
        return replace(rules, defend_alone=DefendAlone.ANY)
    return rules


def _hand(rules: Rules, sheet: DealSheet, after: DealSheet | None) -> StudyHand:
    is_dealt_again = after is not None and after.dealer == sheet.dealer
    are_all_buried = len(sheet.kitty) == len(make_pack(rules.low_rank, rules.jokers)) - _DEALT
    hand = StudyHand(
        number=sheet.number,
        dealer=sheet.dealer,
        upcard=sheet.upcard,
        hands=sheet.hands,
        buried=sheet.kitty if are_all_buried else (),
        moves=moves_of(rules, sheet, is_dealt_again=is_dealt_again),
        tricks=sheet.tricks,
    )
    contract = contract_of(hand)
    if sheet.lead is not None and contract is not None and sheet.lead != lead_of(rules, hand, contract):
        raise sheet.node.fault(f"seat {sheet.lead} is told to lead; by these rules another seat does").placed(trick=1)
    return with_buried(rules, completed(rules, hand), [taken for _, _, taken in sheet.swaps])
