"""Starting: what a server cannot start with it says in one line, with the right exit status, and overwrites nothing."""

from __future__ import annotations

import asyncio
import os
import socket
import sqlite3
from asyncio.subprocess import DEVNULL, PIPE, create_subprocess_exec
from pathlib import Path

import pytest

from server.database import SCHEMA_VERSION
from server.staff import WORKER_TOKEN_VARIABLE
from tests.support_player import Player, playing
from tests.support_server import EUCHRE, PATIENCE_S, Server, serving


async def run(*arguments: str | Path) -> tuple[int, str]:
    """Run `euchre serve`, which must end by itself; return its exit status and all it wrote."""
    program = await create_subprocess_exec(
        EUCHRE, "serve", *map(str, arguments), stdin=DEVNULL, stdout=PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            written, _ = await program.communicate()
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
    assert program.returncode is not None
    return program.returncode, written.decode()


async def refused(folder: Path, *arguments: str | Path) -> str:
    """Start a server on *folder*, which must fail; return the one line it says."""
    status, written = await run("--port", "0", "--data", folder, *arguments)
    assert status == 1, written
    assert written.count("\n") == 1, written
    assert written.startswith("euchre serve: ")
    return written


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder with its bytes."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}


# ── the command line ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "arguments",
    [
        ("--port", "70000"),
        ("--port", "http"),
        ("--workers", "1000"),
        ("--pace", "-1"),
        ("--pace", "nan"),
        ("--log", "paper"),
        ("--log", "redis:"),
        ("--log", "redis://127.0.0.1:1"),
        ("--log", "redis://127.0.0.1:1", "--database", "sqlite:///players.db"),
        ("--origin", "example.org"),
        ("--origin", "https://example.org/play"),
        ("--proxy-header", "X-Forwarded-For: "),
        ("--proxy-header", "X-Forwarded-For", "--proxy-hops", "0"),
        ("--proxy-hops", "2"),
        ("--no-such-option",),
        ("surplus",),
    ],
    ids=" ".join,
)
async def test_a_command_line_that_makes_no_sense_is_status_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    status, written = await run("--data", tmp_path / "data", *arguments)
    assert status == 2, written
    assert written.count("\n") == 1, written
    assert not (tmp_path / "data").exists()


async def test_a_worker_token_no_worker_can_tell_is_status_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token read from a file, with the end of its line: every worker would be refused, and bots play by thumb."""
    monkeypatch.setenv(WORKER_TOKEN_VARIABLE, "secret\n")
    status, written = await run("--data", tmp_path / "data")
    assert status == 2, written
    assert WORKER_TOKEN_VARIABLE in written
    assert "secret" not in written


async def test_a_port_that_is_taken_is_said_before_any_file_is_made(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, written = await run("--port", str(port), "--data", tmp_path / "data")
        assert status == 1
        assert written.count("\n") == 1
        assert f"127.0.0.1:{port}" in written
        assert not (tmp_path / "data").exists()


async def test_an_address_that_is_not_ours_is_said(tmp_path: Path) -> None:
    status, written = await run("--host", "192.0.2.1", "--port", "0", "--data", tmp_path, "--log", "memory")
    assert status == 1
    assert written.count("\n") == 1
    assert "192.0.2.1" in written


# ── the folder ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_folder_that_is_missing_is_made(tmp_path: Path) -> None:
    async with serving(tmp_path / "a" / "b", workers=0) as server:
        assert (server.data / "euchre.db").exists()


async def test_a_file_in_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_text("precious")
    assert str(file) in await refused(file)
    assert str(file / "below") in await refused(file / "below")
    assert file.read_text() == "precious"


async def test_a_folder_nothing_can_be_written_to_is_said() -> None:
    """Not even root makes files under /proc."""
    assert "/proc" in await refused(Path("/proc"))
    assert "/proc/euchre" in await refused(Path("/proc/euchre"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_folder_one_may_not_write_to_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o500)
    assert "not writable" in await refused(folder)


async def test_a_folder_in_place_of_the_file_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "euchre.db").mkdir()
    assert "euchre.db" in await refused(tmp_path)
    assert list((tmp_path / "euchre.db").iterdir()) == []


# ── the file ─────────────────────────────────────────────────────────────────────────────────────────────────────────
# tests/server/test_database.py has every way in which a file cannot serve.


async def test_a_file_that_is_no_database_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "euchre.db").write_text("somebody's letter\n" * 1000)
    before = contents(tmp_path)
    assert "euchre.db" in await refused(tmp_path)
    assert contents(tmp_path) == before


async def test_a_newer_database_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    async with serving(tmp_path, workers=0) as server:
        pass
    with sqlite3.connect(server.data / "euchre.db") as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = contents(server.data)
    assert "newer" in await refused(server.data)
    assert contents(server.data) == before


async def test_two_servers_do_not_share_a_database(tmp_path: Path) -> None:
    """The second exits with status 1 and one line; the first notices nothing."""
    async with serving(tmp_path, workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create()
            assert "in use" in await refused(server.data, "--workers", "0")
            assert (await ann.ask("away", table=table, on=True))["t"] == "ok"
            await server.kill()
            await server.start()
            await ann.until(lambda: ann.welcomes == 2)
            assert ann.info(table)["seats"][0]["name"] == "Ann"


async def test_a_port_that_is_taken_leaves_the_database_to_the_next_server(tmp_path: Path) -> None:
    async with serving(tmp_path, log="memory", workers=0) as first:
        status, written = await run("--port", str(first.port), "--data", first.data, "--workers", "0")
        assert status == 1
        assert written.count("\n") == 1
        second = Server(first.data, workers=0)
        await second.start()
        assert await second.stop() == 0
