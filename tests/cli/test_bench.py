"""`euchre bench`: that it measures, not what."""

from __future__ import annotations

import importlib.util
import re

import pytest

from clients.cli.main import main


def test_the_engine_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "engine", "--hands", "50"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^median: .*[1-9][\d,]* hands/s", shown, re.MULTILINE)
    if importlib.util.find_spec("pyspiel") is not None:
        assert re.search(r"OpenSpiel [\d,]+ hands/s, ratio \d", shown)


def test_the_server_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    """Every process of it works: the server, the bare loop, and the load of each; and none complains."""
    assert main(["bench", "server", "--tables", "2", "--seconds", "2", "--log", "sqlite"]) == 0
    shown = capfd.readouterr()
    assert re.search(
        r"^median: server [1-9][\d,]* actions/s, bare loop [1-9][\d,]* actions/s, ratio \d", shown.out, re.MULTILINE
    )
    assert shown.err == ""


@pytest.mark.parametrize(
    "arguments", [("engine", "--hands", "0"), ("server", "--tables", "0"), ("server", "--seconds", "0")]
)
def test_senseless_measurements_are_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *arguments]) == 2
    assert capsys.readouterr().err.count("\n") == 1
