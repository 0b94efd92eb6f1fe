"""Several servers that are one house: real processes, a real Redis and a real PostgreSQL, behind a balancer."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from bots.policy import LEVELS
from protocol.codes import CloseCode
from scripts.services import Postgres
from server.redis import open_redis
from tests.chaos.network import Network, network
from tests.e2e.records import (
    Record,
    check_acknowledged,
    check_each_decision_once,
    check_told_as_recorded,
    fold_record,
)
from tests.e2e.sitting import four_sit
from tests.support_player import Player, Wire, four_players, playing, seat_four
from tests.support_postgres import fresh_database, postgres
from tests.support_redis import RedisServer, lossy_proxy, running_redis
from tests.support_server import PATIENCE_S, Server, serving

FourPlayers: TypeAlias = tuple[Player, Player, Player, Player]

POLICIES = (LEVELS["easy"], LEVELS["standard"])

database = pytest.fixture(scope="module")(postgres)


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with running_redis(tmp_path / "redis") as server:
        yield server


@dataclass
class Cluster:
    """The servers, and the address in front of them that leads to one after the other."""

    nodes: list[Server]
    front: Network
    redis: RedisServer

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.front.port}/ws"

    async def record(self, table: str) -> Record:
        """Return the table's log as Redis has it."""
        opened = await open_redis(self.redis.url)
        try:
            return fold_record(await opened.log.read(table, after=0))
        finally:
            await opened.log.close()


@asynccontextmanager
async def cluster(
    folder: Path, redis: RedisServer, database: Postgres, *, nodes: int = 2, pace: float = 0
) -> AsyncIterator[Cluster]:
    """Run so many servers, and a balancer that knows those that take connections, while the context is open."""
    arguments = ("--database", fresh_database(database))
    async with AsyncExitStack() as running:
        servers = [
            await running.enter_async_context(
                serving(folder / f"node{number}", *arguments, log=redis.url, workers=1, pace=pace)
            )
            for number in range(nodes)
        ]
        front = await running.enter_async_context(network(lambda: [server.port for server in servers]))
        yield Cluster(servers, front, redis)


def check_everything(record: Record, table: str, players: tuple[Player, ...]) -> None:
    check_each_decision_once(record)
    for seat, player in enumerate(players):
        assert check_told_as_recorded(record, table, seat, player) > 10
        assert check_acknowledged(record, player) > 10
        assert player.seq(table) <= record.last


