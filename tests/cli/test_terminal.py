"""Addresses, tokens, the screen and the console."""

from __future__ import annotations

import io
import os
import queue
import re
import stat
from pathlib import Path

import pytest

from bots.connection import is_loopback
from clients.cli.addresses import server_url
from clients.cli.comeback import command_to_play
from clients.cli.console import Console
from clients.cli.errors import UsageError
from clients.cli.help import AT_A_TABLE, show_help
from clients.cli.ownlink import own_link, read_own_link
from clients.cli.recordfile import keep_record
from clients.cli.screen import Screen, spell_what_is_missing
from clients.cli.tokens import TokenFile, default_token_file

# ── addresses ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_no_address_is_a_senseless_command() -> None:
    assert server_url(":9000") == "ws://127.0.0.1:9000/ws"
    with pytest.raises(UsageError, match="'ftp://h' is no address of a server"):
        server_url("ftp://h")


def test_no_proxy_stands_before_this_machine() -> None:
    assert is_loopback("ws://127.0.0.1:8765/ws")
    assert is_loopback("ws://localhost/ws")
    assert is_loopback("ws://[::1]:8765/ws")
    assert not is_loopback("ws://example.org/ws")


def test_the_way_back_leaves_out_what_is_the_default() -> None:
    assert command_to_play("ws://127.0.0.1:8765/ws", table="ABC234") == "euchre play --table ABC234"
    assert command_to_play("ws://h/ws", table="AB", name="Ann B") == "euchre play ws://h/ws --table AB --name 'Ann B'"
    assert command_to_play("ws://h/ws", name="Ann") == "euchre play ws://h/ws --name Ann"


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_tokens_are_kept_by_server_and_name(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "euchre" / "tokens.json")
    assert file.find("ws://a", None) is None
    file.keep("ws://a", "Ann", "1")
    file.keep("ws://a", "Bo", "2")
    file.keep("ws://b", "Ann", "3")
    assert [file.find("ws://a", name) for name in ("Ann", "Bo", "Cy", None)] == ["1", "2", None, "2"]
    assert file.find("ws://b", None) == "3"
    file.keep("ws://a", "Ann", "1")
    assert file.find("ws://a", None) == "1"


def test_who_comes_by_a_link_takes_nobodys_place(tmp_path: Path) -> None:
    """Of two of one name the other is kept under a name beside it; who was the latest is told by name."""
    file = TokenFile(tmp_path / "tokens.json")
    assert file.keep_beside("ws://a", "Ann", "1") is None
    assert file.keep_beside("ws://a", "Ann", "1") is None
    assert file.keep_beside("ws://a", "Bo", "2") == "Ann"
    assert file.keep_beside("ws://a", "Bo", "3") == "Bo 2"
    assert file.keep_beside("ws://a", "Ann", "4") == "Bo"
    assert [file.find("ws://a", name) for name in ("Ann", "Ann 2", "Bo", "Bo 2", None)] == ["4", "1", "3", "2", "4"]


def test_a_renewed_token_is_found_under_every_name_the_old_one_had(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    for name, token in (("Ann", "1"), ("Bo", "2"), ("Annabel", "1")):
        file.keep("ws://a", name, token)
    file.renew("ws://a", "1", "3")
    assert [file.find("ws://a", name) for name in ("Ann", "Bo", "Annabel", None)] == ["3", "2", "3", "3"]


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("ws://127.0.0.1:8765/ws", "http://127.0.0.1:8765/"),
        ("wss://example.org/ws", "https://example.org/"),
        ("wss://example.org/euchre/ws", "https://example.org/euchre/"),
    ],
)
def test_an_own_link_names_the_page_of_the_server_and_the_player(url: str, page: str) -> None:
    link = own_link(url, "a-token")
    assert link == f"{page}#me=a-token"
    assert read_own_link(f" {link}\n") == (url, "a-token")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a-token",
        "http://h/",
        "http://h/#me=",
        "http://h/#me=a b",
        "http:///#me=a",
        "ws://h/#me=a",
        "http://h/#c=AB",
    ],
)
def test_what_is_no_own_link_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_own_link(text)


def test_only_its_owner_reads_the_tokens(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "euchre" / "tokens.json")
    file.keep("ws://a", "Ann", "1")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.path.parent.iterdir()] == ["tokens.json"]


@pytest.mark.parametrize("content", ["", "nonsense", "[]", '{"ws://a": 5}', '{"ws://a": {"Ann": 5}}'])
def test_a_damaged_token_file_counts_as_empty(tmp_path: Path, content: str) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    file.path.write_text(content)
    assert file.find("ws://a", None) is None
    file.keep("ws://a", "Ann", "1")
    assert file.find("ws://a", "Ann") == "1"


