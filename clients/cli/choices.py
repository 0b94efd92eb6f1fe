"""What a player may do at a decision, in long words, and what he may not and why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from clients.cli.cardwords import contract, must_follow, named, row, short, suit_word
from clients.cli.naming import Naming
from engine.actions import (
    Action,
    AnswerAlone,
    AnswerDefence,
    AskRelief,
    CallTrump,
    ClaimRest,
    Discard,
    GiveCard,
    OrderUp,
    Pass,
    PlayCard,
    parse_action,
)
from engine.cards import BENNY, CARDS_PER_HAND, PARTNER_OF, Card, Seat, sort_hand, upcard_suit
from engine.errors import WHY, Code
from engine.state import Phase, UpcardFate
from engine.view import View


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal action and how it reads."""

    action: Action
    words: str


@dataclass(frozen=True, slots=True)
class Barred:
    """A card in the hand that may not be used now, how it reads, and why not."""

    card: Card
    words: str
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """An open decision: the legal choices in the order of their numbers, then the cards that cannot be used."""

    question: str
    choices: tuple[Choice, ...]
    barred: tuple[Barred, ...] = ()

    @property
    def is_about_cards(self) -> bool:
        """Whether the choices and what is barred are the whole hand."""
        return any(isinstance(choice.action, PlayCard | Discard | GiveCard) for choice in self.choices)


def decision(view: View, seat: Seat, legal: Sequence[str], naming: Naming) -> Decision:
    """Return the decision that *legal*, the actions of a prompt to *seat*, opens."""
    actions = [parse_action(text) for text in legal]
    cards = {action.card for action in actions if isinstance(action, PlayCard | Discard | GiveCard)}
    if not cards:
        choices = tuple(Choice(action, _words(action, view, seat, naming)) for action in actions)
        return Decision(_question(actions, view, seat), choices)
    make = type(actions[0])
    hand = sort_hand(view.cards, view.trump)
    of_cards = [action for action in map(make, hand) if action in actions]
    others = [action for action in actions if not isinstance(action, make)]
    choices = tuple(Choice(action, _words(action, view, seat, naming)) for action in (*of_cards, *others))
    barred = tuple(Barred(card, named(card, view.trump), _why_barred(card, view)) for card in hand if card not in cards)
    return Decision(_question(actions, view, seat), choices, barred)


_VERB: Final = {PlayCard: "Play", Discard: "Discard", GiveCard: "Pass"}


def _question(actions: Sequence[Action], view: View, seat: Seat) -> str:
    match actions[0]:
        case Discard():
            return "Your turn: discard one card."
        case GiveCard() if len(view.cards) > CARDS_PER_HAND:
            return "Pass one card back to your partner, who plays alone."
        case GiveCard():
            return "You play alone: pass one card to your partner, who passes one back."
        case PlayCard():
            return "Your turn to play." if view.trick else "Your turn to lead."
        case AnswerAlone():
            return "Do you go alone?"
        case AnswerDefence():
            return "Do you defend alone?"
        case CallTrump() if view.upcard == BENNY and view.upcard_fate is UpcardFate.UP:
            return "The joker is turned up: you, the dealer, name trump."
        case CallTrump() if seat == view.dealer:
            return "All have passed, so you, the dealer, must call."
        case _:
            return "Your turn to bid."


def _words(action: Action, view: View, seat: Seat, naming: Naming) -> str:
    partner = naming.who(PARTNER_OF[seat])
    match action:
        case Pass():
            return "Pass"
        case OrderUp(alone=alone):
            return _order_words(view, seat, naming, alone=alone)
        case CallTrump(trump=trump, alone=alone):
            call = f"Call {contract(trump)}"
            return f"{call} alone: {partner} sits out" if alone else call
        case AnswerAlone(alone=True):
            return f"Go alone: {partner} sits out"
        case AnswerAlone():
            return f"Play with {partner}"
        case AnswerDefence(alone=True):
            return f"Defend alone: {partner} sits out"
        case AnswerDefence():
            return f"Defend with {partner}"
        case AskRelief(cards=()):
            return "Show your hand and have it dealt again"
        case AskRelief(cards=cards):
            return f"Show your hand and swap {row(cards)}"
        case ClaimRest():
            return "Claim the rest: show your hand"
        case Discard(card=card) | GiveCard(card=card) | PlayCard(card=card):
            return f"{_VERB[type(action)]} {named(card, view.trump)}"
        case _:
            assert_never(action)


def _order_words(view: View, seat: Seat, naming: Naming, *, alone: bool) -> str:
    assert view.upcard is not None
    assert view.dealer is not None
    upcard, makes = short(view.upcard), f"make {suit_word(upcard_suit(view.upcard))} trump"
    partner = PARTNER_OF[seat]
    if view.dealer == seat:
        return (
            f"Pick up {upcard} alone: {makes}, {naming.who(partner)} sits out"
            if alone
            else f"Pick up {upcard}: {makes}"
        )
    if not alone:
        return f"Order up: {makes}, {naming.clause(view.dealer, 'pick up')} {upcard}"
    if view.dealer == partner:
        return f"Order up alone: {makes}, {naming.who(partner)}, the dealer, sits out"
    return f"Order up alone: {makes}, {naming.clause(view.dealer, 'pick up')} {upcard}, {naming.who(partner)} sits out"


def _why_barred(card: Card, view: View) -> str:
    if view.phase is Phase.DISCARD or not view.trick or view.trump is None:
        return WHY[Code.UPCARD_MUST_STAY] if view.phase is Phase.DISCARD else WHY[Code.WRONG_PHASE]
    return must_follow(card, view.trick[0][1], view.trump)
