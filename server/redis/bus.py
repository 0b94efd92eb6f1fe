"""The bus over Redis: sharded pub/sub, sent beside the appends and never waited for."""

from __future__ import annotations

from server.bus import Hear
from server.log import End
from server.redis.connections import Connections
from server.redis.hearing import Hearing


class RedisBus:
    """A node's end. Every message begins with the node's id, so that it does not hear itself."""

    def __init__(self, connections: Connections, hearing: Hearing, node: str) -> None:
        self._connections = connections
        self._hearing = hearing
        self._node = node
        self._mark = f"{node} ".encode()

    @property
    def node(self) -> str:
        return self._node

    def publish(self, channel: str, message: bytes) -> None:
        if self._connections.is_available:
            self._connections.writes.post("SPUBLISH", _name(channel), self._mark + message)

    def listen(self, channel: str, hear: Hear) -> End:
        def take(message: bytes | None) -> None:
            if message is not None and not message.startswith(self._mark):
                hear(message.partition(b" ")[2])

        return self._hearing.listen(_name(channel), take)


def _name(channel: str) -> str:
    return f"euchre:{{{channel}}}:bus"
