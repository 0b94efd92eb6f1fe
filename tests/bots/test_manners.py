"""What a partner may rely on, a test a convention."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bots.layouts import every
from bots.policy import LEVELS
from bots.search import evaluate
from bots.solver.open_hand import IS_COMPILED
from engine.actions import OrderUp, PlayCard
from engine.cards import PARTNER_OF, effective_suit, trick_winner
from engine.rules import make_rules
from engine.state import Phase, UpcardFate
from tests.bots.scenes import bid_of, bidding, card_of, play_hands, playing

STANDARD = LEVELS["standard"]
GONE = (3, "Ad 9d Qd Kd")
"""A first trick that told little."""
ROUND_ONE = "pass, order, order alone"
everybody = pytest.mark.parametrize("level", ["standard", "hard", "expert"] if IS_COMPILED else ["standard"])
"""The levels a partner may rely on; those that search do so for sure where they can look at many layouts."""


# ── the partner's trick ──────────────────────────────────────────────────────────────────────────────────────────────


@everybody
def test_never_overtakes_partners_sure_winner(level: str) -> None:
    """The partner's right bower holds; the left is not thrown on it while a lower trump is there."""
    assert card_of(playing("Jd 9h As Ks Qc", trump="h", maker=2, trick="Jh 9c", leader=2), level=level) == "9h"


@everybody
def test_never_trumps_partners_sure_winner(level: str) -> None:
    """Last to play, void in the suit led, and the partner has the trick."""
    assert card_of(playing("Jh Ah 9d Ts Qd", trump="h", maker=1, trick="9c Ac Tc", leader=1), level=level) not in {
        "Jh",
        "Ah",
    }


def test_never_beats_a_trick_the_partner_has_won_in_any_of_many_hands() -> None:
    """Whoever plays last and may play a card that does not beat the partner's winning one, does."""
    checked = 0
    for decision in play_hands([STANDARD] * 4, make_rules("standard", {"target": 99}), hands=150, seed=1):
        view, action = decision.view, decision.action
        if not isinstance(action, PlayCard) or len(view.trick) != 3:
            continue
        assert view.trump is not None
        table = [card for _, card in view.trick]
        if view.trick[trick_winner(table, view.trump)][0] != PARTNER_OF[decision.seat]:
            continue
        beating = [
            legal for legal in decision.legal
            if isinstance(legal, PlayCard) and trick_winner((*table, legal.card), view.trump) == 3
        ]  # fmt: skip
        checked += bool(beating)
        assert action not in beating or len(beating) == len(decision.legal)
    assert checked > 20


@everybody
def test_leaves_partners_ace_alone_while_an_opponent_is_yet_to_play(level: str) -> None:
    """An ace stands more often than not; a trump is worth more elsewhere."""
    assert card_of(playing("9h Ts Qd Kd 9d", trump="h", maker=1, trick="Ac 9c", leader=2), level=level) != "9h"


# ── the lead ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@everybody
@pytest.mark.parametrize("hand", ["Jh 9s Ts As Kd", "Qh As Ac 9d Td", "9h Th As Kd Ad"])
def test_leads_trump_when_partner_called(hand: str, level: str) -> None:
    lead = card_of(playing(hand, trump="h", maker=2), level=level)
    assert effective_suit(lead, "h") == "h"  # type: ignore[arg-type]


@everybody
def test_leads_the_left_back_rather_than_hold_it_when_partner_called(level: str) -> None:
    """Those that search lead either trump: the bower that is kept is worth as much."""
    led = card_of(playing("Jd 9h As 9s Tc", trump="h", maker=2), level=level)
    assert led in ({"Jd"} if level == "standard" else {"Jd", "9h"})


@everybody
def test_leads_trump_as_maker(level: str) -> None:
    assert card_of(playing("Jh Ah 9h As 9d", trump="h", maker=0), level=level) == "Jh"


