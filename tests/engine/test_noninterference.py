"""R-VIEW-4: what a viewer may not know cannot be read off anything that viewer gets.

A random game is played twice. In the second, the cards that a viewer has not seen by some moment of a hand change
places among the hands and the buried cards (worlds.py); everybody then does the same, as long as that is legal. Until
that moment, the viewer must get the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from random import Random
from typing import Final

import msgpack
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import ALL_ACTIONS, Discard, PlayCard
from engine.cards import Card
from engine.errors import IllegalActionError
from engine.events import (
    CardGiven,
    CardsSwapped,
    DefenceDecided,
    Event,
    Events,
    HandThrownIn,
    ReliefAsked,
    RestClaimed,
    UpcardLeft,
)
from engine.game import legal_actions, phase_of, to_act
from engine.naming import NamingTrump
from engine.plain import event_to_plain, view_to_plain
from engine.rules import Rules, make_rules
from engine.state import Game
from engine.view import WATCHER, Viewer, redact_all, view_for
from tests.engine.knowing import VIEWERS, cards_in, may_know
from tests.engine.strategies import Act, Deal, Step, follow, playable_rules, random_game, seeds
from tests.engine.table import refusal_of
from tests.engine.worlds import Hand, in_another_world

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

PROBES: Final = ("Js", "Ah", "Td")
TRIED: Final = [action for action in ALL_ACTIONS if not isinstance(action, Discard | PlayCard) or action.card in PROBES]
viewers = st.sampled_from(VIEWERS)


# ── what a viewer gets, and what a viewer may know ───────────────────────────────────────────────────────────────────


def received(game: Game, events: Events, viewer: Viewer) -> bytes:
    """Return all that *viewer* gets after one entry: events, view, prompt, and why this and that would be refused."""
    heard = [event_to_plain(event) for event in redact_all(events, viewer, game.standing.rules)]
    view = view_to_plain(view_for(game, viewer))
    legal = [str(action) for action in legal_actions(game)] if viewer == to_act(game) else None
    refusals = [] if viewer == WATCHER else [refusal_of(game, viewer, action) for action in TRIED]
    plain = (heard, view, to_act(game), str(phase_of(game)), legal, refusals)
    packed: bytes = msgpack.packb(plain)
    return packed + json.dumps(plain).encode()


def random_hand(rules: Rules, seed: int) -> Hand:
    """Return the first or second hand of a random game, up to where it ended."""
    steps = list(random_game(rules, seed, hands=2))
    deals = [at for at, step in enumerate(steps) if isinstance(step.entry, Deal)]
    first = deals[seed % len(deals)]
    end = min([at for at in deals if at > first], default=len(steps))
    return Hand(steps[first].before, steps[first:end])


def entries_alike(before: Game, entries: Sequence[Deal | Act], viewer: Viewer, expected: Sequence[bytes]) -> int:
    """Play *entries* while they are legal; return how many gave *viewer* what was *expected*, as all must."""
    game = before
    for at, entry in enumerate(entries):
        try:
            game, events = follow(game, entry)
        except IllegalActionError:
            return at
        assert received(game, events, viewer) == expected[at], (viewer, at)
    return len(entries)


def compare_worlds(hand: Hand, viewer: Viewer, rng: Random) -> int:
    """Compare a hand with other worlds; return the most of its entries that were compared."""
    cut = rng.choice([len(hand.steps), rng.randint(1, len(hand.steps))])
    expected = [received(step.after, step.events, viewer) for step in hand.steps[:cut]]
    compared = 0
    for _ in range(3):
        other = in_another_world(hand, viewer, cut, rng)
        if other:
            compared = max(compared, entries_alike(hand.before, other, viewer, expected))
    return compared


@given(playable_rules(), seeds, viewers)
@settings(max_examples=120)
def test_two_games_that_differ_in_what_a_viewer_may_not_know_give_that_viewer_the_same_bytes(
    rules: Rules, seed: int, viewer: Viewer
) -> None:
    compare_worlds(random_hand(rules, seed), viewer, Random(seed))


@given(playable_rules(reveal="own_only", spectator_hands="never"), seeds, viewers)
@settings(max_examples=120)
def test_also_after_the_hand_where_nothing_is_revealed(rules: Rules, seed: int, viewer: Viewer) -> None:
    compare_worlds(random_hand(rules, seed), viewer, Random(seed))


def test_the_comparison_reaches_deep_into_hands_and_to_their_end() -> None:
    """The tests above would pass by luck if their other worlds broke off early; most do not."""
    rules = make_rules("ladder", {"reveal": "own_only"})
    hands = [random_hand(rules, seed) for seed in range(100)]
    results = [(hand, compare_worlds(hand, VIEWERS[at % 5], Random(at))) for at, hand in enumerate(hands)]
    assert sum(compared > 12 for _, compared in results) > 30
    assert sum(compared == len(hand.steps) > 12 for hand, compared in results) > 20


RARE: Final[dict[str, tuple[dict[str, object], type[Event] | None]]] = {
    "call for best": ({"partner_exchange": "call_for_best"}, CardGiven),
    "going under": ({"relief": "swap3", "relief_hand": "ace_no_face"}, CardsSwapped),
    "relief by redeal": ({"relief": "redeal"}, ReliefAsked),
    "throw-in": ({"all_pass": "redeal", "order_requires": "natural_trump"}, HandThrownIn),
    "dealer left out": ({"sitting_dealer": "skips"}, UpcardLeft),
    "defence alone": ({"defend_alone": "any"}, DefenceDecided),
    "claim": ({"claim": "validated"}, RestClaimed),
    "benny named": ({"jokers": 1, "no_trump": "round2"}, None),
    "benny named blind": ({"jokers": 1, "benny_turned": "dealer_names_blind"}, None),
}
"""Options with what shows that they came to bear; None is a Benny turned up."""


@pytest.mark.parametrize("name", RARE)
def test_what_is_rare_is_compared_too(name: str) -> None:
    """For every viewer, some hands with cards given, swapped, claimed or named for are alike beyond that."""
    options, shown_by = RARE[name]
    rules = make_rules("standard", options | {"reveal": "own_only", "target": 99})
    hands = (random_hand(rules, seed) for seed in range(3_000))
    rare = ((hand, at) for hand in hands for at, step in enumerate(hand.steps) if comes_to_bear(step, shown_by))
    tried = list(islice(rare, 12))
    for viewer in VIEWERS:
        reached = sum(compare_worlds(hand, viewer, Random(seed)) > at for seed, (hand, at) in enumerate(tried))
        assert reached >= 2, viewer


def comes_to_bear(step: Step, shown_by: type[Event] | None) -> bool:
    if shown_by is None:
        return isinstance(step.before.stage, NamingTrump)
    return any(isinstance(event, shown_by) for event in step.events)


# ── no card that a viewer may not know ───────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_no_output_for_a_viewer_holds_a_card_the_viewer_may_not_know(rules: Rules, seed: int) -> None:
    """R-VIEW-1 to R-VIEW-3: views, events and legal actions name only cards the viewer was dealt or shown this hand."""
    known = {viewer: set[Card]() for viewer in VIEWERS}
    for step in random_game(rules, seed, hands=3):
        for viewer in VIEWERS:
            if isinstance(step.entry, Deal):
                known[viewer] = set()
            known[viewer] |= set(may_know(step.events, viewer, rules))
            shown = cards_in([event_to_plain(event) for event in redact_all(step.events, viewer, rules)])
            shown |= cards_in(view_to_plain(view_for(step.after, viewer)))
            if viewer == to_act(step.after):
                shown |= cards_in([str(action) for action in legal_actions(step.after)])
            assert shown <= known[viewer], viewer
