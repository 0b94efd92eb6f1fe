"""What can be wrong: a broken rule of play, rules that do not fit together, text that is no card."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """Why an action is illegal. The values are part of the wire protocol and of ``euchre replay --json``."""

    GAME_OVER = "game_over"
    NOT_YOUR_TURN = "not_your_turn"
    SITTING_OUT = "sitting_out"
    WRONG_PHASE = "wrong_phase"
    CARD_NOT_HELD = "card_not_held"
    MUST_FOLLOW_SUIT = "must_follow_suit"
    DEALER_MUST_CALL = "dealer_must_call"
    SUIT_TURNED_DOWN = "suit_turned_down"
    NO_TRUMP_NOT_ALLOWED = "no_trump_not_allowed"
    ALONE_NOT_ALLOWED = "alone_not_allowed"
    MUST_GO_ALONE = "must_go_alone"
    NEEDS_TRUMP = "needs_trump"
    UPCARD_MUST_STAY = "upcard_must_stay"
    HAND_TOO_GOOD = "hand_too_good"
    CLAIM_NOT_CERTAIN = "claim_not_certain"
    BAD_ACTION = "bad_action"
    BAD_DEAL = "bad_deal"


WHY: dict[Code, str] = {
    Code.GAME_OVER: "the game is over",
    Code.NOT_YOUR_TURN: "it is another seat's turn",
    Code.SITTING_OUT: "this seat sits the hand out, its partner plays alone",
    Code.WRONG_PHASE: "this is not the time for that",
    Code.CARD_NOT_HELD: "that card is not in the hand",
    Code.MUST_FOLLOW_SUIT: "the hand holds a card of the suit that was led and must play one",
    Code.DEALER_MUST_CALL: "everyone passed twice, so the dealer must call",
    Code.SUIT_TURNED_DOWN: "the suit of the upcard was turned down and cannot be called",
    Code.NO_TRUMP_NOT_ALLOWED: "the rules of this table do not allow that no-trump call here",
    Code.ALONE_NOT_ALLOWED: "the rules of this table do not allow going alone here",
    Code.MUST_GO_ALONE: "the dealer's partner may order only alone in round one",
    Code.NEEDS_TRUMP: "the rules of this table ask for a trump in the caller's hand",
    Code.UPCARD_MUST_STAY: "the rules of this table forbid discarding the card just taken up",
    Code.HAND_TOO_GOOD: "the rules of this table give no relief to this hand",
    Code.CLAIM_NOT_CERTAIN: "a claim needs a hand that wins every trick to come, however the other cards lie",
    Code.BAD_ACTION: "that is no action of this game",
    Code.BAD_DEAL: "that deal does not fit the game",
}


class EngineError(ValueError):
    """Base of everything the engine raises on purpose."""


class IllegalActionError(EngineError):
    """A player broke a rule; the state is as it was.

    Attributes: ``code``, one of Code; ``detail``, a sentence that holds no card the acting seat does not know.
    """

    def __init__(self, code: Code, detail: str | None = None) -> None:
        self.code = code
        self.detail = detail or WHY[code]
        super().__init__(self.detail)


class CardTextError(EngineError):
    """Text that is no card. ``text`` is what was read."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(f"{text!r} is no card; write rank and suit, like 9s, Td or Jh")


class RulesError(EngineError):
    """Rules that cannot be played. ``problems`` maps every bad field to why (RULES.md §10)."""

    def __init__(self, problems: dict[str, str]) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{field}: {why}" for field, why in problems.items()))
