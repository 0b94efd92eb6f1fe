"""Seats, presence and bots: the cases S of server_cases.md, over real sockets and on the real clock."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest
import pytest_asyncio

from bots.uniform import Uniform
from engine.state import Phase
from engine.view import WATCHER
from protocol.codec import JSON
from protocol.codes import CloseCode
from tests.e2e.records import check_each_decision_once, read_record
from tests.e2e.sitting import PHASES, FourSit, a_server, four_sit, onlooker
from tests.support_player import Player, Wire, playing
from tests.support_server import Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
server = pytest_asyncio.fixture(scope="module", loop_scope="module")(a_server)

TURN_S, BANK_S = 8, 20
"""Of the clock `fast`."""


async def at_every_phase(server: Server, play: Callable[[FourSit, Phase], Awaitable[None]]) -> None:
    """Do *play* at a table for each phase, all at once: what takes its time takes it once."""
    async with AsyncExitStack() as tables:
        fours = [
            await tables.enter_async_context(four_sit(server.ws, preset, seed=seed, clock="fast", rules={**rules}))
            for seed, (preset, rules) in enumerate(PHASES.values())
        ]
        await asyncio.gather(*(play(four, phase) for four, phase in zip(fours, PHASES, strict=True)))


async def come_back(player: Player, pause_s: float) -> None:
    """Lose the connection and stay away for so long."""
    welcomes = player.welcomes
    player.cut_off(pause_s)
    await player.until(lambda: player.welcomes > welcomes)


async def test_s1_a_cut_of_eight_seconds_at_every_phase(server: Server) -> None:
    """S1. The seat stays the human's; the bot decides nothing before the clock ends."""

    async def play(four: FourSit, phase: Phase) -> None:
        player, prompt = await four.reach(phase)
        seat = prompt["seat"]
        other = four.players[(seat + 1) % 4]
        await come_back(player, 8)
        again, same = await four.asked()
        assert again is player
        assert same["turn"] == prompt["turn"]
        for one in four.players:
            assert four.events(one, "stood_in") == []
        assert other.info(four.table)["seats"][seat]["kind"] == "human"
        assert (await player.command(player.session.act(four.table, same["turn"], same["legal"][0])))["t"] == "ok"

    await at_every_phase(server, play)


@pytest.mark.timeout(240)
async def test_s5_t7_a_seat_dropped_at_each_kind_of_decision(server: Server) -> None:
    """S5. The hand ends in bounded time. T7. The clock that ran out cost that one decision, the bot's choice.

    The next decision is the person's again if he is back; if he lets that run out, too, he is away.
    """

    async def play(four: FourSit, phase: Phase) -> None:
        player, prompt = await four.reach(phase)
        others = [one for one in four.players if one is not player]
        hand = others[0].view(four.table).hand
        for one in others:
            one.policy = Uniform()
        began = asyncio.get_running_loop().time()
        player.cut_off(600)
        await others[0].until(lambda: four.events(others[0], "stood_in"))
        took_s = asyncio.get_running_loop().time() - began
        assert took_s < TURN_S + BANK_S + 5
        first = four.events(others[0], "stood_in")[0]
        assert (first["seat"], first["why"]) == (prompt["seat"], "clock")
        assert not others[0].info(four.table)["seats"][prompt["seat"]]["away"]
        view = others[0].view
        await others[0].until(lambda: view(four.table).over or view(four.table).hand > hand)
        assert asyncio.get_running_loop().time() - began < TURN_S + BANK_S + TURN_S + 10
        whys = [event["why"] for event in four.events(others[0], "stood_in")]
        assert whys[:2] in (["clock"], ["clock", "clock"])
        assert set(whys[2:]) <= {"away"}

    await at_every_phase(server, play)


