"""A restart that players are told of ahead: announced in the database, where every node looks for it.

Nothing happens by it. Whoever stops the server does so as ever; until then nothing is refused.
"""

from __future__ import annotations

import time
from typing import Final

from sqlalchemy import delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol import outgoing
from server.log import NowMs
from server.store import Store
from server.store.schema import RESTART

LOOK_EVERY_S: Final = 5.0
_EARLY_MS: Final = 60_000
"""A node that began so shortly before the time, or later, is one that was restarted."""
_LATE_MS: Final = 600_000
"""So long after its time a restart is still expected."""


def time_of_day_ms() -> int:
    """Return the time as this machine tells it, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Restarts:
    """The restart that is announced, as far as this node knows. *now_ms* tells the time of day: nodes agree on that."""

    def __init__(self, store: Store, now_ms: NowMs) -> None:
        self._store = store
        self._now_ms = now_ms
        self._begun_ms = now_ms()
        self._at_ms: int | None = None

    async def announce(self, at_ms: int) -> None:
        """Have every node tell of a restart at *at_ms*, in place of any other. Raises StoreAwayError."""

        async def write(connection: AsyncConnection) -> None:
            await connection.execute(delete(RESTART))
            await connection.execute(insert(RESTART).values(at_ms=at_ms))

        await self._store.run(write, alone=True)

    async def call_off(self) -> bool:
        """Have every node tell that nothing comes of it; tell whether one was announced. Raises StoreAwayError."""

        async def write(connection: AsyncConnection) -> bool:
            return (await connection.execute(delete(RESTART))).rowcount > 0

        return await self._store.run(write, alone=True)

    async def look(self) -> bool:
        """See what is announced; tell whether that is new. Raises StoreAwayError."""

        async def read(connection: AsyncConnection) -> int | None:
            return (await connection.execute(select(RESTART.c.at_ms))).scalar()

        at_ms = await self._store.run(read)
        is_over = at_ms is not None and (at_ms < self._begun_ms + _EARLY_MS or at_ms + _LATE_MS < self._now_ms())
        before, self._at_ms = self._at_ms, None if is_over else at_ms
        return self._at_ms != before

    @property
    def is_expected(self) -> bool:
        """Tell whether players are to be told of one."""
        return self._at_ms is not None

    def notice(self) -> outgoing.Notice:
        """Return what players are told."""
        if self._at_ms is None:
            return outgoing.notice("restart", "the server does not restart after all")
        in_ms = max(0, self._at_ms - self._now_ms())
        minutes = round(in_ms / 60_000)
        when = f"in {minutes} min" if minutes else "in a moment"
        return outgoing.notice("restart", f"the server restarts {when}; your game goes on afterwards", in_ms=in_ms)
