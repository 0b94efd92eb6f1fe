"""Records of games (`euchre/1`): written, read back, followed to the first fault and no further."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import parse_action
from engine.cards import SEATS, make_pack, parse_cards
from engine.errors import EngineError
from engine.game import new_game
from engine.record import (
    FORMAT,
    MAX_LINE_CHARS,
    Header,
    RecordError,
    Step,
    action_line,
    deal_line,
    follow,
    header_line,
    replay,
    result_line,
)
from engine.rules import Rules, make_rules, rules_to_plain
from engine.state import Finished
from engine.view import WATCHER, View, Viewer, advance, redact_all, view_for
from tests.engine import strategies
from tests.engine.strategies import Deal, playable_rules, random_game, seeds
from tests.engine.table import scored_hand, stacked_deck

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, WATCHER)
HEADER: Final = header_line(Rules(), preset="standard", players=[], game="g1")
DECK: Final = "".join(stacked_deck(Rules(), hands={1: "9s Ts As Kd Ad"}, upcard="9h"))
DEAL: Final[dict[str, Any]] = {"n": 1, "deal": {"hand": 1, "dealer": 0, "deck": DECK}}


def written(rules: Rules, steps: list[strategies.Step]) -> list[str]:
    """Return the record of a random game."""
    lines = [header_line(rules, preset="standard", players=[{"seat": 0, "name": "Ann"}], game="g1", commit="ab")]
    for n, step in enumerate(steps, start=1):
        if isinstance(step.entry, Deal):
            entry = step.entry
            hand = step.after.standing.hands_dealt
            lines.append(deal_line(n, hand=hand, dealer=entry.dealer, deck=entry.deck))
        else:
            lines.append(action_line(n, step.entry.seat, step.entry.action, ms=n * 7 if n % 2 else None))
    last = steps[-1].after
    if isinstance(last.stage, Finished):
        lines.append(result_line(len(lines), score=last.standing.score, winner=last.stage.winner))
    return lines


def followed(lines: list[str]) -> tuple[list[Step], RecordError]:
    """Follow a record that goes wrong: the steps before the fault, and the fault."""
    steps: list[Step] = []
    try:
        for step in replay(lines)[1]:
            steps.append(step)  # noqa: PERF402  # the fault ends the loop, and the steps before it must be kept
    except RecordError as error:
        return steps, error
    raise AssertionError("nothing went wrong")


def lines_of(*entries: dict[str, Any]) -> list[str]:
    """Return a record of the standard game with these entries."""
    return [HEADER, *map(json.dumps, entries)]


# ── what is written is read ──────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules(), seeds)
@settings(max_examples=30)
def test_a_record_followed_gives_the_game_that_was_recorded(rules: Rules, seed: int) -> None:
    """Several hands, throw-ins too: every state, every event, and every viewer's view and share of the events."""
    live = list(random_game(rules, seed, hands=4))
    header, steps = replay(written(rules, live))
    assert header == Header(rules, "standard", ({"seat": 0, "name": "Ann"},), "g1", "ab")
    views = {viewer: View(viewer) for viewer in VIEWERS}
    for n, (step, then) in enumerate(zip(steps, live, strict=False), start=1):
        assert step == Step(n, then.events, then.after, step.entry)
        for viewer in VIEWERS:
            for event in redact_all(step.events, viewer, rules):
                views[viewer] = advance(views[viewer], event)
            view = view_for(step.game, viewer)
            assert (views[viewer].cards, views[viewer].counts, views[viewer].score) == (
                view.cards,
                view.counts,
                view.score,
            )


@given(seeds, st.integers(0, 60))
@settings(max_examples=40)
def test_a_record_may_stop_anywhere(seed: int, length: int) -> None:
    """Also right after its header."""
    live = list(random_game(Rules(), seed, hands=3))
    lines = written(Rules(), live)[: length + 1]
    steps = list(replay(lines)[1])
    assert len(steps) == len(lines) - 1
    for step, then in zip(steps, live, strict=False):
        assert step.game == then.after


def test_the_lines_are_those_of_the_format() -> None:
    """What other programs read: one JSON object a line, in these words."""
    assert json.loads(HEADER) == {
        "format": "euchre/1",
        "rules": json.loads(HEADER)["rules"],
        "preset": "standard",
        "players": [],
        "game": "g1",
    }
    assert json.loads(HEADER)["rules"] == rules_to_plain(Rules())
    assert deal_line(1, hand=1, dealer=0, deck=make_pack(9)[:2]) == '{"n":1,"deal":{"hand":1,"dealer":0,"deck":"9sTs"}}'
    assert action_line(2, 1, parse_action("pass"), ms=1830) == '{"n":2,"seat":1,"do":"pass","ms":1830}'
    assert action_line(3, 2, parse_action("order alone")) == '{"n":3,"seat":2,"do":"order alone"}'
    assert result_line(41, score=(10, 7), winner=0) == '{"n":41,"result":{"score":[10,7],"winner":0}}'
    assert result_line(9, score=(7, 7), winner=None) == '{"n":9,"result":{"score":[7,7],"winner":null}}'


