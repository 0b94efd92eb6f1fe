"""Clocks: the cases T of server_cases.md, over real sockets and on the real clock."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from server import clock
from server.entries import AwaySet, Credited
from tests.e2e.records import check_each_decision_once, fold_record, read_log, read_record
from tests.e2e.sitting import FourSit, four_sit
from tests.support_player import Message, Player
from tests.support_server import serving

TURN_MS, BANK_MS = 8_000, 20_000
"""Of the clock `fast`."""
TABLES = 24
EARLIEST_MS, LATEST_MS = -1000, 200
"""When the acts of the test are sent, from the end of the time on; on a busy machine they arrive a good deal later."""


def now_ms() -> float:
    return asyncio.get_running_loop().time() * 1000


def left_ms(prompt: Message) -> int:
    left: int = prompt["left_ms"] + prompt["bank_ms"]
    return left


async def next_prompt(player: Player, heard: int) -> Message:
    """Return the first prompt that came after so many messages."""
    return await player.until(
        lambda: next((message for message in player.heard[heard:] if message["t"] == "prompt"), None)
    )


async def test_t1_away_and_reconnecting_change_no_clock(tmp_path: Path) -> None:
    """T1. Toggling away or reconnecting never changes a clock, and never buys time."""
    async with serving(tmp_path, log="memory") as server, four_sit(server.ws, clock="fast") as four:
        player, prompt = await four.asked()
        began, all_ms = now_ms(), left_ms(prompt)
        assert all_ms <= TURN_MS + BANK_MS
        others = [one for one in four.players if one is not player]
        for number in range(6):
            heard = len(player.heard)
            player.cut_off(0.2)
            again = await next_prompt(player, heard)
            assert again["turn"] == prompt["turn"]
            assert left_ms(again) <= all_ms - (now_ms() - began) + 100
            for on in (True, False):
                assert (await others[number % 3].ask("away", table=four.table, on=on))["t"] == "ok"
            heard = len(player.heard)
            await player.send({"t": "sync", "ref": player.fresh_ref(), "table": four.table, "seq": 0})
            assert left_ms(await next_prompt(player, heard)) <= all_ms - (now_ms() - began) + 100
        answer = await player.command(player.session.act(four.table, prompt["turn"], prompt["legal"][0]))
        assert answer["t"] == "ok"


async def test_t1_who_thinks_into_his_bank_and_then_goes_away_has_used_it(tmp_path: Path) -> None:
    """T1. Going away before the end buys no time: the bot's decision is free, what was thought before it is not."""
    used_ms = 1500
    async with serving(tmp_path) as server, four_sit(server.ws, clock="fast") as four:
        player, prompt = await four.asked()
        await asyncio.sleep((prompt["left_ms"] + used_ms) / 1000)
        for on in (True, False):
            assert (await player.ask("away", table=four.table, on=on))["t"] == "ok"
        await player.until(lambda: four.events(player, "came_back"))
        while (await four.asked())[0] is not player:
            await four.act()
        assert (await four.asked())[1]["bank_ms"] <= BANK_MS - used_ms + 100


@pytest.mark.timeout(300)
async def test_t3_t4_a_play_at_the_last_moment_counts_or_is_refused_and_the_timer_does_nothing_more(
    tmp_path: Path,
) -> None:
    """T3. Before the deadline it counts; after it, it is refused; never both. T4. For five seconds nothing follows."""
    async with serving(tmp_path) as server, AsyncExitStack() as tables:
        fours = [
            await tables.enter_async_context(four_sit(server.ws, seed=seed, clock="fast")) for seed in range(TABLES)
        ]
        outcomes = await asyncio.gather(*(at_the_last_moment(four, number) for number, four in enumerate(fours)))
        assert set(outcomes) == {"ok", "stale"}
        for four in fours:
            turn = (await four.asked())[1]["turn"]
            record_of = [player.seq(four.table) for player in four.players]
            assert set(record_of) == {turn}
        await asyncio.sleep(5)
        after = [[player.seq(four.table) for player in four.players] for four in fours]
        await tables.aclose()
        await server.stop()
    for four, outcome, seqs in zip(fours, outcomes, after, strict=True):
        record = read_record(server.data, four.table)
        check_each_decision_once(record)
        (act,) = record.acts()
        assert act.why == ("player" if outcome == "ok" else "clock")
        assert set(seqs) == {record.last}
        assert not [entry for entry in record.entries.values() if isinstance(entry, AwaySet)]


async def at_the_last_moment(four: FourSit, number: int) -> str:
    """Take the first decision about when its time is over; return `ok` or the code of the refusal."""
    player, _ = await four.asked()
    heard = len(player.heard)
    await player.send({"t": "sync", "ref": player.fresh_ref(), "table": four.table, "seq": 0})
    prompt = await next_prompt(player, heard)
    off_ms = EARLIEST_MS + (LATEST_MS - EARLIEST_MS) * number / (TABLES - 1)
    await asyncio.sleep((left_ms(prompt) + off_ms) / 1000)
    answer = await player.command(player.session.act(four.table, prompt["turn"], prompt["legal"][0]))
    await four.heard(prompt["turn"] + 1)
    return str(answer.get("code", answer["t"]))


async def test_t6_time_given_back_after_an_outage_is_an_event_with_a_reason(tmp_path: Path) -> None:
    """T6. Killed while a clock runs and started again so late that little is left: the log and everybody are told."""
    async with serving(tmp_path, workers=0) as server:
        async with four_sit(server.ws, clock="fast") as four:
            _, prompt = await four.asked()
            await server.kill()
            await asyncio.sleep(16)
            await server.start()
            for one in four.players:
                await one.until(lambda one=one: four.events(one, "time_credited"))  # type: ignore[misc]
                (event,) = four.events(one, "time_credited")
                assert event["seat"] == prompt["seat"]
                assert event["why"] == "the server was away"
        await server.stop()
    log = read_log(server.data, four.table)
    record = fold_record(log)
    ((seq, credit),) = [(seq, entry) for seq, entry in record.entries.items() if isinstance(entry, Credited)]
    assert credit.why == "the server was away"
    state, at_ms = record.states[seq], log[seq - 1].at_ms
    assert state.play is not None
    assert state.play.decision is not None
    assert state.play.decision.turn == prompt["turn"]
    left = clock.left_ms(state.room.clock, state.play.decision, state.play.banks_ms[prompt["seat"]], at_ms)
    assert left is not None
    assert clock.LEAST_AFTER_OUTAGE_MS - 100 <= left[0] <= clock.LEAST_AFTER_OUTAGE_MS + 500
    assert left[1] <= BANK_MS
