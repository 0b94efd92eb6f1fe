"""The tables of the house as this node sees them: found by id or code, made, listed, held while somebody needs them."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

import structlog

from engine.cards import SEATS
from engine.errors import RulesError
from engine.rules import Rules, changed_rules, make_rules, rules_to_plain
from protocol.codes import MAX_INTEGER, RefusalCode, TableFilter
from protocol.messages import Create
from protocol.outgoing import ListedTable, MyTable
from server.actor import TORN, Surroundings, TableActor, load_table, open_table
from server.archivist import Archivist
from server.directory import Directory, Listing
from server.entries import Opened
from server.log import ConflictError, Log, LogTornError, LogUnavailableError
from server.logs import place_of
from server.metrics import Metrics
from server.peers import Peers
from server.players import Player
from server.table import LEVELS, REF_REUSED, Close, Room
from server.telling import listed_table
from server.workers import WorkerPool

MAX_TABLES_PER_PLAYER: Final = 8
_CODE_ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without the characters people mistake for one another."""
_CODE_CHARS: Final = 6
_ID_BYTES: Final = 9
_MOST_TOLD_REF: Final = MAX_INTEGER // 2
"""Refs above are a client's own affair: nobody is told to count on from them."""
_HELD_S: Final = 60.0
"""How long a table nobody here is connected to is held on, where another node keeps it."""
_TAKEN_UP_AT_ONCE: Final = 64
_WAITING_KEPT_S: Final = 10 * 60.0
_PLAYING_KEPT_S: Final = 24 * 60 * 60.0
"""How long a table nobody is connected to is kept, before its game and during it."""

_log = structlog.get_logger("server.lobby")


class LobbyRefusalError(Exception):
    """A table is not made or not found, for the player's reason; ``fields`` says what is wrong with each rule."""

    def __init__(self, code: RefusalCode, detail: str, fields: dict[str, str] | None = None) -> None:
        self.code, self.detail, self.fields = code, detail, fields
        super().__init__(detail)


