"""The server that a command line names."""

from __future__ import annotations

from bots.addresses import AddressError, websocket_url
from clients.cli.errors import UsageError


def server_url(text: str) -> str:
    """Return the WebSocket URL of the server at *text*, as `websocket_url` does. Raises UsageError where it is none."""
    try:
        return websocket_url(text)
    except AddressError as error:
        raise UsageError(str(error)) from None
