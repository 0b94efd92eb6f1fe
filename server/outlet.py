"""The one thing the rest of the server knows of a connection: encoded messages go in, in order, and never wait."""

from __future__ import annotations

from typing import Protocol

from protocol.codec import Codec, Encoded


class Outlet(Protocol):
    """Where messages for one peer go."""

    @property
    def codec(self) -> Codec:
        """How the peer's messages are encoded."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether the peer has yet to take so much that what can be told anew later had better not be sent now.

        Where it was, the session hears of it as soon as there is room.
        """
        ...

    def send(self, *parts: Encoded) -> None:
        """Queue messages, which go out together. A peer that does not keep up is closed; the caller never hears."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Send what is queued, then close with *code*."""
        ...
