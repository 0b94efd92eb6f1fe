"""Conversations: every message's answer, who may do what, and what is kept apart. In a house without sockets."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from structlog.testing import capture_logs

from engine.view import View
from protocol.codec import JSON, MSGPACK
from protocol.codes import MALFORMED_LIMIT, MAX_INTEGER, CloseCode
from protocol.updates import PromptArrived
from server import lobby
from server.directory import MOST_LISTED, MemoryDirectory
from server.entries import Closed, pack_entry
from server.log.memory import MemoryLog
from tests.server.clockwork import after, clockwork, now_ms, settled
from tests.server.house import Guest, InnerHouse, open_house, seat_people
from tests.server.test_archive import a_game, play_out, record_of

PUBLIC: dict[str, Any] = {"preset": "standard", "visibility": "public", "clock": "slow"}


async def code_of(guest: Guest, kind: str, **fields: Any) -> str:
    """Say something and return the code of its refusal, or ``ok``."""
    answer = await guest.ask(kind, **fields)
    return str(answer.get("code")) if answer["t"] == "refused" else "ok"


async def stranger(house: InnerHouse) -> Guest:
    """Return somebody who is connected and has said nothing."""
    guest = Guest(house, "Eve")
    guest.paper.on_send = guest.heard.append
    return guest


# ── saying hello ─────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_nothing_is_served_before_hello_but_ping() -> None:
    async with open_house() as house:
        eve = await stranger(house)
        for kind, fields in (
            ("tables", {}),
            ("create", PUBLIC),
            ("join", {"table": "t"}),
            ("watch", {"table": "t"}),
            ("act", {"table": "t", "turn": 1, "action": "pass"}),
            ("sync", {"table": "t", "seq": 0}),
            ("say", {"table": "t", "text": "hi"}),
        ):
            assert await code_of(eve, kind, ref=5, **fields) == "hello_first"
        assert (await eve.ask("ping"))["t"] == "pong"
        assert len(house.lobby) == 0


@clockwork
async def test_hello_is_said_once_and_in_this_version() -> None:
    async with open_house() as house:
        eve = await stranger(house)
        assert await code_of(eve, "hello", version=2) == "bad_version"
        assert await code_of(eve, "hello", version=0) == "bad_version"
        assert (await eve.ask("hello", version=1))["t"] == "welcome"
        assert await code_of(eve, "hello", version=1) == "already_greeted"
        assert await code_of(eve, "work", token="worker-token", slots=1) == "already_greeted"


@clockwork
async def test_a_token_is_its_player_and_no_other() -> None:
    """H9. A taken name never yields that player's seat or hand: a player is a token, and a name is only shown."""
    async with open_house() as house:
        table, (ann, _) = await seat_people(house, 2)
        for name in ("Ann", "ann", " Ann ", "Αnn", "Ａｎｎ"):  # noqa: RUF001  # look-alikes are the point
            other = await house.guest(name)
            assert other.client.player is not None
            assert ann.client.player is not None
            assert other.client.player["id"] != ann.client.player["id"]
            assert other.client.tables == {}
            assert await code_of(other, "start", table=table) == "not_host"
        again = await house.guest("Ann", token=ann.client.token)
        assert table in again.client.tables


@clockwork
async def test_an_unknown_token_is_refused_and_the_connection_closed() -> None:
    async with open_house() as house:
        eve = await stranger(house)
        assert await code_of(eve, "hello", version=1, token="not-a-token-of-ours") == "bad_token"
        assert eve.paper.close_code() == CloseCode.TOKEN_REFUSED
        assert house.house.sessions == {}


@clockwork
async def test_whose_a_token_is_can_be_asked_and_disturbs_nobody() -> None:
    async with open_house() as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        answer = await ben.ask("whose", token=ann.client.token)
        assert answer == {"t": "ok", "ref": answer["ref"], "player": ann.client.player}
        assert await code_of(ben, "whose", token="not-a-token-of-ours") == "bad_token"
        assert (ann.paper.closed, ben.paper.closed) == (None, None)
        assert (await ann.ask("ping"))["t"] == "pong"


@clockwork
async def test_a_renewed_token_counts_from_its_first_hello_and_the_old_one_no_more() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        table, old, player = await ann.create(), ann.client.token, ann.client.player
        answer = await ann.do(ann.client.renew_token())
        assert ann.client.token == answer["token"] != old
        other = await house.guest("Ann", token=old)
        assert (ann.paper.close_code(), other.paper.close_code()) == (CloseCode.REPLACED, None)

        await ann.connect()
        assert other.paper.close_code() == CloseCode.TOKEN_RENEWED
        assert (ann.client.player, set(ann.client.tables)) == (player, {table})
        late = Guest(house, "Ann", token=old)
        await late.connect()
        assert late.paper.close_code() == CloseCode.TOKEN_REFUSED
        assert ann.paper.close_code() is None


