"""Who is who: people, external bots, and their tokens. A token is shown once, to its owner; only its hash is kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from protocol.outgoing import PlayerKind
from server.log import NowMs
from server.store import Store, insert_once
from server.store.schema import PLAYERS
from server.store.together import Together

MAX_BOTS_PER_OWNER: Final = 16
_TOKEN_BYTES: Final = 24
_ID_BYTES: Final = 9


@dataclass(frozen=True, slots=True)
class Player:
    """A person or an external bot: an id for good and a name to show.

    A bot's ``version`` is what it was registered with, its ``owner`` the name of the person who registered it; None
    where there is none, as where an admin did.
    """

    id: str
    name: str
    kind: PlayerKind = "human"
    version: str | None = None
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class BotAccount:
    """An external bot as its owner sees it."""

    id: str
    owner: str
    name: str
    version: str
    made_ms: int


@dataclass(frozen=True, slots=True)
class Registration:
    """The id of a bot and the token it got; ``is_renewed`` tells that it had one before, which is worthless now."""

    id: str
    token: str
    is_renewed: bool


class TooManyBotsError(Exception):
    """The owner has MAX_BOTS_PER_OWNER bots."""


def _fresh_id() -> str:
    return "p_" + secrets.token_urlsafe(_ID_BYTES)


def _fresh_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


def _hashed(token: str) -> bytes:
    """Return what is kept of a token. It is 192 random bits, so a plain hash is enough; looking it up leaks nothing."""
    return hashlib.sha256(token.encode()).digest()


class Players:
    """The players in the store. Every method raises StoreAwayError while the database is away."""

    def __init__(self, store: Store, now_ms: NowMs) -> None:
        self._store = store
        self._now_ms = now_ms
        self._adding = Together(self._add)
        self._finding = Together(self._find)

    async def add(self, name: str, *, kind: PlayerKind = "human") -> tuple[Player, str]:
        """Make a guest called *name*; return the player and the token, once they are durable."""
        player, token = Player(_fresh_id(), name, kind), _fresh_token()
        await self._adding.ask(
            {"id": player.id, "token_hash": _hashed(token), "name": name, "kind": kind, "made_ms": self._now_ms()}
        )
        return player, token

    async def take_over(self, rows: Sequence[dict[str, Any]]) -> None:
        """Take the players that an earlier version kept in the log's file, those that are here already excepted."""

        async def work(connection: AsyncConnection) -> None:
            await connection.execute(insert_once(connection, PLAYERS), rows)

        if rows:
            await self._store.run(work)

    async def find(self, token: str) -> Player | None:
        """Return the player *token* belongs to, None where it belongs to nobody."""
        return await self._finding.ask(_hashed(token))

    async def offer_token(self, player: str, token: str) -> str | None:
        """Return another token for the player who has *token*; None where he has another by now.

        The one he has stays good until the new one is accepted: an answer that is lost on its way costs nobody his
        account. Only the latest offer stands.
        """
        offered = _fresh_token()
        has = (PLAYERS.c.id == player, PLAYERS.c.token_hash == _hashed(token))
        offering = update(PLAYERS).where(*has).values(offered_hash=_hashed(offered))
        result = await self._store.run(lambda connection: connection.execute(offering))
        return offered if result.rowcount == 1 else None

    async def accept(self, token: str) -> bool:
        """Put *token* in the place of the one its player had, which is worthless now; False where it is no offer."""
        hashed = _hashed(token)
        accepting = update(PLAYERS).where(PLAYERS.c.offered_hash == hashed).values(token_hash=hashed, offered_hash=None)
        result = await self._store.run(lambda connection: connection.execute(accepting))
        return result.rowcount == 1

    async def rename(self, player: Player, name: str) -> Player:
        """Return *player* with another name, once it is durable."""
        renaming = update(PLAYERS).where(PLAYERS.c.id == player.id).values(name=name)
        await self._store.run(lambda connection: connection.execute(renaming))
        return replace(player, name=name)

    async def _add(self, rows: Sequence[dict[str, Any]]) -> Sequence[None]:
        await self._store.run(lambda connection: connection.execute(insert(PLAYERS), rows))
        return [None] * len(rows)

    async def _find(self, hashes: Sequence[bytes]) -> Sequence[Player | None]:
        wanted = PLAYERS.c.token_hash.in_(hashes)
        columns = (PLAYERS.c.token_hash, PLAYERS.c.id, PLAYERS.c.name, PLAYERS.c.kind, PLAYERS.c.version)
        owners = PLAYERS.alias("owners")
        theirs = PLAYERS.outerjoin(owners, PLAYERS.c.owner == owners.c.id)
        query = select(*columns, owners.c.name.label("owner_name")).select_from(theirs).where(wanted)
        rows = await self._store.run(lambda connection: connection.execute(query))
        found = {
            row.token_hash: Player(row.id, row.name, row.kind, row.version or None, row.owner_name) for row in rows
        }
        return [found.get(hashed) for hashed in hashes]

    # ── external bots ────────────────────────────────────────────────────────────────────────────────────────────────

    async def register_bot(self, owner: str, name: str, version: str | None = None) -> Registration:
        """Give a bot its account, or the one it has a new token and, if told, another version.

        A bot is the one with its name among its owner's whose token stands. Raises TooManyBotsError.
        """
        token, made_id = _fresh_token(), _fresh_id()
        known = select(PLAYERS.c.id).where(*_bots_of(owner), PLAYERS.c.name == name)
        owned = select(func.count()).select_from(PLAYERS).where(*_bots_of(owner))
        changed = {"token_hash": _hashed(token)} | ({} if version is None else {"version": version})
        made = changed | {
            "id": made_id, "name": name, "kind": "bot", "owner": owner, "version": version or "",
            "made_ms": self._now_ms(),
        }  # fmt: skip

        async def work(connection: AsyncConnection) -> Registration:
            id_ = (await connection.execute(known.order_by(PLAYERS.c.made_ms.desc()).limit(1))).scalar_one_or_none()
            if id_ is not None:
                await connection.execute(update(PLAYERS).where(PLAYERS.c.id == id_).values(changed))
                return Registration(id_, token, is_renewed=True)
            if (await connection.execute(owned)).scalar_one() >= MAX_BOTS_PER_OWNER:
                raise TooManyBotsError
            await connection.execute(insert(PLAYERS), made)
            return Registration(made_id, token, is_renewed=False)

        return await self._store.run(work, alone=True)

    async def bots(self, owner: str | None = None) -> Sequence[BotAccount]:
        """Return the bots whose token stands, of one owner or all, in the order they were made."""
        columns = (PLAYERS.c.id, PLAYERS.c.owner, PLAYERS.c.name, PLAYERS.c.version, PLAYERS.c.made_ms)
        query = select(*columns).where(*_bots_of(owner)).order_by(PLAYERS.c.made_ms, PLAYERS.c.id)
        return [BotAccount(*row) for row in await self._store.run(lambda connection: connection.execute(query))]

    async def revoke(self, bot: str) -> bool:
        """Make the token of the bot with the id *bot* worthless; False where there is no such bot.

        The account stays, for the games it took part in.
        """
        wanted = update(PLAYERS).where(PLAYERS.c.id == bot, *_bots_of(None)).values(token_hash=None)
        result = await self._store.run(lambda connection: connection.execute(wanted))
        return result.rowcount == 1


def _bots_of(owner: str | None) -> tuple[Any, ...]:
    """Return the conditions of a bot whose token stands, of one owner or any."""
    are_bots = (PLAYERS.c.kind == "bot", PLAYERS.c.token_hash.is_not(None))
    return are_bots if owner is None else (*are_bots, PLAYERS.c.owner == owner)
