"""OpenSpiel's euchre: hands as lists of that game's action numbers, one JSON object a line, written and read.

Its game is one hand: 24 cards dealt one at a time from the dealer on, ordering is naming the upcard's suit, alone is
asked after the discard, the upcard may not be buried, and nobody keeps a score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.actions import AnswerAlone, AnswerDefence, CallTrump, Discard, OrderUp, Pass
from engine.cards import CARDS_PER_HAND, LEFT_OF, Card, Cards, Trump, clockwise_from, make_pack, team_of, upcard_suit
from engine.events import FourHands
from engine.interchange.reports import InterchangeError
from engine.interchange.study import Contract, Study, StudyHand, contract_of, lead_of
from engine.rules import AllPass, AloneTiming, DefendAlone, Rules

RANK_ORDER: Final = "9TJQKA"
SUIT_ORDER: Final = "cdhs"
PASS_NUMBER: Final = 24
FIRST_SUIT_NUMBER: Final = 25
ALONE_NUMBER: Final = 29
TOGETHER_NUMBER: Final = 30
PACK: Final = make_pack(9)


class _NoSuchHandError(Exception):
    """Their game cannot come to this hand."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters of their game."""

    allow_lone_defender: bool
    stick_the_dealer: bool

    def __str__(self) -> str:
        return f"euchre(allow_lone_defender={self.allow_lone_defender},stick_the_dealer={self.stick_the_dealer})"


def card_number(card: Card) -> int:
    """Return their number of a card."""
    return RANK_ORDER.index(card[0]) * len(SUIT_ORDER) + SUIT_ORDER.index(card[1])


def write_openspiel(study: Study) -> str:
    """Return a line for every hand their game can come to.

    Raises InterchangeError where it can come to none.
    """
    if make_pack(study.rules.low_rank, study.rules.jokers) != PACK:
        raise InterchangeError(f"OpenSpiel's game has the {len(PACK)} cards from the nines up, and no joker")
    settings = Settings(
        allow_lone_defender=study.rules.defend_alone is not DefendAlone.OFF,
        stick_the_dealer=study.rules.all_pass is AllPass.STICK,
    )
    lines = []
    for hand in study.hands:
        try:
            actions = [*_deal(hand), *_decisions(study.rules, hand)]
        except _NoSuchHandError:
            continue
        lines.append(json.dumps({"game": str(settings), "hand": hand.number, "actions": actions}) + "\n")
    if not lines:
        why = "OpenSpiel's game can come to no hand of this one" if study.hands else "no hand was dealt"
        raise InterchangeError(why)
    return "".join(lines)


def _deal(hand: StudyHand) -> Iterator[int]:
    yield hand.dealer
    for at in range(CARDS_PER_HAND):
        yield from (card_number(hand.hands[seat][at]) for seat in clockwise_from(hand.dealer))
    yield card_number(hand.upcard)


def _decisions(rules: Rules, hand: StudyHand) -> Iterator[int]:
    for _, action in hand.moves:
        match action:
            case Pass():
                yield PASS_NUMBER
            case OrderUp():
                yield _suit_number(upcard_suit(hand.upcard))
            case CallTrump():
                yield _suit_number(action.trump)
            case Discard() | AnswerAlone() | AnswerDefence():
                pass
            case _:
                raise _NoSuchHandError
    contract = contract_of(hand)
    if contract is not None:
        yield from _after_call(rules, hand, contract)


def _suit_number(trump: Trump) -> int:
    if trump not in SUIT_ORDER:
        raise _NoSuchHandError
    return FIRST_SUIT_NUMBER + SUIT_ORDER.index(trump)


def _after_call(rules: Rules, hand: StudyHand, contract: Contract) -> Iterator[int]:
    """Yield discard, alone, defenders' answers and play, as far as the hand got."""
    discards = [action.card for _, action in hand.moves if isinstance(action, Discard)]
    answers = [(seat, action.alone) for seat, action in hand.moves if isinstance(action, AnswerAlone | AnswerDefence)]
    if discards == [hand.upcard] or contract.is_partner_alone:
        raise _NoSuchHandError
    if lead_of(rules, hand, contract) != lead_of(Rules(), hand, contract):
        raise _NoSuchHandError
    if contract.is_ordered and not discards:
        if hand.tricks or answers:
            raise _NoSuchHandError
        return
    yield from map(card_number, discards)
    is_asked_late = rules.alone_timing is AloneTiming.BEFORE_FIRST_LEAD
    if is_asked_late and not answers and not hand.tricks:
        return
    yield ALONE_NUMBER if contract.maker in contract.alone else TOGETHER_NUMBER
    defence = [alone for seat, alone in answers if team_of(seat) != team_of(contract.maker)]
    if rules.defend_alone is not DefendAlone.OFF and not defence and hand.tricks:
        defence = [False, False]
    yield from (ALONE_NUMBER if alone else TOGETHER_NUMBER for alone in defence)
    yield from (card_number(card) for cards in hand.tricks for card in cards)


def dealt_hands(dealer: int, cards: Cards) -> FourHands:
    """Return the hands by seat of twenty cards dealt one at a time from the dealer on."""
    dealt = {seat: cards[at :: len(LEFT_OF)] for at, seat in enumerate(clockwise_from(dealer))}
    return dealt[0], dealt[1], dealt[2], dealt[3]
