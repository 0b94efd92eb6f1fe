"""Limits on how much one may do in a time: the buckets on a clock of the test's, and the server's over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from bots.policy import LEVELS
from protocol.codec import JSON
from protocol.codes import CloseCode
from server import limits
from server.addresses import address_of
from server.limits import CONNECTIONS_OF_AN_ADDRESS, RATES, Bucket, Kind, Rate, Throttle
from tests.support_player import Message, Wire, four_players, playing, seat_four
from tests.support_server import Server, serving

# ── buckets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_bucket_gives_its_burst_at_once_and_then_one_by_one() -> None:
    bucket = Bucket(Rate(burst=3, every_s=2))
    assert [bucket.take(100) for _ in range(3)] == [0, 0, 0]
    assert bucket.take(100) == pytest.approx(2)
    assert bucket.take(101) == pytest.approx(1)
    assert bucket.take(102) == 0
    assert bucket.take(102) > 0


def test_who_is_put_off_is_told_when_a_quarter_is_there_again() -> None:
    bucket = Bucket(Rate(burst=100, every_s=1))
    while not (wait_s := bucket.take(0)):
        pass
    assert wait_s == pytest.approx(25)
    assert [bucket.take(wait_s) for _ in range(26)].count(0) == 25


def test_a_bucket_that_was_left_alone_is_full_and_no_more_than_full() -> None:
    bucket = Bucket(Rate(burst=5, every_s=1))
    while not bucket.take(0):
        pass
    assert [bucket.take(1e6) for _ in range(7)].count(0) == 5


@given(st.integers(1, 50), st.floats(0.001, 10), st.lists(st.floats(0, 5), min_size=1, max_size=200), st.floats(0, 1e6))
def test_no_bucket_gives_more_than_its_rate(burst: int, every_s: float, gaps: list[float], began_s: float) -> None:
    """Whenever one takes: over any time no more than the burst and what came in meanwhile."""
    bucket, now_s, given_ = Bucket(Rate(burst, every_s)), began_s, 0
    for gap_s in gaps:
        now_s += gap_s
        given_ += not bucket.take(now_s)
        assert given_ <= burst + (now_s - began_s) / every_s + 0.01
    assert given_ >= 1


def test_a_kind_without_a_rate_is_unlimited() -> None:
    throttle = Throttle(lambda: 0.0)
    assert not any(throttle.take(Kind.GUEST, "x") or throttle.fresh(Kind.MESSAGE).take(0.0) for _ in range(10_000))


def test_each_has_a_bucket_of_his_own_and_keeps_it() -> None:
    throttle = Throttle(lambda: 0.0, {Kind.SAY: Rate(2, 1)})
    assert [throttle.take(Kind.SAY, who) > 0 for who in ("ann", "ben", "ann", "ann", "ben", "ben")] == [
        False, False, False, True, False, True,
    ]  # fmt: skip


def test_the_buckets_that_are_kept_are_bounded_and_the_one_in_use_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was dropped begins with a full bucket: the bound is on memory, not on him."""
    monkeypatch.setattr(limits, "_KEPT_BUCKETS", 10)
    throttle = Throttle(lambda: 0.0, {Kind.HANDSHAKE: Rate(1, 1000)})
    first, busy = throttle.of(Kind.HANDSHAKE, "first"), throttle.of(Kind.HANDSHAKE, "busy")
    for number in range(50):
        throttle.of(Kind.HANDSHAKE, f"other {number}")
        assert throttle.of(Kind.HANDSHAKE, "busy") is busy
    assert throttle.of(Kind.HANDSHAKE, "first") is not first


# ── addresses ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("socket_host", "forwarded", "hops", "address"),
    [
        ("192.0.2.1", [], 0, "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], 0, "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], 1, "198.51.100.7"),
        ("192.0.2.1", ["203.0.113.9, 198.51.100.7"], 1, "198.51.100.7"),
        ("192.0.2.1", ["203.0.113.9", "198.51.100.7"], 1, "198.51.100.7"),
        ("192.0.2.1", ["8.8.8.8, 203.0.113.9,198.51.100.7"], 2, "203.0.113.9"),
        ("192.0.2.1", ["198.51.100.7"], 2, "192.0.2.1"),
        ("192.0.2.1", [], 1, "192.0.2.1"),
        ("192.0.2.1", ["unknown"], 1, "192.0.2.1"),
        ("192.0.2.1", [""], 1, "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", [], 0, "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", [], 0, "2001:db8:1:2::/64"),
        ("fe80::1%eth0", [], 0, "fe80::/64"),
        ("::ffff:192.0.2.1", [], 0, "192.0.2.1"),
        ("::1", ["[2001:db8:1:2:3::]"], 1, "2001:db8:1:2::/64"),
        ("::1", ["[2001:db8:1:2:3::]:5678"], 1, "2001:db8:1:2::/64"),
        ("192.0.2.1", ["198.51.100.7:5678"], 1, "198.51.100.7"),
        ("192.0.2.1", ["8.8.8.8:1, unknown:5678"], 1, "192.0.2.1"),
        ("", [], 0, ""),
    ],
)
def test_the_address_is_what_our_own_proxies_say(
    socket_host: str, forwarded: list[str], hops: int, address: str
) -> None:
    """What a client writes into the header stands before what our proxies add, and is passed over."""
    assert address_of(socket_host, forwarded, hops) == address


