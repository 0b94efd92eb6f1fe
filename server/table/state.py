"""What a table is: its room, its game, and the commands it knows again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from engine.actions import Action
from engine.cards import Seat
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game
from engine.view import WATCHER, Viewer
from server.clock import GIFT_MS, MOST_GIFTS, Clock, Decision
from server.entries import Entry, Opened

SeatKind: TypeAlias = Literal["open", "human", "bot"]
StandIn: TypeAlias = Literal["bot", "away", "clock"]
LEVELS: Final = ("easy", "standard", "hard", "expert")
"""Levels of the house's bots, weakest first."""


@dataclass(frozen=True, slots=True)
class Chair:
    """One seat: ``player`` is a person's id, ``level`` a bot's. ``since`` is the entry from which on it is his.

    ``waits`` is a person who sat down in mid-hand: the bot that was there, of ``level``, plays the hand to its end and
    he sees and plays the next. ``misses`` counts decisions in a row that ran out of time. A
    player who ``is_program`` is an external bot: at the table like a person, and shown to everybody as a bot, with its
    ``version`` and its ``owner``'s name where there are any.
    """

    kind: SeatKind = "open"
    player: str | None = None
    name: str | None = None
    level: str | None = None
    away: bool = False
    since: int = 0
    misses: int = 0
    waits: bool = False
    is_program: bool = False
    version: str | None = None
    owner: str | None = None

    @property
    def stand_in(self) -> StandIn:
        """Who decides for the seat: the bot in it, one for a person who is away, or one when the clock is over."""
        return "bot" if self.kind == "bot" or self.waits else "away" if self.away else "clock"

    @property
    def shown_kind(self) -> SeatKind:
        """What everybody is told sits here: an external bot is a bot, one without a level."""
        return "bot" if self.is_program else self.kind


@dataclass(frozen=True, slots=True)
class Room:
    """The table beside its game. ``host`` is a player's id, None when no person sits here any more."""

    opened: Opened
    rules: Rules
    clock: Clock
    chairs: tuple[Chair, Chair, Chair, Chair]
    host: str | None
    closed: bool = False

    def seat_of(self, player: str) -> Seat | None:
        """Return where *player* sits, None if nowhere here."""
        for seat, chair in enumerate(self.chairs):
            if chair.player == player:
                return seat
        return None

    def names_beside(self, seat: Seat) -> list[str]:
        """Return what those in the other seats are called."""
        return [chair.name for at, chair in enumerate(self.chairs) if at != seat and chair.name is not None]

    @property
    def host_seat(self) -> Seat | None:
        """Where the host sits."""
        return None if self.host is None else self.seat_of(self.host)


Entropy: TypeAlias = tuple[str, str, str, str]
_NO_ENTROPY: Final[Entropy] = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class Deals:
    """What hands are dealt from: the next one's ``secret`` and the seats' entropy so far (the fair deal).

    ``dealt`` is the same of the hand in play, to be revealed when it is over; None between hands.
    """

    secret: bytes
    entropy: Entropy = _NO_ENTROPY
    dealt: tuple[bytes, Entropy] | None = None


@dataclass(frozen=True, slots=True)
class Play:
    """The game at the table, the latest if one is over; ``number`` counts this table's games from 1.

    ``legal`` are the actions of the open decision, none where there is none. ``since_ms`` stamps the entry the game was
    last moved by.
    """

    id: str
    number: int
    deals: Deals
    game: Game
    decision: Decision | None
    legal: tuple[Action, ...]
    banks_ms: tuple[int, int, int, int]
    since_ms: int


Known: TypeAlias = Mapping[int, tuple[Entry, int]]
"""Commands of a player that are in the log, by ref, the latest last: the entry each became, and its number."""


@dataclass(frozen=True, slots=True)
class TableState:
    """A table after entry ``seq``. ``known`` has each player's latest commands."""

    seq: int
    room: Room
    play: Play | None = None
    known: Mapping[str, Known] = field(default_factory=dict)

    @property
    def is_playing(self) -> bool:
        """Tell whether a game is on."""
        return self.play is not None and not isinstance(self.play.game.stage, Finished)

    @property
    def awaits_deal(self) -> bool:
        """Tell whether a game waits for the next deal."""
        return self.play is not None and isinstance(self.play.game.stage, AwaitingDeal)

    @property
    def is_in_hand(self) -> bool:
        """Tell whether a hand is dealt and not over."""
        return self.play is not None and not isinstance(self.play.game.stage, AwaitingDeal | Finished)

    @property
    def is_botted(self) -> bool:
        """Tell whether a bot takes the open decision: its own seat's, or for a person who is away."""
        decision = None if self.play is None else self.play.decision
        return decision is not None and self.room.chairs[decision.seat].stand_in != "clock"

    @property
    def has_thinker(self) -> bool:
        """Tell whether a person takes the open decision, and a clock runs for him."""
        decision = None if self.play is None else self.play.decision
        if decision is None or self.is_botted or self.room.clock.turn_ms is None:
            return False
        return not self.room.chairs[decision.seat].is_program

    @property
    def gift_ms(self) -> int | None:
        """How much time the others may give the one who thinks; None where they may not, or not any more."""
        decision = None if self.play is None else self.play.decision
        return GIFT_MS if decision is not None and self.has_thinker and decision.gifts < MOST_GIFTS else None


def viewer_of(state: TableState, player: str) -> Viewer:
    """Return as whom *player* sees the table: his seat, or a watcher until the deal he sits down for."""
    seat = state.room.seat_of(player)
    return WATCHER if seat is None or state.room.chairs[seat].waits else seat
