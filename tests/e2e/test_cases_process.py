"""Process, network and input: the cases N of server_cases.md, over real sockets.

N2 is tests/server/test_slow_peers.py, N4 and N11 are tests/server/test_connections.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sqlite3
import urllib.request
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from bots.uniform import Uniform
from protocol.codes import CloseCode
from tests.e2e.records import read_log
from tests.e2e.sitting import four_sit, onlooker
from tests.support_player import Player, Wire, playing
from tests.support_server import PATIENCE_S, Server, serving

BOT_GAMES = int(os.environ.get("EUCHRE_BOT_GAMES", "300"))
"""How many games of bots N8 plays. With EUCHRE_BOT_GAMES=10000 it is the whole count, which takes long."""


async def test_n1_an_exception_in_one_table_stops_that_table_only_and_its_log_is_kept(tmp_path: Path) -> None:
    """N1. What breaks it is a log that cannot be followed, which it finds when it is taken up again."""
    async with serving(tmp_path) as server:
        async with four_sit(server.ws, seed=1) as broken, four_sit(server.ws, seed=2) as sound:
            await broken.act()
            await sound.act()
            await server.stop()
            damage(server.data, broken.table)
            kept = read_log(server.data, broken.table)
            await server.start()
            await sound.players[0].until(lambda: sound.players[0].welcomes == 2)
            for _ in range(8):
                await sound.act()
            await broken.players[0].until(lambda: broken.table not in broken.players[0].session.tables)
            answer = await broken.players[0].ask("start", table=broken.table)
            assert answer["code"] in {"no_such_table", "table_closed"}
        await server.stop()
        assert read_log(server.data, broken.table) == kept
        assert len(read_log(server.data, sound.table)) > 12
        assert "Traceback" not in server.logged()


def damage(data: Path, table: str) -> None:
    """Append an entry to a table's log that no server wrote."""
    log = read_log(data, table)
    connection = sqlite3.connect(data / "euchre.db")
    with connection:
        connection.execute(
            "INSERT INTO entries (table_id, seq, at_ms, entry) VALUES (?, ?, ?, ?)",
            (table, log[-1].seq + 1, log[-1].at_ms, b"\x81\xa1kno entry"),
        )
    connection.close()


async def test_n6_each_close_code_is_sent_for_what_it_means_and_the_client_does_what_it_says(tmp_path: Path) -> None:
    """N6. (That both clients take each code alike: tests/browser/test_same_as_the_server.py; two tabs: beside it.)"""
    async with serving(tmp_path / "one") as server, serving(tmp_path / "strict", limits="on") as strict:
        ann, fay = Player(server.ws, "Ann"), Player(strict.ws, "Fay")
        async with playing(ann, fay):
            table = await ann.create()
            # For good: a mistake of the program, and a newer connection.
            for frame, code in (("no message", CloseCode.PROTOCOL_VIOLATION), ("x" * 9000, CloseCode.FRAME_TOO_BIG)):
                eve = Player(server.ws, "Eve")
                await eve.welcome()
                await eve.send_frame(frame)
                assert await eve.closed() == code
                assert (eve.closes, eve.welcomes) == ([code], 1)
            older = Player(server.ws, "Cat")
            await older.welcome()
            async with playing(Player(server.ws, "Cat", token=older.token)):
                assert await older.closed() == CloseCode.REPLACED
                assert (older.closes, older.welcomes) == ([CloseCode.REPLACED], 1)
            # Again, as somebody new.
            dan = Player(server.ws, "Dan", token="worth-nothing")
            async with playing(dan):
                assert dan.closes == [CloseCode.TOKEN_REFUSED]
                assert dan.token != "worth-nothing"
            # Again, as who one is.
            await fall_behind(ann, table)
            await ann.until(lambda: ann.welcomes == 2)
            assert ann.closes == [CloseCode.TOO_SLOW]
            await server.stop()
            await server.start()
            await ann.until(lambda: ann.welcomes == 3)
            assert ann.closes[1] == CloseCode.DRAINING
            assert ann.session.tables[table].seat == 0
            assert (await ann.ask("start", table=table))["t"] == "ok"
            # Again, but not for five seconds.
            with contextlib.suppress(ConnectionClosed):
                for _ in range(1000):
                    await fay.send({"t": "ping", "ref": fay.fresh_ref()})
            await fay.until(lambda: fay.closes == [CloseCode.RATE_LIMIT])
            began = asyncio.get_running_loop().time()
            await fay.until(lambda: fay.welcomes == 2)
            assert asyncio.get_running_loop().time() - began > 5


async def fall_behind(player: Player, table: str) -> None:
    """Have *player* ask for more than the server holds for anybody before he reads a byte of it.

    Each is answered by two messages. A server that gets them in bulk writes 512 at once, then holds as many, and the
    kernel has some hundred.
    """
    with player.not_reading():
        for _ in range(1200):
            await player.send({"t": "sync", "ref": player.fresh_ref(), "table": table, "seq": 0})