# ── over sockets ─────────────────────────────────────────────────────────────────────────────────────────────────────

MESSAGES, SAYINGS, TABLES = RATES[Kind.MESSAGE], RATES[Kind.SAY], RATES[Kind.CREATE]
LOOKS = RATES[Kind.ANALYSE]


@pytest_asyncio.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path, log="memory", limits="on", workers=0) as running:
        yield running


async def flood(wire: Wire, count: int, *, first: int = 2) -> list[Message]:
    """Send pings all at once, and return what comes back for each."""
    await wire.send_at_once([{"t": "ping", "ref": ref} for ref in range(first, first + count)])
    return [await wire.receive() for _ in range(count)]


async def test_too_many_messages_are_refused_and_later_ones_are_not(server: Server) -> None:
    """Each is answered, in order; after the time the refusal asks for there is room for a quarter of the burst."""
    async with Wire.to(server.ws, name="Eve") as wire:
        answers = await flood(wire, MESSAGES.burst + 90)
        assert [answer["ref"] for answer in answers] == list(range(2, MESSAGES.burst + 92))
        assert {answer["t"] for answer in answers[: MESSAGES.burst - 1]} == {"pong"}
        refused = [answer for answer in answers if answer["t"] == "refused"]
        assert refused
        assert {answer["code"] for answer in refused} == {"rate_limited"}
        assert all(0 < answer["retry_ms"] <= 1000 * MESSAGES.every_s * MESSAGES.burst for answer in refused)
        await asyncio.sleep(refused[-1]["retry_ms"] / 1000)
        again = await flood(wire, MESSAGES.burst // 4, first=1000)
        assert {answer["t"] for answer in again} == {"pong"}


async def test_who_goes_on_all_the_same_is_closed_with_4009_and_nobody_else(server: Server) -> None:
    async with Wire.to(server.ws, name="Ann") as ann, Wire.to(server.ws, name="Eve") as eve:
        many = MESSAGES.burst + 2 * RATES[Kind.OVERRUN].burst
        await eve.send_at_once([{"t": "ping", "ref": ref} for ref in range(2, 2 + many)])
        assert await eve.closed() == CloseCode.RATE_LIMIT
        kinds = [message["t"] for message in eve.unread]
        assert kinds.count("refused") <= RATES[Kind.OVERRUN].burst + 2
        assert await ann.ask({"t": "ping", "ref": 2}) == {"t": "pong", "ref": 2}


async def test_a_new_connection_is_no_new_bucket(server: Server) -> None:
    """The messages are the player's, not the connection's."""
    async with Wire.to(server.ws) as wire:
        welcome = await wire.ask({"t": "hello", "ref": 1, "version": 1, "name": "Eve"})
        await flood(wire, MESSAGES.burst)
    async with Wire.to(server.ws) as wire:
        await wire.ask({"t": "hello", "ref": 900, "version": 1, "token": welcome["token"]})
        await wire.send_at_once([{"t": "ping", "ref": ref} for ref in range(1000, 1000 + MESSAGES.burst)])
        while (answer := await wire.receive())["t"] == "pong":
            assert answer["ref"] < 999 + MESSAGES.burst
        assert answer["code"] == "rate_limited"


async def test_before_the_hello_messages_are_limited_too(server: Server) -> None:
    async with Wire.to(server.ws) as wire:
        answers = await flood(wire, MESSAGES.burst + 90)
        assert [answer["code"] for answer in answers if answer["t"] == "refused"][-1] == "rate_limited"


async def test_tables_chat_and_hands_looked_at_have_limits_of_their_own(server: Server) -> None:
    async with Wire.to(server.ws, name="Eve") as wire:
        wish = {"t": "create", "preset": "standard", "visibility": "private", "clock": "none"}
        answers: list[Message] = []
        for ref in range(2, 3 * TABLES.burst, 3):
            answers.append(await wire.ask(wish | {"ref": ref}))
            if answers[-1]["t"] == "ok":
                table = answers[-1]["table"]
                assert (await wire.ask({"t": "leave", "ref": ref + 1, "table": table}))["t"] == "ok"
        assert [answer["t"] for answer in answers] == ["ok"] * len(answers)
        ref = 500
        while (made := await wire.ask(wish | {"ref": ref}))["t"] == "ok":
            await wire.ask({"t": "leave", "ref": ref + 1, "table": made["table"]})
            ref += 2
        assert made["code"] == "rate_limited"
        assert ref <= 500 + 2 * TABLES.burst
        look = {"t": "analyse", "table": "t_none", "hand": 1}
        looks = [await wire.ask(look | {"ref": ref}) for ref in range(900, 902 + LOOKS.burst)]
        assert [answer["code"] for answer in looks[: LOOKS.burst]] == ["no_such_table"] * LOOKS.burst
        assert looks[-1]["code"] == "rate_limited"
    async with Wire.to(server.ws, name="Tom") as wire:
        table = (await wire.ask(wish | {"ref": 2}))["table"]
        says = [
            await wire.ask({"t": "say", "ref": ref, "table": table, "text": "ho"})
            for ref in range(3, 5 + SAYINGS.burst)
        ]
        assert [answer["t"] for answer in says[: SAYINGS.burst]] == ["ok"] * SAYINGS.burst
        assert says[-1]["code"] == "rate_limited"


async def handshake_status(server: Server, **headers: str) -> tuple[int, str | None]:
    """Return the status of a handshake, and its Retry-After."""
    try:
        async with connect(
            server.ws, subprotocols=[Subprotocol(JSON.subprotocol)], additional_headers=headers, proxy=None
        ):
            return 101, None
    except InvalidStatus as refused:
        return refused.response.status_code, refused.response.headers.get("Retry-After")


async def test_an_address_has_so_many_connections_at_a_time_and_others_have_theirs(tmp_path: Path) -> None:
    """429 before the upgrade. Behind a proxy the address is the one the proxy adds, whatever the client claims."""
    proxied = ("--proxy-header", "X-Forwarded-For")
    async with serving(tmp_path, *proxied, log="memory", limits="on", workers=0) as server, AsyncExitStack() as stack:
        crowd = [
            connect(
                server.ws,
                subprotocols=[Subprotocol(JSON.subprotocol)],
                additional_headers={"X-Forwarded-For": f"198.51.100.{number}, 192.0.2.1"},
                proxy=None,
                ping_interval=None,
            )
            for number in range(CONNECTIONS_OF_AN_ADDRESS)
        ]
        # All at once: who says no hello is shown out after some seconds.
        await asyncio.gather(*(stack.enter_async_context(member) for member in crowd))
        status, retry_after = await handshake_status(server, **{"X-Forwarded-For": "203.0.113.5, 192.0.2.1"})
        assert status == 429
        assert int(retry_after or "") >= 1
        assert await handshake_status(server, **{"X-Forwarded-For": "192.0.2.2"}) == (101, None)
        assert await handshake_status(server) == (101, None)
        await server.has_logged("address_limited")
        assert '"address":"192.0.2.1"' in server.logged()


async def test_an_address_makes_so_many_players_and_known_ones_still_get_in(server: Server) -> None:
    """`rate_limited` and 4009, which a client comes back after; who has a token is no new player."""
    async with Wire.to(server.ws) as wire:
        known = await wire.ask({"t": "hello", "ref": 1, "version": 1, "name": "Ann"})
    answers: list[Message] = []
    while not answers or answers[-1]["t"] == "welcome":
        assert len(answers) <= 2 * RATES[Kind.GUEST].burst
        async with Wire.to(server.ws) as wire:
            answers.append(await wire.ask({"t": "hello", "ref": 1, "version": 1, "name": "Eve"}))
            if answers[-1]["t"] == "refused":
                assert await wire.closed() == CloseCode.RATE_LIMIT
    assert answers[-1]["code"] == "rate_limited"
    async with Wire.to(server.ws) as wire:
        assert (await wire.ask({"t": "hello", "ref": 1, "version": 1, "token": known["token"]}))["t"] == "welcome"


async def test_play_at_full_speed_is_never_too_much(tmp_path: Path) -> None:
    """Four programs that answer at once, with bots that do not wait, under the limits a server has by default."""
    async with serving(tmp_path, limits="on", pace=0) as server:
        players = await four_players(server.ws, policies=tuple(LEVELS.values()), seed=5)
        async with playing(*players):
            table = await seat_four(players, rules={"target": 5})
            await players[0].start(table)
            for player in players:
                await player.game_over(table)
        refused = [message for player in players for message in player.heard if message["t"] == "refused"]
        assert [message for message in refused if message["code"] == "rate_limited"] == []
