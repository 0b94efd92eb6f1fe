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
