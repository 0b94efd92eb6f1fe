"""Who is told of one table on this node, and how far: events to those who follow, a view to those who cannot."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from engine.view import WATCHER, Viewer
from protocol import outgoing
from protocol.codes import SayPreset
from server.attendance import Attendance
from server.log import NowMs
from server.outlet import Outlet
from server.table import Happening, TableState, viewer_of
from server.telling import Bulletin, plain_happenings, prompt_message, view_message

HISTORY: Final = 64
"""Entries whose events are kept for those who come back; whoever missed more gets a view."""

History = deque[tuple[int, tuple[Happening, ...]]]


@dataclass(eq=False, slots=True)
class Subscriber:
    """Who is told: a player's outlet, as whom he sees the table, and the last entry he was told of.

    ``is_behind``: a watcher did not get what happened, because he has yet to take what he was sent before.
    """

    player: str
    outlet: Outlet
    viewer: Viewer
    told: int = 0
    is_behind: bool = False


class Audience:
    """The subscribers of a table on this node; what it knows of those on others is its Attendance."""

    def __init__(self, table: str, state: TableState, history: History, attendance: Attendance, now_ms: NowMs) -> None:
        self._table = table
        self._state = state
        self._history = history
        self._attendance = attendance
        self._now_ms = now_ms
        self._subscribers: dict[str, Subscriber] = {}
        self._loop = asyncio.get_running_loop()
        self._here_empty_since = self._all_empty_since = self._loop.time()
        self._is_attended = False
        self._online: dict[int, tuple[str, bool]] = {}
        """Whom the subscribers last heard to be connected, or not, by seat."""
        self._gone_since: dict[str, float] = {}
        """Since when those who sit here and are not connected to any node have not been."""
        self.attended()

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody is connected to the table on this node."""
        return not self._subscribers

    @property
    def here_idle_s(self) -> float:
        """How long nobody has been connected to the table on this node; 0 while somebody is."""
        return 0.0 if self._subscribers else self._loop.time() - self._here_empty_since

    @property
    def idle_s(self) -> float:
        """How long nobody has been connected to the table, on any node; 0 while somebody is."""
        return 0.0 if self._is_attended else self._loop.time() - self._all_empty_since

    @property
    def watchers(self) -> int:
        """How many look on, on any node."""
        return self.attendance()[1] + self._attendance.watchers

    def __contains__(self, player: str) -> bool:
        return player in self._subscribers

    # ── coming and going ─────────────────────────────────────────────────────────────────────────────────────────────

    def add(self, player: str, outlet: Outlet, *, cursor: int | None) -> None:
        """Tell *outlet* of the table from now on: first what it missed since entry *cursor*, or a view."""
        subscriber = Subscriber(player, outlet, viewer_of(self._state, player))
        self._subscribers[player] = subscriber
        self._catch_up(subscriber, cursor)

    def remove(self, player: str, outlet: Outlet | None = None) -> bool:
        """Tell the player no more, unless he has another than *outlet* by now; tell whether that is so."""
        subscriber = self._subscribers.get(player)
        if subscriber is None or outlet not in (None, subscriber.outlet):
            return False
        del self._subscribers[player]
        if not self._subscribers:
            self._here_empty_since = self._loop.time()
        return True

    def expect(self) -> None:
        """Take it that somebody may be about to come: the table has not been idle here until now."""
        self._here_empty_since = self._loop.time()

    def attended(self) -> None:
        """Take it that who is connected changed, here or on another node: tell the others of those who sit here."""
        before = self._online
        self._note_online()
        for seat, (player, online) in self._online.items():
            if before.get(seat) != (player, online):
                message = outgoing.presence(self._table, seat, online=online)
                for subscriber in self._subscribers.values():
                    if subscriber.player != player and not _leave_out(subscriber):
                        _send(subscriber, message)
        was_attended, self._is_attended = self._is_attended, bool(self._subscribers) or not self._attendance.is_empty
        if was_attended and not self._is_attended:
            self._all_empty_since = self._loop.time()

    def gone_s(self, player: str) -> float:
        """How long somebody who sits here has not been connected to any node; 0 while he is."""
        since = self._gone_since.get(player)
        return 0.0 if since is None else self._loop.time() - since

    def attendance(self) -> tuple[list[str], int]:
        """Return who of those connected to this node sits at the table, and how many look on."""
        chairs = self._state.room.chairs
        players = [chair.player for chair in chairs if chair.player is not None and chair.player in self._subscribers]
        return players, len(self._subscribers) - len(players)

    def _note_online(self) -> None:
        connected = self._connected()
        self._online = {
            seat: (chair.player, chair.player in connected)
            for seat, chair in enumerate(self._state.room.chairs)
            if chair.player is not None
        }

        now = self._loop.time()
        self._gone_since = {
            player: self._gone_since.get(player, now) for player, online in self._online.values() if not online
        }

    def _connected(self) -> set[str]:
        return self._attendance.players | self._subscribers.keys()

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def publish(self, state: TableState, happenings: tuple[Happening, ...], at_ms: int) -> None:
        """Send everyone his share of the latest entry, then the prompt."""
        self._state = state
        seq = state.seq
        self._history.append((seq, happenings))
        bulletin = Bulletin(self._table, state, happenings, now_ms=at_ms)
        for subscriber in self._subscribers.values():
            if subscriber.told < seq:  # else he was shown the table as it is now a moment ago
                subscriber.told = seq
                if _leave_out(subscriber):
                    continue
                subscriber.outlet.send(*bulletin.parts_for(subscriber.outlet.codec, subscriber.viewer))

    def seated(self, seat: int) -> None:
        """Take it that those who heard of a person in *seat* take him for connected."""
        player = self._state.room.chairs[seat].player
        if player is not None:
            self._online[seat] = player, True

    def begin(self, state: TableState, players: Iterable[str]) -> None:
        """Show the table anew to *players*, who play from the latest entry on and watched until then."""
        self._state = state
        for player in players:
            subscriber = self._subscribers.get(player)
            if subscriber is not None:
                subscriber.viewer = viewer_of(state, player)
                self._show(subscriber)

    def start_over(self, state: TableState, history: History) -> None:
        """Show everyone the table anew, which was folded again from its log."""
        self._state, self._history = state, history
        self._note_online()
        for subscriber in self._subscribers.values():
            subscriber.viewer = viewer_of(state, subscriber.player)
            self._show(subscriber)

    def sync(self, player: str, cursor: int) -> None:
        """Send the player what came after entry *cursor*, and the prompt."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None:
            self._catch_up(subscriber, cursor)

    def show(self, player: str) -> None:
        """Send the player a fresh view and the prompt."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None:
            self._show(subscriber)

    def catch_up(self, player: str, outlet: Outlet) -> None:
        """Show a watcher the table as it is now, if something was left out while *outlet* was behind."""
        subscriber = self._subscribers.get(player)
        if subscriber is not None and subscriber.outlet is outlet and subscriber.is_behind:
            self._show(subscriber)

    def chat(self, seat: int | None, name: str, *, text: str | None, preset: SayPreset | None) -> None:
        """Pass on what a player or watcher said, on any node."""
        message = outgoing.chat(self._table, seat, name, text=text, preset=preset)
        for subscriber in self._subscribers.values():
            if not _leave_out(subscriber):
                _send(subscriber, message)

    def broadcast(self, message: outgoing.ServerMessage) -> None:
        """Send everyone here the same."""
        for subscriber in self._subscribers.values():
            _send(subscriber, message)

    def _catch_up(self, subscriber: Subscriber, cursor: int | None) -> None:
        if cursor is None or not self._can_resume(subscriber, cursor):
            self._send_view(subscriber)
        else:
            rules = self._state.room.rules
            for seq, happenings in self._history:
                if seq > cursor:
                    plain = plain_happenings(happenings, subscriber.viewer, rules)
                    _send(subscriber, outgoing.event(self._table, seq, plain))
            subscriber.told = self._state.seq
            self._send_presences(subscriber)
        self._send_prompt(subscriber)

    def _can_resume(self, subscriber: Subscriber, cursor: int) -> bool:
        seq = self._state.seq
        first = self._history[0][0] if self._history else seq + 1
        if not max(first - 1, 1) <= cursor <= seq:
            return False
        # Events from before the viewer sat down, or was dealt in, were another viewer's.
        return subscriber.viewer == WATCHER or self._state.room.chairs[subscriber.viewer].since <= cursor

    def _send_presences(self, subscriber: Subscriber) -> None:
        """Send who is connected, which no entry tells and a subscriber who was away cannot know."""
        connected = self._connected()
        for seat, chair in enumerate(self._state.room.chairs):
            if chair.player is not None and chair.player != subscriber.player:
                _send(subscriber, outgoing.presence(self._table, seat, online=chair.player in connected))

    def _show(self, subscriber: Subscriber) -> None:
        subscriber.is_behind = False
        self._send_view(subscriber)
        self._send_prompt(subscriber)

    def _send_view(self, subscriber: Subscriber) -> None:
        message = view_message(
            self._table, self._state, subscriber.viewer, online=self._connected(), watchers=self.watchers
        )
        _send(subscriber, message)
        subscriber.told = self._state.seq

    def _send_prompt(self, subscriber: Subscriber) -> None:
        play = self._state.play
        to_actor = play is not None and play.decision is not None and play.decision.seat == subscriber.viewer
        message = prompt_message(self._table, self._state, to_actor=to_actor, now_ms=self._now_ms())
        if message is not None:
            _send(subscriber, message)


def _leave_out(subscriber: Subscriber) -> bool:
    """Spare a watcher who does not keep up the news, and tell whether that is so: he gets a view when he has caught up.

    A seat gets every event, or is closed as too slow and resumes.
    """
    if subscriber.viewer == WATCHER and subscriber.outlet.is_behind:
        subscriber.is_behind = True
    return subscriber.is_behind


def _send(subscriber: Subscriber, message: outgoing.ServerMessage) -> None:
    subscriber.outlet.send(subscriber.outlet.codec.encode(message))
