"""What a client does when its connection is gone. Pure: who waits, and on which clock, is the caller's business."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from protocol.codes import CloseCode

_FIRST_DELAY_MS: Final = 500
_LONGEST_DELAY_MS: Final = 15_000
_RATE_LIMIT_DELAY_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Reconnect:
    """Connect again after this time, to any server of the address, and resume.

    ``as_new_player``: the token is worth nothing any more; forget it, and tell the person so.
    """

    after_ms: int
    as_new_player: bool = False


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Do not connect again by yourself; ``reason`` is a sentence for the person."""

    reason: str


Advice: TypeAlias = Reconnect | GiveUp

_FINAL: Final[dict[int, str]] = {
    CloseCode.NORMAL: "the server ended the connection",
    CloseCode.FRAME_TOO_BIG: "this client sent a message too big for the server",
    CloseCode.REPLACED: "you are connected from another window or device",
    CloseCode.TOKEN_RENEWED: "a new link was made for you elsewhere, and the one known here is worth nothing any more",
    CloseCode.PROTOCOL_VIOLATION: "this client and the server do not understand each other",
    # WebSocket's own: protocol error, unsupported data, invalid payload, policy, missing extension.
    1002: "this client and the server do not understand each other",
    1003: "this client and the server do not understand each other",
    1007: "this client and the server do not understand each other",
    1008: "the server refuses this client",
    1010: "this client and the server do not understand each other",
}
_APPLICATION_CODES: Final = range(4000, 5000)
_OURS_TO_RETRY: Final = frozenset(
    {CloseCode.TOKEN_REFUSED, CloseCode.TOO_SLOW, CloseCode.RATE_LIMIT, CloseCode.DRAINING}
)


def advice_for_close(code: int | None, *, attempt: int, jitter: float, retry_ms: int | None = None) -> Advice:
    """Say what to do after a close with *code*; None is a connection lost, or never made, without one.

    *attempt* counts from 0 since the last welcome, *jitter* is a fresh random number in [0, 1), and *retry_ms* is what
    the last ``drain`` notice asked for.
    """
    if code is None:
        return Reconnect((retry_ms or 0) + backoff_ms(attempt, jitter))
    if code in _FINAL:
        return GiveUp(_FINAL[code])
    if code in _APPLICATION_CODES and code not in _OURS_TO_RETRY:
        return GiveUp(f"the server ended the connection with code {code}, which this client does not know")
    least = _RATE_LIMIT_DELAY_MS if code == CloseCode.RATE_LIMIT else retry_ms or 0
    return Reconnect(least + backoff_ms(attempt, jitter), as_new_player=code == CloseCode.TOKEN_REFUSED)


def backoff_ms(attempt: int, jitter: float) -> int:
    """Return how long to wait: half a second doubling to fifteen, of which *jitter* in [0, 1) takes up to half away."""
    longest = min(_LONGEST_DELAY_MS, _FIRST_DELAY_MS << min(attempt, 10))
    return round(longest * (1 - jitter / 2))
