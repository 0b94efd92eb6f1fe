"""A server of one table without sockets: enough to talk to a client session, and to lose what they say."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any

from engine.actions import action_from_plain
from engine.cards import make_pack
from engine.errors import IllegalActionError
from engine.events import Event
from engine.game import apply, deal, legal_actions, new_game, phase_of, to_act
from engine.plain import event_to_plain, view_to_plain
from engine.rules import Rules, make_rules, rules_to_plain
from engine.state import Game, Phase
from engine.view import WATCHER, View, Viewer, redact, view_for
from protocol.codec import JSON
from protocol.messages import (
    Act,
    Away,
    ClientMessage,
    Hello,
    Join,
    Leave,
    Ping,
    Say,
    Start,
    Sync,
    Unwatch,
    Watch,
    parse_client_message,
)
from protocol.outgoing import SeatInfo, TableInfo, event, ok, pong, prompt, refused, view, welcome
from protocol.table_events import (
    CameBack,
    GameStarted,
    Seated,
    TableEvent,
    Unseated,
    WentAway,
    fold_table,
    table_event_to_plain,
)

Messages = list[dict[str, Any]]
TABLE = "t1"
CODE = "KQ7M"


def open_seat(seat: int) -> SeatInfo:
    return {
        "seat": seat, "kind": "open", "name": None, "level": None, "version": None, "owner": None, "away": False,
        "online": False,
    }  # fmt: skip


def table_info(rules: Rules) -> TableInfo:
    return {
        "id": TABLE,
        "code": CODE,
        "name": "Ann's table",
        "preset": "standard",
        "rules": rules_to_plain(rules),
        "visibility": "private",
        "clock": {"name": "none", "turn_ms": None, "bank_ms": None},
        "bots": "standard",
        "spectators": True,
        "bots_stay": False,
        "host": 0,
        "state": "waiting",
        "commit": None,
        "seats": [open_seat(seat) for seat in range(4)],
        "watchers": 0,
    }


class Loopback:
    """One table's log and the players who know it. ``seats`` are seats by player; a player's token is his name."""

    def __init__(self, seed: int = 1, **rules: object) -> None:
        self.rng = Random(seed)
        self.rules = make_rules("standard", rules)
        self.game: Game | None = None
        self.info = table_info(self.rules)
        self.log: list[tuple[Event | TableEvent, ...]] = []
        self.turn = 0
        self.seats: dict[str, int] = {}
        self.watchers: set[str] = set()
        self.done: dict[tuple[str, int], tuple[ClientMessage, dict[str, Any]]] = {}
        self.commands = 0
        self.outlived = 0
        """Events older than this entry are forgotten: whoever resumes from before it gets a view."""

    # ── the log ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def seq(self) -> int:
        return len(self.log)

    def append(self, *happenings: Event | TableEvent) -> None:
        self.log.append(happenings)
        for happening in happenings:
            if isinstance(happening, TableEvent):
                self.info = fold_table(self.info, happening)

    def start(self) -> None:
        self.game = new_game(self.rules)
        self.append(GameStarted())
        self.deal_if_due()

    def deal_if_due(self) -> None:
        assert self.game is not None
        if phase_of(self.game) is Phase.OVER:
            self.info = {**self.info, "state": "over"}
        if phase_of(self.game) is Phase.DEAL:
            deck = list(make_pack(self.rules.low_rank))
            self.rng.shuffle(deck)
            dealer = view_for(self.game, WATCHER).dealer
            next_dealer = 0 if dealer is None else (dealer + 1) % 4
            self.game, events = deal(self.game, tuple(deck), dealer=next_dealer)
            self.append(*events)
        self.turn = self.seq

    def play(self, action: object = None) -> None:
        """Take *action*, or any legal one, for the seat to act."""
        assert self.game is not None
        seat = to_act(self.game)
        assert seat is not None
        chosen = self.rng.choice(legal_actions(self.game)) if action is None else action_from_plain(action)
        self.game, events = apply(self.game, seat, chosen)
        self.append(*events)
        self.deal_if_due()

    def play_a_game(self) -> None:
        assert self.game is not None
        while phase_of(self.game) is not Phase.OVER:
            self.play()

    # ── what a player gets ───────────────────────────────────────────────────────────────────────────────────────────

    def viewer(self, player: str) -> Viewer:
        return self.seats.get(player, WATCHER)

    def view_of(self, player: str) -> View | None:
        return None if self.game is None else view_for(self.game, self.viewer(player))

    def entry(self, player: str, seq: int) -> dict[str, Any]:
        plain = []
        for happening in self.log[seq - 1]:
            if isinstance(happening, TableEvent):
                plain.append(table_event_to_plain(happening))
            elif (seen := redact(happening, self.viewer(player), self.rules)) is not None:
                plain.append(event_to_plain(seen))
        return on_the_wire(event(TABLE, seq, plain))

    def news(self, player: str, since: int) -> Messages:
        """Return the entries after *since* and the open decision."""
        return [*(self.entry(player, seq) for seq in range(since + 1, self.seq + 1)), *self.prompt(player)]

    def snapshot(self, player: str) -> Messages:
        seen = self.view_of(player)
        game = None if seen is None else view_to_plain(seen)
        return [on_the_wire(view(TABLE, self.seq, info=self.info, game=game)), *self.prompt(player)]

    def prompt(self, player: str) -> Messages:
        if self.game is None or (seat := to_act(self.game)) is None:
            return []
        legal = [str(action) for action in legal_actions(self.game)] if self.viewer(player) == seat else None
        message = prompt(
            TABLE,
            self.seq,
            turn=self.turn,
            seat=seat,
            phase=str(phase_of(self.game)),
            left_ms=None,
            bank_ms=None,
            legal=legal,
        )
        return [on_the_wire(message)]

    def caught_up(self, player: str, since: int) -> Messages:
        return self.news(player, since) if self.outlived <= since <= self.seq else self.snapshot(player)

    # ── what a player says ───────────────────────────────────────────────────────────────────────────────────────────

    def hear(self, player: str, plain: dict[str, Any]) -> Messages:
        """Answer one message; what it makes happen is in the log for `news` to tell."""
        message = parse_client_message(JSON.decode(JSON.encode(plain).decode()))
        match message:
            case Hello():
                return self.greet(player, message)
            case Ping():
                return [on_the_wire(pong(message.ref))]
            case Sync():
                return [on_the_wire(ok(message.ref)), *self.caught_up(player, message.seq)]
            case Watch():
                self.watchers.add(player)
                return [on_the_wire(ok(message.ref, table=TABLE)), *self.snapshot(player)]
            case Unwatch() | Say():
                return [on_the_wire(ok(message.ref))]
            case Join() | Leave() | Start() | Act() | Away():
                return self.command(player, message)
            case _:
                raise AssertionError(f"no test says {message.t}")

    def greet(self, player: str, message: Hello) -> Messages:
        tables: list[Any] = []
        more: Messages = []
        if player in self.seats:
            tables = [{"table": TABLE, "code": CODE, "seat": self.seats[player]}]
            since = (message.resume or {}).get(TABLE)
            more = self.snapshot(player) if since is None else self.caught_up(player, since)
        answer = welcome(
            message.ref,
            player={"id": player, "name": player, "kind": "human"},
            token=player,
            next_ref=1 + max((ref for who, ref in self.done if who == player), default=0),
            tables=tables,
            server={"name": "loopback", "version": "0"},
        )
        return [on_the_wire(answer), *more]

    def command(self, player: str, message: Join | Leave | Start | Act | Away) -> Messages:
        before = self.done.get((player, message.ref))
        if before is not None:
            return [before[1]] if before[0] == message else [on_the_wire(refused(message.ref, "ref_reused", "used"))]
        more: Messages = []
        answer = ok(message.ref)
        match message:
            case Join():
                seat = next(seat for seat in self.info["seats"] if seat["kind"] == "open")["seat"]
                self.seats[player] = seat
                self.append(Seated(seat, "human", player, None))
                answer = ok(message.ref, table=TABLE, seat=seat)
                more = self.snapshot(player)
            case Leave():
                self.append(Unseated(self.seats.pop(player)))
            case Start():
                self.start()
            case Away():
                self.append((WentAway if message.on else CameBack)(self.seats[player]))
            case Act():
                if message.turn != self.turn:
                    return [on_the_wire(refused(message.ref, "stale", "too late")), *self.snapshot(player)]
                try:
                    self.play(message.action)
                except IllegalActionError as error:
                    return [on_the_wire(refused(message.ref, error.code, error.detail))]
                answer = ok(message.ref, seq=self.seq)
        self.commands += 1
        self.done[player, message.ref] = (message, on_the_wire(answer))
        return [on_the_wire(answer), *more]


def on_the_wire(message: Any) -> dict[str, Any]:
    """Return *message* as it comes out at the other end."""
    (decoded,) = JSON.decode_frame(JSON.frame([JSON.encode(message)]))
    return decoded


def by_kind(messages: Messages) -> dict[str, Messages]:
    kinds: dict[str, Messages] = defaultdict(list)
    for message in messages:
        kinds[message["t"]].append(message)
    return kinds
