"""Servers and workers that are killed in mid-game, and networks that lose things: every table goes on where it was."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from bots.policy import LEVELS
from bots.uniform import Uniform
from server.workers import DECISION_LIMIT_S
from tests.e2e.lossy import lossy_network
from tests.e2e.records import (
    Record,
    check_acknowledged,
    check_each_decision_once,
    check_told_as_recorded,
    read_record,
)
from tests.support_player import Player, four_players, playing, seat_four
from tests.support_server import is_alive, serving, until_ended

POLICIES = (*LEVELS.values(), Uniform())


def check_everything(record: Record, table: str, players: tuple[Player, ...]) -> None:
    check_each_decision_once(record)
    for seat, player in enumerate(players):
        assert check_told_as_recorded(record, table, seat, player) > 20
        assert check_acknowledged(record, player) > 0


async def test_c2_a_server_killed_in_mid_hand_goes_on_and_nothing_told_is_lost(tmp_path: Path) -> None:
    """C1, C2: kill -9 at different moments: all that was told and acknowledged is in the log, and the game goes on.

    The clients resume by themselves, on the same port.
    """
    async with serving(tmp_path) as server:
        players = await four_players(server.ws, policies=POLICIES, seed=21, compare=True)
        async with playing(*players):
            table = await seat_four(players, "ladder", rules={"target": 5})
            await players[0].start(table)
            for kills in (1, 2):
                ann = players[kills]
                await ann.until(lambda ann=ann, n=kills: ann.seq(table) > 23 * n)  # type: ignore[misc]
                await server.kill()
                record = read_record(server.data, table)
                for player in players:
                    assert player.seq(table) <= record.last
                    check_acknowledged(record, player)
                await server.start()
                for player in players:
                    await player.until(lambda player=player, n=kills: player.welcomes > n)  # type: ignore[misc]
            for player in players:
                await player.game_over(table)
        await server.stop()
        assert "_failed" not in server.logged()
        assert "damaged" not in server.logged()
    check_everything(read_record(server.data, table), table, players)


async def test_s4_a_bot_that_thought_when_the_server_was_killed_acts_after_the_restart(tmp_path: Path) -> None:
    """S4. Kill -9 while a bot "thinks": its worker stands still with the question. The bot acts within its time."""
    async with serving(tmp_path) as server:
        await server.has_logged('"working"')
        ann = Player(server.ws, "Ann", compare=True)
        async with playing(ann):
            table = await ann.create(rules={"target": 99})
            await ann.start(table)
            for kills in (1, 2, 3):
                prompt = await ann.my_turn(table)
                (worker,) = server.children()
                os.kill(worker, signal.SIGSTOP)
                while "legal" in prompt:
                    turn = prompt["turn"]
                    await ann.ask("act", table=table, turn=turn, action=prompt["legal"][0])
                    prompt = await ann.until(lambda turn=turn: newer_prompt(ann, table, turn))  # type: ignore[misc]
                server.signal(signal.SIGKILL)
                os.kill(worker, signal.SIGKILL)  # which would end by itself, but stands still
                await server.ended()
                seq = prompt["turn"]
                assert read_record(server.data, table).last == seq
                await server.start()
                began = asyncio.get_running_loop().time()
                await server.has_logged('"working"', times=kills + 1)
                await ann.until(lambda seq=seq: ann.seq(table) > seq)  # type: ignore[misc]
                assert asyncio.get_running_loop().time() - began < DECISION_LIMIT_S + 3
        await server.stop()
    record = read_record(server.data, table)
    check_each_decision_once(record)
    assert check_told_as_recorded(record, table, 0, ann) > 10


def newer_prompt(player: Player, table: str, turn: int) -> dict[str, Any] | None:
    """Return the open prompt, if it is of a later decision than *turn*."""
    prompt = player.session.tables[table].prompt
    return dict(prompt) if prompt is not None and prompt["turn"] > turn else None


async def test_a_table_that_waits_and_its_seats_outlive_a_kill(tmp_path: Path) -> None:
    """Names, seats, code, chosen rules and the host: all of it is in the log."""
    async with serving(tmp_path, workers=0) as server:
        players = await four_players(server.ws)
        async with playing(*players[:3]):
            table = await players[0].create("screw", name="Lunch", rules={"target": 3}, bots="easy")
            code = players[0].info(table)["code"]
            await players[1].join(table, 2)
            before = players[1].info(table)
            await server.kill()
            await server.start()
            for player in players[:3]:
                await player.until(lambda player=player: player.welcomes == 2)  # type: ignore[misc]
            for player in players[:2]:
                view = await player.fresh_view(table)
                assert {**view["view"]["table"], "seats": 0} == {**before, "seats": 0}
            answer = await players[2].ask("join", code=code, seat=3)
            assert answer["table"] == table
            assert (await players[1].ask("start", table=table))["code"] == "not_host"
            await players[0].start(table)
        await players[3].leave_the_room()


async def test_in_memory_nothing_is_kept(tmp_path: Path) -> None:
    """With `--log memory` a restart knows nobody: the client is told, and begins anew."""
    async with serving(tmp_path, log="memory", workers=0) as server:
        ann = Player(server.ws, "Ann")
        async with playing(ann):
            table = await ann.create()
            token = ann.token
            await server.kill()
            await server.start()
            await ann.until(lambda: ann.closes[-1] == 4002)
            await ann.until(lambda: ann.session.is_welcome and ann.token != token)
            assert table not in ann.session.tables
            assert not (server.data / "euchre.db").exists()


# ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_worker_that_is_killed_is_replaced_and_games_go_on(tmp_path: Path) -> None:
    async with serving(tmp_path, log="memory") as server:
        ann = Player(server.ws, "Ann", policy=Uniform(), seed=8)
        async with playing(ann):
            table = await ann.create(rules={"target": 15})
            await ann.start(table)
            await server.has_logged('"working"')
            (worker,) = server.children()
            os.kill(worker, signal.SIGKILL)
            await ann.game_over(table)
            await server.has_logged('"working"', times=2)
            assert worker not in server.children()
            await ann.start(table)
            await ann.until(lambda: ann.view(table).hand > 1)
        assert not is_alive(worker)
        assert "worker_ended" in server.logged()


async def test_without_any_worker_bots_play_by_a_rule_of_thumb(tmp_path: Path) -> None:
    async with serving(tmp_path, log="memory", workers=0) as server:
        ann = Player(server.ws, "Ann", policy=Uniform(), seed=8)
        async with playing(ann):
            table = await ann.create(rules={"target": 5})
            await ann.start(table)
            await ann.game_over(table)


async def test_the_workers_of_a_server_that_was_killed_end_by_themselves(tmp_path: Path) -> None:
    async with serving(tmp_path, workers=2) as server:
        await server.has_logged('"working"', times=2)
        workers = server.children()
        assert len(workers) == 2
        await server.kill()
        for worker in workers:
            await until_ended(worker)
            assert not is_alive(worker)


# ── the disk and the network ─────────────────────────────────────────────────────────────────────────────────────────


async def test_while_the_disk_is_full_acts_are_refused_and_afterwards_the_game_goes_on(tmp_path: Path) -> None:
    """What cannot be recorded is refused as `degraded`; the client sends it again when told to, and it is done once.

    All are told, who only wait for others, too.
    """
    async with serving(tmp_path) as server:
        players = await four_players(server.ws, policies=POLICIES, seed=33, compare=True)
        async with playing(*players):
            table = await seat_four(players, rules={"target": 5})
            await players[0].start(table)
            await players[0].until(lambda: players[0].seq(table) > 20)
            _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            journal = (server.data / "euchre.db-wal").stat().st_size
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (journal, most))
            refused = await next_degraded(players)
            assert refused["retry_ms"] == 1000
            for player in players:
                await player.until(lambda player=player: notices(player) == ["degraded"])  # type: ignore[misc]
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))
            for player in players:
                await player.game_over(table)
                await player.until(lambda player=player: notices(player) == ["degraded", "restored"])  # type: ignore[misc]
        assert await server.stop() == 0
        assert "database_write_failed" in server.logged()
    check_everything(read_record(server.data, table), table, players)


def notices(player: Player) -> list[str]:
    """Return the kinds of all notices a player got."""
    return [message["kind"] for message in player.heard if message["t"] == "notice"]


async def next_degraded(players: tuple[Player, ...]) -> dict[str, object]:
    """Wait until one of the players is refused with `degraded`."""

    def found(player: Player) -> dict[str, object] | None:
        return next((m for m in player.heard if m["t"] == "refused" and m["code"] == "degraded"), None)

    waits = [asyncio.create_task(player.until(lambda player=player: found(player))) for player in players]  # type: ignore[misc]
    done, pending = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in pending:
        wait.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    return done.pop().result()


@pytest.mark.parametrize("seed", [1, 2])
async def test_c5_answers_lost_and_commands_doubled_change_no_game(tmp_path: Path, seed: int) -> None:
    """C5: a network drops 3 % of the answers and doubles 3 % of the commands: no card twice, nobody stuck."""
    async with serving(tmp_path) as server, lossy_network(server.ws, seed=seed) as network:
        players = await four_players(network.url, policies=POLICIES, seed=seed, compare=True)
        async with playing(*players):
            table = await seat_four(players, rules={"target": 7})
            await players[0].start(table)
            for player in players:
                await player.game_over(table)
        await server.stop()
        assert network.lost
        assert network.echoed
    check_everything(read_record(server.data, table), table, players)
