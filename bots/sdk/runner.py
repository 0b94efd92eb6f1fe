"""A bot on a real server: it sits at tables like a person, plays whole games there, and comes back when it is lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

import structlog

from bots.connection import Connection, Lost, NoConnectionError
from bots.sdk.bot import Bot, BotFaultError, rule_of_thumb
from bots.sdk.hosting import Host
from bots.sdk.loading import BotSource
from engine.actions import parse_action
from engine.events import GameOver
from engine.rules import rules_from_plain
from protocol.client import ClientSession, Message
from protocol.follower import Happening, TableFollower
from protocol.outgoing import Ok, PlayerInfo, Prompt
from protocol.table_events import HostChanged, WentAway
from protocol.updates import (
    Answered,
    EventsArrived,
    Noticed,
    PromptArrived,
    TableGone,
    Update,
    ViewArrived,
    Welcomed,
)

_SPARE_S: Final = 1.0
"""So long before the clock runs out the answer is to be on its way."""
_SHORTEST_S: Final = 0.2
_REMATCH_AFTER_S: Final = 2.0
_LOOK_AGAIN_S: Final = 5.0
"""So long after a table could not be had another is looked for."""
_GOODBYE_S: Final = 2.0
_SAID_BY_CLOSE: Final = frozenset({"bad_token", "rate_limited"})
"""Refusals of a hello that a close follows, which says what to do."""
_HOW_TO_REGISTER: Final = " To get one: euchre bot register NAME"
_TRY_ELSEWHERE: Final = frozenset({"create", "join", "tables"})

log: Final = structlog.get_logger("bot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Where to play: at the *table* with this id or code, or at *tables* of any kind.

    It joins public tables that wait for players and makes its own, with *preset*, where there are none. ``games`` are
    those to play in all, None for ever. ``limit_s`` bounds a decision also where there is no clock.
    """

    tables: int = 1
    table: str | None = None
    preset: str = "standard"
    games: int | None = None
    limit_s: float = 5.0


@dataclass(eq=False, slots=True)
class _Place:
    """The bot at one table, with a thread of its own. ``turn`` is the latest decision it was asked for."""

    bot: Bot
    host: Host = field(default_factory=Host)
    turn: int | None = None

    def leave(self) -> None:
        if (fault := self.host.end(self.bot)) is not None:
            log.warning("fault", kind=fault.kind, detail=fault.detail)
        self.host.close()


