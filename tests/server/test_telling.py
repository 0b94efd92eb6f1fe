"""What each audience is told: everything it may know, and not a byte more."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import Action, parse_action
from engine.cards import SEATS, Card, Cards
from engine.fair import commitment
from engine.game import legal_actions
from engine.rules import Rules
from engine.state import Phase
from engine.view import WATCHER, Viewer
from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import Visibility
from server.table import Act, ActFor, Close, TableState
from server.telling import Bulletin, prompt_message, stage_name, table_info, view_message
from tests.engine.knowing import VIEWERS, cards_in, may_know
from tests.engine.strategies import playable_rules, seeds
from tests.engine.table import shuffled
from tests.server.tables import PureTable


def told(table: PureTable, viewer: Viewer, codec: Codec = JSON) -> bytes:
    """Return the frame that tells *viewer* of the table's latest entry."""
    bulletin = Bulletin("t", table.state, table.happened, now_ms=table.now_ms)
    return codec.frame(bulletin.parts_for(codec, viewer))


def shown(state: TableState, viewer: Viewer, codec: Codec = JSON, now_ms: int = 0) -> bytes:
    """Return the frame that shows *viewer* the table as it is."""
    play = state.play
    to_actor = play is not None and play.decision is not None and play.decision.seat == viewer
    prompt = prompt_message("t", state, to_actor=to_actor, now_ms=now_ms)
    view = view_message("t", state, viewer, online=(), watchers=0)
    return codec.frame([codec.encode(message) for message in (view, prompt) if message is not None])


def take(table: PureTable, action: Action) -> None:
    chair = table.state.room.chairs[table.decision.seat]
    assert chair.player is not None
    table.did(Act(chair.player, table.turn, action, table.ref()))


# ── H1 ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=30)
@given(
    rules=playable_rules(reveal="own_only", spectator_hands="never"), seed=seeds, pass_share=st.sampled_from([0.2, 0.9])
)
def test_h1_no_frame_holds_a_card_its_reader_may_not_know(rules: Rules, seed: int, pass_share: float) -> None:
    """H1. Scan every frame to every viewer, over random games with every toggle, views and rematches included."""
    rng = Random(seed)
    table = PureTable(rules=rules, seed=seed)
    known: dict[Viewer, set[Card]] = {}
    secrets: set[str] = set()
    for game in ("g1", "g2"):
        table.did(table.start(game=game))
        for _ in range(50):
            if not table.state.is_playing:
                break
            if table.state.awaits_deal:
                table.did(table.deal())
                known = {viewer: set() for viewer in VIEWERS}
            else:
                options = legal_actions(table.game)
                take(table, options[0] if rng.random() < pass_share else rng.choice(options))
            secrets.add(table.play.deals.secret.hex())  # which tells every hand dealt from it
            for viewer in VIEWERS:
                known[viewer] |= set(may_know(table.happened, viewer, rules))
                for frame in (told(table, viewer), shown(table.state, viewer)):
                    assert cards_in(JSON.decode_frame(frame.decode())) <= known[viewer]
                    assert not [secret for secret in secrets if secret.encode() in frame]
        if table.state.is_playing:
            return


# ── H2 ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


def other_deal(deck: Cards, viewer: Viewer, dealer: int, rng: Random) -> Cards:
    """Return a deck that deals *viewer* the same cards in the same order, and others other ones."""
    seen = {20}
    if viewer != WATCHER:
        place = (viewer - dealer - 1) % 4
        seen |= set(range(5 * place, 5 * place + 5))
    places = [at for at in range(len(deck)) if at not in seen]
    unseen = [deck[at] for at in places]
    rng.shuffle(unseen)
    other = list(deck)
    for at, card in zip(places, unseen, strict=True):
        other[at] = card
    return tuple(other)


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=lambda codec: codec.subprotocol)
@settings(max_examples=60)
@given(rules=playable_rules(), seed=seeds, viewer=st.sampled_from(VIEWERS))
def test_h2_deals_that_look_alike_are_told_alike(codec: Codec, rules: Rules, seed: int, viewer: Viewer) -> None:
    """H2. Two deals that look alike to a viewer give him identical bytes: legal lists, order, sizes and seq too."""
    rng = Random(seed)
    deck = shuffled(rules, rng)
    dealer = rng.choice(SEATS)
    one, other = PureTable(rules=rules, seed=seed), PureTable(rules=rules, seed=seed)
    one.started(deck, dealer=dealer)
    other.started(other_deal(deck, viewer, dealer, rng), dealer=dealer)
    while True:
        assert told(one, viewer, codec) == told(other, viewer, codec)
        assert shown(one.state, viewer, codec) == shown(other.state, viewer, codec)
        if one.state.play is None or one.play.decision is None:
            return
        ways = [[str(action) for action in legal_actions(table.game)] for table in (one, other)]
        if one.decision.seat == viewer:
            assert ways[0] == ways[1]
        if one.game.stage.phase is Phase.DISCARD and one.decision.seat != viewer:
            taken = [rng.choice(ways[0]), rng.choice(ways[1])]
        else:
            common = [way for way in ways[0] if way in ways[1]]
            if one.decision.seat == viewer:  # three cards he swapped for would be others
                common = [way for way in common if not way.startswith("relief ")]
            if not common:
                return  # what is played next differs, and all may see it
            taken = [rng.choice(common)] * 2
        take(one, parse_action(taken[0]))
        take(other, parse_action(taken[1]))


