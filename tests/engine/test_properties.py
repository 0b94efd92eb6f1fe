"""What holds at every step of every random game, under random rules."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings

from engine.bidding import RoundOne
from engine.cards import SEATS, Card, make_pack, team_of
from engine.events import HandScored, HandThrownIn, ReliefAsked, RestClaimed
from engine.game import new_game
from engine.play import Playing
from engine.rules import RedealDealer, Rules
from engine.state import AwaitingDeal, Finished, Game, UpcardFate
from engine.view import WATCHER, View, Viewer, advance, redact_all, view_for
from tests.engine.strategies import Deal, follow, playable_rules, random_game, seeds
from tests.engine.table import hands_of, made_of

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

VIEWERS: tuple[Viewer, ...] = (*SEATS, WATCHER)
# Five tricks of four, eight bids, relief of four, a discard, two answers of each side, two cards given.
MOST_ACTIONS_OF_A_HAND = 20 + 8 + 4 + 1 + 2 + 2 + 2


# ── cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def places_of_cards(game: Game) -> list[Card]:
    """Return every card of a running hand that is not buried, as often as it is somewhere."""
    stage = game.stage
    dealt = getattr(stage, "dealt", None) or made_of(game).dealt
    found = [card for hand in hands_of(game) for card in hand]
    if hasattr(stage, "made"):
        made = made_of(game)
        found += [made.discard] if made.discard else []
        found += [] if made.upcard_fate is UpcardFate.TAKEN else [dealt.upcard]
    else:
        found.append(dealt.upcard)
    if isinstance(stage, Playing):
        found += [card for trick in stage.tricks for card in trick.cards] + list(stage.trick)
    return found


@given(playable_rules(), seeds)
@settings(max_examples=100)
def test_every_card_is_in_exactly_one_place_at_every_step(rules: Rules, seed: int) -> None:
    """Twenty cards in hands, or where they went from there, and the upcard; the others lie buried."""
    pack = sorted(make_pack(rules.low_rank, rules.jokers))
    for step in random_game(rules, seed, hands=3):
        if not isinstance(step.after.stage, AwaitingDeal | Finished):
            found = places_of_cards(step.after)
            assert len(found) == len({*found}) == 21
            assert {*found} <= {*pack}
            if isinstance(step.after.stage, RoundOne):
                assert sorted([*found, *step.after.stage.buried]) == pack


# ── how long a hand may last ─────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_a_hand_ends_within_a_known_number_of_actions(rules: Rules, seed: int) -> None:
    actions = 0
    for step in random_game(rules, seed):
        actions = 0 if isinstance(step.entry, Deal) else actions + 1
        assert actions <= MOST_ACTIONS_OF_A_HAND


# ── the log ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_a_game_is_the_fold_of_its_log(rules: Rules, seed: int) -> None:
    """Replaying deals and actions gives the same states, event for event."""
    steps = list(random_game(rules, seed))
    game = new_game(rules)
    for step in steps:
        assert game == step.before
        game, events = follow(game, step.entry)
        assert (game, events) == (step.after, step.events)


# ── what a hand may score ────────────────────────────────────────────────────────────────────────────────────────────


def points_of_section_7(rules: Rules, *, taken: int, lone_maker: bool, lone_defender: bool) -> tuple[bool, int]:
    """Say RULES.md §7 in other words: whether the makers score, and how much."""
    mark = 5 if lone_maker and rules.lone_must_sweep else rules.tricks_needed
    if taken >= mark:
        return True, (1 if taken < 5 else rules.lone_march if lone_maker else 2)
    return False, max(
        rules.lone_euchred if lone_maker else 2,
        rules.super_euchre if taken == 0 else 0,
        rules.lone_defender if lone_defender and taken <= 2 else 0,
    )


@given(playable_rules(), seeds)
@settings(max_examples=150)
def test_points_come_only_as_section_7_allows(rules: Rules, seed: int) -> None:
    """One team scores, only when a hand is over, what its tricks are worth (R-SCORE-1 to R-SCORE-6, R-GAME-3)."""
    scored_before = 0
    for step in random_game(rules, seed, hands=20):
        old, new = step.before.standing, step.after.standing
        scored = [event for event in step.events if isinstance(event, HandScored)]
        if not scored:
            assert new.score == old.score
            assert new.hands_scored == old.hands_scored
            continue
        (result,) = scored
        last = step.after.stage
        assert isinstance(last, AwaitingDeal | Finished)
        assert isinstance(last.last, Playing)
        made, makers = last.last.made, team_of(last.last.made.maker)
        won = Counter(team_of(trick.winner) for trick in last.last.tricks)
        won.update({team_of(event.seat): event.tricks for event in step.events if isinstance(event, RestClaimed)})
        assert result.tricks == (won[0], won[1])
        assert sum(result.tricks) == 5
        makers_score, points = points_of_section_7(
            rules,
            taken=won[makers],
            lone_maker=any(team_of(seat) == makers for seat in made.alone),
            lone_defender=any(team_of(seat) != makers for seat in made.alone),
        )
        assert (result.team, result.points) == (makers if makers_score else 1 - makers, points)
        gains = [points if team == result.team else 0 for team in (0, 1)]
        assert new.score == (old.score[0] + gains[0], old.score[1] + gains[1]) == result.score
        scored_before += 1
        assert new.hands_scored == scored_before


@given(playable_rules(), seeds)
@settings(max_examples=100)
def test_the_game_ends_exactly_when_section_9_says(rules: Rules, seed: int) -> None:
    """R-GAME-1, R-GAME-2: never before, never a hand later, and the leader wins."""
    for step in random_game(rules, seed, hands=40):
        standing, stage = step.after.standing, step.after.stage
        ours, theirs = standing.score
        if rules.hands is not None:
            over = standing.hands_scored == rules.hands
        else:
            assert rules.target is not None
            over = max(ours, theirs) >= rules.target and abs(ours - theirs) >= rules.win_by
        assert over == isinstance(stage, Finished)
        if isinstance(stage, Finished):
            assert stage.winner == (None if ours == theirs else 0 if ours > theirs else 1)


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_the_deal_moves_left_after_a_hand_and_as_the_rules_say_after_a_throw_in(rules: Rules, seed: int) -> None:
    """R-DEAL-2, R-DEAL-3: also over chains of throw-ins, which count as deals and never as hands.

    A hand that got relief is dealt again by the same dealer (R-RELIEF-1).
    """
    dealer: int | None = None
    deals = 0
    for step in random_game(rules, seed, hands=30):
        if isinstance(step.entry, Deal):
            dealer = step.entry.dealer
            deals += 1
            assert step.after.standing.hands_dealt == deals
        if isinstance(step.after.stage, AwaitingDeal):
            assert dealer is not None
            thrown_in = any(isinstance(event, HandThrownIn) for event in step.events)
            relieved = any(isinstance(event, ReliefAsked) for event in step.events)
            same = relieved or (thrown_in and rules.redeal_dealer is RedealDealer.SAME)
            assert step.after.stage.dealer == (dealer if same else (dealer + 1) % 4)


# ── views ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_a_client_that_folds_its_events_has_the_view_of_the_state(rules: Rules, seed: int) -> None:
    """`advance` over redacted events equals `view_for`, but for the phase and turn, which the prompt tells."""
    views = {viewer: view_for(new_game(rules), viewer) for viewer in VIEWERS}
    for step in random_game(rules, seed, hands=4):
        for viewer in VIEWERS:
            for event in redact_all(step.events, viewer, rules):
                views[viewer] = advance(views[viewer], event)
            assert views[viewer].phase is None
            assert views[viewer].to_act is None
            assert views[viewer] == unprompted(step.after, viewer)


def unprompted(game: Game, viewer: Viewer) -> View:
    """Return the view of *viewer* without what only a prompt tells."""
    return replace(view_for(game, viewer), phase=None, to_act=None)
