"""The log of a table: numbered entries without gaps, appended one at a time. Back ends: memory and SQLite.

One append, one check: an append succeeds only if the log's last number is the one before it. That is the whole
concurrency story of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

NowMs: TypeAlias = Callable[[], int]
"""The node's clock: milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One entry of a log: its number, the back end's stamp in milliseconds since 1970, and its bytes."""

    seq: int
    at_ms: int
    entry: bytes


class ConflictError(Exception):
    """The log's last number is not the one the append expected; nothing was written. Read what was missed."""


class LogUnavailableError(Exception):
    """The back end could not write. The entry is not in the log."""


class Log(Protocol):
    """The port of all back ends; one contract suite tests them all."""

    async def append(self, table: str, seq: int, entry: bytes) -> int:
        """Store *entry* as number *seq* and return its stamp, once it is durable.

        Raises ConflictError unless the log's last number is ``seq - 1`` (0 for a new table), and LogUnavailableError.
        """
        ...

    async def read(self, table: str, *, after: int) -> Sequence[Stored]:
        """Return every entry numbered above *after*, in order; none for an unknown table."""
        ...

    async def tables(self) -> Sequence[str]:
        """Return the tables whose log is open, in the order they were made."""
        ...

    async def retire(self, table: str) -> None:
        """Keep the log but list it no more among `tables`: the table is closed for good."""
        ...

    async def delete(self, table: str) -> None:
        """Forget the table's log; a later append starts anew at 1."""
        ...

    async def close(self) -> None:
        """Write what is on its way and let go of the back end."""
        ...
