"""The program: its exit statuses, and that it loads only what it is asked for."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots.solver.open_hand import HOW_IT_RUNS
from clients.cli.main import COMMANDS, app, main
from engine.rules import Rules, rules_to_plain
from tests.support_server import EUCHRE


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    version, _, search = capsys.readouterr().out.strip().partition(" ")
    assert version == importlib.metadata.version("euchre")
    assert search == f"(bots' search: {HOW_IT_RUNS})"


@pytest.mark.parametrize("arguments", [("--help",), ()])
def test_help_names_every_command(arguments: tuple[str, ...]) -> None:
    """In a process of its own: a command that was loaded before has another line."""
    shown = " ".join(subprocess.run([EUCHRE, *arguments], capture_output=True, check=True, text=True).stdout.split())
    assert all(f"{name}: {line}" in shown for _, name, line in COMMANDS)


def test_a_command_tells_about_itself_at_length(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own help is all of its docstring, not its line in the list, and fits the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    for words in (["verify"], ["serve"], ["admin", "bots", "add"], ["bench", "server"]):
        command: Any = app
        for word in words:
            command = command[word]
        told = inspect.getdoc(command.default_command) or ""
        assert main([*words, "--help"]) == 0
        shown = capsys.readouterr().out
        assert max(map(len, shown.splitlines())) <= 60
        for paragraph in re.split(r"\n\n(?:Args:|Parameters\n)", told)[0].split("\n\n"):
            assert " ".join(paragraph.split()) in " ".join(shown.split())


def test_help_offers_a_flag_once_and_tells_no_default_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["serve", "--help"])
    shown = capsys.readouterr().out
    assert "--dev: For authors" in shown
    assert not any(noise in shown for noise in ("--no-", "--empty-", "False", "()"))


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
        (("play", "a", "b"), "euchre: euchre play takes no b. See: euchre play --help"),
        (("play", "--name"), "euchre: --name wants a value. See: euchre play --help"),
        (("admin", "bots", "add"), "euchre: NAME is missing. See: euchre admin bots add --help"),
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


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("replay", "zoe.jsonl"), "Zo?"),
        (("analyse", "zoe.jsonl", "--layouts", "1"), "Zo? (South)"),
        (("rules",), "Standard rules"),
        (("arena", "--help"), "Usage: euchre arena"),
    ],
)
def test_a_terminal_of_plain_letters_is_enough(arguments: tuple[str, ...], shown: str, tmp_path: Path) -> None:
    """What it cannot show is told in other signs, and is no traceback."""
    header = {
        "format": "euchre/1", "rules": rules_to_plain(Rules()), "preset": "standard", "game": "g",
        "players": [{"seat": 0, "name": "Zoë"}],
    }  # fmt: skip
    (tmp_path / "zoe.jsonl").write_text(f"{json.dumps(header)}\n")
    done = subprocess.run(
        [EUCHRE, *arguments], cwd=tmp_path, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True,
        check=True,
    )  # fmt: skip
    assert shown in done.stdout.decode("ascii")
    assert not done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
@pytest.mark.parametrize("arguments", [("rules",), ("--help",), ("export", "-", "--to", "csv")])
def test_a_full_disk_is_one_line(arguments: tuple[str, ...]) -> None:
    header = json.dumps({"format": "euchre/1", "rules": rules_to_plain(Rules())})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [EUCHRE, *arguments], input=header, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.endswith("euchre: the output cannot be written: No space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("command", "status"), [("replay - <&-", 1), ("rules >&-", 0), ("rules 2>&-", 0)])
def test_a_program_without_input_or_output_ends_quietly(command: str, status: int) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{EUCHRE} {command}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == status
    assert "Traceback" not in done.stderr


def test_an_interrupt_while_the_program_is_imported_is_no_traceback() -> None:
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # which a job in the background ignores
        "from clients.cli.entry import main\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'cyclopts': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


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
