"""A bad network between client and server: it loses answers, with the connection, and says things twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import CODECS, Codec
from tests.support_server import PATIENCE_S


class LossyNetwork:
    """Passes frames on. Of those with an answer ``loss`` are lost, and the connection with them.

    Of a client's frames ``echo`` are passed on twice. Both are shares, and may be set at any time.
    """

    def __init__(self, server: str, *, loss: float, echo: float, seed: int) -> None:
        self.url = ""
        self.lost = 0
        self.echoed = 0
        self._server = server
        self.loss = loss
        self.echo = echo
        self._rng = Random(seed)

    async def carry(self, client: ServerConnection) -> None:
        """Carry one connection."""
        assert client.subprotocol is not None
        codec = CODECS[client.subprotocol]
        async with connect(
            self._server, subprotocols=[client.subprotocol], compression=None, proxy=None, open_timeout=PATIENCE_S
        ) as server:
            with contextlib.suppress(ConnectionClosed, asyncio.CancelledError):
                up = asyncio.create_task(self._up(client, server))
                down = asyncio.create_task(self._down(server, client, codec))
                await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
            for task in (up, down):
                task.cancel()
            await asyncio.gather(up, down, return_exceptions=True)
            client.transport.abort()

    async def _up(self, client: ServerConnection, server: ClientConnection) -> None:
        async for frame in client:
            await server.send(frame)
            if self._rng.random() < self.echo:
                self.echoed += 1
                await server.send(frame)

    async def _down(self, server: ClientConnection, client: ServerConnection, codec: Codec) -> None:
        async for frame in server:
            answers = any(message["t"] in {"ok", "refused"} for message in codec.decode_frame(frame))
            if answers and self._rng.random() < self.loss:
                self.lost += 1
                return
            await client.send(frame)


@asynccontextmanager
async def lossy_network(
    server: str, *, loss: float = 0.03, echo: float = 0.03, seed: int = 0
) -> AsyncIterator[LossyNetwork]:
    """Run such a network in front of *server* while the context is open."""
    network = LossyNetwork(server, loss=loss, echo=echo, seed=seed)
    async with serve(
        network.carry,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol(name) for name in CODECS],
        compression=None,
        close_timeout=1,
    ) as listening:
        port = next(iter(listening.sockets)).getsockname()[1]
        network.url = f"ws://127.0.0.1:{port}/ws"
        yield network