class Lobby:
    """The tables this node holds, and the way to all others.

    A node holds the tables somebody here is connected to and those it is the keeper of (server/peers.py), so that every
    open table is held by some node that lives. Every method that waits raises LogUnavailableError.

    With a *fixed_seed* no table has a clock, and one without a seed has this one: authors of bots see the same cards
    again.
    """

    def __init__(
        self,
        log: Log,
        directory: Directory,
        peers: Peers,
        archivist: Archivist,
        workers: WorkerPool,
        *,
        pace: float,
        fixed_seed: int | None = None,
    ) -> None:
        self._log = log
        self._fixed_seed = fixed_seed
        self._directory = directory
        self.peers = peers
        self.metrics = Metrics()
        self._around = Surroundings(
            log, peers, archivist, workers, self.metrics, pace, self._moved, self._changed, self._broken
        )
        self._tables: dict[str, TableActor] = {}
        self._loading: dict[str, asyncio.Task[TableActor | None]] = {}
        self._making: dict[str, asyncio.Task[TableActor]] = {}
        self._unlisted: set[TableActor] = set()
        """Tables that are to be listed anew."""
        self._latest_listed: TableActor | None = None
        self._sample: TableActor | None = None
        """The table that was the latest listed when it was last seen to whether the directory forgot any."""
        self._broken_tables: set[str] = set()
        """Tables whose log cannot be followed; they are left alone until the server starts anew."""

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[TableActor]:
        """Yield the tables this node holds."""
        return iter(list(self._tables.values()))

    @property
    def is_log_available(self) -> bool:
        """Tell whether tables can be recorded, as far as is known."""
        return self._log.is_available

    def now_ms(self) -> int:
        """Return the time as the log tells it."""
        return self._log.now_ms()

    async def stop(self) -> None:
        """Stop every table; their logs have everything."""
        await asyncio.gather(*(actor.stop() for actor in self))

    # ── finding ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def held(self, table: str) -> TableActor | None:
        """Return the table with this id if this node holds it."""
        return self._tables.get(table)

    async def get(self, table: str) -> TableActor:
        """Return the table with this id, taken up if need be. Raises LobbyRefusalError with NO_SUCH_TABLE."""
        actor = self._tables.get(table)
        if actor is None and await self._directory.find(table) is not None:
            actor = await self._take_up(table)
        if actor is None:
            raise _no_such_table()
        actor.audience.expect()
        return actor

    async def find(self, *, table: str | None, code: str | None) -> TableActor:
        """Return the table by id or by code, in any case. Raises LobbyRefusalError with NO_SUCH_TABLE."""
        if table is not None:
            return await self.get(table)
        listing = await self._directory.find_code((code or "").upper())
        if listing is None:
            raise _no_such_table()
        return await self.get(listing.table)

    async def of_player(self, player: str, *, known: Collection[str] = ()) -> list[TableActor]:
        """Return the tables where *player* sits. Those he has *known* are found although the directory forgot them."""
        directory = self._directory
        listed = {listing.table: listing.seq for listing in await directory.of_player(player)}
        for table in known:
            if table not in listed and not await directory.is_gone(table):
                listed[table] = 0
        found = await asyncio.gather(*(self._with(player, table, seq) for table, seq in listed.items()))
        return [actor for actor in found if actor is not None]

    async def _with(self, player: str, table: str, seq: int) -> TableActor | None:
        """Return the table as of entry *seq* or later, None where *player* does not sit there."""
        try:
            actor = await self._take_up(table)
        except LobbyRefusalError:
            return None
        if actor is None:
            return None
        actor.audience.expect()
        await actor.reached(seq)
        return actor if actor.is_open and actor.state.room.seat_of(player) is not None else None

    async def listed(self, only: TableFilter) -> list[ListedTable]:
        """Return the public tables, the newest first: those with a free seat before the game, those in play, or all."""
        await self.list_anew()
        listed = await self._directory.listed(lambda listing: _is_wanted(listing, only))
        return [listing.row for listing in listed]

    async def _take_up(self, table: str) -> TableActor | None:
        """Return a table, loaded from its log once for all who ask meanwhile; None where there is none that is open."""
        held = self._tables.get(table)
        if held is not None:
            return held
        if table in self._broken_tables:
            return None
        loading = self._loading.get(table)
        if loading is None:
            loading = self._loading[table] = asyncio.get_running_loop().create_task(self._load(table))
            loading.add_done_callback(lambda _: self._loading.pop(table))
        return await asyncio.shield(loading)

    async def _load(self, table: str) -> TableActor | None:
        try:
            actor = await load_table(table, self._around)
        except LogUnavailableError:
            raise
        except LogTornError:
            raise LobbyRefusalError(RefusalCode.DEGRADED, TORN) from None
        except Exception as error:  # noqa: BLE001  # whatever a damaged entry makes of the fold, it is one table's
            _log.error("table_log_damaged", table=table, error=type(error).__name__, at=place_of(error))
            self._broken_tables.add(table)
            return None
        if actor is None or not actor.is_open:
            await self._directory.remove(table)
            return None
        self._tables[table] = actor
        return actor

    # ── making ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create(self, player: Player, title: str, wish: Create) -> TableActor:
        """Make the table *player* wishes, he sits at seat 0; the same wish again returns the table it made.

        Raises LobbyRefusalError with BAD_RULES, UNKNOWN_LEVEL, TOO_MANY_TABLES, or REF_REUSED for another wish.
        """
        table = _id_of(player.id, wish.ref)
        wished = _opened(player, title, wish)
        if self._fixed_seed is not None:
            wished = replace(wished, clock="none", seed=self._fixed_seed if wish.seed is None else wish.seed)
        made = self._tables.get(table)
        if made is None:
            # The wish may come again, on another connection, while its table is being made.
            making = self._making.get(table)
            if making is None:
                making = self._making[table] = asyncio.get_running_loop().create_task(self._make(table, wished))
                making.add_done_callback(lambda _: self._making.pop(table))
            made = await asyncio.shield(making)
        if not _is_what_was_wished(made.state.room, wished, is_titled=wish.name is not None):
            raise LobbyRefusalError(RefusalCode.REF_REUSED, REF_REUSED)
        return made

    async def _make(self, table: str, wished: Opened) -> TableActor:
        if await self._directory.made_by(wished.player, wished.ref) is not None:
            return await self.get(table)
        await self.check_room_for(table, wished.player)
        opened = replace(wished, code=await self._fresh_code(table))
        try:
            actor = await open_table(table, opened, self._around)
        except ConflictError:  # another node made it a moment ago
            made = await self._take_up(table)
            if made is None:
                raise LobbyRefusalError(RefusalCode.TABLE_CLOSED, "that table was made and is closed") from None
            return made
        self._tables[table] = actor
        await self._moved(actor)
        return actor

    async def check_room_for(self, table: str, player: str, *, joining: AbstractSet[str] = frozenset()) -> None:
        """Raise LobbyRefusalError with TOO_MANY_TABLES where *player* sits at as many other tables as he may.

        *joining* are those he is about to sit at. Before he is refused the logs are asked, which the directory may be
        behind.
        """
        listed = {listing.table for listing in await self._directory.of_player(player)}
        if len((listed | joining) - {table}) < MAX_TABLES_PER_PLAYER:
            return
        actors = await self.of_player(player)
        await asyncio.gather(*(actor.caught_up() for actor in actors))
        sitting = {seated["table"] for seated in my_tables(player, actors)}
        if len((sitting | joining) - {table}) >= MAX_TABLES_PER_PLAYER:
            raise LobbyRefusalError(
                RefusalCode.TOO_MANY_TABLES,
                f"you sit at {MAX_TABLES_PER_PLAYER} tables, which is the most; leave one first",
            )

    async def _fresh_code(self, table: str) -> str:
        """Return a code no other table has: for the same table the same, however often its making is tried."""
        for attempt in itertools.count():
            number = int.from_bytes(hashlib.sha256(f"{table} {attempt}".encode()).digest())
            code = "".join(
                _CODE_ALPHABET[number // len(_CODE_ALPHABET) ** at % len(_CODE_ALPHABET)] for at in range(_CODE_CHARS)
            )
            if await self._directory.claim_code(code, table):
                return code
        raise AssertionError

    # ── listing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _moved(self, actor: TableActor) -> None:
        """Follow who sits at a table; forget it when it closed. Never raises."""
        if not actor.is_open:
            self._tables.pop(actor.id, None)
        self._unlisted.add(actor)
        try:
            await self._list(actor)
        except LogUnavailableError:
            _log.warning("table_not_listed", table=actor.id)

    def _changed(self, actor: TableActor) -> None:
        self._unlisted.add(actor)

    def _broken(self, actor: TableActor) -> None:
        self._broken_tables.add(actor.id)
        self._tables.pop(actor.id, None)

    async def list_anew(self) -> None:
        """List the tables that changed, as they are now."""
        for actor in list(self._unlisted):
            await self._list(actor)

    async def list_all(self) -> None:
        """List every table this node holds, for a directory that forgets."""
        self._unlisted.update(self)
        await self.list_anew()

    async def list_lost(self) -> None:
        """List every table this node holds if the directory, asked for one of them, has lost it."""
        sample, self._sample = self._sample, self._latest_listed
        if sample is None or self._tables.get(sample.id) is not sample:
            return
        is_there = await self._directory.find(sample.id) is not None or await self._directory.is_gone(sample.id)
        if sample.is_open and not is_there:
            _log.warning("directory_lost", tables=len(self))
            await self.list_all()

    async def _list(self, actor: TableActor) -> None:
        self._unlisted.discard(actor)
        try:
            if actor.is_open:
                await self._directory.put(_listing_of(actor))
                self._latest_listed = actor
            else:
                await self._directory.remove(actor.id)
        except LogUnavailableError:
            self._unlisted.add(actor)
            raise

    # ── keeping ──────────────────────────────────────────────────────────────────────────────────────────────────────

    async def keep(self) -> None:
        """Take up the open tables this node is the keeper of, which it holds whoever is connected; list them."""
        ours = [table for table in await self._log.tables() if self.peers.is_keeper(table)]
        missing = [table for table in ours if table not in self._tables]
        for at in range(0, len(missing), _TAKEN_UP_AT_ONCE):
            await asyncio.gather(*map(self._keep, missing[at : at + _TAKEN_UP_AT_ONCE]))

    async def _keep(self, table: str) -> None:
        with contextlib.suppress(LobbyRefusalError):
            actor = await self._take_up(table)
            if actor is not None:
                await self._moved(actor)

    async def let_go(self) -> None:
        """Let go of the tables nobody here needs, which other nodes keep; close those nobody comes back to."""
        for actor in self:
            if not self.peers.is_keeper(actor.id):
                if actor.is_idle and actor.audience.here_idle_s > _HELD_S:
                    del self._tables[actor.id]
                    self._unlisted.discard(actor)
                    await actor.stop()
            elif actor.audience.idle_s > (_PLAYING_KEPT_S if actor.state.play is not None else _WAITING_KEPT_S):
                actor.submit(Close("nobody was here"))


def my_tables(player: str, actors: Iterable[TableActor]) -> list[MyTable]:
    """Return where *player* sits, as ``welcome`` tells it."""
    return [
        {"table": actor.id, "code": actor.state.room.opened.code, "seat": seat}
        for actor in actors
        if (seat := actor.state.room.seat_of(player)) is not None
    ]


def next_ref(now_ms: int, used: int, player: str, actors: Iterable[TableActor]) -> int:
    """Return a ref above every one *player* ever used, if his programs count up from the one they are told.

    That is the time in milliseconds, which nobody's count overtakes; or more, where *used* or his tables know of more.
    Refs in the upper half of what is allowed were not counted up to, and are passed over.
    """
    known = [ref for actor in actors for ref in actor.state.known.get(player, ())]
    return max(ref for ref in (now_ms, used, *known) if ref <= _MOST_TOLD_REF) + 1


def _no_such_table() -> LobbyRefusalError:
    return LobbyRefusalError(RefusalCode.NO_SUCH_TABLE, "there is no such table")


def _id_of(player: str, ref: int) -> str:
    """Return the id of the table that a player's command makes: the same on every node, however often it comes."""
    digest = hashlib.sha256(f"{player} {ref}".encode()).digest()
    return f"t_{urlsafe_b64encode(digest[:_ID_BYTES]).decode()}"


def _opened(player: Player, title: str, wish: Create) -> Opened:
    """Return the entry that makes the table, without its code. Raises LobbyRefusalError for what cannot be played."""
    level = wish.bots or "standard"
    if level not in LEVELS:
        raise LobbyRefusalError(RefusalCode.UNKNOWN_LEVEL, f"bots play at these levels: {', '.join(LEVELS)}")
    rules = _rules_of(wish)
    return Opened(
        code="",
        title=title,
        preset=wish.preset,
        rules=rules_to_plain(rules),
        visibility=wish.visibility,
        clock=wish.clock,
        bots=level,
        spectators=wish.spectators is not False,
        bots_stay=wish.bots_stay is True,
        seed=wish.seed,
        player=player.id,
        name=player.name,
        ref=wish.ref,
        is_bot=player.kind == "bot",
        version=player.version,
        owner=player.owner,
    )


def _is_what_was_wished(room: Room, wished: Opened, *, is_titled: bool) -> bool:
    """Tell whether a table is the one that was *wished*. What its maker is called may have changed since."""
    opened = room.opened
    made = replace(
        opened,
        code="",
        title=opened.title if is_titled else wished.title,
        rules=rules_to_plain(room.rules),
        name=wished.name,
        version=wished.version,
        owner=wished.owner,
    )
    return made == wished


def _rules_of(wish: Create) -> Rules:
    """Return the rules a table is to have; LobbyRefusalError with BAD_RULES names every bad field of *wish*."""
    problems: dict[str, str] = {}
    if wish.clock == "none" and wish.visibility == "public":  # one who went would keep strangers waiting for good
        problems["clock"] = "needs visibility private"
    if wish.seed is not None and (wish.visibility != "private" or wish.clock != "none"):
        problems["seed"] = "needs visibility private and clock none"
    try:
        rules = make_rules(wish.preset, dict(wish.rules or {}))
        if not problems:
            return rules
    except RulesError as error:
        problems |= error.problems
    raise LobbyRefusalError(RefusalCode.BAD_RULES, "these rules cannot be played", problems)


def _listing_of(actor: TableActor) -> Listing:
    room = actor.state.room
    opened = room.opened
    row = listed_table(actor.id, actor.state, changed=list(changed_rules(room.rules)), watchers=actor.audience.watchers)
    return Listing(
        table=actor.id,
        code=opened.code,
        seq=actor.state.seq,
        made_ms=actor.made_ms,
        made_by=(opened.player, opened.ref),
        players=frozenset(chair.player for chair in room.chairs if chair.player is not None),
        is_public=opened.visibility == "public",
        row=row,
    )


def _is_wanted(listing: Listing, only: TableFilter) -> bool:
    match only:
        case "open":
            return listing.row["state"] == "waiting" and _has_room(listing)
        case "playing":
            return listing.row["state"] == "playing"
        case "all":
            return True


def _has_room(listing: Listing) -> bool:
    if listing.row.get("bots_stay"):  # a node of an earlier version does not list it
        return any(seat["kind"] == "open" for seat in listing.row["seats"])
    return len(listing.players) < len(SEATS)


def may_watch(actor: TableActor, player: str) -> RefusalCode | None:
    """Return why *player* may not watch the table, None where he may."""
    room = actor.state.room
    if room.seat_of(player) is not None:
        return RefusalCode.ALREADY_SEATED
    return None if room.opened.spectators else RefusalCode.NO_SPECTATORS
