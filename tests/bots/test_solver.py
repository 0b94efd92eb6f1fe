"""The search core: it agrees with the engine played out in every way, and compiled with uncompiled."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings

from bots.solver import search
from bots.solver.open_hand import bit_of, mask_of, solver_for, table_masks, tricks_by_play, tricks_led_by, uncompiled
from bots.uniform import Uniform
from engine.actions import PlayCard
from engine.cards import ALL_CARDS, SEATS, SUITS, TRUMPS, Cards, Trump, effective_suit, make_pack, strength, team_of
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.play import Playing
from engine.rules import Rules, make_rules
from engine.scoring import score_hand
from engine.state import AwaitingDeal, Finished, Game
from tests.bots.scenes import play_hands
from tests.engine.strategies import playable_rules, seeds
from tests.engine.table import after

AS_PYTHON = uncompiled()
UNIFORM = Uniform()


# ── the same hand through the engine ─────────────────────────────────────────────────────────────────────────────────


def best_points(game: Game, known: dict[object, int]) -> int:
    """Return the points team 0 gets, less the other's, when every play of the hand is tried through the engine."""
    stage = game.stage
    if isinstance(stage, AwaitingDeal | Finished):
        assert stage.result is not None
        return stage.result.points if stage.result.team == 0 else -stage.result.points
    assert isinstance(stage, Playing)
    key = (stage.hands, stage.leader, stage.won) if not stage.trick else None
    if key is not None and key in known:
        return known[key]
    pick = max if team_of(stage.to_act) == 0 else min
    best = pick(points for _, points in points_by_play(game, known))
    if key is not None:
        known[key] = best
    return best


def points_by_play(game: Game, known: dict[object, int]) -> Iterator[tuple[PlayCard, int]]:
    seat = to_act(game)
    assert seat is not None
    for action in legal_actions(game):
        if isinstance(action, PlayCard):
            yield action, best_points(apply(game, seat, action)[0], known)


def points_of_tricks(game: Game, more_for_mover: int) -> int:
    """Return the same points by the engine's scoring, if the seat to act's side takes *more_for_mover* more tricks."""
    stage = game.stage
    assert isinstance(stage, Playing)
    team, left = team_of(stage.to_act), 5 - len(stage.tricks)
    won = list(stage.won)
    won[team] += more_for_mover
    won[1 - team] += left - more_for_mover
    scored, points, _ = score_hand(
        game.standing.rules, maker=stage.made.maker, alone=stage.made.alone, tricks=(won[0], won[1])
    )
    return points if scored == 0 else -points


def playing_hands(stage: Playing) -> list[Cards]:
    """Return the hands that are played, by seat: empty for those who sit out."""
    return [() if seat in stage.sitting else stage.hands[seat] for seat in SEATS]


def agrees(game: Game) -> None:
    """Check the solver's answer for every play of *game* against the engine's."""
    stage = game.stage
    assert isinstance(stage, Playing)
    trump = stage.made.trump
    leader = (stage.leader, *[seat for at in (1, 2, 3) if (seat := (stage.leader + at) % 4) not in stage.sitting])
    table_so_far = list(zip(leader, stage.trick, strict=False))
    solved = tricks_by_play(stage.to_act, playing_hands(stage), table_so_far, trump)
    by_engine = dict(points_by_play(game, {}))
    assert {action.card: points for action, points in by_engine.items()} == {
        card: points_of_tricks(game, tricks) for card, tricks in solved.items()
    }
    if not stage.trick:
        assert tricks_led_by(stage.to_act, playing_hands(stage), trump) == max(solved.values())


def test_agrees_with_every_play_through_the_engine_in_thousands_of_endings() -> None:
    """The last one or two tricks of random hands under many rules, from every place in the trick."""
    rng = Random(7)
    checked = 0
    while checked < 2000:
        rules = rng.choice(TABLES)
        for decision in play_hands([UNIFORM] * 4, rules, hands=4, seed=rng.getrandbits(32)):
            stage = decision.game.stage
            if isinstance(stage, Playing) and len(stage.tricks) >= 3:
                agrees(decision.game)
                checked += 1


OPTIONS: list[dict[str, object]] = [
    {},
    {"low_rank": 7, "super_euchre": 4},
    {"jokers": 1, "no_trump": "round2", "low_no_trump": True, "low_rank": 8},
    {"no_trump": "round2", "low_no_trump": True, "lone_must_sweep": True},
    {"alone": "maker_side", "alone_timing": "before_first_lead", "defend_alone": "any", "all_pass": "redeal"},
    {"defend_alone": "vs_lone", "partner_exchange": "call_for_best", "jokers": 1, "tricks_needed": 4},
    {"sitting_dealer": "skips", "loner_lead": "left_of_loner"},
]
TABLES = [make_rules("standard", options) for options in OPTIONS]


