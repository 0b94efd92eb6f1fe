"""The Benny (R-PACK-2, R-CARD-4, R-BID-7)."""

from __future__ import annotations

import pytest

from engine.actions import CALLS
from engine.cards import make_pack
from engine.errors import Code
from engine.events import CardsDealt, HandDealt, TrumpCalled, UpcardTaken, UpcardTurnedDown
from engine.game import deal
from engine.rules import make_rules
from engine.state import Phase
from engine.view import view_for
from tests.engine.table import PASSES, after, happened, legal, refusal, stacked_deck, standing_at, table


@pytest.mark.parametrize(("low_rank", "size"), [(9, 25), (8, 29), (7, 33)])
def test_the_benny_joins_the_pack(low_rank: int, size: int) -> None:
    """R-PACK-2."""
    pack = make_pack(low_rank, jokers=1)
    assert len(pack) == size
    assert pack[-1] == "Bj"


def test_the_dealer_names_any_suit_for_a_benny_turned_up() -> None:
    """R-BID-7: there is no pass and no round two; no trump only where the table has it."""
    game = table(upcard="Bj", jokers=1)
    assert game.stage.phase is Phase.NAME
    assert legal(game) == [str(CALLS[suit, alone]) for alone in (False, True) for suit in "shdc"]
    assert refusal(game, 0, "pass") is Code.WRONG_PHASE
    assert refusal(game, 0, "call n") is Code.NO_TRUMP_NOT_ALLOWED
    assert refusal(game, 1, "call s") is Code.NOT_YOUR_TURN


def test_the_dealer_may_name_no_trump_where_it_is_not_off() -> None:
    """R-BID-7, R-BID-4: stuck_only counts too, and low no trump comes with it."""
    game = table(upcard="Bj", jokers=1, no_trump="stuck_only", low_no_trump=True)
    assert {"call n", "call l", "call n alone"} <= set(legal(game))


def test_alone_off_leaves_no_lone_naming() -> None:
    """R-ALONE-1."""
    game = table(upcard="Bj", jokers=1, alone="off")
    assert refusal(game, 0, "call s alone") is Code.ALONE_NOT_ALLOWED


def test_the_dealer_who_named_takes_the_benny_and_discards() -> None:
    """R-BID-7, R-PICK-1."""
    game, events = happened(table(upcard="Bj", jokers=1), "call h")
    assert events == (TrumpCalled(0, "h", alone=False), UpcardTaken(0, make_pack(9, 1)[-1]))
    assert game.stage.phase is Phase.DISCARD
    assert len(legal(game)) == 6
    assert "discard Bj" in legal(game)


def test_a_blind_dealer_sees_his_cards_only_when_he_has_named() -> None:
    """R-BID-7, R-VIEW-1: no event and no view shows them before."""
    rules = make_rules("british")
    deck = stacked_deck(rules, hands={0: "Jh Jd Ah Kh Qh"}, upcard="Bj")
    game, events = deal(standing_at(rules), deck, dealer=0)
    assert [event.seat for event in events if isinstance(event, CardsDealt)] == [1, 2, 3]
    assert isinstance(events[0], HandDealt)
    assert view_for(game, 0).cards == ()
    assert view_for(game, 0).counts == (5, 5, 5, 5)
    assert len(view_for(game, 1).cards) == 5
    game, events = happened(game, "call h")
    assert [type(event) for event in events] == [TrumpCalled, CardsDealt, UpcardTaken]
    assert len(view_for(game, 0).cards) == 6


def test_a_dealer_who_names_for_a_benny_needs_no_trump_in_hand() -> None:
    """R-BID-6."""
    game = table(upcard="Bj", jokers=1, order_requires="natural_trump", hands={0: "9h Th Qh Kh Ah"})
    assert "call s" in legal(game)


def test_a_benny_as_spades_is_ordered_up_like_a_spade_and_bars_spades() -> None:
    """R-BID-7."""
    game = table(upcard="Bj", jokers=1, benny_turned="as_spades")
    assert game.stage.phase is Phase.ROUND_ONE
    passed, events = happened(game, *PASSES)
    assert UpcardTurnedDown(make_pack(9, 1)[-1]) in events
    assert refusal(passed, 1, "call s") is Code.SUIT_TURNED_DOWN
    assert {"call h", "call d", "call c"} <= set(legal(passed))


def test_the_benny_alone_is_a_trump_but_no_natural_one() -> None:
    """R-BID-6."""
    hands = {1: "Bj Ks Qs Kc Qc"}
    assert "order" in legal(table(upcard="9h", jokers=1, hands=hands, order_requires="any_trump"))
    assert legal(table(upcard="9h", jokers=1, hands=hands, order_requires="natural_trump")) == ["pass"]


def test_a_benny_led_in_no_trump_cannot_be_followed_and_wins() -> None:
    """R-CARD-4."""
    hands = {1: "Bj Ks Qs Kc Qc", 2: "As Ac Ah Ad Kd"}
    game = after(table(upcard="9h", jokers=1, hands=hands, no_trump="round2"), *PASSES, "call n", "play Bj")
    assert len(legal(game)) == 5
    game = after(game, "play Ad", *(legal(after(game, "play Ad"))[:1]))
    game = after(game, legal(game)[0])
    assert view_for(game, 1).tricks[0].winner == 1
