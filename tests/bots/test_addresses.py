"""Where a server is, as people write it."""

from __future__ import annotations

import pytest

from bots.addresses import AddressError, websocket_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://127.0.0.1:8765/ws", "ws://127.0.0.1:8765/ws"),
        ("http://127.0.0.1:8765/", "ws://127.0.0.1:8765/ws"),
        ("https://euchre.example.org", "wss://euchre.example.org/ws"),
        ("wss://example.org/games/ws", "wss://example.org/games/ws"),
        ("localhost:9000", "ws://localhost:9000/ws"),
        (":9000", "ws://127.0.0.1:9000/ws"),
        ("[::1]:9000", "ws://[::1]:9000/ws"),
    ],
)
def test_addresses_as_people_write_them(text: str, url: str) -> None:
    assert websocket_url(text) == url


@pytest.mark.parametrize("text", ["", "ftp://example.org", "http://", "host:port", "http://[::1", "ws://host:99999"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        websocket_url(text)