@clockwork
async def test_a_lost_answer_to_renew_token_costs_nobody_his_account() -> None:
    """The one he has is good; the message is sent again, by its ref, and answered with another."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        player, old = ann.client.player, ann.client.token
        lost: list[str] = []
        ann.paper.on_send = lambda message: lost.append(message["token"])
        ann.client.renew_token()
        await ann.flush()
        ann.lose()
        await ann.connect()
        assert ann.client.player == player
        assert ann.client.token not in {old, *lost}
        assert len(lost) == 1
        await ann.connect()
        assert ann.client.player == player
        for worthless in (old, *lost):
            late = Guest(house, "Ann", token=worthless)
            await late.connect()
            assert late.paper.close_code() == CloseCode.TOKEN_REFUSED


@clockwork
async def test_a_token_that_was_renewed_elsewhere_renews_nothing() -> None:
    """Whoever has the old one and has not heard of it yet: at a node, say, that the others cannot reach."""
    async with open_house() as here, open_house(beside=here) as there:
        ann = await here.guest("Ann")
        await after(0.01)
        thief = await there.guest("Ann", token=ann.client.token)
        there.bus.cut()
        await after(0.01)
        await ann.connect()
        await ann.do(ann.client.renew_token())
        await ann.connect()
        assert thief.paper.close_code() is None
        thief.client.renew_token()
        await thief.flush()
        assert thief.paper.close_code() == CloseCode.TOKEN_RENEWED
        assert ann.paper.close_code() is None
        await ann.connect()
        assert ann.heard[-1]["t"] == "welcome"


@clockwork
async def test_a_bot_renews_no_token() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        registered = await ann.do(ann.client.register_bot("Deep Barn"))
        bot = await house.guest("Deep Barn", token=registered["token"])
        assert (await bot.do(bot.client.renew_token()))["code"] == "not_for_bots"


@clockwork
async def test_a_player_takes_another_name() -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        table = await ann.create()
        ann.client.name = "Annabel"
        await ann.connect()
        assert ann.client.player is not None
        assert ann.client.player["name"] == "Annabel"
        assert ann.info(table)["seats"][0]["name"] == "Ann"
        assert "Annabel" in ann.info(await ann.create())["name"]


@clockwork
async def test_a_new_program_of_a_player_counts_on_from_next_ref() -> None:
    async with open_house() as house:
        table, (ann, _) = await seat_people(house, 2)
        await ann.ask("away", ref=500, table=table, on=True)
        again = await house.guest("Ann", token=ann.client.token)
        assert again.client.next_ref > 500
        assert await code_of(again, "away", table=table, on=True) == "ok"


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "\t\n",
        "\u200b\u200d",
        "\u202eAnn",
        "A\x00nn",
        "A\x1b[31mnn",
        "x" * 25,
        "\u2066Ann\u2069",
        "\ufeffAnn",
        "a\u0301\u0301\u0301\u0301\u0301\u0301",
        "\u3164",
    ],
)
@clockwork
async def test_n10_names_that_nobody_could_read_are_refused(name: str) -> None:
    """N10. Empty, blank, huge, right-to-left, control-character and zero-width names: for players and for tables."""
    async with open_house() as house:
        eve = await stranger(house)
        assert await code_of(eve, "hello", version=1, name=name) == "bad_name"
        assert house.house.sessions == {}
        ann = await house.guest("Ann")
        assert await code_of(ann, "create", name=name, **PUBLIC) == "bad_name"
        assert len(house.lobby) == 0


@clockwork
async def test_n10_markup_is_text() -> None:
    """N10. Markup in names and chat is stored and sent as the text it is."""
    name, line = "<b>Zoë</b> & ♥", "<script>alert(1)</script> ' OR 1=1 -- {{x}} ${y}"
    async with open_house() as house:
        zoe = await house.guest(name)
        assert zoe.client.player is not None
        assert zoe.client.player["name"] == name
        table = await zoe.create(visibility="public")
        assert zoe.info(table)["seats"][0]["name"] == name
        await zoe.ask("say", table=table, text=line)
        assert zoe.heard[-1] == {"t": "chat", "table": table, "seat": 0, "name": name, "text": line}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "bad_message"),
        (" ", "bad_message"),
        ("\u200b", "bad_message"),
        ("\x07", "bad_message"),
        ("x" * 201, "bad_message"),
        ("x" * 200, "ok"),
        ("a\u202eb", "ok"),
    ],
)
@clockwork
async def test_n10_chat_is_bounded_and_seen(text: str, code: str) -> None:
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2)
        heard = len(ben.heard)
        assert await code_of(ann, "say", table=table, text=text) == code
        said = [message for message in ben.heard[heard:] if message["t"] == "chat"]
        assert len(said) == (code == "ok")
        assert all("\u202e" not in message["text"] for message in said)


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_a_table_is_found_by_its_id_and_by_its_code_in_any_case() -> None:
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1)
        code = ann.info(table)["code"]
        assert code is not None
        places: list[dict[str, Any]] = [{"table": table}, {"code": code}, {"code": code.lower()}]
        for place in places:
            guest = await house.guest("Ben")
            assert (await guest.ask("join", **place))["table"] == table
        other = await house.guest("Eve")
        for place in (
            {"table": "t_nowhere"},
            {"code": "ZZZZZZ"},
            {"table": code},
            {"code": table.replace("_", "-")[:16]},
        ):
            assert await code_of(other, "join", **place) == "no_such_table"
            assert await code_of(other, "watch", **place) == "no_such_table"


@clockwork
async def test_every_command_at_a_table_that_is_not_there_is_refused() -> None:
    async with open_house() as house:
        eve = await house.guest("Eve")
        for kind, fields in EVERYTHING_AT_A_TABLE:
            assert await code_of(eve, kind, table="t_nowhere", **fields) == "no_such_table"


EVERYTHING_AT_A_TABLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("leave", {}),
    ("unwatch", {}),
    ("fill", {}),
    ("start", {}),
    ("act", {"turn": 3, "action": "pass"}),
    ("away", {"on": True}),
    ("sync", {"seq": 0}),
    ("say", {"text": "hi"}),
    ("entropy", {"text": "luck"}),
    ("more_time", {"turn": 3}),
    ("game", {}),
)


@pytest.mark.parametrize("looks_on", [False, True], ids=["a stranger", "a watcher"])
@clockwork
async def test_at_a_table_one_does_not_sit_at_nothing_can_be_done(looks_on: bool) -> None:  # noqa: FBT001
    async with open_house() as house:
        table, people = await seat_people(house, 4, clock="none")
        await people[0].start(table)
        eve = await house.guest("Eve")
        if looks_on:
            assert await code_of(eve, "watch", table=table) == "ok"
        before = [await shown(person, table) for person in people]
        expected = {
            "leave": "not_seated", "fill": "not_host", "start": "not_host", "act": "not_seated", "away": "not_seated",
            "entropy": "not_seated", "more_time": "not_seated", "game": "hands_hidden",
        }  # fmt: skip
        if not looks_on:
            expected |= {"unwatch": "nothing_to_do", "sync": "not_seated", "say": "not_seated", "game": "not_seated"}
        for kind, fields in EVERYTHING_AT_A_TABLE:
            if kind in expected:
                assert await code_of(eve, kind, table=table, **fields) == expected[kind]
        assert [await shown(person, table) for person in people] == before


async def shown(guest: Guest, table: str) -> dict[str, Any]:
    """Return a fresh view of the table as the server sends it."""
    heard = len(guest.heard)
    await guest.ask("sync", table=table, seq=MAX_INTEGER)
    view = next(message for message in guest.heard[heard:] if message["t"] == "view")
    view["view"]["table"]["watchers"] = 0
    return view


@clockwork
async def test_seats_are_refused_for_their_reasons() -> None:
    async with open_house() as house:
        table, (ann, ben, cat, dan) = await seat_people(house, 4)
        eve = await house.guest("Eve")
        assert await code_of(eve, "join", table=table, seat=2) == "seat_taken"
        assert await code_of(eve, "join", table=table) == "table_full"
        assert await code_of(ben, "join", table=table) == "already_seated"
        assert await code_of(ben, "watch", table=table) == "already_seated"
        assert await code_of(ben, "unwatch", table=table) == "nothing_to_do"
        assert await code_of(cat, "start", table=table) == "not_host"
        assert await code_of(ann, "fill", table=table) == "nothing_to_do"
        assert await code_of(ann, "fill", table=table, seat=0) == "seat_taken"
        assert await code_of(ann, "fill", table=table, level="genius") == "unknown_level"
        assert await code_of(dan, "away", table=table, on=False) == "nothing_to_do"
        assert await code_of(ann, "act", table=table, turn=1, action="pass") == "not_playing"
        assert await code_of(ann, "start", table=table) == "ok"
        assert await code_of(ann, "start", table=table) == "already_playing"


@clockwork
async def test_a_table_without_spectators_is_not_watched() -> None:
    async with open_house() as house:
        table, _ = await seat_people(house, 2, spectators=False)
        eve = await house.guest("Eve")
        assert await code_of(eve, "watch", table=table) == "no_spectators"
        assert await code_of(eve, "sync", table=table, seq=0) == "not_seated"
        eve.client.tables.clear()
        heard = len(eve.heard)
        await eve.say({"t": "hello", "ref": 90, "version": 1})  # already greeted: nothing
        resumed = Guest(house, "Eve", token=eve.client.token)
        resumed.paper.on_send = resumed.heard.append
        await resumed.say({"t": "hello", "ref": 91, "version": 1, "token": eve.client.token, "resume": {table: 1}})
        assert [message["t"] for message in resumed.heard] == ["welcome"]
        assert [message["t"] for message in eve.heard[heard:]] == ["refused"]


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"preset": "nothing"}, {"preset"}),
        ({"rules": {"target": 0}}, {"target"}),
        ({"rules": {"target": "ten"}}, {"target"}),
        ({"rules": {"no_such_rule": 1, "target": 1000}}, {"no_such_rule", "target"}),
        ({"rules": {"all_pass": "maybe"}}, {"all_pass"}),
        ({"rules": {"low_no_trump": 1}}, {"low_no_trump"}),
        ({"rules": {"low_no_trump": True}}, {"low_no_trump", "no_trump"}),
        ({"preset": "ladder", "rules": {"sitting_dealer": "skips"}}, {"sitting_dealer", "alone_timing"}),
        ({"preset": "championship", "rules": {"target": 5}}, {"target", "hands"}),
        ({"seed": 1}, {"seed"}),
        ({"seed": 1, "rules": {"win_by": 3}}, {"seed", "win_by"}),
        ({"seed": 1, "visibility": "private", "clock": "normal"}, {"seed"}),
    ],
)
@clockwork
async def test_rules_that_cannot_be_played_are_refused_by_field(fields: dict[str, Any], wrong: set[str]) -> None:
    async with open_house() as house:
        ann = await house.guest("Ann")
        answer = await ann.ask("create", **(PUBLIC | fields))
        assert answer["code"] == "bad_rules"
        assert answer["fields"].keys() == wrong
        assert len(house.lobby) == 0
        assert await house.log.tables() == []


@clockwork
async def test_a_table_plays_the_rules_its_maker_chose() -> None:
    """R7. What is set at the table's making is what all see and what is played."""
    async with open_house() as house:
        table, people = await seat_people(
            house, 4, "ladder", rules={"target": 1, "low_rank": 8, "redeal_dealer": "same"}, bots="easy", name="Lunch"
        )
        info = people[1].info(table)
        assert (info["rules"]["target"], info["rules"]["low_rank"], info["name"]) == (1, 8, "Lunch")
        assert (info["bots"], info["preset"]) == ("easy", "ladder")
        await people[0].start(table)
        dealer = people[0].view(table).dealer
        for _ in range(8):
            await next(person for person in people if person.is_asked(table)).act(table, "pass")
        assert people[0].view(table).dealer == dealer
        while not people[0].view(table).over:
            who = next(person for person in people if person.is_asked(table))
            await who.act(table, who.prompt(table)["legal"][-1])
        assert max(people[0].view(table).score) >= 1
        assert people[0].view(table).hands_scored == 1


