"""Watchers that stop reading: talk at their table is more than sockets hold for them, and they take none of it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from clients.cli.bench.frames import client_frame, handshake
from clients.cli.bench.peers import WEBSOCKET_PATH, Caller, connected
from protocol.codec import MSGPACK
from protocol.codes import SAY_MAX_CHARS

_RECEIVE_BYTES: Final = 4096
_LINE: Final = "\N{PLAYING CARD JACK OF SPADES}" * SAY_MAX_CHARS
_LINES: Final = 400
"""Some 320 kB together: about twice what the server and the system hold for a watcher."""
_SETTLE_S: Final = 1.0
"""The seats were talked to, too: time for them to have read it."""
_LOOK_EVERY_S: Final = 0.1
_GONE_LIMIT_S: Final = 60.0


class DeafWatcher:
    """One of them. ``stuck_for_s`` is how long the server bore with it, once it is gone."""

    def __init__(self, socket_: socket.socket) -> None:
        self.stuck_for_s = 0.0
        self._socket = socket_
        self._loop = asyncio.get_running_loop()
        self._stuck_at_s = 0.0
        self._ref = 0

    @classmethod
    async def at(cls, url: str, table: str) -> DeafWatcher:
        """Return one that watches *table* of the server at *url*."""
        address = urlsplit(url)
        host, port = address.hostname or "127.0.0.1", address.port or 80
        socket_ = socket.socket()
        socket_.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BYTES)
        socket_.settimeout(0)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(socket_, (host, port))
        await loop.sock_sendall(socket_, handshake(f"{host}:{port}", WEBSOCKET_PATH, MSGPACK.subprotocol))
        watcher = cls(socket_)
        await watcher._send("hello", version=1)
        await watcher._send("watch", table=table)
        return watcher

    async def _send(self, kind: str, **fields: Any) -> None:
        self._ref += 1
        message = MSGPACK.encode({"t": kind, "ref": self._ref, **fields})
        await self._loop.sock_sendall(self._socket, client_frame(message))

    def begin_to_count(self) -> None:
        """Begin to count how long the server bears with it."""
        self._stuck_at_s = self._loop.time()

    async def gone(self) -> None:
        """Wait until the server has dropped the connection. What it sent before is not read even then."""
        async with asyncio.timeout(_GONE_LIMIT_S):
            with contextlib.suppress(OSError):
                while True:
                    await self._send("ping")
                    await asyncio.sleep(_LOOK_EVERY_S)
        self.stuck_for_s = self._loop.time() - self._stuck_at_s
        self._socket.close()


async def stuck_watchers(url: str, tables: Sequence[str], count: int) -> list[DeafWatcher]:
    """Return so many watchers, spread over *tables*, who were sent more than they let in."""
    deaf = [await DeafWatcher.at(url, tables[number % len(tables)]) for number in range(count)]
    for table in tables[:count]:
        talker = await connected(Caller, url)
        await talker.call("hello", version=1)
        await talker.call("watch", table=table)
        await asyncio.gather(*(talker.call("say", table=table, text=_LINE) for _ in range(_LINES)))
        talker.cut()
    for watcher in deaf:
        watcher.begin_to_count()
    await asyncio.sleep(_SETTLE_S)
    return deaf