async def test_s2_who_returns_while_a_bot_decides_for_him(tmp_path: Path) -> None:
    """S2. One decision per turn; control is back at the next. Nobody knows who is first, but it is one of them."""
    rng = Random(2)
    answers: dict[int, str] = {}
    async with serving(tmp_path) as own:
        async with four_sit(own.ws, rules={"target": 99}) as four:
            for _ in range(60):
                player, prompt = await four.asked()
                player.session.away(four.table, on=True)
                if wait_s := rng.choice((0, 0, 0.001, 0.003, 0.01, 0.1)):
                    await player.flush()
                    await asyncio.sleep(wait_s)
                answer = await player.command(player.session.act(four.table, prompt["turn"], prompt["legal"][0]))
                answers[prompt["turn"]] = str(answer.get("code", answer["t"]))
                if answer["t"] == "refused":
                    await player.command(player.session.away(four.table, on=False))
                await four.heard(player.seq(four.table))
                assert not player.info(four.table)["seats"][prompt["seat"]]["away"]
        await own.stop()
    record = read_record(own.data, four.table)
    check_each_decision_once(record)
    taken = {entry.turn: entry.why for entry in record.acts()}
    assert {answer: taken[turn] for turn, answer in answers.items()} == {"ok": "player", "stale": "away"}
    assert all(taken[turn] == {"ok": "player", "stale": "away"}[answer] for turn, answer in answers.items())


async def test_s6_the_old_sockets_close_arrives_after_the_new_one_identified_itself(server: Server) -> None:
    """S6. Nothing happens: the seat is there, and the others hear of no coming and going."""
    async with four_sit(server.ws) as four, onlooker(server.ws, four.table) as wim:
        old = await Wire.open(server.ws, JSON)
        token = four.players[2].token
        await old.send({"t": "hello", "ref": 1, "version": 1, "token": token})
        await old.answer(1)
        assert await four.players[2].closed() == CloseCode.REPLACED
        async with Wire.to(server.ws) as new:
            await new.send({"t": "hello", "ref": 2, "version": 1, "token": token})
            await new.answer(2)
            heard = len(wim.heard)
            old.socket.transport.abort()
            for number in range(20):
                await new.send({"t": "ping", "ref": 10 + number})
                await new.answer(10 + number)
            assert (await wim.ask("ping"))["t"] == "pong"
            assert not [message for message in wim.heard[heard:] if message["t"] in {"presence", "event"}]
            view = await wim.fresh_view(four.table)
            assert view["view"]["table"]["seats"][2]["online"]
            await new.send({"t": "sync", "ref": 50, "table": four.table, "seq": 0})
            await new.answer(50)
            assert (await new.receive())["view"]["game"]["viewer"] == 2


async def test_s7_all_four_drop_and_come_back_and_the_last_human_closes_the_table(server: Server) -> None:
    """S7. (That a table nobody comes back to is collected takes a day, and is tested on a clock of its own.)"""
    async with four_sit(server.ws, visibility="public", clock="slow") as four:
        for _ in range(5):
            await four.act()
        before = await four.games()
        await asyncio.gather(*(come_back(player, 0.5) for player in four.players))
        assert await four.games() == before
        await four.act()
        async with onlooker(server.ws, four.table) as wim:
            for player in four.players:
                assert (await player.ask("leave", table=four.table))["t"] == "ok"
            await wim.until(lambda: any(message["t"] == "notice" for message in wim.heard))
            (notice,) = [message for message in wim.heard if message["t"] == "notice"]
            assert notice["kind"] == "table_closed"
            listed: Any = await wim.ask("tables", filter="all")
            assert four.table not in [row["table"] for row in listed["tables"]]
            assert (await wim.ask("watch", table=four.table))["code"] in {"no_such_table", "table_closed"}


async def test_s8_the_host_leaves_before_the_start(server: Server) -> None:
    """S8. The table can still be started: by the next person clockwise."""
    async with four_sit(server.ws, is_started=False) as four:
        ann, ben, *_ = four.players
        assert (await ann.ask("leave", table=four.table))["t"] == "ok"
        await ben.until(lambda: ben.info(four.table)["host"] == 1)
        assert (await four.players[2].ask("start", table=four.table))["code"] == "not_host"
        assert (await ben.ask("start", table=four.table))["t"] == "ok"
        await ben.until(lambda: ben.view(four.table).hand == 1)
        assert [seat["kind"] for seat in ben.info(four.table)["seats"]] == ["bot", "human", "human", "human"]