@clockwork
async def test_the_same_seed_deals_the_same_cards() -> None:
    """And a game that is dealt from one says so in its name."""
    async with open_house() as house:
        deals, names = [], []
        for seed in (7, 7, 8):
            table, (ann,) = await seat_people(house, 1, clock="none", seed=seed)
            await ann.start(table)
            play = house.state(table).play
            assert play is not None
            names.append(play.id)
            deals.append((ann.view(table).dealer, ann.view(table).upcard, ann.events(table, "cards_dealt")[0]["cards"]))
        assert deals[0] == deals[1] != deals[2]
        assert names == ["seed-7-1", "seed-7-1", "seed-8-1"]
        table, people = await seat_people(house, 1, clock="none", seed=7, rules={"target": 1})
        assert [await play_out(people, table) for _ in range(2)] == ["seed-7-1", "seed-7-2"]


@clockwork
async def test_public_tables_are_listed_by_what_may_be_done_there() -> None:
    async with open_house() as house:
        waiting, (ann, _) = await seat_people(house, 2, visibility="public", rules={"target": 5})
        full, _ = await seat_people(house, 4, visibility="public")
        playing, (host, *_) = await seat_people(house, 4, visibility="public")
        await host.start(playing)
        await seat_people(house, 1)  # private

        async def listed(**fields: Any) -> list[str]:
            return [row["table"] for row in (await ann.ask("tables", **fields))["tables"]]

        assert await listed() == await listed(filter="open") == [waiting]
        assert await listed(filter="playing") == [playing]
        assert await listed(filter="all") == [playing, full, waiting]
        row = (await ann.ask("tables"))["tables"][0]
        assert row["changed"] == ["target"]
        assert [seat["kind"] for seat in row["seats"]] == ["human", "human", "open", "open"]
        assert "code" not in row