def test_the_token_file_does_not_grow_for_ever(tmp_path: Path) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    for number in range(40):
        file.keep("ws://a", f"Player {number}", str(number))
    assert file.find("ws://a", "Player 39") == "39"
    assert file.find("ws://a", "Player 0") is None


def test_where_the_tokens_are() -> None:
    assert default_token_file({"XDG_STATE_HOME": "/state"}).path == Path("/state/euchre/tokens.json")
    assert default_token_file({}).path == Path.home() / ".local" / "state" / "euchre" / "tokens.json"


# ── the screen ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Pipe(io.StringIO):
    """A stream nobody looks at."""

    encoding = "utf-8"


class Terminal(Pipe):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_colour_is_for_terminals_that_want_it(environment: dict[str, str], coloured: bool) -> None:  # noqa: FBT001
    terminal = Terminal()
    screen = Screen(terminal, environment)
    screen.line("J♥ 9♠")
    screen.heading("Your turn")
    assert ("\x1b" in terminal.getvalue()) == coloured
    assert terminal.getvalue().count("♥") == 1


@pytest.mark.parametrize(("columns", "line"), [("80", r"  hand {2,}your cards"), ("40", "  hand: your cards")])
def test_help_on_a_narrow_screen_has_one_column(monkeypatch: pytest.MonkeyPatch, columns: str, line: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    terminal = Terminal()
    show_help(Screen(terminal, {}), AT_A_TABLE)
    assert re.search(f"^{line}$", terminal.getvalue(), re.MULTILINE)
    assert all(len(shown) < int(columns) for shown in terminal.getvalue().splitlines())


def test_a_pipe_gets_neither_colour_nor_prompt() -> None:
    pipe = Pipe()
    screen = Screen(pipe, {"TERM": "xterm"})
    screen.line("J♥")
    screen.ask()
    screen.ring()
    assert pipe.getvalue() == "J♥\n"


def test_what_arrives_at_a_prompt_begins_a_line() -> None:
    terminal = Terminal()
    screen = Screen(terminal, {})
    screen.ask()
    screen.ask()
    screen.line("Bo (left): hello")
    screen.ask()
    screen.answered()
    screen.line("You pass.")
    assert terminal.getvalue() == "> \nBo (left): hello\n> You pass.\n"


def test_lines_are_wrapped_under_their_first_word() -> None:
    pipe = Pipe()
    Screen(pipe, {}).line(" 1. " + "word " * 30, indent=4)
    first, *rest = pipe.getvalue().splitlines()
    assert first.startswith(" 1. word")
    assert all(line.startswith("    word") and len(line) < 80 for line in rest)


def test_what_others_write_moves_no_cursor() -> None:
    pipe = Pipe()
    Screen(pipe, {}).line("Bo: \x1b[2Jboo\r\n\u202e")
    assert pipe.getvalue().startswith("Bo:  [2Jboo")
    assert not {"\x1b", "\r", "\u202e"} & set(pipe.getvalue())


def test_a_terminal_without_suit_signs_gets_letters() -> None:
    pipe = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    spell_what_is_missing(pipe)
    Screen(pipe, {}).line("Zoë: J♥ 10♦ …")
    pipe.flush()
    assert pipe.buffer.getvalue() == b"Zo?: Jh 10d ...\n"


# ── the console ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_pipe_is_read_a_line_a_question() -> None:
    """A line is taken only when one is wanted, and the end only after every line."""
    reading, writing = os.pipe()
    os.write(writing, b"1\n 2 \nlast")
    os.close(writing)
    lines: queue.Queue[str | None] = queue.Queue()
    console = Console(reading)
    assert not console.is_terminal
    console.start(lines.put)
    for expected in ("1", "2", "last", None):
        assert lines.empty()
        console.want()
        assert lines.get(timeout=10) == expected
    os.close(reading)


# ── records ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_record_is_kept_once_and_under_a_harmless_name(tmp_path: Path) -> None:
    """What is there stays; a server's name for a game leads nowhere else."""
    said = keep_record("../g_1", ["{}", "{}"], tmp_path)
    assert (
        said == "The record is in euchre-g_1.jsonl, in the current folder. To check it: euchre verify euchre-g_1.jsonl"
    )
    assert keep_record("g_1", ["{}", "{}"], tmp_path) == said
    assert "euchre-g_1.2.jsonl" in keep_record("g_1", ["other"], tmp_path)
    assert "euchre-g_1.2.jsonl" in keep_record("g_1", ["other"], tmp_path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {
        "euchre-g_1.jsonl": "{}\n{}\n",
        "euchre-g_1.2.jsonl": "other\n",
    }


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert keep_record("g", [], tmp_path / "file").startswith("The record could not be saved in euchre-g.jsonl: ")
