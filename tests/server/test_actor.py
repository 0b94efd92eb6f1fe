"""One table's actor: recorded before told, clocks, people who come and go. On a clock that the tests wind."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from structlog.testing import capture_logs

from engine.events import TrickWon
from engine.game import legal_actions
from engine.state import Game, Phase
from protocol.codes import CloseCode
from server.audience import HISTORY
from server.entries import Acted, DealtOut, unpack_entry
from server.log import LogUnavailableError, Stored
from server.log.memory import MemoryLog
from server.records import follow
from server.table import Refusal, SitDown
from tests.server.clockwork import after, clockwork, clockwork_loop, now_ms, settled
from tests.server.house import Guest, InnerHouse, Message, Paper, open_house, seat_people
from tests.server.tables import entries

TURN_S, BANK_S = 20, 60
"""The normal clock's."""
PHASES = [phase for phase in Phase if phase not in {Phase.DEAL, Phase.NAME, Phase.EXCHANGE, Phase.OVER}]
"""Those a game by the ladder's rules comes to; tests/server/test_table.py has the others."""


def asked(people: list[Guest], table: str) -> Guest:
    """Return who is asked for a decision."""
    return next(person for person in people if person.is_asked(table))


async def play_to(people: list[Guest], table: str, phase: Phase | str) -> Guest:
    """Let everybody play until a decision of that phase is open; return whose it is."""
    for _ in range(500):
        who = asked(people, table)
        prompt = who.prompt(table)
        if prompt["phase"] == phase:
            return who
        legal = prompt["legal"]
        # The calls that lead to the rarer phases: pass in round one, then call.
        await who.act(table, legal[0] if prompt["phase"] == "bid1" and phase == "bid2" else legal[-1])
    raise AssertionError(f"no decision of {phase} came")


async def game_at(house: InnerHouse, phase: Phase | str, *, people: int = 4) -> tuple[str, list[Guest], Guest]:
    """Return a table of the ladder rules, its people, and who is asked for a decision of that phase."""
    preset = "ladder"
    table, guests = await seat_people(house, people, preset)
    await guests[0].start(table)
    return table, guests, await play_to(guests, table, phase)


class SlowWorker:
    """A bot worker that answers when the test says so. ``asked`` are its open requests."""

    def __init__(self, house: InnerHouse, slots: int = 8) -> None:
        self.house = house
        self.paper = Paper()
        self.asked: list[dict[str, Any]] = []
        self.paper.on_send = self.asked.append
        self.worker = house.pool.join(self.paper, slots)

    def answer(self, action: str | None = None) -> dict[str, Any]:
        """Answer the oldest open request; return it."""
        request = self.asked.pop(0)
        self.house.pool.answered(self.worker, request["id"], request["legal"][0] if action is None else action)
        return request


# ── recorded before told ─────────────────────────────────────────────────────────────────────────────────────────────