@settings(max_examples=30, deadline=None)
@given(rules=playable_rules(), seed=seeds)
def test_agrees_with_the_engine_three_tricks_before_the_end_under_any_rules(rules: Rules, seed: int) -> None:
    for decision in play_hands([UNIFORM] * 4, rules, hands=2, seed=seed):
        stage = decision.game.stage
        if isinstance(stage, Playing) and len(stage.tricks) == 2 and not stage.trick:
            agrees(decision.game)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("calls", "played"),
    [(("pass", "order", "discard"), 4), (("pass",) * 4 + ("call n",), 4), (("order alone", "discard"), 0)],
)
def test_agrees_with_the_engine_over_long_endings(calls: tuple[str, ...], played: int) -> None:
    """A whole hand of three who play; of four, all tricks after the first."""
    rng = Random(str(calls))
    pack = make_pack(9)
    game, _ = deal(new_game(make_rules("standard", {"no_trump": "round2"})), tuple(rng.sample(pack, 24)), dealer=3)
    for call in calls:
        legal = legal_actions(game)
        action = next(str(action) for action in legal if str(action).startswith(call))
        game = after(game, action)
    for _ in range(played):
        game = after(game, str(legal_actions(game)[0]))
    assert isinstance(game.stage, Playing)
    agrees(game)


# ── compiled and not ─────────────────────────────────────────────────────────────────────────────────────────────────


def random_positions(count: int, seed: int) -> Iterator[tuple[Trump, list[Cards], list[int], int, int]]:
    """Yield trump, hands from the seat to act on, the table's masks, tricks to come, and the seat."""
    rng = Random(seed)
    pack = make_pack(7, 1)
    for _ in range(count):
        trump, tricks, played = rng.choice(TRUMPS), rng.randint(1, 5), rng.randint(0, 3)
        dealt = rng.sample(pack, 4 * tricks)
        hands = [tuple(dealt[at::4]) for at in range(4)]
        sitting = rng.choice(((), (), (0,), (1,), (0, 1), (2, 3)))
        at_table = []
        for place in range(played):
            seat = (4 - played + place) % 4
            if seat in sitting and place > 0:
                at_table.append(0)
            else:
                at_table.append(bit_of(trump)[hands[seat][0]])
                hands[seat] = hands[seat][1:]
        for seat in sitting:
            if seat != 0 and (seat != 4 - played or not played):
                hands[seat] = ()
        yield trump, hands, at_table, tricks, rng.randrange(4)


def test_compiled_and_uncompiled_give_the_same_answers_in_thousands_of_positions() -> None:
    for trump, hands, at_table, tricks, seat in random_positions(2000, seed=3):
        a, b, c, d = (mask_of(hand, trump) for hand in hands)
        solvers = [module.Solver(has_trump=trump in SUITS) for module in (search, AS_PYTHON)]
        answers = [solver.plays(a, b, c, d, tricks, seat, at_table) for solver in solvers]
        assert answers[0] == answers[1]


def test_a_solver_that_has_solved_a_deal_gives_the_same_answers_again() -> None:
    """Its table serves later positions of the same hands."""
    for trump, hands, _, tricks, seat in random_positions(60, seed=4):
        if len(hands[0]) < tricks:
            continue
        a, b, c, d = (mask_of(hand, trump) for hand in hands)
        solver = solver_for(trump)
        first = solver.tricks(a, b, c, d, tricks, seat)
        assert max(value for _, value in solver.plays(a, b, c, d, tricks, seat, [])) == first
        assert solver.tricks(a, b, c, d, tricks, seat) == first


# ── the masks ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("trump", TRUMPS)
def test_bits_are_in_the_order_of_the_cards(trump: Trump) -> None:
    bits = bit_of(trump)
    assert len(set(bits.values())) == len(ALL_CARDS)
    for card in ALL_CARDS:
        for other in ALL_CARDS:
            if effective_suit(card, trump) == effective_suit(other, trump):
                assert (bits[card] > bits[other]) == (strength(card, trump) > strength(other, trump))


def test_a_seat_that_sits_out_leaves_a_gap_on_the_table() -> None:
    bits = bit_of("h")
    trick = [(1, ALL_CARDS[0]), (3, ALL_CARDS[1])]
    assert table_masks(0, trick, "h") == [bits[ALL_CARDS[0]], 0, bits[ALL_CARDS[1]]]
    assert table_masks(1, [], "h") == []
