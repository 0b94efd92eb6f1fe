"""A restart that is announced ahead: players hear when it comes, or that it does not, and nothing else changes."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from server.restarts import LOOK_EVERY_S, Restarts
from tests.server.clockwork import after, clockwork, clockwork_loop, now_ms
from tests.server.house import Guest, InnerHouse, Message, open_house

MINUTE_MS = 60_000


def told(guest: Guest) -> list[Message]:
    return [message for message in guest.heard if message["t"] == "notice" and message["kind"] == "restart"]


async def announce(house: InnerHouse, minutes: float) -> int:
    """Announce a restart as an operator does, beside the house, and wait until it is heard of."""
    at_ms = now_ms() + round(minutes * MINUTE_MS)
    with clockwork_loop().outside():
        await Restarts(house.store, now_ms).announce(at_ms)
    await after(LOOK_EVERY_S)
    return at_ms


@clockwork
async def test_players_and_watchers_hear_when_the_server_restarts_and_who_comes_later_too() -> None:
    async with open_house() as one, open_house(beside=one) as other:
        ann = await one.guest("Ann")
        table = await ann.create()
        eve = await other.guest("Eve")
        assert (await eve.ask("watch", table=table))["t"] == "ok"
        at_ms = await announce(one, 4)
        for guest in (ann, eve):
            (notice,) = told(guest)
            assert at_ms - now_ms() <= notice["in_ms"] <= 4 * MINUTE_MS
            assert notice["detail"] == "the server restarts in 4 min; your game goes on afterwards"
        await after(60)
        ben = await other.guest("Ben")
        assert [notice["in_ms"] for notice in told(ben)] == [at_ms - now_ms()]
        assert [message["t"] for message in ben.heard][:2] == ["welcome", "notice"]
        assert len(told(ann)) == 1


@clockwork
async def test_until_the_server_stops_nothing_is_refused() -> None:
    async with open_house() as house:
        await announce(house, 1)
        await after(90)
        ann = await house.guest("Ann")
        assert [notice["in_ms"] for notice in told(ann)] == [0]
        table = await ann.create()
        assert (await ann.ask("start", table=table))["t"] == "ok"


@pytest.mark.parametrize("is_late", [False, True], ids=["taken back", "never came"])
@clockwork
async def test_a_restart_that_does_not_come_is_told_to_those_who_heard_of_it(is_late: bool) -> None:  # noqa: FBT001
    async with open_house() as house:
        ann = await house.guest("Ann")
        await announce(house, 2)
        if is_late:
            await after(12 * 60 + LOOK_EVERY_S)
        else:
            with clockwork_loop().outside():
                assert await Restarts(house.store, now_ms).call_off()
                assert not await Restarts(house.store, now_ms).call_off()
            await after(LOOK_EVERY_S)
        assert "in_ms" not in told(ann)[-1]
        assert len(told(ann)) == 2
        assert told(await house.guest("Ben")) == []


@clockwork
async def test_the_latest_announcement_counts() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        await announce(house, 2)
        at_ms = await announce(house, 10)
        assert at_ms - now_ms() <= told(ann)[-1]["in_ms"] <= 10 * MINUTE_MS
        assert len(told(ann)) == 2


@clockwork
async def test_what_is_no_time_is_not_told_and_the_next_announcement_is() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        with clockwork_loop().outside():
            await house.store.run(lambda connection: connection.execute(text("INSERT INTO restart VALUES ('soon')")))
        await after(2 * LOOK_EVERY_S)
        assert told(ann) == []
        await announce(house, 2)
        assert len(told(ann)) == 1


@pytest.mark.parametrize(("minutes", "is_told"), [(10, True), (0.5, False)])
@clockwork
async def test_a_node_that_was_restarted_tells_of_no_restart_any_more(minutes: float, is_told: bool) -> None:  # noqa: FBT001
    """One that was killed long before tells of it as the others do."""
    async with open_house() as house:
        await announce(house, minutes)
        async with open_house(beside=house) as again:
            await after(1)
            ann = await again.guest("Ann")
            assert bool(told(ann)) == is_told