# ── who is asked ─────────────────────────────────────────────────────────────────────────────────────────────────────


def messages(frame: bytes) -> list[dict[str, Any]]:
    return JSON.decode_frame(frame.decode())


def test_only_the_seat_to_act_is_told_what_is_legal() -> None:
    table = PureTable().started()
    for viewer in VIEWERS:
        for frame in (told(table, viewer), shown(table.state, viewer)):
            prompt = messages(frame)[-1]
            assert prompt["t"] == "prompt"
            assert ("legal" in prompt) == (viewer == 1)
            assert (prompt["seat"], prompt["turn"]) == (1, table.turn)


def test_a_prompt_tells_the_time_left_at_that_moment() -> None:
    table = PureTable().started()
    table.later(21_000)
    prompt = messages(shown(table.state, 0, now_ms=table.now_ms))[-1]
    assert (prompt["left_ms"], prompt["bank_ms"]) == (0, 59_000)


def test_no_clock_runs_for_bots_and_at_tables_without_one() -> None:
    for table in (PureTable(people=1).started(dealer=0), PureTable(clock="none").started()):
        prompt = messages(told(table, 0))[-1]
        assert (prompt["left_ms"], prompt["bank_ms"]) == (None, None)


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_a_private_tables_code_is_for_those_who_sit_there(visibility: Visibility) -> None:
    table = PureTable(visibility=visibility)
    for viewer in VIEWERS:
        (view,) = messages(shown(table.state, viewer))
        is_hidden = viewer == WATCHER and visibility == "private"
        assert view["view"]["table"]["code"] == (None if is_hidden else "KQ7M")


def test_everybody_is_told_who_sits_where_and_whose_connection_stands() -> None:
    table = PureTable(people=2, clock="fast")
    table.did(table.fill(seat=3, level="hard"))
    table.did(table.away("Ben", on=True))
    for state, secret in ((table.state, None), (table.started().state, table.play.deals.secret)):
        info = table_info("t", state, 0, online={"ben"}, watchers=2)
        seats = [(seat["seat"], seat["kind"], seat["name"], seat["level"]) for seat in info["seats"]]
        third = (2, "open", None, None) if secret is None else (2, "bot", state.room.chairs[2].name, "standard")
        assert seats == [
            (0, "human", "Ann", None), (1, "human", "Ben", None), third, (3, "bot", state.room.chairs[3].name, "hard"),
        ]  # fmt: skip
        assert [seat["online"] for seat in info["seats"]] == [False, True, secret is not None, True]
        assert [seat["away"] for seat in info["seats"]] == [False, True, False, False]
        assert (info["watchers"], info["clock"]) == (2, {"name": "fast", "turn_ms": 8000, "bank_ms": 20_000})
        assert info["commit"] == (None if secret is None else commitment(secret))


def test_a_table_waits_plays_and_is_over() -> None:
    table = PureTable(people=4, target=1)
    assert stage_name(table.state) == "waiting"
    table.did(table.start())
    assert stage_name(table.state) == "playing"
    table.play_until_over()
    assert stage_name(table.state) == "over"
    table.did(table.start(game="g2"))
    assert stage_name(table.state) == "playing"
    table.did(Close("everybody left"))
    assert stage_name(table.state) == "over"


def test_a_bots_decision_looks_like_any_other() -> None:
    """What a bot does is told as what a person does; only a stand-in for a person is told as one."""
    by_bot, by_person = PureTable(people=1).started(dealer=0), PureTable(people=4).started(dealer=0)
    by_bot.did(ActFor(by_bot.turn, parse_action("pass"), "bot"))
    by_person.did(by_person.act("pass"))
    assert messages(told(by_bot, 3))[0]["events"] == messages(told(by_person, 3))[0]["events"]
