"""What a seat may do, and its text form (``play Jd``, ``call s alone``, …).

Every action is a frozen value. Those without a choice inside are shared instances, made once here, because a game
makes millions of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from engine.cards import ALL_CARDS, RANKS, SWAPPED, TRUMPS, Card, Cards, Trump, parse_card
from engine.errors import CardTextError, Code, IllegalActionError


@dataclass(frozen=True, slots=True)
class Pass:
    """Decline to make trump, in either round (R-BID-1, R-BID-2)."""

    def __str__(self) -> str:
        return "pass"


@dataclass(frozen=True, slots=True)
class OrderUp:
    """Make the upcard's suit trump in round one, possibly alone (R-BID-1, R-ALONE-2)."""

    alone: bool = False

    def __str__(self) -> str:
        return "order alone" if self.alone else "order"


@dataclass(frozen=True, slots=True)
class CallTrump:
    """Name trump in round two, possibly alone (R-BID-2, R-BID-4)."""

    trump: Trump
    alone: bool = False

    def __str__(self) -> str:
        return f"call {self.trump} alone" if self.alone else f"call {self.trump}"


@dataclass(frozen=True, slots=True)
class Discard:
    """Bury one card after taking up the upcard (R-PICK-1)."""

    card: Card

    def __str__(self) -> str:
        return f"discard {self.card}"


@dataclass(frozen=True, slots=True)
class AnswerAlone:
    """Answer the maker side's alone window (R-ALONE-2)."""

    alone: bool

    def __str__(self) -> str:
        return "alone" if self.alone else "together"


@dataclass(frozen=True, slots=True)
class AnswerDefence:
    """Answer the defenders' alone window (R-ALONE-3)."""

    alone: bool

    def __str__(self) -> str:
        return "defend alone" if self.alone else "defend together"


@dataclass(frozen=True, slots=True)
class GiveCard:
    """Pass one card face down between a lone maker and the sitting partner (R-ALONE-5)."""

    card: Card

    def __str__(self) -> str:
        return f"give {self.card}"


@dataclass(frozen=True, slots=True)
class AskRelief:
    """Show a very bad hand (R-RELIEF-1): for a new deal, or to swap three ``cards`` for buried ones.

    ``cards`` is empty, or three cards by rank and then suit.
    """

    cards: Cards = ()

    def __str__(self) -> str:
        return " ".join(("relief", *self.cards))


