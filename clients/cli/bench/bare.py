"""What the server is measured against: a WebSocket server that does nothing but fan a fixed message to its table.

The same library and the same event loop as ours, no tables, no rules, no log. A message from any of a table's four
clients is answered with one fixed message to all four.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from clients.cli.bench.loops import run

MESSAGE: Final = bytes(150)
"""About the size of what the server sends a client for one action."""

_tables: Final[defaultdict[str, list[ServerConnection]]] = defaultdict(list)


async def _fan(client: ServerConnection) -> None:
    assert client.request is not None
    table = _tables[client.request.path]
    table.append(client)
    try:
        async for _ in client:
            for peer in table:
                await peer.send(MESSAGE)
    except ConnectionClosed:
        pass
    finally:
        table.remove(client)


async def _serve() -> None:
    async with serve(_fan, "127.0.0.1", 0, compression=None) as server:
        (listener,) = server.sockets
        print(f"http://127.0.0.1:{listener.getsockname()[1]}/", flush=True)
        await server.serve_forever()


if __name__ == "__main__":
    run(_serve())
