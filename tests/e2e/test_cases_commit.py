"""Commit, order and duplicates: the cases C of server_cases.md, over real sockets."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from protocol.codec import JSON
from server.entries import Acted, DealtOut, SatDown, Started
from tests.e2e.records import check_each_decision_once, read_record
from tests.e2e.sitting import a_server, four_sit, onlooker
from tests.support_player import BOTH, Message, Player, Wire, playing
from tests.support_server import PATIENCE_S, Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
server = pytest_asyncio.fixture(scope="module", loop_scope="module")(a_server)


async def test_c1_a_card_that_was_received_and_not_recorded_is_in_the_log_once(tmp_path: Path) -> None:
    """C1. Kill -9 between the receipt and the append: no `ok`, the same ref again, and the card is in the log once.

    The process is stopped before the act comes, and never goes on.
    """
    async with serving(tmp_path) as own:
        async with four_sit(own.ws) as four:
            for _ in range(7):
                await four.act()
            player, prompt = await four.asked()
            own.signal(signal.SIGSTOP)
            while not is_stopped(own.pid):  # noqa: ASYNC110  # nothing announces it
                await asyncio.sleep(0.001)
            act = player.session.act(four.table, prompt["turn"], prompt["legal"][0])
            await player.flush()
            await own.kill()
            await player.until(lambda: player.closes)
            assert not [message for message in player.heard if message["t"] == "ok" and message["ref"] == act["ref"]]
            assert player.session.player is not None
            me = player.session.player["id"], act["ref"]
            assert me not in [(entry.player, entry.ref) for entry in read_record(own.data, four.table).acts()]
            await own.start()
            answer = await player.command(act)
            assert answer["t"] == "ok"
            await four.heard(answer["seq"])
        await own.stop()
    record = read_record(own.data, four.table)
    mine = [entry for entry in record.acts() if (entry.player, entry.ref) == me]
    assert [entry.action for entry in mine] == [act["action"]]
    check_each_decision_once(record)


def is_stopped(pid: int) -> bool:
    """Tell whether all threads of a process have stopped. Linux only."""
    stats = [(task / "stat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    return all(stat.rpartition(")")[2].split()[0] == "T" for stat in stats)


async def test_c3_an_act_for_an_old_turn_is_stale_and_brings_a_fresh_view(server: Server) -> None:
    """C3. Within a second."""
    async with four_sit(server.ws) as four:
        loop = asyncio.get_running_loop()
        for _ in range(8):
            await four.act()
            player, prompt = await four.asked()
            for turn in (prompt["turn"] - 1, 0, prompt["turn"] + 1):
                heard, began = len(player.heard), loop.time()
                answer = await player.ask("act", table=four.table, turn=turn, action=prompt["legal"][0])
                assert answer["code"] == "stale"
                view = await player.until(
                    lambda player=player, heard=heard: next(  # type: ignore[misc]
                        (m for m in player.heard[heard:] if m["t"] == "view"), None
                    )
                )
                assert loop.time() - began < 1
                assert view["seq"] == prompt["turn"]


class TwoWindows:
    """A person in two windows at once, at a table with three bots. The newer window holds the seat."""

    def __init__(self, server: Server, token: str, table: str) -> None:
        self.server = server
        self.token = token
        self.table = table
        self.refs = 10_000
        self.answers: Counter[tuple[str, str]] = Counter()

    async def rival(self, window: Wire, number: int) -> Wire:
        """Let both windows answer one prompt with different actions at once; return the one that holds the seat now.

        The newer one says hello just then, or has said it a moment ago: either window may be first.
        """
        prompt = await self.prompt(window)
        newer = await Wire.open(self.server.ws, BOTH[number % 2])
        act = {"t": "act", "table": self.table, "turn": prompt["turn"]}
        first, second = self.ref(), self.ref()
        one, other = prompt["legal"][0], prompt["legal"][-1]
        greeting = self.ref()
        await newer.send({"t": "hello", "ref": greeting, "version": 1, "token": self.token})
        if number % 3 == 0:
            await newer.answer(greeting)
        elif number % 3 == 1:
            await asyncio.sleep(0.001 * (number % 5))
        frames = [
            window.send({**act, "ref": first, "action": one}),
            newer.send({**act, "ref": second, "action": other}),
        ]
        await asyncio.gather(*(frames if number % 2 else frames[::-1]), return_exceptions=True)
        answer = await newer.answer(second)
        await window.closed()
        old = next((m for m in window.unread if m.get("ref") == first), None)
        self.answers[old["t"] if old else "unheard", answer["t"]] += 1
        if one != other:
            assert (old and old["t"], answer["t"]) != ("ok", "ok")
        return newer

    async def prompt(self, window: Wire) -> Message:
        """Return the next prompt that is this person's; begin another game where one is over."""
        await window.send({"t": "sync", "ref": self.ref(), "table": self.table, "seq": 0})
        while True:
            message = await window.receive()
            if message["t"] == "prompt" and "legal" in message:
                return message
            is_over = any(event["e"] == "game_over" for event in message.get("events", ()))
            if is_over or (message["t"] == "view" and message["view"]["table"]["state"] == "over"):
                await window.send({"t": "start", "ref": self.ref(), "table": self.table})

    def ref(self) -> int:
        self.refs += 1
        return self.refs