def open_sockets(server: Server) -> int:
    """Return how many sockets the server's process holds. Linux only."""
    links = [link.readlink() for link in Path(f"/proc/{server.pid}/fd").iterdir() if link.is_symlink()]
    return sum(str(link).startswith("socket:") for link in links)


def tables_served(server: Server) -> int:
    """Return how many tables the server's process holds."""
    with urllib.request.urlopen(f"{server.http}/metrics", timeout=PATIENCE_S) as page:  # noqa: S310  # our own server
        told = re.search(r"^euchre_tables (\d+)", page.read().decode(), re.MULTILINE)
    assert told is not None
    return int(told[1])


def memory_kib(server: Server) -> int:
    """Return the server's resident memory. Linux only."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


@pytest.mark.timeout(24 * 3600 if BOT_GAMES > 1000 else 300)
async def test_n8_after_many_bot_games_nothing_is_left(tmp_path: Path) -> None:
    """N8. Tables, sockets and memory are back where they began. (Tasks are counted in tests/server/test_actor.py.)

    Each game is a table of its own: somebody makes it, is away, and leaves when four bots have finished it. The table
    stays until the game is archived.
    """
    at_once = 8
    async with serving(tmp_path, workers=1) as server:
        async with Wire.to(server.ws, name="Eve") as eve:
            await server.has_logged('"working"')
            began = open_sockets(server)
            games = 0
            settled_kib = 0
            while games < BOT_GAMES:
                await asyncio.gather(*(bot_game(server, games + number) for number in range(at_once)))
                games += at_once
                assert await asyncio.to_thread(tables_served, server) <= 4 * at_once  # as fast as they are archived
                if not settled_kib and games >= BOT_GAMES // 3:
                    settled_kib = memory_kib(server)
            while open_sockets(server) > began:  # noqa: ASYNC110  # the last ones close by themselves
                await asyncio.sleep(0.05)
            assert (await eve.ask({"t": "tables", "ref": 7, "filter": "all"}))["tables"] == []
            assert memory_kib(server) < 1.25 * settled_kib + 4096
        assert games >= BOT_GAMES
        assert "_failed" not in server.logged()


async def bot_game(server: Server, number: int) -> None:
    """Let four bots play a game at a table of its own, and leave it."""
    host = Player(server.ws, f"Host {number}", policy=Uniform(), seed=number)
    async with playing(host):
        table = await host.create(visibility="public", clock="slow", rules={"target": 1})
        assert (await host.ask("away", table=table, on=True))["t"] == "ok"
        await host.start(table)
        await host.game_over(table)
        assert (await host.ask("leave", table=table))["t"] == "ok"
        await host.until(lambda: table not in host.session.tables)


UNFIT_NAMES = (
    "", " ", "\t\n", "\u200b\u200d", "\u202eAnn", "A\x00nn", "A\x1b[31mnn", "x" * 25, "x" * 4000, "\u2066Ann\u2069",
    "\ufeffAnn", "a\u0301\u0301\u0301\u0301\u0301\u0301", "\u3164",
)  # fmt: skip


async def test_n10_names_nobody_can_read_are_refused_and_markup_is_text(tmp_path: Path) -> None:
    """N10. For players, for tables and in chat. (That a browser shows it inert: tests/browser/test_inert.py.)"""
    markup = "<img src=x onerror=a()>"
    async with serving(tmp_path, log="memory", workers=0) as server:
        for name in UNFIT_NAMES:
            async with Wire.to(server.ws) as eve:
                answer = await eve.ask({"t": "hello", "ref": 1, "version": 1, "name": name})
                assert answer["t"] == "refused", name
                assert answer["code"] in {"bad_name", "bad_message"}
        for name in (markup, "\u05e9\u05dc\u05d5\u05dd", "O\u2019Neil & <b>"):
            async with Wire.to(server.ws) as eve:
                welcome = await eve.ask({"t": "hello", "ref": 1, "version": 1, "name": name})
                assert welcome["player"]["name"] == name
        async with four_sit(server.ws, name=markup) as four, onlooker(server.ws, four.table) as wim:
            assert wim.info(four.table)["name"] == markup
            ann = four.players[0]
            for number, name in enumerate(UNFIT_NAMES):
                answer = await ann.ask("create", preset="standard", visibility="public", clock="slow", name=name)
                assert answer.get("code") in {"bad_name", "bad_message"}, number
            assert (await wim.ask("say", table=four.table, text=markup))["t"] == "ok"
            said = await ann.until(lambda: next((m for m in ann.heard if m["t"] == "chat"), None))
            assert said["text"] == markup
            for line in ("", " \n ", "\u200b", "x" * 4000):
                assert (await wim.ask("say", table=four.table, text=line))["t"] == "refused"
