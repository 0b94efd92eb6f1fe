"""What this node hears from Redis: sharded pub/sub, over one connection to each Redis that carries a channel.

A connection that breaks, or a channel that moved to another Redis, ends all of them; they are made anew and every
channel is subscribed to again. What was said meanwhile is lost, and whoever listens is told that it may be.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import ConnectionError as LostError

from server import tasks
from server.listeners import Listeners
from server.log import End
from server.logs import place_of
from server.redis.connections import Address, Connections, close_client, explain, new_client
from server.redis.pipe import FAILURES

_QUIET_S: Final = 5.0
"""Asked whether it is still there after so long a silence; a second such silence breaks the connection."""
_FIRST_PAUSE_S: Final = 0.05
_LAST_PAUSE_S: Final = 1.0

_log = structlog.get_logger("server.redis")


class Hearing:
    """Channels somebody on this node listens to."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._listeners: Listeners[[bytes | None]] = Listeners()
        self._changed = asyncio.Event()
        self._ears = _Ears(connections, self._listeners, self._changed)
        self._task = asyncio.get_running_loop().create_task(self._hear_for_ever())

    def listen(self, channel: str, hear: Callable[[bytes | None], None]) -> End:
        """Call *hear* with each message; with None once every later message is sure to be heard, until the next None.

        There is a None when the channel is first heard, and after each time that messages may have been lost; where it
        is heard already, others who listen get it, too.
        """
        end = self._listeners.add(channel, hear)
        self._changed.set()
        if self._ears.hear(channel):
            self._listeners.tell(channel, None)

        def stop() -> None:
            end()
            self._changed.set()

        return stop

    async def _hear_for_ever(self) -> None:
        pause_s = _FIRST_PAUSE_S
        while True:
            ears = self._ears = _Ears(self._connections, self._listeners, self._changed)
            try:
                with contextlib.suppress(*FAILURES):
                    await self._connections.look_again()
                async with asyncio.TaskGroup() as group:
                    while not ears.are_broken:  # seen, too, where a driver keeps the group's cancellation to itself
                        self._changed.clear()
                        await ears.follow(group)
                        await self._changed.wait()
            except* FAILURES as errors:
                if ears.have_heard:
                    pause_s = _FIRST_PAUSE_S
                    _log.warning("redis_hearing_lost", reason=explain(errors.exceptions[0]))
            except* Exception as errors:  # noqa: BLE001  # who heard no more would lag behind the others for ever
                error = errors.exceptions[0]
                _log.error("redis_hearing_failed", error=type(error).__name__, at=place_of(error))
            finally:
                await ears.close()
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LAST_PAUSE_S)

    async def close(self) -> None:
        await tasks.end(self._task)
        await self._ears.close()  # again: the task may have been cancelled while it did so


class _Ears:
    """The connections of one go, until the first of them breaks."""

    def __init__(self, connections: Connections, listeners: Listeners[[bytes | None]], changed: asyncio.Event) -> None:
        self._connections = connections
        self._listeners = listeners
        self._changed = changed
        self._clients: dict[Address, Redis] = {}
        self._ears: dict[Address, PubSub] = {}
        self._channels: dict[str, PubSub] = {}
        self._confirmed: set[str] = set()
        self._leaving: Counter[str] = Counter()
        self.have_heard = False
        self.are_broken = False

    def hear(self, channel: str) -> bool:
        """Tell whether every message to *channel* is heard from now on."""
        return channel in self._confirmed

    async def follow(self, group: asyncio.TaskGroup) -> None:
        """Subscribe to what is listened to and no more; whoever reads a new connection becomes a task of *group*."""
        for channel in [channel for channel in self._listeners if channel not in self._channels]:
            address = self._connections.carrier(channel)
            ear = self._ears.get(address)
            is_new = ear is None
            if ear is None:
                client = new_client(address)
                assert isinstance(client, Redis)
                self._clients[address] = client
                ear = self._ears[address] = client.pubsub()
            await ear.ssubscribe(channel)
            self._channels[channel] = ear
            if is_new:
                group.create_task(self._read(ear))
        for channel in [channel for channel in self._channels if channel not in self._listeners]:
            self._confirmed.discard(channel)
            self._leaving[channel] += 1
            await self._channels.pop(channel).sunsubscribe(channel)

    async def _read(self, ear: PubSub) -> None:
        is_asked = False
        try:
            while True:
                message = await ear.get_message(timeout=_QUIET_S)
                if message is not None:
                    is_asked = False
                    self._take(message)
                elif is_asked:
                    raise LostError("silent for too long")
                else:
                    is_asked = True
                    await ear.ping()
        finally:
            self.are_broken = True
            self._changed.set()

    def _take(self, message: dict[str, Any]) -> None:
        self.have_heard = True
        if message["channel"] is None:
            return  # the answer to our ping
        channel = message["channel"].decode()
        if message["type"] == "smessage":
            self._listeners.tell(channel, message["data"])
        elif message["type"] == "ssubscribe":
            self._confirmed.add(channel)
            self._listeners.tell(channel, None)
        elif channel in self._leaving:
            self._leaving -= Counter([channel])
        else:
            raise LostError("the channel moved to another node")

    async def close(self) -> None:
        for ear in self._ears.values():
            with contextlib.suppress(*FAILURES):
                await ear.aclose()  # type: ignore[no-untyped-call]
        for client in self._clients.values():
            await close_client(client)
