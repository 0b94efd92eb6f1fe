"""`euchre admin`, beside a server that runs."""

from __future__ import annotations

import asyncio
import re
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clients.cli.main import main
from server.players import MAX_BOTS_PER_OWNER
from tests.support_player import Wire
from tests.support_server import PATIENCE_S, serving

OWNER = "ann.of.the.long.name@players.example.org"


async def test_a_bot_gets_a_token_that_the_running_server_takes_until_it_is_revoked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, workers=0) as server:
        here = ["--data", str(server.data)]

        async def admin(*arguments: str) -> tuple[int, str]:
            status = await asyncio.to_thread(main, ["admin", *arguments, *here])
            return status, capsys.readouterr().out

        status, token = await admin("bots", "add", "Robbie", "--owner", OWNER, "--version", "2.1")
        assert status == 0
        hello = {"t": "hello", "ref": 1, "version": 1, "token": token.strip(), "name": "Somebody Else"}
        async with Wire.to(server.ws) as wire:
            player = (await wire.ask(hello))["player"]
        assert (player["name"], player["kind"]) == ("Robbie", "bot")
        status, listed = await admin("bots", "list")
        assert listed.split() == [player["id"], listed.split()[1], "Robbie", "2.1", OWNER]
        assert (await admin("bots", "list", "--owner", "ben"))[1] == ""
        status, another = await admin("bots", "add", "Robbie", "--owner", OWNER)
        assert (status, another == token) == (0, False)
        async with Wire.to(server.ws) as wire:
            assert (await wire.ask(hello))["code"] == "bad_token"
        hello["token"] = another.strip()
        async with Wire.to(server.ws) as wire:
            assert (await wire.ask(hello))["player"] == player
        assert (await admin("bots", "list"))[1] == listed
        assert (await admin("bots", "revoke", player["id"]))[0] == 0
        assert (await admin("bots", "revoke", player["id"]))[0] == 1
        async with Wire.to(server.ws) as wire:
            assert (await wire.ask(hello))["code"] == "bad_token"
        assert await admin("migrate") == (0, "The database is up to date.\n")


def test_a_restart_is_announced_and_called_off_by_whoever_has_the_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--database", f"sqlite:///{tmp_path / 'records.db'}"]
    assert main(["admin", "migrate", *here]) == 0
    assert main(["admin", "restart", "announce", "10", *here]) == 0
    assert re.search(r"restarts at \d\d:\d\d, in 10 min\.$", capsys.readouterr().out)
    assert main(["admin", "restart", "call-off", *here]) == 0
    for arguments in (["call-off"], ["announce", "0"], ["announce", "1441"]):
        assert main(["admin", "restart", *arguments, *here]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_folder_without_a_database_is_not_given_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["add", "Robbie", "--owner", "ann"], ["list"], ["revoke", "p_x"]):
        assert main(["admin", "bots", *arguments, "--data", str(tmp_path)]) == 1
        assert "--data" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_is_told_and_leaves_no_thread_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The driver's thread would print a traceback when the loop has ended."""
    before = set(threading.enumerate())
    for _ in range(8):
        assert main(["admin", "migrate", "--data", str(tmp_path / "nowhere")]) == 1
    for thread in set(threading.enumerate()) - before:
        thread.join(PATIENCE_S)
    assert capsys.readouterr().err.count("\n") == 8


def test_a_token_stands_alone_on_standard_output_and_what_was_done_is_said_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EUCHRE_DATABASE", f"sqlite:///{tmp_path / 'records.db'}")
    add = ["admin", "bots", "add", "Robbie", "--owner", OWNER]
    assert main(["admin", "migrate"]) == 0
    capsys.readouterr()
    days = [datetime.now(UTC).date()]
    assert main(add) == 0
    days.append(datetime.now(UTC).date())
    token, told = capsys.readouterr()
    assert len(token.split()) == 1
    bot = told.split()[2].removesuffix(";")
    assert told == f"Robbie is {bot}; its token, which is shown only now:\n"
    assert main(["admin", "bots", "list"]) == 0
    assert capsys.readouterr().out in {f"{bot}  {day}  Robbie  -  {OWNER}\n" for day in days}
    assert main(add) == 0
    assert capsys.readouterr().err == f"{OWNER} had Robbie already: the token it had is worthless now.\n{told}"
    assert main(["admin", "bots", "revoke", bot]) == 0
    assert capsys.readouterr().out == f"The token of {bot} is revoked.\n"


def test_the_database_that_is_named_goes_before_that_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EUCHRE_DATABASE", f"sqlite:///{tmp_path / 'another.db'}")
    assert main(["admin", "migrate", "--database", f"sqlite:///{tmp_path / 'records.db'}"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["records.db"]


def test_what_cannot_be_done_is_said_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'records.db'}"
    assert main(["admin", "migrate", "--database", url]) == 0
    capsys.readouterr()
    add = ["admin", "bots", "add", "--owner", "ann", "--database", url]
    for number in range(MAX_BOTS_PER_OWNER):
        assert main([*add, f"Bot {number}"]) == 0
    capsys.readouterr()
    for arguments in (
        [*add, "One more"],
        [*add, "\u200b"],
        ["admin", "bots", "list", "--database", "mysql://localhost/x"],
        ["admin", "migrate", "--database", "postgresql://nobody@127.0.0.1:1/x"],
    ):
        assert main(arguments) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1
