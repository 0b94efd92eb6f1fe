"""Euchre Game Notation 1.4: a game as one JSON document, written and read.

The notation names players, rules it knows, deals, calls and tricks; who led and who won follows. What it has no name
for is left out, and the loss is told.
"""

from __future__ import annotations

import json
from typing import Final

from engine.actions import AnswerDefence, CallTrump, Discard, GiveCard, OrderUp, Pass
from engine.cards import BENNY, SUITS, Seat
from engine.interchange.egn_cards import write_card
from engine.interchange.egn_rules import write_ruleset
from engine.interchange.study import Contract, Study, StudyHand, contract_of, swaps_of

FILE_TYPE: Final = "Euchre Game Notation"
VERSION: Final = "1.4"
MOST_DEALS: Final = 100
MAX_NAME: Final = 64
MAX_EXCHANGES: Final = 4
NOBODY: Final = -1
SEATS_BEFORE_DEALER: Final = 3


def write_egn(study: Study) -> str:
    """Return the game as text; hands beyond the hundredth have no place in it."""
    metadata: dict[str, object] = {"gameId": study.game[:MAX_NAME]} if study.game else {}
    metadata |= {"players": [name[:MAX_NAME] for name in study.names], "initialScore": study.score}
    if study.final is not None:
        metadata["finalScore"] = study.final
    document = {
        "fileType": FILE_TYPE,
        "version": VERSION,
        "metadata": metadata | {"ruleset": write_ruleset(study.rules)},
        "deals": [_deal(hand) for hand in study.hands[:MOST_DEALS]],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _deal(hand: StudyHand) -> dict[str, object]:
    contract = contract_of(hand)
    phases = [_bidding(hand, contract)]
    # The maker's partner alone cannot be said, and the tricks would read as other seats' cards.
    if hand.tricks and contract is not None and not contract.is_partner_alone:
        tricks = [[write_card(card) for card in cards] for cards in hand.tricks]
        phases.append({"phaseNumber": 1, "type": "TRICK_PLAY", "tricks": tricks})
    return {
        "dealNumber": hand.number - 1,
        "initialState": {
            "dealer": hand.dealer,
            "upCard": write_card(hand.upcard),
            "playerCards": [[write_card(card) for card in cards] for cards in hand.hands],
        },
        "phases": phases,
    }


def _bidding(hand: StudyHand, contract: Contract | None) -> dict[str, object]:
    bidding: dict[str, object] = {
        "phaseNumber": 0,
        "type": "EUCHRE_BIDDING",
        "calls": _calls(hand),
        "isAlone": contract is not None and contract.maker in contract.alone,
    }
    for _, action in hand.moves:
        if isinstance(action, Discard):
            bidding["discard"] = write_card(action.card)
    if contract is not None and contract.is_partner_alone:
        return bidding
    defence = [(seat, action.alone) for seat, action in hand.moves if isinstance(action, AnswerDefence)]
    lone = [seat for seat, alone in defence if alone]
    if lone or len(defence) == len(SUITS) // 2:
        bidding["aloneDefender"] = lone[0] if lone else NOBODY
    exchanges = _exchanges(hand)
    return bidding | {"cardExchanges": exchanges} if exchanges else bidding


def _calls(hand: StudyHand) -> list[str]:
    calls: list[str] = []
    for _, action in hand.moves:
        match action:
            case Pass():
                calls.append("Pass")
            case OrderUp():
                calls.append("Order")
            case CallTrump():
                if hand.upcard == BENNY and not calls:
                    calls += ["Pass"] * SEATS_BEFORE_DEALER
                calls.append("x" if action.trump == "l" else action.trump)
            case None:
                calls.append("x")
            case _:
                pass
    return calls


def _exchanges(hand: StudyHand) -> list[dict[str, object]]:
    """Return the cards that changed hands: a seat's own with the buried ones, put away first, and between partners."""
    passed = [
        _exchange(seat, (seat + 2) % 4, [write_card(action.card)])
        for seat, action in hand.moves
        if isinstance(action, GiveCard)
    ]
    swapped = [
        _exchange(seat, seat, [write_card(card) for card in (*given, *taken)]) for seat, given, taken in swaps_of(hand)
    ]
    return [*swapped[: MAX_EXCHANGES - len(passed)], *passed]


def _exchange(sender: Seat, receiver: Seat, cards: list[str]) -> dict[str, object]:
    return {"sender": sender, "receiver": receiver, "cards": cards}