# A thousand connections and decisions take half a minute, on a busy machine more.
@pytest.mark.timeout(600)
async def test_c4_two_connections_of_one_seat_send_different_cards_a_thousand_times(tmp_path: Path) -> None:
    """C4. In the same millisecond, 1,000 times: exactly one is taken."""
    rounds = 1000
    async with serving(tmp_path, workers=0) as own:
        ann = Player(own.ws, "Ann")
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            windows = TwoWindows(own, ann.token, table)
        window = await Wire.open(own.ws, JSON)
        await window.send({"t": "hello", "ref": windows.ref(), "version": 1, "token": windows.token})
        for number in range(rounds):
            window = await windows.rival(window, number)
        await window.socket.close()
        await own.stop()
    record = read_record(own.data, table)
    check_each_decision_once(record)
    refs = [entry.ref for entry in record.acts() if entry.why == "player"]
    assert len(refs) == len(set(refs)) == rounds
    assert sum(windows.answers.values()) == rounds
    newer_won = sum(count for (_, newer), count in windows.answers.items() if newer == "ok")
    assert rounds // 10 < newer_won < rounds - rounds // 10, windows.answers


async def test_c7_a_second_resume_without_news_brings_no_events(server: Server) -> None:
    """C7. Nor a view: what it knows is all there is."""
    async with four_sit(server.ws) as four:
        for _ in range(6):
            await four.act()
        seq = four.players[0].seq(four.table)
        for attempt, player in enumerate(four.players):
            for cursor, news in ((seq - 3, 3), (seq, 0), (seq, 0)):
                async with Wire.to(server.ws, BOTH[attempt % 2]) as wire:
                    hello = {"t": "hello", "ref": 900, "version": 1, "token": player.token}
                    await wire.send({**hello, "resume": {four.table: cursor}})
                    await wire.send({"t": "ping", "ref": 901})
                    await wire.answer(901)
                    heard = Counter(message["t"] for message in wire.heard)
                    assert heard["event"] == news
                    assert heard["view"] == 0


async def test_c9_what_goes_on_around_a_game_leaves_it_as_it_is(server: Server) -> None:
    """C9. Chat, watching, away and host changes leave the rules state identical."""
    async with four_sit(server.ws, clock="slow") as four:
        for _ in range(9):
            await four.act()
            asked, _ = await four.asked()
            before = await four.games()
            others = [player for player in four.players if player is not asked]
            async with onlooker(server.ws, four.table) as wim:
                assert (await wim.ask("say", table=four.table, text="hello there"))["t"] == "ok"
                assert (await others[0].ask("say", table=four.table, preset="good_game"))["t"] == "ok"
                for on in (True, False):
                    assert (await others[1].ask("away", table=four.table, on=on))["t"] == "ok"
                welcomes = others[0].welcomes
                others[0].cut()
                await others[0].until(lambda player=others[0], n=welcomes: player.welcomes > n)  # type: ignore[misc]
            assert await four.games() == before
        # The host goes, a bot has her seat, and the next person is host: the game is the same for the others.
        ann, *stay = four.players
        while (await four.asked())[0] is ann:
            await four.act()
        before = await four.games()
        assert (await ann.ask("leave", table=four.table))["t"] == "ok"
        await stay[0].until(lambda: stay[0].info(four.table)["host"] == 1)
        assert [(await player.fresh_view(four.table))["view"]["game"] for player in stay] == before[1:]


async def test_c11_two_starts_at_once_are_one_game_and_one_deal(tmp_path: Path) -> None:
    """C11. One deal of distinct cards; `join` and `start` fifty times are one seat and one game."""
    async with serving(tmp_path) as own:
        async with four_sit(own.ws, is_started=False) as four:
            ann, ben = four.players[:2]
            for number in range(50):
                await ann.send({"t": "start", "ref": 5000 + number, "table": four.table})
                await ben.send({"t": "join", "ref": 5000 + number, "table": four.table, "seat": number % 4})
            answers: list[Any] = [await player.answer(5000 + n) for player in (ann, ben) for n in range(50)]
            kinds = Counter((answer["t"], answer.get("code")) for answer in answers)
            assert kinds == {("ok", None): 1, ("refused", "already_playing"): 49, ("refused", "already_seated"): 50}
            (started,) = [answer for answer in answers if answer["t"] == "ok"]
            for _ in range(50):
                assert await ann.ask("start", ref=started["ref"], table=four.table) == started
            async with asyncio.timeout(PATIENCE_S):
                await four.asked()
        await own.stop()
    entries = read_record(own.data, four.table).entries.values()
    assert [type(entry) for entry in entries if isinstance(entry, Started | Acted)] == [Started]
    (deal,) = [entry for entry in entries if isinstance(entry, DealtOut)]
    cards = [deal.deck[at : at + 2] for at in range(0, len(deal.deck), 2)]
    assert len(cards) == len(set(cards)) == 24
    seated = [entry.player for entry in entries if isinstance(entry, SatDown)]
    assert len(seated) == len(set(seated)) == 3
