"""Hidden information: the cases H of server_cases.md, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import AsyncExitStack
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from websockets.exceptions import ConnectionClosed

from bots.uniform import Uniform
from engine.actions import parse_action
from engine.cards import SEATS, Cards, make_pack
from engine.errors import RulesError
from engine.rules import Rules, make_rules, rules_to_plain
from engine.view import WATCHER, Viewer
from protocol.codec import JSON
from server.entries import DealtOut, Entry, Started, pack_entry
from server.log import Stored
from tests.chaos.checker import Transcript, violations
from tests.e2e.records import read_log
from tests.e2e.sitting import FourSit, four_sit
from tests.engine.knowing import cards_in
from tests.engine.strategies import VALUES
from tests.server.tables import secret_of
from tests.server.test_telling import other_deal
from tests.support_player import Message, Player, Wire, playing
from tests.support_server import Server, serving

VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, WATCHER)


# ── every frame to everybody ─────────────────────────────────────────────────────────────────────────────────────────


BASES: Final[tuple[dict[str, object], ...]] = (
    {},
    {"jokers": 1, "no_trump": "round2"},
    {"alone_timing": "with_call", "defend_alone": "off", "no_trump": "off"},
    {"alone_timing": "before_first_lead", "jokers": 1},
)
"""What some values need beside them."""


def rules_with_every_value() -> Iterable[dict[str, object]]:
    """Yield options of tables, until every value of every option was among them."""
    missing = {(name, value) for name, values in VALUES.items() for value in values}
    rng = Random(1)
    chosen: dict[str, object]
    while missing:
        chosen = dict(rng.choice(BASES))
        for name, value in rng.sample(sorted(missing, key=str), len(missing)):
            wanted = {**chosen, name: value}
            if name not in chosen and is_playable(wanted):
                chosen = wanted
        missing -= set(chosen.items())
        yield {"target": 1, **chosen}


def is_playable(options: dict[str, object]) -> bool:
    try:
        make_rules("standard", {"target": 1, **options})
    except RulesError:
        return False
    return True


class Game:
    """Four who play by themselves and one who looks on, at a table with these options."""

    def __init__(self, server: Server, options: dict[str, object], number: int) -> None:
        self.options = options
        self.people: dict[Viewer, Player] = {
            viewer: Player(server.ws, f"P{number}{viewer}", policy=Uniform(), seed=10 * number + at, compare=True)
            for at, viewer in enumerate(VIEWERS)
        }
        self.table = ""

    async def play(self) -> None:
        """Play a game and a rematch, everybody cut off now and then."""
        for player in self.people.values():
            await player.welcome()
        ann, *others = (self.people[seat] for seat in SEATS)
        self.table = await ann.create(rules=self.options)
        for seat, player in enumerate(others, start=1):
            await player.join(self.table, seat)
        await self.people[WATCHER].watch(self.table)
        for number, player in enumerate(self.people.values()):
            player.cut_every(11 + 3 * number)
        ended = 0
        for _ in range(2):
            await ann.start(self.table)
            for player in self.people.values():
                await player.until(lambda player=player, ended=ended: self.is_over(player, ended))  # type: ignore[misc]
            ended = ann.seq(self.table)

    def is_over(self, player: Player, ended: int) -> bool:
        """Tell whether this player knows that a game is over, a later one than that of entry *ended*."""
        follower = player.session.tables.get(self.table)
        return follower is not None and bool(follower.view and follower.view.over) and (follower.seq or 0) > ended

    def transcripts(self) -> list[Transcript]:
        return [
            Transcript(
                player.session.player["id"] if player.session.player else "",
                viewer,
                player.heard,
                {seq: view for (table, seq), view in player.folded.items() if table == self.table},
            )
            for viewer, player in self.people.items()
        ]


async def test_h1_h6_every_frame_to_everybody_with_every_toggle(tmp_path: Path) -> None:
    """H1. With rematches and reconnects: no card outside what the viewer may know.

    H6. At every number, the view from replaying the log is what each viewer was shown and what he folded.
    """
    async with serving(tmp_path) as server:
        games = [Game(server, options, number) for number, options in enumerate(rules_with_every_value())]
        async with playing(*(player for game in games for player in game.people.values())):
            await asyncio.gather(*(game.play() for game in games))
        await server.stop()
    for game in games:
        assert violations(read_log(server.data, game.table), game.transcripts()) == [], game.options
        assert sum(player.welcomes > 1 for player in game.people.values()) > 1


# ── deals that look alike ────────────────────────────────────────────────────────────────────────────────────────────


class TwoWorlds:
    """One table on two servers: the same ids, tokens and secrets, and hands that differ where the viewer cannot see."""

    def __init__(self, worlds: list[Server], table: str, wires: list[dict[Viewer, Wire]]) -> None:
        self.worlds = worlds
        self.table = table
        self.wires = wires
        self.refs = 1000

    async def heard(self, viewer: Viewer) -> list[list[bytes]]:
        """Return what the viewer was sent in each world since the last time, as bytes, once nothing more will come."""
        self.refs += 1
        told = []
        for wires in self.wires:
            wire = wires[viewer]
            await wire.send({"t": "ping", "ref": self.refs})
            await wire.answer(self.refs)
            told.append([bytes(JSON.encode(message)) for message in wire.heard])
            wire.heard.clear()
        return told

    async def prompts(self) -> list[Message]:
        """Return the prompt of whoever is asked, with what is legal, in each world."""
        found = []
        self.refs += 2 * len(SEATS)
        for wires in self.wires:
            for seat in SEATS:
                ref = self.refs - 2 * seat
                before = len(wires[seat].heard)
                await wires[seat].send({"t": "sync", "ref": ref - 1, "table": self.table, "seq": 0})
                await wires[seat].send({"t": "ping", "ref": ref})
                await wires[seat].answer(ref)
                asked = [m for m in wires[seat].heard[before:] if m["t"] == "prompt" and "legal" in m]
                found += asked[-1:]
        return found

    async def act(self, seat: int, turn: int, actions: list[str]) -> None:
        self.refs += 1
        for wires, action in zip(self.wires, actions, strict=True):
            await wires[seat].send({"t": "act", "ref": self.refs, "table": self.table, "turn": turn, "action": action})
            assert (await wires[seat].answer(self.refs))["t"] == "ok"


async def prepared(folder: Path, rules: Rules) -> tuple[str, dict[Viewer, str]]:
    """Make a table of four who have not begun, and return its id and everybody's token; the server has ended."""
    async with serving(folder, workers=0) as server:
        async with four_sit(server.ws, "standard", is_started=False, rules=rules_to_plain(rules)) as four:
            wim = Player(server.ws, "Wim")
            async with playing(wim):
                tokens: dict[Viewer, str] = {WATCHER: wim.token}
            tokens |= {seat: player.token for seat, player in enumerate(four.players)}
        await server.stop()
    return four.table, tokens


