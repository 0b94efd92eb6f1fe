"""What a server sends: plain structures, built here and packed as they are.

The TypedDicts are the field tables of PROTOCOL.md. A key that may be missing is NotRequired; all
others are always there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict  # the one pydantic can read before Python 3.12

from protocol.codes import (
    HELLO_TIMEOUT_S,
    MAX_FRAME_BYTES,
    NAME_MAX_CHARS,
    RESUME_MAX_TABLES,
    SAY_MAX_CHARS,
    ClockName,
    SayPreset,
    Visibility,
)

PlayerKind: TypeAlias = Literal["human", "bot"]
SeatKind: TypeAlias = Literal["open", "human", "bot"]
TableState: TypeAlias = Literal["waiting", "playing", "over"]
NoticeKind: TypeAlias = Literal["restart", "drain", "degraded", "restored", "table_closed"]

# ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class PlayerInfo(TypedDict):
    id: str
    name: str
    kind: PlayerKind


class ServerInfo(TypedDict):
    name: str
    version: str


class RateInfo(TypedDict):
    burst: int
    every_ms: int


class Limits(TypedDict):
    frame_bytes: int
    name_chars: int
    say_chars: int
    resume_tables: int
    hello_ms: int
    rates: NotRequired[dict[str, RateInfo]]


class MyTable(TypedDict):
    table: str
    code: str
    seat: int


class ClockInfo(TypedDict):
    name: ClockName
    turn_ms: int | None
    bank_ms: int | None


class SeatInfo(TypedDict):
    seat: int
    kind: SeatKind
    name: str | None
    level: str | None
    version: str | None
    owner: str | None
    away: bool
    online: bool


class TableInfo(TypedDict):
    id: str
    code: str | None
    name: str
    preset: str
    rules: dict[str, Any]
    visibility: Visibility
    clock: ClockInfo
    bots: str
    spectators: bool
    bots_stay: bool
    host: int | None
    state: TableState
    commit: str | None
    seats: list[SeatInfo]
    watchers: int


class PlayedSeat(TypedDict):
    seat: int
    kind: SeatKind
    name: str | None


class ListedSeat(PlayedSeat):
    version: str | None
    owner: str | None


class ListedTable(TypedDict):
    table: str
    name: str
    preset: str
    changed: list[str]
    state: TableState
    seats: list[ListedSeat]
    bots_stay: bool
    watchers: int


class PlayedGame(TypedDict):
    n: int
    table: str
    game: str
    preset: str
    seat: int
    players: list[PlayedSeat]
    score: list[int]
    winner: int | None
    started_ms: int
    ended_ms: int


class TableView(TypedDict):
    table: TableInfo
    game: dict[str, Any] | None


# ── messages ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Worth(TypedDict):
    action: str
    points: float
    error: float


class WeighedDecision(TypedDict):
    n: int
    seat: int
    phase: str
    cards: list[str]
    played: str
    worths: list[Worth]


class OwnBot(TypedDict):
    """A bot that the player registered."""

    name: str
    version: str | None
    made_ms: int


class Ok(TypedDict):
    t: Literal["ok"]
    ref: int
    player: NotRequired[PlayerInfo]
    table: NotRequired[str]
    code: NotRequired[str]
    seat: NotRequired[int]
    seq: NotRequired[int]
    tables: NotRequired[list[ListedTable]]
    game: NotRequired[str]
    lines: NotRequired[list[str]]
    games: NotRequired[list[PlayedGame]]
    token: NotRequired[str]
    renewed: NotRequired[bool]
    bots: NotRequired[list[OwnBot]]
    turn: NotRequired[int]
    worths: NotRequired[list[Worth]]
    layouts: NotRequired[int]
    decisions: NotRequired[list[WeighedDecision]]
    hands: NotRequired[int]
    par: NotRequired[int]
    luck: NotRequired[float]


class Refused(TypedDict):
    t: Literal["refused"]
    ref: int | None
    code: str
    detail: str
    retry_ms: NotRequired[int]
    fields: NotRequired[dict[str, str]]


class Welcome(TypedDict):
    t: Literal["welcome"]
    ref: int
    player: PlayerInfo
    token: str
    next_ref: int
    limits: Limits
    tables: list[MyTable]
    server: ServerInfo


class Pong(TypedDict):
    t: Literal["pong"]
    ref: int


class EventMessage(TypedDict):
    t: Literal["event"]
    table: str
    seq: int
    events: list[dict[str, Any]]


class ViewMessage(TypedDict):
    t: Literal["view"]
    table: str
    seq: int
    view: TableView


class Prompt(TypedDict):
    t: Literal["prompt"]
    table: str
    seq: int
    turn: int
    seat: int
    phase: str
    left_ms: int | None
    bank_ms: int | None
    gift_ms: NotRequired[int]
    legal: NotRequired[list[str]]


class Presence(TypedDict):
    t: Literal["presence"]
    table: str
    seat: int
    online: bool


class Chat(TypedDict):
    t: Literal["chat"]
    table: str
    seat: int | None
    name: str
    text: NotRequired[str]
    preset: NotRequired[SayPreset]


class Notice(TypedDict):
    t: Literal["notice"]
    kind: NoticeKind
    detail: str
    table: NotRequired[str]
    in_ms: NotRequired[int]
    retry_ms: NotRequired[int]


class Decide(TypedDict):
    t: Literal["decide"]
    id: int
    view: dict[str, Any]
    legal: list[str]
    rules: dict[str, Any]
    level: str
    seed: int
    deadline_ms: int


class Weigh(TypedDict):
    t: Literal["weigh"]
    id: int
    view: dict[str, Any]
    legal: list[str]
    rules: dict[str, Any]
    layouts: int
    seed: int
    deadline_ms: int


ServerMessage: TypeAlias = (
    Ok | Refused | Welcome | Pong | EventMessage | ViewMessage | Prompt | Presence | Chat | Notice | Decide | Weigh
)

LIMITS: Final[Limits] = {
    "frame_bytes": MAX_FRAME_BYTES,
    "name_chars": NAME_MAX_CHARS,
    "say_chars": SAY_MAX_CHARS,
    "resume_tables": RESUME_MAX_TABLES,
    "hello_ms": HELLO_TIMEOUT_S * 1000,
}


def ok(
    ref: int,
    *,
    player: PlayerInfo | None = None,
    table: str | None = None,
    code: str | None = None,
    seat: int | None = None,
    seq: int | None = None,
    tables: list[ListedTable] | None = None,
    game: str | None = None,
    lines: list[str] | None = None,
    games: list[PlayedGame] | None = None,
    token: str | None = None,
    renewed: bool | None = None,
    bots: list[OwnBot] | None = None,
) -> Ok:
    """Answer a message that was done, with what its row in PROTOCOL.md says it carries."""
    message: Ok = {"t": "ok", "ref": ref}
    if player is not None:
        message["player"] = player
    if table is not None:
        message["table"] = table
    if code is not None:
        message["code"] = code
    if seat is not None:
        message["seat"] = seat
    if seq is not None:
        message["seq"] = seq
    if tables is not None:
        message["tables"] = tables
    if game is not None:
        message["game"] = game
    if lines is not None:
        message["lines"] = lines
    if games is not None:
        message["games"] = games
    if token is not None:
        message["token"] = token
    if renewed is not None:
        message["renewed"] = renewed
    if bots is not None:
        message["bots"] = bots
    return message


def refused(
    ref: int | None,
    code: str,
    detail: str,
    *,
    retry_ms: int | None = None,
    fields: Mapping[str, str] | None = None,
) -> Refused:
    """Answer a message that was not done. *fields* says what is wrong with each rule, for BAD_RULES."""
    message: Refused = {"t": "refused", "ref": ref, "code": code, "detail": detail}
    if retry_ms is not None:
        message["retry_ms"] = retry_ms
    if fields is not None:
        message["fields"] = dict(fields)
    return message


def welcome(
    ref: int,
    *,
    player: PlayerInfo,
    token: str,
    next_ref: int,
    tables: list[MyTable],
    server: ServerInfo,
    limits: Limits = LIMITS,
) -> Welcome:
    """Answer ``hello``. The token is the player's own: it may go to that player's socket and nowhere else."""
    return {
        "t": "welcome",
        "ref": ref,
        "player": player,
        "token": token,
        "next_ref": next_ref,
        "limits": limits,
        "tables": tables,
        "server": server,
    }


def pong(ref: int) -> Pong:
    return {"t": "pong", "ref": ref}


def event(table: str, seq: int, events: Sequence[dict[str, Any]]) -> EventMessage:
    """Tell what one log entry means to one audience; *events* are plain, redacted, possibly none."""
    return {"t": "event", "table": table, "seq": seq, "events": list(events)}


def view(table: str, seq: int, *, info: TableInfo, game: dict[str, Any] | None) -> ViewMessage:
    """Show a table as it stood after entry *seq*; *game* is one viewer's plain view, or None before a game."""
    return {"t": "view", "table": table, "seq": seq, "view": {"table": info, "game": game}}


