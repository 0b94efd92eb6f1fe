"""Sockets: the WebSocket server, a writer a connection with a bounded queue, and the web page on the same port."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

import structlog
from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol.codec import CODECS, Codec, Encoded
from protocol.codes import HELLO_TIMEOUT_S, MAX_FRAME_BYTES, CloseCode
from server.http import Pages, respond
from server.logs import place_of
from server.session import House, Session

WEBSOCKET_PATH: Final = "/ws"
_QUEUE_MESSAGES: Final = 512
_QUEUE_BYTES: Final = 1 << 20
"""What may wait for a peer; one that is further behind is closed with 4008 and resumes."""
_BUFFER_BYTES: Final = 64 * 1024
"""What the transport may hold for a peer before messages wait in the queue instead."""
_RETRY_FLUSH_S: Final = 0.02
_STUCK_LIMIT_S: Final = 8.0
"""How long a peer's buffer may be full before the connection is aborted: its peer has stopped reading."""
_WATCH_EVERY_S: Final = 1.0
_CLOSE_LIMIT_S: Final = 3.0
_PING_EVERY_S: Final = 20.0

_log = structlog.get_logger("server.connections")


class Connection:
    """One peer. What is sent in one round of the loop is joined into one frame and handed to the transport at its end.

    Nothing waits for the peer: while his transport's buffer is full, messages wait in a bounded queue
    (docs/decisions/0003).
    """

    def __init__(self, peer: ServerConnection, codec: Codec) -> None:
        self._peer = peer
        self._codec = codec
        self._loop = asyncio.get_running_loop()
        self._queue: list[Encoded] = []
        self._queued_bytes = 0
        self._flushing: asyncio.Handle | None = None
        self._closing: tuple[int, str] | None = None
        self._closer: asyncio.Task[None] | None = None
        self.stuck_since: float | None = None
        """On the loop's clock, since when the peer's buffer is full; None while it takes what there is."""

    @property
    def codec(self) -> Codec:
        return self._codec

    def send(self, *parts: Encoded) -> None:
        if self._closing is not None:
            return
        self._queue.extend(parts)
        self._queued_bytes += sum(map(len, parts))
        if len(self._queue) > _QUEUE_MESSAGES or self._queued_bytes > _QUEUE_BYTES:
            self._overflow()
        elif self._flushing is None:
            self._flushing = self._loop.call_soon(self._flush)

    def _overflow(self) -> None:
        """Close a peer that is too far behind; one who is not only had much to hear in this round."""
        if self._flushing is not None:
            self._flushing.cancel()
        self._flush()
        if self._queue:
            self._queue.clear()
            self.close(CloseCode.TOO_SLOW, "too slow")

    def close(self, code: int, reason: str) -> None:
        if self._closing is None:
            self._closing = (int(code), reason)
            if self._flushing is None:
                self._flushing = self._loop.call_soon(self._flush)

    def abort(self) -> None:
        """Drop the connection without a word: the peer would not read one."""
        self._peer.transport.abort()

    def end(self) -> None:
        """Forget what waits; called once, when the connection is gone."""
        if self._flushing is not None:
            self._flushing.cancel()
        self._queue.clear()

    async def closed(self) -> None:
        """Wait until a close that was asked for is carried out."""
        if self._flushing is not None:
            self._flushing.cancel()
            self._flush()
        if self._closer is not None:
            await asyncio.wait([self._closer])

    def _flush(self) -> None:
        self._flushing = None
        if self._queue:
            if self._peer.transport.get_write_buffer_size() > _BUFFER_BYTES:
                self.stuck_since = self.stuck_since or self._loop.time()
                self._flushing = self._loop.call_later(_RETRY_FLUSH_S, self._flush)
                return
            self.stuck_since = None
            parts, self._queue, self._queued_bytes = self._queue, [], 0
            broadcast((self._peer,), self._codec.frame(parts), text=self._codec.is_text)
        if self._closing is not None:
            self._closer = self._loop.create_task(self._close(*self._closing))

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._peer.close(code, reason)