@clockwork
async def test_where_bots_stay_nobody_takes_their_seats() -> None:
    """The open seats are anybody's, the host may put bots there, and then the table is not listed as open any more."""
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2, visibility="public", bots_stay=True)
        eve = await house.guest("Eve")

        async def listed() -> list[tuple[str, bool]]:
            return [(row["table"], row["bots_stay"]) for row in (await eve.ask("tables"))["tables"]]

        assert ann.client.tables[table].info["bots_stay"] is True  # type: ignore[index]  # there is one
        assert await code_of(ann, "fill", table=table, seat=2) == "ok"
        assert await code_of(eve, "join", table=table, seat=2) == "bots_stay"
        assert await listed() == [(table, True)]
        assert await code_of(eve, "join", table=table) == "ok"
        assert await code_of(eve, "leave", table=table) == "ok"
        assert await code_of(ann, "fill", table=table) == "ok"
        assert await listed() == []
        assert await code_of(eve, "join", table=table) == "bots_stay"
        await ann.start(table)
        assert await code_of(ben, "leave", table=table) == "ok"
        assert await code_of(ben, "join", table=table, seat=1) == "bots_stay"


@clockwork
async def test_the_list_of_tables_is_bounded() -> None:
    """However many tables there are, the answer is one a client takes."""
    async with open_house() as house:
        maker = await house.guest("Ann")
        for _ in range(60):
            maker = await house.guest("x" * 24)
            for _ in range(lobby.MAX_TABLES_PER_PLAYER):
                assert await code_of(maker, "create", **PUBLIC) == "ok"
        tables = (await maker.ask("tables"))["tables"]
        assert len(tables) == MOST_LISTED
        assert len(JSON.encode({"tables": tables})) < 512 * 1024
        assert maker.client.player is not None
        newest = (await house.lobby.of_player(maker.client.player["id"]))[-1]
        assert newest.id in {row["table"] for row in tables}


