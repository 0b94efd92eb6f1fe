"""Trickster's notation: a hand in tags like those of PBN, written and read.

The dealer's side begins the deal, suits are spades.hearts.diamonds.clubs, the first card of the undealt ones is the
upcard, and a row of the play is a column a seat, not the order of play.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.actions import Action, AnswerAlone, AnswerDefence, AskRelief, CallTrump, Discard, GiveCard, OrderUp, Pass
from engine.cards import LEFT_OF, PARTNER_OF, SEATS, Seat, Trump, clockwise_from
from engine.interchange.ptn_options import write_options
from engine.interchange.ptn_tags import SIDES, write_card, write_hand, write_tag
from engine.interchange.reports import InterchangeError
from engine.interchange.study import Contract, Study, StudyHand, contract_of, lead_of, seats_by_trick, swaps_of
from engine.rules import Rules, SittingDealer

SIGNS: Final[dict[Trump, str]] = {"s": "♠", "h": "♥", "d": "♦", "c": "♣", "n": "NT", "l": "NT↓"}
PLAYER_TAGS: Final = ("South", "West", "North", "East")
NOTHING: Final = "-"


def write_ptn(study: Study) -> str:
    """Return the game as text, each hand with all it needs to stand by itself.

    Raises InterchangeError where no hand was dealt, for the text would be empty.
    """
    if not study.hands:
        raise InterchangeError("no hand was dealt")
    options = write_options(study.rules)
    return "\n".join("\n".join(_hand(study, hand, options)) + "\n" for hand in study.hands)


def _hand(study: Study, hand: StudyHand, options: str) -> Iterator[str]:
    yield write_tag("Event", study.game)
    yield write_tag("Board", str(hand.number))
    yield from (write_tag(tag, name) for tag, name in zip(PLAYER_TAGS, study.names, strict=True) if name)
    yield write_tag("GameOptionsJson", options)
    hands = " ".join(write_hand(hand.hands[seat]) for seat in clockwise_from(hand.dealer))
    yield write_tag("Deal", f"{SIDES[hand.dealer]}:{hands}")
    yield write_tag("Undealt", " ".join(write_card(card) for card in (hand.upcard, *hand.buried)))
    first = LEFT_OF[hand.dealer]
    yield write_tag("Auction", SIDES[first])
    yield from _rows(first, ((seat, word) for seat, action in hand.moves if (word := _word(hand, action))))
    yield from _card_tags(study.rules, hand)
    contract = contract_of(hand)
    if contract is not None:
        yield from _play(study.rules, hand, contract)


def _word(hand: StudyHand, action: Action | None) -> str | None:
    match action:
        case Pass():
            return "Pass"
        case OrderUp():
            contract = contract_of(hand)
            trump = None if contract is None else contract.trump
            return _bid(trump, alone=action.alone)
        case CallTrump():
            return _bid(action.trump, alone=action.alone)
        case AskRelief():
            return "GoUnder" if action.cards else "Misdeal"
        case AnswerAlone() | AnswerDefence():
            return "Alone" if action.alone else "Pass"
        case None:
            return "?"
        case _:
            return None


def _bid(trump: Trump | None, *, alone: bool) -> str:
    return ("?" if trump is None else SIGNS[trump]) + ("alone" if alone else "")


def _rows(first: Seat, words: Iterable[tuple[Seat, str]]) -> Iterator[str]:
    """Yield rows of four columns from seat *first* on; a seat that is passed over did nothing."""
    row: list[str] = []
    for seat, word in words:
        while (first + len(row)) % len(SEATS) != seat:
            row.append(NOTHING)
            if len(row) == len(SEATS):
                yield " ".join(row)
                row = []
        row.append(word)
        if len(row) == len(SEATS):
            yield " ".join(row)
            row = []
    if row:
        yield " ".join([*row, *[NOTHING] * (len(SEATS) - len(row))])


def _card_tags(rules: Rules, hand: StudyHand) -> Iterator[str]:
    for seat, given, taken in swaps_of(hand):
        yield write_tag("CardsRemoved", f"{SIDES[seat]}:{' '.join(map(write_card, given))}")
        yield write_tag("CardsAdded", f"{SIDES[seat]}:{' '.join(map(write_card, taken))}")
    contract = contract_of(hand)
    if contract is None:
        return
    discards = [action.card for _, action in hand.moves if isinstance(action, Discard)]
    if contract.is_ordered and (discards or not _is_spared(rules, hand, contract)):
        yield write_tag("CardsAdded", f"{SIDES[hand.dealer]}:{write_card(hand.upcard)}")
    for card in discards:
        yield write_tag("CardsRemoved", f"{SIDES[hand.dealer]}:{write_card(card)}")
    for seat, action in hand.moves:
        if isinstance(action, GiveCard):
            yield write_tag("CardsPassed", f"{SIDES[seat]}:{SIDES[PARTNER_OF[seat]]}:{write_card(action.card)}")


def _is_spared(rules: Rules, hand: StudyHand, contract: Contract) -> bool:
    """Tell whether a dealer who sits out does not pick up (R-ALONE-4)."""
    return rules.sitting_dealer is SittingDealer.SKIPS and contract.alone[:1] == (PARTNER_OF[hand.dealer],)


def _play(rules: Rules, hand: StudyHand, contract: Contract) -> Iterator[str]:
    yield write_tag("Declarer", SIDES[contract.maker])
    yield write_tag("Contract", _bid(contract.trump, alone=contract.maker in contract.alone))
    if not hand.tricks:
        return
    first = lead_of(rules, hand, contract)
    yield write_tag("Play", SIDES[first])
    for seats, cards in zip(seats_by_trick(rules, hand), hand.tricks, strict=False):
        played = dict(zip(seats, map(write_card, cards), strict=False))
        yield "  ".join(f"{played.get(seat, NOTHING):2}" for seat in clockwise_from(first)).rstrip()
