"""Sockets: the WebSocket server, a writer a connection with a bounded queue, and the web page on the same port."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Final

import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from protocol.codec import CODECS, Codec, Encoded
from protocol.codes import HELLO_TIMEOUT_S, MAX_FRAME_BYTES, CloseCode
from server.addresses import Proxies, address_of
from server.http import GAMES_PATH, path_of, respond, respond_game
from server.limits import CONNECTIONS_OF_AN_ADDRESS, Bucket, Kind, Rate
from server.logs import place_of
from server.metrics import METRICS_PATH, METRICS_TYPE
from server.pages import Page, Pages
from server.session import House, Session

WEBSOCKET_PATH: Final = "/ws"
_QUEUE_MESSAGES: Final = 512
_QUEUE_BYTES: Final = 1 << 20
"""What may wait for a peer; one that is further behind is closed with 4008 and resumes."""
_BUFFER_BYTES: Final = 64 * 1024
"""What the transport may hold for a peer before messages wait in the queue instead, until a quarter of it is left."""
_KERNEL_BYTES: Final = 64 * 1024
"""What the system may hold for a peer. Left alone it takes some 3 MB of one who does not read."""
_STUCK_LIMIT_S: Final = 8.0
"""How long a peer's buffer may be full before the connection is aborted: its peer has stopped reading."""
_WATCH_EVERY_S: Final = 1.0
_BACKLOG: Final = 4096
"""Connections that may wait to be accepted. One that finds no room is tried again by its system, after seconds."""
_HANDSHAKE_LIMIT_S: Final = 15.0
"""For a handshake, ours included: while a crowd comes back, a request may wait for seconds before we read it."""
_LATE_S: Final = 0.5
_CLOSE_LIMIT_S: Final = 3.0
PING_EVERY_S: Final = 20.0
"""Also how long the answer may take: a peer that is gone without a word is dropped after twice that."""
_CLOSES_A_SECOND: Final = 500
_SPREAD_LIMIT_S: Final = 4.0
"""Over how long connections are closed at most when the server goes, so that not everybody comes back at once."""
_DRAIN_LIMIT_S: Final = 5.0
"""How long peers have to go by themselves; then they are aborted."""
_WHOLE_TEXT: Final = 0x81
_WHOLE_BINARY: Final = 0x82
_LENGTH_16: Final = 126
_LENGTH_64: Final = 127
_HEAD_16: Final = struct.Struct("!BBH")
_HEAD_64: Final = struct.Struct("!BBQ")
"""RFC 6455, section 5.2."""
_FULL_RETRY_S: Final = 10.0
"""When an address that has as many connections as it may is told to try again."""
_HINT_EVERY_S: Final = 60.0

_log = structlog.get_logger("server.connections")


class Peer(ServerConnection):
    """The library's connection, which also tells when its transport's buffer is full and when there is room again.

    ``full_since`` is on the loop's clock, None while the peer takes what there is. ``address`` is whose it is.
    """

    address: str = ""
    full_since: float | None = None
    on_room: Callable[[], None] | None = None

    def pause_writing(self) -> None:
        super().pause_writing()
        self.full_since = self.loop.time()
        self._keep_at_close(is_wanted=False)

    def resume_writing(self) -> None:
        super().resume_writing()
        self.full_since = None
        self._keep_at_close(is_wanted=True)
        if self.on_room is not None:
            self.on_room()

    def _keep_at_close(self, *, is_wanted: bool) -> None:
        """Have the system keep what the peer has yet to take when the socket is closed, or throw it away and say so.

        It would keep it, for minutes, for a peer who takes nothing, and he would not hear that he was dropped.
        """
        linger = struct.pack("ii", not is_wanted, 0)
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)


class Dispatch:
    """Has connections hand over what they were sent in one round of the loop, all of them at its end."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[Connection, None] = {}

    def add(self, connection: Connection) -> None:
        """Have *connection* flushed at the end of this round."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting[connection] = None

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for connection in waiting:
            try:
                connection.flush()
            except Exception as error:  # noqa: BLE001  # it is dropped, and the others get theirs
                _log.error("not_sent", error=type(error).__name__, at=place_of(error))
                connection.abort()