@everybody
def test_does_not_lead_trump_when_both_defenders_are_out_of_it(level: str) -> None:
    """Both showed out on the first round; the ace is cashed and the trump kept."""
    view = playing("Ah As 9d Td", trump="h", maker=0, before=[(0, "Jh 9s Th 9c")])
    assert card_of(view, level=level) == "As"


def test_cashes_an_ace_on_defence_and_leads_no_trump() -> None:
    assert card_of(playing("Ah Qh As 9s Td", trump="h", maker=1)) == "As"


def test_leads_the_card_that_has_become_the_highest_of_its_suit() -> None:
    """The ace is gone, so the king is as good."""
    view = playing("Ks 9s Qd Td", trump="h", maker=1, before=[(3, "As Ts Jd Qs")])
    assert card_of(view) == "Ks"


# ── winning and losing cards ─────────────────────────────────────────────────────────────────────────────────────────


@everybody
def test_wins_with_the_cheapest_card_that_does_it(level: str) -> None:
    """Last to play: the ten of trump does what the bower would."""
    assert card_of(playing("Jh Th 9d Qd Kd", trump="h", maker=0, trick="As 9s Ts", leader=1), level=level) == "Th"
    assert card_of(playing("As Qs 9d Qd Kd", trump="h", maker=0, trick="Ts 9s Js", leader=1), level=level) == "Qs"


@everybody
def test_second_hand_low(level: str) -> None:
    """A low card of a suit it is out of: the partner may have it, and the bower is worth a trick later."""
    low = card_of(playing("Jh Kd 9d Ac Tc", trump="h", maker=1, trick="9s", leader=3), level=level)
    assert low in ({"9d"} if level == "standard" else {"9d", "Tc"})


@everybody
def test_second_hand_takes_with_the_highest_card_of_the_suit(level: str) -> None:
    assert card_of(playing("As 9s Kd 9d 9c", trump="h", maker=1, trick="Ts", leader=3), level=level) == "As"


@everybody
def test_does_not_throw_a_high_card_under_a_trick_that_is_lost(level: str) -> None:
    assert card_of(playing("Ks 9s Kd 9d 9c", trump="h", maker=1, trick="As", leader=3), level=level) == "9s"


def test_keeps_the_left_guarded() -> None:
    """The small trump that keeps the left from falling to the right is not spent on a trick the partner may win."""
    assert card_of(playing("Jd 9h Ks 9s", trump="h", maker=1, trick="9c", leader=3, before=[GONE])) == "9s"


@everybody
def test_plays_the_small_trump_under_the_right_and_keeps_the_left(level: str) -> None:
    assert card_of(playing("Jd 9h Ks 9s Tc", trump="h", maker=1, trick="Jh", leader=3), level) == "9h"


@everybody
def test_ruffs_with_a_small_trump_that_guards_nothing(level: str) -> None:
    assert card_of(playing("Jh 9h Ks 9s", trump="h", maker=1, trick="9c", leader=3, before=[GONE]), level=level) == "9h"


@everybody
def test_throws_off_to_be_void(level: str) -> None:
    """A lone small card goes before one of two, because a trump is left to use the void."""
    thrown = card_of(playing("Ah 9s Td Qd Kd", trump="h", maker=0, trick="9c Ac Tc", leader=1), level=level)
    assert thrown in ({"9s"} if level == "standard" else {"9s", "Td"})


@everybody
def test_takes_the_trick_that_decides_the_hand(level: str) -> None:
    """One trick each short of the euchre: the last to play takes it with what there is."""
    before = [(3, "9s Ts Js Qs"), (2, "Ac 9c Tc Qc"), (2, "9d Td Qd Jd")]
    assert card_of(playing("Ah As", trump="h", maker=1, trick="Ad Kd 9h", leader=1, before=before), level=level) == "Ah"


