"""How much one peer, player or address may do in a time. Pure: the clock is passed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_KEPT_BUCKETS: Final = 20_000
"""Of each kind. Beyond them the one unused for longest is dropped: whoever it belonged to begins with a full one."""
_SLACK_S: Final = 1e-6
"""What sums of floats may be off by."""


@dataclass(frozen=True, slots=True)
class Rate:
    """*burst* at once, and from then on one more every *every_s* seconds."""

    burst: int
    every_s: float


UNLIMITED: Final = Rate(burst=1, every_s=0)


class Kind(StrEnum):
    """What is counted, and whose it is."""

    HANDSHAKE = "handshake"
    """Connections of an address."""
    GUEST = "guest"
    """Players made from an address."""
    MESSAGE = "message"
    """Messages of a connection, and of a player over all his connections."""
    CREATE = "create"
    """Tables made by a player."""
    SAY = "say"
    """Lines of chat of a player."""
    ANALYSE = "analyse"
    """Hands a player has looked at: each makes the server follow a whole game."""
    OVERRUN = "overrun"
    """Messages of a connection refused for their number; one that goes on is closed."""


RATES: Final[Mapping[Kind, Rate]] = {
    Kind.HANDSHAKE: Rate(256, 0.1),
    Kind.GUEST: Rate(128, 5),
    Kind.MESSAGE: Rate(200, 0.02),
    Kind.CREATE: Rate(20, 10),
    Kind.SAY: Rate(10, 2),
    Kind.ANALYSE: Rate(40, 1),
    Kind.OVERRUN: Rate(100, 1),
}
"""Far above what people do, and programs that play at eight tables at once with people's pauses."""
CONNECTIONS_OF_AN_ADDRESS: Final = 256
"""At a time. A school or a company may share one address."""


class Bucket:
    """Holds up to the rate's burst and fills by its pace. All it remembers is when it will be full again."""

    __slots__ = ("_full_at_s", "_rate")

    def __init__(self, rate: Rate) -> None:
        self._rate = rate
        self._full_at_s = 0.0

    def take(self, now_s: float) -> float:
        """Take one and return 0; or take none and return in how many seconds there is some again.

        That is a quarter of a full bucket, not the first drop, which all who were put off would come back for at once.
        """
        burst, every_s = self._rate.burst, self._rate.every_s
        full_at_s = max(self._full_at_s, now_s) + every_s
        missing_s = full_at_s - now_s - burst * every_s
        if missing_s > _SLACK_S:
            return missing_s + (max(1, burst // 4) - 1) * every_s
        self._full_at_s = full_at_s
        return 0.0


class Throttle:
    """Everybody's buckets. A kind without a rate is unlimited, and so is everything without *rates*."""

    def __init__(self, now_s: Callable[[], float], rates: Mapping[Kind, Rate] | None = None) -> None:
        self.now_s = now_s
        self.rates: Mapping[Kind, Rate] = rates or {}
        self._buckets: dict[Kind, dict[str, Bucket]] = {kind: {} for kind in Kind}

    def fresh(self, kind: Kind) -> Bucket:
        """Return a bucket that is nobody else's."""
        return Bucket(self.rates.get(kind, UNLIMITED))

    def of(self, kind: Kind, key: str) -> Bucket:
        """Return the bucket of *key*: the same one until too many others were asked for since."""
        buckets = self._buckets[kind]
        bucket = buckets.pop(key, None) or self.fresh(kind)
        buckets[key] = bucket
        if len(buckets) > _KEPT_BUCKETS:
            del buckets[next(iter(buckets))]
        return bucket

    def take(self, kind: Kind, key: str) -> float:
        """Take one of *key*'s and return 0, or return the seconds to wait."""
        return self.of(kind, key).take(self.now_s()) if kind in self.rates else 0.0