class GatedLog(MemoryLog):
    """A log whose appends wait while the gate is shut."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self.gate = asyncio.Event()
        self.gate.set()

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        await self.gate.wait()
        return await super().append(table, seq, entry)


class BrokenLog(MemoryLog):
    """A log that can be broken: ``append`` and ``read`` raise what the test puts in ``wrong``, for the tables named."""

    def __init__(self, clock: Callable[[], int]) -> None:
        super().__init__(clock)
        self.wrong: dict[str, Exception] = {}
        self.wrong_reads: dict[str, Exception] = {}

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        if table in self.wrong:
            raise self.wrong[table]
        return await super().append(table, seq, entry)

    async def read(self, table: str, *, after: int) -> list[Stored]:
        if table in self.wrong_reads:
            raise self.wrong_reads[table]
        return list(await super().read(table, after=after))


@clockwork
async def test_c2_nobody_hears_of_an_entry_before_it_is_in_the_log() -> None:
    """C2. Nothing goes out before its entry is durable: no event, no prompt, and no `ok` to the actor himself."""
    log = GatedLog(now_ms)
    async with open_house(log) as house:
        table, people = await seat_people(house, 4)
        await people[0].start(table)
        who = asked(people, table)
        heard = [len(person.heard) for person in people]
        log.gate.clear()
        await who.say(who.client.act(table, who.prompt(table)["turn"], "pass"))
        await after(5)
        assert [len(person.heard) for person in people] == heard
        assert await log.read(table, after=house.state(table).seq) == []
        log.gate.set()
        await settled()
        for person in people:
            assert person.events(table, "passed")
        assert who.heard[-3]["t"] == "ok"


@clockwork
async def test_what_cannot_be_recorded_is_refused_and_may_be_tried_again() -> None:
    """While the log cannot write, commands are refused as `degraded`, nothing changes, bots wait; then all goes on."""
    log = BrokenLog(now_ms)
    async with open_house(log) as house:
        table, (ann,) = await seat_people(house, 1, clock="none")
        await ann.start(table)
        await seconds_until(lambda: ann.is_asked(table))
        log.wrong[table] = LogUnavailableError()
        seq, turn = ann.seq(table), ann.prompt(table)["turn"]
        command = ann.client.act(table, turn, ann.prompt(table)["legal"][0])
        refused = await ann.do(command)
        assert (refused["code"], refused["retry_ms"]) == ("degraded", 1000)
        await after(600)
        assert ann.seq(table) == seq
        assert (await ann.ask("tables"))["t"] == "ok"
        assert (await ann.ask("create", preset="standard", visibility="public", clock="slow"))["t"] == "ok"
        del log.wrong[table]
        ann.client.send_again(command)
        assert (await ann.do(command))["seq"] == seq + 1
        await after(60)
        assert ann.seq(table) > seq + 1


@clockwork
async def test_bots_go_on_by_themselves_when_the_log_is_back() -> None:
    log = BrokenLog(now_ms)
    async with open_house(log, pace=1) as house:
        table, (ann,) = await seat_people(house, 1, clock="none")
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        await after(3)
        log.wrong[table] = LogUnavailableError()
        seq = ann.seq(table)
        await after(100)
        assert ann.seq(table) == seq
        del log.wrong[table]
        await after(10)
        assert ann.seq(table) > seq


# ── what goes wrong stays at its table ───────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_n1_a_table_that_breaks_starts_over_from_its_log() -> None:
    """N1. An exception in one table's handler is that table's alone, and its people go on from its log."""
    log = BrokenLog(now_ms)
    async with open_house(log) as house:
        table, people = await seat_people(house, 4)
        other, others = await seat_people(house, 4)
        for host, where in ((people[0], table), (others[0], other)):
            await host.start(where)
        who = asked(people, table)
        log.wrong[table] = RuntimeError("broken")
        refused = await who.act(table, "pass")
        assert refused["code"] == "degraded"
        assert (await asked(others, other).act(other, "pass"))["t"] == "ok"
        del log.wrong[table]
        assert (await who.act(table, "pass"))["t"] == "ok"
        assert {person.seq(table) for person in people} == {house.state(table).seq}


@clockwork
async def test_n1_a_table_that_cannot_start_over_stops_alone_and_its_log_is_kept() -> None:
    """N1. It is said to its people, every command of theirs is answered, and other tables go on."""
    log = BrokenLog(now_ms)
    async with open_house(log) as house:
        table, people = await seat_people(house, 4)
        other, others = await seat_people(house, 4)
        for host, where in ((people[0], table), (others[0], other)):
            await host.start(where)
        kept = await log.read(table, after=0)
        who = asked(people, table)
        log.wrong[table] = log.wrong_reads[table] = RuntimeError("broken")
        for _ in range(3):  # one breaks the table, two wait behind it
            await who.session.receive(
                who.codec.encode(who.client.act(table, who.prompt(table)["turn"], "pass")).decode()
            )
        who.client.take_outbox()
        await settled()
        answers = [message["code"] for message in who.heard if message["t"] == "refused"]
        assert len(answers) == 3
        for person in people:
            assert person.heard[-1]["t"] == "notice" or person is who
            assert table not in person.client.tables
        assert (await who.ask("act", table=table, turn=3, action="pass"))["code"] == "no_such_table"
        assert (await asked(others, other).act(other, "pass"))["t"] == "ok"
        log.wrong_reads.clear()
        assert await log.read(table, after=0) == kept
        assert table in await log.tables()


@clockwork
async def test_a_command_that_waits_while_the_table_closes_is_answered() -> None:
    """Each of the commands behind the one that closed the table is answered, those it had done before too."""
    log = GatedLog(now_ms)
    async with open_house(log) as house:
        table, (ann,) = await seat_people(house, 1)
        fill = ann.client.fill(table)
        assert (await ann.do(fill))["t"] == "ok"
        log.gate.clear()
        leave = ann.client.leave(table)
        for message in (leave, fill, {"t": "start", "ref": 999, "table": table}, leave):
            await ann.session.receive(ann.codec.encode(message).decode())
        ann.client.take_outbox()
        log.gate.set()
        await settled()
        answers = [(message["ref"], message["t"]) for message in ann.heard if message["t"] in {"ok", "refused"}]
        assert answers[-4:].count((leave["ref"], "ok")) == 2
        assert answers[-4:].count((fill["ref"], "ok")) == 1
        assert answers[-4:].count((999, "refused")) == 1
        assert len(house.lobby) == 0
        assert await log.tables() == []


@clockwork
async def test_a_command_that_comes_after_the_table_closed_is_answered() -> None:
    """Its session found the table before, and waited for something else since."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1)
        actor = house.actor(table)
        await ann.do(ann.client.leave(table))
        outcomes: list[int | Refusal] = []
        actor.submit(SitDown("p_ann", "Ann", None, 999), outcomes.append)
        await actor.caught_up()
        assert [outcome.code for outcome in outcomes if isinstance(outcome, Refusal)] == ["degraded"]


