"""Whatever a file holds, reading it gives a game or one fault of our own, soon, and with a place."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.interchange import FORMATS, InterchangeError, Study, decode, guess_format, study_lines
from engine.interchange.reports import Loss, printable
from engine.interchange.source import MAX_BYTES
from engine.record import replay
from engine.rules import Rules, make_rules
from tests.engine.interchange.games import VALUES, fitting, random_record, seeds

BOTH_WAYS: Final = ("egn", "ptn", "openspiel")
PIECES: Final = (
    '"', "[", "]", "{", "}", ",", ":", "\\", "-1", "0", "3", "99", "1e999", "null", "true", '"x"', "Pass", "Order", "-",
    "♥", "alone", "Jd", "9s", "HJ", "Bj", "JH", "B", "L", "Xx", "\n", '[Play "N"]', '[Deal "S:- - - -"]',
    '"discard": "9s",', "S:N:DQ", "24", "30", "\x00", "\ufeff", "\u0661",
)  # fmt: skip


def read(name: str, text: str) -> list[str] | Study | InterchangeError:
    """Load a text; any error but ours fails the test. What comes is a record that can be followed, or a study."""
    load = FORMATS[name].load
    assert load is not None
    try:
        loaded, losses = load(text)
    except InterchangeError as error:
        return error
    assert all(isinstance(loss, Loss) for loss in losses)
    if isinstance(loaded, Study):
        assert all(json.loads(line) for line in study_lines(loaded))
    else:
        assert len(list(replay(loaded)[1])) == len(loaded) - 1
    return loaded


# ── anything at all ──────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_a_fault(data: bytes) -> None:
    try:
        text = decode(data)
    except InterchangeError as error:
        assert error.line  # noqa: PT017 - which bytes are a fault is up to them
        return
    for name in BOTH_WAYS:
        read(name, text)


@given(st.text(st.sampled_from('[]{}":,\\ \n-SWNEshdc79TJQKAB012345Pass')) | st.text())
def test_any_text_is_a_game_or_a_fault(text: str) -> None:
    for name in BOTH_WAYS:
        read(name, text)
    with suppress(InterchangeError):
        assert guess_format(text) in BOTH_WAYS


FIELDS: Final = (
    "fileType", "version", "metadata", "deals", "players", "initialScore", "ruleset", "initialState", "phases",
    "dealNumber", "dealer", "upCard", "playerCards", "type", "calls", "tricks", "actions", "game", "hand",
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["Pass", "9s", "Order", "Xx", "1.4"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(FIELDS),
        inner,
        max_size=6,
    ),
    max_leaves=20,
)  # fmt: skip


@given(json_values)
def test_any_json_is_a_game_or_a_fault(value: object) -> None:
    for name in ("egn", "openspiel"):
        read(name, json.dumps(value))
    document = {"fileType": "Euchre Game Notation", "version": "1.4", "metadata": value, "deals": value}
    read("egn", json.dumps(document))
    document["metadata"] = {"players": [], "initialScore": [0, 0]}
    read("egn", json.dumps(document))


# ── files that were whole ────────────────────────────────────────────────────────────────────────────────────────────


def _texts() -> list[tuple[str, str]]:
    found = []
    for seed in range(12):
        rng = Random(seed)
        chosen = {name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.25}
        lines = random_record(fitting(chosen), seed, hands=2)
        for name in BOTH_WAYS:
            try:
                found.append((name, FORMATS[name].export(lines)[0]))
            except InterchangeError:
                assert name == "openspiel"
    return found


TEXTS: Final = _texts()


def mutated(text: str, rng: Random) -> str:
    """Return *text* with a few pieces cut, put in, replaced, moved or doubled."""
    for _ in range(rng.choice([1, 1, 1, 2, 4, 8])):
        at = rng.randrange(len(text) + 1)
        end = at + rng.randrange(1, 12)
        lines = text.split("\n")
        match rng.randrange(6):
            case 0:
                text = text[:at] + text[end:]
            case 1:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[end:]
            case 3:
                one_line, other_line = rng.randrange(len(lines)), rng.randrange(len(lines))
                lines[one_line], lines[other_line] = lines[other_line], lines[one_line]
                text = "\n".join(lines)
            case 4:
                lines.insert(rng.randrange(len(lines)), rng.choice(lines))
                text = "\n".join(lines)
            case _:
                words = list(re.finditer(r"\w+", text)) or list(re.finditer("$", text))
                one, other = rng.choice(words), rng.choice(words)
                text = text[: one.start()] + other[0] + text[one.end() :]
    return text


@given(seeds)
@settings(max_examples=300)
def test_a_spoiled_file_is_a_game_or_a_fault(seed: int) -> None:
    rng = Random(seed)
    name, text = rng.choice(TEXTS)
    read(name, mutated(text, rng))


@given(seeds, st.sampled_from(BOTH_WAYS))
@settings(max_examples=60)
def test_a_spoiled_record_is_exported_or_a_fault(seed: int, name: str) -> None:
    """With the line of the entry at fault, unless the other format has no place for what is left."""
    rng = Random(seed)
    text = mutated("\n".join(random_record(Rules(), seed % 50)), rng)
    try:
        FORMATS[name].export(text.split("\n"))
    except InterchangeError as error:
        assert error.detail  # noqa: PT017 - whether there is a fault is up to the mutation


# ── faults of records ────────────────────────────────────────────────────────────────────────────────────────────────

RECORD: Final = random_record(make_rules("standard", {"target": 5}), 7, is_cut=False)


def fault_of_record(lines: list[str]) -> InterchangeError:
    with pytest.raises(InterchangeError) as caught:
        FORMATS["egn"].export(lines)
    return caught.value


def test_a_record_in_the_wrong_order_or_with_lines_missing_is_refused_with_its_line() -> None:
    swapped = [*RECORD[:4], RECORD[5], RECORD[4], *RECORD[6:]]
    assert fault_of_record(swapped).line == 5
    missing = [*RECORD[:6], *RECORD[7:]]
    assert (fault_of_record(missing).line, fault_of_record(missing).hand) == (7, 1)
    assert fault_of_record(["", *missing]).line == 8
    assert fault_of_record(RECORD[1:]).detail == 'the first line must have "format": "euchre/1"'
    assert fault_of_record([]).detail == "the record is empty"


def test_a_record_with_another_format_in_it_is_refused() -> None:
    ptn, _ = FORMATS["ptn"].export(RECORD)
    fault = fault_of_record([*RECORD[:10], *ptn.split("\n"), *RECORD[10:]])
    assert (fault.line, fault.detail) == (11, "the line is no JSON object")


def test_a_record_tells_hand_and_trick_of_its_fault() -> None:
    plays = [at for at, line in enumerate(RECORD) if '"do":"play' in line]
    again = json.loads(RECORD[plays[5]]) | {"do": json.loads(RECORD[plays[1]])["do"]}
    fault = fault_of_record([*RECORD[: plays[5]], json.dumps(again), *RECORD[plays[5] + 1 :]])
    assert (fault.line, fault.hand, fault.trick) == (plays[5] + 1, 1, 2)
    assert str(fault).startswith(f"line {plays[5] + 1}, hand 1, trick 2: ")


# ── sizes, depths, encodings ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "detail", "line"),
    [
        (b" " * (MAX_BYTES + 1), "a file may have 8000000 bytes", None),
        (b"ok\n\xff", "the file is not UTF-8", 2),
        ("Grüße".encode("latin-1"), "the file is not UTF-8", 1),
        ("[Deal]".encode("utf-16"), "the file is UTF-16; it must be UTF-8", 1),
        ("[Deal]".encode("utf-32"), "the file is UTF-32; it must be UTF-8", 1),
        ("[Deal]".encode("utf-16-le"), "the file holds a NUL; it must be UTF-8 text", 1),
    ],
)
def test_other_encodings_and_sizes_are_refused(data: bytes, detail: str, line: int | None) -> None:
    with pytest.raises(InterchangeError) as caught:
        decode(data)
    assert (caught.value.detail, caught.value.line) == (detail, line)


def test_a_byte_order_mark_is_passed_over() -> None:
    assert decode("\ufeff[Deal]".encode()) == "[Deal]"


@pytest.mark.parametrize("name", BOTH_WAYS)
@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        '{"a":' * 1_000_000,
        '"' * 1_000_000,
        "9" * 1_000_000,
        "9 " * 1_000_000,
        "x" * 7_900_000,
        "\\" * 1_000_000,
        '[Deal "' + "9." * 1_000_000 + '"]',
        '[Deal "S:' + "- " * 1_000_000 + '"]',
        '{"fileType":"Euchre Game Notation","version":"1.4","metadata":{"players":[],"initialScore":[0,0]},"deals":['
        + "1," * 500_000
        + "1]}",
        "[" + "0," * 500_000 + "0]",
    ],
    ids=lambda text: text[:12],
)
def test_long_and_deep_files_are_refused_soon(name: str, text: str) -> None:
    assert isinstance(read(name, text), InterchangeError)


def test_a_text_longer_than_a_file_may_be_is_refused() -> None:
    for name in BOTH_WAYS:
        error = read(name, "x" * (MAX_BYTES + 1))
        assert isinstance(error, InterchangeError)
        assert error.detail == "a file may have 8000000 bytes"


# ── which format it is ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", BOTH_WAYS)
def test_what_we_write_is_known_again(name: str) -> None:
    text, _ = FORMATS[name].export(random_record(make_rules("standard", {"upcard_discard": False}), 1))
    assert guess_format(text) == name
    assert guess_format(f"\n \n{text}") == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("% made by hand\n[Deal", "egn"),
        ('% made by hand\n\n[Deal "S:- - - -"]', "ptn"),
        ("0 1 2", "openspiel"),
        ("[0, 1]", "openspiel"),
        ("[]", "openspiel"),
        ('{"actions": []}', "openspiel"),
        ('{"version": "1.4", "fileType": "x"}', "egn"),
    ],
)
def test_formats_are_guessed_by_content(text: str, name: str) -> None:
    if name == "egn" and "fileType" not in text:
        with pytest.raises(InterchangeError, match="this is no format that can be imported"):
            guess_format(text)
    else:
        assert guess_format(text) == name


def test_our_own_records_and_studies_are_not_imported() -> None:
    for line in (RECORD[0], '{"format":"euchre-study/1"}'):
        with pytest.raises(InterchangeError, match="one of our own records or studies"):
            guess_format(line)


def test_guessing_takes_no_longer_than_reading() -> None:
    """Patterns that could try many ways of matching a long text do not."""
    for text in ("%" * 1_000_000, "%\n" * 500_000, " " * 1_000_000, "[" * 1_000_000, "\n" * 1_000_000):
        with pytest.raises(InterchangeError):
            guess_format(text)


# ── what is said ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_said_holds_signs_a_terminal_obeys() -> None:
    """Names of fields, tags and values come from strangers."""
    nasty = "\x1b]0;x\x07\n"
    header, *rest = RECORD
    told = json.loads(header) | {nasty: 1, "preset": nasty}
    _, losses = FORMATS["egn"].export([json.dumps(told), *rest])
    assert all(printable(str(loss)) == str(loss) for loss in losses)
    for text in (json.dumps({nasty: 1}), json.dumps({"fileType": nasty}), nasty, f'[Deal "{nasty}"]'):
        for name in BOTH_WAYS:
            error = read(name, text)
            assert isinstance(error, InterchangeError)
            assert str(error).isprintable()
