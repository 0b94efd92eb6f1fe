"""Why an action is refused, and which reason is given where several hold (`engine.game.apply`)."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from hypothesis import given, settings

from engine.actions import (
    ALL_ACTIONS,
    Action,
    AnswerAlone,
    AnswerDefence,
    CallTrump,
    Discard,
    OrderUp,
    Pass,
    PlayCard,
)
from engine.cards import ALL_CARDS, SEATS, Seat
from engine.errors import WHY, Code, IllegalActionError
from engine.game import apply, legal_actions, new_game, phase_of, to_act
from engine.rules import Rules
from engine.state import Game, Phase
from tests.engine.strategies import playable_rules, random_game, seeds
from tests.engine.table import PASSES, after, every_refusal, played_out, refusal, refusal_of, settle, table

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

OF_PHASE: dict[Phase, set[type[Action]]] = {
    Phase.DEAL: set(),
    Phase.ROUND_ONE: {Pass, OrderUp},
    Phase.ROUND_TWO: {Pass, CallTrump},
    Phase.DISCARD: {Discard},
    Phase.ALONE: {AnswerAlone},
    Phase.DEFEND: {AnswerDefence},
    Phase.PLAY: {PlayCard},
    Phase.OVER: set(),
}
OWN_REASONS: dict[Phase, set[Code]] = {
    Phase.ROUND_ONE: {Code.NEEDS_TRUMP, Code.ALONE_NOT_ALLOWED, Code.MUST_GO_ALONE},
    Phase.ROUND_TWO: {
        Code.DEALER_MUST_CALL,
        Code.SUIT_TURNED_DOWN,
        Code.NO_TRUMP_NOT_ALLOWED,
        Code.ALONE_NOT_ALLOWED,
        Code.NEEDS_TRUMP,
    },
    Phase.DISCARD: {Code.CARD_NOT_HELD, Code.UPCARD_MUST_STAY},
    Phase.PLAY: {Code.CARD_NOT_HELD, Code.MUST_FOLLOW_SUIT},
}
"""What a phase answers to its own kind of action from the seat whose turn it is."""

WITHOUT_RARE_ACTIONS: Final[dict[str, object]] = {
    "jokers": 0, "benny_turned": "dealer_names", "partner_exchange": "off", "relief": "off", "claim": "off",
}  # fmt: skip
"""The Benny, exchange, relief and claims have tests of their own refusals."""


@given(playable_rules(**WITHOUT_RARE_ACTIONS), seeds)
@settings(max_examples=50)
def test_exactly_the_legal_actions_are_accepted_and_every_other_is_refused_without_a_trace(
    rules: Rules, seed: int
) -> None:
    """All actions of all seats. Reasons in order: over, sitting out, wrong time, another's turn, the phase's own."""
    for step in random_game(rules, seed, hands=2):
        game = step.after
        before, legal = repr(game), legal_actions(game)
        assert len(set(legal)) == len(legal)
        assert (legal == ()) == (to_act(game) is None)
        for seat in SEATS:
            for action in ALL_ACTIONS:
                assert refusal_of(game, seat, action) in allowed_answers(game, seat, action), (seat, action)
        assert repr(game) == before


def allowed_answers(game: Game, seat: Seat, action: Action) -> set[Code | None]:
    """Return the codes with which the game may refuse, None alone where it must accept."""
    phase = phase_of(game)
    if phase is Phase.OVER:
        return {Code.GAME_OVER}
    if seat in game.stage.sitting and seat != to_act(game):
        return {Code.SITTING_OUT}
    if type(action) not in OF_PHASE[phase]:
        return {Code.WRONG_PHASE}
    if seat != to_act(game):
        return {Code.NOT_YOUR_TURN}
    return {None} if action in legal_actions(game) else {*OWN_REASONS[phase]}


@given(playable_rules(), seeds)
@settings(max_examples=15)
def test_a_seat_out_of_turn_learns_nothing_from_its_refusal(rules: Rules, seed: int) -> None:
    """R-VIEW-1: the words of a refusal are the same whatever the card, and hold no card."""
    for step in random_game(rules, seed, hands=1):
        for seat in SEATS:
            if seat == to_act(step.after):
                continue
            for action in ALL_ACTIONS:
                with pytest.raises(IllegalActionError) as caught:
                    apply(step.after, seat, action)
                assert caught.value.detail == WHY[caught.value.code]


def test_every_code_has_its_words_and_none_names_a_card() -> None:
    assert WHY.keys() == set(Code)
    assert not any(card in words.split() for words in WHY.values() for card in ALL_CARDS)


def test_before_the_first_deal_it_is_the_wrong_time_for_everything() -> None:
    assert {code for seat in SEATS for code in every_refusal(new_game(Rules()), seat)} == {Code.WRONG_PHASE}


def test_the_discard_names_the_card_not_held_before_the_upcard() -> None:
    """R-PICK-1."""
    game = after(table(upcard="9h", hands={0: "As Ks Qs Ts Jd"}, upcard_discard=False), "order")
    assert refusal(game, 0, "discard 9h") == Code.UPCARD_MUST_STAY
    assert refusal(game, 0, "discard Ah") == Code.CARD_NOT_HELD
    assert refusal(game, 1, "discard 9h") == Code.NOT_YOUR_TURN
    assert refusal(game, 0, "play As") == Code.WRONG_PHASE


def test_a_sitting_dealer_is_asked_for_his_discard_and_nothing_after_it() -> None:
    """R-ALONE-4: his turn to discard goes before sitting out."""
    game = after(table(upcard="9h", hands={0: "As Ks Qs Ts Jd"}), "pass", "order alone")
    assert refusal(game, 0, "discard As") is None
    assert refusal(game, 0, "play As") == Code.WRONG_PHASE
    assert refusal(after(game, "discard As"), 0, "discard Ks") == Code.SITTING_OUT


def test_nobody_sits_out_between_hands() -> None:
    game, _ = played_out(settle(table(target=99), maker=1, alone=[1]), Random(1))
    assert {code for seat in SEATS for code in every_refusal(game, seat)} == {Code.WRONG_PHASE}


def test_a_seat_that_does_not_exist_is_never_on_turn() -> None:
    for seat in (-1, 4, 99):
        assert refusal(table(), seat, "pass") == Code.NOT_YOUR_TURN


def test_an_order_out_of_turn_is_out_of_turn_whatever_the_hand_holds() -> None:
    """R-BID-6: what the seat to act may order does not show in another seat's refusal."""
    for hand in ("As Ks Qs Ts 9s", "Ah Ks Qs Ts 9s"):
        game = table(upcard="9h", hands={1: hand}, order_requires="any_trump")
        assert refusal(game, 2, "order") == Code.NOT_YOUR_TURN
    game = after(table(upcard="9h"), *PASSES, "pass", "pass", "pass")
    assert refusal(game, 1, "pass") == Code.NOT_YOUR_TURN
