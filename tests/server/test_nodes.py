"""Several nodes of one house in one process, on a clock the tests wind: they share a log, a bus and a directory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

import pytest

from engine.actions import parse_action
from protocol.codes import CloseCode
from server import lobby
from server.agenda import next_due
from server.entries import Credited, StoodUp, pack_entry
from server.lobby import MAX_TABLES_PER_PLAYER
from server.log import LogUnavailableError
from server.log.memory import MemoryLog
from server.table import Act, Credit, Refusal, SitDown, StandUp, StartGame
from tests.server.clockwork import after, clockwork, clockwork_loop, now_ms, settled
from tests.server.house import Guest, InnerHouse, open_house
from tests.server.tables import entries
from tests.server.test_actor import SlowWorker, asked
from tests.server.test_archive import play_out

GONE_S = 6
"""After this time without a word a node is known to be gone."""


@asynccontextmanager
async def cluster(count: int, *, log: MemoryLog | None = None, pace: float = 0) -> AsyncIterator[list[InnerHouse]]:
    """Run *count* nodes of one house while the context is open."""
    async with AsyncExitStack() as nodes:
        houses = [await nodes.enter_async_context(open_house(log, pace=pace))]
        for _ in range(1, count):
            houses.append(await nodes.enter_async_context(open_house(pace=pace, beside=houses[0])))
        yield houses


async def spread(houses: list[InnerHouse], **fields: Any) -> tuple[str, list[Guest]]:
    """Seat four people at a new table, each connected to another node in turn, by its code."""
    people = [await houses[at % len(houses)].guest(name) for at, name in enumerate(("Ann", "Ben", "Cat", "Dan"))]
    table = await people[0].create(**fields)
    code = people[0].info(table)["code"]
    for person in people[1:]:
        assert (await person.do(person.client.join(code=code)))["t"] == "ok"
    return table, people


async def move(guest: Guest, house: InnerHouse) -> None:
    """Let the guest connect to another node."""
    await after(0.01)
    guest.house = house
    await guest.connect()


async def next_asked(people: list[Guest], table: str) -> Guest:
    """Return who is asked for a decision, when somebody is."""
    await until(lambda: any(person.is_asked(table) for person in people))
    return asked(people, table)


async def taken_by(log: Any, table: str) -> list[int]:
    """Return the turns that were taken, as the log has them."""
    return [entry.turn for entry in entries(list(await log.read(table, after=0))) if hasattr(entry, "turn")]


def contiguous(guest: Guest, table: str) -> bool:
    """Tell whether the entries the guest was told of are without gap and none came twice."""
    told = [message for message in guest.heard if message.get("table") == table and message["t"] in {"event", "view"}]
    seq = 0
    for message in told:
        if message["t"] == "event" and message["seq"] != seq + 1:
            return False
        seq = message["seq"]
    return True


@clockwork
async def test_four_people_on_three_nodes_play_a_whole_game() -> None:
    """Any client on any node: each hears every entry once and in order, and sees what the others see."""
    async with cluster(3) as houses:
        table, people = await spread(houses, rules={"target": 5})
        await people[0].start(table)
        while not people[0].view(table).over:
            who = await next_asked(people, table)
            assert (await who.act(table))["t"] == "ok"
        for person in people:
            assert contiguous(person, table)
            assert person.view(table).over
            assert person.seq(table) == houses[0].state(table).seq
        states = {id(house): house.state(table) for house in houses}
        assert len({repr(state) for state in states.values()}) == 1
        turns = await taken_by(houses[0].log, table)
        assert turns == sorted(set(turns))


@clockwork
async def test_c4_rival_commands_from_two_nodes_for_one_seat() -> None:
    """C4 over nodes: two nodes hand in different actions for one turn, a thousand times; exactly one is taken."""
    async with cluster(2) as houses:
        table, people = await spread(houses, rules={"target": 99}, clock="none")
        await people[0].start(table)
        ref, tried = 1, 0
        while tried < 1000:
            who = next((person for person in people if person.is_asked(table)), None)
            if who is None or who.client.player is None:
                await people[0].start(table)
                continue
            prompt = who.prompt(table)
            outcomes: list[int | Refusal] = []
            for house, action in zip(houses, (prompt["legal"][0], prompt["legal"][-1]), strict=True):
                command = Act(who.client.player["id"], prompt["turn"], parse_action(action), ref := ref + 1)
                house.actor(table).submit(command, outcomes.append)
            await settled()
            taken = [outcome for outcome in outcomes if not isinstance(outcome, Refusal)]
            refused = [outcome.code for outcome in outcomes if isinstance(outcome, Refusal)]
            assert len(taken) == len(refused) == 1
            assert refused[0] in {"stale", "game_over"}
            assert len({house.state(table).seq for house in houses}) == 1
            tried += 1
        turns = await taken_by(houses[0].log, table)
        assert turns == sorted(set(turns))


@clockwork
async def test_a_command_sent_again_to_another_node_is_answered_again() -> None:
    """The node went before its answer came: the other knows the ref, and the card is played once."""
    async with cluster(2) as houses:
        table, people = await spread(houses)
        await people[0].start(table)
        who = asked(people, table)
        command = who.client.act(table, who.prompt(table)["turn"], who.prompt(table)["legal"][0])
        who.paper.on_send = bool  # it is taken, and nothing of it reaches the client
        await who.session.receive(who.codec.encode(command).decode())
        await settled()
        seq = houses[0].state(table).seq
        other = houses[1] if who.house is houses[0] else houses[0]
        await move(who, other)
        answers = [message for message in who.heard if message.get("ref") == command["ref"]]
        assert [answer["t"] for answer in answers] == ["ok"]
        assert houses[0].state(table).seq == houses[1].state(table).seq
        assert (await taken_by(houses[0].log, table)).count(command["turn"]) == 1
        assert answers[0]["seq"] <= seq
        assert contiguous(who, table)


@clockwork
async def test_the_newest_connection_of_a_player_counts_over_all_nodes() -> None:
    """A connection at another node closes the older with 4001; its end changes nothing."""
    async with cluster(2) as houses:
        table, people = await spread(houses)
        ann, ben = people[:2]
        old, old_paper = ann.session, ann.paper
        await move(ann, houses[1])
        assert old_paper.close_code() == CloseCode.REPLACED
        old.end()
        await after(1)
        assert ben.info(table)["seats"][0]["online"] is True
        await ann.start(table)
        for back in (houses[0], houses[1], houses[0]):
            paper = ann.paper
            await move(ann, back)
            assert paper.close_code() == CloseCode.REPLACED
            assert ann.paper.close_code() is None
        assert contiguous(ann, table)


@clockwork
async def test_an_old_token_stops_at_every_node_when_the_new_one_is_used() -> None:
    async with cluster(2) as houses:
        ann = await houses[0].guest("Ann")
        old = ann.client.token
        await ann.do(ann.client.renew_token())
        await after(0.01)
        other = await houses[1].guest("Ann", token=old)
        await after(0.01)
        await ann.connect()
        assert (ann.paper.close_code(), other.paper.close_code()) == (None, CloseCode.TOKEN_RENEWED)
        late = Guest(houses[1], "Ann", token=old)
        await late.connect()
        assert late.paper.close_code() == CloseCode.TOKEN_REFUSED


@clockwork
async def test_who_says_hello_with_the_old_token_while_the_new_one_is_accepted_does_not_stay() -> None:
    """He was found by it a moment before, and said hello later; still the new token's connection is the player's."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        old = ann.client.token
        new = (await ann.do(ann.client.renew_token()))["token"]
        ann.lose()
        mine, other = (Guest(house, "Ann", token=token) for token in (new, old))
        greetings = []
        for guest in (mine, other):
            guest.client.hello()
            (hello,) = guest.client.take_outbox()
            greetings.append(asyncio.create_task(guest.session.receive(guest.codec.encode(hello).decode())))
            await asyncio.sleep(0)
            clockwork_loop().stand_still(0.01)
        await asyncio.gather(*greetings)
        assert (mine.paper.close_code(), other.paper.close_code()) == (None, CloseCode.TOKEN_RENEWED)


