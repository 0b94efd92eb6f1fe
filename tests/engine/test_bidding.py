"""Making trump (RULES.md §3)."""

from __future__ import annotations

from typing import Any

import pytest

from engine.cards import SEATS, Card, Seat
from engine.errors import Code
from engine.events import Discarded, OrderedUp, Passed, PlayStarted, TrumpCalled, UpcardTaken, UpcardTurnedDown
from engine.game import phase_of, to_act
from engine.state import Phase, UpcardFate
from tests.engine.table import PASSES, after, happened, legal, made_of, refusal, table

NO_HEARTS = "As Ks Qs Ts 9s"
LEFT_ONLY = "Jd As Ks Qs Ts"


def passed_to(seat: Seat, *, dealer: Seat = 0, round_: int = 1) -> tuple[str, ...]:
    """Return the passes that bring the turn to *seat* in *round_*."""
    return ("pass",) * ((seat - dealer - 1) % 4 + 4 * (round_ - 1))


# ── round one ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dealer", SEATS)
def test_round_one_asks_each_seat_from_the_dealers_left(dealer: Seat) -> None:
    """R-BID-1: pass, order, or order alone, the dealer last."""
    game = table(dealer=dealer)
    for turn in range(1, 5):
        assert to_act(game) == (dealer + turn) % 4
        assert legal(game) == ["pass", "order", "order alone"]
        game = after(game, "pass")
    assert phase_of(game) is Phase.ROUND_TWO


@pytest.mark.parametrize("seat", SEATS)
def test_who_orders_up_makes_the_upcards_suit_trump(seat: Seat) -> None:
    """R-BID-1."""
    game, events = happened(table(upcard="9d"), *passed_to(seat), "order")
    assert events[-2:] == (OrderedUp(seat, "d", alone=False), UpcardTaken(0, Card("9d")))
    made = made_of(game)
    assert (made.trump, made.maker, made.alone, made.upcard_fate) == ("d", seat, (), UpcardFate.TAKEN)


def test_a_jack_turned_up_makes_its_own_suit_trump() -> None:
    """R-BID-1: it is the right bower, never the left one of the other suit."""
    assert made_of(after(table(upcard="Jd"), "order")).trump == "d"


# ── round two ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_four_passes_turn_the_upcard_down() -> None:
    """R-BID-2: everybody hears it."""
    game, events = happened(table(upcard="9d"), *PASSES)
    assert events == (Passed(1), Passed(2), Passed(3), Passed(0), UpcardTurnedDown(Card("9d")))
    assert to_act(game) == 1


@pytest.mark.parametrize(("upcard", "suits"), [("9s", "hdc"), ("9h", "sdc"), ("9d", "shc"), ("9c", "shd")])
def test_round_two_offers_every_suit_but_the_one_turned_down(upcard: str, suits: str) -> None:
    """R-BID-2."""
    game = after(table(upcard=upcard), *PASSES)
    for seat in (1, 2, 3):
        assert to_act(game) == seat
        assert legal(game) == ["pass", *(f"call {suit}" for suit in suits), *(f"call {suit} alone" for suit in suits)]
        assert refusal(game, seat, f"call {upcard[1]}") == Code.SUIT_TURNED_DOWN
        game = after(game, "pass")


def test_a_call_in_round_two_goes_straight_to_the_play() -> None:
    """R-BID-2, R-PICK-2: nobody picks up or discards."""
    game, events = happened(table(upcard="9d"), *PASSES, "pass", "call s")
    assert events[-2:] == (TrumpCalled(2, "s", alone=False), PlayStarted(1, (), ()))
    assert not any(isinstance(event, UpcardTaken | Discarded) for event in events)
    assert (made_of(game).upcard_fate, made_of(game).discard) == (UpcardFate.TURNED_DOWN, None)


# ── the eighth pass ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_stuck_dealer_may_do_anything_but_pass() -> None:
    """R-BID-3."""
    game = after(table(upcard="9h", no_trump="stuck_only", low_no_trump=True), *passed_to(0, round_=2))
    trumps = ["s", "d", "c", "n", "l"]
    assert legal(game) == [*(f"call {trump}" for trump in trumps), *(f"call {trump} alone" for trump in trumps)]
    assert refusal(game, 0, "pass") == Code.DEALER_MUST_CALL