# ── time that the others give ────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_whom_another_gives_time_decides_later_and_everybody_hears_of_it() -> None:
    async with open_house() as house:
        table, people, who = await game_at(house, "bid1")
        giver = next(person for person in people if person is not who)
        turn = who.prompt(table)["turn"]
        await after(TURN_S + BANK_S - 1)
        assert (await giver.ask("more_time", table=table, turn=turn))["t"] == "ok"
        for person in people:
            (given,) = person.events(table, "time_given")
            assert (given["by"], given["ms"]) == (giver.client.tables[table].seat, 30_000)
            assert (person.prompt(table)["turn"], person.prompt(table)["left_ms"]) == (turn, 0)
            assert person.prompt(table)["bank_ms"] == 31_000
        await after(30)
        assert (await who.act(table))["t"] == "ok"
        assert not who.events(table, "stood_in")


# ── presence ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("phase", PHASES)
@clockwork
async def test_s1_a_cut_of_eight_seconds_leaves_the_seat_to_its_person(phase: Phase) -> None:
    """S1. At every phase the seat stays the human's, and the bot decides nothing before the clock ends."""
    async with open_house() as house:
        table, people, who = await game_at(house, phase)
        others = [person for person in people if person is not who]
        turn = who.prompt(table)["turn"]
        who.lose()
        await after(8)
        assert others[0].info(table)["seats"][who.client.tables[table].seat or 0]["online"] is False
        await who.connect()
        assert who.is_asked(table)
        assert who.prompt(table)["turn"] == turn
        assert who.prompt(table)["left_ms"] == (TURN_S - 8) * 1000
        assert not who.events(table, "stood_in")
        assert (await who.act(table))["t"] == "ok"


@pytest.mark.parametrize("phase", PHASES)
@clockwork
async def test_s5_a_seat_dropped_at_any_decision_delays_the_hand_and_no_more(phase: Phase) -> None:
    """S5. Drop the seat at each kind of decision: the hand ends in bounded time."""
    async with open_house() as house:
        table, people, who = await game_at(house, phase)
        others = [person for person in people if person is not who]
        hands = others[0].view(table).hands_scored
        dealt = others[0].view(table).hand
        who.lose()
        for _ in range(2 * (TURN_S + BANK_S) + 60):
            await after(1)
            for person in others:
                while person.is_asked(table) and person.view(table).hand == dealt:
                    await person.act(table)
            if others[0].view(table).hand > dealt or others[0].view(table).hands_scored > hands:
                return
        raise AssertionError("the hand did not end")


@pytest.mark.parametrize("phase", PHASES)
@clockwork
async def test_s5_all_seats_dropped_at_any_decision_end_the_hand_too(phase: Phase) -> None:
    """S5, S7. All four drop: the hand ends in bounded time or waits for them, and they play on when they are back."""
    async with open_house() as house:
        table, people, _ = await game_at(house, phase)
        for person in people:
            person.lose()
        await after(3600)
        for person in people:
            await person.connect()
        who = asked(people, table)
        for person in people:
            assert not person.info(table)["seats"][person.client.tables[table].seat or 0]["away"]
        assert (await who.act(table))["t"] == "ok"


@clockwork
async def test_s6_the_old_connections_end_changes_nothing() -> None:
    """S6. The old socket's close arrives after the new one identified itself: nothing happens."""
    async with open_house() as house:
        table, people, who = await game_at(house, "bid1")
        other = next(person for person in people if person is not who)
        old = who.session
        old_paper = who.paper
        heard = len(other.heard)
        await who.connect()
        assert old_paper.close_code() == CloseCode.REPLACED
        old.end()
        await settled()
        assert other.heard[heard:] == []
        assert (await who.act(table))["t"] == "ok"
        assert who.seq(table) == other.seq(table)


@clockwork
async def test_a_connection_that_was_replaced_does_nothing_more() -> None:
    """What it still sends is not done, and it takes no table away from the newer connection."""
    async with open_house() as house:
        table, _, who = await game_at(house, "bid1")
        old, seq = who.session, who.seq(table)
        turn = who.prompt(table)["turn"]
        await who.connect()
        for message in (
            {"t": "act", "ref": 900, "table": table, "turn": turn, "action": "pass"},
            {"t": "create", "ref": 901, "preset": "standard", "visibility": "public", "clock": "slow"},
            {"t": "leave", "ref": 902, "table": table},
        ):
            await old.receive(who.codec.encode(message).decode())
        await settled()
        assert house.state(table).seq == seq
        assert len(house.lobby) == 1
        old.end()
        assert (await who.act(table))["t"] == "ok"
        assert who.seq(table) > seq


@clockwork
async def test_c7_a_second_resume_without_news_brings_no_events() -> None:
    """C7. Resume twice without news: the second returns no events."""
    async with open_house() as house:
        table, people, who = await game_at(house, "bid1")
        other = next(person for person in people if person is not who)
        other.lose()
        await who.act(table)
        await other.connect()
        first = [message["t"] for message in other.heard[-6:]]
        assert first == ["welcome", "event", "presence", "presence", "presence", "prompt"]
        heard = len(other.heard)
        await other.connect()
        assert [message["t"] for message in other.heard[heard:] if message["t"] != "presence"] == ["welcome", "prompt"]


