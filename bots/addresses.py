"""The address of a server, as people write it and as the WebSocket wants it. Pure."""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit

DEFAULT_URL: Final = "ws://127.0.0.1:8765/ws"
_PATH: Final = "/ws"
_SCHEMES: Final = {"ws": "ws", "wss": "wss", "http": "ws", "https": "wss"}


class AddressError(ValueError):
    """A text is no address of a server; the message is a sentence for the person."""


def websocket_url(text: str) -> str:
    """Return the WebSocket URL of the server at *text*: a URL of the page or the socket, HOST:PORT, or :PORT here.

    Raises AddressError where it is neither.
    """
    host = f"127.0.0.1{text}" if text.startswith(":") else text
    parts = _split(text if "://" in text else f"ws://{host}")
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise AddressError(f"{text!r} is no address of a server; it looks like {DEFAULT_URL}")
    return f"{_SCHEMES[parts.scheme]}://{parts.netloc}{parts.path if parts.path.strip('/') else _PATH}"


def _split(text: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        parts.port  # noqa: B018 - reading it is how urlsplit checks it
    except ValueError as error:
        raise AddressError(f"{text!r} is no address of a server: {error}") from None
    return parts
