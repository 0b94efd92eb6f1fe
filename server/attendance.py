"""Who is connected to one table, on every node: each tells the others who is there with it, whole and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

import msgpack

from server.peers import Peers

_ANSWER_LIMIT_S: Final = 0.25
"""How long a node that takes up a table waits to hear who else has it."""


@dataclass(frozen=True, slots=True)
class _There:
    """What another node said: the players it has connected who sit at the table, and how many look on."""

    players: frozenset[str]
    watchers: int
    is_asleep: bool


class Attendance:
    """What the other nodes that hold a table said of it. ``news`` is called when that changed."""

    def __init__(self, table: str, peers: Peers) -> None:
        self._table = table
        self._peers = peers
        self._there: dict[str, _There] = {}
        self._told: dict[str, Any] | None = None
        self._answered = asyncio.Event()
        self.news: Callable[[], None] = lambda: None
        self.said: Callable[[dict[str, Any]], None] = lambda _message: None
        """Called with a chat message from another node."""
        self._end = peers.bus.listen(table, self._hear)

    @property
    def nodes(self) -> Collection[str]:
        """The other nodes that hold the table."""
        return self._there.keys()

    @property
    def players(self) -> set[str]:
        """Who sits at the table and is connected to another node."""
        return {player for there in self._there.values() for player in there.players}

    @property
    def watchers(self) -> int:
        """How many look on from other nodes."""
        return sum(there.watchers for there in self._there.values())

    @property
    def is_empty(self) -> bool:
        """Tell whether nobody is connected to another node."""
        return not any(there.players or there.watchers for there in self._there.values())

    async def ask(self) -> bool:
        """Ask the other nodes who is there; tell whether any of them serves the table, awake."""
        if not self._peers.others:
            return False
        self._say("ask")
        try:
            async with asyncio.timeout(_ANSWER_LIMIT_S):
                while all(there.is_asleep for there in self._there.values()):
                    self._answered.clear()
                    await self._answered.wait()
        except TimeoutError:
            return False
        return True

    def tell(self, players: Collection[str], watchers: int, *, is_asleep: bool) -> None:
        """Tell the other nodes who is here."""
        self._told = {"players": sorted(players), "watchers": watchers, "asleep": is_asleep}
        self.tell_again()

    def tell_again(self) -> None:
        """Tell the other nodes what they were told, for those who missed it."""
        if self._told is not None and self._peers.others:
            self._say("here", **self._told)

    def say(self, message: dict[str, Any]) -> None:
        """Pass a chat message on to the other nodes."""
        if self._there:
            self._say("chat", message=message)

    def forget(self, node: str) -> None:
        """Take it that nobody is at *node* any more."""
        if self._there.pop(node, None) is not None:
            self.news()

    def end(self) -> None:
        """Tell the other nodes that the table is not held here any more."""
        self._end()
        if self._told is not None and self._peers.others:
            self._say("gone")

    def _say(self, kind: str, **fields: object) -> None:
        self._peers.bus.publish(self._table, msgpack.packb({"k": kind, "node": self._peers.node, **fields}))

    def _hear(self, message: bytes) -> None:
        said: dict[str, Any] = msgpack.unpackb(message)
        match said["k"]:
            case "ask":
                self.tell_again()
            case "here":
                there = _There(frozenset(said["players"]), said["watchers"], said["asleep"])
                if self._there.get(said["node"]) != there:
                    self._there[said["node"]] = there
                    self.news()
                self._answered.set()
            case "gone":
                self.forget(said["node"])
            case "chat":
                self.said(said["message"])
            case _:
                pass  # a newer node's word