@clockwork
async def test_who_resumes_hears_who_came_and_went_meanwhile() -> None:
    """Who is connected is in no entry; a client that was away learns it with the events it missed."""
    async with open_house() as house:
        table, (ann, ben, cat, dan), _ = await game_at(house, "bid1")
        ann.lose()
        ben.lose()
        cat.lose()
        await cat.connect()
        await ann.connect()
        assert [seat["online"] for seat in ann.info(table)["seats"]] == [True, False, True, True]
        await ben.connect()
        dan.lose()
        assert [seat["online"] for seat in ann.info(table)["seats"]] == [True, True, True, False]


@clockwork
async def test_who_missed_too_much_gets_a_view_and_no_events() -> None:
    """Events or one view, never both."""
    async with open_house() as house:
        table, people, _ = await game_at(house, "bid1")
        away = people[3]
        away.lose()
        for _ in range(300):
            who = next((person for person in people[:3] if person.is_asked(table)), None)
            if who is None:
                await after(TURN_S + BANK_S)
            else:
                await who.act(table)
        heard = len(away.heard)
        await away.connect()
        kinds = [message["t"] for message in away.heard[heard:]]
        assert kinds[:2] == ["welcome", "view"]
        assert "event" not in kinds[:-3]
        assert away.seq(table) == people[0].seq(table)
        for missed, came in ((HISTORY, ["event"] * HISTORY), (HISTORY + 1, ["view"])):
            heard = len(away.heard)
            assert (await away.ask("sync", table=table, seq=away.seq(table) - missed))["t"] == "ok"
            kinds = [message["t"] for message in away.heard[heard:]]
            assert [kind for kind in kinds if kind in {"event", "view"}] == came


@clockwork
async def test_sync_from_zero_or_from_what_is_yet_to_come_is_always_a_view() -> None:
    """PROTOCOL.md, 6: a client that does not want to fold asks for what came after 0."""
    async with open_house() as house:
        table, people = await seat_people(house, 2)
        watcher = await house.guest("Eve")
        await watcher.do(watcher.client.watch(table=table))
        for person, seq in itertools.product((*people, watcher), (0, watcher.seq(table) + 1)):
            heard = len(person.heard)
            assert (await person.ask("sync", table=table, seq=seq))["t"] == "ok"
            assert [message["t"] for message in person.heard[heard:]] == ["ok", "view"]


@clockwork
async def test_s7_all_drop_and_come_back_and_find_the_table() -> None:
    """S7. A table without people goes dormant, whatever its bots would do, and goes on when somebody is back."""
    async with open_house() as house:
        table, people, _ = await game_at(house, "bid1")
        for person in people:
            person.lose()
        await after(1000)
        seq = house.state(table).seq
        await after(3600)
        assert house.state(table).seq == seq
        await people[1].connect()
        await after(1)
        assert people[1].seq(table) >= seq


