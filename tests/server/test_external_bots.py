"""Bots of other people: registered by a person, let in by their token, and shown as what they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgpack
import pytest

from server.entries import Opened, SatDown, pack_entry, unpack_entry
from server.main import serve
from server.players import MAX_BOTS_PER_OWNER
from tests.server.clockwork import clockwork
from tests.server.house import Guest, InnerHouse, open_house


async def registered(house: InnerHouse, owner: Guest, name: str = "Deep Barn") -> Guest:
    answer = await owner.do(owner.client.register_bot(name, version="1.2"))
    assert answer["t"] == "ok", answer
    return await house.guest("another name", token=answer["token"])


@clockwork
async def test_a_bot_is_a_bot_for_everybody_under_the_name_it_was_registered_with() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        bot = await registered(house, ann)
        assert bot.client.player is not None
        assert (bot.client.player["name"], bot.client.player["kind"]) == ("Deep Barn", "bot")
        table = await ann.create(visibility="public")
        await bot.join(table, 2)
        expected = {"seat": 2, "kind": "bot", "name": "Deep Barn", "level": None, "version": "1.2", "owner": "Ann",
                    "away": False, "online": True}  # fmt: skip
        for guest in (ann, bot):
            assert guest.info(table)["seats"][2] == expected
        listed = await ann.do(ann.client.list_tables("all"))
        assert listed["tables"][0]["seats"][2] == {
            "seat": 2, "kind": "bot", "name": "Deep Barn", "version": "1.2", "owner": "Ann",
        }  # fmt: skip
        assert ann.events(table, "seated")[-1] == {
            "e": "seated", "seat": 2, "kind": "bot", "name": "Deep Barn", "level": None, "version": "1.2",
            "owner": "Ann",
        }  # fmt: skip


@clockwork
async def test_a_bot_may_be_the_host_and_nobody_takes_its_seat() -> None:
    """Unlike that of a bot of the house."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        bot = await registered(house, ann)
        table = await bot.create()
        await bot.start(table)
        refused = await ann.do(ann.client.join(table=table, seat=0))
        assert refused["code"] == "seat_taken"
        await ann.join(table)
        assert [seat["kind"] for seat in ann.info(table)["seats"]] == ["bot", "human", "bot", "bot"]
        assert [seat["level"] for seat in ann.info(table)["seats"]] == [None, None, "standard", "standard"]


@clockwork
async def test_a_table_full_of_people_and_their_bots_is_not_listed_as_open() -> None:
    """Nobody can sit down there; a seat with a bot of the house is free."""
    async with open_house() as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        bots = [await registered(house, ann, f"Bot {number}") for number in (1, 2)]
        table = await ann.create(visibility="public")
        for guest in (ben, *bots):
            assert len((await ann.do(ann.client.list_tables("open")))["tables"]) == 1
            await guest.join(table)
        assert (await ann.do(ann.client.list_tables("open")))["tables"] == []


@clockwork
async def test_a_bot_is_registered_by_a_person_and_one_has_only_so_many() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        bot = await registered(house, ann)
        assert (await bot.do(bot.client.register_bot("Offspring")))["code"] == "not_for_bots"
        assert (await ann.do(ann.client.register_bot("\u200b")))["code"] == "bad_name"
        assert (await ann.do(ann.client.register_bot("Robbie", version="\x1b[31m1")))["code"] == "bad_name"
        for number in range(1, MAX_BOTS_PER_OWNER):
            assert (await ann.do(ann.client.register_bot(f"Bot {number}")))["t"] == "ok"
        assert (await ann.do(ann.client.register_bot("one too many")))["code"] == "too_many_bots"


@clockwork
async def test_a_bot_that_is_given_up_is_let_in_no_more_and_its_owner_has_room_for_another() -> None:
    async with open_house() as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        tokens = [
            (await ann.do(ann.client.register_bot(f"Bot {number}", version="1.2" if number else None)))["token"]
            for number in range(MAX_BOTS_PER_OWNER)
        ]
        assert (await ben.do(ben.client.revoke_bot("Bot 3")))["code"] == "no_such_bot"
        assert (await ann.do(ann.client.revoke_bot("\u200b")))["code"] == "bad_name"
        assert (await ann.do(ann.client.revoke_bot(" Bot  3 ")))["t"] == "ok"
        assert (await ann.do(ann.client.revoke_bot("Bot 3")))["code"] == "no_such_bot"
        listed = {bot["name"]: bot["version"] for bot in (await ann.do(ann.client.list_bots()))["bots"]}
        assert listed.keys() == {f"Bot {number}" for number in range(MAX_BOTS_PER_OWNER) if number != 3}
        assert (listed["Bot 0"], listed["Bot 1"]) == (None, "1.2")
        assert (await ben.do(ben.client.list_bots()))["bots"] == []
        late = Guest(house, "another name", token=tokens[3])
        await late.connect()
        assert late.heard[0]["code"] == "bad_token"
        assert (await ann.do(ann.client.register_bot("another")))["t"] == "ok"


@clockwork
async def test_a_bot_that_is_registered_again_has_a_new_token_and_its_seat() -> None:
    """The connection it has goes on; the token it had opens no other."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        first = await ann.do(ann.client.register_bot("Deep Barn", version="1.2"))
        bot = await house.guest("another name", token=first["token"])
        table = await bot.create()
        second = await ann.do(ann.client.register_bot("Deep Barn", version="1.3"))
        assert (first["renewed"], second["renewed"]) == (False, True)
        assert (await bot.do(bot.client.list_tables("all")))["t"] == "ok"
        late = Guest(house, "another name", token=first["token"])
        await late.connect()
        assert late.heard[0]["code"] == "bad_token"
        anew = await house.guest("another name", token=second["token"])
        assert anew.client.player == bot.client.player
        assert table in anew.client.tables


@pytest.mark.parametrize(("lets_in", "answer"), [(False, "refused"), (True, "welcome")])
@clockwork
async def test_without_a_token_a_bot_is_let_in_by_a_server_for_authors_only(*, lets_in: bool, answer: str) -> None:
    async with open_house() as house:
        house.house.lets_bots_in = lets_in
        bot = Guest(house, "Nobody's")
        bot.client.kind = "bot"
        await bot.connect()
        assert [message["t"] for message in bot.heard] == [answer]
        if lets_in:
            assert bot.client.player is not None
            assert bot.client.player["kind"] == "bot"
        else:
            assert bot.heard[0]["code"] == "bot_needs_token"


def test_a_log_of_an_earlier_version_knew_no_bots_and_let_people_take_their_seats() -> None:
    opened = Opened(
        code="KQ7M", title="Ann's table", preset="standard", rules={}, visibility="public", clock="normal", bots="easy",
        spectators=True, seed=None, player="p", name="P", ref=1,
    )  # fmt: skip
    later: dict[str, Any] = {"is_bot": True, "version": "1", "owner": "Ann"}
    for entry, said_now in ((opened, later | {"bots_stay": True}), (SatDown(1, "p", "P", 1), later)):
        full = replace(entry, **said_now)
        packed = pack_entry(full)
        assert unpack_entry(packed) == full
        plain = msgpack.unpackb(packed)
        assert unpack_entry(msgpack.packb({name: plain[name] for name in plain if name not in said_now})) == entry


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_a_server_for_authors_listens_on_this_machine_only(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(dev=True, host=host) == 2
    assert "--host must be of this machine" in capsys.readouterr().err