def test_stick_binds_only_the_dealer() -> None:
    """R-BID-3: the six before him, and himself in round one, may pass."""
    game = table()
    for _ in range(7):
        assert "pass" in legal(game)
        game = after(game, "pass")
    assert "pass" not in legal(game)


def test_without_stick_an_eighth_pass_throws_the_hand_in() -> None:
    """R-BID-3."""
    game = after(table(all_pass="redeal"), *passed_to(0, round_=2))
    assert legal(game)[0] == "pass"
    assert phase_of(after(game, "pass")) is Phase.DEAL


# ── no trump ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("low", [False, True])
@pytest.mark.parametrize(
    ("option", "all_pass", "offered_to"),
    [("off", "stick", []), ("round2", "redeal", [1, 2, 3, 0]), ("round2", "stick", [1, 2, 3, 0]),
     ("stuck_only", "stick", [0])],
)  # fmt: skip
def test_no_trump_is_called_where_the_rules_say(
    *, option: str, all_pass: str, offered_to: list[Seat], low: bool
) -> None:
    """R-BID-4: `low_no_trump` adds the low call to the same places, and round one has neither."""
    low = low and option != "off"
    game = table(no_trump=option, all_pass=all_pass, low_no_trump=low)
    game = after(game, *PASSES)
    for seat in (1, 2, 3, 0):
        texts = legal(game)
        for trump, may in (("n", seat in offered_to), ("l", seat in offered_to and low)):
            assert (f"call {trump}" in texts) == (f"call {trump} alone" in texts) == may
            if not may:
                assert refusal(game, seat, f"call {trump}") == Code.NO_TRUMP_NOT_ALLOWED
        game = after(game, texts[0]) if seat else game


@pytest.mark.parametrize("trump", ["n", "l"])
def test_a_no_trump_call_is_the_hands_trump(trump: str) -> None:
    """R-BID-4."""
    game = after(table(no_trump="round2", low_no_trump=True), *PASSES, f"call {trump}")
    assert made_of(game).trump == trump


# ── the Canadian loner ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dealer", SEATS)
def test_the_canadian_loner_binds_the_dealers_partner_in_round_one(dealer: Seat) -> None:
    """R-BID-5: pass or alone for him, everything for everybody else."""
    game, partner = table(dealer=dealer, dealer_partner_round1="alone_or_pass"), (dealer + 2) % 4
    for _ in range(4):
        seat = to_act(game)
        assert seat is not None
        assert legal(game) == (["pass", "order alone"] if seat == partner else ["pass", "order", "order alone"])
        assert refusal(game, seat, "order") == (Code.MUST_GO_ALONE if seat == partner else None)
        game = after(game, "pass")
    for _ in range(4):
        assert "call" in legal(game)[1]
        assert " alone" not in legal(game)[1]
        game = after(game, legal(game)[0]) if to_act(game) != dealer else game


# ── what a caller must hold ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("requires", "hand", "may"),
    [
        ("none", NO_HEARTS, True),
        ("any_trump", NO_HEARTS, False),
        ("any_trump", LEFT_ONLY, True),
        ("natural_trump", NO_HEARTS, False),
        ("natural_trump", LEFT_ONLY, False),
        ("natural_trump", "Th As Ks Qs Ts", True),
        ("natural_trump", "Jh As Ks Qs Ts", True),
    ],
)
def test_a_seat_orders_only_with_the_trump_the_rules_ask_for(*, requires: str, hand: str, may: bool) -> None:
    """R-BID-6, for hearts turned up."""
    game = table(upcard="9h", hands={1: hand}, order_requires=requires)
    assert legal(game) == (["pass", "order", "order alone"] if may else ["pass"])
    for text in ("order", "order alone"):
        assert refusal(game, 1, text) == (None if may else Code.NEEDS_TRUMP)


@pytest.mark.parametrize(
    ("requires", "callable_"),
    [("none", ["s", "d", "c"]), ("any_trump", ["s", "d", "c"]), ("natural_trump", ["s", "d"])],
)
def test_a_seat_names_only_a_suit_it_holds(requires: str, callable_: list[str]) -> None:
    """R-BID-6: the jack of spades is the left bower of clubs, which is no natural club."""
    game = after(table(upcard="9h", hands={1: "Js As Ks Ad Kd"}, order_requires=requires), *PASSES)
    assert [text.split()[1] for text in legal(game) if text.startswith("call") and "alone" not in text] == callable_


