"""`euchre replay`: records as sentences and as JSON lines."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clients.cli.main import main
from engine.cards import SEATS
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.plain import event_to_plain, view_to_plain
from engine.record import action_line, deal_line, header_line, result_line
from engine.record import replay as follow_record
from engine.rules import make_rules
from engine.state import Finished
from engine.view import WATCHER, Viewer, redact_all, view_for
from tests.engine.table import shuffled

PLAYERS = [{"seat": seat, "name": name, "kind": "human"} for seat, name in enumerate(("Ann", "Bo", "Cy", "Di"))]


def random_record(seed: int, preset: str = "standard") -> list[str]:
    """Return the record of a whole game of random play."""
    rng, rules = Random(seed), make_rules(preset)
    lines = [header_line(rules, preset=preset, players=PLAYERS, game="g1")]
    game = new_game(rules)
    while not isinstance(game.stage, Finished):
        seat = to_act(game)
        if seat is None:
            deck, dealer = shuffled(rules, rng), getattr(game.stage, "dealer", None) or 0
            lines.append(deal_line(len(lines), hand=game.standing.hands_dealt + 1, dealer=dealer, deck=deck))
            game, _ = deal(game, deck, dealer=dealer)
        else:
            action = rng.choice(legal_actions(game))
            lines.append(action_line(len(lines), seat, action))
            game, _ = apply(game, seat, action)
    return [*lines, result_line(len(lines), score=game.standing.score, winner=game.stage.winner)]


RECORD = random_record(5)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return a function that replays lines and returns the exit status, the output's lines and what is on stderr."""

    def replayed(lines: list[str], *arguments: str) -> tuple[int, list[str], str]:
        file = tmp_path / "game.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        status = main(["replay", str(file), *arguments])
        shown = capsys.readouterr()
        return status, shown.out.splitlines(), shown.err

    return replayed


def test_json_prints_one_line_an_entry(run: Any) -> None:
    status, out, err = run(RECORD, "--json")
    assert (status, err) == (0, "")
    lines = [json.loads(line) for line in out]
    assert [line["n"] for line in lines] == list(range(1, len(RECORD)))
    assert all(line.keys() == {"n", "phase", "turn", "legal", "events", "score"} for line in lines)
    assert lines[0]["phase"] == "bid1"
    assert lines[0]["legal"] == ["pass", "order", "order alone"]
    assert [event["e"] for event in lines[0]["events"]] == ["hand_dealt", *["cards_dealt"] * 4]
    assert lines[-1] == {
        "n": len(RECORD) - 1,
        "phase": "over",
        "turn": None,
        "legal": [],
        "events": [],
        "score": lines[-1]["score"],
    }
    assert max(lines[-1]["score"]) >= 10


@pytest.mark.parametrize("viewer", [*SEATS, WATCHER])
def test_json_as_a_viewer_is_what_he_may_see(run: Any, viewer: Viewer) -> None:
    """The events and views are the engine's own for that viewer, entry by entry (R-VIEW-1)."""
    status, out, _ = run(RECORD, "--json", "--as", str(viewer))
    assert status == 0
    header, steps = follow_record(RECORD)
    for line, step in zip(map(json.loads, out), steps, strict=True):
        events = [event_to_plain(event) for event in redact_all(step.events, viewer, header.rules)]
        assert line["events"] == json.loads(json.dumps(events))
        assert line["view"] == json.loads(json.dumps(view_to_plain(view_for(step.game, viewer))))
        assert bool(line["legal"]) == (line["turn"] == viewer)


def test_sentences_tell_the_whole_game(run: Any) -> None:
    status, out, err = run(RECORD)
    assert (status, err) == (0, "")
    assert out[0] == "Game g1, standard rules (to 10)"
    assert sum(line.startswith("Hand ") for line in out) == sum('"deal"' in line for line in RECORD)
    assert out[-1].startswith("The game is over. ")


def test_sentences_as_a_seat_keep_the_others_cards(run: Any) -> None:
    status, out, _ = run(RECORD, "--as", "2")
    assert status == 0
    assert any(line.startswith("Your cards: ") for line in out)
    assert not any(line.startswith("The cards of ") for line in out)