@clockwork
async def test_two_connections_at_the_same_moment_leave_one() -> None:
    """Each node hears of the other's: the same one of the two is the newer for both."""
    async with cluster(2) as houses:
        ann = await houses[0].guest("Ann")
        rivals = [Guest(house, "Ann", token=ann.client.token) for house in houses]
        for rival in rivals:
            rival.client.hello()
            (hello,) = rival.client.take_outbox()
            await rival.session.receive(rival.codec.encode(hello).decode())
        await settled()
        assert sorted(rival.paper.close_code() or 0 for rival in rivals) == [0, CloseCode.REPLACED]


@clockwork
async def test_chat_presence_and_watchers_reach_every_node() -> None:
    async with cluster(3) as houses:
        table, people = await spread(houses, visibility="public")
        ann, ben, cat, _ = people
        eve = await houses[2].guest("Eve")
        assert (await eve.do(eve.client.watch(table=table)))["t"] == "ok"
        for speaker, seat in ((ben, 1), (eve, None)):
            await speaker.do(speaker.client.say(table, f"hello from {speaker.client.name}"))
            for person in (*people, eve):
                said = [message for message in person.heard if message["t"] == "chat"]
                assert (said[-1]["seat"], said[-1]["text"]) == (seat, f"hello from {speaker.client.name}")
                assert len(said) == (1 if speaker is ben else 2)
        await after(1)
        rows = (await ann.ask("tables", filter="all"))["tables"]
        assert [(row["table"], row["watchers"]) for row in rows] == [(table, 1)]
        ben.lose()
        await settled()
        for person in (ann, cat):
            assert [seat["online"] for seat in person.info(table)["seats"]] == [True, False, True, True]
        await move(ben, houses[0])
        for person in (ann, cat):
            assert [seat["online"] for seat in person.info(table)["seats"]] == [True, True, True, True]
        eve.lose()
        await after(2)
        assert (await ann.ask("tables", filter="all"))["tables"][0]["watchers"] == 0