@pytest.mark.parametrize("level", ["hard", "expert"])
def test_plays_the_last_two_tricks_exactly(level: str) -> None:
    """Nothing is left to chance in what it looks at: all that the others may hold, and every way to play it."""
    rules, exact = make_rules("standard", {"target": 99}), 0
    for decision in play_hands([STANDARD] * 4, rules, hands=30, seed=11):
        view, legal = decision.view, decision.legal
        if view.phase is not Phase.PLAY or len(view.cards) != 2 or len(legal) == 1:
            continue
        if not every(view, rules, most=2000):
            continue
        assert len({LEVELS[level].decide(view, legal, rules, Random(seed)) for seed in range(4)}) == 1
        worth = evaluate(view, legal, rules, layouts=100, seed=1)
        assert worth == evaluate(view, legal, rules, layouts=100, seed=2)
        assert all(found.error < 0.01 for found in worth)
        exact += 1
    assert exact > 20


# ── no trump ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@everybody
def test_runs_the_winners_of_the_longest_suit_in_no_trump(level: str) -> None:
    assert card_of(playing("As Ks Qs Ad 9c", trump="n", maker=0, upcard="9h"), level=level) == "As"


@everybody
def test_the_lowest_card_is_the_winner_in_low_no_trump(level: str) -> None:
    assert card_of(playing("9s Ts As Kd Qc", trump="l", maker=0, upcard="9h"), level=level) == "9s"
    assert (
        card_of(playing("9s Ts As Kd Qc", trump="l", maker=0, upcard="9h", trick="Js Qs Ks", leader=1), level=level)
        == "Ts"
    )


# ── the call ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_calls_with_three_trumps(seat: int) -> None:
    """From every place, whoever gets the upcard."""
    assert bid_of(bidding("Kh Qh 9h Qs 9d", upcard="Th", seat=seat), ROUND_ONE) == "order"


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_calls_with_both_bowers(seat: int) -> None:
    assert bid_of(bidding("Jh Jd 9s Qs 9c", upcard="Th", seat=seat), ROUND_ONE) == "order"


@everybody
def test_the_dealer_counts_the_upcard(level: str) -> None:
    assert bid_of(bidding("Ah 9h Qs 9c Tc", upcard="Jh", seat=3), ROUND_ONE, level=level) == "order"


def test_never_passes_three_trumps_or_both_bowers_in_any_of_many_hands() -> None:
    checked = 0
    for decision in play_hands([STANDARD] * 4, make_rules("standard", {"target": 99}), hands=250, seed=2):
        view = decision.view
        if view.phase is not Phase.ROUND_ONE:
            continue
        assert view.upcard is not None
        trump = view.upcard[1]
        held = (*view.cards, view.upcard) if view.dealer == decision.seat else view.cards
        trumps = [card for card in held if effective_suit(card, trump) == trump]  # type: ignore[arg-type]
        bowers = [card for card in trumps if card[0] == "J"]
        if len(trumps) >= 3 or len(bowers) == 2:
            checked += 1
            assert isinstance(decision.action, OrderUp)
    assert checked > 50


@everybody
def test_passes_a_hand_without_trump(level: str) -> None:
    assert bid_of(bidding("9s Qs Kd 9c Tc", upcard="Ah"), ROUND_ONE, level=level) == "pass"


@everybody
def test_does_not_order_a_bower_into_an_opponents_hand_on_a_thin_hand(level: str) -> None:
    assert bid_of(bidding("Ah 9h Kd 9c Ts", upcard="Jh", seat=0, dealer=3), ROUND_ONE, level=level) == "pass"


@everybody
def test_a_stuck_dealer_calls_the_best_suit(level: str) -> None:
    legal = "call s, call d, call c, call s alone, call d alone, call c alone"
    view = bidding("Ks Qs 9d Tc 9h", upcard="Ah", round_two=True, seat=3)
    assert bid_of(view, legal, level=level) == "call s"


@everybody
def test_names_next_rather_than_an_equal_hand_across(level: str) -> None:
    """Left of the dealer, the suit of the colour turned down: the dealer's side has no bower there."""
    legal = "pass, call s, call d, call c"
    assert bid_of(bidding("Qd Td Qs Ts Ac", upcard="9h", round_two=True, seat=0), legal, level=level) in {
        "pass",
        "call d",
    }
    assert (
        bid_of(bidding("Kd Td As Ks 9c", upcard="9h", round_two=True, seat=0), "call s, call d", level=level)
        == "call d"
    )


