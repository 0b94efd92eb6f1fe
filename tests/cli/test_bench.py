"""`euchre bench`: that it measures, not what."""

from __future__ import annotations

import importlib.util
import re
import shutil

import pytest

from clients.cli.bench.deals import count_deals, report
from clients.cli.bench.spread import quantile, spread
from clients.cli.main import main
from engine.fair import seeded_secret
from engine.rules import PRESETS


def test_the_engine_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    """Every preset beside the standard game, and the standard game beside OpenSpiel."""
    assert main(["bench", "engine", "--hands", "50"]) == 0
    shown = capsys.readouterr().out
    for name in PRESETS:
        assert re.search(rf"^{name} +[1-9][\d,]* +\d+\.\d\d$", shown, re.MULTILINE)
    assert re.search(r"^standard .* 1\.00$", shown, re.MULTILINE)
    assert re.search(r"^slowest preset: \w+, \d\.\d\d of standard$", shown, re.MULTILINE)
    if importlib.util.find_spec("pyspiel") is not None:
        assert re.search(r"^standard to OpenSpiel: \d\.\d\d$", shown, re.MULTILINE)


def test_the_search_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "solver", "--hands", "160"]) == 0
    assert re.search(r"^median: compiled [1-9][\d,]* hands/s, .* ratio \d", capsys.readouterr().out, re.MULTILINE)


def test_the_server_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    """Every process of it works: the server, what it is compared with, and the load of each; and none complains."""
    assert main(["bench", "server", "--tables", "2", "--seconds", "2", "--log", "sqlite"]) == 0
    shown = capfd.readouterr()
    for other in ("bare loop", "memory log", *(["Node.js loop"] if shutil.which("node") else [])):
        line = rf"^median: server [1-9][\d,]* actions/s, {other} [1-9][\d,]* actions/s, ratio \d"
        assert re.search(line, shown.out, re.MULTILINE), other
    assert shown.err == ""


@pytest.mark.parametrize("log", ["sqlite", "memory"])
def test_actions_are_timed_at_a_rate_and_with_watchers(capfd: pytest.CaptureFixture[str], log: str) -> None:
    """All actions that were due are answered and heard of by all four seats, and timed."""
    arguments = ["--tables", "4", "--seconds", "2", "--rate", "20", "--spectators", "3", "--log", log]
    assert main(["bench", "server", *arguments]) == 0
    shown = capfd.readouterr()
    for name in ("act to its answer", "act to the last seat", "bare append"):
        times = re.search(rf"^{name}: ([\d.]+) / ([\d.]+) / ([\d.]+)$", shown.out, re.MULTILINE)
        assert times, name
        half, nearly_all, all_but_one = map(float, times.groups())
        assert 0 <= half <= nearly_all <= all_but_one
    assert re.search(r"^p99 to the last seat is [\d.]+ times", shown.out, re.MULTILINE)
    assert shown.err == ""


def test_idle_connections_are_weighed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "idle", "--connections", "100"]) == 0
    shown = capfd.readouterr()
    assert re.search(r"^100 idle connections: -?[\d.]+ KiB each", shown.out)
    assert shown.err == ""


def test_a_crowd_that_was_cut_is_timed(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "reconnect", "--tables", "3", "--rounds", "2"]) == 0
    shown = capfd.readouterr()
    assert len(re.findall(r"^round \d: 12 cut, half back after [\d.]+ s", shown.out, re.MULTILINE)) == 2
    assert shown.err == ""


def test_watchers_who_do_not_read_are_seen_off(capfd: pytest.CaptureFixture[str]) -> None:
    """They are really stuck: the server bears with them for eight seconds."""
    arguments = ["--spectators", "4", "--tables", "2", "--rate", "10", "--rounds", "1", "--seconds", "1"]
    assert main(["bench", "stuck", *arguments]) == 0
    shown = capfd.readouterr()
    gone = re.search(r"all were gone after ([\d.]+) s$", shown.out, re.MULTILINE)
    assert gone
    assert 7 < float(gone[1]) < 30
    assert shown.err == ""


def test_times_are_spread_as_they_were() -> None:
    times = [0.001 * n for n in range(1000, 0, -1)]
    assert spread(times) == "500.0 / 990.0 / 999.0"
    assert quantile([3.0], 0.999) == 3.0
    assert quantile([1.0, 2.0], 0.5) == 1.0


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
    [
        ("engine", "--hands", "0"),
        ("server", "--tables", "0"),
        ("server", "--seconds", "0"),
        ("server", "--rate", "0"),
        ("server", "--nodes", "2"),
        ("idle", "--connections", "0"),
        ("reconnect", "--tables", "0"),
        ("stuck", "--seconds", "9"),
        ("deals", "--deals", "0"),
    ],
)
def test_senseless_measurements_are_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