@clockwork
async def test_who_joins_is_seated_before_he_is_connected() -> None:
    """The others hear of a person in the seat first, and nothing of its connection that `seated` does not say."""
    async with cluster(2) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create()
        for house, name in zip(reversed(houses), ("Ben", "Cat"), strict=True):
            heard = len(ann.heard)
            guest = await house.guest(name)
            await guest.join(table)
            kinds = [message["t"] for message in ann.heard[heard:] if message.get("table") == table]
            assert kinds[0] == "event"
            assert all(message.get("online", True) for message in ann.heard[heard:])
            assert all(seat["online"] for seat in ann.info(table)["seats"] if seat["kind"] == "human")


@clockwork
async def test_a_create_that_comes_to_two_nodes_makes_one_table() -> None:
    """`create` with one ref, handed to two nodes at once and again later: the same table, its code claimed once."""
    async with cluster(2) as houses:
        ann = await houses[0].guest("Ann")
        twin = Guest(houses[1], "Ann", token=ann.client.token)
        twin.client.hello()
        (hello,) = twin.client.take_outbox()
        twin.paper.on_send = twin.heard.append
        frame = ann.codec.encode(
            {"t": "create", "ref": 77, "preset": "standard", "visibility": "public", "clock": "slow"}
        )
        loop = asyncio.get_running_loop()
        await twin.session.receive(twin.codec.encode(hello).decode())
        first = loop.create_task(ann.session.receive(frame.decode()))
        second = loop.create_task(twin.session.receive(frame.decode()))
        await asyncio.gather(first, second)
        await settled()
        await twin.session.receive(frame.decode())
        await settled()
        tables = {
            message["table"] for message in (*ann.heard, *twin.heard) if message["t"] == "ok" and message["ref"] == 77
        }
        assert len(tables) == 1
        assert len(await houses[0].log.tables()) == 1


@clockwork
async def test_bots_deals_and_clocks_are_decided_once_and_by_whoever_is_there() -> None:
    """Each node could decide all of it; the log has every decision once, and a node that goes is not waited for."""
    async with cluster(3, pace=1) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create(clock="fast", rules={"target": 5})
        watchers = [await house.guest("Eve") for house in houses[1:]]
        for watcher in watchers:
            await watcher.do(watcher.client.watch(table=table))
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        await until(lambda: ann.view(table).hand > 1)
        for house in houses[:2]:
            house.cut()
        seq = houses[2].state(table).seq
        await until(lambda: houses[2].state(table).seq > seq, most_s=5)
        await until(lambda: not houses[2].state(table).is_playing)
        turns = await taken_by(houses[2].log, table)
        assert turns == sorted(set(turns))
        assert contiguous(watchers[1], table)


@clockwork
async def test_one_node_has_a_bots_decision_thought_of_and_the_next_only_where_it_says_nothing() -> None:
    async with cluster(2) as houses:
        ann, eve = await houses[0].guest("Ann"), await houses[1].guest("Eve")
        table = await ann.create(visibility="public")
        await eve.do(eve.client.watch(table=table))
        workers = [SlowWorker(house) for house in houses]
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        for _ in range(10):
            await settled()
            assert sorted(len(worker.asked) for worker in workers) == [0, 1]
            next(worker for worker in workers if worker.asked).answer()
        await after(1)
        turns = await taken_by(houses[0].log, table)
        assert [len(worker.asked) for worker in workers] == [1, 1]
        workers[0].answer()
        await settled()
        assert len(await taken_by(houses[0].log, table)) == len(turns) + 1


