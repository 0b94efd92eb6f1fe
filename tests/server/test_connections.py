"""Connections over real sockets: how they are opened, greeted and closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.codec import Codec
from protocol.codes import CloseCode
from tests.support_player import BOTH, Wire
from tests.support_server import serving


@pytest.mark.parametrize("codec", BOTH, ids=lambda codec: codec.subprotocol)
async def test_a_refusal_that_ends_the_connection_is_sent_before_the_close(tmp_path: Path, codec: Codec) -> None:
    """A token nobody has is refused, and then the connection is closed."""
    async with serving(tmp_path, workers=0) as server, Wire.to(server.ws, codec) as wire:
        await wire.send({"t": "hello", "ref": 1, "version": 1, "token": "nobody-has-this"})
        assert (await wire.receive())["code"] == "bad_token"
        assert await wire.closed() == CloseCode.TOKEN_REFUSED