async def test_s10_h4_a_rematch_is_a_new_game_for_who_drops_and_returns(server: Server) -> None:
    """S10. You are in the new one. H4. It starts from a fresh view, and earlier hands never reach the seats again."""
    people = [Player(server.ws, name, policy=Uniform(), seed=seed) for seed, name in enumerate(("Ann", "Ben"))]
    async with playing(*people):
        table = await people[0].create(rules={"target": 1, "reveal": "own_only"})
        await people[1].join(table, 1)
        await people[0].start(table)
        for player in people:
            await player.game_over(table)
        old = people[1].view(table)
        ended = people[1].seq(table)
        people[0].policy = people[1].policy = None
        await people[0].start(table)
        await people[0].until(lambda: people[0].view(table).hand == 1 and not people[0].view(table).over)
        for player in people:
            heard = len(player.heard)
            await come_back(player, 0.2)
            view = (await player.fresh_view(table))["view"]["game"]
            assert (view["over"], view["hands_scored"], view["score"], view["hand"]) == (False, 0, [0, 0], 1)
            assert view["revealed"] is None
            assert len(view["cards"]) == (6 if view["phase"] == "discard" and view["to_act"] == view["viewer"] else 5)
            since = [m for m in player.heard[heard:] if m["t"] == "event" and m["table"] == table]
            assert all(message["seq"] > ended for message in since)
            assert player.view(table).tricks != old.tricks or not player.view(table).tricks


async def test_s11_a_spectator_who_sits_down_gets_his_hand_from_the_next_hand_on(server: Server) -> None:
    """S11. In mid-hand he sees what a watcher sees, and a bot plays on for the seat; dealt in, he sees and plays."""
    ann = Player(server.ws, "Ann", policy=Uniform(), seed=11)
    async with playing(ann):
        table = await ann.create(rules={"target": 99, "reveal": "own_only"})
        ann.policy = None
        await ann.start(table)
        await ann.my_turn(table)
        async with onlooker(server.ws, table) as wim:
            assert (await wim.command(wim.session.join(table=table, seat=2)))["t"] == "ok"
            sat_at = await wim.until(lambda: wim.info(table)["seats"][2]["name"] == "Wim" and wim.seq(table))
            view = (await wim.fresh_view(table))["view"]["game"]
            assert (view["viewer"], view["cards"]) == (WATCHER, [])
            prompt = await ann.my_turn(table)
            early = await wim.ask("act", table=table, turn=prompt["turn"], action=prompt["legal"][0])
            assert early["code"] == "not_playing"
            ann.policy, wim.policy = Uniform(), Uniform()
            await ann.command(ann.session.act(table, prompt["turn"], prompt["legal"][0]))
            await wim.until(lambda: wim.view(table).viewer == 2 and len(wim.view(table).cards) == 5)
            heard = [
                message for message in wim.heard if message.get("seq", 0) >= sat_at and message.get("table") == table
            ]
            dealt = next(at for at, message in enumerate(heard) if wim_is_dealt_in(message))
            before = heard[:dealt]
            assert not [
                event for message in before for event in message.get("events", ()) if event["e"] == "cards_dealt"
            ]
            assert all(message["view"]["game"]["cards"] == [] for message in before if message["t"] == "view")
            assert not [message for message in before if "legal" in message]
            await wim.until(lambda: any("legal" in message for message in wim.heard))


def wim_is_dealt_in(message: dict[str, object]) -> bool:
    """Tell whether a message shows or deals seat 2 its hand."""
    events = message.get("events", ())
    assert isinstance(events, list | tuple)
    view = message.get("view")
    game = view["game"] if isinstance(view, dict) else None
    return any(event["e"] == "cards_dealt" for event in events) or bool(game and game["viewer"] == 2)
