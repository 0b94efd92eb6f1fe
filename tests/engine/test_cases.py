"""Every case of cases/rules.json, by its id, through the engine's public functions.

A group has one runner.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from engine.cards import (
    ALL_CARDS,
    SAME_COLOUR,
    Card,
    Trump,
    effective_suit,
    legal_cards,
    make_pack,
    team_of,
    trick_winner,
)
from engine.claims import wins_every_trick
from engine.events import CardPlayed, CardsSwapped, GameOver, OrderedUp
from engine.game import deal, legal_actions, phase_of, to_act
from engine.play import Playing
from engine.relief import is_relieved
from engine.rules import ReliefHand, make_rules
from engine.scoring import score_hand, winner_of
from engine.state import AwaitingDeal, Game, Phase
from engine.view import view_for
from tests.engine.table import (
    PASSES,
    after,
    every_refusal,
    hands_of,
    happened,
    legal,
    made_of,
    played_out,
    refusal,
    rules_for,
    scored_hand,
    settle,
    shuffled_table,
    stacked_deck,
    standing_at,
    table,
)

Values = dict[str, Any]
CASES: Final[dict[str, Values]] = {
    case["id"]: case for case in json.loads((Path(__file__).parent / "cases" / "rules.json").read_text())
}


# ── one runner a group ───────────────────────────────────────────────────────────────────────────────────────────────


def follow(given: Values, expect: Values) -> None:
    """Every card that leads the suit leaves the same choice."""
    trump: Trump = given["trump"]
    hand = tuple(map(Card, given["hand"]))
    for led in _cards_that_lead(given, trump, hand):
        assert list(legal_cards(hand, led, trump)) == expect["legal"], led


def _cards_that_lead(given: Values, trump: Trump, hand: tuple[Card, ...]) -> list[Card | None]:
    if "led" in given:
        return [Card(given["led"])]
    if given["led_suit"] is None:
        return [None]
    leads = [card for card in ALL_CARDS if effective_suit(card, trump) == given["led_suit"] and card not in hand]
    assert leads
    return [*leads]


def trick(given: Values, expect: Values) -> None:
    seats = [seat for seat, _ in given["plays"]]
    played = [Card(card) for _, card in given["plays"]]
    trump: Trump = given["trump"]
    assert effective_suit(played[0], trump) == expect["led_suit"]
    assert seats[trick_winner(played, trump)] == expect["winner"]


def deck(given: Values, expect: Values) -> None:
    if "plays" in given:
        trick(given, expect)
    elif "decks" in given:
        packs = {"24": (9, 0), "24+1 joker": (9, 1), "28": (8, 0), "32": (7, 0)}
        for at, name in enumerate(given["decks"]):
            pack = make_pack(*packs[name])
            suits = [effective_suit(card, "h") for card in pack]
            assert suits.count("h") == expect["trumps"][at]
            assert suits.count(SAME_COLOUR["h"]) == expect["same_colour_suit"][at]
            assert [suits.count("s"), suits.count("c")] == [expect["other_suits"][at]] * 2
            assert len(pack) - 20 == expect["undealt_after_20"][at]
    else:
        low = [card for card in make_pack(9) if card[0] in "9T"]
        assert (len(low) >= 10) == expect["possible"]
        assert expect["reason"] == f"{len(low)} such cards, 10 needed"


def benny(given: Values, expect: Values) -> None:
    if "upcard" in given:
        _benny_turned(given, expect)
    else:
        (trick if "plays" in given else follow)(given, expect)


def _benny_turned(given: Values, expect: Values) -> None:
    options = {name: given[name] for name in ("benny_turned", "all_pass") if name in given}
    game = table(upcard=given["upcard"], jokers=1, **options)
    if "round1_suit" in expect:
        game, events = happened(game, "order")
        assert isinstance(events[0], OrderedUp)
        assert events[0].trump == expect["round1_suit"]
        return
    assert to_act(game) == 0
    assert ("pass" in legal(game)) == expect.get("pass_legal", False)
    named = after(game, "call h alone" if expect.get("alone_legal") else "call h")
    assert (named.stage.phase is Phase.DISCARD) == expect.get("discard_phase", True)
    assert (Phase.ROUND_TWO in {game.stage.phase, named.stage.phase}) == expect.get("stick_reached", False)


def bid(given: Values, expect: Values) -> None:
    options = {name: given[name] for name in ("all_pass", "dealer_partner_round1", "order_requires") if name in given}
    turned = given.get("upcard", f"9{given.get('turned_down', 'h')}")
    hands = {given["turn"]: " ".join(given["hand"])} if "hand" in given else {}
    dealt = table(dealer=given.get("dealer", 0), upcard=turned, hands=hands, **options)
    for game in _at_each_turn(dealt, given):
        seat = to_act(game)
        assert seat is not None
        texts = legal(game)
        bids = {text: text.removeprefix("call ") if "alone" not in text else text for text in texts}
        if "actions" in expect:
            assert sorted(bids.values()) == sorted(expect["actions"])
        assert set(expect.get("actions_include", ())) <= set(bids.values())
        if "rejected" in expect:
            rejected = expect["rejected"]
            assert refusal(game, seat, rejected if rejected == "order" else f"call {rejected}")
        if "pass_error" in expect:
            assert refusal(game, seat, "pass") == expect["pass_error"]
        if "pass_legal" in expect:
            assert ("pass" in texts) == expect["pass_legal"]
        for name in ("order_legal", "order_with_partner_legal"):
            if name in expect:
                assert ("order" in texts) == expect[name]


def _at_each_turn(game: Game, given: Values) -> list[Game]:
    """Return the game at each turn the case speaks of."""
    if "passes" in given:
        return [after(game, *["pass"] * given["passes"])]
    in_round_two = given.get("round", 2 if "turned_down" in given else 1) == 2
    game = after(game, *PASSES) if in_round_two else game
    found = []
    for seat in given.get("turns", [given.get("turn")]):
        while to_act(game) != seat:
            game = after(game, "pass")
        found.append(game)
    return found


def redeal(given: Values, expect: Values) -> None:
    rules = make_rules("standard", {"all_pass": given["all_pass"]})
    start = tuple(given["score"])
    game, dealers = standing_at(rules, score=start), [given["dealer"]]
    for _ in range(given.get("throw_ins", 1)):
        game = deal(game, stacked_deck(rules), dealer=dealers[-1])[0]
        game = after(game, *PASSES, *PASSES)
        assert isinstance(game.stage, AwaitingDeal)
        assert game.stage.dealer is not None
        dealers.append(game.stage.dealer)
    delta = expect.get("delta", [0, 0])
    assert list(game.standing.score) == [start[0] + delta[0], start[1] + delta[1]]
    assert list(game.standing.score) == expect.get("score", given["score"])
    assert dealers == expect.get("dealers", [given["dealer"], expect.get("next_dealer")])
    assert game.standing.hands_scored == 0 == int(expect.get("hand_counted", False))


def pickup(given: Values, expect: Values) -> None:
    dealer, maker = given["dealer"], given.get("maker", 1)
    options = {name: given[name] for name in ("upcard_discard", "sitting_dealer") if name in given}
    game = table(dealer=dealer, upcard=given.get("upcard", "9h"), **options)
    alone = maker in given.get("alone_seats", ())
    if given.get("round", 1) == 2:
        while to_act(game) != maker or phase_of(game) is not Phase.ROUND_TWO:
            game = after(game, "pass")
        game = after(game, "call s")
    else:
        while to_act(game) != maker:
            game = after(game, "pass")
        game = after(game, "order alone" if alone else "order")
    discarding = phase_of(game) is Phase.DISCARD
    assert discarding == expect.get("discard_phase", True)
    assert made_of(game).trump == expect.get("trump", made_of(game).trump)
    if "choices" in expect:
        assert len(legal(game)) == expect["choices"]
    if "discard_9h_legal" in expect:
        assert ("discard 9h" in legal(game)) == expect["discard_9h_legal"]
    if "dealer_cards" in expect:
        assert len(hands_of(game)[dealer]) == expect["dealer_cards"]
    playing = after(game, legal(game)[0]) if discarding else game
    assert isinstance(playing.stage, Playing)
    if "leader" in expect:
        assert playing.stage.leader == expect["leader"]
    if "upcard_in_play" in expect:
        active = [hand for seat, hand in enumerate(playing.stage.hands) if seat not in playing.stage.sitting]
        assert any("9h" in hand for hand in active) == expect["upcard_in_play"]


def lead(given: Values, expect: Values) -> None:
    rules = rules_for(given["maker"], given["alone_seats"], loner_lead=given["loner_lead"])
    for seed in range(10):
        game = settle(
            shuffled_table(seed, rules, dealer=given["dealer"]), maker=given["maker"], alone=given["alone_seats"]
        )
        assert isinstance(game.stage, Playing)
        assert sorted(game.stage.sitting) == expect["sitting"]
        assert to_act(game) == game.stage.leader == expect["leader"]
        order = []
        while not (isinstance(game.stage, Playing) and game.stage.tricks):
            seat = to_act(game)
            assert seat is not None
            order.append(seat)
            game = after(game, legal(game)[0])
        assert order == expect["trick1_order"]
        assert len(order) == expect["cards_per_trick"]


def alone(given: Values, expect: Values) -> None:
    if given.get("claim") == "alone":
        rules = make_rules("ladder")
        game = settle(shuffled_table(1, rules), maker=1)
        game = after(game, *[legal(game)[0]] * given["cards_played"])
        seat = to_act(game)
        assert seat is not None
        assert refusal(game, seat, "alone") == expect["error"]
    elif "claim" in given:
        game = settle(
            shuffled_table(1, make_rules("ladder")), maker=given["alone_seats"][0], alone=given["alone_seats"]
        )
        assert refusal(game, given["claim"], "alone") == expect["error"]
    elif "seat" in given:
        sitting, maker = given["seat"], given["alone_seats"][0]
        rules = rules_for(maker, given["alone_seats"], defend_alone="vs_lone")
        game = after(shuffled_table(1, rules), "order alone")
        phases = set()
        while phase_of(game) is not Phase.DEAL:
            phases.add(phase_of(game))
            assert to_act(game) != sitting
            assert set(every_refusal(game, sitting)) == {expect["error"]}
            game = after(game, legal(game)[-1])
        assert phases == {Phase.DISCARD, Phase.DEFEND, Phase.PLAY}
        assert expect["actions"] == []
    else:
        rules = rules_for(given["alone_seats"][0], given["alone_seats"])
        game = settle(shuffled_table(1, rules), maker=given["alone_seats"][0], alone=given["alone_seats"])
        _, events = played_out(game, Random(1))
        assert sum(isinstance(event, CardPlayed) for event in events) == expect["cards_played"]


def defend(given: Values, expect: Values) -> None:
    option = given.get("defend_alone", "vs_lone")
    maker, lone = given.get("maker", 1), given["alone_seats"]
    game = shuffled_table(1, make_rules("standard", {"defend_alone": option}), dealer=given.get("dealer", 0))
    phases, poll = [], []
    while True:
        phase, seat = phase_of(game), to_act(game)
        assert seat is not None
        if phase not in phases:
            phases.append(phase)
        match phase:
            case Phase.ROUND_ONE if seat == maker:
                text = "order alone" if maker in lone else "order"
            case Phase.ROUND_ONE:
                text = "pass"
            case Phase.DISCARD:
                text = legal(game)[0]
            case Phase.DEFEND:
                poll.append(seat)
                text = "defend together"
            case _:
                break
        game = after(game, text)
    names = ["defend_window" if phase is Phase.DEFEND else str(phase) for phase in phases]
    assert ("defend_window" in names) == expect.get("window", True)
    assert poll == expect.get("poll", poll)
    assert names == expect.get("phases", names)


def score(given: Values, expect: Values) -> None:
    """The scoring function, and a hand played out to that many tricks, agree with the case."""
    maker, lone, taken = given["maker"], given.get("alone_seats", []), given["maker_team_tricks"]
    options: Values = {
        name: given[name]
        for name in ("lone_euchred", "super_euchre", "tricks_needed", "lone_must_sweep")
        if name in given
    }
    if "trump" in given:
        options["no_trump"] = "round2"
    rules = rules_for(maker, lone, **options)
    tricks = (5 - taken, taken) if team_of(maker) else (taken, 5 - taken)
    team, points, _ = score_hand(rules, maker=maker, alone=tuple(lone), tricks=tricks)
    _, scored = scored_hand(rules, maker=maker, alone=lone, maker_team_tricks=taken, trump=given.get("trump", ""))
    for got, by in ((points, team), (scored.points, scored.team)):
        assert [got if side == by else 0 for side in (0, 1)] == expect["delta"]
    assert list(scored.score) == expect["delta"]


def end(given: Values, expect: Values) -> None:
    if "throw_in" in given:
        _end_by_throw_in(given, expect)
    elif "maker_tricks_so_far" in given:
        _end_before_the_fifth_trick(given, expect)
    elif "hands_played" in given:
        _end_of_fixed_hands(given, expect)
    elif "maker" in given:
        _end_by_euchre(given, expect)
    elif "delta" in given:
        _end_by_points(given, expect)
    else:
        _end_at_nine_all(given, expect)


def _end_by_throw_in(given: Values, expect: Values) -> None:
    game = after(table(score=tuple(given["score"]), all_pass="redeal"), *PASSES, *PASSES)
    view = view_for(game, 0)
    assert list(view.score) == expect["score"]
    assert view.winner is expect["winner"]
    assert not view.over


def _end_before_the_fifth_trick(given: Values, expect: Values) -> None:
    rules = make_rules()
    for seed in range(1_000):
        game = settle(shuffled_table(seed, rules, score=tuple(given["score"])), maker=1)
        while isinstance(game.stage, Playing) and len(game.stage.tricks) < given["tricks_played"]:
            game = after(game, legal(game)[0])
        assert isinstance(game.stage, Playing)
        if game.stage.won[given["maker_team"]] == given["maker_tricks_so_far"]:
            assert (legal_actions(game) != ()) == expect["play_continues"]
            done, events = played_out(game, Random(seed))
            assert sum(isinstance(event, CardPlayed) for event in events) == 8
            assert phase_of(done) is Phase.OVER
            return
    raise AssertionError("no such hand found")


def _end_of_fixed_hands(given: Values, expect: Values) -> None:
    rules = make_rules("standard", {"target": None, "hands": given["hands"]})
    over, winner = winner_of(rules, tuple(given["score"]), given["hands_played"])
    assert (over, winner is None) == (expect["over"], expect["tie"])


def _end_by_euchre(given: Values, expect: Values) -> None:
    done, scored = scored_hand(
        make_rules("standard", {"target": given["target"]}),
        maker=given["maker"],
        alone=(),
        maker_team_tricks=given["maker_team_tricks"],
        score=tuple(given["score"]),
    )
    assert list(scored.score) == expect["score"]
    assert phase_of(done) is Phase.OVER
    assert view_for(done, 0).winner == expect["winner"]


def _end_by_points(given: Values, expect: Values) -> None:
    rules, start = make_rules("standard", {"target": given["target"]}), tuple(given["score"])
    tricks, lone = (3, ()) if given["delta"] == [1, 0] else (5, (0,))
    done, scored = scored_hand(rules, maker=0, alone=lone, maker_team_tricks=tricks, score=start)
    assert [scored.points, 0] == given["delta"]
    assert list(done.standing.score) == expect["score"]
    assert view_for(done, 3).winner == expect["winner"]


def _end_at_nine_all(given: Values, expect: Values) -> None:
    rules, start = make_rules("standard", {"target": given["target"]}), tuple(given["score"])
    for seed in range(50):
        _, events = played_out(settle(shuffled_table(seed, rules, score=start), maker=seed % 4), Random(seed))
        over = next(event for event in events if isinstance(event, GameOver))
        assert (over.winner is None) == expect["tie_possible"]
        assert min(over.score) == min(start)


def revoke(given: Values, expect: Values) -> None:
    """The hand of the case follows a lead of the suit; what breaks the rule leaves the game as it was."""
    upcard = f"9{given['trump']}"
    lead_card = f"A{given['led']}"
    hands = {1: f"{lead_card} Ks Qs Ts 9s", 2: " ".join(given["hand"]) + " Ac Kc Qc"}
    game = after(table(hands=hands, upcard=upcard, dealer=0), "order", f"discard {upcard}", f"play {lead_card}")
    before = repr(game)
    assert refusal(game, 2, f"play {given['attempt']}") == expect["error"]
    assert repr(game) == before
    assert (to_act(game) == 2) == expect["turn_unchanged"]
    assert legal(game) == [f"play {card}" for card in expect["legal"]]


def relief(given: Values, expect: Values) -> None:
    """The hand of the case comes to seat 3 in round one; the dealer deals again where it gets a new deal."""
    if "kitty" in given:
        _going_under(given, expect)
        return
    cards_of_case = tuple(map(Card, given["hand"]))
    kinds = {"no_ace_no_face": "no_ace_no_face", "all_nines_tens": "nines_tens"}
    for name, kind in kinds.items():
        if name in expect:
            assert is_relieved(cards_of_case, ReliefHand(kind)) == expect[name]
    if "qualifies" not in expect:
        return
    kind, jokers, dealer = given.get("relief_hand", "nines_tens"), int("Bj" in given["hand"]), given.get("dealer", 2)
    hands = {(dealer + 1) % 4: " ".join(given["hand"])}
    game = table(hands=hands, dealer=dealer, relief="redeal", relief_hand=kind, jokers=jokers)
    assert ("relief" in legal(game)) == expect["qualifies"]
    if "next_dealer" in expect:
        game = after(game, "relief")
        assert isinstance(game.stage, AwaitingDeal)
        assert game.stage.dealer == expect["next_dealer"]
        assert (game.standing.hands_scored == 1) == expect["counts_as_hand"]


def _going_under(given: Values, expect: Values) -> None:
    rules = make_rules("standard", {"relief": "swap3"})
    hands = {1: "9s Ts 9h 9d Td"}
    deck_of_case = stacked_deck(rules, hands=hands, upcard=given["upcard"], buried=" ".join(given["kitty"][1:]))
    game, events = happened(deal(standing_at(rules), deck_of_case, dealer=0)[0], "relief 9s Ts 9h")
    (swap,) = [event for event in events if isinstance(event, CardsSwapped)]
    assert list(swap.taken) == expect["received"]
    assert to_act(game) == 1


def exchange(given: Values, expect: Values) -> None:
    """Whether the card turned up can come to a lone maker through the partner who deals."""
    options = {"partner_exchange": "call_for_best", "sitting_dealer": given["sitting_dealer"]}
    game = after(table(dealer=given["dealer"], upcard=given["upcard"], **options), "pass", "order alone")
    if game.stage.phase is Phase.DISCARD:
        game = after(game, next(text for text in legal(game) if not text.endswith(given["upcard"])))
    game = after(game, legal(game)[0])
    assert (f"give {given['upcard']}" in legal(game)) == expect["Jh_can_reach_maker"]


def claim(given: Values, expect: Values) -> None:
    """On lead, with the cards that are still out anywhere: the claim is offered if it is certain."""
    out = frozenset(map(Card, given["outstanding"]))
    assert wins_every_trick(tuple(map(Card, given["hand"])), {1: out, 3: out}, given["trump"]) == expect["claim"]


RUNNERS: Final[dict[str, Callable[[Values, Values], None]]] = {
    "follow": follow,
    "trick": trick,
    "benny": benny,
    "deck": deck,
    "bid": bid,
    "redeal": redeal,
    "pickup": pickup,
    "lead": lead,
    "alone": alone,
    "defend": defend,
    "score": score,
    "end": end,
    "relief": relief,
    "exchange": exchange,
    "claim": claim,
    "revoke": revoke,
}


@pytest.mark.parametrize("case_id", CASES)
def test_case(case_id: str) -> None:
    case = CASES[case_id]
    RUNNERS[case["group"]](case["given"], case["expect"])
