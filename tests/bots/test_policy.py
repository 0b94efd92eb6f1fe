"""What holds of every level: legal, deterministic, and from the seat's own view alone."""

from __future__ import annotations

import os
import subprocess
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.policy import LEVELS, Policy, UnknownLevelError
from bots.uniform import Uniform
from engine.cards import make_pack
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.plain import view_from_plain, view_to_plain
from engine.rules import Rules, make_rules
from engine.view import view_for
from tests.bots.scenes import QUICK, RULES, bid_of, bidding, play_hands
from tests.engine.strategies import playable_rules, seeds

UNIFORM = Uniform()
EVERYONE: list[Policy] = [*QUICK.values(), UNIFORM]


@settings(max_examples=100)
@given(rules=playable_rules(), policies=st.tuples(*[st.sampled_from(EVERYONE)] * 4), seed=seeds)
def test_every_decision_is_legal_under_any_rules(
    rules: Rules, policies: tuple[Policy, Policy, Policy, Policy], seed: int
) -> None:
    for decision in play_hands(policies, rules, hands=3, seed=seed):
        assert decision.action in decision.legal


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "overrides",
    [
        {},
        {"low_rank": 7},
        {"sitting_dealer": "skips"},
        {"all_pass": "redeal", "alone": "maker_side", "alone_timing": "before_first_lead", "defend_alone": "any"},
        {"no_trump": "round2", "low_no_trump": True, "low_rank": 8},
        {"defend_alone": "vs_lone", "lone_must_sweep": True},
        {"dealer_partner_round1": "alone_or_pass", "order_requires": "natural_trump", "upcard_discard": False},
        {"tricks_needed": 4, "super_euchre": 4, "win_by": 2},
    ],
    ids=["standard", "32 cards", "screw", "ladder", "no trump", "must sweep", "Canadian", "four tricks"],
)
def test_a_level_plays_whole_games_against_anybody(level: str, overrides: dict[str, object]) -> None:
    rules = make_rules("standard", overrides)
    for seed in range(3):
        policies = (QUICK[level], UNIFORM, QUICK[level], QUICK["easy"])
        for decision in play_hands(policies, rules, hands=12, seed=seed):
            assert decision.action in decision.legal


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_is_asked_by_its_name(level: str) -> None:
    assert LEVELS[level].name == level


def test_an_unknown_level_is_an_error_that_names_the_levels() -> None:
    with pytest.raises(UnknownLevelError, match="easy, standard, hard, expert") as caught:
        bid_of(bidding("Kh Qh 9h Qs 9d", upcard="Th"), "pass, order", level="grandmaster")
    assert caught.value.level == "grandmaster"


@pytest.mark.parametrize("level", LEVELS)
def test_a_decision_is_the_same_over_the_wire(level: str) -> None:
    for decision in play_hands([QUICK[level]] * 4, RULES, hands=2, seed=4):
        there_and_back = view_from_plain(view_to_plain(decision.view))
        views = (decision.view, there_and_back)
        answers = [QUICK[level].decide(view, decision.legal, RULES, Random(9)) for view in views]
        assert answers[0] == answers[1]


@pytest.mark.parametrize("level", LEVELS)
def test_decides_from_its_own_view_alone(level: str) -> None:
    """Deals that differ only in what the seat may not see get the same answers as long as they look the same."""
    rng = Random(5)
    pack = make_pack(9)
    compared = 0
    for _ in range(60):
        deck = rng.sample(pack, len(pack))
        unseen = [*range(5, 20), *range(21, 24)]
        shuffled = list(deck)
        for at, card in zip(unseen, rng.sample([deck[at] for at in unseen], len(unseen)), strict=True):
            shuffled[at] = card
        games = [deal(new_game(RULES), tuple(cards), dealer=3)[0] for cards in (deck, shuffled)]
        seed = rng.getrandbits(32)
        while all(to_act(game) == 0 for game in games) and view_for(games[0], 0) == view_for(games[1], 0):
            views = [(view_for(game, 0), legal_actions(game)) for game in games]
            answers = [QUICK[level].decide(view, legal, RULES, Random(seed)) for view, legal in views]
            assert answers[0] == answers[1]
            compared += 1
            games = [apply(game, 0, answers[0])[0] for game in games]
    assert compared >= 60


def test_easy_varies_with_the_seed_and_standard_does_not() -> None:
    view = bidding("Ah 9h As Qs 9d", upcard="Th", seat=0)
    legal = "pass, order, order alone"
    assert len({bid_of(view, legal, level="easy", seed=seed) for seed in range(40)}) > 1
    assert len({bid_of(view, legal, level="standard", seed=seed) for seed in range(40)}) == 1


def test_decisions_do_not_depend_on_the_interpreters_hash_seed() -> None:
    """Two processes give the same answers, whatever order sets have in them."""
    program = (
        "from tests.bots.scenes import QUICK, RULES, play_hands\n"
        "for level in QUICK.values():\n"
        "    print([str(d.action) for d in play_hands([level] * 4, RULES, hands=4, seed=6)])\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert said[0]
    assert said[0] == said[1]
