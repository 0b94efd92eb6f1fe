"""Twenty thousand hands under random option sets: the laws that hold whatever a table chose."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from random import Random

import pytest

from engine.cards import SEATS, Cards, make_pack, team_of
from engine.errors import IllegalActionError, RulesError
from engine.events import Events, HandScored, HandThrownIn, RestClaimed
from engine.game import legal_actions, new_game, to_act
from engine.play import Playing
from engine.rules import PRESETS, Rules, make_rules, rules_to_plain
from engine.state import AwaitingDeal, Finished, Game
from engine.view import Viewer, redact_all, view_for
from tests.engine.knowing import VIEWERS
from tests.engine.strategies import Act, Deal, Step, follow, random_action, random_deck
from tests.engine.test_properties import places_of_cards, points_of_section_7
from tests.engine.worlds import Hand, in_another_world

pytestmark = pytest.mark.timeout(600)  # of a busy machine

HANDS = 5_000
"""Of each of four runs."""
MOST_ACTIONS = 8 + 4 + 1 + 2 + 2 + 2 + 20
"""Bids, relief, a discard, the windows, an exchange and the cards: no hand takes more."""


def random_rules(rng: Random) -> Rules:
    """Return rules a table may have, any option off its default."""
    while True:
        base = rules_to_plain(make_rules(rng.choice(list(PRESETS))))
        other = rules_to_plain(make_rules(rng.choice(list(PRESETS))))
        mixed = {name: rng.choice((base, other))[name] for name in base}
        extra: dict[str, object] = {
            "low_rank": rng.choice((9, 8, 7)),
            "no_trump": rng.choice(("off", "round2", "stuck_only")),
            "low_no_trump": rng.random() < 0.5,
            "order_requires": rng.choice(("none", "any_trump", "natural_trump")),
            "loner_lead": rng.choice(("left_of_dealer", "left_of_loner")),
            "claim": rng.choice(("off", "validated")),
            "relief": rng.choice(("off", "redeal", "swap3")),
            "relief_hand": rng.choice(("nines_tens", "no_ace_no_face", "ace_no_face")),
            "super_euchre": rng.choice((0, 4)),
            "lone_must_sweep": rng.random() < 0.5,
            "upcard_discard": rng.random() < 0.5,
        }
        mixed |= {name: value for name, value in extra.items() if rng.random() < 0.5}
        try:
            return make_rules("standard", mixed)
        except RulesError:
            continue


@pytest.mark.parametrize("seed", range(4))
def test_the_laws_hold_over_thousands_of_hands(seed: int) -> None:
    """Cards are conserved, points come as §7 says, every hand ends, and chains of throw-ins do too.

    And for one viewer after the other, the hand gives him the same with all he did not see in other places (R-VIEW-4).
    """
    rng = Random(seed)
    viewers = cycle(VIEWERS)
    hands, compared = 0, 0
    while hands < HANDS:
        rules = random_rules(rng)
        game, chain = new_game(rules), 0
        for _ in range(12):
            if isinstance(game.stage, Finished):
                break
            hand = played(game, rng)
            check_cards(hand, make_pack(rules.low_rank, rules.jokers))
            thrown_in = check_score(hand)
            chain = chain + 1 if thrown_in else 0
            assert chain < 200
            assert len(hand.steps) - 1 <= MOST_ACTIONS, rules
            compared += alike(hand, next(viewers), rng)
            hands += 1
            game = hand.steps[-1].after
    assert compared > 6 * hands


def played(game: Game, rng: Random) -> Hand:
    """Play one hand at random."""
    steps: list[Step] = []
    entry = random_deal(game, rng)
    while True:
        before = steps[-1].after if steps else game
        after, events = follow(before, entry)
        steps.append(Step(before, entry, events, after))
        seat = to_act(after)
        if seat is None:
            return Hand(game, steps)
        entry = Act(seat, random_action(legal_actions(after), rng))


def random_deal(game: Game, rng: Random) -> Deal | Act:
    assert isinstance(game.stage, AwaitingDeal)
    dealer = rng.choice(SEATS) if game.stage.dealer is None else game.stage.dealer
    return Deal(random_deck(game.standing.rules, rng), dealer)


def check_cards(hand: Hand, pack: Cards) -> None:
    """See that every card is in one place at every step: twenty with the players or from them, the upcard, the rest."""
    for step in hand.steps:
        if to_act(step.after) is not None:
            found = places_of_cards(step.after)
            assert len(found) == len({*found}) == 21
            assert {*found} <= {*pack}


def check_score(hand: Hand) -> bool:
    """See that only the end of a hand scores, what its tricks are worth; tell whether it was thrown in."""
    before, last = hand.before.standing, hand.steps[-1]
    assert all(step.after.standing.score == before.score for step in hand.steps[:-1])
    results = [event for event in last.events if isinstance(event, HandScored | HandThrownIn)]
    assert len(results) == 1
    (result,) = results
    if isinstance(result, HandThrownIn):
        assert last.after.standing.score == before.score
        return True
    stage = last.after.stage
    assert isinstance(stage, AwaitingDeal | Finished)
    assert isinstance(stage.last, Playing)
    made, won = stage.last.made, [0, 0]
    for trick in stage.last.tricks:
        won[team_of(trick.winner)] += 1
    for event in last.events:
        if isinstance(event, RestClaimed):
            won[team_of(event.seat)] += event.tricks
    makers = team_of(made.maker)
    makers_score, points = points_of_section_7(
        hand.rules,
        taken=won[makers],
        lone_maker=any(team_of(seat) == makers for seat in made.alone),
        lone_defender=any(team_of(seat) != makers for seat in made.alone),
    )
    team = makers if makers_score else 1 - makers
    assert sum(won) == 5
    assert (result.tricks, result.team, result.points) == (tuple(won), team, points)
    gains = [points if side == team else 0 for side in (0, 1)]
    assert last.after.standing.score == (before.score[0] + gains[0], before.score[1] + gains[1])
    return False


def alike(hand: Hand, viewer: Viewer, rng: Random) -> int:
    """Follow the hand up to somewhere in another world; return how many entries were legal there, and alike."""
    cut = rng.randint(2, len(hand.steps))
    entries: Sequence[Deal | Act] = in_another_world(hand, viewer, cut, rng) or ()
    game = hand.before
    for at, entry in enumerate(entries):
        try:
            game, events = follow(game, entry)
        except IllegalActionError:
            return at
        assert received(game, events, viewer) == received(hand.steps[at].after, hand.steps[at].events, viewer)
    return len(entries)


def received(game: Game, events: Events, viewer: Viewer) -> tuple[object, ...]:
    """Return what *viewer* gets after an entry."""
    legal = legal_actions(game) if viewer == to_act(game) else None
    return redact_all(events, viewer, game.standing.rules), view_for(game, viewer), to_act(game), legal