# ── alone ────────────────────────────────────────────────────────────────────────────────────────────────────────────

LONER = "Jh Jd Ah Kh As"


@everybody
def test_goes_alone_with_a_hand_that_wins_by_itself(level: str) -> None:
    assert bid_of(bidding(LONER, upcard="9h"), ROUND_ONE, level=level) == "order alone"


@everybody
@pytest.mark.parametrize("score", [(9, 9), (9, 0), (8, 8), (9, 5)])
def test_does_not_go_alone_when_a_point_or_a_march_together_wins(score: tuple[int, int], level: str) -> None:
    """At nine or eight of ten the partner's help is worth more than points nobody counts."""
    assert bid_of(bidding(LONER, upcard="9h", score=score), ROUND_ONE, level=level) == "order"


@everybody
def test_goes_alone_at_nine_where_the_game_is_to_fifteen(level: str) -> None:
    rules = make_rules("standard", {"target": 15})
    assert bid_of(bidding(LONER, upcard="9h", score=(9, 9)), ROUND_ONE, rules=rules, level=level) == "order alone"


def test_the_dealers_partner_who_may_only_order_alone_passes_an_ordinary_call() -> None:
    rules = make_rules("standard", {"dealer_partner_round1": "alone_or_pass"})
    view = bidding("Ah Kh 9h Qs 9d", upcard="Th", seat=1, dealer=3)
    assert bid_of(view, "pass, order alone", rules=rules) == "pass"
    view = bidding(LONER, upcard="9h", seat=1, dealer=3)
    assert bid_of(view, "pass, order alone", rules=rules) == "order alone"


def test_rarely_goes_alone() -> None:
    """A partner wants to play, too."""
    rules = make_rules("standard", {"target": 99})
    decisions = [one for seed in (3, 4, 5) for one in play_hands([STANDARD] * 4, rules, hands=150, seed=seed)]
    calls = [str(decision.action) for decision in decisions if str(decision.action).startswith(("order", "call"))]
    alone = [call for call in calls if call.endswith("alone")]
    assert 0.02 < len(alone) / len(calls) < 0.2


def test_defends_alone_with_three_sure_tricks_only() -> None:
    rules = make_rules("ladder")
    answers = "defend alone, defend together"
    for hand, answer in (("Jh Jd Ah 9s 9c", "defend alone"), ("Jd Ah 9h Ks 9c", "defend together")):
        view = replace(playing(hand, trump="h", maker=1), phase=Phase.DEFEND)
        assert bid_of(view, answers, rules=rules) == answer


def test_answers_the_alone_window_as_it_would_have_called() -> None:
    rules = make_rules("ladder")
    for hand, score, answer in (
        (LONER, (0, 0), "alone"),
        (LONER, (8, 0), "together"),
        ("Jh 9h Th Ks 9c", (0, 0), "together"),
    ):
        view = replace(playing(hand, trump="h", maker=0), phase=Phase.ALONE, score=score)
        assert bid_of(view, "alone, together", rules=rules) == answer


# ── the discard ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("hand", "discard"),
    [
        ("Jh Ah 9h Qs Kd 9d", "Qs"),  # a lone card makes a void
        ("Jh Ah 9h As Kd 9d", "9d"),  # but not a lone ace
        ("Jh 9h As Ks Qd 9c", "9c"),  # the lower of two lone cards
    ],
)
def test_discards_to_be_void_and_keeps_aces_and_trumps(hand: str, discard: str) -> None:
    view = playing(hand, trump="h", maker=0, dealer=0, upcard="9h", fate=UpcardFate.TAKEN)
    view = replace(view, phase=Phase.DISCARD)
    legal = ", ".join(f"discard {card}" for card in view.cards)
    assert bid_of(view, legal) == f"discard {discard}"
