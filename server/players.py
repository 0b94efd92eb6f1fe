"""Who is who: guests and their tokens. A token is shown once, to its player; only its hash is kept."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
from dataclasses import dataclass, replace
from typing import Final, Protocol

from server.database import Database
from server.log import NowMs

_TOKEN_BYTES: Final = 24
_ID_BYTES: Final = 9


@dataclass(frozen=True, slots=True)
class Player:
    """A person: an id for good and a name to show."""

    id: str
    name: str


class Players(Protocol):
    """The port of the stores of players."""

    async def add(self, name: str) -> tuple[Player, str]:
        """Make a guest called *name*; return the player and the token, once they are durable."""
        ...

    async def find(self, token: str) -> Player | None:
        """Return the player *token* belongs to, None where it belongs to nobody."""
        ...

    async def rename(self, player: Player, name: str) -> Player:
        """Return *player* with another name, once it is durable."""
        ...


def _new_player(name: str) -> tuple[Player, str]:
    return Player("p_" + secrets.token_urlsafe(_ID_BYTES), name), secrets.token_urlsafe(_TOKEN_BYTES)


def _hashed(token: str) -> bytes:
    """Return what is kept of a token. It is 192 random bits, so a plain hash is enough; looking it up leaks nothing."""
    return hashlib.sha256(token.encode()).digest()


class MemoryPlayers:
    """Players until the process ends."""

    def __init__(self) -> None:
        self._by_hash: dict[bytes, Player] = {}

    async def add(self, name: str) -> tuple[Player, str]:
        player, token = _new_player(name)
        self._by_hash[_hashed(token)] = player
        return player, token

    async def find(self, token: str) -> Player | None:
        return self._by_hash.get(_hashed(token))

    async def rename(self, player: Player, name: str) -> Player:
        renamed = replace(player, name=name)
        for key, known in self._by_hash.items():
            if known.id == player.id:
                self._by_hash[key] = renamed
        return renamed


class SqlitePlayers:
    """Players in the embedded database."""

    def __init__(self, database: Database, now_ms: NowMs) -> None:
        self._database = database
        self._now_ms = now_ms

    async def add(self, name: str) -> tuple[Player, str]:
        player, token = _new_player(name)
        row = (player.id, _hashed(token), name, "human", self._now_ms())

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO players (id, token_hash, name, kind, made_ms) VALUES (?, ?, ?, ?, ?)", row)

        await self._database.submit(work)
        return player, token

    async def find(self, token: str) -> Player | None:
        query = "SELECT id, name FROM players WHERE token_hash = ?"
        row = await self._database.submit(lambda connection: connection.execute(query, (_hashed(token),)).fetchone())
        return None if row is None else Player(*row)

    async def rename(self, player: Player, name: str) -> Player:
        def work(connection: sqlite3.Connection) -> None:
            connection.execute("UPDATE players SET name = ? WHERE id = ?", (name, player.id))

        await self._database.submit(work)
        return replace(player, name=name)
