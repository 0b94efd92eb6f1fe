"""Peers of a server under measurement, lean enough to leave the server as the bottleneck."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar, cast
from urllib.parse import urlsplit

import msgpack

from clients.cli.bench.frames import CLOSE, PING, PONG, FrameReader, client_frame, handshake
from protocol.codec import MSGPACK

WEBSOCKET_PATH: Final = "/ws"

P = TypeVar("P", bound="Peer")


class Peer(asyncio.Protocol):
    """One connection: the opening handshake, then whole frames for ``take``."""

    def __init__(self, request: bytes) -> None:
        loop = asyncio.get_running_loop()
        self.opened: asyncio.Future[None] = loop.create_future()
        self.lost: asyncio.Future[None] = loop.create_future()
        self._request = request
        self._reader = FrameReader()
        self._head: bytes | None = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is none by inheritance
        self.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            head, end, data = (self._head + data).partition(b"\r\n\r\n")
            if not end:
                self._head = head
                return
            self._head = None
            if not head.startswith(b"HTTP/1.1 101 "):
                self.opened.set_exception(ConnectionError(head.partition(b"\r\n")[0].decode()))
                return
            self.opened.set_result(None)
        for opcode, payload in self._reader.feed(data):
            if opcode == PING:
                self.write(client_frame(payload, PONG))
            elif opcode != CLOSE:
                self.take(payload)

    def connection_lost(self, error: Exception | None) -> None:
        self.lost.set_result(None)
        if not self.opened.done():
            self.opened.set_exception(error or ConnectionError("the server hung up"))

    def write(self, frame: bytes) -> None:
        self._transport.write(frame)

    def cut(self) -> None:
        """Lose the connection, without a word to the server."""
        self._transport.abort()

    def take(self, payload: bytes) -> None:
        raise NotImplementedError


class Caller(Peer):
    """A player that sends messages and waits for their answers; it hears nothing else."""

    def __init__(self, request: bytes) -> None:
        super().__init__(request)
        self._ref = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._pack: Callable[[Any], bytes] = msgpack.Packer().pack

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        for answer in self._answers.values():
            if not answer.done():
                answer.set_exception(ConnectionError("the connection was lost"))

    async def call(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a message and wait for its answer."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[self.send(kind, **fields)] = answer
        return await answer

    def send(self, kind: str, **fields: Any) -> int:
        """Send a message; return its ref."""
        self._ref += 1
        self.write(client_frame(self._pack({"t": kind, "ref": self._ref, **fields})))
        return self._ref

    def take(self, payload: bytes) -> None:
        for message in MSGPACK.decode_frame(payload):
            answer = self._answers.pop(message.get("ref") or 0, None)
            if answer is None:
                continue
            if message["t"] == "refused":
                answer.set_exception(RuntimeError(message["detail"]))
            else:
                self._ref = max(self._ref, message.get("next_ref", 0))
                answer.set_result(message)


async def connected(make: Callable[[bytes], P], url: str, path: str = WEBSOCKET_PATH) -> P:
    """Return a peer that is connected to the server at *url*. Raises ConnectionError."""
    address = urlsplit(url)
    host, port = address.hostname or "127.0.0.1", address.port or 80
    subprotocol = MSGPACK.subprotocol if path == WEBSOCKET_PATH else None
    request = handshake(f"{host}:{port}", path, subprotocol)
    _, peer = await asyncio.get_running_loop().create_connection(partial(make, request), host, port)
    await peer.opened
    return peer
