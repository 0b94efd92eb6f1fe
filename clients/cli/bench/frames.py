"""Just enough of RFC 6455 for a load client: it talks to our own servers only, and must cost next to nothing."""

from __future__ import annotations

from typing import Final

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10

_FIN: Final = 0x80
_MASKED: Final = 0x80
_NO_MASK: Final = b"\0\0\0\0"
"""A client must mask; this key changes nothing. It guards against proxies, of which there are none here."""
_LENGTH_16: Final = 126
_LENGTH_64: Final = 127


def client_frame(payload: bytes, opcode: int = BINARY) -> bytes:
    """Return *payload*, shorter than 64 KiB, as one frame of a client."""
    length = len(payload)
    if length < _LENGTH_16:
        return bytes((_FIN | opcode, _MASKED | length)) + _NO_MASK + payload
    return bytes((_FIN | opcode, _MASKED | _LENGTH_16)) + length.to_bytes(2, "big") + _NO_MASK + payload


class FrameReader:
    """Cuts a server's stream into frames, which come whole: our servers do not fragment."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return the frames that *data* completes, as opcode and payload."""
        if self._rest:
            data = self._rest + data
        frames = []
        at, end = 0, len(data)
        while end - at >= 2:
            length, body = data[at + 1], at + 2
            if length == _LENGTH_16:
                length, body = int.from_bytes(data[body : body + 2], "big"), body + 2
            elif length == _LENGTH_64:
                length, body = int.from_bytes(data[body : body + 8], "big"), body + 8
            if body + length > end:
                break
            frames.append((data[at] & 0x0F, data[body : body + length]))
            at = body + length
        self._rest = data[at:]
        return frames


def handshake(host: str, path: str, subprotocol: str | None) -> bytes:
    """Return a client's opening request."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
    ]
    if subprotocol is not None:
        lines.append(f"Sec-WebSocket-Protocol: {subprotocol}")
    return "\r\n".join([*lines, "", ""]).encode()