@clockwork
async def test_s7_when_the_last_person_leaves_the_table_is_closed() -> None:
    """S7. The last human leaves in mid-game: the bots do not play on for nobody."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, clock="none")
        watcher = await house.guest("Eve")
        await watcher.do(watcher.client.watch(table=table))
        await ann.start(table)
        assert (await ann.do(ann.client.leave(table)))["t"] == "ok"
        await settled()
        assert len(house.lobby) == 0
        assert table not in watcher.client.tables
        assert await house.log.tables() == []
        assert await house.log.read(table, after=0)
        assert (await watcher.ask("watch", table=table))["code"] == "no_such_table"


@clockwork
async def test_s7_a_table_nobody_comes_back_to_is_collected() -> None:
    """S7. Ten minutes before the game, a day during it."""
    async with open_house() as house:
        waiting, people = await seat_people(house, 2)
        playing, others, _ = await game_at(house, "bid1")
        for person in (*people, *others):
            person.lose()
        await after(9 * 60)
        assert len(house.lobby) == 2
        await after(2 * 60)
        assert len(house.lobby) == 1
        await after(23 * 3600)
        assert len(house.lobby) == 1
        await after(2 * 3600)
        assert len(house.lobby) == 0
        for person in people:
            await person.connect()
            assert person.client.tables == {}
        assert {waiting, playing} & set(await house.log.tables()) == set()


@clockwork
async def test_a_table_is_idle_from_when_the_last_connected_person_left_it() -> None:
    """Somebody leaves for good while the other is only disconnected: the other has the full time to come back."""
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2)
        await after(3600)
        ben.lose()
        await after(5)
        assert (await ann.do(ann.client.leave(table)))["t"] == "ok"
        await after(9 * 60)
        assert len(house.lobby) == 1
        await ben.connect()
        assert table in ben.client.tables


@clockwork
async def test_s8_a_host_who_is_gone_before_the_start_is_one_no_more() -> None:
    """S8. He has a minute to come back; then the next person clockwise who is there can start the game."""
    async with open_house() as house:
        table, (ann, ben, cat) = await seat_people(house, 3)
        ann.lose()
        ben.lose()
        await after(50)
        await ann.connect()
        ann.lose()
        await after(50)
        assert (await cat.ask("start", table=table))["code"] == "not_host"
        await after(20)
        assert cat.info(table)["host"] == 2
        assert (await cat.ask("start", table=table))["t"] == "ok"
        await ann.connect()
        assert ann.info(table)["host"] == 2
        cat.lose()
        await after(300)
        assert ann.info(table)["host"] == 2  # while a game is on nobody needs one


# ── clocks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_t1_connecting_again_changes_no_clock() -> None:
    """T1. Reconnecting never changes a clock, and never buys time."""
    async with open_house() as house:
        table, _, who = await game_at(house, "bid1")
        for passed in range(1, 9):
            await after(3)
            await who.connect()
            assert who.prompt(table)["left_ms"] == max(0, TURN_S - 3 * passed) * 1000
            assert who.prompt(table)["bank_ms"] == (BANK_S - max(0, 3 * passed - TURN_S)) * 1000
        await who.ask("away", table=table, on=True)
        await who.ask("away", table=table, on=False)
        if who.is_asked(table):
            assert who.prompt(table)["left_ms"] == 0


@clockwork
async def test_t3_a_card_before_the_deadline_counts_and_after_it_the_bot_has_decided() -> None:
    """T3. Before the deadline it counts; after it, it is refused; never both."""
    async with open_house() as house:
        table, people, who = await game_at(house, "bid1")
        await asyncio.sleep(TURN_S + BANK_S - 0.001)
        assert (await who.act(table, "pass"))["t"] == "ok"
        late = asked(people, table)
        assert late is not who
        turn, ref = late.prompt(table)["turn"], 777
        await asyncio.sleep(TURN_S + BANK_S)
        await late.session.receive(
            late.codec.encode({"t": "act", "ref": ref, "table": table, "turn": turn, "action": "order"}).decode()
        )
        await settled()
        answers = [message for message in late.heard if message.get("ref") == ref]
        assert [answer["code"] for answer in answers] == ["stale"]
        assert late.events(table, "stood_in") == [
            {"e": "stood_in", "seat": late.client.tables[table].seat, "why": "clock"}
        ]
        taken = [entry.turn for entry in entries(list(await house.log.read(table, after=0))) if hasattr(entry, "turn")]
        assert taken.count(turn) == 1


@clockwork
async def test_t3_a_card_that_came_in_time_counts_though_the_log_was_busy() -> None:
    """T3. What counts is when it reached the server, not when its turn in the queue came."""
    log = GatedLog(now_ms)
    async with open_house(log) as house:
        table, people, who = await game_at(house, "bid1")
        other = next(person for person in people if person is not who)
        await asyncio.sleep(TURN_S + BANK_S - 0.5)
        log.gate.clear()
        await other.say({"t": "away", "ref": 70, "table": table, "on": True})
        await who.say({"t": "act", "ref": 71, "table": table, "turn": who.prompt(table)["turn"], "action": "pass"})
        await after(1)
        log.gate.set()
        await settled()
        assert [message["t"] for message in who.heard if message.get("ref") == 71] == ["ok"]
        seat = who.client.tables[table].seat
        assert [event for event in who.events(table, "stood_in") if event["seat"] == seat] == []


@clockwork
async def test_t7_a_clock_that_runs_out_costs_one_decision_and_the_second_makes_away() -> None:
    """T7. The bot plays for that one decision; after two in a row for all, until the person is back."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, rules={"all_pass": "redeal"})
        await people[0].start(table)
        who = asked(people, table)
        seat = who.client.tables[table].seat
        others = [person for person in people if person is not who]

        async def go_on(condition: Callable[[], bool]) -> None:
            for _ in range(400):
                if condition():
                    return
                for person in others:
                    if person.is_asked(table):
                        await person.act(table)
                await after(1)
            raise AssertionError

        await go_on(lambda: len(others[0].events(table, "stood_in")) == 1)
        assert not others[0].info(table)["seats"][seat or 0]["away"]
        await go_on(lambda: others[0].events(table, "went_away") != [])
        began = asyncio.get_running_loop().time()
        stood_in = len(others[0].events(table, "stood_in"))
        await go_on(lambda: len(others[0].events(table, "stood_in")) >= stood_in + 3)
        assert asyncio.get_running_loop().time() - began < TURN_S * 2
        await who.connect()
        assert others[0].events(table, "came_back") == [{"e": "came_back", "seat": seat}]


