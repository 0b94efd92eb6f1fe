"""The deal and the dealer (RULES.md §1)."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from engine.bidding import RoundOne
from engine.cards import LEFT_OF, SEATS, Cards, Seat, clockwise_from, make_pack
from engine.errors import Code, IllegalActionError
from engine.events import CardsDealt, HandDealt, HandThrownIn, Passed
from engine.fair import first_dealer
from engine.game import deal, legal_actions, new_game, phase_of, to_act
from engine.rules import Rules, make_rules
from engine.state import AwaitingDeal, Game, Phase
from engine.view import view_for
from tests.engine.table import PASSES, after, happened, played_out, settle, shuffled, shuffled_table, table


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("low_rank", [9, 8, 7])
def test_five_cards_a_seat_from_the_dealers_left_then_the_upcard_then_the_rest(dealer: Seat, low_rank: int) -> None:
    """R-DEAL-1, R-PACK-1: a larger pack buries more and gives nobody more."""
    rules = make_rules("standard", {"low_rank": low_rank})
    deck = shuffled(rules, Random(low_rank * 10 + dealer))
    game, events = deal(new_game(rules), deck, dealer=dealer)
    order = clockwise_from(LEFT_OF[dealer])
    assert order[3] == dealer
    assert events == (
        HandDealt(1, dealer, deck[20]),
        *(CardsDealt(seat, deck[5 * at : 5 * at + 5]) for at, seat in enumerate(order)),
    )
    assert isinstance(game.stage, RoundOne)
    assert game.stage.dealt.buried == deck[21:]
    assert to_act(game) == LEFT_OF[dealer]


@pytest.mark.parametrize("dealer", SEATS)
def test_any_seat_may_deal_first(dealer: Seat) -> None:
    """R-DEAL-2: the first dealer comes with the first deal, from the game's randomness."""
    rules = Rules()
    assert isinstance(new_game(rules).stage, AwaitingDeal)
    assert view_for(deal(new_game(rules), make_pack(9), dealer=dealer)[0], 0).dealer == dealer


def test_a_seed_fixes_the_first_dealer_and_every_seat_may_be_it() -> None:
    """R-DEAL-2: drawn from the secret and the game's name, all seats about as often."""
    drawn = [first_dealer(secret=bytes([n]) * 32, game="g") for n in range(200)]
    assert drawn == [first_dealer(secret=bytes([n]) * 32, game="g") for n in range(200)]
    assert {seat: 30 < drawn.count(seat) < 70 for seat in SEATS} == dict.fromkeys(SEATS, True)


def test_the_deal_moves_one_seat_left_after_a_scored_hand() -> None:
    """R-DEAL-2: all the way round, whoever made trump or won."""
    rules = make_rules("standard", {"target": 99})
    game, dealers = new_game(rules), []
    for number, dealer in enumerate([2, 3, 0, 1, 2]):
        game, _ = deal(game, shuffled(rules, Random(number)), dealer=dealer)
        dealers.append(view_for(game, 0).dealer)
        game, _ = played_out(settle(game, maker=number % 4), Random(number))
    assert dealers == [2, 3, 0, 1, 2]
    assert isinstance(game.stage, AwaitingDeal)
    assert game.stage.dealer == 3


@pytest.mark.parametrize(("redeal_dealer", "dealers"), [("next", [2, 3, 0, 1]), ("same", [2, 2, 2, 2])])
def test_after_a_throw_in_the_rules_say_who_deals(redeal_dealer: str, dealers: list[Seat]) -> None:
    """R-DEAL-3: a chain of throw-ins has no end, scores nothing and counts no hand."""
    rules = make_rules("standard", {"all_pass": "redeal", "redeal_dealer": redeal_dealer})
    game, seen = new_game(rules), []
    for number in range(4):
        dealer = game.stage.dealer if isinstance(game.stage, AwaitingDeal) and number else 2
        assert dealer is not None
        seen.append(dealer)
        game, _ = deal(game, shuffled(rules, Random(number)), dealer=dealer)
        game, events = happened(game, *PASSES, *PASSES)
        assert isinstance(game.stage, AwaitingDeal)
        assert events[-2:] == (Passed(dealer), HandThrownIn(game.stage.dealer if game.stage.dealer is not None else -1))
    assert seen == dealers
    assert (game.standing.score, game.standing.hands_scored, game.standing.hands_dealt) == ((0, 0), 0, 4)


def test_a_throw_in_does_not_count_toward_a_fixed_number_of_hands() -> None:
    """R-DEAL-3, R-GAME-1."""
    rules = make_rules("standard", {"all_pass": "redeal", "target": None, "hands": 1})
    game = after(shuffled_table(1, rules), *PASSES, *PASSES)
    assert phase_of(game) is Phase.DEAL
    game, _ = deal(game, shuffled(rules, Random(2)), dealer=1)
    game, _ = played_out(settle(game, maker=2), Random(2))
    assert phase_of(game) is Phase.OVER
    assert (game.standing.hands_dealt, game.standing.hands_scored) == (2, 1)


# ── what is no deal ──────────────────────────────────────────────────────────────────────────────────────────────────


def refused_deal(game: Game, deck: Cards, dealer: Seat) -> Code:
    """Return why the deal is refused; its words name no card."""
    with pytest.raises(IllegalActionError) as caught:
        deal(game, deck, dealer=dealer)
    assert not any(card in caught.value.detail for card in make_pack(7, 1))
    return caught.value.code


PACK = make_pack(9)


@pytest.mark.parametrize(
    "deck",
    [(), PACK[:-1], (*PACK, PACK[0]), (*PACK[:-1], PACK[0]), make_pack(8), make_pack(9, 1), PACK[:21]],
    ids=["empty", "short", "long", "twice", "other pack", "joker", "dealt only"],
)
def test_a_deck_that_is_not_the_games_pack_is_a_bad_deal(deck: Cards) -> None:
    """R-DEAL-1: a permutation of the whole pack, no more, no less."""
    assert refused_deal(new_game(Rules()), deck, 0) is Code.BAD_DEAL


@pytest.mark.parametrize("dealer", [-1, 4])
def test_a_dealer_who_is_no_seat_is_a_bad_deal(dealer: int) -> None:
    assert refused_deal(new_game(Rules()), PACK, dealer) is Code.BAD_DEAL


def test_after_the_first_hand_only_the_right_seat_deals() -> None:
    """R-DEAL-2."""
    game, _ = played_out(settle(shuffled_table(1, make_rules("standard", {"target": 99})), maker=1), Random(1))
    assert [refused_deal(game, PACK, seat) for seat in (0, 2, 3)] == [Code.BAD_DEAL] * 3
    assert deal(game, PACK, dealer=1)


@pytest.mark.parametrize(
    ("bring", "code"),
    [
        (table, Code.WRONG_PHASE),
        (lambda: settle(table(), maker=1), Code.WRONG_PHASE),
        (lambda: played_out(settle(table(target=1), maker=1), Random(1))[0], Code.GAME_OVER),
    ],
    ids=["bidding", "play", "over"],
)
def test_there_is_no_deal_but_between_hands(bring: Callable[[], Game], code: Code) -> None:
    assert refused_deal(bring(), PACK, 1) is code


def test_nobody_acts_before_the_deal() -> None:
    game = new_game(Rules())
    assert to_act(game) is None
    assert legal_actions(game) == ()
    assert view_for(game, 0).hand == 0
