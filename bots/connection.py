"""A player's connection, a person's or a bot's: remade when it is lost, with what was missed in between."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from protocol.client import ClientSession
from protocol.codec import MSGPACK
from protocol.codes import MAX_SERVER_FRAME_BYTES, CloseCode
from protocol.errors import ProtocolViolationError
from protocol.reconnect import GiveUp, Reconnect, advice_for_close
from protocol.updates import Update, Welcomed

_OPEN_TIMEOUT_S: Final = 10
_PING_EVERY_S: Final = 10
_CLOSE_TIMEOUT_S: Final = 2
_ABNORMAL_CLOSE: Final = 1006
"""What websockets reports for a connection that ended without a close frame."""
_NOT_NOW: Final[dict[int, CloseCode]] = {
    HTTPStatus.TOO_MANY_REQUESTS: CloseCode.RATE_LIMIT,
    HTTPStatus.SERVICE_UNAVAILABLE: CloseCode.DRAINING,
}
"""Handshakes refused for the moment, and the close codes that say the same."""


@dataclass(frozen=True, slots=True)
class Lost:
    """The connection is gone; another is tried after this time. ``as_new_player``: our token is not known there."""

    retry_ms: int
    as_new_player: bool


class NoConnectionError(Exception):
    """There is no connection and none will be tried; the text is a sentence for the person."""


class Connection:
    """A session's connection to one server."""

    def __init__(self, url: str, session: ClientSession) -> None:
        self.url = url
        self.session = session
        self._socket: ClientConnection | None = None
        self._was_welcome = False
        self._is_remade = False

    async def updates(self) -> AsyncGenerator[Update | Lost, None]:
        """Yield what is new, over any number of connections.

        Raises NoConnectionError when the first cannot be made, or the server wants none of us.
        """
        attempt = 0
        while True:
            code: int | None = None
            try:
                async with self._connect() as socket:
                    self._socket = socket
                    self.session.hello()
                    await self.flush()
                    async for frame in socket:
                        for message in MSGPACK.decode_frame(frame):
                            for update in self.session.receive(message):
                                if isinstance(update, Welcomed):
                                    attempt, self._was_welcome = 0, True
                                yield update
                        await self.flush()
                code = socket.close_code
            except ConnectionClosed as closed:
                code = closed.rcvd.code if closed.rcvd else None
            except ProtocolViolationError as error:
                raise NoConnectionError(f"The server sent something odd: {error.detail}.") from None
            except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
                if isinstance(error, InvalidStatus) and error.response.status_code in _NOT_NOW:
                    code = _NOT_NOW[error.response.status_code]
                elif not self._was_welcome:
                    raise NoConnectionError(_why_not_connected(self.url, error)) from None
            finally:
                self._socket = None
            if self._is_remade:
                self._is_remade = False
                continue
            lost = self._after_close(None if code == _ABNORMAL_CLOSE else code, attempt)
            attempt += 1
            yield lost
            await asyncio.sleep(lost.retry_ms / 1000)

    def _connect(self) -> connect:
        return connect(
            self.url,
            subprotocols=[Subprotocol(MSGPACK.subprotocol)],
            compression=None,
            open_timeout=_OPEN_TIMEOUT_S,
            ping_interval=_PING_EVERY_S,
            ping_timeout=_PING_EVERY_S,
            close_timeout=_CLOSE_TIMEOUT_S,
            max_size=MAX_SERVER_FRAME_BYTES,
            proxy=None if is_loopback(self.url) else True,
        )

    def _after_close(self, code: int | None, attempt: int) -> Lost:
        jitter = random.random()
        advice = advice_for_close(code, attempt=attempt, jitter=jitter, retry_ms=self.session.drain_retry_ms)
        match advice:
            case Reconnect():
                if advice.as_new_player:
                    self.session.token = None
                return Lost(advice.after_ms, advice.as_new_player)
            case GiveUp():
                raise NoConnectionError(f"{advice.reason[0].upper()}{advice.reason[1:]}.")

    async def remake(self) -> None:
        """Connect anew, as whom the session knows by now; it need not be lost for that."""
        if self._socket is not None:
            self._is_remade = True
            await self._socket.close()

    async def flush(self) -> None:
        """Send what the session queued; while there is no connection it waits for the next one."""
        socket = self._socket
        if socket is None:
            return
        try:
            for message in self.session.take_outbox():
                await socket.send(MSGPACK.encode(message))
        except ConnectionClosed:
            pass  # `updates` notices, and the session sends again what was not answered


def is_loopback(url: str) -> bool:
    """Tell whether the server is on this machine, where no proxy stands between."""
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def _why_not_connected(url: str, error: Exception) -> str:
    match error:
        case InvalidHandshake():
            return f"What answers at {url} is no Euchre server ({error})."
        case InvalidURI():
            return f"{url} is no address of a server."
        case TimeoutError():
            return f"No server answered at {url} within {_OPEN_TIMEOUT_S} s."
        case ConnectionRefusedError():
            return f"No server answers at {url}. To start one here: euchre serve"
        case ssl.SSLCertVerificationError():
            return f"The certificate of {url} does not count: {error.verify_message}."
        case ConnectionResetError() | ssl.SSLError() if url.startswith("wss:"):
            return f"What answers at {url} seems to speak no TLS; without it the address is ws{url.removeprefix('wss')}"
        case _:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            return f"No connection to {url}: {reason}."