@clockwork
async def test_t6_after_an_outage_the_seat_to_act_has_time_and_hears_why() -> None:
    """T6. The server was away while the clock ran out: no bot decides, and fifteen seconds are given back."""
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        table, people, who = await game_at(house, "bid1")
        players = house.house.players
        turn = who.prompt(table)["turn"]
    await asyncio.sleep(3600)
    async with open_house(log) as house:
        house.house.players = players
        await settled()
        for person in people:
            person.house = house
            await person.connect()
        assert who.is_asked(table)
        assert who.prompt(table)["turn"] == turn
        assert who.prompt(table)["left_ms"] == 15_000
        assert who.prompt(table)["bank_ms"] == BANK_S * 1000
        credited = who.events(table, "time_credited")
        assert [event["why"] for event in credited] == ["the server was away"]
        assert not who.events(table, "stood_in")
        await after(14)
        assert (await who.act(table))["t"] == "ok"


@clockwork
async def test_t6_a_short_outage_gives_nothing_back() -> None:
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        table, _, who = await game_at(house, "bid1")
        players = house.house.players
        await after(2)
    async with open_house(log) as house:
        house.house.players = players
        who.house = house
        await who.connect()
        assert who.prompt(table)["left_ms"] == (TURN_S - 2) * 1000
        assert not who.events(table, "time_credited")


@clockwork
@pytest.mark.parametrize("last_s", [0.2, 5])
async def test_t6_a_server_that_stood_still_gives_time_back(last_s: float) -> None:
    """T6. The process was stopped while the clock ran out, be it in the next moment: nobody could act, so no bot does.

    There is no worker, so the stand-in would decide at once.
    """
    async with open_house() as house:
        table, _, who = await game_at(house, "bid1")
        turn = who.prompt(table)["turn"]
        await after(TURN_S + BANK_S - last_s)
        clockwork_loop().stand_still(40)
        await settled()
        assert who.prompt(table)["turn"] == turn
        assert who.prompt(table)["left_ms"] == 15_000
        assert [event["why"] for event in who.events(table, "time_credited")] == ["the server stood still"]
        assert not who.events(table, "stood_in")
        assert (await who.act(table))["t"] == "ok"


@clockwork
async def test_t6_a_server_that_was_late_gives_nothing_back() -> None:
    async with open_house() as house:
        table, _, who = await game_at(house, "bid1")
        await after(TURN_S - 1)
        clockwork_loop().stand_still(3)
        await settled()
        assert not who.events(table, "time_credited")


@clockwork
async def test_a_dormant_table_gives_its_time_back_when_somebody_comes() -> None:
    async with open_house() as house:
        table, people, _ = await game_at(house, "bid1")
        for person in people:
            person.lose()
        await after(10 * 3600)
        for person in people:
            await person.connect()
        who = asked(people, table)
        assert who.prompt(table)["left_ms"] >= 15_000


# ── bots ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_s4_a_bot_that_thought_when_the_server_ended_acts_when_it_is_back() -> None:
    """S4. Kill -9 while a bot "thinks": after the restart the bot acts within its time."""
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        worker = SlowWorker(house)
        table, (ann,) = await seat_people(house, 1, clock="none")
        players = house.house.players
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        assert worker.asked
        seq = house.state(table).seq
    async with open_house(log) as house:
        house.house.players = players
        await after(5)
        assert house.state(table).seq > seq


@clockwork
async def test_a_worker_is_asked_only_what_its_seat_may_see() -> None:
    async with open_house() as house:
        worker = SlowWorker(house)
        table, (ann,) = await seat_people(house, 1, clock="none")
        await ann.start(table)
        for _ in range(40):
            await settled()
            if worker.asked:
                request = worker.asked[0]
                assert request["view"]["viewer"] == request["view"]["to_act"] != 0
                assert {"view", "legal", "rules", "level", "seed", "deadline_ms", "id", "t"} == request.keys()
                worker.answer()
            elif ann.is_asked(table):
                await ann.act(table)


@clockwork
async def test_a_bot_thinks_at_its_own_level_and_a_stand_in_at_the_tables() -> None:
    async with open_house() as house:
        worker = SlowWorker(house)
        table, (ann,) = await seat_people(house, 1, clock="none", bots="standard")
        for seat, level in ((1, "hard"), (3, "easy")):
            assert (await ann.do(ann.client.fill(table, seat=seat, level=level)))["t"] == "ok"
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        levels: dict[int, str] = {}
        while len(levels) < 4:
            request = worker.answer()
            levels[request["view"]["viewer"]] = request["level"]
            await settled()
        assert levels == {0: "standard", 1: "hard", 2: "standard", 3: "easy"}


@clockwork
async def test_a_worker_that_is_late_wrong_or_gone_costs_the_table_a_moment() -> None:
    """A rule of thumb answers at the deadline; nobody waits for a worker whose slots are taken or that left."""
    async with open_house() as house:
        worker = SlowWorker(house, slots=1)
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 40})
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        assert len(worker.asked) == 1
        assert 3 <= await seconds_until(lambda: len(ann.events(table, "passed")) > 0, step_s=0.5) <= 3.5
        # Its only slot is taken until it answers, so it is not asked again.
        assert await seconds_until(lambda: ann.view(table).hands_scored > 0) < 1
        assert len(worker.asked) == 1
        worker.answer("play nonsense")  # too late, and wrong
        house.pool.leave(worker.worker)
        assert await seconds_until(lambda: ann.view(table).over) < 5


