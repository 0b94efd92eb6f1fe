"""PROTOCOL.md says what the program does: its examples are decoded, and its tables are those of the code."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import pytest
from pydantic import TypeAdapter

from engine.actions import action_from_plain, parse_action
from engine.errors import Code
from engine.events import Event
from engine.plain import EVENT_KINDS, event_from_plain, event_to_plain, view_from_plain, view_to_plain
from engine.rules import make_rules, rules_to_plain
from engine.state import Phase
from engine.view import View
from protocol import codes, outgoing
from protocol.client import ClientSession
from protocol.codec import JSON, MSGPACK
from protocol.codes import SAY_PRESETS, CloseCode, RefusalCode
from protocol.incoming import parse_server_message
from protocol.messages import ClientMessage, parse_client_message
from protocol.outgoing import ListedTable, ServerMessage, TableInfo
from protocol.table_events import TABLE_EVENT_KINDS, TableEvent, table_event_from_plain, table_event_to_plain
from server.clock import CLOCKS
from server.limits import RATES, Throttle
from server.session import limits_told

DOCUMENT = (Path(__file__).parents[2] / "protocol" / "PROTOCOL.md").read_text(encoding="utf-8")

CLIENT_MODELS = {get_args(model.model_fields["t"].annotation)[0]: model for model in get_args(ClientMessage)}
SERVER_TYPES = {get_args(get_type_hints(kind)["t"])[0]: kind for kind in get_args(ServerMessage)}
CODES_OF_THE_LOG_ALONE = {Code.BAD_DEAL}
"""No client deals, so no client is refused a deal."""


@cache
def sections() -> dict[str, str]:
    """Return the text under each heading, up to the next heading of any level."""
    parts = re.split(r"^#{1,4} (.+)$", DOCUMENT, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def part(number: int) -> str:
    """Return a numbered section with its subsections."""
    return re.split(r"^## \d+\. .+$", DOCUMENT, flags=re.MULTILINE)[number]


def rows(text: str) -> list[list[str]]:
    """Return the cells of every row of the tables in *text* that begins with a code word or number."""
    lines = [line for line in text.splitlines() if re.match(r"\| (`|\d)", line)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def examples(text: str) -> list[Any]:
    """Return the values in the JSON blocks of *text*: one a line, or one a block that begins with a bracket."""
    values: list[Any] = []
    for block in re.findall(r"^```json\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        values += [json.loads(block)] if block.startswith("[") else [json.loads(line) for line in block.splitlines()]
    return values


def transcripts(language: str = "transcript") -> list[list[tuple[str, Any]]]:
    """Return each transcript as pairs of an arrow and a frame."""
    found = []
    for block in re.findall(rf"^```{language}\n(→.*?|←.*?)^```$", DOCUMENT, flags=re.MULTILINE | re.DOTALL):
        frames = re.split(r"^(?=[→←])", block, flags=re.MULTILINE)[1:]
        found.append([(frame[0], json.loads(frame[1:])) for frame in frames])
    return found


def strictly(kind: type[Any], plain: Any) -> None:
    """Check *plain* against a field table, in which a field that is not listed is a mistake."""
    read = TypeAdapter(kind).validate_json(json.dumps(plain), strict=True)
    assert read == plain, "a field of the example is not in the table"


def check_client_example(plain: dict[str, Any]) -> None:
    message = parse_client_message(JSON.decode(json.dumps(plain)))
    assert message == parse_client_message(MSGPACK.decode(MSGPACK.encode(plain)))
    if message.t == "act":
        action_from_plain(plain["action"])


def check_server_example(plain: dict[str, Any]) -> None:
    strictly(SERVER_TYPES[plain["t"]], plain)
    read: Any = parse_server_message(plain)
    assert read == plain
    for codec in (JSON, MSGPACK):
        assert codec.decode_frame(codec.frame([codec.encode(plain)])) == [plain]
    for event in plain.get("events", ()):
        check_event(event)
    if plain["t"] == "view" and plain["view"]["game"] is not None:
        check_view(plain["view"]["game"])
    if plain["t"] in {"decide", "weigh"}:
        check_view(plain["view"])
    for text in plain.get("legal", ()):
        assert str(parse_action(text)) == text
    if plain["t"] == "refused":
        assert plain["code"] in set(RefusalCode) | set(Code)


def check_event(plain: dict[str, Any]) -> None:
    """An example of an event is exactly what the program makes of it."""
    event = event_from_plain(plain)
    if event is not None:
        assert json.loads(json.dumps(event_to_plain(event))) == plain
        return
    table_event = table_event_from_plain(plain)
    assert table_event is not None, f"no event is called {plain['e']}"
    assert table_event_to_plain(table_event) == plain


def check_view(plain: dict[str, Any]) -> None:
    assert json.loads(json.dumps(view_to_plain(view_from_plain(plain)))) == plain


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", CLIENT_MODELS)
def test_every_client_message_has_examples_and_all_its_fields_stand_in_one(kind: str) -> None:
    given = examples(sections()[f"`{kind}`"])
    assert given
    for plain in given:
        assert plain["t"] == kind
        check_client_example(plain)
    shown = {name for plain in given for name in plain}
    assert shown == set(CLIENT_MODELS[kind].model_fields)


@pytest.mark.parametrize("kind", SERVER_TYPES)
def test_every_server_message_has_examples_and_all_its_fields_stand_in_one(kind: str) -> None:
    given = examples(sections()[f"`{kind}`"])
    assert given
    for plain in given:
        assert plain["t"] == kind
        check_server_example(plain)
    shown = {name for plain in given for name in plain}
    assert shown == set(get_type_hints(SERVER_TYPES[kind]))


def test_every_other_example_is_a_message_a_view_or_the_events() -> None:
    for number in (6, 7, 8, 9, 10, 11, 12, 13, 14):
        for plain in examples(part(number)):
            if isinstance(plain, list):
                assert {event["e"] for event in plain} == EVENT_KINDS | TABLE_EVENT_KINDS
                for event in plain:
                    check_event(event)
            elif "viewer" in plain:
                check_view(plain)
            else:
                check_server_example(plain)


def test_the_rules_of_the_full_view_are_complete() -> None:
    (view,) = examples(sections()["`view`"])
    assert view["view"]["table"]["rules"] == rules_to_plain(make_rules("standard"))


def test_the_limits_of_the_welcome_are_ours() -> None:
    (welcome,) = examples(sections()["`welcome`"])
    assert welcome["limits"] == limits_told(Throttle(lambda: 0.0, RATES))


# ── tables of fields ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", CLIENT_MODELS)
def test_the_fields_of_a_client_message_are_all_listed(kind: str) -> None:
    listed = {words(row[0])[0]: row[1] for row in rows(sections()[f"`{kind}`"])}
    model = CLIENT_MODELS[kind]
    assert listed == {
        name: "required" if field.is_required() else "optional"
        for name, field in model.model_fields.items()
        if name not in {"t", "ref"}
    }


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        *((f"`{name}`", kind) for name, kind in SERVER_TYPES.items()),
        ("A listed table", ListedTable),
        ("A played game", outgoing.PlayedGame),
        ("TableInfo", TableInfo),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_fields_of_a_server_message_are_all_listed(heading: str, kind: type[Any]) -> None:
    listed = {words(row[0])[0]: row[1] for row in rows(sections()[heading])}
    hints = get_type_hints(kind, include_extras=True)
    assert listed == {
        name: "sometimes" if get_origin(hint) is NotRequired else "always"
        for name, hint in hints.items()
        if name != "t"
    }


def test_the_fields_of_parts_are_all_listed() -> None:
    """Small objects are listed in the row of the field that holds them."""
    for section, field, kind in (
        ("`welcome`", "player", outgoing.PlayerInfo),
        ("`welcome`", "limits", outgoing.Limits),
        ("`welcome`", "tables", outgoing.MyTable),
        ("`welcome`", "server", outgoing.ServerInfo),
        ("`view`", "view", outgoing.TableView),
        ("TableInfo", "clock", outgoing.ClockInfo),
        ("TableInfo", "seats", outgoing.SeatInfo),
        ("A listed table", "seats", outgoing.ListedSeat),
        ("A played game", "players", outgoing.PlayedSeat),
    ):
        (row,) = [row for row in rows(sections()[section]) if row[0] == f"`{field}`"]
        assert set(get_type_hints(kind)) <= set(words(row[2])), (section, field)


def test_the_fields_of_the_view_are_all_listed_in_their_order() -> None:
    assert [words(row[0])[0] for row in rows(sections()["The View"])] == [field.name for field in fields(View)]


@pytest.mark.parametrize(
    ("heading", "types", "kinds"),
    [
        ("Events of the game", get_args(Event), EVENT_KINDS),
        ("Events of the table", get_args(TableEvent), TABLE_EVENT_KINDS),
    ],
)
def test_every_event_is_listed_with_its_fields(
    heading: str, types: tuple[type[Any], ...], kinds: frozenset[str]
) -> None:
    listed = {words(row[0])[0]: set(words(row[1])) for row in rows(sections()[heading])}
    assert set(listed) == kinds
    by_name = {re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower(): kind for kind in types}
    assert listed == {name: {field.name for field in fields(kind)} for name, kind in by_name.items()}


# ── codes, limits, words ─────────────────────────────────────────────────────────────────────────────────────────────


def test_every_refusal_code_is_listed_once_and_no_other() -> None:
    listed = [words(row[0])[0] for row in rows(part(9))]
    assert len(listed) == len(set(listed))
    assert set(listed) == {str(code) for code in [*RefusalCode, *Code] if code not in CODES_OF_THE_LOG_ALONE}


def test_refusals_named_with_a_message_exist() -> None:
    known = {str(code) for code in [*RefusalCode, *Code]}
    for kind in CLIENT_MODELS:
        for sentence in re.findall(r"[Rr]efused\s+with (.+?)\.(?:\s|$)", sections()[f"`{kind}`"], flags=re.DOTALL):
            named = [word for word in words(sentence) if word != "fields"]
            assert named, sentence
            assert set(named) <= known, sentence


def test_every_close_code_is_listed_once_and_no_other() -> None:
    listed = [int(code) for row in rows(part(10)) for code in re.findall(r"\d+", row[0])]
    assert sorted(listed) == sorted(CloseCode)


def test_the_limits_are_ours() -> None:
    text = part(11)
    for limit in (
        f"{codes.MAX_FRAME_BYTES} bytes",
        f"frame | {codes.MAX_DEPTH} |",
        f"array | {codes.MAX_ITEMS} |",
        f"{codes.HELLO_TIMEOUT_S} s |",
        f"connection | {codes.MALFORMED_LIMIT} |",
        f"{codes.NAME_MAX_CHARS} characters",
        f"{codes.SAY_MAX_CHARS} characters",
        f"`resume` | {codes.RESUME_MAX_TABLES} |",
    ):
        assert limit in text


def test_the_bounds_of_messages_are_ours() -> None:
    """Every bound in a model stands in the row of its field."""
    for kind, model in CLIENT_MODELS.items():
        for row in rows(sections()[f"`{kind}`"]):
            schema = model.model_json_schema()["properties"][words(row[0])[0]]
            for bound in _bounds(schema):
                assert bound in row[2].replace("table id", "1 32").replace("table code", "1 16"), (kind, row)


def _bounds(schema: Any) -> set[str]:
    """Return the numbers and words that a JSON schema bounds a value by, as this page writes them."""
    found: set[str] = set()
    if isinstance(schema, list):
        return found.union(*map(_bounds, schema))
    if not isinstance(schema, dict):
        return found
    for name, value in schema.items():
        if name in {"minimum", "maximum", "maxLength", "maxProperties"}:
            found.add("2⁵³ − 1" if value == codes.MAX_INTEGER else str(value).replace("-", "−"))
        elif name == "enum":
            found.update(value)
        elif name == "pattern":
            found.update(re.findall(r"\{(\d+),(\d+)\}", value)[0])
        else:
            found |= _bounds(value)
    return found


def test_the_clocks_are_ours() -> None:
    def seconds(time_ms: int | None) -> str:
        return "–" if time_ms is None else f"{time_ms / 1000:g} s"

    assert rows(sections()["Clocks"]) == [
        [f"`{clock.name}`", seconds(clock.turn_ms), seconds(clock.bank_ms)] for clock in CLOCKS.values()
    ]


def test_the_fixed_lines_and_phases_are_ours() -> None:
    (row,) = [row for row in rows(sections()["`say`"]) if row[0] == "`preset`"]
    assert words(row[2]) == list(SAY_PRESETS)
    phases = {
        words(row[0])[0] for row in rows(sections()["7. Deciding"]) if row[0] in {f"`{phase}`" for phase in Phase}
    }
    assert phases == set(Phase) - {Phase.DEAL, Phase.OVER}


def test_the_two_forms_of_an_action_mean_the_same() -> None:
    pairs = [
        (text, json.loads(plain))
        for row in rows(sections()["7. Deciding"])
        if len(row) == 2
        for text, plain in zip(words(row[0]), words(row[1]), strict=True)
    ]
    assert len(pairs) == 15
    for text, plain in pairs:
        assert action_from_plain(plain) == parse_action(text)
        assert str(parse_action(text)) == text


def test_links_lead_to_headings() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#{1,4} (.+)$", DOCUMENT, flags=re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", DOCUMENT)) <= headings


# ── transcripts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_frame_of_a_transcript_is_a_frame_of_the_protocol() -> None:
    shown = [frame for story in (*transcripts(), *transcripts("")) for frame in story]
    assert len(shown) > 20
    for arrow, frame in shown:
        if arrow == "→":
            check_client_example(frame)
        else:
            for message in frame:
                check_server_example(message)


def test_a_client_can_live_through_the_transcripts() -> None:
    """The client of this package says what the transcripts say, and ends up knowing the table."""
    session = ClientSession(name="Ann", client="example/1.0")
    expected: list[dict[str, Any]] = []
    for arrow, frame in (step for story in transcripts() for step in story):
        if arrow == "←":
            for message in frame:
                session.receive(message)
            continue
        if frame["t"] == "hello":
            session.hello()
        elif frame["ref"] not in session.outstanding:
            _say(session, frame)
        expected.append(frame)
        assert session.take_outbox() == [frame]
    (known,) = session.tables.values()
    assert session.outstanding == {}
    assert known.seq == 17
    assert known.prompt is not None
    assert known.prompt["turn"] == 17
    assert known.view is not None
    assert [str(card) for card in known.view.cards] == ["Ad", "Qc"]
    assert [message["ref"] for message in expected] == [1, 2, 3, 4, 5, 6, 7, 8, 7, 9]


def _say(session: ClientSession, frame: dict[str, Any]) -> None:
    match frame["t"]:
        case "create":
            session.create(frame["preset"], visibility=frame["visibility"], clock=frame["clock"])
        case "start":
            session.start(frame["table"])
        case "act":
            session.act(frame["table"], frame["turn"], frame["action"])
        case _:
            raise AssertionError(f"no transcript says {frame['t']}")


def test_the_view_of_the_late_card_is_the_fold_of_what_was_heard() -> None:
    """A client that folds the transcript's events knows what the view at its end says."""
    session = ClientSession(name="Ann", client="example/1.0")
    folded: list[Any] = []
    for arrow, frame in (step for story in transcripts() for step in story):
        if arrow == "→":
            if frame["t"] == "hello":
                session.hello()
            else:
                session.outstanding[frame["ref"]] = frame
            continue
        for message in frame:
            if message["t"] == "view" and message["seq"] == 17:
                folded.append((session.tables["dK3xV9aQ2b"], message["view"]))
            session.receive(message)
    ((known, shown),) = folded
    assert known.view == view_from_plain(shown["game"])
    assert known.info == shown["table"]


def test_the_entries_of_the_transcripts_are_contiguous() -> None:
    seqs = [
        message["seq"]
        for story in transcripts()
        for arrow, frame in story
        if arrow == "←"
        for message in frame
        if message["t"] == "event"
    ]
    assert all(after == before + 1 for before, after in pairwise(seqs))