async def until(condition: Callable[[], bool], *, most_s: float = 3600) -> None:
    """Let time pass until *condition* is true."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while not condition():
        await after(0.1)
        assert loop.time() - began < most_s


@clockwork
async def test_a_nodes_death_costs_its_players_a_reconnect_and_nobody_else_a_blink() -> None:
    """The other nodes go on at once; its players resume elsewhere, with events that follow on one another."""
    async with cluster(2) as houses:
        table, people = await spread(houses, rules={"target": 99})
        await people[0].start(table)
        stay, gone = [people[1], people[3]], [people[0], people[2]]
        for _ in range(30):
            await (await next_asked(people, table)).act(table)
        houses[0].cut()
        for _ in range(6):  # those who stay play on if it is their turn
            who = next((person for person in stay if person.is_asked(table)), None)
            if who is None:
                break
            assert (await who.act(table))["t"] == "ok"
        for person in gone:
            await move(person, houses[1])
        for _ in range(30):
            assert (await (await next_asked(people, table)).act(table))["t"] == "ok"
        for person in people:
            assert contiguous(person, table)
            assert person.seq(table) == houses[1].state(table).seq
            assert not [message for message in person.heard if message["t"] == "view"][2:]
        assert not people[1].events(table, "stood_in")


@clockwork
async def test_who_was_at_a_node_that_died_is_not_connected() -> None:
    """A node that says nothing more is gone, and with it who was there; one that goes says so."""
    async with cluster(3) as houses:
        table, people = await spread(houses)
        houses[1].cut()
        await after(GONE_S)
        assert [seat["online"] for seat in people[0].info(table)["seats"]] == [True, False, True, True]
        houses[1].mend()
        await after(15)
        assert [seat["online"] for seat in people[0].info(table)["seats"]] == [True, True, True, True]


@clockwork
async def test_a_node_that_ends_is_gone_at_once() -> None:
    async with open_house() as here:
        async with open_house(beside=here) as there:
            await settled()
            assert here.lobby.peers.others == {there.bus.node}
        await settled()
        assert here.lobby.peers.others == set()


@clockwork
async def test_a_table_whose_nodes_died_is_taken_up_by_another() -> None:
    """Nobody at the other nodes ever asked for it: its bots play on, its overdue clock ends, in the end it sleeps."""
    async with cluster(3, pace=1) as houses:
        keeper = next(house for house in houses if house.lobby.peers.is_keeper("t"))
        ann = await keeper.guest("Ann")
        tables = [await ann.create(clock="fast", rules={"target": 20}) for _ in range(4)]
        for table in tables:
            await ann.start(table)
        await after(10)
        keeper.cut()
        ann.lose()
        before = [len(await taken_by(keeper.log, table)) for table in tables]
        await after(GONE_S + 55)
        others = [house for house in houses if house is not keeper]
        for table, turns in zip(tables, before, strict=True):
            assert len(await taken_by(keeper.log, table)) > turns
            assert [house for house in others if house.lobby.held(table) is not None]
        await after(120)
        asleep = [len(await taken_by(keeper.log, table)) for table in tables]
        await after(600)
        assert [len(await taken_by(keeper.log, table)) for table in tables] == asleep


@clockwork
async def test_t1_taking_up_a_table_that_another_node_serves_buys_no_time() -> None:
    """T1 over nodes: who comes to a node that did not have the table leaves the clock as it was.

    There is less left of it than an outage would give.
    """
    async with cluster(3) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create(visibility="public")
        await ann.start(table)
        await until(lambda: ann.is_asked(table))
        await after(6)
        eve = await houses[2].guest("Eve")
        await eve.do(eve.client.watch(table=table))
        for house in (houses[1], houses[0]):
            left = ann.prompt(table)["left_ms"]
            await after(6)
            await move(ann, house)
            await settled()
            assert ann.prompt(table)["left_ms"] <= left - 6000
        assert eve.client.tables[table].view is not None
        assert not ann.events(table, "time_credited")


@clockwork
async def test_a_table_that_sleeps_at_another_node_has_its_time_back_when_somebody_comes() -> None:
    async with cluster(2) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create()
        keeper, other = sorted(houses, key=lambda house: not house.lobby.peers.is_keeper(table))
        ann.lose()
        await move(ann, keeper)
        await ann.start(table)
        await until(lambda: ann.is_asked(table))
        turn = ann.prompt(table)["turn"]
        ann.lose()
        await after(600)
        assert (keeper.lobby.held(table) is None, other.lobby.held(table)) == (False, None)
        await move(ann, other)
        await settled()
        prompt = ann.prompt(table)
        assert (prompt["turn"], prompt["left_ms"] + prompt["bank_ms"] >= 15_000) == (turn, True)
        assert len(ann.events(table, "time_credited")) <= 1


@clockwork
async def test_two_nodes_that_take_up_a_table_at_once_give_its_time_back_once() -> None:
    """Those that had it are gone: the one where it was made, and its keeper."""
    async with cluster(4) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create()
        await ann.start(table)
        await until(lambda: ann.is_asked(table))
        await after(18)
        others = [house for house in houses if house.lobby.held(table) is None]
        for house in houses:
            if house not in others:
                house.cut()
        actors = await asyncio.gather(*(house.lobby.get(table) for house in others))
        await settled()
        assert len(others) >= 2
        assert len({repr(actor.state) for actor in actors}) == 1
        log = await others[0].log.read(table, after=0)
        assert [isinstance(entry, Credited) for entry in entries(list(log))].count(True) == 1


@clockwork
async def test_a_node_that_let_go_of_a_table_is_not_waited_for() -> None:
    """Of what the bots do there each node would be the first to do its part."""
    async with cluster(2) as houses:
        ann, eve = await houses[0].guest("Ann"), await houses[1].guest("Eve")
        table = await ann.create(visibility="public", rules={"target": 3})
        here, there = sorted(houses, key=lambda house: not house.lobby.peers.is_keeper(table))
        for guest, house in ((ann, here), (eve, there)):
            guest.lose()
            await move(guest, house)
        await eve.do(eve.client.watch(table=table))
        eve.lose()
        await after(120)
        assert there.lobby.held(table) is None
        began_s = asyncio.get_running_loop().time()
        await ann.start(table)
        while not ann.view(table).over:
            await ann.act(table)
        assert asyncio.get_running_loop().time() == began_s


@clockwork
async def test_a_node_lets_go_of_tables_nobody_there_needs_and_one_keeps_each() -> None:
    """A table is held where somebody is connected, and by its keeper; others take it up when it is asked for."""
    async with cluster(3) as houses:
        table, people = await spread(houses)
        assert all(house.lobby.held(table) for house in houses)
        for person in people:
            person.lose()
        await after(120)
        holding = [house for house in houses if house.lobby.held(table) is not None]
        assert [house for house in houses if house.lobby.peers.is_keeper(table)] == holding
        for person, house in zip(people, [*reversed(houses), houses[0]], strict=True):
            await move(person, house)
            assert table in person.client.tables
        assert all(house.lobby.held(table) for house in houses)
        await people[0].do(people[0].client.leave(table))
        for person in people[1:]:
            await person.do(person.client.leave(table))
        await settled()
        assert [len(house.lobby) for house in houses] == [0, 0, 0]
        assert await houses[0].log.tables() == []


@clockwork
async def test_while_the_log_is_away_nothing_is_lost_and_afterwards_time_is_given_back() -> None:
    """Commands are refused at once, clocks stand still, all are told; then the seat to act has its time back, once."""
    async with cluster(2) as houses:
        table, people = await spread(houses)
        await people[0].start(table)
        who = asked(people, table)
        await after(15)
        for house in houses:
            house.line.is_available = False
        await after(1)
        for person in people:
            assert [m["kind"] for m in person.heard if m["t"] == "notice"] == ["degraded"]
        command = who.client.act(table, who.prompt(table)["turn"], "pass")
        refused = await who.do(command)
        assert (refused["code"], refused["retry_ms"]) == ("degraded", 1000)
        assert (await who.ask("create", preset="standard", visibility="private", clock="slow"))["code"] == "degraded"
        await after(600)
        for house in houses:
            house.line.is_available = True
        await after(2)
        for person in people:
            assert [m["kind"] for m in person.heard if m["t"] == "notice"] == ["degraded", "restored"]
            (credited,) = person.events(table, "time_credited")
            assert credited["seat"] == who.client.tables[table].seat
            assert credited["why"] == "the server could not record"
            assert not person.events(table, "stood_in")
        assert who.prompt(table)["left_ms"] == 15_000
        who.client.send_again(command)
        assert (await who.do(command))["t"] == "ok"


@clockwork
async def test_bots_play_on_by_themselves_when_the_log_is_back() -> None:
    async with cluster(2, pace=1) as houses:
        ann = await houses[0].guest("Ann")
        table = await ann.create(clock="none", rules={"target": 30})
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        await after(10)
        for house in houses:
            house.line.is_available = False
        await after(2)
        seq = houses[0].state(table).seq
        await after(100)
        assert houses[0].state(table).seq == seq
        for house in houses:
            house.line.is_available = True
        await after(5)
        assert houses[0].state(table).seq > seq
        turns = await taken_by(houses[0].log, table)
        assert turns == sorted(set(turns))


@clockwork
async def test_a_table_goes_on_though_nobody_was_told_that_the_log_went_and_came() -> None:
    """Away twice for less than a beat: once when the table writes, once when it looks whether it can go on."""
    async with cluster(1) as (house,):
        ann = await house.guest("Ann")
        table = await ann.create(clock="slow")
        await ann.start(table)
        await next_asked([ann], table)
        await after(1.05 - clockwork_loop().time() % 1)  # the node looks at the log on the full second
        house.line.is_available = False
        house.actor(table).submit(Credit(ann.prompt(table)["turn"], now_ms() + 600_000, "the test writes"))
        await after(0.1)
        house.line.is_available = True
        await after(0.87)
        house.line.is_available = False
        await after(0.1)
        house.line.is_available = True
        await after(2)
        assert not [m for m in ann.heard if m["t"] == "notice"]
        assert (await ann.act(table))["t"] == "ok"


@clockwork
async def test_a_node_that_cannot_reach_the_log_catches_up_when_it_can() -> None:
    """Its people are refused meanwhile, hear nothing wrong, and afterwards everything that happened, in order."""
    async with cluster(2) as houses:
        table, people = await spread(houses, rules={"target": 99})
        await people[0].start(table)
        houses[1].line.is_available = False
        await after(1)
        for _ in range(40):
            who = await next_asked(people, table)
            if who.house is houses[1]:
                assert (await who.act(table))["code"] == "degraded"
                await move(who, houses[0])
            assert (await who.act(table))["t"] == "ok"
        houses[1].line.is_available = True
        await after(2)
        assert houses[1].state(table) == houses[0].state(table)
        for person in people:
            assert contiguous(person, table)
            assert person.seq(table) == houses[0].state(table).seq


class ForgetfulLog(MemoryLog):
    """A log that can lose its end, as a failover to a replica that lags does."""

    def lose(self, table: str, entries: int) -> None:
        """Lose the last *entries*."""
        stored = self._entries[table]
        self.lost = stored[-entries:]
        del stored[-entries:]

    def restore(self, table: str) -> None:
        self._entries[table] += self.lost


@clockwork
async def test_a_table_whose_logs_end_was_lost_stands_still_until_it_is_restored() -> None:
    """What was told is not unmade: nobody may go on from an older state. The table says so, and others go on."""
    log = ForgetfulLog(now_ms)
    async with cluster(2, log=log) as houses:
        table, people = await spread(houses)
        other, others = await spread(houses)
        for host, where in ((people[0], table), (others[0], other)):
            await host.start(where)
        await asked(people, table).act(table, "pass")
        log.lose(table, 2)
        seq = houses[0].state(table).seq
        who = asked(people, table)
        refused = await who.act(table)
        assert (refused["code"], refused["retry_ms"]) == ("degraded", 30_000)
        await after(300)
        assert houses[0].state(table).seq == seq
        assert len(await log.read(table, after=0)) == seq - 2
        for person in people:
            if person.house is who.house:
                notices = [m for m in person.heard if m["t"] == "notice"]
                assert [(m["kind"], m["table"]) for m in notices] == [("degraded", table)]
        assert (await asked(others, other).act(other))["t"] == "ok"
        log.restore(table)
        await after(31)
        assert (await who.act(table))["t"] == "ok"
        assert people[0].seq(table) == people[1].seq(table) == seq + 2  # the time given back, and the act


class Mumbling(MemoryLog):
    """A log that takes an entry and cannot say so."""

    mumbles = False

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        at_ms = await super().append(table, seq, entry)
        if self.mumbles:
            raise LogUnavailableError
        return at_ms


@clockwork
async def test_an_append_whose_outcome_nobody_knew_is_found_in_the_log() -> None:
    """The log took the entry and could not say so: the command that comes again is answered with its number."""
    log = Mumbling(now_ms)
    async with cluster(2, log=log) as houses:
        table, people = await spread(houses, clock="none")
        await people[0].start(table)
        who = asked(people, table)
        seq = who.seq(table)
        log.mumbles = True
        command = who.client.act(table, who.prompt(table)["turn"], who.prompt(table)["legal"][0])
        assert (await who.do(command))["code"] == "degraded"
        log.mumbles = False
        await after(2)
        who.client.send_again(command)
        assert (await who.do(command))["seq"] == seq + 1
        for person in people:
            assert contiguous(person, table)
            assert person.seq(table) == houses[0].state(table).seq


@clockwork
async def test_an_append_that_was_the_last_before_the_log_went_costs_the_next_seat_no_time() -> None:
    """Redis wrote an act and died before it could say so: who is asked next was asked by nobody while it was away."""
    log = Mumbling(now_ms)
    async with cluster(2, log=log) as houses:
        table, people = await spread(houses)
        await people[0].start(table)
        who = asked(people, table)
        for house in houses:
            house.line.is_deaf = True
        log.mumbles = True
        command = who.client.act(table, who.prompt(table)["turn"], "pass")
        assert (await who.do(command))["code"] == "degraded"
        for house in houses:
            house.line.is_available = False
        await after(600)
        log.mumbles = False
        for house in houses:
            house.line.is_available = True
        await after(2)
        asked_next = asked(people, table)
        assert asked_next is not who
        for person in people:
            assert not person.events(table, "stood_in")
            assert len(person.events(table, "time_credited")) == 1
        assert asked_next.prompt(table)["left_ms"] >= 15_000


@clockwork
async def test_s11_who_sits_down_at_another_node_in_mid_hand_is_dealt_in_there() -> None:
    """S11 over nodes: whichever node deals the next hand, the newcomer's own shows him his cards with it."""
    async with cluster(2) as houses:
        ann, ben = await houses[0].guest("Ann"), await houses[1].guest("Ben")
        table = await ann.create(clock="none", rules={"target": 40})
        await ann.start(table)
        await until(lambda: ann.is_asked(table))
        await ben.join(table, 2)
        for _ in range(3):
            hand = ann.view(table).hand
            while ann.view(table).hand == hand:
                for person in (ann, ben):
                    if person.is_asked(table):
                        assert (await person.act(table))["t"] == "ok"
                await after(0.5)
            assert len(ben.view(table).cards) in {4, 5, 6}
            assert ben.client.tables[table].seat == ben.view(table).viewer == 2
        assert contiguous(ben, table)
        assert ben.seq(table) == ann.seq(table)