@clockwork
async def test_what_breaks_while_a_worker_is_asked_costs_the_table_nothing() -> None:
    def broken(_: Message) -> None:
        raise RuntimeError("the pipe to the worker burst")

    async with open_house() as house:
        worker = SlowWorker(house)
        worker.paper.on_send = broken
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        await ann.ask("away", table=table, on=True)
        with capture_logs() as told:
            await ann.start(table)
            await settled()
        assert ann.view(table).over
        assert {(line["event"], line["error"]) for line in told if line["log_level"] == "error"} == {
            ("decision_failed", "RuntimeError")
        }


async def game_on(house: InnerHouse) -> Game:
    """Return a game that four people have begun."""
    table, people = await seat_people(house, 4)
    await people[0].start(table)
    play = house.state(table).play
    assert play is not None
    return play.game


@clockwork
async def test_a_worker_that_is_late_three_times_is_set_aside_and_tried_now_and_then() -> None:
    """Tables go on without it; one decision in thirty seconds finds out whether it is in time again."""
    async with open_house() as house:
        loop, game, pool = asyncio.get_running_loop(), await game_on(house), house.pool
        worker = SlowWorker(house, slots=64)

        async def seconds_of(decisions: int) -> float:
            began_s = loop.time()
            await asyncio.gather(*(pool.decide(game, level="easy", seed=0) for _ in range(decisions)))
            return loop.time() - began_s

        for _ in range(3):
            assert pool.set_aside == 0
            assert await seconds_of(1) == pytest.approx(3)
        for _ in range(2):
            worker.asked.clear()
            assert pool.set_aside == 1
            assert await seconds_of(10) == 0
            await after(29.9)
            assert await seconds_of(10) == 0
            assert not worker.asked
            await after(0.2)
            assert await seconds_of(10) == pytest.approx(3)
            assert len(worker.asked) == 1
        worker.answer()  # too late again
        await after(31)
        assert pool.set_aside == 1
        deciding = loop.create_task(seconds_of(1))
        await settled()
        worker.answer()
        assert await deciding == 0
        assert pool.set_aside == 0
        deciding = loop.create_task(seconds_of(10))
        await settled()
        assert len(worker.asked) == 10
        deciding.cancel()


@clockwork
async def test_a_worker_is_late_whoever_waited_for_it_and_however_long_it_weighs() -> None:
    """What a table wants no more counts, as where another node was faster; what no table waits for does not."""
    async with open_house() as house:
        loop, game, pool = asyncio.get_running_loop(), await game_on(house), house.pool
        SlowWorker(house, slots=64)
        weighings = [loop.create_task(pool.weigh(game, layouts=1, seed=seed)) for seed in range(4)]
        waiting = [loop.create_task(pool.decide(game, level="easy", seed=0, can_wait=True)) for _ in range(4)]
        await after(11)
        assert await asyncio.gather(*weighings) == [None] * 4
        await asyncio.gather(*waiting)
        assert pool.set_aside == 0
        deciding = [loop.create_task(pool.decide(game, level="easy", seed=0)) for _ in range(3)]
        await settled()
        for task in deciding:
            task.cancel()
        await after(4)
        assert pool.set_aside == 1
        # Nobody is left to ask, and nobody waits for that.
        assert await pool.weigh(game, layouts=1, seed=0) is None
        assert await pool.decide(game, level="easy", seed=0) in legal_actions(game)


@clockwork
async def test_a_worker_that_answers_nonsense_or_leaves_is_not_waited_for() -> None:
    async with open_house() as house:
        worker = SlowWorker(house)
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 40})
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        for nonsense in ("play nonsense", "play 2C", "", "call x alone", "order " * 10):
            seq = ann.seq(table)
            worker.answer(nonsense)
            assert await seconds_until(lambda seq=seq: ann.seq(table) > seq) < 1  # type: ignore[misc]
        assert len(worker.asked) == 1
        house.pool.leave(worker.worker)
        assert await seconds_until(lambda: ann.view(table).over) < 5


@clockwork
async def test_what_no_table_waits_for_leaves_half_of_a_worker_to_the_tables() -> None:
    """Many who look back at games at once wait for each other, and no bot plays by a rule of thumb for it."""
    async with open_house() as house:
        loop, game, pool = asyncio.get_running_loop(), await game_on(house), house.pool
        worker = SlowWorker(house, slots=4)
        weighings = [loop.create_task(pool.weigh(game, layouts=1, seed=seed)) for seed in range(4)]
        await settled()
        assert [request["t"] for request in worker.asked] == ["weigh"] * 2
        deciding = loop.create_task(pool.decide(game, level="easy", seed=0))
        await settled()
        assert [request["t"] for request in worker.asked] == ["weigh", "weigh", "decide"]
        for _ in range(2):
            pool.answered(worker.worker, worker.asked.pop(0)["id"], [])
        await settled()
        assert [request["t"] for request in worker.asked] == ["decide", "weigh"]
        worker.answer()
        await settled()
        assert await deciding == legal_actions(game)[0]
        assert [request["t"] for request in worker.asked] == ["weigh", "weigh"]
        pool.leave(worker.worker)
        assert await asyncio.gather(*weighings) == [[], [], None, None]