@clockwork
async def test_a_player_sits_at_eight_tables_and_no_more() -> None:
    """Whether he asks for one after the other or for all at once."""
    async with open_house() as house:
        tables = []
        for name in ("Ann", "Ben"):
            host = await house.guest(name)
            tables += [await host.create() for _ in range(lobby.MAX_TABLES_PER_PLAYER)]
            assert await code_of(host, "create", **PUBLIC) == "too_many_tables"
        eve = await house.guest("Eve")
        for table in tables:  # all before any is done
            await eve.session.receive(
                eve.codec.encode({"t": "join", "ref": eve.client.next_ref, "table": table}).decode()
            )
            eve.client.next_ref += 1
        await settled()
        answers = [message.get("code", "ok") for message in eve.heard if message["t"] in {"ok", "refused"}]
        assert answers.count("ok") == lobby.MAX_TABLES_PER_PLAYER
        assert answers.count("too_many_tables") == lobby.MAX_TABLES_PER_PLAYER
        assert await code_of(eve, "create", **PUBLIC) == "too_many_tables"
        seated = [
            table for table in tables if eve.client.player and house.state(table).room.seat_of(eve.client.player["id"])
        ]
        assert len(seated) == lobby.MAX_TABLES_PER_PLAYER
        assert await code_of(eve, "leave", table=seated[0]) == "ok"
        assert await code_of(eve, "join", table=tables[-1]) == "ok"


@pytest.mark.parametrize("spectators", [True, False])
@clockwork
async def test_who_left_is_answered_again_and_shown_nothing_more(*, spectators: bool) -> None:
    """He asked to sit down and to leave, heard neither answer, and says both again: the table is none of his."""
    async with open_house() as house:
        ann, ben, cat = [await house.guest(name) for name in ("Ann", "Ben", "Cat")]
        made = await ann.ask("create", ref=20, **PUBLIC, spectators=spectators)
        table = made["table"]
        await ben.join(table, 1)
        joined = await cat.ask("join", ref=30, table=table, seat=2)
        for guest, kind, ref, wish, answer in (
            (ann, "create", 20, PUBLIC | {"spectators": spectators}, made),
            (cat, "join", 30, {"table": table, "seat": 2}, joined),
        ):
            left = await guest.ask("leave", ref=ref + 1, table=table)
            heard = len(guest.heard)
            assert await guest.ask(kind, ref=ref, **wish) == answer
            assert await guest.ask("leave", ref=ref + 1, table=table) == left
            await ben.ask("say", table=table, text="gone?")
            assert guest.heard[heard:] == [answer, left]


@clockwork
async def test_c11_create_and_join_again_with_the_same_ref_are_one_table_and_one_seat() -> None:
    """C11, C5. A command that comes again is answered as it was, and not done again."""
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        first = await ann.ask("create", ref=20, **PUBLIC)
        assert await ann.ask("create", ref=20, **PUBLIC) == first
        for other in (
            {"preset": "screw"}, {"rules": {"target": 5}}, {"visibility": "private"}, {"bots": "easy"},
            {"name": "Lunch"}, {"spectators": False}, {"bots_stay": True}, {"clock": "fast"},
        ):  # fmt: skip
            assert await code_of(ann, "create", ref=20, **{**PUBLIC, **other}) == "ref_reused"
        join = await ben.ask("join", ref=30, table=first["table"])
        assert await ben.ask("join", ref=30, table=first["table"]) == join
        assert await code_of(ben, "leave", ref=30, table=first["table"]) == "ref_reused"
        players = house.house.players
    async with open_house(log) as house:
        house.house.players = players
        for guest in (ann, ben):
            guest.house = house
            await guest.connect()
        assert await ann.ask("create", ref=20, **PUBLIC) == first
        assert await ben.ask("join", ref=30, table=first["table"]) == join
        assert len(house.lobby) == 1


