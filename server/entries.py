"""The entries of a table's log: accepted inputs, nothing derived. The table is their fold (server/table/).

Stored as MessagePack maps with the entry's kind under ``"k"``. Entries that answer a player's command carry the player
and the command's ``ref``, so that a command that comes again is known.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, TypeAlias, cast, get_args

import msgpack

from protocol.codes import ClockName, Visibility


@dataclass(frozen=True, slots=True)
class Opened:
    """A player made the table and sat down at seat 0 as its host. The first entry of every log.

    ``rules`` are complete and plain; ``bots`` is the level of bots that fill seats, which nobody takes from them where
    ``bots_stay``; ``seed`` fixes the deals of tables made for practice, None elsewhere. ``is_bot`` and what follows are
    as in SatDown.
    """

    code: str
    title: str
    preset: str
    rules: dict[str, Any]
    visibility: Visibility
    clock: ClockName
    bots: str
    spectators: bool
    seed: int | None
    player: str
    name: str
    ref: int
    is_bot: bool = False
    version: str | None = None
    owner: str | None = None
    bots_stay: bool = False


@dataclass(frozen=True, slots=True)
class SatDown:
    """A player took an open seat or a bot's. ``is_bot``: it is somebody's program, of a version and an owner."""

    seat: int
    player: str
    name: str
    ref: int
    is_bot: bool = False
    version: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class StoodUp:
    """A player gave the seat up: open before the game, a bot's during it."""

    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class Filled:
    """The host put bots of ``level`` in ``seats``."""

    seats: tuple[int, ...]
    level: str
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class Started:
    """The host started a game, the first or the next; open seats got bots.

    ``game`` names it for good, ``secret`` is what its first hand will be dealt from.
    """

    game: str
    secret: bytes
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class DealtOut:
    """A hand was dealt: ``deck`` in the order of R-DEAL-1, two characters a card.

    ``secret`` is what the hand after it will be dealt from.
    """

    dealer: int
    deck: str
    secret: bytes


@dataclass(frozen=True, slots=True)
class Stirred:
    """A player added ``text`` to what the next hand will be dealt from."""

    text: str
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class Acted:
    """A seat took the decision ``turn``.

    ``why`` is ``player`` for a person's own; ``bot`` for a bot in its own seat, ``away`` or ``clock`` for a bot in
    place of a person, and then ``player`` and ``ref`` are empty.
    """

    turn: int
    action: str
    player: str
    ref: int
    why: str


@dataclass(frozen=True, slots=True)
class AwaySet:
    """A person handed the seat to a bot, or took it back; ``why`` is ``asked`` or ``returned``.

    ``ref`` is 0 unless the person asked.
    """

    player: str
    on: bool
    why: str
    ref: int


@dataclass(frozen=True, slots=True)
class Credited:
    """The seat to act got time back."""

    ms: int
    why: str


@dataclass(frozen=True, slots=True)
class GaveTime:
    """A player gave the one who thinks about the decision ``turn`` so much more time."""

    turn: int
    ms: int
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class HostPassed:
    """The host was gone for long while nothing was played: ``player`` is the host now."""

    player: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The table is no more."""

    why: str


Entry: TypeAlias = (
    Acted
    | DealtOut
    | Opened
    | SatDown
    | StoodUp
    | Filled
    | Started
    | Stirred
    | AwaySet
    | Credited
    | GaveTime
    | HostPassed
    | Closed
)

_TYPES: Final = {entry_type.__name__: entry_type for entry_type in cast("tuple[type[Entry], ...]", get_args(Entry))}
_NOT_SAID_EARLIER: Final = {"is_bot": False, "version": None, "owner": None, "bots_stay": False}
"""Fields that logs of earlier versions do not have."""
_FIELDS: Final = {entry_type: tuple(field.name for field in fields(entry_type)) for entry_type in _TYPES.values()}


def pack_entry(entry: Entry) -> bytes:
    """Return *entry* as it is stored."""
    plain: dict[str, Any] = {"k": type(entry).__name__}
    for name in _FIELDS[type(entry)]:
        plain[name] = getattr(entry, name)
    return cast("bytes", msgpack.packb(plain))


def unpack_entry(stored: bytes) -> Entry:
    """Read an entry as `pack_entry` stored it. Raises KeyError or ValueError for anything else."""
    plain = msgpack.unpackb(stored, use_list=False)
    if not isinstance(plain, dict):
        raise ValueError("an entry is a map")
    entry_type = _TYPES[plain["k"]]
    for name, value in _NOT_SAID_EARLIER.items():
        plain.setdefault(name, value)
    return entry_type(**{name: plain[name] for name in _FIELDS[entry_type]})
