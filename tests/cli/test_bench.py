"""`euchre bench`: that it measures, not what."""

from __future__ import annotations

import importlib.util
import re

import pytest

from clients.cli.bench.deals import count_deals, report
from clients.cli.main import main
from engine.fair import seeded_secret


def test_the_engine_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "engine", "--hands", "50"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^median: .*[1-9][\d,]* hands/s", shown, re.MULTILINE)
    if importlib.util.find_spec("pyspiel") is not None:
        assert re.search(r"OpenSpiel [\d,]+ hands/s, ratio \d", shown)


def test_the_search_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "solver", "--hands", "160"]) == 0
    assert re.search(r"^median: compiled [1-9][\d,]* hands/s, .* ratio \d", capsys.readouterr().out, re.MULTILINE)


def test_the_server_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    """Every process of it works: the server, the bare loop, and the load of each; and none complains."""
    assert main(["bench", "server", "--tables", "2", "--seconds", "2", "--log", "sqlite"]) == 0
    shown = capfd.readouterr()
    assert re.search(
        r"^median: server [1-9][\d,]* actions/s, bare loop [1-9][\d,]* actions/s, ratio \d", shown.out, re.MULTILINE
    )
    assert shown.err == ""


def test_deals_are_even(capsys: pytest.CaptureFixture[str]) -> None:
    """20,000 deals whose secrets are fixed, so that this never fails by chance."""
    counts = count_deals(seeded_secret(1, game=1, hand=number) for number in range(20_000))
    assert {kind: len(of_kind) for kind, of_kind in counts.items()} == {
        "card in seat": 96,
        "upcard": 24,
        **{f"{many} of 4 jacks": 4 for many in range(5)},
        "first dealer": 4,
    }
    for of_kind in (counts["upcard"], counts["first dealer"]):
        assert sum(count.seen for count in of_kind) == 20_000
        assert sum(count.chance for count in of_kind) == pytest.approx(1)
    jacks = [count for many in range(5) for count in counts[f"{many} of 4 jacks"]]
    assert sum(count.seen for count in jacks) == 80_000
    assert sum(count.chance for count in jacks) == pytest.approx(4)
    assert report(counts) == 0
    assert capsys.readouterr().out.endswith("all 144 counts are within bounds (|z| up to 4.5).\n")


def test_uneven_deals_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    """One secret for all deals: every card lies where it always lay."""
    counts = count_deals([bytes(32)] * 1_000)
    assert report(counts) == 1
    shown = capsys.readouterr().out
    assert re.search(r"^out of bounds: \w+ in seat \d: 1,000, expected 208, z \+", shown, re.MULTILINE)
    assert re.search(r"^\d+ of 144 counts are out of bounds", shown, re.MULTILINE)


def test_deals_are_measured_from_fresh_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "deals", "--deals", "20000"]) in {0, 1}
    assert re.search(r"^card in seat +96 +4,166\.7 +258\.5 +\d\.\d\d  ", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize(
    "arguments",
    [("engine", "--hands", "0"), ("server", "--tables", "0"), ("server", "--seconds", "0"), ("deals", "--deals", "0")],
)
def test_senseless_measurements_are_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
