"""`euchre export` and `euchre import`: files in and out, what is said, and the exit status."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from clients.cli.main import main
from engine.interchange import FORMATS
from engine.rules import make_rules
from tests.engine.interchange.games import random_record

RECORD = random_record(make_rules("standard", {"target": 5}), 3, is_in_order=True, is_cut=False)
ALIKE = {"alone_timing": "before_first_lead", "upcard_discard": False, "target": None, "hands": 2}


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Any:
    """Return a function that runs the program and returns its exit status, its output and what is on stderr."""

    def ran(*arguments: object) -> tuple[int, str, str]:
        status = main([str(argument) for argument in arguments])
        shown = capsysbinary.readouterr()
        return status, shown.out.decode(), shown.err.decode()

    return ran


@pytest.fixture
def record(tmp_path: Path) -> Path:
    file = tmp_path / "game.jsonl"
    file.write_text("".join(f"{line}\n" for line in RECORD), encoding="utf-8")
    return file


def stdin_of(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# ── out ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_record_is_written_in_every_format(run: Any, record: Path, name: str) -> None:
    status, out, _ = run("export", record, "--to", name)
    assert status == 0
    assert out == FORMATS[name].export(RECORD)[0]


def test_what_is_lost_goes_to_stderr_a_line_each(run: Any, record: Path) -> None:
    header = json.loads(RECORD[0]) | {"commit": "ab"}
    record.write_text("\n".join([json.dumps(header), *RECORD[1:]]), encoding="utf-8")
    _, _, err = run("export", record, "--to", "egn")
    assert err == "lost: header: commit\n"


def test_out_names_a_file(run: Any, record: Path, tmp_path: Path) -> None:
    """Written in UTF-8 with the line ends of the format."""
    target = tmp_path / "game.csv"
    assert run("export", record, "--to", "csv", "--out", target) == (0, "", "")
    assert target.read_bytes().decode() == FORMATS["csv"].export(RECORD)[0]
    assert target.read_bytes().endswith(b"\r\n")


@pytest.mark.parametrize("command", [("export", "--to", "egn"), ("import",)])
def test_a_file_that_is_there_is_replaced_with_force_only(
    run: Any, record: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    source, target = tmp_path / "game.egn", tmp_path / "other"
    run("export", record, "--to", "egn", "--out", source)
    target.write_text("dear to somebody")
    words = (command[0], record if command[0] == "export" else source, *command[1:], "--out", target)
    said = f"euchre: {target}: there is such a file already; --force replaces it\n"
    assert run(*words) == (1, "", said)
    assert target.read_text() == "dear to somebody"
    assert run(*words, "--force") == (0, "", "")
    assert target.read_bytes() == (source if command[0] == "export" else record).read_bytes()


def test_a_device_may_be_written_to(run: Any, record: Path) -> None:
    assert run("export", record, "--to", "csv", "--out", os.devnull) == (0, "", "")


@pytest.mark.parametrize("name", ["egn", "ptn", "openspiel"])
def test_a_game_in_another_format_is_not_exported_and_the_way_is_told(run: Any, tmp_path: Path, name: str) -> None:
    lines = random_record(make_rules("standard", ALIKE), 5, is_in_order=True, is_cut=False)
    file = tmp_path / "game"
    file.write_text(FORMATS[name].export(lines)[0], encoding="utf-8")
    said = f"this looks like {name}, and only records are exported; to make one: euchre import {file}"
    assert run("export", file, "--to", "csv") == (1, "", f"euchre: {file}: {said}\n")


def test_a_dash_reads_standard_input(run: Any, record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin_of(record.read_bytes(), monkeypatch)
    status, out, err = run("export", "-", "--to", "text")
    assert (status, err) == (0, "")
    assert out.startswith("Game g 1\n")


# ── in ───────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["egn", "ptn"])
@pytest.mark.parametrize("is_told", [True, False])
def test_what_was_exported_is_imported(run: Any, record: Path, tmp_path: Path, name: str, *, is_told: bool) -> None:
    """By its format's name, or by its content; the record that comes can be followed."""
    other = tmp_path / "other"
    run("export", record, "--to", name, "--out", other)
    status, out, err = run("import", other, *(["--from", name] if is_told else []))
    assert (status, err) == (0, "")
    assert out.splitlines() == RECORD
    again = tmp_path / "again.jsonl"
    assert run("import", other, "--out", again) == (0, "", "")
    assert run("replay", again)[0] == 0