def prompt(
    table: str,
    seq: int,
    *,
    turn: int,
    seat: int,
    phase: str,
    left_ms: int | None,
    bank_ms: int | None,
    gift_ms: int | None = None,
    legal: list[str] | None = None,
) -> Prompt:
    """Say whose decision is open and how long, and what the others may give; *legal* is for the seat to act alone."""
    message: Prompt = {
        "t": "prompt",
        "table": table,
        "seq": seq,
        "turn": turn,
        "seat": seat,
        "phase": phase,
        "left_ms": left_ms,
        "bank_ms": bank_ms,
    }
    if gift_ms is not None:
        message["gift_ms"] = gift_ms
    if legal is not None:
        message["legal"] = legal
    return message


def presence(table: str, seat: int, *, online: bool) -> Presence:
    return {"t": "presence", "table": table, "seat": seat, "online": online}


def chat(
    table: str,
    seat: int | None,
    name: str,
    *,
    text: str | None = None,
    preset: SayPreset | None = None,
) -> Chat:
    """Pass on what was said: exactly one of *text* and *preset*; *seat* is None for a watcher."""
    message: Chat = {"t": "chat", "table": table, "seat": seat, "name": name}
    if text is not None:
        message["text"] = text
    if preset is not None:
        message["preset"] = preset
    return message