class Front:
    """The door: accepts connections for a House and serves its pages."""

    def __init__(self, house: House, pages: Pages, *, origins: frozenset[str]) -> None:
        self._house = house
        self._pages = pages
        self._origins = origins
        self._connections: set[Connection] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self.is_ready = False

    @contextlib.asynccontextmanager
    async def listening(self, listener: socket.socket) -> AsyncIterator[Server]:
        """Accept connections on *listener* while the context is open."""
        server = await serve(
            self._handle,
            sock=listener,
            process_request=self._process_request,
            subprotocols=[Subprotocol(name) for name in CODECS],
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            open_timeout=HELLO_TIMEOUT_S,
            close_timeout=_CLOSE_LIMIT_S,
            ping_interval=_PING_EVERY_S,
            ping_timeout=_PING_EVERY_S,
            server_header=None,
        )
        watch = asyncio.get_running_loop().create_task(self._abort_stuck())
        try:
            yield server
        finally:
            watch.cancel()
            server.close(close_connections=True)
            await server.wait_closed()

    def close_all(self, code: int, reason: str) -> None:
        """Close every connection with *code*."""
        for connection in list(self._connections):
            connection.close(code, reason)

    async def emptied(self) -> None:
        """Wait until every connection is gone."""
        await self._empty.wait()

    def _process_request(self, peer: ServerConnection, request: Request) -> Response | None:
        path = request.path.partition("?")[0]
        if path != WEBSOCKET_PATH:
            is_ready = self.is_ready and not self._house.is_draining
            return respond(self._pages, path, is_ready=is_ready, method=request.method)
        if not self._is_allowed(request):
            return peer.respond(HTTPStatus.FORBIDDEN, "This page's origin may not connect here.\n")
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        if not {name.strip() for name in offered.split(",")} & set(CODECS):
            names = " or ".join(CODECS)
            return peer.respond(HTTPStatus.BAD_REQUEST, f"Connect with the subprotocol {names}.\n")
        return None

    def _is_allowed(self, request: Request) -> bool:
        """Tell whether a browser's page may connect: our own, or one of the configured origins. Others send none."""
        origin = request.headers.get("Origin")
        if origin is None or origin in self._origins:
            return True
        return origin.partition("://")[2] == request.headers.get("Host")

    async def _handle(self, peer: ServerConnection) -> None:
        connection = Connection(peer, CODECS[str(peer.subprotocol)])
        session = Session(self._house, connection)
        self._connections.add(connection)
        self._empty.clear()
        hello_limit = asyncio.get_running_loop().call_later(HELLO_TIMEOUT_S, _require_greeting, session, connection)
        try:
            async for frame in peer:
                await session.receive(frame)
        except ConnectionClosed:
            pass
        except Exception as error:  # noqa: BLE001  # see below
            # We broke: say so without details, and let nobody else feel it.
            _log.error("session_failed", error=type(error).__name__, at=place_of(error))
            connection.close(CloseCode.INTERNAL_ERROR, "internal error")
            await connection.closed()
        finally:
            hello_limit.cancel()
            session.end()
            self._connections.discard(connection)
            if not self._connections:
                self._empty.set()
            connection.end()

    async def _abort_stuck(self) -> None:
        """Abort connections whose peer does not read. The library's keepalive does not: its ping waits in line, too."""
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(_WATCH_EVERY_S)
            before = loop.time() - _STUCK_LIMIT_S
            for connection in list(self._connections):
                if connection.stuck_since is not None and connection.stuck_since < before:
                    connection.abort()


def _require_greeting(session: Session, connection: Connection) -> None:
    if not session.is_greeted:
        connection.close(CloseCode.PROTOCOL_VIOLATION, f"no hello within {HELLO_TIMEOUT_S} s")