@clockwork
async def test_create_on_two_connections_at_once_is_one_table() -> None:
    """The connection broke while the table was being made, and the client sends its command again on the next."""

    class SlowLog(MemoryLog):
        async def append(self, table: str, seq: int, entry: bytes) -> int:
            await asyncio.sleep(1)
            return await super().append(table, seq, entry)

    async with open_house(SlowLog(now_ms)) as house:
        ann = await house.guest("Ann")
        frame = ann.codec.encode({"t": "create", "ref": 40, **PUBLIC}).decode()
        loop = asyncio.get_running_loop()
        first = loop.create_task(ann.session.receive(frame))
        await settled()
        await ann.connect()
        second = loop.create_task(ann.session.receive(frame))
        await asyncio.gather(first, second)
        await after(3)
        assert len(house.lobby) == 1
        assert len(ann.client.tables) == 1


# ── watching ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_h3_strangers_hear_nothing_private_before_during_and_after_a_resume() -> None:
    """H3. Without a token, or with another's, no frame is private: not before, during or after the owner's resume."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, clock="none", rules={"reveal": "own_only"})
        await people[0].start(table)
        nobody, watcher = await house.guest("Eve"), await house.guest("Zoe", codec=MSGPACK)
        other = await house.guest("Eve")
        await watcher.do(watcher.client.watch(table=table))
        owner = next(person for person in people if person.is_asked(table))
        for step in range(30):
            await nobody.ask("sync", table=table, seq=0)
            await watcher.ask("sync", table=table, seq=0)
            if step % 5 == 0:
                owner.lose()
                thief = await stranger(house)
                await thief.say(
                    {"t": "hello", "ref": 1, "version": 1, "token": other.client.token, "resume": {table: 2}}
                )
                check_hears_nothing_private(thief.heard)
                await owner.connect()
            who = next((person for person in people if person.is_asked(table)), None)
            if who is not None:
                await who.act(table)
        check_hears_nothing_private(watcher.heard)
        assert {message["t"] for message in nobody.heard} == {"welcome", "refused"}


def check_hears_nothing_private(heard: list[dict[str, Any]]) -> None:
    for message in heard:
        match message["t"]:
            case "prompt":
                assert "legal" not in message
            case "view" if message["view"]["game"] is not None:
                game = message["view"]["game"]
                assert (game["viewer"], game["cards"], game["discard"], game["revealed"]) == ("watcher", [], None, None)
                assert message["view"]["table"]["code"] is None
            case "event":
                kinds = {event["e"] for event in message["events"]}
                assert not kinds & {"cards_dealt", "hands_revealed"}
                assert all(event["card"] is None for event in message["events"] if event["e"] == "discarded")
            case _:
                pass


@clockwork
async def test_s11_who_sits_down_in_mid_hand_plays_from_the_next_hand_on() -> None:
    """S11. A spectator sits down mid-stream and gets a hand, but only from the next one on; till then a bot plays."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, clock="none", rules={"target": 40})
        await ann.start(table)
        ben = await house.guest("Ben")
        await ben.do(ben.client.watch(table=table))
        heard = len(ben.heard)
        await ben.join(table, 2)
        assert ann.info(table)["seats"][2]["name"] == "Ben"
        assert await code_of(ben, "act", table=table, turn=ann.prompt(table)["turn"], action="pass") == "not_playing"
        hand = ann.view(table).hand
        while ann.view(table).hand == hand:
            check_hears_nothing_private([message for message in ben.heard[heard:] if message["t"] != "view"])
            assert ben.view(table).cards == ()
            assert ben.client.tables[table].waits
            assert not [update for update in ben.updates if isinstance(update, PromptArrived) and update.is_mine]
            ben.lose()
            await ben.connect()
            await (ann.act(table) if ann.is_asked(table) else after(1))
        assert not ben.client.tables[table].waits
        assert ben.events(table, "stood_in") == []
        assert ben.client.tables[table].seat == ben.view(table).viewer == 2
        while not ben.is_asked(table):
            await (ann.act(table) if ann.is_asked(table) else after(1))
        assert len(ben.view(table).cards) in {4, 5}
        assert (await ben.act(table))["t"] == "ok"
        assert ben.view(table) == await view_now(ben, table)
        await ben.do(ben.client.leave(table))
        assert table not in ben.client.tables
        heard = len(ben.heard)
        await ben.do(ben.client.watch(table=table))
        check_hears_nothing_private([message for message in ben.heard[heard:] if message["t"] != "ok"])
        assert ben.view(table).cards == ()


