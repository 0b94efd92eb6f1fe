"""The archive: every finished game once, with its record, for good. What tables are now is the log's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.cards import Seat
from engine.rules import Rules, rules_from_plain
from engine.view import WATCHER, sees_revealed
from protocol.outgoing import PlayedGame
from server.records import GameRecord
from server.store import Store, insert_once
from server.store.schema import GAMES, SITTINGS

PAGE_GAMES: Final = 50
"""How many games one answer lists."""


def _row_of(table: str, record: GameRecord) -> dict[str, Any]:
    return {
        "table_id": table,
        "game": record.game,
        "visibility": record.visibility,
        "preset": record.preset,
        "players": record.players,
        "score": record.score,
        "winner": record.winner,
        "started_ms": record.started_ms,
        "ended_ms": record.ended_ms,
        "record": "\n".join(record.lines),
    }


@dataclass(frozen=True)
class ArchivedGame:
    """A game as it is read. ``seats`` is as in its GameRecord."""

    game: str
    is_public: bool
    lines: list[str]
    seats: Mapping[str, Seat]

    @cached_property
    def rules(self) -> Rules:
        """The rules it was played by."""
        return rules_from_plain(orjson.loads(self.lines[0])["rules"])

    def may_be_read_by(self, player: str) -> bool:
        """Tell whether the rules show *player* the hands; only those who took part are asked about."""
        return sees_revealed(self.seats[player], self.rules)

    @property
    def may_be_read_by_all(self) -> bool:
        """Tell whether everybody may see the hands: the table was public, and its watchers saw them."""
        return self.is_public and sees_revealed(WATCHER, self.rules)


class Archive:
    """The finished games in the store. Every method raises StoreAwayError while the database is away."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, records: Mapping[str, Sequence[GameRecord]]) -> list[tuple[str, str]]:
        """Keep finished games, given by table, all or none; return the table and name of each that was not here.

        Nothing happens to one that is here already, whoever put it.
        """
        # In the order they ended in, which every node knows: two that put the same ones never wait for each other.
        ordered = sorted(
            ((table, record) for table, of_table in records.items() for record in of_table),
            key=lambda one: (one[1].ended_ms, one[0]),
        )

        async def work(connection: AsyncConnection) -> list[tuple[str, str]]:
            insert = insert_once(connection, GAMES).returning(GAMES.c.table_id, GAMES.c.game)
            found = await connection.execute(insert, [_row_of(table, record) for table, record in ordered])
            put = {(row.table_id, row.game) for row in found}
            sittings = [
                {"table_id": table, "game": record.game, "player": player, "seat": seat}
                for table, record in ordered
                if (table, record.game) in put
                for player, seat in sorted(record.seats.items())
            ]
            if sittings:
                await connection.execute(SITTINGS.insert(), sittings)
            return sorted(put)

        return await self._store.run(work) if ordered else []

    async def missing(self, table: str, games: Sequence[str]) -> Sequence[str]:
        """Return those of *games* of *table* that are not here."""
        query = select(GAMES.c.game).where(GAMES.c.table_id == table, GAMES.c.game.in_(games))
        found = set((await self._store.run(lambda connection: connection.execute(query))).scalars())
        return [game for game in games if game not in found]

    async def get(self, table: str, game: str) -> ArchivedGame | None:
        """Return a game of *table*, None where it is not here."""
        games = select(GAMES).where(GAMES.c.table_id == table, GAMES.c.game == game)
        sittings = select(SITTINGS.c.player, SITTINGS.c.seat).where(
            SITTINGS.c.table_id == table, SITTINGS.c.game == game
        )

        async def work(connection: AsyncConnection) -> ArchivedGame | None:
            row = (await connection.execute(games)).first()
            if row is None:
                return None
            seats = dict(iter(await connection.execute(sittings)))
            return ArchivedGame(row.game, row.visibility == "public", row.record.split("\n"), seats)

        return await self._store.run(work)

    async def find_public(self, game: str) -> ArchivedGame | None:
        """Return the game of that name that everybody may read, None where there is none."""
        query = select(GAMES.c.table_id).where(GAMES.c.game == game, GAMES.c.visibility == "public")
        table = (await self._store.run(lambda connection: connection.execute(query))).scalar()
        found = None if table is None else await self.get(table, game)
        return found if found is not None and found.may_be_read_by_all else None

    async def of_player(self, player: str, *, before: int | None = None) -> list[PlayedGame]:
        """Return the games *player* took part in, the latest first: a page of them, numbered below *before*."""
        query = (
            select(SITTINGS.c.id, SITTINGS.c.seat, GAMES)
            .join(GAMES, (GAMES.c.table_id == SITTINGS.c.table_id) & (GAMES.c.game == SITTINGS.c.game))
            .where(SITTINGS.c.player == player)
            .order_by(SITTINGS.c.id.desc())
            .limit(PAGE_GAMES)
        )
        if before is not None:
            query = query.where(SITTINGS.c.id < before)
        rows = await self._store.run(lambda connection: connection.execute(query))
        return [
            {
                "n": row.id,
                "table": row.table_id,
                "game": row.game,
                "preset": row.preset,
                "seat": row.seat,
                "players": [{"seat": one["seat"], "kind": one["kind"], "name": one["name"]} for one in row.players],
                "score": row.score,
                "winner": row.winner,
                "started_ms": row.started_ms,
                "ended_ms": row.ended_ms,
            }
            for row in rows
        ]
