"""Who may see what, and the client's fold (RULES.md §11). Non-interference has its own module."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import msgpack
import pytest
from hypothesis import given, settings

from engine.cards import SEATS, Card
from engine.events import CardsDealt, Discarded, Event, HandDealt, HandsRevealed, OrderedUp
from engine.game import deal, new_game
from engine.plain import EVENT_KINDS, event_from_plain, event_to_plain, view_from_plain, view_to_plain
from engine.rules import Rules, make_rules
from engine.state import AwaitingDeal, Game, Phase, UpcardFate
from engine.view import WATCHER, View, Viewer, advance, is_public, redact, redact_all, view_for
from tests.engine.strategies import Deal, playable_rules, random_game, seeds
from tests.engine.table import PASSES, after, cards, happened, played_out, scored_hand, settle, stacked_deck, table

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

VIEWERS: tuple[Viewer, ...] = (*SEATS, WATCHER)
HANDS = {0: "As Ks Qs Ts Jd", 1: "Ac Kc Qc Tc 9c", 2: "Ad Kd Qd Td 9d", 3: "Ah Kh Qh Th Js"}


# ── what everybody and nobody sees ───────────────────────────────────────────────────────────────────────────────────


def test_a_seat_sees_its_own_cards_and_a_watcher_none() -> None:
    """R-VIEW-1, R-VIEW-2: everybody sees the upcard and how many cards each seat holds."""
    game = table(hands=HANDS, upcard="9h")
    for viewer in VIEWERS:
        view = view_for(game, viewer)
        assert view.cards == (() if viewer == WATCHER else cards(HANDS[viewer]))
        assert (view.upcard, view.upcard_fate, view.counts) == ("9h", UpcardFate.UP, (5, 5, 5, 5))


def test_the_deal_tells_each_seat_its_own_five_cards() -> None:
    """R-VIEW-1."""
    rules = Rules()
    _, events = deal(new_game(rules), stacked_deck(rules, hands=HANDS, upcard="9h"), dealer=0)
    dealt = HandDealt(1, 0, Card("9h"))
    for seat in SEATS:
        assert redact_all(events, seat, rules) == (dealt, CardsDealt(seat, cards(HANDS[seat])))
    assert redact_all(events, WATCHER, rules) == (dealt,)


def test_calls_and_answers_are_seen_by_all() -> None:
    """R-VIEW-1, R-VIEW-2."""
    game = after(table(preset="ladder"), *PASSES, "call s", "together", "alone", "defend together")
    for viewer in VIEWERS:
        assert [(seat, str(action)) for seat, action in view_for(game, viewer).calls] == [
            (1, "pass"), (2, "pass"), (3, "pass"), (0, "pass"), (1, "call s"), (1, "together"), (3, "alone"),
            (2, "defend together"),
        ]  # fmt: skip


def test_cards_on_the_table_and_finished_tricks_are_seen_by_all() -> None:
    """R-VIEW-1."""
    hands = HANDS | {3: "Ah Kh Qh Th Jh", 0: "As Ks Qs Ts Jc"}
    game = after(
        table(hands=hands, upcard="9s"), *PASSES, "call c", "play Ac", "play 9d", "play Th", "play Jc", "play As"
    )
    for viewer in VIEWERS:
        view = view_for(game, viewer)
        assert [(trick.winner, trick.cards) for trick in view.tricks] == [
            (0, ((1, "Ac"), (2, "9d"), (3, "Th"), (0, "Jc")))
        ]
        assert view.trick == ((0, "As"),)
        assert (view.leader, view.won, view.counts) == (0, (1, 0), (3, 4, 4, 4))


def test_the_card_a_dealer_takes_is_seen_and_the_card_he_buries_is_his() -> None:
    """R-VIEW-1, R-PICK-1: in events as in views."""
    game, events = happened(table(hands=HANDS, upcard="9h"), "order", "discard Qs")
    for viewer in VIEWERS:
        heard = redact_all(events, viewer, Rules())
        assert Discarded(0, Card("Qs") if viewer == 0 else None) in heard
        assert heard[0] == OrderedUp(1, "h", alone=False)
        view = view_for(game, viewer)
        assert view.discard == ("Qs" if viewer == 0 else None)
        assert view.upcard_fate is UpcardFate.TAKEN


def test_a_sitting_partner_sees_his_own_hand_only_and_nobody_sees_it() -> None:
    """R-VIEW-1, R-ALONE-1."""
    game = after(table(hands=HANDS, upcard="9h"), *PASSES, "call c alone")
    assert view_for(game, 3).cards == cards(HANDS[3])
    for viewer in (0, 1, 2, WATCHER):
        plain = json.dumps(view_to_plain(view_for(game, viewer)))
        assert not any(f'"{card}"' in plain for card in cards(HANDS[3]))


# ── when a hand is over ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("spectator_hands", ["never", "after_hand"])
@pytest.mark.parametrize("reveal", ["own_only", "all"])
def test_the_cards_of_a_finished_hand_are_shown_to_whom_the_rules_say(reveal: str, spectator_hands: str) -> None:
    """R-VIEW-2, R-VIEW-3: as they were dealt, with the buried ones; watchers never more than the seats."""
    rules = make_rules("standard", {"reveal": reveal, "spectator_hands": spectator_hands})
    game = settle(deal(new_game(rules), stacked_deck(rules, hands=HANDS, upcard="9h"), dealer=0)[0], maker=1)
    game, events = played_out(game, Random(1))
    revealed = HandsRevealed(
        (cards(HANDS[0]), cards(HANDS[1]), cards(HANDS[2]), cards(HANDS[3])), Card("9h"), cards("9s Jh Jc")
    )
    assert revealed in events
    for viewer in VIEWERS:
        shown = reveal == "all" and (viewer != WATCHER or spectator_hands == "after_hand")
        assert redact(revealed, viewer, rules) == (revealed if shown else None)
        assert view_for(game, viewer).revealed == (revealed if shown else None)


def test_a_hand_thrown_in_is_shown_to_nobody() -> None:
    """R-VIEW-3 speaks of hands that are over, not of hands nobody played."""
    game, events = happened(table(all_pass="redeal", spectator_hands="after_hand"), *PASSES, *PASSES)
    assert not any(isinstance(event, HandsRevealed) for event in events)
    for viewer in VIEWERS:
        view = view_for(game, viewer)
        assert (view.revealed, view.result, len(view.calls)) == (None, None, 8)


def test_the_next_deal_clears_what_the_last_hand_left() -> None:
    """Until then the view keeps it, so that a client can show how the hand ended."""
    rules = make_rules("standard", {"target": 99})
    game, scored = scored_hand(rules, maker=1, alone=[1], maker_team_tricks=5)
    view = view_for(game, 2)
    assert (view.result, view.score, view.hands_scored, view.trump) == (scored, (0, 4), 1, view.trump)
    assert view.trump is not None
    assert len(view.tricks) == 5
    assert isinstance(game.stage, AwaitingDeal)
    game, _ = deal(game, stacked_deck(rules, dealer=1), dealer=1)
    fresh = view_for(game, 2)
    assert fresh == View(
        2,
        phase=Phase.ROUND_ONE,
        to_act=2,
        score=(0, 4),
        hand=2,
        hands_scored=1,
        dealer=1,
        upcard=fresh.upcard,
        upcard_fate=UpcardFate.UP,
        cards=fresh.cards,
        counts=(5, 5, 5, 5),
    )


# ── events for everybody ─────────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=60)
def test_a_public_event_is_the_same_for_every_viewer(rules: Rules, seed: int) -> None:
    """What `is_public` says may be packed once for all."""
    for step in random_game(rules, seed, hands=3):
        for event in step.events:
            if is_public(event):
                assert all(redact(event, viewer, rules) == event for viewer in VIEWERS)


# ── plain forms, and the client's fold ───────────────────────────────────────────────────────────────────────────────


def through_json(plain: object) -> Any:
    return json.loads(json.dumps(plain))


def through_msgpack(plain: object) -> Any:
    return msgpack.unpackb(msgpack.packb(plain))


@given(playable_rules(), seeds)
@settings(max_examples=40)
def test_events_and_views_survive_the_wire(rules: Rules, seed: int) -> None:
    """Through JSON and msgpack, for every viewer at every step, and the client's fold over them is the view.

    Compared by repr, in which a member of an enum and its text differ.
    """
    folded: dict[Viewer, View] = {viewer: View(viewer) for viewer in VIEWERS}
    for step in random_game(rules, seed, hands=2):
        for viewer in VIEWERS:
            for event in redact_all(step.events, viewer, rules):
                plain = event_to_plain(event)
                heard = event_from_plain(through_json(plain))
                assert heard is not None
                assert repr(heard) == repr(event) == repr(event_from_plain(through_msgpack(plain)))
                folded[viewer] = advance(folded[viewer], heard)
            view = view_for(step.after, viewer)
            plain = view_to_plain(view)
            for read in (view_from_plain(through_json(plain)), view_from_plain(through_msgpack(plain))):
                assert repr(read) == repr(view)
            assert folded[viewer] == replace(view, phase=None, to_act=None)


@given(playable_rules(), seeds)
@settings(max_examples=40)
def test_a_client_that_begins_with_a_view_goes_on_as_if_it_had_been_there(rules: Rules, seed: int) -> None:
    """A snapshot at any step and the events after it come to the same view."""
    steps = list(random_game(rules, seed, hands=2))
    begin = seed % len(steps)
    for viewer in VIEWERS:
        view = view_for(steps[begin].before, viewer)
        for step in steps[begin:]:
            for event in redact_all(step.events, viewer, rules):
                view = advance(view, event)
        assert view == replace(view_for(steps[-1].after, viewer), phase=None, to_act=None)


def test_the_kinds_of_events_are_those_of_the_protocol() -> None:
    assert {
        "hand_dealt", "cards_dealt", "passed", "ordered_up", "upcard_turned_down", "trump_called", "upcard_taken",
        "upcard_left", "discarded", "alone_decided", "defence_decided", "play_started", "card_played", "trick_won",
        "hand_thrown_in", "hand_scored", "hands_revealed", "secret_revealed", "game_over", "card_given", "relief_asked",
        "cards_swapped", "rest_claimed",
    } == EVENT_KINDS  # fmt: skip


def test_an_event_of_a_kind_nobody_knows_is_none() -> None:
    assert event_from_plain({"e": "balloon_burst", "seat": 1}) is None


def test_an_event_may_have_fields_nobody_knows() -> None:
    """A newer server may add some."""
    event: Event = Discarded(0, None)
    assert event_from_plain(event_to_plain(event) | {"mood": "glad"}) == event


@pytest.mark.parametrize("plain", [{}, {"seat": 1}, {"e": "passed"}, {"e": "card_played", "seat": 1}])
def test_an_event_that_lacks_a_field_is_an_error(plain: dict[str, object]) -> None:
    with pytest.raises(KeyError):
        event_from_plain(plain)


def test_a_view_in_plain_has_only_plain_values() -> None:
    """No enum or action of ours reaches an encoder."""

    def plain_types(value: object) -> set[type]:
        if isinstance(value, dict):
            return {type(value), *(kind for item in value.values() for kind in plain_types(item))}
        if isinstance(value, tuple):
            return {type(value), *(kind for item in value for kind in plain_types(item))}
        return {type(value)}

    game: Game
    for step in random_game(make_rules("ladder"), 7, hands=2):
        game = step.after
        for viewer in VIEWERS:
            assert plain_types(view_to_plain(view_for(game, viewer))) <= {dict, tuple, str, int, bool, type(None)}
        for event in step.events:
            assert plain_types(event_to_plain(event)) <= {dict, tuple, str, int, bool, type(None)}
        assert isinstance(step.entry, Deal) or game is not step.before
