"""The nodes of one house: which of them live, and which of several is to do what, without asking.

Every node says on the bus that it lives; one that was not heard of for a while is gone. From the living ones all work
out alike who comes first (rendezvous hashing), so that each does its part and nobody has to be told. Where they differ
for a moment two do the same thing, and the log takes it once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from typing import Any, Final

import msgpack

from server.bus import Bus

CHANNEL: Final = "nodes"
BEAT_EVERY_S: Final = 1.0
GONE_AFTER_S: Final = 4.0
_MEETING_S: Final = 0.3


class Peers:
    """The other nodes, as far as this one heard. ``came_or_went`` is called with a node and whether it lives."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.came_or_went: list[Callable[[str, bool], None]] = []
        self.connected: Callable[[str, tuple[int, str], bool], None] = lambda _player, _since, _is_renewed: None
        """Called with a player who connected to another node, when and where, and whether with a new token."""
        self._heard: dict[str, float] = {}
        self._loop = asyncio.get_running_loop()
        self._end = bus.listen(CHANNEL, self._hear)

    @property
    def node(self) -> str:
        """This node's id."""
        return self.bus.node

    @property
    def others(self) -> AbstractSet[str]:
        """The other nodes that live."""
        return self._heard.keys()

    async def meet(self) -> None:
        """Say that we are here and hear who else is."""
        self._say("here", ask=True)
        await asyncio.sleep(_MEETING_S)

    def beat(self) -> None:
        """Say that we live, and find out who was not heard of for too long; to be called every BEAT_EVERY_S."""
        self._say("here", ask=False)
        before = self._loop.time() - GONE_AFTER_S
        for node in [node for node, heard in self._heard.items() if heard < before]:
            self._lost(node)

    def leave(self) -> None:
        """Say that we go, and hear no more."""
        self._say("gone")
        self._end()

    def tell_connected(self, player: str, since: tuple[int, str], *, is_renewed: bool) -> None:
        """Tell the others that a player's newest connection is here; *since* orders it among his others.

        *is_renewed*: he came with a new token, and the one of his others is worthless.
        """
        self._say("player", player=player, since=since, renewed=is_renewed)

    def is_keeper(self, table: str) -> bool:
        """Tell whether this node is the one that always holds *table*, so that somebody does."""
        return self.rank(table, self.others) == 0

    def rank(self, key: str, nodes: Iterable[str]) -> int:
        """Return how many of the other *nodes* that live come before this one at what *key* names."""
        if not self._heard:
            return 0
        mine = _place(self.node, key)
        return sum(_place(node, key) < mine for node in nodes if node in self._heard)

    def _say(self, kind: str, **fields: object) -> None:
        self.bus.publish(CHANNEL, msgpack.packb({"k": kind, "node": self.node, **fields}))

    def _hear(self, message: bytes) -> None:
        said: dict[str, Any] = msgpack.unpackb(message)
        node = said["node"]
        if said["k"] == "gone":
            self._lost(node)
            return
        is_new = node not in self._heard
        self._heard[node] = self._loop.time()
        if is_new:
            self._tell(node, lives=True)
        if said["k"] == "here" and said["ask"]:
            self._say("here", ask=False)
        elif said["k"] == "player":
            at_ms, where = said["since"]
            self.connected(said["player"], (at_ms, where), said.get("renewed", False))

    def _lost(self, node: str) -> None:
        if self._heard.pop(node, None) is not None:
            self._tell(node, lives=False)

    def _tell(self, node: str, *, lives: bool) -> None:
        for tell in self.came_or_went:
            tell(node, lives)


def _place(node: str, key: str) -> bytes:
    return hashlib.blake2b(f"{node} {key}".encode(), digest_size=8).digest()
