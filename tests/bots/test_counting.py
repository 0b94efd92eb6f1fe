"""What a seat can count: what is out, who is void, what can be beaten."""

from __future__ import annotations

from itertools import combinations

import pytest

from bots.counting import Known, known_from
from engine.actions import PlayCard
from engine.cards import Card, Seat, legal_cards, make_pack, trick_winner
from engine.rules import make_rules
from engine.state import UpcardFate
from tests.bots.scenes import EVERY_LEVEL, RULES, cards, play_hands, playing


def counted_one_by_one(known: Known, seat: Seat, best: Card, led: Card) -> float:
    """Return the chance to beat *best*, by looking at every hand *seat* may have."""
    held = () if known.taken is None or seat != known.dealer else (known.taken,)
    pool = [card for card in known.unseen if card != known.taken and known.suit(card) not in known.voids[seat]]
    hands = [(*held, *rest) for rest in combinations(pool, known.counts[seat] - len(held))]
    beating = sum(
        any(trick_winner((led, best, card), known.trump) == 2 for card in legal_cards(hand, led, known.trump))
        for hand in hands
    )
    return beating / len(hands)


@pytest.mark.parametrize("overrides", [{}, {"no_trump": "round2", "low_no_trump": True}, {"alone": "maker"}])
def test_the_chance_to_beat_a_card_is_what_counting_every_hand_gives(overrides: dict[str, object]) -> None:
    checked = 0
    for decision in play_hands(EVERY_LEVEL, make_rules("standard", overrides), hands=12, seed=1):
        if not isinstance(decision.action, PlayCard) or not decision.view.trick:
            continue
        known = known_from(decision.view, RULES)
        led = known.led
        assert led is not None
        _, best = known.winning()
        for seat in known.to_follow:
            assert known.chance_to_beat(seat, best, led) == pytest.approx(counted_one_by_one(known, seat, best, led))
            checked += 1
    assert checked > 100


def test_unseen_is_the_pack_less_hand_table_and_upcard_turned_down() -> None:
    view = playing("As 9s Kd", trump="h", maker=1, upcard="9c", trick="Ts", leader=3, before=[(1, "Jh 9h Ah 9d")])
    known = known_from(view, RULES)
    assert set(known.unseen) == set(make_pack(9)) - set(cards("As 9s Kd 9c Ts Jh 9h Ah 9d"))


def test_an_upcard_taken_is_in_the_dealers_hand_until_it_is_played() -> None:
    view = playing("As 9s Kd 9d Tc", trump="c", maker=1, upcard="Jc", fate=UpcardFate.TAKEN, dealer=1)
    known = known_from(view, RULES)
    assert known.taken == "Jc"
    assert "Jc" in known.unseen
    assert known.chance_to_beat(1, Card("Ac"), Card("Ac")) == 1.0
    assert known.chance_to_beat(3, Card("Js"), Card("Js")) == 0.0


def test_a_seat_that_did_not_follow_is_void() -> None:
    view = playing("Ks Qd Td 9c", trump="h", maker=1, before=[(1, "As 9d Ts 9s")])
    known = known_from(view, RULES)
    assert [sorted(suits) for suits in known.voids] == [[], [], ["s"], []]
    assert not known.may_hold(2, "s")
    assert known.may_hold(3, "s")


def test_a_left_bower_that_did_not_follow_its_own_colour_shows_a_void() -> None:
    """The jack of diamonds on a diamond lead is a trump: whoever plays it had no diamond."""
    view = playing("Ks Qs Ts 9c", trump="h", maker=1, before=[(1, "Ad Jd 9d Td")])
    assert known_from(view, RULES).voids[2] == {"d"}


def test_the_highest_card_still_out_is_the_boss() -> None:
    view = playing("Ks Qd Td 9c", trump="h", maker=1, before=[(1, "As 9d Ts 9s")])
    known = known_from(view, RULES)
    assert known.is_boss(Card("Ks"))
    assert known.above(Card("Qd")) == 2


def test_trumps_against_counts_only_what_an_opponent_may_hold() -> None:
    out_of_it = playing("Ah As 9d Td", trump="h", maker=0, before=[(0, "Jh 9s Th 9c")])
    assert known_from(out_of_it, RULES).trumps_against() == 0
    at_first = playing("Jh Ah As 9d Td", trump="h", maker=0)
    assert known_from(at_first, RULES).trumps_against() == 5


def test_who_sits_holds_nothing_that_counts() -> None:
    view = playing("Jh Ah As 9d Td", trump="h", maker=0, alone=(0,), sitting=(2,))
    known = known_from(view, RULES)
    assert known.to_follow == (1, 3)
    assert known.chance_to_beat(2, Card("9s"), Card("9s")) == 0.0
