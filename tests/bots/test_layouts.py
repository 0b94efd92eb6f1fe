"""What a searching bot imagines: never what cannot be, each possibility as often as it should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings

from bots.estimate import holding, tricks_alone, tricks_together
from bots.layouts import cards_in, cards_mask, draw, every, put_away, strengths
from bots.solver.sampling import DISCARD
from bots.uniform import Uniform
from engine.actions import PASS, parse_action
from engine.cards import PARTNER_OF, SUITS, Card, Trump, effective_suit, is_trump, make_pack
from engine.rules import PartnerExchange, Rules, make_rules
from engine.state import Phase, UpcardFate
from engine.view import View
from tests.bots.scenes import RULES, bidding, play_hands, playing
from tests.engine.strategies import playable_rules, seeds

UNIFORM = Uniform()
SEARCHED = (Phase.ROUND_ONE, Phase.ROUND_TWO, Phase.DISCARD, Phase.ALONE, Phase.DEFEND, Phase.PLAY)


@settings(max_examples=30, deadline=None)
@given(rules=playable_rules(), seed=seeds)
def test_every_layout_fits_all_that_the_seat_knows(rules: Rules, seed: int) -> None:
    for decision in play_hands([UNIFORM] * 4, rules, hands=2, seed=seed):
        if decision.view.phase in SEARCHED and decision.view.cards:
            for layout in draw(decision.view, rules, layouts=4, seed=seed):
                fits(decision.view, rules, decision.seat, [cards_in(mask) for mask in layout[1:]])


def test_no_layout_deals_a_card_that_the_seat_put_away_itself() -> None:
    """What lies under the deck is in no hand, and what a lone maker gave away is with the partner who sits out."""
    seen = Counter[str]()
    options = {"relief": "swap3", "relief_hand": "ace_no_face", "partner_exchange": "call_for_best"}
    for seed in range(150):
        rules = make_rules("standard", options | {"low_rank": (9, 7)[seed % 2]})
        for decision in play_hands([UNIFORM] * 4, rules, hands=3, seed=seed):
            view = decision.view
            if view.phase in SEARCHED and (view.put_away or view.given):
                layouts = draw(view, rules, layouts=4, seed=seed)
                assert layouts
                for layout in layouts:
                    fits(view, rules, decision.seat, [cards_in(mask) for mask in layout[1:]])
                seen.update(name for name in ("put_away", "given") if getattr(view, name))
    assert min(seen["put_away"], seen["given"]) > 30, seen


def fits(view: View, rules: Rules, seat: int, places: list[tuple[Card, ...]]) -> None:
    hands = places[:DISCARD]
    everywhere = [card for cards in places for card in cards]
    assert len(everywhere) == len(set(everywhere))
    assert set(everywhere) <= set(make_pack(rules.low_rank, rules.jokers))
    assert sorted(hands[seat]) == sorted(view.cards)
    assert [len(hand) for hand in hands] == list(view.counts)
    gone = {card for trick in view.tricks for _, card in trick.cards} | {card for _, card in view.trick}
    gone |= put_away(view, rules)
    assert not gone & set(everywhere)
    assert view.given is None or view.given in {*gone, *view.cards, *hands[PARTNER_OF[seat]]}
    assert view.upcard is not None
    if view.upcard_fate is not UpcardFate.TAKEN:
        assert view.upcard not in everywhere
    elif view.upcard not in gone and rules.partner_exchange is PartnerExchange.OFF:
        assert view.upcard in {*hands[view.dealer or 0], *places[DISCARD]}
    if view.trump is not None:
        for trick in (*(trick.cards for trick in view.tricks), view.trick):
            led = effective_suit(trick[0][1], view.trump) if trick else "j"
            for other, card in trick:
                if led != "j" and effective_suit(card, view.trump) != led:
                    assert led not in {effective_suit(held, view.trump) for held in hands[other]}


def test_a_hand_shown_for_relief_is_in_part_where_it_was_shown() -> None:
    """Two of its five cards were kept; the other three lie under the deck."""
    rules = make_rules("standard", {"relief": "swap3"})
    shown = tuple(Card(card) for card in ("9s", "Ts", "9h", "9d", "Td"))
    calls = ((0, parse_action("relief")), (0, PASS))
    view = replace(bidding("Kh Qh Ah Qs Ad", upcard="Th", seat=1), calls=calls, shown=((0, shown),))
    for layout in draw(view, rules, layouts=50, seed=1):
        hands = [set(cards_in(mask)) for mask in layout[1:]]
        assert len(hands[0] & set(shown)) == 2
        assert not (hands[2] | hands[3]) & set(shown)


def test_every_possible_layout_comes_as_often_as_the_next() -> None:
    """Two cards a hand, one seat without spades: the counts agree with all the ways to deal, counted one by one."""
    before = [(0, "As 9d Ts Qs"), (0, "Ac Tc Kc Qc"), (0, "Ah Th Qh 9h")]
    view = playing("Jh Ks", trump="h", maker=0, upcard="9c", before=before, calls=())
    unseen = [card for card in make_pack(9) if card in {"Js", "9s", "Td", "Jd", "Qd", "Kd", "Ad", "Kh", "Jc"}]
    ways: Counter[tuple[Card, ...]] = Counter()
    for first in combinations([card for card in unseen if card not in {"Js", "9s"}], 2):
        others = [card for card in unseen if card not in first]
        rest = len(others)
        ways[first] = rest * (rest - 1) // 2 * (rest - 2) * (rest - 3) // 2
    total = sum(ways.values())
    seen: Counter[tuple[Card, ...]] = Counter()
    drawn = draw(view, RULES, layouts=6000, seed=5)
    for layout in drawn:
        seen[tuple(card for card in unseen if card in cards_in(layout[2]))] += layout[0]
    count = sum(seen.values())
    assert set(seen) == set(ways)
    for hand, number in ways.items():
        assert seen[hand] / count == pytest.approx(number / total, abs=0.012)
    assert len(every(view, RULES, most=total)) == total
    assert every(view, RULES, most=total - 1) == []


@settings(max_examples=30, deadline=None)
@given(rules=playable_rules(), seed=seeds)
def test_all_layouts_of_an_ending_are_those_that_are_drawn_as_often(rules: Rules, seed: int) -> None:
    for decision in play_hands([UNIFORM] * 4, rules, hands=2, seed=seed):
        view = decision.view
        if view.phase is not Phase.PLAY or len(view.cards) > 2:
            continue
        likely = {layout[1:]: layout[0] for layout in every(view, rules, most=1000)}
        drawn = Counter[tuple[int, ...]]()
        for layout in draw(view, rules, layouts=400, seed=seed):
            drawn[layout[1:]] += layout[0]
        if likely and drawn:
            assert set(drawn) <= set(likely)
            rare = [layout for layout, times in likely.items() if times < sum(likely.values()) / 2]
            share = sum(likely[layout] for layout in rare) / sum(likely.values())
            assert sum(drawn[layout] for layout in rare) / drawn.total() == pytest.approx(share, abs=0.15)


def trumps_of(view: View, seat: int, trump: Trump = "h", *, rules: Rules = RULES) -> float:
    drawn = draw(view, rules, layouts=400, seed=3)
    trumps = {layout: [card for card in cards_in(layout[1 + seat]) if is_trump(card, trump)] for layout in drawn}
    return sum(layout[0] * len(held) for layout, held in trumps.items()) / sum(layout[0] for layout in drawn)


def test_who_called_holds_more_trumps_than_who_passed() -> None:
    passed = ((0, PASS), (1, PASS))
    view = replace(
        playing("9s Ts Qd Kd 9c", trump="h", maker=2, seat=3, dealer=3, upcard="Ah", fate=UpcardFate.TAKEN),
        calls=(*passed, (2, parse_action("order"))), discard=Card("9d"), counts=(5, 5, 5, 5),
    )  # fmt: skip
    assert trumps_of(view, 2) > trumps_of(view, 1) + 1


def test_who_called_alone_holds_more_than_who_called() -> None:
    view = replace(
        playing("9s Ts Qd Kd 9c", trump="h", maker=2, seat=3, dealer=3, upcard="Ah", fate=UpcardFate.TAKEN),
        discard=Card("9d"), counts=(5, 5, 5, 5),
    )  # fmt: skip
    alone, together = (
        replace(view, calls=((0, PASS), (1, PASS), (2, parse_action(text)))) for text in ("order alone", "order")
    )
    assert trumps_of(alone, 2) > trumps_of(together, 2) + 0.2


def test_a_pass_tells_of_the_suit_turned_up_and_no_other() -> None:
    """Of hearts and of spades as many trumps are out, as the viewer sees it."""
    view = bidding("9s 9c Tc Qd Kd", upcard="Th", seat=1)
    assert trumps_of(view, 0, "h") < trumps_of(view, 0, "s") - 0.2


def test_a_pass_of_a_partner_who_may_only_go_alone_tells_less() -> None:
    view = bidding("9s 9c Tc Qd Kd", upcard="Th", seat=2)
    canadian = make_rules("standard", {"dealer_partner_round1": "alone_or_pass"})
    assert trumps_of(view, 1, rules=canadian) > trumps_of(view, 1)


def test_a_dealer_who_had_to_call_holds_less_than_one_who_might_have_passed() -> None:
    view = replace(
        playing("9s Ts Qd Kd 9c", trump="h", maker=3, seat=0, dealer=3, upcard="As", fate=UpcardFate.TURNED_DOWN),
        calls=(*((seat, PASS) for seat in (0, 1, 2, 3, 0, 1, 2)), (3, parse_action("call h"))), counts=(5, 5, 5, 5),
    )  # fmt: skip
    assert trumps_of(view, 3) < trumps_of(view, 3, rules=make_rules("standard", {"all_pass": "redeal"}))


def test_the_dealer_rarely_buries_a_trump_or_an_ace() -> None:
    view = replace(
        playing("9s Ts Qd Kd 9c", trump="h", maker=0, seat=0, dealer=3, upcard="Kh", fate=UpcardFate.TAKEN),
        calls=((0, parse_action("order")),),
    )
    drawn = draw(view, RULES, layouts=400, seed=4)
    good = sum(layout[0] for layout in drawn if cards_in(layout[5])[0][0] == "A" or cards_in(layout[5])[0][1] == "h")
    assert good / sum(layout[0] for layout in drawn) < 0.15


@pytest.mark.parametrize("low_rank", [9, 7])
def test_strength_by_lookup_is_the_estimate(low_rank: int) -> None:
    rng = Random(2)
    rules = make_rules("standard", {"low_rank": low_rank, "jokers": 1})
    together, alone = strengths(low_rank, 1)
    for _ in range(300):
        hand, trump = rng.sample(make_pack(low_rank, 1), 5), rng.choice(SUITS)
        held = holding(hand, trump, rules)
        number = SUITS.index(trump)
        assert together.tricks(cards_mask(hand), number) == pytest.approx(tricks_together(held, trump))
        assert alone.tricks(cards_mask(hand), number) == pytest.approx(tricks_alone(held, trump))
