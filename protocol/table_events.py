"""What happens at a table beside the game: seats, host, stand-ins. Plain forms, and the fold into a TableInfo.

Plain, an event is ``{"e": kind, …its fields}`` like the engine's, and travels in the same lists.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias, assert_never, cast, get_args

from engine.plain import kind_of
from protocol.outgoing import SeatInfo, SeatKind, TableInfo


@dataclass(frozen=True, slots=True)
class Seated:
    """A person or bot sat down.

    ``level`` is that of a bot of the house, ``version`` and ``owner`` (a player's name) those of somebody's bot.
    """

    seat: int
    kind: SeatKind
    name: str
    level: str | None
    version: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Unseated:
    """A seat became open."""

    seat: int


@dataclass(frozen=True, slots=True)
class HostChanged:
    """Another seat is the host; None where nobody is left to be."""

    seat: int | None


@dataclass(frozen=True, slots=True)
class GameStarted:
    """A new game begins at 0–0, before its first deal."""


@dataclass(frozen=True, slots=True)
class DealCommitted:
    """The server fixed the secret of a deal to come: ``commit`` is its SHA-256, ``hand`` that deal's number."""

    hand: int
    commit: str


@dataclass(frozen=True, slots=True)
class EntropyAdded:
    """A seat added ``text`` to what the next deal is made from."""

    seat: int
    text: str


@dataclass(frozen=True, slots=True)
class WentAway:
    """A bot decides for this person until further notice."""

    seat: int


@dataclass(frozen=True, slots=True)
class CameBack:
    """The person decides again, from the next decision on."""

    seat: int


@dataclass(frozen=True, slots=True)
class StoodIn:
    """A bot made the decision that follows for this person; ``why`` is ``clock`` or ``away``."""

    seat: int
    why: str


@dataclass(frozen=True, slots=True)
class TimeCredited:
    """A seat got time back, because of ``why``."""

    seat: int
    ms: int
    why: str


@dataclass(frozen=True, slots=True)
class TimeGiven:
    """The person in seat ``by`` gave the one who thinks more time."""

    seat: int
    by: int
    ms: int


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is no more, because of ``why``."""

    why: str


TableEvent: TypeAlias = (
    Seated
    | Unseated
    | HostChanged
    | GameStarted
    | DealCommitted
    | EntropyAdded
    | WentAway
    | CameBack
    | StoodIn
    | TimeCredited
    | TimeGiven
    | TableClosed
)

_TYPE: Final[dict[str, type[TableEvent]]] = {
    kind_of(event_type): event_type for event_type in cast("tuple[type[TableEvent], ...]", get_args(TableEvent))
}
_KIND: Final[dict[type[TableEvent], str]] = {event_type: kind for kind, event_type in _TYPE.items()}
_FIELDS: Final[dict[type[TableEvent], tuple[str, ...]]] = {
    event_type: tuple(field.name for field in fields(event_type)) for event_type in _KIND
}
TABLE_EVENT_KINDS: Final = frozenset(_TYPE)


def table_event_to_plain(event: TableEvent) -> dict[str, Any]:
    """Return *event* as a plain dict with its kind under ``"e"``."""
    event_type = type(event)
    return {"e": _KIND[event_type]} | {name: getattr(event, name) for name in _FIELDS[event_type]}


def table_event_from_plain(plain: dict[str, Any]) -> TableEvent | None:
    """Read an event as `table_event_to_plain` writes it; None for a kind that is none of ours.

    Raises KeyError where a field is missing; ignores unknown fields.
    """
    event_type = _TYPE.get(plain["e"])
    if event_type is None:
        return None
    return event_type(**{name: plain[name] for name in _FIELDS[event_type]})


def fold_table(info: TableInfo, event: TableEvent) -> TableInfo:
    """Return the table after *event*; *info* stays as it is."""
    match event:
        case Seated():
            return _with_seat(
                info,
                {
                    "seat": event.seat,
                    "kind": event.kind,
                    "name": event.name,
                    "level": event.level,
                    "version": event.version,
                    "owner": event.owner,
                    "away": False,
                    "online": True,
                },
            )
        case Unseated():
            return _with_seat(
                info,
                {
                    "seat": event.seat,
                    "kind": "open",
                    "name": None,
                    "level": None,
                    "version": None,
                    "owner": None,
                    "away": False,
                    "online": False,
                },
            )
        case HostChanged():
            return {**info, "host": event.seat}
        case GameStarted():
            return {**info, "state": "playing"}
        case WentAway():
            return _with_seat(info, {**info["seats"][event.seat], "away": True})
        case CameBack():
            return _with_seat(info, {**info["seats"][event.seat], "away": False})
        case DealCommitted():
            return {**info, "commit": event.commit}
        case TableClosed():
            return {**info, "state": "over"}
        case EntropyAdded() | StoodIn() | TimeCredited() | TimeGiven():
            return info
        case _:
            assert_never(event)


def with_presence(info: TableInfo, seat: int, *, online: bool) -> TableInfo:
    """Return the table with *seat*'s person online or not."""
    return _with_seat(info, {**info["seats"][seat], "online": online})


def _with_seat(info: TableInfo, changed: SeatInfo) -> TableInfo:
    seats = list(info["seats"])
    seats[changed["seat"]] = changed
    return {**info, "seats": seats}