class Runner:
    """One bot at one server, at any number of tables."""

    def __init__(self, source: BotSource, url: str, wish: Wish, *, name: str, token: str | None) -> None:
        self._source = source
        self._wish = wish
        self._token = token
        self._session = ClientSession(name=name, token=token, client="euchre-bot", kind="bot")
        self._connection = Connection(url, self._session)
        self._places: dict[str, _Place] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_looking = False
        self.games_played = 0

    @property
    def player(self) -> PlayerInfo | None:
        """Who we are at the server, None before it said so."""
        return self._session.player

    async def run(self) -> None:
        """Play until the games are played; cancel it to leave all tables. Raises NoConnectionError, or LoadError."""
        self._ended = asyncio.get_running_loop().create_future()
        playing = asyncio.create_task(self._play())
        try:
            await asyncio.wait([playing, self._ended], return_when=asyncio.FIRST_COMPLETED)
            (self._ended if self._ended.done() else playing).result()
        finally:
            await self._leave_tables()
            playing.cancel()
            await asyncio.wait([playing])
            for task in self._tasks:
                task.cancel()
            for place in self._places.values():
                await asyncio.to_thread(place.leave)

    async def _play(self) -> None:
        async for update in self._connection.updates():
            if isinstance(update, Lost):
                self._lost(update)
            else:
                self._take(update)
                await self._connection.flush()

    @property
    def _is_done(self) -> bool:
        return self._wish.games is not None and self.games_played >= self._wish.games

    async def _leave_tables(self) -> None:
        for table, follower in self._session.tables.items():
            if follower.seat is not None:
                self._session.leave(table)
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_S):
                await self._connection.flush()

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _lost(self, lost: Lost) -> None:
        log.info("connection lost", again_in_ms=lost.retry_ms)
        if lost.as_new_player and self._token is not None:
            raise NoConnectionError(f"The server does not know the bot's token.{_HOW_TO_REGISTER}")

    def _take(self, update: Update) -> None:
        match update:
            case Welcomed(player=player, tables=tables):
                log.info("welcome", name=player["name"], kind=player["kind"], tables=len(tables))
                self._look_for_tables()
            case PromptArrived() if update.is_mine:
                self._asked(update.table, update.prompt, update.after)
            case ViewArrived(table=table, after=after):
                self._look_at(table, after)
            case EventsArrived(table=table, events=events, after=after):
                for event in events:
                    self._heard(table, event, after)
            case TableGone(table=table, why=why):
                log.info("table gone", table=table, why=why)
                if table in self._places:
                    self._later(asyncio.to_thread(self._places.pop(table).leave))
                self._look_for_tables()
            case Answered(request=dict(request)):
                self._answered(request, update)
            case Noticed():
                log.info("notice", kind=update.kind, detail=update.detail)
            case _:
                pass

    def _answered(self, request: Message, answered: Answered) -> None:
        kind = request["t"]
        refusal = answered.refusal
        if refusal is not None:
            if kind == "hello":
                if refusal["code"] not in _SAID_BY_CLOSE:
                    how = _HOW_TO_REGISTER if refusal["code"] == "bot_needs_token" else ""
                    raise NoConnectionError(f"The server refuses: {refusal['detail']}.{how}")
            elif refusal.get("retry_ms") is not None:
                self._later(self._send_again(request, refusal["retry_ms"] / 1000))
            elif kind in _TRY_ELSEWHERE:
                log.warning("no table", code=refusal["code"], detail=refusal["detail"])
                self._later(self._look_again())
            elif refusal["code"] != "stale":  # the view and the prompt that follow ask again
                log.warning("refused", message=kind, code=refusal["code"], detail=refusal["detail"])
            return
        match kind:
            case "tables":
                self._choose_tables(answered.answer)  # type: ignore[arg-type]  # what answers `tables`
            case "create" | "join":
                log.info("seated", table=answered.answer.get("table"), code=answered.answer.get("code"))
                self._is_looking = False
                self._look_for_tables()
            case _:
                pass

    # ── tables ───────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _missing(self) -> int:
        wanted = 1 if self._wish.table is not None else self._wish.tables
        return wanted - sum(follower.seat is not None for follower in self._session.tables.values())

    def _look_for_tables(self) -> None:
        if self._is_looking or self._missing <= 0 or self._is_done:
            return
        self._is_looking = True
        if self._wish.table is not None:
            table = self._wish.table
            is_id = table.startswith("t_")  # which no code does
            self._session.join(table=table if is_id else None, code=None if is_id else table)
        else:
            self._session.list_tables("open")

    async def _look_again(self) -> None:
        self._is_looking = False
        await asyncio.sleep(_LOOK_AGAIN_S)
        self._look_for_tables()

    def _choose_tables(self, answer: Ok) -> None:
        """Join a public table with an open seat, or make one; the answer to that looks on."""
        for table in answer.get("tables", []):
            if table["table"] not in self._session.tables and any(seat["kind"] == "open" for seat in table["seats"]):
                self._session.join(table=table["table"])
                return
        self._session.create(self._wish.preset, visibility="public", clock="normal")

    def _look_at(self, table: str, after: TableFollower) -> None:
        """Start what is ours to start, and take the seat back where a bot of the house plays for us."""
        info = after.info
        assert info is not None
        if after.seat is None:
            return
        if info["seats"][after.seat]["away"]:
            self._session.away(table, on=False)
        if info["host"] == after.seat and info["state"] != "playing":
            self._session.start(table)

    def _heard(self, table: str, event: Happening, after: TableFollower) -> None:
        match event:
            case GameOver():
                self._game_over(table, after)
            case WentAway(seat) if seat == after.seat:
                self._session.away(table, on=False)
            case HostChanged(seat) if seat is not None and seat == after.seat:
                self._look_at(table, after)
            case _:
                pass

    def _game_over(self, table: str, after: TableFollower) -> None:
        if after.seat is None or after.view is None:
            return
        team = after.seat % 2
        ours, theirs = after.view.score[team], after.view.score[1 - team]
        self.games_played += 1
        log.info("game over", table=table, won=after.view.winner == team, ours=ours, theirs=theirs)
        if not self._is_done:
            self._later(self._rematch(table))
        elif not self._ended.done():
            self._ended.set_result(None)

    async def _rematch(self, table: str) -> None:
        """Start the next game where that is ours to do: a moment later, so that people see how this one ended."""
        await asyncio.sleep(_REMATCH_AFTER_S)
        follower = self._session.tables.get(table)
        if follower is not None and follower.info is not None and follower.info["host"] == follower.seat:
            self._session.start(table)

    # ── decisions ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _asked(self, table: str, prompt: Prompt, after: TableFollower) -> None:
        place = self._places.get(table)
        if place is None:
            place = self._places[table] = _Place(self._source.make())
        if place.turn == prompt["turn"]:
            return
        place.turn = prompt["turn"]
        self._later(self._decide(table, place, prompt, after))

    async def _decide(self, table: str, place: _Place, prompt: Prompt, after: TableFollower) -> None:
        assert after.view is not None
        assert after.info is not None
        rules = rules_from_plain(after.info["rules"])
        action, *others = legal = [parse_action(text) for text in prompt.get("legal", [])]
        if others:
            seed, limit_s = random.getrandbits(48), self._limit_s(prompt)
            try:
                action = await place.host.ask(place.bot, after.view, legal, rules, seed=seed, limit_s=limit_s)
            except BotFaultError as fault:
                log.warning("fault", table=table, kind=fault.kind, detail=fault.detail)
                action = rule_of_thumb(after.view, legal, rules)
        if place.turn == prompt["turn"] and table in self._session.tables:
            self._session.act(table, prompt["turn"], action)

    def _limit_s(self, prompt: Prompt) -> float:
        left_ms = prompt["left_ms"]
        if left_ms is None:
            return self._wish.limit_s
        return min(self._wish.limit_s, max(_SHORTEST_S, left_ms / 1000 - _SPARE_S))

    # ── later ────────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _send_again(self, request: Message, after_s: float) -> None:
        await asyncio.sleep(after_s)
        self._session.send_again(request)

    def _later(self, work: Awaitable[object]) -> None:
        """Do *work* beside what arrives, and send what it queued."""
        task = asyncio.create_task(self._done(work))
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and not self._ended.done():
            self._ended.set_exception(error)

    async def _done(self, work: Awaitable[object]) -> None:
        await work
        await self._connection.flush()