@pytest.fixture
def step(run: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replays lines step by step, typing *answers*."""

    def stepped(lines: list[str], answers: str, *arguments: str) -> tuple[int, list[str], str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        status, out, err = run(lines, "--step", *arguments)
        return status, out[out.index(STEP_HELP) + 1 :], err

    return stepped


STEP_HELP = "Enter: the next entry; b: back; a number: that entry; q: end."


def entries(out: list[str]) -> list[int]:
    return [int(line.removeprefix("Entry ")) for line in out if line.startswith("Entry ")]


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        ("\n\n\nq\n\n", [1, 2, 3]),
        ("\n\nb\n\n", [1, 2, 1, 2]),
        ("20\n\nB\n5\n", [20, 21, 20, 5]),
        ("\n", [1]),
        ("", []),
        ("b\n0\n99999999999999999999\nwhat\n\n", [1]),
    ],
)
def test_step_by_step_goes_where_it_is_told(step: Any, answers: str, shown: list[int]) -> None:
    status, out, err = step(RECORD, answers)
    assert (status, err) == (0, "")
    assert entries(out) == shown


def test_step_by_step_tells_what_replay_tells(step: Any, run: Any) -> None:
    """Enter after Enter gives the sentences of the whole record, for everybody and for a seat."""
    for arguments in ((), ("--as", "2")):
        _, whole, _ = run(RECORD, *arguments)
        status, out, _ = step(RECORD, "\n" * len(RECORD), *arguments)
        assert status == 0
        assert entries(out) == list(range(1, len(RECORD)))
        told = [line for line in out if line and not line.startswith("Entry ")]
        assert told[-2:] == ["The result is written down.", "The record ends here."]
        begun = next(at for at, line in enumerate(whole) if line.startswith("Hand 1."))
        assert [line for line in whole[begun:] if line] == [line for line in told if line in whole]
        assert any("The cards of " in line for line in out) == (not arguments)


def test_a_jump_says_how_the_game_stands(step: Any) -> None:
    _, out, _ = step(RECORD, "8\nq\n", "--as", "2")
    assert any(line.strip().startswith("Score: us ") for line in out)
    assert any(line.strip().startswith("Your hand: ") for line in out)


def test_step_by_step_stops_where_the_record_breaks(step: Any) -> None:
    lines = [*RECORD[:3], "nonsense"]
    assert step(lines, "\n\nq\n")[0] == 0
    status, out, err = step(lines, "\n\n\nq\n")
    assert status == 1
    assert entries(out) == [1, 2]
    assert err.endswith("entry 3: the line is no JSON object\n")


def test_step_by_step_needs_the_input_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "-", "--step"]) == 2
    assert main(["replay", "game.jsonl", "--step", "--json"]) == 2
    assert capsys.readouterr().err.count("\n") == 2


def test_a_record_may_stop_anywhere(run: Any) -> None:
    status, out, _ = run(RECORD[:12])
    assert status == 0
    assert out[-1].startswith("The record ends here. Score: ")
    assert run(RECORD[:1])[0] == 0


BROKEN = [
    ([], 0, "bad_header"),
    (["{}"], 0, "bad_header"),
    (["nonsense"], 0, "bad_json"),
    ([RECORD[0], RECORD[2]], 1, "bad_number"),
    ([*RECORD[:3], "nonsense"], 3, "bad_json"),
    ([*RECORD[:2], '{"n":2,"seat":9,"do":"pass"}'], 2, "bad_entry"),
    ([*RECORD[:2], '{"n":2,"seat":0,"do":"fly"}'], 2, "bad_action"),
    ([*RECORD[:2], json.dumps({"n": 2, "seat": 0, "do": "x" * 20_000})], 2, "too_long"),
]


@pytest.mark.parametrize(("lines", "n", "code"), BROKEN)
def test_a_broken_record_stops_where_it_breaks(run: Any, lines: list[str], n: int, code: str) -> None:
    status, out, err = run(lines, "--json")
    assert (status, err) == (1, "")
    error = json.loads(out[-1])["error"]
    assert (error["n"], error["code"]) == (n, code)
    assert len(out) == max(n, 1)
    status, _, err = run(lines)
    assert status == 1
    assert err.startswith("euchre: ")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", "nowhere.jsonl"]) == 1
    assert capsys.readouterr().err == "euchre: nowhere.jsonl: No such file or directory\n"
    assert main(["replay", "nowhere.jsonl", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "cannot_read"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "bytes.jsonl"
    file.write_bytes(RECORD[0].encode() + b"\n\xff\xfe\x00\n")
    assert main(["replay", str(file)]) == 1


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.TextIOWrapper(io.BytesIO("\n".join(RECORD[:5]).encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    assert main(["replay", "-", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