@clockwork
async def test_h3_who_sat_down_is_told_nothing_of_what_the_seat_saw_before() -> None:
    """Who resumes from before he was dealt in gets a view: the events since were a watcher's, and then the seat's."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, rules={"target": 40})
        ben = await house.guest("Ben")
        await ben.do(ben.client.watch(table=table))
        cursor = ben.seq(table)
        await ann.start(table)
        await ben.join(table, 2)
        while ben.client.tables[table].waits:
            await (ann.act(table) if ann.is_asked(table) else after(1))
        for person, came in ((ann, {"event"}), (ben, {"view"})):
            heard = len(person.heard)
            assert (await person.ask("sync", table=table, seq=cursor))["t"] == "ok"
            assert {message["t"] for message in person.heard[heard:]} & {"event", "view"} == came


async def view_now(guest: Guest, table: str) -> View:
    """Return the player's view made anew from the table's state."""
    await shown(guest, table)
    return guest.view(table)


@clockwork
async def test_a_fixed_line_is_heard_as_one() -> None:
    """Each reads it in his own language."""
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2)
        assert (await ann.ask("say", table=table, preset="thanks"))["t"] == "ok"
        chat = ben.heard[-1]
        assert (chat["t"], chat["seat"], chat.get("preset"), chat.get("text")) == ("chat", 0, "thanks", None)


@clockwork
async def test_who_speaks_is_called_as_his_seat_is() -> None:
    """Where another sits there who has his name."""
    async with open_house() as house:
        ann, other = await house.guest("Ann"), await house.guest("Ann")
        table = await ann.create()
        await other.join(table)
        await other.ask("say", table=table, preset="thanks")
        assert (ann.heard[-1]["seat"], ann.heard[-1]["name"]) == (1, "Ann 2")


@clockwork
async def test_who_acts_too_late_is_shown_the_table_as_it_is() -> None:
    """C3. And is asked again, where it is his turn."""
    async with open_house() as house:
        table, (ann,) = await seat_people(house, 1, clock="none")
        await ann.start(table)
        turn = ann.prompt(table)["turn"]
        refused = await ann.act(table, turn=turn - 1)
        assert refused["code"] == "stale"
        after_it = ann.heard[ann.heard.index(refused) + 1 :]
        assert [message["t"] for message in after_it] == ["view", "prompt"]
        assert after_it[-1]["turn"] == turn


@clockwork
async def test_who_stops_watching_hears_no_more() -> None:
    async with open_house() as house:
        table, people = await seat_people(house, 4)
        eve = await house.guest("Eve")
        await eve.do(eve.client.watch(table=table))
        assert (await shown(people[0], table))["t"] == "view"
        assert await code_of(eve, "unwatch", table=table) == "ok"
        heard = len(eve.heard)
        await people[0].start(table)
        assert eve.heard[heard:] == []
        assert await code_of(eve, "unwatch", table=table) == "nothing_to_do"


@clockwork
async def test_s10_after_a_rematch_one_comes_back_to_the_new_game() -> None:
    """S10, H4. Finish a game, start another, drop, return: you are in the new one, from a fresh view."""
    async with open_house() as house:
        table, people = await seat_people(house, 4, rules={"target": 1}, clock="none")
        await people[0].start(table)
        while not people[0].view(table).over:
            await next(person for person in people if person.is_asked(table)).act(table)
        assert people[0].info(table)["state"] == "over"
        people[3].lose()
        await people[0].start(table)
        await people[3].connect()
        for person in people:
            view = person.view(table)
            assert (view.score, view.hand, view.over, view.revealed, view.result) == ((0, 0), 1, False, None, None)
            assert person.info(table)["state"] == "playing"


# ── breaking the wire ────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_twenty_messages_that_cannot_be_read_end_the_connection() -> None:
    async with open_house() as house:
        eve = await house.guest("Eve")
        for count in range(1, MALFORMED_LIMIT):
            kind = ("nonsense", "ping", "tables")[count % 3]
            assert await code_of(eve, kind, surplus=1) in {"unknown_message", "bad_message"}
        assert eve.paper.close_code() is None
        assert (await eve.ask("ping"))["t"] == "pong"
        assert await code_of(eve, "nonsense") == "unknown_message"
        assert eve.paper.close_code() == CloseCode.PROTOCOL_VIOLATION


@clockwork
async def test_only_workers_send_decided() -> None:
    async with open_house() as house:
        eve = await house.guest("Eve")
        heard = len(eve.heard)
        await eve.say({"t": "decided", "id": 1, "action": "pass"})
        (refused,) = eve.heard[heard:]
        assert (refused["code"], refused["ref"]) == ("bad_message", None)


@clockwork
async def test_a_worker_with_another_token_is_not_taken_on() -> None:
    async with open_house() as house:
        eve = await stranger(house)
        assert await code_of(eve, "work", token="worker-tokem", slots=1) == "bad_token"
        assert eve.paper.close_code() is not None
        assert len(house.pool) == 0
        worker = await stranger(house)
        assert await code_of(worker, "work", token="worker-token", slots=1) == "ok"
        assert len(house.pool) == 1
        assert await code_of(worker, "tables") == "hello_first"
        worker.session.end()
        assert len(house.pool) == 0


@clockwork
async def test_what_breaks_while_a_hand_is_looked_at_ends_the_connection_with_1011() -> None:
    """Nobody waits for an answer that will not come. Here the archive's record of the game is damaged."""
    async with open_house() as house:
        ann = await house.guest("Ann")
        assert ann.client.player is not None
        record = await record_of(a_game())
        record.lines[1:], record.seats = ["{}"], {ann.client.player["id"]: 0}
        await house.house.archive.put({"t_gone": [record]})
        await ann.say({"t": "analyse", "ref": 999, "table": "t_gone", "game": record.game, "hand": 1})
        assert ann.paper.close_code() == CloseCode.INTERNAL_ERROR


