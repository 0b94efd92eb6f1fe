"""`euchre bot check` and guests in the arena, with real programs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from clients.cli.main import main
from tests.bots import programs

GUESTS = Path(__file__).parents[1] / "bots" / "guests.py"
EXAMPLES = Path(__file__).parents[2] / "examples"
EXAMPLE_BOTS = [
    (f"{EXAMPLES / 'next_bot.py'}:NextBot",),
    ("--stdio", f"sh {EXAMPLES / 'bot.sh'}"),
    pytest.param(
        ("--stdio", f"node {EXAMPLES / 'bot.mjs'}"),
        marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
    ),
]


@pytest.mark.parametrize("bot", EXAMPLE_BOTS)
def test_the_examples_have_no_finding(bot: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", *bot]) == 0
    assert "decisions in 61 hands: no finding; the longest took " in capsys.readouterr().out


def test_a_finding_tells_hand_decision_answer_legal_actions_and_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", f"{GUESTS}:Passes"]) == 1
    *findings, verdict = capsys.readouterr().out.splitlines()
    stuck = next(line for line in findings if line.startswith("stuck dealer:1: "))
    assert stuck.startswith("stuck dealer:1: seat 3, bid2: illegal: answered 'pass'; legal: call s, call d, call c, ")
    assert stuck.endswith(" ms)")
    assert f"hands: {len(findings)} findings" in verdict


def test_the_findings_as_json_lines_with_the_figures_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", f"{GUESTS}:Passes", "--json"]) == 1
    *findings, figures = map(json.loads, capsys.readouterr().out.splitlines())
    stuck = next(finding for finding in findings if finding["hand"] == "stuck dealer")
    assert (stuck["decision"], stuck["seat"], stuck["phase"], stuck["kind"]) == (1, 3, "bid2", "illegal")
    assert stuck["detail"].startswith("answered 'pass'; legal: call s, ")
    assert stuck["legal"][:2] == ["call s", "call d"]
    assert (figures["bot"], figures["hands"], figures["findings"]) == ("Passes", 61, len(findings))
    assert figures["longest_ms"] >= max(finding["took_ms"] for finding in findings)


def test_without_a_finding_there_are_only_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", f"{EXAMPLES / 'next_bot.py'}:NextBot", "--json"]) == 0
    (figures,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert figures["findings"] == 0
    assert figures["decisions"] > 300


def test_what_a_bot_raises_is_told_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", f"{GUESTS}:Broken"]) == 1
    shown = capsys.readouterr().out
    assert "play: error: LookupError: no such trick (guests.py:" in shown
    assert "; legal: play " in shown


def test_a_program_that_hangs_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    command = programs.program(f"""case $line in *'"relief 9'*) sleep 60;; esac; {programs.FIRST}""")
    assert main(["bot", "check", "--stdio", command, "--limit", "1"]) == 1
    findings = capsys.readouterr().out.splitlines()[:-1]
    late = [line for line in findings if "bid1: late: no answer within 1 s; legal: pass, " in line]
    assert late == findings


def test_a_bot_that_fails_to_close_is_found_after_every_hand(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", f"{GUESTS}:CannotClose"]) == 1
    findings = capsys.readouterr().out.splitlines()[:-1]
    assert findings[0].startswith("first bid:0: seat 0, over: error: OSError: nothing to close (guests.py:")
    assert {finding.partition(": ")[0][-2:] for finding in findings} == {":0"}


@pytest.mark.parametrize(
    "command", [("bot", "check"), ("arena", "easy", "--jobs", "1"), ("arena", "easy", "--jobs", "2")]
)
def test_a_bot_that_cannot_be_made_is_told_in_one_line(
    command: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    """Before anything is played, and not once a process."""
    assert main([*command, f"{GUESTS}:NeedsMore"]) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("euchre: NeedsMore cannot be made: TypeError: ")


@pytest.mark.parametrize(
    "arguments",
    [(), ("a.py:B", "--stdio", "sh"), ("nowhere.py:Bot",), ("--stdio", "no-such-program")],
)
def test_no_such_bot(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "check", *arguments]) == 2
    assert capsys.readouterr().err.startswith("euchre: ")


def test_every_object_of_a_bot_is_closed_once_in_the_arena(tmp_path: Path) -> None:
    """Two sit in each hand of a deal and in each game."""
    figures = tmp_path / "figures.json"
    command = ["arena", f"{GUESTS}:CannotClose", "easy", "--deals", "3", "--games", "1", "--jobs", "1"]
    assert main([*command, "--json", str(figures)]) == 0
    assert json.loads(figures.read_text())["faults"] == [{"error": (3 + 1) * 2 * 2}, {}]


def test_guests_play_in_the_arena_with_any_number_of_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bot that remembers is the same for every hand; illegal answers are counted and told."""
    figures = [tmp_path / f"{jobs}.json" for jobs in (1, 2)]
    for jobs, path in enumerate(figures, start=1):
        command = ["arena", f"{GUESTS}:Counts", programs.LIES, "--deals", "12", "--games", "1"]
        assert main([*command, "--jobs", str(jobs), "--json", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "illegal: answered 'play 9x'; legal: " in shown
    one, two = (path.read_text().partition('"times_s"')[0] for path in figures)
    assert one == two
    assert '"illegal":' in one
