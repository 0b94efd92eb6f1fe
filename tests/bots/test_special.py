"""How bots decide at tables with relief, call for best, a Benny and claims."""

from __future__ import annotations

from random import Random

import pytest

from bots.policy import LEVELS, Policy
from engine.game import legal_actions, to_act
from engine.state import Game
from engine.view import view_for
from tests.engine.table import PASSES, after, table

levels = pytest.mark.parametrize("policy", LEVELS.values(), ids=LEVELS)


def chosen(policy: Policy, game: Game) -> str:
    seat = to_act(game)
    assert seat is not None
    return str(policy.decide(view_for(game, seat), legal_actions(game), game.standing.rules, Random(1)))


@levels
def test_asks_for_a_new_deal_with_a_hand_of_nines_and_tens(policy: Policy) -> None:
    assert chosen(policy, table(hands={1: "9s Ts 9h 9d Td"}, upcard="Qc", relief="redeal")) == "relief"


@levels
def test_keeps_its_trumps_when_it_swaps_three_cards(policy: Policy) -> None:
    game = table(hands={1: "9s Ts 9h 9d Td"}, upcard="Qs", relief="swap3")
    assert chosen(policy, game) == "relief 9h 9d Td"


@levels
def test_a_lone_maker_parts_with_the_loser_and_gets_the_best_trump(policy: Policy) -> None:
    hands = {1: "Js Jc Ks Ah 9d", 3: "As 9h Th Qh Kh"}
    game = after(table(hands=hands, upcard="9c", partner_exchange="call_for_best"), *PASSES, "call s alone")
    assert chosen(policy, game) == "give 9d"
    assert chosen(policy, after(game, "give 9d")) == "give As"


@pytest.mark.parametrize(
    ("hand", "asks"), [("As Ah 9h 9d Td", False), ("As 9s 9h 9d Td", True)], ids=["two aces", "one ace"]
)
@levels
def test_keeps_two_aces_though_it_might_ask_for_a_new_deal(policy: Policy, hand: str, *, asks: bool) -> None:
    game = table(hands={1: hand}, upcard="Qc", relief="redeal", relief_hand="ace_no_face")
    assert (chosen(policy, game) == "relief") == asks


@levels
def test_a_lone_maker_parts_with_a_king_that_stands_alone_rather_than_spoil_a_suit(policy: Policy) -> None:
    hands = {1: "Js Jc Kh Kd 9d", 3: "Ts Ad Th Qh 9h"}
    game = after(table(hands=hands, upcard="9c", partner_exchange="call_for_best"), *PASSES, "call s alone")
    assert chosen(policy, game) == "give Kh"


@pytest.mark.parametrize(
    ("partner", "call", "gift"),
    [
        ("Ts As Ad Th Qh", "call s alone", "As"),
        ("Ts Ad Th Qh 9h", "call s alone", "Ad"),
        ("9s Ts Th Qh Kd", "call s alone", "Ts"),
        ("Qc Qd Th Qh Kd", "call s alone", "Kd"),
        ("Bj As Ah Qh Qd", "call s alone", "Bj"),
        ("9s Qs Ac Th Kc", "call n alone", "Ac"),
        ("9s Ts Ac Th Kc", "call l alone", "9s"),
    ],
)
@levels
def test_a_lone_makers_partner_gives_a_high_trump_else_the_top_of_a_suit_else_any_trump(
    policy: Policy, partner: str, call: str, gift: str
) -> None:
    hands = {1: "Js Jc Ks Kh 9d", 3: partner}
    dealt = table(
        hands=hands, upcard="9c", partner_exchange="call_for_best", no_trump="round2", low_no_trump=True, jokers=1
    )
    game = after(dealt, *PASSES, call)
    assert chosen(policy, after(game, chosen(policy, game))) == f"give {gift}"


@pytest.mark.parametrize(
    ("hand", "score", "name"),
    [
        ("Jh Jd Ah Kh Qh", (0, 0), "call h alone"),
        ("Jh Jd Ah Kh Qh", (9, 0), "call h"),
        ("Jh Jd Ah Kh Qh", (0, 9), "call h alone"),
        ("9h Th 9s Kd Qc", (0, 0), "call h"),
    ],
    ids=["strong", "a point wins", "they are ahead", "weak"],
)
@levels
def test_takes_a_benny_alone_with_a_hand_that_wins_where_it_helps(
    policy: Policy, hand: str, score: tuple[int, int], name: str
) -> None:
    assert chosen(policy, table(hands={0: hand}, upcard="Bj", jokers=1, score=score)) == name


@levels
def test_names_its_long_suit_for_a_benny(policy: Policy) -> None:
    game = table(hands={0: "Jh Ah Kh Qh 9s"}, upcard="Bj", jokers=1)
    assert chosen(policy, game).startswith("call h")


@levels
def test_names_something_blind(policy: Policy) -> None:
    game = table(upcard="Bj", preset="british")
    assert chosen(policy, game).startswith("call")


@levels
def test_claims_what_is_certain(policy: Policy) -> None:
    game = after(table(hands={1: "Jh Jd Ah Kh Qh"}, upcard="Th", claim="validated"), "order", "discard Th")
    assert chosen(policy, game) == "claim"
