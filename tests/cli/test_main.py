"""The program: its exit statuses, and that it loads only what it is asked for."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

from bots.solver.open_hand import HOW_IT_RUNS
from clients.cli.main import COMMANDS, main


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    version, _, search = capsys.readouterr().out.strip().partition(" ")
    assert version == importlib.metadata.version("euchre")
    assert search == f"(bots' search: {HOW_IT_RUNS})"


@pytest.mark.parametrize("arguments", [("--help",), ()])
def test_help_names_every_command(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert all(f"{name}: {line}" in shown for _, name, line in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("plya",), "euchre: 'plya' is no command; did you mean 'play'?"),
        (("xyzzy",), "euchre: 'xyzzy' is no command; see: euchre --help"),
        (("play", "--clock", "sand"), "--clock"),
        (("play", "ftp://example.org"), "euchre: 'ftp://example.org' is no address of a server; "),
        (("play", "--rule", "target"), "euchre: --rule wants NAME=VALUE, not 'target'"),
        (("replay",), "FILE"),
        (("replay", "-", "--as", "5"), "euchre: --as wants a seat from 0 to 3, or watcher, not '5'"),
        (("replay", "--nonsense"), "euchre: there is no option --nonsense; "),
        (("watch", "--nonsense"), "euchre: there is no option --nonsense; "),
        (("play", "--nonsense"), "--nonsense"),
        (("bench", "nothing"), "'nothing' is no command"),
    ],
)
def test_a_senseless_command_line_is_one_line_and_status_2(
    arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert line in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_help_waits_for_no_command() -> None:
    """Asking for help imports neither the server nor what only a game needs."""
    program = (
        "import sys; from clients.cli.main import main; main(['--help']); "
        "assert not {'server', 'bots', 'protocol', 'engine', 'pydantic', 'websockets', 'asyncio'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_who_reads_our_output_may_stop() -> None:
    """A closed pipe is no traceback."""
    program = "import sys; from clients.cli.main import main; sys.exit(main(['--help']))"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
