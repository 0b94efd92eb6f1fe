"""`euchre arena`: what it tells, keeps and ends with."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pexpect
import pytest

from clients.cli.main import main

QUICK = ("--deals", "20", "--games", "1", "--jobs", "1")


def test_all_that_is_measured_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "standard", "random", *QUICK, "--set", "target=5"]) == 0
    shown = capsys.readouterr().out
    for line in (
        "standard against random: 20 deals, each played twice; rules standard (target=5); seed 1",
        "points a hand ",
        "games to 5 ",
        "calls a hand ",
        "illegal answers ",
        "(95 %)",
    ):
        assert line in shown


def test_weaker_than_asked_for_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "standard", "random", *QUICK, "--at-least", "0.2"]) == 0
    assert main(["arena", "random", "standard", *QUICK, "--at-least", "0.2"]) == 1
    assert "random is weaker than asked for" in capsys.readouterr().out


def test_the_figures_and_the_worst_deals_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures, folder = tmp_path / "figures.json", tmp_path / "records"
    assert main(["arena", "random", "easy", *QUICK, "--json", str(figures), "--records", str(folder)]) == 0
    kept = json.loads(figures.read_text())
    assert (kept["hands"], kept["games"]["won"] + kept["games"]["lost"], kept["faults"]) == (40, 2, [{}, {}])
    worst = kept["worst"][0]
    path = folder / f"deal-{worst['deal']}-second.jsonl"
    assert path.read_text().splitlines() == worst["records"][1]
    assert main(["verify", str(path)]) == 0
    assert "Every action is legal." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("easy", "grandmaster"), "'grandmaster' is no bot: there is no program 'grandmaster'; a level is one of"),
        (("easy", "standard", "--deals", "0"), "something must be"),
        (("easy", "standard", "--jobs", "0"), "--jobs is 1 or more"),
        (("easy", "standard", "--rules", "parlour"), "no such rules"),
    ],
)
def test_a_match_that_makes_no_sense(arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", *arguments]) == 2
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_who_interrupts_is_told_what_was_played(jobs: str, tmp_path: Path) -> None:
    """A terminal shows how far it is."""
    figures = tmp_path / "figures.json"
    command = ["-m", "clients.cli.main", "arena", "standard", "easy", "--deals", "1000000", "--jobs", jobs]
    process = pexpect.spawn(sys.executable, [*command, "--json", str(figures)], encoding="utf-8", timeout=60)
    process.expect(r"standard against easy .* [1-9]\d*/1050000")
    process.sendintr()
    process.expect("Interrupted. What was played so far:\r\nstandard against easy: ")
    process.expect(pexpect.EOF)
    process.close()
    assert process.exitstatus == 130
    assert "Traceback" not in (process.before or "")
    kept = json.loads(figures.read_text())
    assert 0 < kept["deals"] < 1_000_000
    assert kept["hands"] == 2 * kept["deals"]