@clockwork
async def test_a_table_somebody_is_on_his_way_to_is_held_on_for_him() -> None:
    """Who found a table that nobody here needed before finds it performing when he gets there."""
    async with cluster(2) as houses:
        table, people = await spread(houses)
        house = next(house for house in houses if not house.lobby.peers.is_keeper(table))
        assert people[0].client.player is not None
        for person in people:
            person.lose()
        await after(50)
        (actor,) = await house.lobby.of_player(people[0].client.player["id"])
        await after(50)
        assert await house.lobby.get(table) is actor
        await after(50)
        assert house.lobby.held(table) is actor
        await after(50)
        assert house.lobby.held(table) is None


@clockwork
async def test_a_table_is_taken_up_once_though_somebody_comes_while_many_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was at a node that went is at another already, which takes up the tables of the first some at a time."""
    monkeypatch.setattr(lobby, "_TAKEN_UP_AT_ONCE", 1)
    async with cluster(2) as (here, there):
        ann = await there.guest("Ann")
        tables = [await ann.create() for _ in range(2)]
        there.house.peers.leave()
        await settled()
        _, found = await asyncio.gather(here.lobby.keep(), here.lobby.get(tables[1]))
        assert here.actor(tables[1]) is found


class ListlessLog(MemoryLog):
    """A log that does not say which tables it has while ``wrong`` is set."""

    wrong: Exception | None = None

    async def tables(self) -> Sequence[str]:
        if self.wrong is not None:
            raise self.wrong
        return await super().tables()


@clockwork
@pytest.mark.parametrize("wrong", [LogUnavailableError(), RuntimeError("a bug")], ids=["away", "broken"])
async def test_a_node_whose_round_fails_makes_the_next_all_the_same(wrong: Exception) -> None:
    """Else the others would take it for dead, and it would keep no table any more."""
    log = ListlessLog(now_ms)
    async with cluster(2, log=log) as houses:
        log.wrong = wrong
        await after(100)
        assert [len(house.lobby.peers.others) for house in houses] == [1, 1]
        log.wrong = None
        await after(2)
        tables = [await (await houses[0].guest("Ann")).create() for _ in range(8)]
        await after(100)
        kept = [[house.lobby.held(table) is not None for table in tables] for house in houses]
        assert kept[1] == [houses[1].lobby.peers.is_keeper(table) for table in tables]


# ── behind the log ───────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def deaf(house: InnerHouse) -> Iterator[None]:
    """Let a node miss what is appended while the context is open."""
    house.line.is_deaf = True
    yield
    house.line.is_deaf = False


@clockwork
async def test_who_is_asked_has_a_hint_at_a_node_that_has_not_heard_of_it() -> None:
    """There is no worker to give one, which is what he hears; not that he is not asked."""
    async with cluster(2) as (here, there):
        ann = await here.guest("Ann")
        table = await ann.create(clock="none")
        await move(ann, there)
        assert ann.client.player is not None
        with deaf(there):  # his start is done while he goes there
            here.actor(table).submit(StartGame(ann.client.player["id"], "g", bytes(32), ann.client.next_ref))
            await until(lambda: here.state(table).is_in_hand and next_due(here.state(table)) is None)
        assert there.state(table).play is None
        assert (await ann.ask("hint", table=table))["code"] == "no_worker"
        assert there.state(table).seq == here.state(table).seq


@clockwork
async def test_who_left_a_table_has_room_for_another_where_nobody_has_heard_of_it() -> None:
    """The node where he left ended before it could tell anybody; the directory still has him there."""
    async with open_house() as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        wanted = await ben.create()
        tables = [await ann.create() for _ in range(MAX_TABLES_PER_PLAYER)]
        await ben.join(tables[0])
        assert ann.client.player is not None
        with deaf(house):
            left = pack_entry(StoodUp(ann.client.player["id"], 1))
            await house.log.append(tables[0], house.state(tables[0]).seq + 1, left)
        assert (await ann.ask("join", table=wanted))["t"] == "ok"
        assert (await ann.do(ann.client.create()))["code"] == "too_many_tables"


@clockwork
async def test_who_sits_at_as_many_tables_as_he_may_is_told_again_that_he_joined_the_last() -> None:
    """His join is done while he goes to another node, which has not heard of it when he says it again there."""
    async with cluster(2) as (here, there):
        ann, ben, wim = await here.guest("Ann"), await here.guest("Ben"), await there.guest("Wim")
        wanted = await ben.create()
        await wim.do(wim.client.watch(table=wanted))
        for _ in range(MAX_TABLES_PER_PLAYER - 1):
            await ann.create()
        await move(ann, there)
        assert ann.client.player is not None
        ref = ann.client.next_ref
        with deaf(there):
            here.actor(wanted).submit(SitDown(ann.client.player["id"], "Ann", None, ref))
            await settled()
        seq = here.state(wanted).seq
        assert there.state(wanted).seq < seq
        answer = await ann.ask("join", ref=ref, table=wanted)
        assert (answer["t"], answer.get("seq")) == ("ok", seq)


@clockwork
async def test_who_loses_his_seat_while_he_comes_back_does_not_look_on_where_nobody_may() -> None:
    """The node he comes to hears that he left while it reads what he knew more than it."""
    async with cluster(2) as (here, there):
        ann, ben, wim = await here.guest("Ann"), await here.guest("Ben"), await there.guest("Wim")
        table = await ann.create(spectators=False)
        await ben.join(table)
        await wim.join(table)
        assert ben.client.player is not None
        back = Guest(there, "Ben")
        back.paper.on_send = back.heard.append
        with deaf(there):
            here.actor(table).submit(StandUp(ben.client.player["id"], ben.client.next_ref))
            await settled()
            resume = {table: here.state(table).seq}
            assert (await back.ask("hello", version=1, token=ben.client.token, resume=resume))["tables"]
        await settled()
        assert [message["t"] for message in back.heard] == ["welcome"]
        assert ben.client.player["id"] not in there.actor(table).audience


@clockwork
async def test_who_said_hello_last_stays_connected_whoever_is_welcome_first() -> None:
    """A table is looked for that the other window does not ask about, which takes a moment where there are nodes."""
    async with cluster(2) as (here, _):
        ann = await here.guest("Ann")
        await after(1)
        earlier, later = (Guest(here, "Ann", token=ann.client.token) for _ in range(2))
        asking = asyncio.create_task(earlier.ask("hello", version=1, token=ann.client.token, resume={"t_nowhere": 1}))
        await after(0.01)
        later.paper.on_send = later.heard.append
        await later.ask("hello", version=1, token=ann.client.token)
        await after(1)
        assert earlier.paper.close_code() == CloseCode.REPLACED
        assert later.paper.close_code() is None
        asking.cancel()


@clockwork
async def test_the_latest_game_that_is_over_is_that_of_the_log() -> None:
    async with cluster(2) as (here, there):
        ann, wim = await here.guest("Ann"), await there.guest("Wim")
        table = await ann.create(clock="none", rules={"target": 3, "spectator_hands": "after_hand"})
        await wim.do(wim.client.watch(table=table))
        first = await play_out([ann], table)
        with deaf(there):
            second = await play_out([ann], table)
        assert there.state(table).seq < here.state(table).seq
        assert [(await guest.ask("game", table=table))["game"] for guest in (wim, ann)] == [second, second]
        assert (await wim.ask("game", table=table, game=first))["game"] == first


class SlowLog(MemoryLog):
    """A log that takes its time for what it is given."""

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        await asyncio.sleep(0.2)
        return await super().append(table, seq, entry)


@clockwork
async def test_who_asks_the_log_while_the_next_entry_is_our_own_goes_on_when_it_is_there() -> None:
    async with cluster(1, log=SlowLog(now_ms)) as (house,):
        ann = await house.guest("Ann")
        table = await ann.create(clock="none")
        actor = house.actor(table)
        assert ann.client.player is not None
        actor.submit(StartGame(ann.client.player["id"], "g", bytes(32), ann.client.next_ref))
        await settled()
        asking = asyncio.create_task(actor.caught_up())
        await after(0.1)
        assert not asking.done()
        await after(0.2)
        assert asking.done()
        assert actor.state.is_playing
