"""What a client session tells its user interface, one value for each thing worth showing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from protocol.codes import SAY_PRESETS, SayPreset
from protocol.follower import Happening, TableFollower
from protocol.outgoing import MyTable, NoticeKind, Ok, PlayerInfo, Pong, Prompt, Refused, ServerInfo


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The server knows us; ``tables`` are those we sit at."""

    player: PlayerInfo
    tables: tuple[MyTable, ...]
    server: ServerInfo


@dataclass(frozen=True, slots=True)
class Answered:
    """A message of ours was answered; ``request`` is that message, None when the session did not send it."""

    ref: int | None
    request: dict[str, Any] | None
    answer: Ok | Pong | Refused

    @property
    def refusal(self) -> Refused | None:
        """The answer if it is a refusal."""
        return self.answer if self.answer["t"] == "refused" else None


@dataclass(frozen=True, slots=True)
class EventsArrived:
    """The next entry of a table; ``after`` is the table as it then stood."""

    table: str
    seq: int
    events: tuple[Happening, ...]
    after: TableFollower


@dataclass(frozen=True, slots=True)
class ViewArrived:
    """A snapshot of a table replaced what we knew of it."""

    table: str
    after: TableFollower


@dataclass(frozen=True, slots=True)
class PromptArrived:
    """A decision is open; times in ``prompt`` count from now."""

    table: str
    prompt: Prompt
    after: TableFollower

    @property
    def is_mine(self) -> bool:
        """Whether we are the seat to act, and not about to be (`TableFollower.waits`)."""
        return self.prompt["seat"] == self.after.seat and not self.after.waits


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A person's connection came or went."""

    table: str
    seat: int
    online: bool


@dataclass(frozen=True, slots=True)
class Chatted:
    """Somebody said something; ``seat`` is None for a watcher. Exactly one of ``text`` and ``preset`` is there."""

    table: str
    seat: int | None
    name: str
    text: str | None
    preset: SayPreset | None

    @property
    def line(self) -> str:
        """What was said, in English where it is a preset."""
        return SAY_PRESETS[self.preset] if self.preset is not None else self.text or ""


@dataclass(frozen=True, slots=True)
class Noticed:
    """The server says something about itself or a table; ``in_ms`` is when it restarts."""

    kind: NoticeKind
    detail: str
    table: str | None
    retry_ms: int | None
    in_ms: int | None = None


@dataclass(frozen=True, slots=True)
class TableGone:
    """We follow a table no more: we left, it closed, or our seat or place among the watchers is gone.

    ``why`` is the server's word for it, where it gave one.
    """

    table: str
    why: str | None = None


Update: TypeAlias = (
    Welcomed | Answered | EventsArrived | ViewArrived | PromptArrived | PresenceChanged | Chatted | Noticed | TableGone
)
