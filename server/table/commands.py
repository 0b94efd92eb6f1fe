"""What a table is asked to do, by players and by the server, and what it answers where that becomes no entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from engine.actions import Action
from engine.cards import Seat
from engine.errors import Code


@dataclass(frozen=True, slots=True)
class SitDown:
    player: str
    name: str
    seat: Seat | None
    ref: int
    is_bot: bool = False
    version: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class StandUp:
    player: str
    ref: int


@dataclass(frozen=True, slots=True)
class FillSeats:
    player: str
    seat: Seat | None
    level: str | None
    ref: int


@dataclass(frozen=True, slots=True)
class StartGame:
    """``game`` is a fresh id for the game, ``secret`` a fresh secret for its first deal."""

    player: str
    game: str
    secret: bytes
    ref: int


@dataclass(frozen=True, slots=True)
class Act:
    """``action`` is a Code where it could not be read: it is refused where an illegal one would be."""

    player: str
    turn: int
    action: Action | Code
    ref: int


@dataclass(frozen=True, slots=True)
class SetAway:
    """``why`` is ``asked`` with the person's ref, or ``returned`` with ref 0 when a lost person is back."""

    player: str
    on: bool
    ref: int
    why: str = "asked"


@dataclass(frozen=True, slots=True)
class ActFor:
    """A bot's choice for decision ``turn``; ``why`` as in the entry Acted."""

    turn: int
    action: Action
    why: str


@dataclass(frozen=True, slots=True)
class DealHand:
    """Deal hand number ``hand``; ``secret`` is a fresh one for the hand after it."""

    hand: int
    secret: bytes


@dataclass(frozen=True, slots=True)
class Stir:
    """Add ``text`` to what the next hand is dealt from."""

    player: str
    text: str
    ref: int


@dataclass(frozen=True, slots=True)
class GiveTime:
    """Give the one who thinks about decision ``turn`` more time."""

    player: str
    turn: int
    ref: int


@dataclass(frozen=True, slots=True)
class Credit:
    """Let the own time of decision ``turn`` end at ``end_ms``, if it would sooner. Said twice, it is done once."""

    turn: int
    end_ms: int
    why: str


@dataclass(frozen=True, slots=True)
class PassHost:
    """Make ``to`` the host in place of ``gone``, who is not connected any more."""

    gone: str
    to: str


@dataclass(frozen=True, slots=True)
class Close:
    """``only_deserted``: not if somebody sits here by the time it is decided."""

    why: str
    only_deserted: bool = False


Asked: TypeAlias = SitDown | StandUp | FillSeats | StartGame | Act | SetAway | Stir | GiveTime
"""What players ask for; the rest is the server's own."""
Command: TypeAlias = Asked | ActFor | DealHand | Credit | PassHost | Close


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command is not taken. ``code`` is a RefusalCode or an engine Code, as the wire spells it.

    ``retry_ms`` is when to try again, where that helps and is not the usual.
    """

    code: str
    detail: str
    retry_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The command is in the log already, as entry ``seq``: answer it again, do nothing."""

    seq: int