def with_deal(data: Path, table: str, deck: Cards) -> None:
    """Append to a table's log that its game was started and this deck dealt, by dealer 0, from secrets we know."""
    log = read_log(data, table)
    entries: tuple[Entry, ...] = (
        Started("g_of_both_worlds", secret_of(1), "", 0),
        DealtOut(0, "".join(deck), secret_of(2)),
    )
    connection = sqlite3.connect(data / "euchre.db")
    with connection:
        for at, entry in enumerate(entries, start=len(log) + 1):
            stored = Stored(at, log[-1].at_ms, pack_entry(entry))
            connection.execute(
                "INSERT INTO entries (table_id, seq, at_ms, entry) VALUES (?, ?, ?, ?)",
                (table, stored.seq, stored.at_ms, stored.entry),
            )
    connection.close()


@pytest.mark.parametrize("viewer", [0, 1, WATCHER])
async def test_h2_two_deals_that_look_alike_give_a_viewer_identical_bytes(tmp_path: Path, viewer: Viewer) -> None:
    """H2. Legal lists, order, ids, sizes and seq included, until what is played in the open differs."""
    rng = Random(str(viewer))
    rules = make_rules("ladder", {"reveal": "own_only"})
    table, tokens = await prepared(tmp_path / "one", rules)
    deck = tuple(rng.sample(make_pack(rules.low_rank, rules.jokers), 24))
    shutil.copytree(tmp_path / "one", tmp_path / "other")
    with_deal(tmp_path / "one" / "data", table, deck)
    with_deal(tmp_path / "other" / "data", table, other_deal(deck, viewer, 0, rng))
    async with AsyncExitStack() as stack:
        worlds = [await stack.enter_async_context(serving(tmp_path / name, workers=0)) for name in ("one", "other")]
        wires: list[dict[Viewer, Wire]] = []
        for world in worlds:
            wires.append({})
            for one in VIEWERS:
                wire = await stack.enter_async_context(Wire.to(world.ws))
                await wire.send({"t": "hello", "ref": 1, "version": 1, "token": tokens[one]})
                await wire.answer(1)
                if one == WATCHER:
                    await wire.send({"t": "watch", "ref": 2, "table": table})
                    await wire.answer(2)
                wires[-1][one] = wire
        both = TwoWorlds(worlds, table, wires)
        compared = 0
        while True:
            here, there = await both.heard(viewer)
            assert here == there
            compared += len(here)
            prompts = await both.prompts()
            if not prompts:
                break
            first, second = prompts
            assert (first["seat"], first["turn"]) == (second["seat"], second["turn"])
            if first["seat"] == viewer:
                assert first["legal"] == second["legal"]
            common = [action for action in first["legal"] if action in second["legal"]]
            if first["phase"] == "discard" and first["seat"] != viewer:
                actions = [rng.choice(first["legal"]), rng.choice(second["legal"])]
            elif common:
                actions = [rng.choice(common)] * 2
            else:
                break  # what is played next differs, and all may see it
            assert all(parse_action(action) for action in actions)
            await both.act(first["seat"], first["turn"], actions)
        assert compared > 15