class Connection:
    """One peer. What is sent in one round of the loop is joined into one frame and handed to the transport at its end.

    Nothing waits for the peer: while his transport's buffer is full, messages wait in a bounded queue
    (docs/decisions/0003). ``on_caught_up`` is called when there is room again and nothing waits any more.
    """

    on_caught_up: Callable[[], None] | None = None

    def __init__(self, peer: Peer, codec: Codec, dispatch: Dispatch) -> None:
        self._peer = peer
        self._dispatch = dispatch
        peer.on_room = self._make_use_of_room
        self.codec = codec
        self._loop = asyncio.get_running_loop()
        self._queue: list[Encoded] = []
        self._queued_bytes = 0
        self._closing: tuple[int, str] | None = None
        self._closer: asyncio.Task[None] | None = None

    @property
    def is_behind(self) -> bool:
        return self._peer.full_since is not None

    @property
    def full_since(self) -> float | None:
        """Since when the peer's buffer is full, on the loop's clock; None while the peer takes what there is."""
        return self._peer.full_since

    def send(self, *parts: Encoded) -> None:
        if self._closing is not None:
            return
        self._queue.extend(parts)
        self._queued_bytes += sum(map(len, parts))
        if len(self._queue) > _QUEUE_MESSAGES or self._queued_bytes > _QUEUE_BYTES:
            self._overflow()
        else:
            self._dispatch.add(self)

    def _overflow(self) -> None:
        """Close a peer that is too far behind; one who is not only had much to hear in this round."""
        self.flush()
        if self._queue:
            self._queue.clear()
            self.close(CloseCode.TOO_SLOW, "too slow")

    def close(self, code: int, reason: str) -> None:
        if self._closing is None:
            self._closing = (int(code), reason)
            self._dispatch.add(self)

    def abort(self) -> None:
        """Drop the connection without a word: the peer would not read one."""
        self._peer.transport.abort()

    def end(self) -> None:
        """Forget what waits; called once, when the connection is gone."""
        self._peer.on_room = None
        self._queue.clear()
        self._closing = None

    async def closed(self) -> None:
        """Wait until a close that was asked for is carried out."""
        self.flush()
        if self._closer is not None:
            await asyncio.wait([self._closer])

    def flush(self) -> None:
        """Hand over what is queued, as far as there is room, and then close if that was asked for."""
        if self._queue:
            if self.is_behind:
                return
            parts, self._queue, self._queued_bytes = self._queue, [], 0
            if self._peer.state is State.OPEN:
                payload = self.codec.frame(parts)
                self._peer.transport.write(_frame_head(len(payload), is_text=self.codec.is_text) + payload)
        if self._closing is not None and self._closer is None:
            self._closer = self._loop.create_task(self._close(*self._closing))

    def _make_use_of_room(self) -> None:
        self.flush()
        if self.on_caught_up is not None and not self.is_behind:
            self.on_caught_up()

    async def _close(self, code: int, reason: str) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._peer.close(code, reason)


