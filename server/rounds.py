"""What a node does by the clock: says that it lives, sees whether the log does, keeps its tables and lists them."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

from protocol import outgoing
from server import tasks
from server.directory import REFRESH_EVERY_S
from server.log import LogUnavailableError
from server.logs import place_of
from server.peers import BEAT_EVERY_S, GONE_AFTER_S
from server.restarts import LOOK_EVERY_S
from server.session import House
from server.store import StoreAwayError

_TICK_EVERY: Final = 5
_KEEP_EVERY: Final = 30
_LIST_EVERY: Final = round(REFRESH_EVERY_S)
"""In beats."""
_RETRY_MS: Final = 1000
_TICKED_IN_ONE_GO: Final = 8

_log = structlog.get_logger("server.rounds")


class Rounds:
    """Goes on from `begin` to `end`."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self._was_available = True
        self._is_to_keep = False
        house.peers.came_or_went.append(self._node_came_or_went)

    async def begin(self) -> None:
        """Take up the tables that are this node's to keep, and go on. Raises LogUnavailableError."""
        await self._house.lobby.keep()
        loop = asyncio.get_running_loop()
        self._tasks = loop.create_task(self._go_on()), loop.create_task(self._look_for_restarts())

    async def end(self) -> None:
        """Stop, and tell the other nodes."""
        for task in self._tasks:
            await tasks.end(task)
        await self._house.lobby.stop()
        self._house.peers.leave()

    async def _go_on(self) -> None:
        beat, loop = 0, asyncio.get_running_loop()
        while True:
            due_s = loop.time() + BEAT_EVERY_S
            await asyncio.sleep(BEAT_EVERY_S)
            beat += 1
            if loop.time() - due_s > GONE_AFTER_S:  # as whoever stops a process makes it
                _log.warning("stood_still", seconds=round(loop.time() - due_s, 1))
                for actor in self._house.lobby:
                    actor.stood_still()
            self._house.peers.beat()
            self._see_to_the_log()
            try:
                await self._do_what_is_due(beat)
            except LogUnavailableError:
                continue  # it is tried again next time
            except Exception as error:  # noqa: BLE001  # a node that made no more rounds would be taken for dead
                _log.error("round_failed", error=type(error).__name__, at=place_of(error))

    async def _look_for_restarts(self) -> None:
        """Tell players of a restart that is announced; apart from all else, for a database may take its time.

        Not while the server stops: it would wait for a database that hangs.
        """
        restarts = self._house.restarts
        while not self._house.is_draining:
            try:
                if await restarts.look():
                    _log.info("restart", is_expected=restarts.is_expected)
                    self._house.tell_everybody(restarts.notice())
            except StoreAwayError:
                pass  # it is looked for again
            except Exception as error:  # noqa: BLE001  # a node that looked no more would tell of no other
                _log.error("look_failed", error=type(error).__name__, at=place_of(error))
            await asyncio.sleep(LOOK_EVERY_S)

    async def _do_what_is_due(self, beat: int) -> None:
        lobby = self._house.lobby
        await self._tick(beat)
        if beat % _TICK_EVERY == 0:
            await lobby.let_go()
        if not self._was_available:
            return
        await lobby.list_anew()
        await lobby.list_lost()
        if beat % _LIST_EVERY == 0:
            await lobby.list_all()
        if self._is_to_keep or beat % _KEEP_EVERY == 0:
            await lobby.keep()
            self._is_to_keep = False

    async def _tick(self, beat: int) -> None:
        """Have some tables see what time has brought, others in the next beat; players get their turn in between."""
        for number, actor in enumerate(list(self._house.lobby)[beat % _TICK_EVERY :: _TICK_EVERY]):
            actor.tick()
            if number % _TICKED_IN_ONE_GO == 0:
                await asyncio.sleep(0)

    def _see_to_the_log(self) -> None:
        is_available = self._house.lobby.is_log_available
        if is_available == self._was_available:
            return
        self._was_available = is_available
        if is_available:
            _log.warning("log_back")
            self._house.tell_everybody(outgoing.notice("restored", "the server records again; play goes on"))
        else:
            _log.error("log_away")
            detail = "the server cannot record just now; clocks stand still and play goes on when it can"
            self._house.tell_everybody(outgoing.notice("degraded", detail, retry_ms=_RETRY_MS))
        for actor in self._house.lobby:
            if is_available:
                actor.log_came()
            else:
                actor.log_went()

    def _node_came_or_went(self, node: str, lives: bool) -> None:  # noqa: FBT001  # a callback
        _log.info("node_came" if lives else "node_went", node=node)
        self._is_to_keep = True
        if not lives:
            for actor in self._house.lobby:
                actor.lost_node(node)
