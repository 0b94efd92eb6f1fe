"""Bad input over real sockets: each kind has its documented refusal or close code, and nothing else is touched."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import msgpack
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import HELLO_TIMEOUT_S, MALFORMED_LIMIT, MAX_FRAME_BYTES, MAX_INTEGER, CloseCode
from server.connections import PING_EVERY_S
from tests.support_player import BOTH, Message, Player, Wire, playing, raw_handshake, raw_text
from tests.support_server import PATIENCE_S, Server, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

CODECS = pytest.mark.parametrize("codec", BOTH, ids=lambda codec: codec.subprotocol)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """One server for all: every test brings its own players and tables."""
    folder = tmp_path_factory.mktemp("connections")
    async with serving(folder, "--origin", "https://Example.org/", log="memory") as running:
        yield running


@pytest.fixture(autouse=True)
def _nothing_broke(server: Server) -> Any:
    """Whatever a peer sends, the server never fails over it, and says nothing of it in its log."""
    yield
    logged = server.logged()
    assert "_failed" not in logged
    assert "Traceback" not in logged


# ── handshakes ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def status_of(server: Server, *subprotocols: str, origin: str | None = None, path: str = "/ws") -> int:
    """Return the HTTP status a handshake is refused with, 101 where it is taken."""
    try:
        async with connect(
            f"ws://127.0.0.1:{server.port}{path}",
            subprotocols=[Subprotocol(name) for name in subprotocols] or None,
            origin=None if origin is None else Origin(origin),
            proxy=None,
            open_timeout=PATIENCE_S,
        ):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


@pytest.mark.parametrize("offered", [(), ("euchre.v2.json",), ("chat", "EUCHRE.V1.JSON"), ("euchre.v1",)])
async def test_a_handshake_without_our_subprotocols_is_refused_with_400(
    server: Server, offered: tuple[str, ...]
) -> None:
    assert await status_of(server, *offered) == 400


async def test_who_offers_both_gets_messagepack(server: Server) -> None:
    for offered in (("euchre.v1.json", "euchre.v1.msgpack"), ("chat", "euchre.v1.msgpack", "euchre.v1.json")):
        async with connect(server.ws, subprotocols=[Subprotocol(name) for name in offered], proxy=None) as socket:
            assert socket.subprotocol == "euchre.v1.msgpack"
            assert socket.protocol.extensions == []


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 101),
        ("https://example.org", 101),
        ("http://127.0.0.1:{port}", 101),
        ("https://example.com", 403),
        ("http://example.org", 403),
        ("https://example.org.evil.example", 403),
        ("http://127.0.0.1", 403),
        ("http://127.0.0.1:1", 403),
        ("http://localhost:{port}", 403),
        ("null", 403),
        ("file://", 403),
    ],
)
async def test_pages_of_other_origins_may_not_connect(server: Server, origin: str | None, status: int) -> None:
    told = None if origin is None else origin.format(port=server.port)
    assert await status_of(server, "euchre.v1.json", origin=told) == status


async def test_n11_peers_that_do_not_say_who_they_are_are_shown_out(server: Server) -> None:
    """N11. Half-open handshakes end, and connections without a hello after five seconds; pings are no hello."""

    async def raw(sent: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            writer.write(sent)
            async with asyncio.timeout(PATIENCE_S):
                with contextlib.suppress(ConnectionError):
                    while await reader.read(1024):
                        pass
        finally:
            writer.close()

    async def silent(codec: Codec, *sent: Message) -> None:
        loop = asyncio.get_running_loop()
        async with Wire.to(server.ws, codec) as wire:
            began = loop.time()
            for message in sent:
                await wire.send(message)
            assert await wire.closed() == CloseCode.PROTOCOL_VIOLATION
            assert loop.time() - began > HELLO_TIMEOUT_S - 1

    refused = {"t": "hello", "ref": 2, "version": 77}
    await asyncio.gather(
        raw(b""),
        raw(b"GET /ws HTTP/1.1\r\nHost: x\r\n"),
        raw(
            b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        ),
        silent(JSON),
        silent(MSGPACK),
        silent(JSON, {"t": "ping", "ref": 1}, {"t": "ping", "ref": 2}),
        silent(MSGPACK, refused, refused),
    )


async def test_bytes_that_are_no_http_are_no_trouble(server: Server) -> None:
    for sent in (b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 4096, b"HELO\r\n\r\n", b"POST /ws HTTP/1.1\r\n\r\n"):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(sent)
        writer.write_eof()
        async with asyncio.timeout(PATIENCE_S):
            with contextlib.suppress(ConnectionError):
                await reader.read()
        writer.close()
    assert await status_of(server, "euchre.v1.json") == 101


# ── frames ───────────────────────────────────────────────────────────────────────────────────────────────────────────

PING = {"t": "ping", "ref": 1}
NESTED = 16

BAD_JSON: dict[str, str] = {
    "nothing": "",
    "a blank": " ",
    "half an object": '{"t":"ping"',
    "two objects": '{"t":"ping","ref":1}{"t":"ping","ref":2}',
    "a comma too many": '{"t":"ping","ref":1,}',
    "single quotes": "{'t':'ping','ref':1}",
    "a comment": '{"t":"ping","ref":1}//x',
    "NaN": '{"t":"ping","ref":NaN}',
    "infinity": '{"t":"ping","ref":Infinity}',
    "a float too big": '{"t":"ping","ref":1e999}',
    "a huge integer": '{"t":"ping","ref":1%s}' % ("0" * 400),
    "an integer over 64 bits": '{"t":"ping","ref":18446744073709551616}',
    "a field twice": '{"t":"ping","ref":1,"ref":2}',
    "a field twice, spelled otherwise": '{"t":"ping","ref":1,"r\\u0065f":2}',
    "a field twice, deep inside": '{"t":"hello","ref":1,"version":1,"resume":{"a":1,"a":2}}',
    "deep nesting": "[" * (NESTED + 1) + "]" * (NESTED + 1),
    "very deep nesting": "[" * 4000 + "]" * 4000,
    "very deep objects": '{"a":' * 1300 + "1" + "}" * 1300,
    "too many items": f"[{','.join(['1'] * 65)}]",
    "half a surrogate pair": '{"t":"say","ref":1,"table":"t","text":"\\ud800"}',
    "a byte order mark": '\ufeff{"t":"ping","ref":1}',
}
BAD_MSGPACK: dict[str, bytes] = {
    "nothing": b"",
    "half a map": msgpack.packb(PING)[:-1],
    "two maps": msgpack.packb(PING) * 2,
    "a reserved byte": b"\xc1",
    "an extension": msgpack.packb({"t": "ping", "ref": msgpack.ExtType(1, b"x")}),
    "a timestamp": msgpack.packb({"t": "ping", "ref": msgpack.Timestamp(1, 2)}),
    "bytes": msgpack.packb({"t": b"ping", "ref": 1}),
    "NaN": msgpack.packb({"t": "ping", "ref": float("nan")}),
    "infinity": msgpack.packb({"t": "ping", "ref": float("inf")}),
    "an integer over 63 bits": msgpack.packb({"t": "ping", "ref": 2**64 - 1}),
    "a field twice": b"\x83\xa1t\xa4ping\xa3ref\x01\xa3ref\x02",
    "numbers for names": msgpack.packb({1: "ping"}),
    "a name that is an array": b"\x81\x90\x01",
    "deep nesting": b"\x91" * (NESTED + 1) + b"\x90",
    "very deep nesting": b"\x91" * 8000 + b"\x90",
    "too many items": msgpack.packb([1] * 65),
    "an array of four billion": b"\xdd\xff\xff\xff\xff",
    "a map of four billion": b"\xdf\xff\xff\xff\xff",
    "a text of four billion": b"\xdb\xff\xff\xff\xff",
    "text that is no UTF-8": b"\x82\xa1t\xa2\xff\xfe\xa3ref\x01",
}


@pytest.mark.parametrize("name", BAD_JSON)
async def test_n11_json_that_cannot_be_taken_ends_the_connection(server: Server, name: str) -> None:
    """N11. There is no telling what the sender meant: 4003, and what he sends after it is not done."""
    async with Wire.to(server.ws, JSON, name="Eve") as wire:
        await wire.send_frame(BAD_JSON[name])
        assert await wire.closed() == CloseCode.PROTOCOL_VIOLATION
        assert wire.unread == []


@pytest.mark.parametrize("name", BAD_MSGPACK)
async def test_n11_messagepack_that_cannot_be_taken_ends_the_connection(server: Server, name: str) -> None:
    async with Wire.to(server.ws, MSGPACK, name="Eve") as wire:
        await wire.send_frame(BAD_MSGPACK[name])
        assert await wire.closed() == CloseCode.PROTOCOL_VIOLATION
        assert wire.unread == []


@CODECS
async def test_n11_a_frame_of_the_other_kind_ends_the_connection(server: Server, codec: Codec) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        await wire.send_frame(codec.encode(PING) if codec.is_text else json.dumps(PING), text=not codec.is_text)
        assert await wire.closed() == CloseCode.PROTOCOL_VIOLATION


async def test_text_that_is_no_utf_8_ends_the_connection(server: Server) -> None:
    """The WebSocket library's own check, with WebSocket's own code."""
    async with Wire.to(server.ws, JSON, name="Eve") as wire:
        await wire.send_frame(b'{"t":"ping","ref":1,"\xff\xfe":1}')
        assert await wire.closed() in {1007, CloseCode.PROTOCOL_VIOLATION}


@CODECS
async def test_n11_a_frame_of_8192_bytes_is_read_and_a_longer_one_is_not(server: Server, codec: Codec) -> None:
    """Over 8 KiB: 1009."""
    say = {"t": "say", "ref": 7, "table": "t", "text": ""}
    room = MAX_FRAME_BYTES - len(codec.encode(say | {"text": "x" * 300})) + 300
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        longest = codec.encode(say | {"text": "x" * room})
        assert len(longest) == MAX_FRAME_BYTES
        await wire.send_frame(longest)
        answer = await wire.receive()
        assert (answer["code"], answer["ref"]) == ("bad_message", 7)
        await wire.send_frame(codec.encode(say | {"text": "x" * (room + 1)}))
        assert await wire.closed() == CloseCode.FRAME_TOO_BIG


@CODECS
async def test_n11_a_frame_in_fragments_of_one_byte_is_one_frame(server: Server, codec: Codec) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        frame = codec.encode(PING)
        pieces = [frame[at : at + 1] for at in range(len(frame))]
        await wire.socket.send([piece.decode() for piece in pieces] if codec.is_text else pieces)
        assert await wire.receive() == {"t": "pong", "ref": 1}


@CODECS
async def test_n11_fragments_that_come_to_more_than_8192_bytes_are_too_much(server: Server, codec: Codec) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        pieces: list[Any] = ["x" * 1000 if codec.is_text else b"x" * 1000] * 9
        with contextlib.suppress(Exception):
            await wire.socket.send(pieces)
        assert await wire.closed() == CloseCode.FRAME_TOO_BIG


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────

T = {"table": "t_x"}
CREATE = {"t": "create", "preset": "standard", "visibility": "private", "clock": "none"}
MALFORMED: dict[str, tuple[Message, str]] = {
    "no such message": ({"t": "cheat"}, "unknown_message"),
    "a message of the server's": ({"t": "welcome"}, "unknown_message"),
    "an empty kind": ({"t": ""}, "unknown_message"),
    "no kind": ({}, "bad_message"),
    "a kind that is a number": ({"t": 1}, "unknown_message"),
    "a kind that is an array": ({"t": ["ping"]}, "unknown_message"),
    "a kind that is null": ({"t": None}, "unknown_message"),
    "a field too many": ({"t": "ping", "extra": 1}, "bad_message"),
    "a field too many, null": ({"t": "ping", "extra": None}, "bad_message"),
    "a field missing": ({"t": "act", **T, "turn": 1}, "bad_message"),
    "a table that is a number": ({"t": "start", "table": 1}, "bad_message"),
    "a table that is null": ({"t": "start", "table": None}, "bad_message"),
    "a table that is no id": ({"t": "start", "table": "../../etc"}, "bad_message"),
    "a table that is empty": ({"t": "start", "table": ""}, "bad_message"),
    "a table that is long": ({"t": "start", "table": "x" * 33}, "bad_message"),
    "a turn that is text": ({"t": "act", **T, "turn": "1", "action": "pass"}, "bad_message"),
    "a turn that is true": ({"t": "act", **T, "turn": True, "action": "pass"}, "bad_message"),
    "a turn that is a float": ({"t": "act", **T, "turn": 1.5, "action": "pass"}, "bad_message"),
    "a turn below 0": ({"t": "act", **T, "turn": -1, "action": "pass"}, "bad_message"),
    "a turn beyond 2^53": ({"t": "act", **T, "turn": MAX_INTEGER + 1, "action": "pass"}, "bad_message"),
    "an action that is a number": ({"t": "act", **T, "turn": 1, "action": 5}, "bad_message"),
    "an action that is null": ({"t": "act", **T, "turn": 1, "action": None}, "bad_message"),
    "an action that is an array": ({"t": "act", **T, "turn": 1, "action": ["pass"]}, "bad_message"),
    "an action that is long": ({"t": "act", **T, "turn": 1, "action": "x" * 65}, "bad_message"),
    "an action within an action": ({"t": "act", **T, "turn": 1, "action": {"do": {"do": "pass"}}}, "bad_message"),
    "a seat of five": ({"t": "join", **T, "seat": 4}, "bad_message"),
    "a seat below 0": ({"t": "join", **T, "seat": -1}, "bad_message"),
    "a seat that is text": ({"t": "join", **T, "seat": "0"}, "bad_message"),
    "no place": ({"t": "join"}, "bad_message"),
    "two places": ({"t": "join", **T, "code": "ABC"}, "bad_message"),
    "away to nowhere": ({"t": "away", **T, "on": 1}, "bad_message"),
    "nothing said": ({"t": "say", **T}, "bad_message"),
    "two things said": ({"t": "say", **T, "text": "a", "preset": "hello"}, "bad_message"),
    "an unknown preset line": ({"t": "say", **T, "preset": "rude"}, "bad_message"),
    "an unknown filter": ({"t": "tables", "filter": "mine"}, "bad_message"),
    "an unknown visibility": (CREATE | {"visibility": "hidden"}, "bad_message"),
    "an unknown clock": (CREATE | {"clock": "blitz"}, "bad_message"),
    "rules that are an array": (CREATE | {"rules": ["target"]}, "bad_message"),
    "a rule that is an object": (CREATE | {"rules": {"target": {"points": 1}}}, "bad_message"),
    "a rule that is huge": (CREATE | {"rules": {"target": 10**9}}, "bad_message"),
    "a rule of an odd name": (CREATE | {"rules": {"__class__.x": 1}}, "bad_message"),
    "a seed below 0": (CREATE | {"seed": -1}, "bad_message"),
    "a name that is a number": (CREATE | {"name": 7}, "bad_message"),
    "a name that is long": (CREATE | {"name": "x" * 97}, "bad_message"),
    "a version that is text": ({"t": "hello", "version": "1"}, "bad_message"),
    "a token that is no token": ({"t": "hello", "version": 1, "token": "a b"}, "bad_message"),
    "resume that is an array": ({"t": "hello", "version": 1, "resume": ["t"]}, "bad_message"),
    "resume of 33 tables": ({"t": "hello", "version": 1, "resume": {f"t{n}": 1 for n in range(33)}}, "bad_message"),
}


@CODECS
@pytest.mark.parametrize("name", MALFORMED)
async def test_a_malformed_message_is_refused_with_its_ref_and_the_connection_goes_on(
    server: Server, name: str, codec: Codec
) -> None:
    """Unknown message, wrong types, extra fields: the code says which, the ref is echoed, and the next is served."""
    message, code = MALFORMED[name]
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        answer = await wire.ask({"ref": 41} | message)
        assert (answer["t"], answer["ref"], answer["code"]) == ("refused", 41, code)
        assert answer["detail"]
        assert await wire.ask({"t": "ping", "ref": 42}) == {"t": "pong", "ref": 42}


@CODECS
@pytest.mark.parametrize("ref", [None, 0, -1, 1.5, True, "1", [1], {}, MAX_INTEGER + 1, 2**63 - 1, -(2**63)], ids=repr)
async def test_a_ref_that_is_none_is_answered_with_null(server: Server, codec: Codec, ref: object) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        answer = await wire.ask({"t": "ping", "ref": ref})
        assert (answer["t"], answer["ref"], answer["code"]) == ("refused", None, "bad_message")


@CODECS
@pytest.mark.parametrize("value", [[], ["ping"], "ping", 5, None, True, 1.5], ids=repr)
async def test_what_is_no_object_is_no_message(server: Server, codec: Codec, value: object) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        await wire.send_frame(json.dumps(value) if codec.is_text else msgpack.packb(value))
        answer = await wire.receive()
        assert (answer["t"], answer["ref"], answer["code"]) == ("refused", None, "bad_message")


@CODECS
async def test_the_twentieth_malformed_message_ends_the_connection(server: Server, codec: Codec) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        for ref in range(1, MALFORMED_LIMIT):
            assert (await wire.ask({"t": "cheat", "ref": ref}))["code"] == "unknown_message"
        assert await wire.ask({"t": "ping", "ref": 50}) == {"t": "pong", "ref": 50}
        await wire.send({"t": "ping", "ref": 51, "extra": 1})
        assert (await wire.receive())["code"] == "bad_message"
        assert await wire.closed() == CloseCode.PROTOCOL_VIOLATION


@CODECS
async def test_a_refusal_that_ends_the_connection_is_sent_before_the_close(server: Server, codec: Codec) -> None:
    """A token nobody has is refused, and then the connection is closed."""
    async with Wire.to(server.ws, codec) as wire:
        await wire.send({"t": "hello", "ref": 1, "version": 1, "token": "nobody-has-this"})
        assert (await wire.receive())["code"] == "bad_token"
        assert await wire.closed() == CloseCode.TOKEN_REFUSED


@CODECS
async def test_messages_are_answered_in_order_and_each_once(server: Server, codec: Codec) -> None:
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        for ref in range(1, 101):
            kind = ("ping", "tables", "cheat" if ref % 10 == 0 else "ping")[ref % 3]
            await wire.send({"t": kind, "ref": ref})
        assert [(await wire.receive())["ref"] for _ in range(100)] == list(range(1, 101))


# ── acts ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Game:
    """A table of two persons and two bots in mid-game, with a decision of one of them open; and another table."""

    def __init__(self, players: list[Player], table: str, other: str) -> None:
        self.players = players
        self.table = table
        self.other = other

    async def asked(self) -> tuple[Player, Message]:
        """Wait until one of the two is asked; return him and the prompt."""
        ann, cat = self.players[:2]
        prompt = await ann.until(lambda: (prompt := self.prompt_of(ann)) and prompt["seat"] in {0, 2} and prompt)
        player = ann if prompt["seat"] == 0 else cat
        await player.until(lambda: "legal" in (self.prompt_of(player) or {}))
        return player, self.prompt_of(player) or {}

    def prompt_of(self, player: Player) -> Message | None:
        prompt = player.session.tables[self.table].prompt
        return None if prompt is None else dict(prompt)

    async def caught_up(self, seq: int) -> None:
        """Wait until both have heard of that entry."""
        for player in self.players[:2]:
            await player.until(lambda player=player: player.seq(self.table) >= seq)  # type: ignore[misc]

    async def act(self, player: Player, action: str) -> None:
        """Take the open decision, and wait until both have heard of it."""
        prompt = self.prompt_of(player) or {}
        answer = await player.ask("act", table=self.table, turn=prompt["turn"], action=action)
        assert answer["t"] == "ok", answer
        await self.caught_up(answer["seq"])

    async def reach(self, phase: str) -> tuple[Player, Message]:
        """Play on until a decision of that phase is open."""
        while True:
            player, prompt = await self.asked()
            if prompt["phase"] == phase:
                return player, prompt
            await self.act(player, prompt["legal"][-1])

    async def state(self) -> list[Message]:
        """Return what the server shows of both tables, to everybody."""
        return [
            await player.fresh_view(table)
            for player, table in (
                (self.players[0], self.table),
                (self.players[1], self.table),
                (self.players[2], self.other),
            )
        ]


@contextlib.asynccontextmanager
async def game(server: Server, **fields: Any) -> AsyncIterator[Game]:
    players = [Player(server.ws, name, codec=codec) for name, codec in (("Ann", JSON), ("Cat", MSGPACK), ("Eve", JSON))]
    async with playing(*players):
        table = await players[0].create(**({"rules": {"target": 99}} | fields))
        await players[1].join(table, 2)
        await players[0].start(table)
        other = await players[2].create()
        await players[2].start(other)
        await players[2].my_turn(other)
        yield Game(players, table, other)


async def refused_act(at: Game, player: Player, **fields: Any) -> Message:
    """Send an act that must be refused, and check that it changed nothing at any table."""
    before = await at.state()
    answer = await player.ask("act", **({"table": at.table} | fields))
    assert answer["t"] == "refused", answer
    assert await at.state() == before
    return answer


async def test_an_act_that_may_not_be_is_refused_and_changes_nothing(server: Server) -> None:
    """Out of turn, with an unheld or illegal card, at a table one does not sit at, for a turn that is not open."""
    async with game(server) as at:
        ann, cat, eve = at.players
        player, prompt = await at.reach("play")
        partner = cat if player is ann else ann
        turn, legal = prompt["turn"], prompt["legal"]
        not_held = {"table": at.table, "turn": turn}
        played = [card for _, card in player.view(at.table).trick]
        assert (await refused_act(at, partner, turn=turn, action=legal[0]))["code"] in {"not_your_turn", "sitting_out"}
        assert (await refused_act(at, eve, turn=turn, action=legal[0]))["code"] == "not_seated"
        assert (await refused_act(at, player, turn=turn, table="t_nowhere", action=legal[0]))["code"] == "no_such_table"
        assert (await refused_act(at, player, turn=turn, table=at.other, action=legal[0]))["code"] == "not_seated"
        assert (await refused_act(at, player, turn=turn, action="pass"))["code"] == "wrong_phase"
        assert (await refused_act(at, player, turn=turn, action="cheat"))["code"] == "bad_action"
        assert (await refused_act(at, player, turn=turn, action={"do": "play"}))["code"] == "card_not_held"
        # H8: the same refusal for another's card, one that was played, and none at all.
        answers = []
        theirs = [card for card in ALL if card not in player.view(at.table).cards and card not in played]
        for action in (
            f"play {theirs[0]}",
            *(f"play {card}" for card in played),
            "play 2C",
            {"do": "play", "card": None},
        ):
            answer = await refused_act(at, player, **not_held, action=action)
            answers.append({**answer, "ref": 0})
        assert all(answer == answers[0] for answer in answers)
        assert answers[0]["code"] == "card_not_held"
        # C3: another turn is stale, and a fresh view comes with the refusal.
        for wrong_turn in (turn - 1, turn + 1, 0, MAX_INTEGER):
            heard = len(player.heard)
            assert (await refused_act(at, player, turn=wrong_turn, action=legal[0]))["code"] == "stale"
            kinds = [message["t"] for message in player.heard[heard:]]
            assert kinds[kinds.index("refused") + 1 :][:2] == ["view", "prompt"]
        await at.act(player, legal[0])


ALL = [rank + suit for rank in "9TJQKA" for suit in "shdc"]


async def test_an_illegal_card_is_refused_until_a_legal_one_comes(server: Server) -> None:
    """Who must follow suit and does not is told so; his decision stays open."""
    async with game(server) as at:
        for _ in range(200):
            player, prompt = await at.reach("play")
            held = player.view(at.table).cards
            illegal = [card for card in held if f"play {card}" not in prompt["legal"]]
            if illegal:
                answer = await refused_act(at, player, turn=prompt["turn"], action=f"play {illegal[0]}")
                assert answer["code"] == "must_follow_suit"
                await at.act(player, prompt["legal"][0])
                return
            await at.act(player, prompt["legal"][0])
        raise AssertionError("nobody ever had to follow suit")


async def test_c4_an_act_repeated_is_answered_alike_and_done_once(server: Server) -> None:
    """C4, C5. The same ref again is the same `ok`, ten times over, and also on the next connection."""
    async with game(server) as at:
        for _ in range(5):
            player, prompt = await at.asked()
            act = {"table": at.table, "turn": prompt["turn"], "action": prompt["legal"][0]}
            ref = player.fresh_ref()
            first = await player.ask("act", ref=ref, **act)
            assert first["t"] == "ok"
            for _ in range(10):
                assert await player.ask("act", ref=ref, **act) == first
            other = {**act, "action": "call s alone"}
            assert (await player.ask("act", ref=ref, **other))["code"] == "ref_reused"
            welcomes = player.welcomes
            player.cut()
            await player.until(lambda player=player, n=welcomes: player.welcomes > n)  # type: ignore[misc]
            assert await player.ask("act", ref=ref, **act) == first
            await at.caught_up(first["seq"])
            done = [
                m for m in player.heard if m["t"] == "event" and m["table"] == at.table and m["seq"] == first["seq"]
            ]
            assert len(done) <= 1


async def test_c4_two_connections_of_one_seat_take_one_decision(server: Server) -> None:
    """C4. Two windows of one player answer the same prompt with different actions, on both encodings: one is taken."""
    async with game(server) as at:
        for round_ in range(12):
            player, prompt = await at.asked()
            seat = player.session.tables[at.table].seat
            before = player.seq(at.table)
            wishes = [prompt["legal"][0], prompt["legal"][-1]]
            async with Wire.to(server.ws, BOTH[round_ % 2]) as second:
                act = {"t": "act", "table": at.table, "turn": prompt["turn"]}
                await asyncio.gather(
                    player.send({**act, "ref": 5000 + round_, "action": wishes[0]}),
                    second.send({"t": "hello", "ref": 1, "version": 1, "token": player.token}),
                    second.send({**act, "ref": 6000 + round_, "action": wishes[1]}),
                )
                while (answer := await second.receive()).get("ref") != 6000 + round_:
                    pass
            await player.closed()  # 4001: a client does not come back by itself
            assert player.closes[-1] == CloseCode.REPLACED
            here = [m for m in player.heard if m.get("ref") == 5000 + round_]
            # The first may be taken without its `ok` being heard, as its connection ends; never both.
            assert [m["t"] for m in (*here, answer)].count("ok") <= 1
            again = Player(server.ws, player.session.name, token=player.token, codec=JSON)
            at.players[at.players.index(player)] = again
            await again.welcome()
            await again.shown(at.table)
            await again.until(lambda again=again, before=before: again.seq(at.table) > before)  # type: ignore[misc]
            assert again.session.tables[at.table].seat == seat
            await at.caught_up(before + 1)
        for player in at.players[:2]:
            await player.leave_the_room()


async def test_n6_a_replaced_connection_is_closed_once_and_does_not_come_back(server: Server) -> None:
    """N6. Two windows do not take turns for ever: the older is closed with 4001 and gives up."""
    first = Player(server.ws, "Ann")
    await first.welcome()
    second = Player(server.ws, "Ann", token=first.token)
    async with playing(second):
        assert await first.closed() == CloseCode.REPLACED
        assert (await second.ask("ping"))["t"] == "pong"
        assert second.welcomes == 1


@CODECS
async def test_two_thousand_messages_in_one_burst_are_all_answered(server: Server, codec: Codec) -> None:
    """Who reads what he is sent is not too slow, however much he asked for at once."""
    async with Wire.to(server.ws, codec, name="Eve") as wire:
        await wire.send_at_once([{"t": "ping", "ref": ref} for ref in range(1, 2001)])
        assert [(await wire.receive())["ref"] for _ in range(2000)] == list(range(1, 2001))


async def test_a_peer_that_floods_is_served_in_turn_and_others_beside_it(server: Server) -> None:
    """Somebody who sends thousands of messages does not keep others waiting for long."""
    async with Wire.to(server.ws, JSON, name="Eve") as flood, Wire.to(server.ws, JSON, name="Ann") as other:
        sending = asyncio.create_task(send_many(flood, 3000))
        reading = asyncio.create_task(receive_many(flood, 3000))
        loop = asyncio.get_running_loop()
        for ref in range(2, 12):
            began = loop.time()
            assert (await other.ask({"t": "tables", "ref": ref}))["t"] == "ok"
            assert loop.time() - began < 10
        await asyncio.gather(sending, reading)


@pytest.mark.parametrize("asks", [180, 4000])
async def test_n4_a_peer_that_stops_reading_is_shown_out_and_the_table_goes_on(server: Server, asks: int) -> None:
    """N4. A peer with a shut window is gone in ten seconds, although it never answers a close and no keepalive fires.

    Whether it is owed more than sockets hold, or more than the server keeps for anybody.
    """
    ann = Player(server.ws, "Ann")
    async with playing(ann):
        table = await ann.create()
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.settimeout(0)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(deaf, ("127.0.0.1", server.port))
            await loop.sock_sendall(deaf, raw_handshake(JSON))
            for message in (
                {"t": "hello", "ref": 1, "version": 1, "name": "Dee"},
                {"t": "join", "ref": 2, "table": table, "seat": 2},
            ):
                await loop.sock_sendall(deaf, raw_text(JSON.encode(message)))
            await ann.until(lambda: ann.info(table)["seats"][2]["online"])
            ask = raw_text(JSON.encode({"t": "sync", "ref": 3, "table": table, "seq": 0}))
            with contextlib.suppress(OSError):  # it reads on until it shows the peer out
                for _ in range(asks):
                    await loop.sock_sendall(deaf, ask)
            shut = loop.time()
            await ann.until(lambda: not ann.info(table)["seats"][2]["online"])
            assert loop.time() - shut < 10 < PING_EVERY_S
        assert (await ann.ask("start", table=table))["t"] == "ok"


async def receive_many(wire: Wire, count: int) -> None:
    for _ in range(count):
        await wire.receive()


async def send_many(wire: Wire, count: int) -> None:
    for ref in range(2, count + 2):
        await wire.send({"t": "ping", "ref": ref})