# ── strangers ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_h3_strangers_hear_nothing_private_before_during_and_after_a_resume(tmp_path: Path) -> None:
    """H3. With no token, with one nobody has, and with another's: no private frame."""
    async with (
        serving(tmp_path, log="memory") as server,
        four_sit(server.ws, spectators=False) as four,
        four_sit(server.ws, seed=2) as elsewhere,
    ):
        owner, _ = await four.asked()
        tokens = [None, "nobody-has-this-token", elsewhere.players[0].token]
        elsewhere_player = elsewhere.players[0]
        for moment in ("before", "during", "after"):
            if moment == "during":
                owner.cut_off(0.3)
            for token in tokens:
                heard = await pries(server, four, token)
                assert cards_in([m for m in heard if m.get("table") == four.table]) == set(), (moment, token)
                assert not [m for m in heard if m.get("table") == four.table and m["t"] in {"view", "prompt"}]
            if moment == "during":
                await owner.until(lambda: owner.session.is_welcome)
                await four.asked()
        assert elsewhere_player.token == tokens[2]


async def pries(server: Server, four: FourSit, token: str | None) -> list[Message]:
    """Try everything that might show a table one does not sit at; return all that was heard."""
    async with Wire.to(server.ws) as wire:
        hello: dict[str, Any] = {"t": "hello", "ref": 1, "version": 1, "resume": {four.table: 1}}
        await wire.send(hello | ({} if token is None else {"token": token}))
        tries: tuple[Message, ...] = (
            {"t": "sync", "table": four.table, "seq": 0},
            {"t": "watch", "table": four.table},
            {"t": "unwatch", "table": four.table},
            {"t": "game", "table": four.table},
            {"t": "act", "table": four.table, "turn": 7, "action": "pass"},
            {"t": "tables", "filter": "all"},
            {"t": "say", "table": four.table, "text": "who has the bower?"},
        )
        for ref, message in enumerate(tries, start=2):
            with contextlib.suppress(ConnectionClosed):  # a token nobody has ends the connection
                await wire.send({**message, "ref": ref})
        with contextlib.suppress(ConnectionClosed):
            await wire.send({"t": "ping", "ref": 99})
            await wire.answer(99)
        return [*wire.heard, *wire.unread]


async def test_h8_no_card_is_refused_in_another_way_than_another(tmp_path: Path) -> None:
    """H8. Another's card, a buried card, a played card, "2C" and null: the same refusal, to the byte."""
    async with serving(tmp_path, log="memory") as server, four_sit(server.ws) as four:
        await four.reach("play")
        for _ in range(3):
            await four.act()
        player, prompt = await four.asked()
        view = player.view(four.table)
        seen = {card for _, card in view.trick} | {card for trick in view.tricks for _, card in trick.cards}
        hidden = [card for card in make_pack(9, 0) if card not in seen and card not in view.cards]
        tries = [f"play {card}" for card in (*hidden, *sorted(seen))]
        answers = set()
        for action in (*tries, "play 2C", {"do": "play", "card": None}, {"do": "play", "card": "2C"}):
            answer = await player.ask("act", table=four.table, turn=prompt["turn"], action=action)
            answers.add(bytes(JSON.encode({**answer, "ref": 0})))
        assert len(hidden) > 10
        assert len(answers) == 1
        assert b'"card_not_held"' in answers.pop()
        for one, other in combinations(four.players, 2):
            assert one.seq(four.table) == other.seq(four.table)


TAKEN: Final = ("Ann", "ann", "ANN", " Ann ", "\uff21\uff4e\uff4e", "\u0410nn", "A\u200bnn", "Ann.", "\u00c4nn")
"""Ann's name, and names that look like it: wide letters, a Cyrillic A, a space of no width."""


async def test_h9_a_taken_name_never_yields_that_players_seat(tmp_path: Path) -> None:
    """H9. In another case, with spaces, in look-alike letters: another player, without a seat or a hand."""
    async with serving(tmp_path, log="memory", workers=0) as server, four_sit(server.ws) as four:
        owner, prompt = await four.asked()
        ids = [player.session.player["id"] for player in four.players if player.session.player]
        refused = 0
        for name in TAKEN:
            async with Wire.to(server.ws) as eve:
                hello = {"t": "hello", "ref": 1, "version": 1, "name": name, "resume": {four.table: 1}}
                welcome = await eve.ask(hello)
                if welcome["t"] == "refused":
                    assert welcome["code"] == "bad_name"
                    refused += 1
                    continue
                assert welcome["player"]["id"] not in ids
                assert welcome["tables"] == []
                act = {"t": "act", "ref": 2, "table": four.table, "turn": prompt["turn"], "action": prompt["legal"][0]}
                await eve.send(act)
                assert (await eve.answer(2))["code"] == "not_seated"
                assert cards_in(eve.heard) <= {owner.view(four.table).upcard}
        assert refused < len(TAKEN) // 2
