"""Which tables are open, for all nodes: a cache derived from the logs, which may forget and is put right by them.

Nodes put in what they see at the tables they hold, and put it in again from time to time; what nobody puts in any more
is forgotten. The log alone knows better: who finds a table here still has to read it there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from protocol.outgoing import ListedTable

IsWanted: TypeAlias = Callable[["Listing"], bool]

MOST_LISTED: Final = 200
"""How many tables one answer lists; a peer takes frames of a bounded size."""
REFRESH_EVERY_S: Final = 60.0
"""How often a node puts in the tables it holds."""
KEPT_S: Final = 300.0
"""How long a back end that other nodes share keeps what nobody puts in again."""
_MOST_GONE: Final = 1000


@dataclass(frozen=True, slots=True)
class Listing:
    """A table as of entry *seq* of its log.

    ``made_by`` is the player who made it and the ref of his command, ``players`` are those who sit there.
    """

    table: str
    code: str
    seq: int
    made_ms: int
    made_by: tuple[str, int]
    players: frozenset[str]
    is_public: bool
    row: ListedTable


class Directory(Protocol):
    """The port of all back ends. Every method raises LogUnavailableError where the back end is away."""

    async def put(self, listing: Listing) -> None:
        """Put in a table; one derived from an older entry replaces nothing, and a removed table stays removed."""
        ...

    async def remove(self, table: str) -> None:
        """Take out a table that is closed, or came to nothing after its code was claimed."""
        ...

    async def is_gone(self, table: str) -> bool:
        """Tell whether a table was taken out, as far as that is remembered."""
        ...

    async def find(self, table: str) -> Listing | None: ...

    async def find_code(self, code: str) -> Listing | None: ...

    async def of_player(self, player: str) -> Sequence[Listing]:
        """Return the tables where *player* sits, by id."""
        ...

    async def made_by(self, player: str, ref: int) -> Listing | None:
        """Return the table that *player*'s command *ref* made."""
        ...

    async def listed(self, is_wanted: IsWanted) -> Sequence[Listing]:
        """Return the public tables that are wanted, the newest first, MOST_LISTED at most.

        The answer may be a second old.
        """
        ...

    async def claim_code(self, code: str, table: str) -> bool:
        """Keep *code* for *table*, which is to be put in soon. False where another table has it."""
        ...


class MemoryDirectory:
    """The directory of one process; several nodes in it may share it. It forgets nothing by itself."""

    def __init__(self) -> None:
        self._listings: dict[str, Listing] = {}
        self._codes: dict[str, str] = {}
        self._made: dict[tuple[str, int], str] = {}
        self._sitting: dict[str, set[str]] = {}
        self._gone: OrderedDict[str, None] = OrderedDict()

    async def put(self, listing: Listing) -> None:
        known = self._listings.get(listing.table)
        if listing.table in self._gone or (known is not None and known.seq > listing.seq):
            return
        self._follow_players(listing.table, set() if known is None else known.players, listing.players)
        self._listings[listing.table] = listing
        self._codes[listing.code] = listing.table
        self._made[listing.made_by] = listing.table

    def _follow_players(self, table: str, before: AbstractSet[str], now: AbstractSet[str]) -> None:
        for player in before - now:
            self._sitting[player].discard(table)
            if not self._sitting[player]:
                del self._sitting[player]
        for player in now - before:
            self._sitting.setdefault(player, set()).add(table)

    async def remove(self, table: str) -> None:
        listing = self._listings.pop(table, None)
        if listing is not None:
            self._follow_players(table, listing.players, set())
            self._made.pop(listing.made_by, None)
        for code in [code for code, claimed in self._codes.items() if claimed == table]:
            del self._codes[code]
        self._gone[table] = None
        if len(self._gone) > _MOST_GONE:
            self._gone.popitem(last=False)

    async def is_gone(self, table: str) -> bool:
        return table in self._gone

    async def find(self, table: str) -> Listing | None:
        return self._listings.get(table)

    async def find_code(self, code: str) -> Listing | None:
        return self._listings.get(self._codes.get(code, ""))

    async def of_player(self, player: str) -> Sequence[Listing]:
        return [self._listings[table] for table in sorted(self._sitting.get(player, ()))]

    async def made_by(self, player: str, ref: int) -> Listing | None:
        return self._listings.get(self._made.get((player, ref), ""))

    async def listed(self, is_wanted: IsWanted) -> Sequence[Listing]:
        newest_first = reversed(self._listings.values())
        public = [listing for listing in newest_first if listing.is_public and is_wanted(listing)]
        return sorted(public, key=lambda listing: listing.made_ms, reverse=True)[:MOST_LISTED]

    async def claim_code(self, code: str, table: str) -> bool:
        return self._codes.setdefault(code, table) == table