class Front:
    """The door: accepts connections for a House and serves its pages."""

    def __init__(self, house: House, pages: Pages, *, origins: frozenset[str], proxies: Proxies | None) -> None:
        self._house = house
        self._pages = pages
        self._origins = origins
        self._proxies = proxies
        self._dispatch = Dispatch()
        self._connections: dict[Connection, Session] = {}
        self._by_address: Counter[str] = Counter()
        self._hints = Bucket(Rate(1, _HINT_EVERY_S))
        self._empty = asyncio.Event()
        self._empty.set()
        self.is_ready = False

    @contextlib.asynccontextmanager
    async def listening(self, listener: socket.socket, *, ping_every_s: float = PING_EVERY_S) -> AsyncIterator[Server]:
        """Accept connections on *listener* while the context is open."""
        # Accepted sockets have it from the listener.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _KERNEL_BYTES)
        server = await serve(
            self._handle,
            sock=listener,
            process_request=self._process_request,
            subprotocols=[Subprotocol(name) for name in CODECS],
            compression=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            open_timeout=_HANDSHAKE_LIMIT_S,
            close_timeout=_CLOSE_LIMIT_S,
            ping_interval=ping_every_s,
            ping_timeout=ping_every_s,
            server_header=None,
            write_limit=_BUFFER_BYTES,
            create_connection=Peer,
            backlog=_BACKLOG,
        )
        watch = asyncio.get_running_loop().create_task(self._watch())
        try:
            yield server
        finally:
            watch.cancel()
            server.close(close_connections=True)
            await server.wait_closed()

    async def drain(self, code: int, reason: str) -> None:
        """Close every connection with *code*, one after another, and wait until they are gone.

        They come in no order, but the bot workers last. A peer that does not go is aborted in the end.
        """
        loop = asyncio.get_running_loop()
        connections = random.sample(list(self._connections), len(self._connections))
        connections.sort(key=lambda connection: self._connections[connection].is_worker)
        apart_s = min(1 / _CLOSES_A_SECOND, _SPREAD_LIMIT_S / max(1, len(connections)))
        for at, connection in enumerate(connections):
            loop.call_later(at * apart_s, connection.close, code, reason)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_LIMIT_S):
                await self._empty.wait()
        for connection in list(self._connections):
            connection.abort()

    async def _process_request(self, peer: ServerConnection, request: Request) -> Response | None:
        path = path_of(request)
        if path.startswith(GAMES_PATH):
            wait_s = self._wait_of(self._address_of(peer, request))
            if wait_s:
                return _too_many(peer, wait_s)
            return await respond_game(self._house.archive, request)
        if path == METRICS_PATH:
            pages = {path: Page(self._metrics(), METRICS_TYPE)}
            return respond(pages, request, is_ready=True)
        is_ready = self.is_ready and not self._house.is_draining
        if path != WEBSOCKET_PATH:
            return respond(self._pages, request, is_ready=is_ready)
        assert isinstance(peer, Peer)
        peer.address = self._address_of(peer, request)
        if self._house.is_draining:
            return peer.respond(HTTPStatus.SERVICE_UNAVAILABLE, "This server is about to stop.\n")
        wait_s = self._wait_of(peer.address)
        if wait_s:
            return _too_many(peer, wait_s)
        if not self._is_allowed(request):
            return peer.respond(HTTPStatus.FORBIDDEN, "This page's origin may not connect here.\n")
        offered = ",".join(request.headers.get_all("Sec-WebSocket-Protocol"))
        if not {name.strip() for name in offered.split(",")} & set(CODECS):
            names = " or ".join(CODECS)
            return peer.respond(HTTPStatus.BAD_REQUEST, f"Connect with the subprotocol {names}.\n")
        return None

    def _metrics(self) -> bytes:
        house = self._house
        return house.metrics.page(
            {
                "euchre_connections": ("Connections that stand.", len(self._connections)),
                "euchre_players": ("Players who are connected.", len(house.sessions)),
                "euchre_tables": ("Tables this server serves.", len(house.lobby)),
                "euchre_workers": ("Bot workers that are connected.", len(house.workers)),
                "euchre_workers_aside": ("Bot workers set aside for being late.", house.workers.set_aside),
            }
        )

    def _address_of(self, peer: ServerConnection, request: Request) -> str:
        proxies = self._proxies
        forwarded = [] if proxies is None else request.headers.get_all(proxies.header)
        host = str(peer.remote_address[0]) if peer.remote_address else ""
        return address_of(host, forwarded, 0 if proxies is None else proxies.hops)

    def _wait_of(self, address: str) -> float:
        """Return in how many seconds the address may connect again, 0 where it may now."""
        throttle = self._house.throttle
        wait_s = throttle.take(Kind.HANDSHAKE, address)
        if throttle.rates and self._by_address[address] >= CONNECTIONS_OF_AN_ADDRESS:
            wait_s = max(wait_s, _FULL_RETRY_S)
        if wait_s and not self._hints.take(throttle.now_s()):
            _log.warning("address_limited", address=address, connections=self._by_address[address])
        return wait_s

    def _is_allowed(self, request: Request) -> bool:
        """Tell whether a browser's page may connect: our own, or one of the configured origins. Others send none."""
        origin = request.headers.get("Origin")
        if origin is None or origin in self._origins:
            return True
        return origin.partition("://")[2] == request.headers.get("Host")

    async def _handle(self, peer: ServerConnection) -> None:
        assert isinstance(peer, Peer)
        connection = Connection(peer, CODECS[str(peer.subprotocol)], self._dispatch)
        session = Session(self._house, connection, address=peer.address)
        connection.on_caught_up = session.catch_up
        self._connections[connection] = session
        self._by_address[peer.address] += 1
        self._empty.clear()
        self._expect_greeting(connection)
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
            session.end()
            del self._connections[connection]
            self._by_address[peer.address] -= 1
            if not self._by_address[peer.address]:
                del self._by_address[peer.address]
            if not self._connections:
                self._empty.set()
            connection.end()

    def _expect_greeting(self, connection: Connection) -> None:
        """Close the connection unless its peer says who it is in time.

        If we are late ourselves, or still look it up, the peer has its time again: it may have said it long ago.
        """
        loop = asyncio.get_running_loop()
        due_s = loop.time() + HELLO_TIMEOUT_S

        def look() -> None:
            session = self._connections.get(connection)
            if session is None or session.is_greeted:
                return
            if session.is_greeting or loop.time() > due_s + _LATE_S:
                self._expect_greeting(connection)
            else:
                connection.close(CloseCode.PROTOCOL_VIOLATION, f"no hello within {HELLO_TIMEOUT_S} s")

        loop.call_later(HELLO_TIMEOUT_S, look)

    async def _watch(self) -> None:
        """Every now and then, note how late the loop is, and abort connections whose peer does not read.

        The library's keepalive does not: its ping waits in line, too.
        """
        loop = asyncio.get_running_loop()
        while True:
            due_s = loop.time() + _WATCH_EVERY_S
            await asyncio.sleep(_WATCH_EVERY_S)
            self._house.metrics.loop_lag_s = max(0.0, loop.time() - due_s)
            before = loop.time() - _STUCK_LIMIT_S
            for connection in list(self._connections):
                if connection.full_since is not None and connection.full_since < before:
                    connection.abort()


def _frame_head(length: int, *, is_text: bool) -> bytes:
    """Return what stands before a server's data frame of *length* bytes, whole, unmasked and without extensions.

    The library makes the same one, in several times the time.
    """
    first = _WHOLE_TEXT if is_text else _WHOLE_BINARY
    if length < _LENGTH_16:
        return bytes((first, length))
    if length < 1 << 16:
        return _HEAD_16.pack(first, _LENGTH_16, length)
    return _HEAD_64.pack(first, _LENGTH_64, length)


def _too_many(peer: ServerConnection, wait_s: float) -> Response:
    response = peer.respond(HTTPStatus.TOO_MANY_REQUESTS, "Too many connections come from your address.\n")
    response.headers["Retry-After"] = str(math.ceil(wait_s))
    return response
