"""`euchre arena`: what it tells, keeps and ends with."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pexpect
import pytest

from bots.arena.tally import Estimate
from clients.cli.main import main
from tests.support_server import children_of, until_ended

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


@pytest.mark.parametrize(
    ("first", "at_least", "status", "said"),
    [
        ("standard", "0.2", 0, "standard is as strong as asked for: at least +"),
        ("random", "0.2", 1, "random is weaker than asked for: at most -"),
        ("standard", "1.4", 0, "Too few deals to tell whether standard is +1.400 points a hand better."),
    ],
)
def test_only_who_is_surely_weaker_than_asked_for_is_a_failure(
    first: str, at_least: str, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the 95 % interval lies on both sides, chance would decide."""
    second = "random" if first == "standard" else "standard"
    assert main(["arena", first, second, *QUICK, "--at-least", at_least]) == status
    assert capsys.readouterr().out.splitlines()[-1].startswith(said)


@pytest.mark.parametrize(
    ("mean", "error", "is_below", "is_above"),
    [(1.0, 0.05, False, True), (0.79, 0.1, False, False), (0.6, 0.1, False, False), (0.5, 0.1, True, False)],
)
def test_an_estimate_is_below_or_above_with_its_whole_interval(
    mean: float, error: float, *, is_below: bool, is_above: bool
) -> None:
    estimate = Estimate(mean, error)
    assert (estimate.is_below(0.7), estimate.is_above(0.7)) == (is_below, is_above)


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


def test_files_that_are_there_are_not_replaced_unasked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is said before anything is played."""
    figures, folder = tmp_path / "figures.json", tmp_path / "records"
    command = ["arena", "random", "easy", *QUICK]
    assert main([*command, "--json", str(figures), "--records", str(folder)]) == 0
    kept = {path: path.read_bytes() for path in (figures, *folder.iterdir())}
    capsys.readouterr()
    for option, path in (("--json", figures), ("--records", folder)):
        assert main([*command, "--seed", "2", option, str(path)]) == 1
        shown = capsys.readouterr()
        assert shown.out == ""
        assert "there is such a file already; --force replaces it" in shown.err
    assert {path: path.read_bytes() for path in kept} == kept
    assert main([*command, "--seed", "2", "--json", str(figures), "--records", str(folder), "--force"]) == 0
    replaced = json.loads(figures.read_text())
    assert replaced["seed"] == 2
    numbers = {str(worst["deal"]) for worst in replaced["worst"]}
    assert {path.name.split("-")[1] for path in folder.iterdir()} == numbers, "those of the first match are gone"


@pytest.mark.parametrize("option", ["--json", "--records"])
def test_what_could_not_be_written_is_said_before_anything_is_played(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["arena", "random", "easy", *QUICK, option, str(tmp_path / "file" / "figures")]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert str(tmp_path / "file") in shown.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("easy", "grandmaster"), "'grandmaster' is no bot: there is no program 'grandmaster'; a level is one of"),
        (("easy", "standard", "--deals", "0"), "something must be"),
        (("easy", "standard", "--jobs", "0"), "--jobs is 1 or more"),
        (("easy", "standard", "--deals", "1", "--at-least", "0"), "--at-least takes 2 deals or more"),
        (("easy", "standard", "--rules", "parlour"), "no such rules"),
    ],
)
def test_a_match_that_makes_no_sense(arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", *arguments]) == 2
    assert line in capsys.readouterr().err


def heed_interrupts() -> None:
    """Also where whoever runs the tests does not, as in the background of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("jobs", ["1", "2"])
async def test_who_interrupts_is_told_what_was_played(jobs: str, tmp_path: Path) -> None:
    """A terminal shows how far it is; none of the processes that played lives on."""
    figures = tmp_path / "figures.json"
    command = ["-m", "clients.cli.main", "arena", "standard", "easy", "--deals", "1000000", "--jobs", jobs]
    process = pexpect.spawn(
        sys.executable, [*command, "--json", str(figures)], encoding="utf-8", timeout=60,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    process.expect(r"standard against easy .* [1-9]\d*/1050000")
    assert process.pid is not None
    children = children_of(process.pid)
    process.sendintr()
    process.expect("Interrupted. What was played so far:\r\nstandard against easy: ")
    process.expect(pexpect.EOF)
    process.close()
    for child in children:
        await until_ended(child)
    assert process.exitstatus == 130
    assert "Traceback" not in (process.before or "")
    kept = json.loads(figures.read_text())
    assert 0 < kept["deals"] < 1_000_000
    assert kept["hands"] == 2 * kept["deals"]