def test_blank_lines_unknown_fields_and_lenient_texts_are_read() -> None:
    """Cards and actions in any usual spelling; whatever else a line tells is passed over."""
    lines = lines_of(
        DEAL | {"commit": "ff", "deal": DEAL["deal"] | {"deck": DECK.lower()}},
        {"n": 2, "seat": 1, "do": " ORDER "},
        {"n": 3, "seat": 0, "do": "Discard ♥9", "ms": 12, "mood": "glad"},
        {"n": 4, "seat": 1, "do": "play 10s"},
    )
    spaced = [line for pair in zip(lines, [""] * len(lines), strict=True) for line in pair]
    *_, last = replay(["", "  \n", *spaced])[1]
    assert view_for(last.game, 2).trick == ((1, "Ts"),)


def test_the_reveal_of_a_secret_changes_nothing() -> None:
    """It is for whoever verifies the deal, and may stand anywhere."""
    reveal = {"reveal": {"secret": "00ff", "entropy": ["", "x", "", ""]}}
    steps = list(replay(lines_of(reveal | {"n": 1}, DEAL | {"n": 2}, reveal | {"n": 3}))[1])
    assert [step.events for step in steps][::2] == [(), ()]
    assert steps[1].game == steps[2].game


@pytest.mark.parametrize("hands", [1, 3])
def test_a_result_must_be_what_the_entries_come_to(hands: int) -> None:
    live = list(random_game(make_rules("standard", {"target": None, "hands": hands}), 3))
    rules, (ours, theirs) = live[0].before.standing.rules, live[-1].after.standing.score
    *entries, result = written(rules, live)
    n = len(entries)
    assert list(replay([*entries, result])[1])[-1].game == live[-1].after
    stage = live[-1].after.stage
    assert isinstance(stage, Finished)
    assert stage.winner is not None
    for wrong in (
        {"score": [ours + 1, theirs], "winner": stage.winner},
        {"score": [theirs, ours], "winner": stage.winner},
        {"score": [ours, theirs], "winner": 1 - stage.winner},
        {"score": [ours, theirs], "winner": None},
        {"score": [ours, theirs], "winner": bool(stage.winner)},
        {"score": [ours, theirs, 0], "winner": stage.winner},
        {"score": [ours, theirs]},
    ):
        steps, error = followed([*entries, json.dumps({"n": n, "result": wrong})])
        assert (error.n, error.code, len(steps)) == (n, "bad_entry", n - 1)


def test_a_result_before_the_end_is_a_fault() -> None:
    _, error = followed(lines_of({"n": 1, "result": {"score": [0, 0], "winner": None}}))
    assert (error.n, error.code) == (1, "bad_entry")


def test_nothing_is_played_after_the_end() -> None:
    rules = make_rules("standard", {"target": 1})
    game, _ = scored_hand(rules, maker=1, alone=(), maker_team_tricks=3)
    assert isinstance(game.stage, Finished)
    for entry, code in (
        ({"seat": 1, "do": "pass"}, "game_over"),
        ({"deal": {"hand": 2, "dealer": 1, "deck": DECK}}, "game_over"),
    ):
        with pytest.raises(EngineError) as caught:
            follow(game, entry)
        assert getattr(caught.value, "code", None) == code


# ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────────────

BAD_HEADERS: Final[list[tuple[str, str]]] = [
    ("nonsense", "bad_json"),
    ("[]", "bad_json"),
    ("{}", "bad_header"),
    (json.dumps({"format": "euchre/2", "rules": {}}), "bad_header"),
    (json.dumps({"format": FORMAT}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": []}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": {}, "players": {}}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": {}, "players": [1]}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": {}, "game": 7}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": {}, "preset": []}), "bad_header"),
    (json.dumps({"format": FORMAT, "rules": {"bowers": 2}}), "bad_rules"),
    (json.dumps({"format": FORMAT, "rules": {"claim": "always"}}), "bad_rules"),
]


@pytest.mark.parametrize(("line", "code"), BAD_HEADERS)
def test_a_bad_header_is_refused_at_once(line: str, code: str) -> None:
    """With n 0, before any entry is read."""
    with pytest.raises(RecordError) as caught:
        replay([line, "never read"])
    assert (caught.value.n, caught.value.code) == (0, code)
    assert caught.value.detail


@pytest.mark.parametrize("lines", [[], [""], ["", " \n"]])
def test_an_empty_record_is_refused(lines: list[str]) -> None:
    with pytest.raises(RecordError) as caught:
        replay(lines)
    assert (caught.value.n, caught.value.code) == (0, "bad_header")


