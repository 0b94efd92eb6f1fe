"""What a deal of Euchre Game Notation comes to: the moves before the first lead, in the order of the game."""

from __future__ import annotations

from engine.actions import (
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    RELIEF,
    AskRelief,
    Discard,
    GiveCard,
    swap_of,
)
from engine.cards import (
    LEFT_OF,
    PARTNER_OF,
    SEATS,
    SWAPPED,
    Cards,
    Seat,
    clockwise_from,
    team_of,
)
from engine.errors import IllegalActionError
from engine.interchange.egn_deals import DealSheet
from engine.interchange.study import UNKNOWN, Contract, Move
from engine.rules import DefendAlone, PartnerExchange, Relief, Rules


def moves_of(rules: Rules, sheet: DealSheet, *, is_dealt_again: bool) -> tuple[Move, ...]:
    """Return the moves of a deal in the order in which they are made.

    *is_dealt_again* tells that the same dealer deals the next hand: calls that end early were ended by relief.
    """
    contract = sheet.contract()
    moves = _with_swaps(sheet, is_made=contract is not None)
    if contract is None:
        passes = len(sheet.bids)
        if is_dealt_again and rules.relief is Relief.REDEAL and passes < len(SEATS):
            moves.append((_turn(sheet), RELIEF))
        return tuple(moves)
    answers = _answers(rules, sheet, contract)
    gives = _gives(rules, sheet, contract, has_gone_on=bool(sheet.tricks or answers))
    discard = sheet.discard
    has_gone_on = bool(sheet.tricks or gives or answers)
    if discard is None and contract.is_ordered and has_gone_on and not _is_spared(sheet, contract):
        discard = UNKNOWN
    if discard is not None:
        moves.append((sheet.dealer, Discard(discard)))
    return (*moves, *gives, *answers)


def _turn(sheet: DealSheet) -> Seat:
    return LEFT_OF[sheet.bids[-1][0] if sheet.bids else sheet.dealer]


def _with_swaps(sheet: DealSheet, *, is_made: bool) -> list[Move]:
    """Return the bids with each going under before the seat's first call."""
    pending = {seat: _swap(sheet, given) for seat, given, _ in sheet.swaps}
    moves: list[Move] = []
    for seat, action in sheet.bids:
        if seat in pending:
            moves.append((seat, pending.pop(seat)))
        moves.append((seat, action))
    if not is_made and _turn(sheet) in pending:
        moves.append((_turn(sheet), pending.pop(_turn(sheet))))
    for seat in pending:
        raise sheet.node.fault(f"seat {seat} swaps cards, but it is not asked for a call")
    return moves


def _swap(sheet: DealSheet, given: Cards) -> AskRelief:
    if UNKNOWN in given:
        return AskRelief((UNKNOWN,) * SWAPPED)
    try:
        return swap_of(given)
    except IllegalActionError:
        raise sheet.node.fault("a card is put away twice") from None


def _is_spared(sheet: DealSheet, contract: Contract) -> bool:
    """Tell whether a dealer who sits out did not pick up: his cards are told, and no discard (R-ALONE-4)."""
    return contract.alone[:1] == (PARTNER_OF[sheet.dealer],) and UNKNOWN not in sheet.hands[sheet.dealer]


def _gives(rules: Rules, sheet: DealSheet, contract: Contract, *, has_gone_on: bool) -> list[Move]:
    """Return the cards given: the lone maker's first, then the partner's (R-ALONE-5)."""
    is_due = rules.partner_exchange is not PartnerExchange.OFF and contract.maker in contract.alone
    partner = PARTNER_OF[contract.maker]
    if not sheet.gives and not (is_due and has_gone_on):
        return []
    moves: list[Move] = [(contract.maker, GiveCard(sheet.gives.get(contract.maker, UNKNOWN)))]
    if partner in sheet.gives or has_gone_on:
        moves.append((partner, GiveCard(sheet.gives.get(partner, UNKNOWN))))
    return moves


def _answers(rules: Rules, sheet: DealSheet, contract: Contract) -> list[Move]:
    """Return the defenders' answers: asked from the dealer's left until one says yes (R-ALONE-3)."""
    lone = sheet.lone_defender
    option = rules.defend_alone
    is_asked = option is DefendAlone.ANY or (option is DefendAlone.VS_LONE and bool(contract.alone))
    if lone not in SEATS and (not is_asked or (lone is None and not sheet.tricks)):
        return []
    answers: list[Move] = []
    for seat in clockwise_from(LEFT_OF[sheet.dealer]):
        if team_of(seat) != team_of(contract.maker):
            answers.append((seat, DEFEND_ALONE if seat == lone else DEFEND_TOGETHER))
            if seat == lone:
                break
    return answers
