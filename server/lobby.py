"""All tables of this server: made, found by id or code, listed, taken up after a restart, and collected when empty."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import structlog

from engine.errors import RulesError
from engine.rules import Rules, changed_rules, make_rules, rules_to_plain
from protocol.codes import RefusalCode, TableFilter
from protocol.messages import Create
from protocol.outgoing import ListedTable, MyTable
from server.actor import Surroundings, TableActor, load_table, open_table
from server.archivist import Archivist
from server.entries import Opened
from server.log import Log, LogUnavailableError
from server.logs import place_of
from server.players import Player
from server.table import LEVELS, Close
from server.workers import WorkerPool

MAX_TABLES_PER_PLAYER: Final = 8
MOST_LISTED: Final = 200
"""How many tables one answer lists; a peer takes frames of a bounded size."""
_CODE_ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without the characters people mistake for one another."""
_CODE_CHARS: Final = 6
_ID_BYTES: Final = 9
_SWEEP_EVERY_S: Final = 30.0
_WAITING_KEPT_S: Final = 10 * 60.0
_PLAYING_KEPT_S: Final = 24 * 60 * 60.0
"""How long a table nobody is connected to is kept, before its game and during it."""

_log = structlog.get_logger("server.lobby")


class LobbyRefusalError(Exception):
    """A table is not made or not found, for the player's reason; ``fields`` says what is wrong with each rule."""

    def __init__(self, code: RefusalCode, detail: str, fields: dict[str, str] | None = None) -> None:
        self.code, self.detail, self.fields = code, detail, fields
        super().__init__(detail)


@dataclass(slots=True)
class _Listing:
    """What the lobby remembers of a table it would be a waste to work out again."""

    actor: TableActor
    players: set[str] = field(default_factory=set)
    changed: list[str] = field(default_factory=list)


