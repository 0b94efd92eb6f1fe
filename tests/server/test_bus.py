"""The contract of the bus, for every back end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.bus import Bus
from tests.server.backends import two_nodes
from tests.support_server import PATIENCE_S


@pytest.fixture(params=["memory", "redis", "cluster"])
async def buses(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Bus, Bus]]:
    async with two_nodes(request, tmp_path) as (one, other):
        yield one.bus, other.bus


class Ear:
    """What a node hears on a channel, from when it is sure to hear all of it."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def next(self) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            return await self.heard.get()


async def listening(speaker: Bus, hearer: Bus, channel: str) -> Ear:
    """Listen, and return when the way from *speaker* is open: a bus may lose what is said before."""
    ear = Ear()
    hearer.listen(channel, ear.heard.put_nowait)
    async with asyncio.timeout(PATIENCE_S):
        while ear.heard.empty():
            speaker.publish(channel, b"hello?")
            await asyncio.sleep(0.02)
    speaker.publish(channel, b"enough")
    while await ear.next() != b"enough":
        pass
    return ear


async def test_what_one_node_says_the_other_hears_in_order(buses: tuple[Bus, Bus]) -> None:
    one, other = buses
    ear = await listening(one, other, "t")
    said = [b"", b" ", b"a b", b"\x00\xff\r\n", b"x" * 100_000, *(b"%d" % number for number in range(200))]
    for message in said:
        one.publish("t", message)
    assert [await ear.next() for _ in said] == said
    assert ear.heard.empty()


async def test_a_node_does_not_hear_itself(buses: tuple[Bus, Bus]) -> None:
    one, other = buses
    assert one.node != other.node
    ear, own = await listening(one, other, "t"), await listening(other, one, "t")
    one.publish("t", b"from one")
    other.publish("t", b"from the other")
    assert await ear.next() == b"from one"
    assert await own.next() == b"from the other"
    assert ear.heard.empty()
    assert own.heard.empty()


@pytest.mark.parametrize("channel", ["t_x", "ä", "{", "a b", "x" * 500])
async def test_channels_do_not_know_each_other(buses: tuple[Bus, Bus], channel: str) -> None:
    one, other = buses
    this, that = await listening(one, other, channel), await listening(one, other, "another")
    one.publish("another", b"there")
    one.publish(channel, b"here")
    assert await this.next() == b"here"
    assert await that.next() == b"there"
    assert this.heard.empty()


async def test_who_ends_it_hears_no_more_and_others_go_on(buses: tuple[Bus, Bus]) -> None:
    one, other = buses
    ear = await listening(one, other, "t")
    ended = Ear()
    end = other.listen("t", ended.heard.put_nowait)
    one.publish("t", b"both")
    assert await ended.next() == await ear.next() == b"both"
    end()
    end()
    one.publish("t", b"one only")
    assert await ear.next() == b"one only"
    assert ended.heard.empty()


async def test_nobody_has_to_listen(buses: tuple[Bus, Bus]) -> None:
    for bus in buses:
        bus.publish("nobody's", b"hello?")