@clockwork
async def test_who_comes_back_finds_his_tables_although_the_directory_forgot_them() -> None:
    """It is a cache: that a table is not in it does not mean that one has lost his seat there. The log knows."""
    async with open_house() as house:
        table, (ann, ben) = await seat_people(house, 2)
        vars(house.directory).update(vars(MemoryDirectory()))
        ben.lose()
        await ben.connect()
        assert ben.client.tables[table].seat == 1
        await ann.start(table)
        assert ben.view(table).hand == 1


@clockwork
async def test_a_table_is_found_by_its_code_again_soon_after_the_directory_forgot_it() -> None:
    """A node sees every second whether the directory has what it put in there."""
    async with open_house() as house:
        ann, ben = await house.guest("Ann"), await house.guest("Ben")
        table = await ann.create()
        code = house.state(table).room.opened.code
        await after(2)
        vars(house.directory).update(vars(MemoryDirectory()))
        assert (await ben.ask("join", code=code))["code"] == "no_such_table"
        await after(1)
        assert (await ben.ask("join", code=code))["t"] == "ok"
        with capture_logs() as logs:  # what was taken out is not lost, and not put in again every second
            await house.directory.remove(table)
            await after(5)
        assert logs == []


# ── after a restart ──────────────────────────────────────────────────────────────────────────────────────────────────


@clockwork
async def test_n1_a_log_that_cannot_be_followed_is_left_out_and_kept() -> None:
    """N1. A damaged table does not keep the server from starting, nor the others from going on."""
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        good, (ann, *_) = await seat_people(house, 4)
        await ann.start(good)
        players = house.house.players
    damaged: list[list[bytes]] = [
        [b"\xc1"],
        [b"\x05"],
        [b"\x81\xa1k\xa6Closed"],
        [b"\x80"],
        [b"\x82\xa1k\xa6Closed\xa3why\xa1x"],
        [(await log.read(good, after=0))[0].entry, b"\x82\xa1k\xa6Closed"],
        [(await log.read(good, after=0))[0].entry, (await log.read(good, after=0))[0].entry],
        [(await log.read(good, after=0))[0].entry, (await log.read(good, after=5))[0].entry],
        [(await log.read(good, after=0))[0].entry.replace(b"standard", b"no_rules", 1).replace(b"target", b"targot")],
    ]
    for number, stored in enumerate(damaged):
        for seq, entry in enumerate(stored, start=1):
            await log.append(f"damaged{number}", seq, entry)
    async with open_house(log) as house:
        house.house.players = players
        assert len(house.lobby) == 1
        assert good in [table for table in await log.tables() if table == good]
        ann.house = house
        await ann.connect()
        assert ann.view(good).hand == 1
        for number in range(len(damaged)):
            assert await code_of(ann, "watch", table=f"damaged{number}") == "no_such_table"
        assert len(await log.tables()) == 1 + len(damaged)


@clockwork
async def test_a_table_that_was_closed_but_not_yet_retired_is_gone() -> None:
    """The server ended between the two: after the restart nobody finds the table, and the log lists it no more."""
    log = MemoryLog(now_ms)
    async with open_house(log) as house:
        table, (ann,) = await seat_people(house, 1)
        players = house.house.players
        await log.append(table, 2, pack_entry(Closed("nobody was here")))
    async with open_house(log) as house:
        house.house.players = players
        await settled()
        assert len(house.lobby) == 0
        assert await log.tables() == []
        ann.house = house
        await ann.connect()
        assert ann.client.tables == {}
        assert await code_of(ann, "join", table=table) == "no_such_table"
