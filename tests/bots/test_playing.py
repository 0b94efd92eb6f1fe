"""Hands played out over masks: what a seat counts, and that all comes out as four standard bots play in the engine."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from bots.layouts import cards_mask, put_away
from bots.play import table_for
from bots.playouts import BidsPlayedOut, CardsPlayedOut
from bots.search import evaluate
from bots.solver.open_hand import bit_of, mask_of, uncompiled
from bots.standard import Standard
from engine.actions import PASS, PlayCard
from engine.cards import SEATS, Card, Seat, effective_suit, legal_cards, make_pack, team_of, trick_winner
from engine.events import HandScored
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules, make_rules
from engine.state import Game, Phase, UpcardFate
from engine.view import View, view_for
from tests.bots.scenes import EVERY_LEVEL, RULES, action_of, bidding, cards, play_hands, playing

STANDARD = Standard()
RULE_SETS: list[dict[str, object]] = [
    {},
    {"no_trump": "round2", "low_no_trump": True},
    {"alone": "maker_side", "alone_timing": "before_first_lead", "defend_alone": "any"},
    {"jokers": 1, "low_rank": 8, "loner_lead": "left_of_loner"},
]


# ── what a seat counts ───────────────────────────────────────────────────────────────────────────────────────────────


def chance(view: View, seat: Seat, best: str, led: str | None = None) -> float:
    """Return the chance, as the viewer sees it, that *seat* beats *best*, played to *led* or led itself."""
    assert view.trump is not None
    table = table_for(view, RULES)
    counts = [0 if other in view.sitting else view.counts[other] for other in SEATS]
    table.choice(cards_mask(view.cards), counts, cards_mask([view.discard] if view.discard else []))
    suit = effective_suit(Card(led or best), view.trump)
    of_suit = [card for card in make_pack(7, 1) if effective_suit(card, view.trump) == suit]
    return table.chance_to_beat(seat, bit_of(view.trump)[Card(best)], mask_of(of_suit, view.trump))


def counted_one_by_one(view: View, seat: Seat, best: Card, led: Card) -> float:
    """Return the chance to beat *best*, by looking at every hand *seat* may have."""
    assert view.trump is not None
    trump, upcard, dealer = view.trump, view.upcard, view.dealer
    tricks = [*(trick.cards for trick in view.tricks), view.trick]
    seen = {*view.cards, *put_away(view, RULES), *(card for trick in tricks for _, card in trick)}
    is_held = view.upcard_fate is UpcardFate.TAKEN and upcard not in seen and dealer == seat
    if view.upcard_fate is not UpcardFate.TAKEN or is_held or dealer not in view.sitting:
        seen |= {upcard} if upcard else set()
    voids = {
        effective_suit(trick[0][1], trump)
        for trick in tricks
        for who, card in trick
        if who == seat and effective_suit(card, trump) != effective_suit(trick[0][1], trump)
    }
    held = (upcard,) if is_held and upcard is not None else ()
    pool = [card for card in make_pack(9) if card not in seen and effective_suit(card, trump) not in voids]
    hands = [(*held, *rest) for rest in combinations(pool, view.counts[seat] - len(held))]
    beating = sum(
        any(trick_winner((led, best, card), trump) == 2 for card in legal_cards(hand, led, trump)) for hand in hands
    )
    return beating / len(hands)


@pytest.mark.parametrize("overrides", [{}, {"no_trump": "round2", "low_no_trump": True}, {"alone": "maker"}])
def test_the_chance_to_beat_a_card_is_what_counting_every_hand_gives(overrides: dict[str, object]) -> None:
    checked = 0
    for decision in play_hands(EVERY_LEVEL, make_rules("standard", overrides), hands=12, seed=1):
        view = decision.view
        if not isinstance(decision.action, PlayCard) or not view.trick or len(decision.legal) < 2:
            continue
        assert view.trump is not None
        led = view.trick[0][1]
        best = view.trick[trick_winner([card for _, card in view.trick], view.trump)][1]
        waiting = {who for who, _ in view.trick} | {decision.seat} | set(view.sitting)
        for seat in set(SEATS) - waiting:
            assert chance(view, seat, best, led) == pytest.approx(counted_one_by_one(view, seat, best, led))
            checked += 1
    assert checked > 60


def test_an_upcard_taken_is_in_the_dealers_hand_until_it_is_played() -> None:
    view = playing("As 9s Kd 9d Tc", trump="c", maker=1, upcard="Jc", fate=UpcardFate.TAKEN, dealer=1)
    assert chance(view, 1, "Ac") == 1.0
    assert chance(view, 3, "Js") == 0.0


def test_a_seat_that_did_not_follow_is_void() -> None:
    view = playing("Ks Qd Td 9c", trump="h", maker=1, before=[(1, "As 9d Ts 9s")])
    for seat in (1, 2, 3):
        assert chance(view, seat, "Ks") == pytest.approx(counted_one_by_one(view, seat, Card("Ks"), Card("Ks")))
    assert chance(view, 2, "Ks") > chance(view, 3, "Ks")


def test_a_left_bower_that_did_not_follow_its_own_colour_shows_a_void() -> None:
    """The jack of diamonds on a diamond lead is a trump: whoever plays it had no diamond."""
    view = playing("Kd Qs Ts 9c", trump="h", maker=1, before=[(1, "Ad Jd 9d Td")])
    assert chance(view, 2, "Qd") == pytest.approx(counted_one_by_one(view, 2, Card("Qd"), Card("Qd")))
    assert chance(view, 2, "Qd") > chance(view, 3, "Qd")


def test_who_sits_holds_nothing_that_counts() -> None:
    view = playing("Jh Ah As 9d Td", trump="h", maker=0, alone=(0,), sitting=(2,))
    assert chance(view, 2, "9s") == 0.0


# ── whole hands ──────────────────────────────────────────────────────────────────────────────────────────────────────


def played_out(game: Game) -> tuple[int, int]:
    """Return team 0's points less team 1's, and its tricks, when four standard bots play on."""
    rng = Random(0)
    while (seat := to_act(game)) is not None:
        view, legal = view_for(game, seat), legal_actions(game)
        game, events = apply(game, seat, STANDARD.decide(view, legal, game.standing.rules, rng))
        for event in events:
            if isinstance(event, HandScored):
                return (event.points if event.team == 0 else -event.points), event.tricks[0]
    return 0, 0


def dealt(rules: Rules, rng: Random) -> Game:
    pack = make_pack(rules.low_rank, rules.jokers)
    game, _ = deal(new_game(rules), tuple(rng.sample(pack, len(pack))), dealer=rng.randrange(4))
    return game


def everything(game: Game) -> tuple[int, int, int, int, int, int]:
    """Return the one true layout."""
    hands = [cards_mask(view_for(game, seat).cards) for seat in SEATS]
    buried = next((found for seat in SEATS if (found := view_for(game, seat).discard)), None)
    return 1, hands[0], hands[1], hands[2], hands[3], cards_mask([buried] if buried else [])


@pytest.mark.parametrize("overrides", RULE_SETS, ids=str)
def test_cards_played_out_end_as_four_standard_bots_do(overrides: dict[str, object]) -> None:
    """Every card of every decision, over the true layout, comes to what the engine makes of it."""
    rules, rng = make_rules("standard", overrides), Random(4)
    checked = 0
    for _ in range(40):
        game = dealt(rules, rng)
        while (seat := to_act(game)) is not None:
            view, legal = view_for(game, seat), legal_actions(game)
            if view.phase is Phase.PLAY and len(legal) > 1:
                plays = [action for action in legal if isinstance(action, PlayCard)]
                for action, found in CardsPlayedOut(view, plays, rules).results(everything(game)):
                    points, tricks = played_out(apply(game, seat, action)[0])
                    assert found == ((points, tricks) if team_of(seat) == 0 else (-points, 5 - tricks))
                    checked += 1
            game, _ = apply(game, seat, STANDARD.decide(view, legal, rules, rng))
    assert checked > 300


def test_bids_played_out_end_as_four_standard_bots_do() -> None:
    """Called or passed, over the true layout. Where a hand is close to a call, the score may decide otherwise."""
    rng, same, other = Random(5), 0, 0
    for _ in range(150):
        game = dealt(RULES, rng)
        while (seat := to_act(game)) is not None and (view := view_for(game, seat)).phase is not Phase.PLAY:
            legal = legal_actions(game)
            if view.phase in (Phase.ROUND_ONE, Phase.ROUND_TWO):
                for action, (points, _) in BidsPlayedOut(view, legal, RULES).results(everything(game)):
                    scored, _ = played_out(apply(game, seat, action)[0])
                    is_same = points == (scored if team_of(seat) == 0 else -scored)
                    same, other = same + is_same, other + (not is_same)
            game, _ = apply(game, seat, STANDARD.decide(view, legal, RULES, rng))
    assert same > 500
    assert other < same / 50


def test_a_hand_all_pass_brings_nothing_where_the_dealer_need_not_call() -> None:
    rules = make_rules("standard", {"all_pass": "redeal"})
    view = bidding("9s Td Kh Qc 9c", upcard="9h", round_two=True, seat=3)
    hands = [
        cards_mask(cards(text)) for text in ("9s Td Kh Qc 9c", "Ts 9d Th Qs Tc", "Ks Qd Jd Qh Kc", "As Ad Ah Ac Js")
    ]
    legal = (PASS, action_of("call s"))
    found = dict(BidsPlayedOut(view, legal, rules).results((1, hands[1], hands[2], hands[3], hands[0], 0)))
    assert found[PASS] == (0, 0)
    assert found[legal[1]] != (0, 0)


def test_compiled_and_uncompiled_play_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = make_rules("standard", {"jokers": 1, "no_trump": "round2", "defend_alone": "any", "target": 99})
    decisions = [
        decision
        for decision in play_hands(EVERY_LEVEL, rules, hands=60, seed=6)
        if decision.view.phase in (Phase.ROUND_ONE, Phase.ROUND_TWO, Phase.PLAY) and len(decision.legal) > 1
    ]

    def answers() -> list[object]:
        return [
            (STANDARD.decide(view, legal, rules, Random(1)), evaluate(view, legal, rules, layouts=5, seed=1))
            for view, legal in ((decision.view, decision.legal) for decision in decisions)
        ]

    compiled = answers()
    playing_as_python, bidding_as_python = uncompiled("playing"), uncompiled("auction")
    monkeypatch.setattr("bots.play.Table", playing_as_python.Table)
    monkeypatch.setattr("bots.playouts.Table", playing_as_python.Table)
    for name in ("Auction", "Turn", "best_five"):
        monkeypatch.setattr(f"bots.playouts.{name}", getattr(bidding_as_python, name))
    assert answers() == compiled
    assert len(decisions) > 400