async def seconds_until(condition: Callable[[], bool], *, step_s: float = 0.01, most_s: float = 600) -> float:
    """Let time pass until *condition* is true; return how much did."""
    began = asyncio.get_running_loop().time()
    while not condition():
        await after(step_s)
        assert asyncio.get_running_loop().time() - began < most_s
    return asyncio.get_running_loop().time() - began


@clockwork
async def test_s2_a_person_back_while_the_bot_thinks_for_him_decides_himself() -> None:
    """S2. One decision a turn, and control is back."""
    async with open_house() as house:
        worker = SlowWorker(house)
        table, _, who = await game_at(house, "bid1")
        assert (await who.ask("away", table=table, on=True))["t"] == "ok"
        assert worker.asked
        assert (await who.ask("away", table=table, on=False))["t"] == "ok"
        worker.answer("order")
        await after(1)
        assert who.is_asked(table)
        assert (await who.act(table, "pass"))["t"] == "ok"
        await after(5)
        assert who.events(table, "stood_in") == []
        assert len(who.events(table, "passed")) == len(who.view(table).calls)


@clockwork
async def test_bots_leave_people_time_to_follow() -> None:
    """Half a second to a second before what a bot does, longer after a trick, and longest before the next hand."""
    async with open_house(pace=1) as house:
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 3})
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        while house.state(table).is_playing:
            await after(60)
        log = await house.log.read(table, after=0)
    deals: list[int] = []
    decisions: dict[bool, list[int]] = {False: [], True: []}
    for (last, stored), (_, happenings, _) in zip(itertools.pairwise(log), follow(log), strict=False):
        pause_ms, entry = stored.at_ms - last.at_ms, unpack_entry(stored.entry)
        if isinstance(entry, DealtOut):
            deals.append(pause_ms)
        elif isinstance(entry, Acted):
            decisions[any(isinstance(happening, TrickWon) for happening in happenings)].append(pause_ms)
    assert deals[0] == 600
    assert set(deals[1:]) == {5000}
    assert 500 <= min(decisions[False]) < max(decisions[False]) <= 1000
    assert 1700 <= min(decisions[True]) < max(decisions[True]) <= 2200


@clockwork
async def test_r5_a_bots_table_deals_again_after_eight_passes() -> None:
    """R5. Eight passes with redeal do not hang the table."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, rules={"all_pass": "redeal"})
        await people[0].start(table)
        for _ in range(8):
            await asked(people, table).act(table, "pass")
        await settled()
        assert people[0].events(table, "hand_thrown_in")
        assert people[0].view(table).hand == 2
        assert asked(people, table)


@clockwork
async def test_r4_a_stuck_dealers_bot_calls() -> None:
    """R4. With `stick` the dealer's bot does not pass the ninth time, even one that only follows a rule of thumb."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, clock="none")
        await ann.ask("away", table=table, on=True)
        await ann.start(table)
        await after(1)
        assert not ann.events(table, "hand_thrown_in")
        assert ann.events(table, "trump_called") or ann.events(table, "ordered_up")


# ── many ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_c4_two_acts_of_one_seat_a_thousand_times() -> None:
    """C4. Two different actions of one seat for one turn, handed in at once, 1,000 times: exactly one is taken."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, clock="none", rules={"target": 99})
        await people[0].start(table)
        for _ in range(1000):
            who = next((person for person in people if person.is_asked(table)), None)
            if who is None:
                await people[0].start(table)
                continue
            prompt = who.prompt(table)
            for action in (prompt["legal"][0], prompt["legal"][-1]):
                message = who.client.act(table, prompt["turn"], action)
                await who.session.receive(who.codec.encode(message).decode())
            who.client.take_outbox()
            heard = len(who.heard)
            await settled()
            answers = [message for message in who.heard[heard:] if message["t"] in {"ok", "refused"}]
            assert [answer["t"] for answer in answers] == ["ok", "refused"]
            assert answers[1]["code"] in {"stale", "game_over"}


@clockwork
async def test_n8_tables_that_ended_leave_nothing_behind() -> None:
    """N8. After many games the number of live tables and tasks is back where it began."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        before = len(asyncio.all_tasks())
        for _ in range(40):
            table = await ann.create(clock="none", rules={"target": 1})
            await ann.ask("away", table=table, on=True)
            await ann.start(table)
            await seconds_until(lambda: ann.view(table).over)  # noqa: B023  # used at once
            assert (await ann.do(ann.client.leave(table)))["t"] == "ok"
            await settled()
        assert len(house.lobby) == 0
        assert len(asyncio.all_tasks()) == before
        assert ann.client.tables == {}
