"""What a table tells each audience: messages of the wire, made from the state by ``engine.view`` and nothing else."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from engine.fair import commitment
from engine.game import phase_of
from engine.plain import event_to_plain, view_to_plain
from engine.rules import Rules, rules_to_plain
from engine.view import WATCHER, Viewer, is_public, redact, view_for
from protocol import outgoing
from protocol.codec import Codec, Encoded
from protocol.outgoing import ListedTable, TableInfo, TableState
from protocol.table_events import TableEvent, table_event_to_plain
from server import clock
from server.table import Happening, Room
from server.table import TableState as State


def plain_happenings(happenings: tuple[Happening, ...], viewer: Viewer, rules: Rules) -> list[dict[str, Any]]:
    """Return *viewer*'s share of *happenings*, plain, in order."""
    plain: list[dict[str, Any]] = []
    for happening in happenings:
        if isinstance(happening, TableEvent):
            plain.append(table_event_to_plain(happening))
        elif (seen := redact(happening, viewer, rules)) is not None:
            plain.append(event_to_plain(seen))
    return plain


def stage_name(state: State) -> TableState:
    """Return whether the table waits for its first game, plays, or is between games or closed."""
    if state.room.closed:
        return "over"
    if state.play is None:
        return "waiting"
    return "playing" if state.is_playing else "over"


def table_info(table: str, state: State, viewer: Viewer, *, online: Collection[str], watchers: int) -> TableInfo:
    """Return the table beside its game; *online* are the players whose connection stands.

    A private table's code is for those who sit there.
    """
    room = state.room
    hidden = viewer == WATCHER and room.opened.visibility == "private"
    return {
        "id": table,
        "code": None if hidden else room.opened.code,
        "name": room.opened.title,
        "preset": room.opened.preset,
        "rules": rules_to_plain(room.rules),
        "visibility": room.opened.visibility,
        "clock": {"name": room.clock.name, "turn_ms": room.clock.turn_ms, "bank_ms": room.clock.bank_ms},
        "bots": room.opened.bots,
        "spectators": room.opened.spectators,
        "bots_stay": room.opened.bots_stay,
        "host": room.host_seat,
        "state": stage_name(state),
        "commit": None if state.play is None else commitment(state.play.deals.secret),
        "seats": [
            {
                "seat": seat,
                "kind": chair.shown_kind,
                "name": chair.name,
                "level": chair.level if chair.kind == "bot" else None,
                "version": chair.version,
                "owner": chair.owner,
                "away": chair.away,
                "online": chair.kind == "bot" or chair.player in online,
            }
            for seat, chair in enumerate(room.chairs)
        ],
        "watchers": watchers,
    }


def listed_table(table: str, state: State, *, changed: list[str], watchers: int) -> ListedTable:
    """Return the table as the lobby lists it."""
    room: Room = state.room
    return {
        "table": table,
        "name": room.opened.title,
        "preset": room.opened.preset,
        "changed": changed,
        "state": stage_name(state),
        "seats": [
            {
                "seat": seat,
                "kind": chair.shown_kind,
                "name": chair.name,
                "version": chair.version,
                "owner": chair.owner,
            }
            for seat, chair in enumerate(room.chairs)
        ],
        "bots_stay": room.opened.bots_stay,
        "watchers": watchers,
    }


def view_message(
    table: str, state: State, viewer: Viewer, *, online: Collection[str], watchers: int
) -> outgoing.ViewMessage:
    """Return the table as *viewer* may see it."""
    game = None if state.play is None else view_to_plain(view_for(state.play.game, viewer))
    info = table_info(table, state, viewer, online=online, watchers=watchers)
    return outgoing.view(table, state.seq, info=info, game=game)


def prompt_message(table: str, state: State, *, to_actor: bool, now_ms: int) -> outgoing.Prompt | None:
    """Return the prompt of the open decision, with the legal actions where it goes *to_actor*; None if none is open."""
    play = state.play
    if play is None or play.decision is None:
        return None
    decision = play.decision
    left = None
    if not state.is_botted:
        left = clock.left_ms(state.room.clock, decision, play.banks_ms[decision.seat], now_ms)
    own_ms, bank_ms = (None, None) if left is None else left
    return outgoing.prompt(
        table,
        state.seq,
        turn=decision.turn,
        seat=decision.seat,
        phase=str(phase_of(play.game)),
        left_ms=own_ms,
        bank_ms=bank_ms,
        gift_ms=state.gift_ms,
        legal=[str(action) for action in play.legal] if to_actor else None,
    )


class Bulletin:
    """What one entry means to everybody: his share of its events, then the prompt. Each is encoded once an audience."""

    def __init__(self, table: str, state: State, happenings: tuple[Happening, ...], *, now_ms: int) -> None:
        self._table = table
        self._state = state
        self._happenings = happenings
        self._now_ms = now_ms
        decision = None if state.play is None else state.play.decision
        self._to_act = None if decision is None else decision.seat
        # The events all hear alike are public; then only the seat to act, whose prompt has more, is told apart.
        self._are_public = all(isinstance(happening, TableEvent) or is_public(happening) for happening in happenings)
        self._parts: dict[tuple[Codec, Viewer], tuple[Encoded, ...]] = {}
        self._public: dict[Codec, Encoded] = {}

    def parts_for(self, codec: Codec, viewer: Viewer) -> tuple[Encoded, ...]:
        """Return the encoded messages for *viewer*."""
        audience = WATCHER if self._are_public and viewer != self._to_act else viewer
        parts = self._parts.get((codec, audience))
        if parts is None:
            parts = self._parts[codec, audience] = self._encode(codec, audience)
        return parts

    def _encode(self, codec: Codec, viewer: Viewer) -> tuple[Encoded, ...]:
        event = self._public.get(codec)
        if event is None:
            event = self._encode_event(codec, viewer)
            if self._are_public:
                self._public[codec] = event
        prompt = prompt_message(self._table, self._state, to_actor=viewer == self._to_act, now_ms=self._now_ms)
        return (event,) if prompt is None else (event, codec.encode(prompt))

    def _encode_event(self, codec: Codec, viewer: Viewer) -> Encoded:
        plain = plain_happenings(self._happenings, viewer, self._state.room.rules)
        return codec.encode(outgoing.event(self._table, self._state.seq, plain))