FAULTS: Final[list[tuple[str, str]]] = [
    ("nonsense", "bad_json"),
    ("[2]", "bad_json"),
    ("null", "bad_json"),
    ("[" * 10_000, "bad_json"),
    ('{"n":2,"seat":1,"do":"pass"', "bad_json"),
    (json.dumps({"n": 2, "seat": 1, "do": "pass", "note": "x" * MAX_LINE_CHARS}), "too_long"),
    ('{"seat":1,"do":"pass"}', "bad_number"),
    ('{"n":1,"seat":1,"do":"pass"}', "bad_number"),
    ('{"n":3,"seat":1,"do":"pass"}', "bad_number"),
    ('{"n":"2","seat":1,"do":"pass"}', "bad_number"),
    ('{"n":2.0,"seat":1,"do":"pass"}', "bad_number"),
    ('{"n":2}', "bad_entry"),
    ('{"n":2,"seat":1}', "bad_entry"),
    ('{"n":2,"do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":4,"do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":-1,"do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":true,"do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":1.0,"do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":"1","do":"pass"}', "bad_entry"),
    ('{"n":2,"seat":1,"do":["pass"]}', "bad_entry"),
    ('{"n":2,"seat":1,"do":"pass","reveal":{"secret":""}}', "bad_entry"),
    ('{"n":2,"reveal":{}}', "bad_entry"),
    ('{"n":2,"seat":1,"do":"sing"}', "bad_action"),
    ('{"n":2,"seat":1,"do":"play 6h"}', "card_not_held"),
    ('{"n":2,"seat":2,"do":"pass"}', "not_your_turn"),
    ('{"n":2,"seat":1,"do":"call s"}', "wrong_phase"),
    (json.dumps(DEAL | {"n": 2, "deal": DEAL["deal"] | {"hand": 2}}), "wrong_phase"),
]


@pytest.mark.parametrize(("line", "code"), FAULTS)
def test_the_first_bad_entry_stops_the_record(line: str, code: str) -> None:
    """Its number and a stable code are told, and nothing after it is applied."""
    steps, error = followed([*lines_of(DEAL), line, '{"n":3,"seat":2,"do":"pass"}'])
    assert (error.n, error.code) == (2, code)
    assert error.detail
    assert [step.n for step in steps] == [1]


def test_two_records_in_one_file_are_told_apart() -> None:
    lines = lines_of(DEAL)
    _, error = followed([*lines, *lines])
    assert str(error) == "entry 2: another record begins here; a file holds one"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hand": 2}, "bad_deal"),
        ({"hand": 0}, "bad_deal"),
        ({"dealer": 4}, "bad_deal"),
        ({"deck": DECK[:-2]}, "bad_deal"),
        ({"deck": DECK[:-2] + DECK[:2]}, "bad_deal"),
        ({"deck": DECK[:-1]}, "bad_card"),
        ({"deck": "Xx" + DECK[2:]}, "bad_card"),
        ({"deck": list(parse_cards(DECK))}, "bad_entry"),
        ({"dealer": True}, "bad_entry"),
        ({"hand": True}, "bad_entry"),
        ({"hand": 1.0}, "bad_entry"),
        ({"dealer": None}, "bad_entry"),
    ],
)
def test_a_deal_that_does_not_fit_stops_the_record(change: dict[str, Any], code: str) -> None:
    steps, error = followed(lines_of(DEAL | {"deal": DEAL["deal"] | change}))
    assert (steps, error.n, error.code) == ([], 1, code)


def test_an_illegal_card_stops_the_record_where_it_is_played() -> None:
    """The words do not tell what the hand holds."""
    entries = [DEAL, {"n": 2, "seat": 1, "do": "order"}, {"n": 3, "seat": 0, "do": "discard 9h"}]
    lead = {"n": 4, "seat": 1, "do": "play 9s"}
    revoke = {"n": 5, "seat": 2, "do": "play Qh"}
    hands = {1: "9s Ts As Kd Ad", 2: "Js Qh Kh Ah Th"}
    deck = "".join(stacked_deck(Rules(), hands=hands, upcard="9h"))
    entries[0] = DEAL | {"deal": DEAL["deal"] | {"deck": deck}}
    steps, error = followed(lines_of(*entries, lead, revoke))
    assert (error.n, error.code, len(steps)) == (5, "must_follow_suit", 4)
    assert not any(card in error.detail for card in ("Js", "Qh", "Kh", "Ah", "Th"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.sampled_from(["pass", "order", DECK, "s", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["n", "seat", "do", "deal", "hand", "dealer", "deck", "reveal", "secret", "result", "score"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_entry_is_followed_or_a_fault_of_the_engines_own(value: object) -> None:
    """Whatever stands in a record, following it never fails in another way."""
    try:
        steps = list(replay([HEADER, json.dumps(value)])[1])
    except RecordError as error:
        assert error.code  # noqa: PT017  # which error comes, if any, is up to the value
    else:
        assert [step.n for step in steps] == [1]


@given(st.text())
def test_any_line_is_read_or_a_fault_of_the_engines_own(line: str) -> None:
    try:
        list(replay([HEADER, line])[1])
        list(replay([line])[1])
    except RecordError as error:
        assert error.n in {0, 1}  # noqa: PT017  # which error comes, if any, is up to the line


def test_an_entry_can_be_followed_by_itself() -> None:
    """What a log that is no file does."""
    game, events = follow(new_game(Rules()), DEAL)
    assert (game.standing.hands_dealt, len(events)) == (1, 5)
