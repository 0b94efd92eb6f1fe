"""What a client may send: each message's fields, their bounds, and what is said about one that is wrong."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from protocol.codes import (
    MAX_INTEGER,
    MAX_WORKER_SLOTS,
    RESUME_MAX_TABLES,
    SAY_MAX_CHARS,
    SAY_PRESETS,
    RefusalCode,
    SayPreset,
)
from protocol.errors import ProtocolViolationError
from protocol.messages import Act, ClientMessage, Hello, Ping, parse_client_message

EXAMPLES: dict[str, dict[str, Any]] = {
    "hello": {"version": 1},
    "whose": {"token": "a-token"},
    "renew_token": {},
    "register_bot": {"name": "Deep Barn"},
    "revoke_bot": {"name": "Deep Barn"},
    "bots": {},
    "tables": {},
    "create": {"preset": "standard", "visibility": "private", "clock": "none"},
    "join": {"code": "KQ7M"},
    "leave": {"table": "t1"},
    "watch": {"table": "t1"},
    "unwatch": {"table": "t1"},
    "fill": {"table": "t1"},
    "start": {"table": "t1"},
    "act": {"table": "t1", "turn": 4, "action": "pass"},
    "away": {"table": "t1", "on": True},
    "entropy": {"table": "t1", "text": "4"},
    "more_time": {"table": "t1", "turn": 4},
    "game": {"table": "t1"},
    "games": {},
    "hint": {"table": "t1"},
    "analyse": {"table": "t1", "hand": 2},
    "sync": {"table": "t1", "seq": 0},
    "say": {"table": "t1", "text": "Hello!"},
    "ping": {},
    "work": {"token": "secret", "slots": 2},
    "decided": {"id": 1, "action": "pass"},
    "weighed": {"id": 1, "worths": []},
}


def make(kind: str, **changed: Any) -> dict[str, Any]:
    ref = {} if kind in {"decided", "weighed"} else {"ref": 7}
    return {"t": kind} | ref | EXAMPLES[kind] | changed


def refusal_of(plain: object) -> ProtocolViolationError:
    with pytest.raises(ProtocolViolationError) as raised:
        parse_client_message(plain)
    error = raised.value
    assert isinstance(error.code, RefusalCode)
    assert len(error.detail) <= 100
    assert error.detail.isprintable()
    return error


def test_there_is_an_example_of_every_message() -> None:
    names = [model.model_fields["t"].annotation for model in get_args(ClientMessage)]
    assert [get_args(name)[0] for name in names] == list(EXAMPLES)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_message_with_its_required_fields_is_read(kind: str) -> None:
    message = parse_client_message(make(kind))
    assert message.t == kind
    assert message.model_dump(exclude_none=True) == make(kind)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_required_field_is_missed_by_name(kind: str) -> None:
    for name in make(kind):
        if name == "t" or (
            kind in {"join", "watch", "say"} and name != "ref" and not (kind == "say" and name == "table")
        ):
            continue
        plain = make(kind)
        del plain[name]
        error = refusal_of(plain)
        assert (error.code, error.detail) == (RefusalCode.BAD_MESSAGE, f"`{name}` is missing")


@pytest.mark.parametrize("kind", EXAMPLES)
def test_an_unknown_field_is_refused(kind: str) -> None:
    error = refusal_of(make(kind, colour="red"))
    assert error.code is RefusalCode.BAD_MESSAGE
    assert error.detail == f"`colour` is not a field of `{kind}`"
    assert error.ref == (None if kind in {"decided", "weighed"} else 7)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_optional_fields_may_be_null(kind: str) -> None:
    model = type(parse_client_message(make(kind)))
    optional = {name: None for name, field in model.model_fields.items() if not field.is_required()}
    assert parse_client_message(optional | make(kind)) == parse_client_message(make(kind))


@pytest.mark.parametrize("kind", [kind for kind in EXAMPLES if kind not in {"decided", "weighed"}])
@pytest.mark.parametrize("ref", ["7", 7.0, True, None, 0, -1, MAX_INTEGER + 1, [7]], ids=repr)
def test_a_ref_is_a_whole_number_in_range(kind: str, ref: object) -> None:
    error = refusal_of(make(kind, ref=ref))
    assert error.code is RefusalCode.BAD_MESSAGE
    assert error.ref is None


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("hello", "version", "1"),
        ("hello", "version", True),
        ("hello", "version", -1),
        ("hello", "token", ""),
        ("hello", "token", "x" * 129),
        ("hello", "token", "with space"),
        ("hello", "token", "line\n"),
        ("hello", "name", 5),
        ("hello", "name", "x" * 97),
        ("hello", "client", "x" * 65),
        ("hello", "resume", []),
        ("hello", "resume", {"t1": -1}),
        ("hello", "resume", {"t1": "5"}),
        ("hello", "resume", {"t1": None}),
        ("hello", "resume", {"no such id": 1}),
        ("hello", "resume", {f"t{n}": 1 for n in range(RESUME_MAX_TABLES + 1)}),
        ("tables", "filter", "mine"),
        ("create", "preset", "Standard"),
        ("create", "preset", ""),
        ("create", "preset", None),
        ("create", "rules", {"target": 1.5}),
        ("create", "rules", {"target": [5]}),
        ("create", "rules", {"target": 1001}),
        ("create", "rules", {"Target": 5}),
        ("create", "rules", {f"rule_{n}": 1 for n in range(65)}),
        ("create", "visibility", "secret"),
        ("create", "clock", "blitz"),
        ("create", "bots", 3),
        ("create", "spectators", 1),
        ("create", "bots_stay", 1),
        ("create", "spectators", "yes"),
        ("create", "seed", -1),
        ("create", "seed", MAX_INTEGER + 1),
        ("create", "seed", "7"),
        ("join", "seat", 4),
        ("join", "seat", -1),
        ("join", "seat", "0"),
        ("join", "seat", False),
        ("join", "table", "t1"),  # beside the code
        ("join", "code", None),
        ("join", "code", "x" * 17),
        ("leave", "table", ""),
        ("leave", "table", "x" * 33),
        ("leave", "table", "tä"),
        ("leave", "table", "t1\n"),
        ("leave", "table", None),
        ("fill", "level", "Very Hard"),
        ("act", "turn", "4"),
        ("act", "turn", 4.0),
        ("act", "turn", -1),
        ("act", "action", None),
        ("act", "action", 4),
        ("act", "action", ["play", "Jd"]),
        ("act", "action", "x" * 65),
        ("act", "action", {"do": ["play"]}),
        ("act", "action", {"do": {"do": "play"}}),
        ("act", "action", {"do": "x" * 65}),
        ("act", "action", {"x" * 17: 1}),
        ("act", "action", {f"f{n}": 1 for n in range(9)}),
        ("away", "on", 1),
        ("away", "on", "true"),
        ("sync", "seq", MAX_INTEGER + 1),
        ("say", "text", ""),
        ("say", "text", "x" * (SAY_MAX_CHARS + 1)),
        ("say", "text", None),
        ("say", "preset", "hello"),  # beside the text
        ("work", "slots", 0),
        ("work", "slots", MAX_WORKER_SLOTS + 1),
        ("weighed", "id", 0),
        ("weighed", "worths", [{"action": "pass", "points": 101.0, "error": 0.0}]),
        ("weighed", "worths", [{"action": "pass", "points": 1.0, "error": float("nan")}]),
        ("analyse", "hand", 0),
        ("decided", "id", 0),
        ("decided", "action", {"do": "pass"}),
        ("decided", "action", "x" * 65),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_value_of_another_type_or_out_of_bounds_is_refused(kind: str, field: str, value: object) -> None:
    assert refusal_of(make(kind, **{field: value})).code is RefusalCode.BAD_MESSAGE


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("hello", "resume", {f"t{n}": MAX_INTEGER for n in range(RESUME_MAX_TABLES)}),
        ("hello", "name", "x" * 96),
        ("create", "rules", {"target": None, "hands": 12, "low_no_trump": False, "all_pass": "redeal"}),
        ("create", "seed", MAX_INTEGER),
        ("join", "seat", 3),
        ("act", "action", {"do": "play", "card": "Jd"}),
        ("act", "action", {"do": "play", "card": None}),
        ("act", "action", {"do": "call", "trump": "s", "alone": True}),
        ("act", "turn", MAX_INTEGER),
        ("say", "text", "🂡" * SAY_MAX_CHARS),
        ("ping", "ref", MAX_INTEGER),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_values_up_to_their_bounds_are_taken(kind: str, field: str, value: object) -> None:
    message = parse_client_message(make(kind, **{field: value}))
    assert getattr(message, field) == value
    assert type(getattr(message, field)) is type(value)


def test_true_in_rules_stays_true_and_one_stays_one() -> None:
    message = parse_client_message(make("create", rules={"low_no_trump": True, "jokers": 1}))
    assert message.model_dump()["rules"]["low_no_trump"] is True
    assert message.model_dump()["rules"]["jokers"] == 1
    assert type(message.model_dump()["rules"]["jokers"]) is int


@pytest.mark.parametrize(
    "plain", [{"t": "dance", "ref": 7}, {"t": "OK", "ref": 7}, {"t": None, "ref": 7}, {"t": [], "ref": 7}]
)
def test_a_message_nobody_knows_is_refused_as_unknown_with_its_ref(plain: dict[str, Any]) -> None:
    error = refusal_of(plain)
    assert error.code is RefusalCode.UNKNOWN_MESSAGE
    assert error.ref == 7


@pytest.mark.parametrize("plain", [None, 1, "hello", [], [make("ping")], True])
def test_what_is_no_object_is_refused(plain: object) -> None:
    error = refusal_of(plain)
    assert (error.code, error.detail, error.ref) == (RefusalCode.BAD_MESSAGE, "a message must be an object", None)


def test_an_object_without_a_name_is_refused() -> None:
    error = refusal_of({"ref": 7})
    assert (error.code, error.detail, error.ref) == (RefusalCode.BAD_MESSAGE, "`t` is missing", 7)


@pytest.mark.parametrize("name", [5, None, b"on"])
def test_a_field_whose_name_is_no_text_is_refused(name: object) -> None:
    assert refusal_of({"t": "ping", "ref": 7, name: 1}).detail == "a field has a name that is not text"


@pytest.mark.parametrize(
    ("kind", "changed", "detail"),
    [
        ("act", {"turn": "4"}, "`turn` must be a whole number"),
        ("act", {"turn": -1}, "`turn` must be 0 or more"),
        ("act", {"action": 5}, "`action` must be an action's text or its object"),
        ("act", {"table": "?"}, "`table` is not written as it should be"),
        ("away", {"on": "yes"}, "`on` must be true or false"),
        ("leave", {"table": 5}, "`table` must be text"),
        ("hello", {"resume": 5}, "`resume` must be an object"),
        ("hello", {"resume": {"t1": "x"}}, "`resume` must map ids of tables to numbers from 0 up"),
        ("create", {"rules": {"target": "x" * 33}}, "`rules` must map names of rules to numbers, words, true or false"),
        ("create", {"clock": "blitz"}, "`clock` must be 'normal', 'slow', 'fast' or 'none'"),
        ("say", {"text": "x" * 201}, "`text` must be 200 characters or shorter"),
        ("say", {"text": ""}, "`text` must not be empty"),
        ("say", {"preset": "hello"}, "give either `text` or `preset`"),
        ("join", {"table": "t1"}, "give either `table` or `code`"),
        ("work", {"slots": 65}, "`slots` must be 64 or less"),
    ],
)
def test_a_refusal_names_the_field_in_plain_words(kind: str, changed: dict[str, Any], detail: str) -> None:
    assert refusal_of(make(kind, **changed)).detail == detail


@pytest.mark.parametrize(
    "plain",
    [
        make("ping") | {"s3cret" * 1000: 1},
        make("ping") | {"<b>bold</b>": 1},
        make("ping", ref="s3cret"),
        make("leave", table="s3cret?"),
        make("hello", resume={"s3cret?": 1}),
        make("create", rules={"s3cret?": 1}),
        make("act", action={"s3cret?" * 5: 1}),
        {"t": "s3cret", "ref": 1},
    ],
)
def test_a_refusal_repeats_nothing_a_client_made_up(plain: dict[str, Any]) -> None:
    detail = refusal_of(plain).detail
    assert "s3cret" not in detail
    assert "<" not in detail


def test_messages_cannot_be_changed() -> None:
    message = parse_client_message(make("ping"))
    assert isinstance(message, Ping)
    with pytest.raises(ValidationError):
        message.ref = 8  # type: ignore[misc]


def test_messages_say_what_they_are() -> None:
    hello = parse_client_message(make("hello", token="abc", resume={"t1": 4}))
    act = parse_client_message(make("act"))
    assert isinstance(hello, Hello)
    assert (hello.token, hello.resume, hello.name) == ("abc", {"t1": 4}, None)
    assert isinstance(act, Act)
    assert (act.table, act.turn, act.action) == ("t1", 4, "pass")


def test_every_fixed_line_has_its_words() -> None:
    assert tuple(SAY_PRESETS) == get_args(SayPreset)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3),
    max_leaves=6,
)
field_names = st.sampled_from(
    sorted({name for example in EXAMPLES.values() for name in example} | {"ref", "seat", "rules"})
)


@given(plain=anything)
def test_any_object_is_a_message_or_a_refusal(plain: object) -> None:
    refusal_of(plain)


@given(kind=st.sampled_from(sorted(EXAMPLES)), changed=st.dictionaries(field_names, anything, max_size=3))
def test_any_fields_are_a_message_or_a_refusal(kind: str, changed: dict[str, Any]) -> None:
    plain = make(kind, **changed)
    try:
        message = parse_client_message(plain)
    except ProtocolViolationError as error:
        assert isinstance(error.code, RefusalCode)  # noqa: PT017 - some of these are messages
    else:
        assert message.t == kind