class Lobby:
    """The tables that are open on this server."""

    def __init__(self, log: Log, archivist: Archivist, workers: WorkerPool, *, pace: float) -> None:
        self._log = log
        self._around = Surroundings(log, archivist, workers, pace, self._moved)
        self._tables: dict[str, _Listing] = {}
        self._by_code: dict[str, str] = {}
        self._by_player: dict[str, set[str]] = {}
        self._made: dict[tuple[str, int], str] = {}
        """Tables by the player and ref of the command that made them, so that a repeated one makes no second."""
        self._making: dict[tuple[str, int], asyncio.Task[TableActor]] = {}
        self._sweeper: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._tables)

    async def take_up(self) -> None:
        """Take up every open table from the log, and collect empty ones from now on.

        A table whose log cannot be followed is left out, its log kept.
        """
        for table in await self._log.tables():
            try:
                actor = await load_table(table, self._around)
            except LogUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001  # whatever a damaged entry makes of the fold, it is one table's
                _log.error("table_log_damaged", table=table, error=type(error).__name__, at=place_of(error))
                continue
            if actor is not None:
                self._add(actor)
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def stop(self) -> None:
        """Stop every table; their logs have everything."""
        if self._sweeper is not None:
            self._sweeper.cancel()
        await asyncio.gather(*(listing.actor.stop() for listing in self._tables.values()))

    # ── finding ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, table: str) -> TableActor:
        """Return the table with this id. Raises LobbyRefusalError with NO_SUCH_TABLE."""
        listing = self._tables.get(table)
        if listing is None:
            raise LobbyRefusalError(RefusalCode.NO_SUCH_TABLE, "there is no such table")
        return listing.actor

    def find(self, *, table: str | None, code: str | None) -> TableActor:
        """Return the table by id or by code, in any case. Raises LobbyRefusalError with NO_SUCH_TABLE."""
        return self.get(table if table is not None else self._by_code.get((code or "").upper(), ""))

    def of_player(self, player: str) -> list[TableActor]:
        """Return the tables where *player* sits."""
        return [self._tables[table].actor for table in sorted(self._by_player.get(player, ()))]

    def my_tables(self, player: str) -> list[MyTable]:
        """Return where *player* sits, as ``welcome`` tells it."""
        return [
            {"table": actor.id, "code": actor.state.room.opened.code, "seat": seat}
            for actor in self.of_player(player)
            if (seat := actor.state.room.seat_of(player)) is not None
        ]

    def next_ref(self, player: str) -> int:
        """Return a ref above every one *player* ever used, if his programs count up from the one they are told.

        That is the time in milliseconds, which nobody's count overtakes; or more, where his tables know of more.
        """
        known = [known.ref for actor in self.of_player(player) for known in actor.state.known.get(player, ())]
        return max([self._log.now_ms(), *known]) + 1

    def listed(self, only: TableFilter) -> list[ListedTable]:
        """Return the public tables: those with a free seat before the game, those in play, or all.

        The newest come first, and MOST_LISTED at most.
        """
        listed = (
            listing.actor.listed(changed=listing.changed)
            for listing in reversed(self._tables.values())
            if listing.actor.state.room.opened.visibility == "public"
        )
        return list(itertools.islice((row for row in listed if _is_wanted(row, only)), MOST_LISTED))

    # ── making ───────────────────────────────────────────────────────────────────────────────────────────────────────

    async def create(self, player: Player, title: str, wish: Create) -> TableActor:
        """Make the table *player* wishes, he sits at seat 0; the same wish again returns the table it made.

        Raises LobbyRefusalError with BAD_RULES, UNKNOWN_LEVEL or TOO_MANY_TABLES, and LogUnavailableError.
        """
        key = player.id, wish.ref
        made = self._made.get(key)
        if made is not None and made in self._tables:
            return self._tables[made].actor
        # The wish may come again, on another connection, while its table is being made.
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.get_running_loop().create_task(self._make(player, title, wish))
            making.add_done_callback(lambda _: self._making.pop(key))
        return await asyncio.shield(making)

    async def _make(self, player: Player, title: str, wish: Create) -> TableActor:
        self.check_room_for_one_more(player.id)
        level = wish.bots or "standard"
        if level not in LEVELS:
            raise LobbyRefusalError(RefusalCode.UNKNOWN_LEVEL, f"bots play at these levels: {', '.join(LEVELS)}")
        rules = _rules_of(wish)
        opened = Opened(
            code=self._fresh_code(),
            title=title,
            preset=wish.preset,
            rules=rules_to_plain(rules),
            visibility=wish.visibility,
            clock=wish.clock,
            bots=level,
            spectators=wish.spectators is not False,
            seed=wish.seed,
            player=player.id,
            name=player.name,
            ref=wish.ref,
        )
        actor = await open_table(f"t_{secrets.token_urlsafe(_ID_BYTES)}", opened, self._around)
        self._add(actor)
        return actor

    def check_room_for_one_more(self, player: str, *, joining: int = 0) -> None:
        """Raise LobbyRefusalError with TOO_MANY_TABLES where *player* sits at as many tables as he may.

        *joining* are those he is about to sit at.
        """
        if len(self._by_player.get(player, ())) + joining >= MAX_TABLES_PER_PLAYER:
            raise LobbyRefusalError(
                RefusalCode.TOO_MANY_TABLES,
                f"you sit at {MAX_TABLES_PER_PLAYER} tables, which is the most; leave one first",
            )

    def _fresh_code(self) -> str:
        while True:
            code = "".join(secrets.choice(_CODE_ALPHABET) for _ in range(_CODE_CHARS))
            if code not in self._by_code:
                return code

    def _add(self, actor: TableActor) -> None:
        opened = actor.state.room.opened
        self._tables[actor.id] = _Listing(actor, changed=list(changed_rules(actor.state.room.rules)))
        self._by_code[opened.code] = actor.id
        self._made[opened.player, opened.ref] = actor.id
        self._moved(actor)

    def _moved(self, actor: TableActor) -> None:
        """Follow who sits at a table; forget it when it closed."""
        listing = self._tables.get(actor.id)
        if listing is None:
            return
        room = actor.state.room
        sitting = set() if not actor.is_open else {chair.player for chair in room.chairs if chair.player is not None}
        for player in listing.players - sitting:
            tables = self._by_player.get(player, set())
            tables.discard(actor.id)
            if not tables:
                self._by_player.pop(player, None)
        for player in sitting - listing.players:
            self._by_player.setdefault(player, set()).add(actor.id)
        listing.players = sitting
        if not actor.is_open:
            del self._tables[actor.id]
            del self._by_code[room.opened.code]
            self._made.pop((room.opened.player, room.opened.ref), None)

    # ── collecting ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_SWEEP_EVERY_S)
            for actor in self.empty_for(loop.time()):
                actor.submit(Close("nobody was here"))

    def empty_for(self, now_s: float) -> Iterator[TableActor]:
        """Return the tables nobody has been connected to for too long at *now_s*, on the loop's clock."""
        for listing in self._tables.values():
            actor = listing.actor
            kept_s = _PLAYING_KEPT_S if actor.state.play is not None else _WAITING_KEPT_S
            if actor.is_empty and now_s - actor.idle_since > kept_s:
                yield actor


def _rules_of(wish: Create) -> Rules:
    """Return the rules a table is to have; LobbyRefusalError with BAD_RULES names every bad field of *wish*."""
    problems: dict[str, str] = {}
    if wish.seed is not None and (wish.visibility != "private" or wish.clock != "none"):
        problems["seed"] = "needs visibility private and clock none"
    try:
        rules = make_rules(wish.preset, dict(wish.rules or {}))
        if not problems:
            return rules
    except RulesError as error:
        problems |= error.problems
    raise LobbyRefusalError(RefusalCode.BAD_RULES, "these rules cannot be played", problems)


def _is_wanted(row: ListedTable, only: TableFilter) -> bool:
    match only:
        case "open":
            return row["state"] == "waiting" and any(seat["kind"] != "human" for seat in row["seats"])
        case "playing":
            return row["state"] == "playing"
        case "all":
            return True


def may_watch(actor: TableActor, player: str) -> RefusalCode | None:
    """Return why *player* may not watch the table, None where he may."""
    room = actor.state.room
    if room.seat_of(player) is not None:
        return RefusalCode.ALREADY_SEATED
    return None if room.opened.spectators else RefusalCode.NO_SPECTATORS