async def test_four_people_on_two_servers_play_a_game_together(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    """Tables, codes, chat and presence are those of one house, whichever server one is connected to."""
    async with cluster(tmp_path, redis, database) as house:
        urls = [server.ws for server in house.nodes]
        ann, ben, cat, dan = players = tuple(
            Player(urls[at % 2], name, policy=POLICIES[at % 2], seed=at, compare=True)
            for at, name in enumerate(("Ann", "Ben", "Cat", "Dan"))
        )
        async with playing(*players):
            table = await ann.create(visibility="public", clock="slow", rules={"target": 5})
            listed = (await ben.ask("tables"))["tables"]
            assert [row["table"] for row in listed] == [table]
            code = ann.info(table)["code"]
            assert (await ben.command(ben.session.join(code=code)))["seat"] == 1
            await ben.shown(table)
            await cat.join(table)
            await dan.join(table)
            await ben.command(ben.session.say(table, "hello"))
            for player in players:
                await player.until(lambda player=player: [m for m in player.heard if m["t"] == "chat"])  # type: ignore[misc]
                assert all(seat["online"] for seat in player.info(table)["seats"])
            await ann.start(table)
            for player in players:
                await player.game_over(table)
        check_everything(await house.record(table), table, players)


async def test_a_killed_servers_players_go_on_at_the_other(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    """kill -9 in mid-hand, again and again: every client resumes with what follows, and the game is whole."""
    async with cluster(tmp_path, redis, database) as house:
        players = await four_players(house.ws, policies=POLICIES, seed=5, compare=True)
        async with playing(*players):
            table = await seat_four(players, rules={"target": 7})
            await players[0].start(table)
            for kills in (1, 2):
                await players[0].until(lambda n=kills: players[0].seq(table) > 35 * n)  # type: ignore[misc]
                node = house.nodes[kills % 2]
                await node.kill()
                for player in players:
                    await player.until(lambda player=player: player.session.is_welcome)  # type: ignore[misc]
                await node.start()
            for player in players:
                await player.game_over(table)
        assert sum(len(player.closes) for player in players) >= 4
        check_everything(await house.record(table), table, players)


@pytest.mark.parametrize("append", ["arrives later", "is lost"])
async def test_c1_a_card_received_and_on_its_way_to_the_log_is_in_it_once(
    tmp_path: Path, redis: RedisServer, database: Postgres, append: str
) -> None:
    """C1. Kill -9 between the receipt and the append: no `ok`, the same ref again, and the card is in the log once.

    Redis stands still, so the append is on its way when the servers die: it comes to be carried out after all, or not.
    """
    async with cluster(tmp_path, redis, database) as house, four_sit(house.ws) as four:
        for _ in range(7):
            await four.act()
        player, prompt = await four.asked()
        redis.pause()
        act = player.session.act(four.table, prompt["turn"], prompt["legal"][0])
        await player.flush()
        for _ in range(2):
            # Messages are handled in order: the act was received before, and was not answered.
            assert (await player.ask("ping"))["t"] == "pong"
        assert not [message for message in player.heard if message["t"] == "ok" and message["ref"] == act["ref"]]
        for node in house.nodes:
            await node.kill()
        if append == "is lost":
            redis.kill()
            redis.start()
        else:
            redis.go_on()
        assert player.session.player is not None
        me = player.session.player["id"], act["ref"]
        there = [(entry.player, entry.ref) for entry in (await house.record(four.table)).acts()]
        assert there.count(me) == (0 if append == "is lost" else 1)
        for node in house.nodes:
            await node.start()
        answer = await player.answer(act["ref"])
        assert answer["t"] == "ok"
        await four.heard(answer["seq"])
        await four.act()
        record = await house.record(four.table)
        check_each_decision_once(record)
        mine = [entry for entry in record.acts() if (entry.player, entry.ref) == me]
        assert [entry.action for entry in mine] == [act["action"]]
        assert record.entries[answer["seq"]] is mine[0]


async def test_the_newest_connection_of_a_player_counts_whichever_server_it_is_at(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    async with cluster(tmp_path, redis, database) as house:
        here = Player(house.nodes[0].ws, "Ann")
        async with playing(here):
            table = await here.create()
            there = Player(house.nodes[1].ws, "Ann", token=here.token)
            async with playing(there):
                await here.until(lambda: here.closes)
                assert here.closes == [CloseCode.REPLACED]
                await there.shown(table)
                await there.start(table)


async def test_an_old_token_stops_at_every_server_when_the_new_one_is_used(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    async with cluster(tmp_path, redis, database) as house:
        here = Player(house.nodes[0].ws, "Ann")
        async with playing(here):
            old = here.token
            new = (await here.ask("renew_token"))["token"]
            other = Player(house.nodes[1].ws, "Ann", token=old)
            async with playing(other):
                again = Player(house.nodes[0].ws, "Ann", token=new)
                async with playing(again):
                    assert again.session.player == here.session.player
                    assert await other.closed() == CloseCode.TOKEN_RENEWED
        for node in house.nodes:
            async with Wire.to(node.ws) as late:
                assert (await late.ask({"t": "hello", "ref": 1, "version": 1, "token": old}))["code"] == "bad_token"
                assert await late.closed() == CloseCode.TOKEN_REFUSED


async def test_a_server_that_has_not_heard_yet_refuses_nothing_for_it(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    """A seat that was left, and a turn that came, at another server: who asks here at once is not refused.

    This server hears of no entry by itself: Redis's announcements do not reach it.
    """
    async with AsyncExitStack() as running:
        deaf = await running.enter_async_context(lossy_proxy(redis, loss=0))
        deaf.change = lambda answer: answer.replace(b":grown", b":taken")
        arguments = ("--database", fresh_database(database))
        here, there = [
            await running.enter_async_context(serving(tmp_path / name, *arguments, log=url, pace=0))
            for name, url in (("here", redis.url), ("there", deaf.url))
        ]
        ann, ben, cat, dan = [Player(here.ws, name) for name in ("Ann", "Ben", "Cat", "Dan")]
        eve, wim = Player(there.ws, "Eve"), Player(there.ws, "Wim")
        async with playing(ann, ben, cat, dan, eve, wim):
            table = await seat_four((ann, ben, cat, dan))
            await wim.watch(table)
            left = await dan.command(dan.session.leave(table))
            await eve.join(table, 3)
            assert eve.seq(table) > left["seq"]
            await ann.start(table)
            for _ in range(4):
                prompt = await ann.until(lambda: open_prompt(ann, table))
                player = (ann, ben, cat, eve)[prompt["seat"]]
                answer = await player.ask("act", table=table, turn=prompt["turn"], action="pass")
                assert answer["t"] == "ok", answer
                await ann.until(lambda seq=answer["seq"]: ann.seq(table) >= seq)  # type: ignore[misc]


def open_prompt(player: Player, table: str) -> dict[str, Any] | None:
    """Return the prompt that *player* heard last, if it is of the entry he knows."""
    prompt = player.session.tables[table].prompt
    return dict(prompt) if prompt is not None and prompt["seq"] == player.seq(table) else None


@pytest.mark.parametrize("fault", ["pause", "kill"])
async def test_while_redis_is_away_the_house_says_so_and_then_goes_on_by_itself(
    tmp_path: Path, redis: RedisServer, database: Postgres, fault: str
) -> None:
    """Commands are refused `degraded`, nothing that was acknowledged is lost, and bots and people play on."""
    async with cluster(tmp_path, redis, database) as house:
        players = await four_players(house.ws, policies=(*POLICIES, None), seed=6)
        ann, ben, cat, dan = players
        async with playing(*players):
            table = await ann.create(rules={"target": 6}, clock="normal")
            await ben.join(table)
            await ann.start(table)
            await ann.until(lambda: ann.seq(table) > 20)
            redis.pause() if fault == "pause" else redis.kill()
            for player in players:
                await player.until(lambda player=player: "degraded" in notices(player))  # type: ignore[misc]
            seq = ann.seq(table)
            wish: dict[str, Any] = {"preset": "standard", "visibility": "private", "clock": "none"}
            assert (await dan.ask("create", **wish))["code"] == "degraded"
            assert (await cat.ask("ping"))["t"] == "pong"
            redis.go_on() if fault == "pause" else redis.start()
            for player in players:
                await player.until(lambda player=player: "restored" in notices(player))  # type: ignore[misc]
            for player in (ann, ben):
                await player.game_over(table)
            assert ann.seq(table) > seq
            assert (await cat.ask("create", **wish))["t"] == "ok"
        record = await house.record(table)
        check_each_decision_once(record)
        for player in (ann, ben):
            check_acknowledged(record, player)


def notices(player: Player) -> list[str]:
    return [message["kind"] for message in player.heard if message["t"] == "notice"]


async def test_a_rolling_restart_under_load_loses_nothing(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    """One server after the other is asked to stop and started again while games are played: each is finished."""
    async with cluster(tmp_path, redis, database) as house, AsyncExitStack() as rooms:
        tables: list[tuple[str, FourPlayers]] = []
        for seed in range(3):
            players = await four_players(house.ws, policies=POLICIES, seed=seed, compare=True)
            await rooms.enter_async_context(playing(*players))
            table = await seat_four(players, rules={"target": 10})
            await players[0].start(table)
            tables.append((table, players))
        for node in house.nodes:
            node.signal(signal.SIGTERM)
            async with asyncio.timeout(PATIENCE_S):
                assert await node.ended() == 0
            await node.start()
        for _, players in tables:
            for player in players:
                await player.until(lambda player=player: player.session.is_welcome)  # type: ignore[misc]
        for table, players in tables:
            for player in players:
                await player.game_over(table)
        for table, players in tables:
            check_everything(await house.record(table), table, players)
            assert any(CloseCode.DRAINING in player.closes for player in players)


async def test_a_game_that_ends_anywhere_is_archived_once_and_read_anywhere(
    tmp_path: Path, redis: RedisServer, database: Postgres
) -> None:
    async with cluster(tmp_path, redis, database) as house:
        ann = Player(house.nodes[0].ws, "Ann", policy=POLICIES[0])
        async with playing(ann):
            table = await ann.create(rules={"target": 1})
            await ann.start(table)
            await ann.game_over(table)
            await ann.command(ann.session.leave(table))
            token = ann.token
        there = Player(house.nodes[1].ws, "Ann", token=token)
        async with playing(there):
            async with asyncio.timeout(PATIENCE_S):
                while not (games := (await there.ask("games"))["games"]):  # noqa: ASYNC110  # nothing announces it
                    await asyncio.sleep(0.05)
            assert [game["table"] for game in games] == [table]
            assert (await there.ask("game", table=table, game=games[0]["game"]))["lines"]