def notice(
    kind: NoticeKind,
    detail: str,
    *,
    table: str | None = None,
    in_ms: int | None = None,
    retry_ms: int | None = None,
) -> Notice:
    message: Notice = {"t": "notice", "kind": kind, "detail": detail}
    if table is not None:
        message["table"] = table
    if in_ms is not None:
        message["in_ms"] = in_ms
    if retry_ms is not None:
        message["retry_ms"] = retry_ms
    return message


def hinted(ref: int, *, turn: int, worths: list[Worth], layouts: int) -> Ok:
    """Answer ``hint``."""
    return {"t": "ok", "ref": ref, "turn": turn, "worths": worths, "layouts": layouts}


def analysed(
    ref: int,
    *,
    table: str,
    game: str,
    decisions: list[WeighedDecision],
    layouts: int,
    hands: int,
    par: int,
    luck: float,
) -> Ok:
    """Answer ``analyse``: one hand, of so many *hands*."""
    return {
        "t": "ok",
        "ref": ref,
        "table": table,
        "game": game,
        "decisions": decisions,
        "layouts": layouts,
        "hands": hands,
        "par": par,
        "luck": luck,
    }


def weigh(
    request: int,
    *,
    view: dict[str, Any],
    legal: list[str],
    rules: dict[str, Any],
    layouts: int,
    seed: int,
    deadline_ms: int,
) -> Weigh:
    """Ask a bot worker what each of *legal* is worth to the seat whose *view* this is; it sees no more."""
    return {
        "t": "weigh",
        "id": request,
        "view": view,
        "legal": legal,
        "rules": rules,
        "layouts": layouts,
        "seed": seed,
        "deadline_ms": deadline_ms,
    }


def decide(
    request: int,
    *,
    view: dict[str, Any],
    legal: list[str],
    rules: dict[str, Any],
    level: str,
    seed: int,
    deadline_ms: int,
) -> Decide:
    """Ask a bot worker for one decision. *view* is the acting seat's own; beside the rules a worker sees no more."""
    return {
        "t": "decide",
        "id": request,
        "view": view,
        "legal": legal,
        "rules": rules,
        "level": level,
        "seed": seed,
        "deadline_ms": deadline_ms,
    }
