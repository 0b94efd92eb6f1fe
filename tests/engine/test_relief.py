"""Relief from a very bad hand (R-RELIEF-1, R-RELIEF-2)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.bidding import RoundOne
from engine.cards import Seat, make_pack
from engine.errors import Code
from engine.events import CardsSwapped, HandThrownIn, ReliefAsked
from engine.game import to_act
from engine.relief import is_relieved, still_under
from engine.rules import ReliefHand
from engine.state import AwaitingDeal, Phase
from engine.view import WATCHER, redact_all, view_for
from tests.engine.table import after, cards, happened, legal, refusal, table

BAD = "9s Ts 9h 9d Td"


@pytest.mark.parametrize(
    ("hand", "kinds"),
    [
        (BAD, {"nines_tens", "no_ace_no_face"}),
        ("7s 8s 9h Td 7c", {"no_ace_no_face"}),
        ("As 9s Th 9d Td", {"ace_no_face"}),
        ("As Ah 9h 9d Td", {"ace_no_face"}),
        ("Js 9s Th 9d Td", set()),
        ("9s Ts 9h 9d Bj", set()),
        ("As 9s Th 9d Bj", set()),
    ],
)
def test_which_hands_are_bad_enough(hand: str, kinds: set[str]) -> None:
    """R-RELIEF-1, R-RELIEF-2: sevens and eights are neither nines nor tens; a Benny never qualifies."""
    assert {str(kind) for kind in ReliefHand if is_relieved(cards(hand), kind)} == kinds


def test_a_new_deal_is_by_the_same_dealer_and_counts_for_nothing() -> None:
    """R-RELIEF-1: the hand is shown to all."""
    game, events = happened(table(dealer=2, hands={3: BAD}, relief="redeal"), "relief")
    assert events == (ReliefAsked(3, cards(BAD)), HandThrownIn(2))
    assert isinstance(game.stage, AwaitingDeal)
    assert game.stage.dealer == 2
    assert game.standing.hands_scored == 0
    assert view_for(game, WATCHER).shown == ((3, cards(BAD)),)


def test_going_under_takes_the_three_cards_first_under_the_upcard() -> None:
    """R-RELIEF-1: then bidding goes on with the same seat, which cannot ask again."""
    game = table(hands={1: BAD}, upcard="Th", relief="swap3")
    under = game.stage.dealt.buried[:3]  # type: ignore[attr-defined]
    assert sum(text.startswith("relief") for text in legal(game)) == 10
    game, events = happened(game, "relief 9d 9s Td")
    assert events == (ReliefAsked(1, cards(BAD)), CardsSwapped(1, cards("9s 9d Td"), under))
    assert to_act(game) == 1
    assert legal(game) == ["pass", "order", "order alone"]
    assert set(view_for(game, 1).cards) == {*cards("Ts 9h"), *under}


def test_only_the_seat_knows_what_it_swapped() -> None:
    """R-VIEW-1: the others saw the hand, not which cards went and came; the calls say only that it was asked."""
    before = table(hands={1: BAD}, upcard="Th", relief="swap3")
    game, events = happened(before, "relief 9s 9d Td")
    rules = game.standing.rules
    for viewer in (0, 2, 3, WATCHER):
        assert redact_all(events, viewer, rules) == (ReliefAsked(1, cards(BAD)), CardsSwapped(1, (), ()))
        assert [str(action) for _, action in view_for(game, viewer).calls] == ["relief"]
    assert redact_all(events, 1, rules) == events


def test_the_seat_remembers_what_it_put_away_and_nobody_else_is_told() -> None:
    """R-VIEW-1: through the bidding and the play."""
    game = table(hands={1: BAD}, upcard="Th", relief="swap3")
    for text in ("relief 9s 9d Td", "pass", "order", "discard Th", "play 9h"):
        game = after(game, text)
        assert view_for(game, 1).put_away == cards("9s 9d Td")
        assert not any(view_for(game, viewer).put_away for viewer in (0, 2, 3, WATCHER))


@pytest.mark.parametrize("jokers", [0, 1])
@pytest.mark.parametrize(("low_rank", "swappers"), [(9, 2), (8, 3), (7, 4)])
@pytest.mark.parametrize("seed", range(5))
def test_which_cards_are_still_under_follows_from_how_many_swapped_later(
    low_rank: int, swappers: int, jokers: int, seed: int
) -> None:
    """R-RELIEF-1: in any pack a seat can tell which of its three cards later swappers took."""
    rng = Random(seed)
    low = [card for card in make_pack(low_rank) if card[0] in "789T"]
    rng.shuffle(low)
    hands = {1 + at: " ".join(["A" + "shdc"[at], *low[4 * at : 4 * at + 4]]) for at in range(min(swappers, 3))}
    hands |= {0: " ".join(["Ac", *low[12:16]])} if swappers == 4 else {}
    options: dict[str, Any] = {"relief": "swap3", "relief_hand": "ace_no_face", "low_rank": low_rank, "jokers": jokers}
    game = table(hands=hands, upcard="Jh", **options)
    swapped: list[Seat] = []
    for _ in range(swappers):
        seat = to_act(game)
        assert seat is not None
        swapped.append(seat)
        game = after(game, rng.choice([text for text in legal(game) if text.startswith("relief")]))
        assert isinstance(game.stage, RoundOne)
        for since, who in enumerate(reversed(swapped)):
            away = view_for(game, who).put_away
            assert set(still_under(away, since, game.standing.rules)) == {*away} & {*game.stage.buried}
        if len(swapped) < swappers:
            game = after(game, "pass")


@pytest.mark.parametrize(
    ("options", "text", "code"),
    [
        ({}, "relief", Code.WRONG_PHASE),
        ({"relief": "redeal"}, "relief 9s 9h 9d", Code.BAD_ACTION),
        ({"relief": "swap3"}, "relief", Code.BAD_ACTION),
        ({"relief": "swap3"}, "relief 9s 9h Ac", Code.CARD_NOT_HELD),
        ({"relief": "redeal", "relief_hand": "ace_no_face"}, "relief", Code.HAND_TOO_GOOD),
    ],
)
def test_relief_that_is_refused(options: dict[str, Any], text: str, code: Code) -> None:
    """R-RELIEF-1."""
    game = table(hands={1: BAD}, upcard="Th", **options)
    assert refusal(game, 1, text) is code


def test_relief_is_asked_for_once_a_hand() -> None:
    """R-RELIEF-1: also where the hand is as bad as before."""
    game = table(hands={1: BAD}, buried="7s 8s 7h", low_rank=7, relief="swap3", relief_hand="no_ace_no_face")
    game = after(game, "relief 9s 9d Td")
    assert is_relieved(view_for(game, 1).cards, ReliefHand.NO_ACE_NO_FACE)
    assert legal(game) == ["pass", "order", "order alone"]
    assert refusal(game, 1, "relief 7s 8s 7h") is Code.WRONG_PHASE


def test_relief_comes_before_the_seats_call_only() -> None:
    """R-RELIEF-1: round two is too late."""
    game = after(table(hands={1: BAD}, upcard="Th", relief="redeal"), "pass", "pass", "pass", "pass")
    assert game.stage.phase is Phase.ROUND_TWO
    assert refusal(game, 1, "relief") is Code.WRONG_PHASE


def test_the_cards_revealed_are_those_first_dealt() -> None:
    """R-VIEW-3: players check the deal, whatever was swapped since."""
    game = after(table(hands={1: BAD}, upcard="Th", relief="swap3"), "relief 9s 9d Td", "order")
    while to_act(game) is not None:
        game = after(game, legal(game)[0])
    revealed = view_for(game, 0).revealed
    assert revealed is not None
    assert revealed.hands[1] == cards(BAD)
