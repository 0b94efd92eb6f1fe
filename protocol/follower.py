"""One table as a client knows it: a fold of views, events and prompts (PROTOCOL.md, "Following a table")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from engine.cards import Seat
from engine.events import Event, GameOver
from engine.plain import EVENT_KINDS, event_from_plain, view_from_plain
from engine.state import Phase
from engine.view import WATCHER, View, advance
from protocol.outgoing import EventMessage, Prompt, TableInfo, ViewMessage
from protocol.table_events import GameStarted, TableEvent, fold_table, table_event_from_plain

Happening: TypeAlias = Event | TableEvent


@dataclass(frozen=True, slots=True)
class TableFollower:
    """A table after entry ``seq``.

    Before the first view ``seq`` and ``info`` are None. ``seat`` is the client's own, None for a watcher. ``view`` is
    None until a game was started. ``prompt`` is the open decision, None when there is none or it is not known yet.
    """

    table: str
    seat: Seat | None
    seq: int | None = None
    info: TableInfo | None = None
    view: View | None = None
    prompt: Prompt | None = None

    @property
    def waits(self) -> bool:
        """Whether we sat down in mid-hand: a bot plays the hand to its end, and we see and play the next."""
        return self.seat is not None and self.view is not None and self.view.viewer == WATCHER

    @property
    def is_playing(self) -> bool:
        """Whether a game is on."""
        return self.info is not None and self.info["state"] == "playing"

    def shown(self, message: ViewMessage) -> TableFollower:
        """Return the follower after a snapshot, which replaces all but, if nothing moved, the prompt."""
        game = message["view"]["game"]
        view = None if game is None else view_from_plain(game)
        seat = self.seat if view is None or view.viewer == WATCHER else view.viewer
        prompt = self.prompt if message["seq"] == self.seq else None
        return TableFollower(self.table, seat, message["seq"], message["view"]["table"], view, prompt)

    def told(self, message: EventMessage) -> tuple[TableFollower, tuple[Happening, ...]]:
        """Return the follower after the next entry, and what happened; events of unknown kinds are left out."""
        happenings = read_events(message["events"])
        after = replace(self, seq=message["seq"])
        for happening in happenings:
            after = after.after(happening)
        return after, happenings

    def prompted(self, prompt: Prompt) -> TableFollower:
        """Return the follower with *prompt* as the open decision; it tells the view's phase and seat to act, too."""
        view = self.view and replace(self.view, phase=_phase(prompt["phase"]), to_act=prompt["seat"])
        return replace(self, prompt=prompt, view=view)

    def after(self, happening: Happening) -> TableFollower:
        """Return the follower after one happening; one of the game's closes the decision that was open."""
        if isinstance(happening, TableEvent):
            info = self.info and fold_table(self.info, happening)
            if not isinstance(happening, GameStarted):
                return replace(self, info=info)
            return replace(self, info=info, view=View(WATCHER if self.seat is None else self.seat), prompt=None)
        view = self.view and advance(self.view, happening)
        if not isinstance(happening, GameOver):
            return replace(self, view=view, prompt=None)
        return replace(self, info=self.info and {**self.info, "state": "over"}, view=view, prompt=None)


def read_events(events: Sequence[dict[str, Any]]) -> tuple[Happening, ...]:
    """Read the plain events of one message, in order; kinds this version does not know are left out.

    Raises KeyError where a field is missing.
    """
    read = (event_from_plain(plain) if plain["e"] in EVENT_KINDS else table_event_from_plain(plain) for plain in events)
    return tuple(happening for happening in read if happening is not None)


def _phase(name: str) -> Phase | None:
    return Phase(name) if name in set(Phase) else None