def test_a_list_of_openspiel_is_imported_from_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = random_record(make_rules("standard", ALIKE), 5, is_in_order=True, is_cut=False)
    stdin_of(FORMATS["openspiel"].export(lines)[0].encode(), monkeypatch)
    status, out, err = run("import", "-")
    assert (status, err) == (0, "")
    assert out.splitlines()[1:] == lines[1:]


def test_what_is_not_known_whole_comes_as_a_study(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "part.ptn"
    file.write_text('[Deal "S:- AT9..AK. - -"]\n[Undealt "HJ"]\n[Auction "W"]\nPass\n', encoding="utf-8")
    status, out, err = run("import", file)
    assert status == 0
    assert err == "lost: hand 1: a dealt card is not known, so the game stays a study\n"
    header, hand = map(json.loads, out.splitlines())
    assert header["format"] == "euchre-study/1"
    assert hand["hands"] == ["??????????", "AsTs9sAdKd", "??????????", "??????????"]
    assert hand["moves"] == [[1, "pass"]]


# ── bad input ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("command", "data", "said"),
    [
        (("export", "--to", "egn"), b"", "the record is empty"),
        (("export", "--to", "egn"), b"{}", 'line 1: the first line must have "format": "euchre/1"'),
        (("export", "--to", "ptn"), "\n".join([*RECORD[:5], *RECORD[6:]]).encode(), "line 6, hand 1"),
        (("export", "--to", "csv"), b"\xff\xfe{\0", "line 1: the file is UTF-16; it must be UTF-8"),
        (("import",), b"", "the file is empty"),
        (("import",), b"hello", "this is no format that can be imported: neither EGN, PTN nor OpenSpiel's lists"),
        (("import",), RECORD[0].encode(), "line 1: this is one of our own records or studies already"),
        (("import",), b"[" * 1_000_000, "this is no format that can be imported"),
        (("import",), b"x" * 10_000_000, "a file may have 8000000 bytes"),
        (("import", "--from", "egn"), b"x" * 10_000_000, "a file may have 8000000 bytes"),
        (("import", "--from", "egn"), b'{"a":' * 100_000, "line 1: nested too deep"),
        (
            ("import", "--from", "ptn"),
            b'[Deal "S:- - - -"]\nPass',
            "line 2, hand 1: [Deal]: nothing may stand under it",
        ),
        (("import", "--from", "ptn"), b'[Deal "S:"]', "line 1, hand 1: [Deal]: there must be 4 hands"),
        (("import", "--from", "openspiel"), b"0 1 2", "line 1, hand 1: a deal takes 22 numbers, here are 3"),
        (("import",), b"0 1 2\n[Event]", "line 2: '[Event]' is no action's number"),
    ],
)
def test_bad_input_is_one_line_with_where_and_why_and_status_1(
    run: Any, tmp_path: Path, command: tuple[str, ...], data: bytes, said: str
) -> None:
    file = tmp_path / "bad"
    file.write_bytes(data)
    status, out, err = run(command[0], file, *command[1:])
    assert (status, out) == (1, "")
    assert err.startswith(f"euchre: {file}: {said}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("export", "no-such-file", "--to", "egn"), 1, "no-such-file: No such file or directory"),
        (("import", "no-such-file"), 1, "no-such-file: No such file or directory"),
        (
            ("export", "-", "--to", "pdf"),
            2,
            "--to wants one of egn, ptn, openspiel, csv, csv-decisions, text, not 'pdf'",
        ),
        (("import", "-", "--from", "csv"), 2, "--from wants one of egn, ptn, openspiel, not 'csv'"),
        (("export", "-"), 2, "--to"),
        (("import",), 2, "FILE"),
    ],
)
def test_a_senseless_command_is_one_line(run: Any, arguments: tuple[str, ...], status: int, said: str) -> None:
    found, out, err = run(*arguments)
    assert (found, out) == (status, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_place_that_cannot_be_written_is_told(run: Any, record: Path, tmp_path: Path) -> None:
    status, _, err = run("export", record, "--to", "text", "--out", tmp_path / "none" / "x")
    assert status == 1
    assert "No such file or directory" in err
