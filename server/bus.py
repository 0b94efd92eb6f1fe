"""Words between nodes that need not survive: chat, presence, "this player is connected here now".

Best effort: a message may be lost, and nothing that matters depends on one. What must not be lost goes into a log.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

from server.listeners import Listeners
from server.log import End

Hear: TypeAlias = Callable[[bytes], None]

_NODE_BYTES: Final = 9


class Bus(Protocol):
    """The port of all back ends."""

    @property
    def node(self) -> str:
        """This node's id, made at random when it starts."""
        ...

    def publish(self, channel: str, message: bytes) -> None:
        """Send *message* to every other node that listens to *channel*; the own one does not hear itself. Never waits.

        A message may be lost. Those of one node to one channel come in order, and none comes twice.
        """
        ...

    def listen(self, channel: str, hear: Hear) -> End:
        """Call *hear*, on the loop, with what other nodes publish to *channel*."""
        ...


def new_node() -> str:
    """Return an id for a node, unlike any other's."""
    return f"n_{secrets.token_urlsafe(_NODE_BYTES)}"


class MemoryBus:
    """A node's end of a bus within one process: what it publishes, the other ends on the same *hub* hear."""

    def __init__(self, hub: dict[str, Listeners[[bytes]]] | None = None) -> None:
        self._node = new_node()
        self._listeners: Listeners[[bytes]] = Listeners()
        self._hub = {} if hub is None else hub
        self._hub[self._node] = self._listeners

    @property
    def node(self) -> str:
        return self._node

    def publish(self, channel: str, message: bytes) -> None:
        for node, listeners in self._hub.items():
            if node != self._node:
                listeners.tell(channel, message)

    def listen(self, channel: str, hear: Hear) -> End:
        return self._listeners.add(channel, hear)