def test_a_suit_nobody_may_name_is_refused_for_want_of_trump() -> None:
    """R-BID-6: the suit turned down is named first as the reason, then the missing trump."""
    game = after(table(upcard="9h", hands={1: "As Ks Qs Ts 9s"}, order_requires="any_trump"), *PASSES)
    assert legal(game) == ["pass", "call s", "call s alone"]
    assert refusal(game, 1, "call d") == Code.NEEDS_TRUMP
    assert refusal(game, 1, "call d alone") == Code.NEEDS_TRUMP
    assert refusal(game, 1, "call h") == Code.SUIT_TURNED_DOWN


@pytest.mark.parametrize("requires", ["any_trump", "natural_trump"])
@pytest.mark.parametrize("counts", [True, False])
def test_the_dealer_may_count_the_upcard_he_takes_up(*, requires: str, counts: bool) -> None:
    """R-BID-6 with `upcard_counts`; nobody else ever counts it."""
    hands = {0: "As Ks Qs Ts 9s", 1: "Ac Kc Qc Tc 9c", 2: "Ad Kd Qd Td 9d"}
    game = table(upcard="9h", hands=hands, order_requires=requires, upcard_counts=counts)
    for seat in (1, 2):
        assert refusal(game, seat, "order") == Code.NEEDS_TRUMP
        game = after(game, "pass")
    game = after(game, "pass")
    assert refusal(game, 0, "order") == (None if counts else Code.NEEDS_TRUMP)


def test_the_dealers_own_cards_count_beside_the_upcard_he_takes_up() -> None:
    """R-BID-6, R-BID-7: a Benny that counts as a spade is no natural one."""
    options: dict[str, Any] = {"jokers": 1, "benny_turned": "as_spades", "order_requires": "natural_trump"}
    for hand, may in (("9s Ah Kh Qh Th", True), ("Jc Ah Kh Qh Th", False)):
        game = after(table(upcard="Bj", hands={0: hand}, **options), "pass", "pass", "pass")
        assert refusal(game, 0, "order") == (None if may else Code.NEEDS_TRUMP)


@pytest.mark.parametrize("requires", ["any_trump", "natural_trump"])
def test_a_stuck_dealer_may_name_what_he_does_not_hold(requires: str) -> None:
    """R-BID-6: always exempt; the same hand is bound where the dealer may pass."""
    for all_pass in ("stick", "redeal"):
        game = table(upcard="9h", hands={0: "As Ks Qs Ts 9s"}, order_requires=requires, all_pass=all_pass)
        game = after(game, *passed_to(0, round_=2))
        assert refusal(game, 0, "call d") == (None if all_pass == "stick" else Code.NEEDS_TRUMP)


@pytest.mark.parametrize("requires", ["any_trump", "natural_trump"])
def test_no_trump_calls_need_no_trump(requires: str) -> None:
    """R-BID-6: exempt."""
    options: dict[str, Any] = {"no_trump": "round2", "low_no_trump": True, "order_requires": requires}
    game = after(table(upcard="9s", hands={1: "As Ks Qs Ts Jc"}, **options), *PASSES)
    assert {"call n", "call l", "call n alone", "call l alone"} <= set(legal(game))


def test_a_no_trump_call_is_never_refused_for_want_of_trump() -> None:
    """R-BID-6: what is wrong here is that nobody may go alone."""
    options: dict[str, Any] = {"no_trump": "round2", "alone": "off", "order_requires": "any_trump"}
    game = after(table(upcard="9s", **options), *PASSES)
    assert refusal(game, 1, "call n alone") == Code.ALONE_NOT_ALLOWED


def test_a_canadian_partner_without_the_trump_asked_for_may_only_pass() -> None:
    """R-BID-5 with R-BID-6: going alone is ordering."""
    options: dict[str, Any] = {"dealer_partner_round1": "alone_or_pass", "order_requires": "any_trump"}
    game = after(table(upcard="9h", hands={2: NO_HEARTS}, **options), "pass")
    assert legal(game) == ["pass"]
    assert refusal(game, 2, "order alone") == Code.NEEDS_TRUMP
