"""A player's own link: a page's address with the token that makes whoever has it that player. Pure."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urljoin, urlsplit

from clients.cli.addresses import server_url
from clients.cli.errors import UsageError
from protocol.codes import TOKEN_PATTERN

_SOCKET: Final = "ws"
"""Where the socket is, seen from the page."""
_SCHEMES: Final = {"ws": "http", "wss": "https"}
_LIKE: Final = "an own link looks like https://HOST/#me=TOKEN"


def own_link(url: str, token: str) -> str:
    """Return the own link of the player with *token* at the server with the WebSocket URL *url*."""
    parts = urlsplit(url)
    return urljoin(parts._replace(scheme=_SCHEMES[parts.scheme]).geturl(), ".") + f"#me={token}"


def read_own_link(text: str) -> tuple[str, str]:
    """Return the server's WebSocket URL and the token that an own link names. Raises UsageError where it is none."""
    page, _, token = text.strip().partition("#me=")
    if not page.startswith(("http://", "https://")) or re.fullmatch(TOKEN_PATTERN, token) is None:
        raise UsageError(_LIKE)
    return server_url(urljoin(page, _SOCKET)), token
