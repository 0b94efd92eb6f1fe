"""The log of a table: numbered entries without gaps, appended one at a time. Back ends: memory, SQLite and Redis.

One append, one check: an append succeeds only if the log's last number is the one before it. That is the whole
concurrency story of a table, on one node or many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

NowMs: TypeAlias = Callable[[], int]
"""A clock: milliseconds since 1970."""
Wake: TypeAlias = Callable[[int], None]
"""Told the number of the newest entry heard of; 0 where it is not known, and the log is to be read to find out."""
RETIRED_KEPT_S: Final = 7 * 24 * 60 * 60
"""How long the log of a closed table is kept where there is a disk. Its games are archived before."""
End: TypeAlias = Callable[[], None]
"""Ends what was begun by the call that returned it; a second call does nothing."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One entry of a log: its number, the back end's stamp in milliseconds since 1970, and its bytes."""

    seq: int
    at_ms: int
    entry: bytes


class ConflictError(Exception):
    """The log has an entry of that number, and it is another; nothing was written. Read what was missed."""


class LogTornError(Exception):
    """The log lacks, or has otherwise, entries that were acknowledged: its end was lost. Nothing was written.

    Whoever followed the log must stop there and never number anew; docs/operations.md says what to do.
    """


class LogUnavailableError(Exception):
    """The back end could not write or read. The entry is not in the log, as far as anybody can know."""


class Log(Protocol):
    """The port of all back ends; one contract suite tests them all."""

    @property
    def is_available(self) -> bool:
        """Whether the back end can be reached, as far as is known; while not, appends fail at once or soon."""
        ...

    def now_ms(self) -> int:
        """Return the time as the back end's stamps tell it. It goes on with the monotonic clock and never back."""
        ...

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        """Store *entry* as number *seq* and return its stamp, once it is durable. Stamps of a log never go back.

        Raises ConflictError where the log has another entry numbered *seq* (or *seq* is below 1), LogTornError where
        it has none numbered ``seq - 1`` to build upon, and LogUnavailableError.
        """
        ...

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        """Return every entry numbered above *after*, in order; none for an unknown table.

        Raises LogTornError where what was read or appended before is no longer there, and LogUnavailableError.
        """
        ...

    def watch(self, table: str, wake: Wake) -> End:
        """Call *wake*, on the loop, soon after another node appended to the table. It must not raise.

        It may be called for nothing, or for an entry that is known, such as the caller's own, also before he has the
        answer to his append. Where a back end can miss an append of another node, it looks again by itself within
        seconds.
        """
        ...

    async def tables(self) -> Sequence[str]:
        """Return the tables whose log is open, in the order they were made. Raises LogUnavailableError."""
        ...

    async def retire(self, table: str) -> None:
        """List the log no more among `tables`: the table is closed for good. The log itself is kept a while yet."""
        ...

    async def delete(self, table: str) -> None:
        """Forget the table's log; a later append starts anew at 1."""
        ...

    async def close(self) -> None:
        """Write what is on its way and let go of the back end."""
        ...


def steady_clock() -> NowMs:
    """Return a clock that begins with the wall clock and goes on with the monotonic one, whoever sets the former."""
    began_ns = time.time_ns() - time.monotonic_ns()
    return lambda: (began_ns + time.monotonic_ns()) // 1_000_000