@dataclass(frozen=True, slots=True)
class ClaimRest:
    """Show the hand and claim every trick to come (R-PLAY-5)."""

    def __str__(self) -> str:
        return "claim"


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play one card to the trick (R-PLAY-2)."""

    card: Card

    def __str__(self) -> str:
        return f"play {self.card}"


Action: TypeAlias = (
    Pass | OrderUp | CallTrump | Discard | AnswerAlone | AnswerDefence | GiveCard | AskRelief | ClaimRest | PlayCard
)

PASS: Final = Pass()
ORDER: Final = OrderUp()
ORDER_ALONE: Final = OrderUp(alone=True)
CALLS: Final[dict[tuple[str, bool], CallTrump]] = {
    (trump, alone): CallTrump(trump, alone) for trump in TRUMPS for alone in (False, True)
}
DISCARDS: Final[dict[Card, Discard]] = {card: Discard(card) for card in ALL_CARDS}
GIVES: Final[dict[Card, GiveCard]] = {card: GiveCard(card) for card in ALL_CARDS}
RELIEF: Final = AskRelief()
CLAIM: Final = ClaimRest()
PLAYS: Final[dict[Card, PlayCard]] = {card: PlayCard(card) for card in ALL_CARDS}
ALONE: Final = AnswerAlone(alone=True)
TOGETHER: Final = AnswerAlone(alone=False)
DEFEND_ALONE: Final = AnswerDefence(alone=True)
DEFEND_TOGETHER: Final = AnswerDefence(alone=False)

ALL_ACTIONS: Final[tuple[Action, ...]] = (
    PASS, ORDER, ORDER_ALONE, ALONE, TOGETHER, DEFEND_ALONE, DEFEND_TOGETHER,
    *CALLS.values(), *DISCARDS.values(), *GIVES.values(), RELIEF, CLAIM, *PLAYS.values(),
)  # fmt: skip
_BY_TEXT: Final[dict[str, Action]] = {str(action): action for action in ALL_ACTIONS}
_MAX_ACTION_TEXT: Final = 40
_TRUMP_WORDS: Final[dict[str, Trump]] = {
    "spades": "s", "spade": "s", "♠": "s", "hearts": "h", "heart": "h", "♥": "h",
    "diamonds": "d", "diamond": "d", "♦": "d", "clubs": "c", "club": "c", "♣": "c",
    "notrump": "n", "nt": "n", "low": "l",
}  # fmt: skip


def parse_action(text: str) -> Action:
    """Read an action's text: canonical, or lenient in case, spaces and the way a card or suit is written.

    Raises IllegalActionError with CARD_NOT_HELD when only the card cannot be read (nobody holds it), else BAD_ACTION.
    """
    known = _BY_TEXT.get(text)
    if known is not None:
        return known
    if len(text) > _MAX_ACTION_TEXT:
        raise IllegalActionError(Code.BAD_ACTION)
    words = text.lower().split()
    known = _BY_TEXT.get(" ".join(words))
    if known is not None:
        return known
    match words:
        case ["play", *card]:
            return PLAYS[_card_or_refusal(" ".join(card))]
        case ["discard", *card]:
            return DISCARDS[_card_or_refusal(" ".join(card))]
        case ["give", *card]:
            return GIVES[_card_or_refusal(" ".join(card))]
        case ["relief", *cards]:
            return swap_of(_card_or_refusal(card) for card in cards)
        case ["call", suit] if suit in _TRUMP_WORDS:
            return CALLS[_TRUMP_WORDS[suit], False]
        case ["call", suit, "alone"] if suit in _TRUMP_WORDS:
            return CALLS[_TRUMP_WORDS[suit], True]
        case _:
            raise IllegalActionError(Code.BAD_ACTION)


def swap_of(cards: Iterable[Card]) -> AskRelief:
    """Return the relief that swaps *cards*, three different ones in any order.

    Raises IllegalActionError with BAD_ACTION for any other number of them.
    """
    chosen = tuple(sorted(set(cards), key=_by_rank))
    if len(chosen) != SWAPPED:
        raise IllegalActionError(Code.BAD_ACTION)
    return AskRelief(chosen)


def _by_rank(card: Card) -> tuple[int, int]:
    return RANKS.find(card[0]), ALL_CARDS.index(card)


def _card_or_refusal(text: str) -> Card:
    try:
        return parse_card(text)
    except CardTextError:
        raise IllegalActionError(Code.CARD_NOT_HELD) from None


def action_from_plain(plain: object) -> Action:
    """Read an action given as its text or as an object.

    An object is like ``{"do": "play", "card": "Jd"}`` or ``{"do": "call", "trump": "s", "alone": true}``.
    Raises IllegalActionError with BAD_ACTION, or CARD_NOT_HELD for a card that does not exist.
    """
    if isinstance(plain, str):
        return parse_action(plain)
    if not isinstance(plain, dict):
        raise IllegalActionError(Code.BAD_ACTION)
    fields = cast("dict[str, object]", plain)
    do, alone = fields.get("do"), fields.get("alone", False)
    if not isinstance(alone, bool):
        raise IllegalActionError(Code.BAD_ACTION)
    extra = fields.keys() - {"do"} - _FIELDS_OF.get(str(do), frozenset())
    if extra:
        raise IllegalActionError(Code.BAD_ACTION)
    match do:
        case "play" | "discard" | "give":
            card = fields.get("card")
            if not isinstance(card, str):
                raise IllegalActionError(Code.CARD_NOT_HELD)
            return parse_action(f"{do} {card}")
        case "call":
            trump = fields.get("trump")
            if not isinstance(trump, str) or len(trump.split()) != 1:
                raise IllegalActionError(Code.BAD_ACTION)
            return parse_action(f"call {trump}{' alone' if alone else ''}")
        case "order":
            return ORDER_ALONE if alone else ORDER
        case "defend":
            return DEFEND_ALONE if alone else DEFEND_TOGETHER
        case "relief":
            cards = fields.get("cards")
            return parse_action("relief" if cards is None else f"relief {cards}")
        case "pass" | "alone" | "together" | "claim":
            return parse_action(str(do))
        case _:
            raise IllegalActionError(Code.BAD_ACTION)


_FIELDS_OF: Final[dict[str, frozenset[str]]] = {
    "play": frozenset({"card"}),
    "discard": frozenset({"card"}),
    "give": frozenset({"card"}),
    "relief": frozenset({"cards"}),
    "call": frozenset({"trump", "alone"}),
    "order": frozenset({"alone"}),
    "defend": frozenset({"alone"}),
}
