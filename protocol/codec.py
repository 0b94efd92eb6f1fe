"""Messages to bytes and back, for both subprotocols.

A client's frame is one message. A server's frame is an array of messages, made by joining messages that are already
encoded: each is encoded once for its audience, however many frames it travels in (docs/decisions/0002).

The kind of a frame is its type here as on the socket: ``str`` for text, ``bytes`` for binary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NewType, Protocol, cast

import msgpack
import orjson

from protocol.codes import (
    MAX_DEPTH,
    MAX_FRAME_BYTES,
    MAX_ITEMS,
    MAX_SERVER_FRAME_BYTES,
    SUBPROTOCOL_JSON,
    SUBPROTOCOL_MSGPACK,
    CloseCode,
)
from protocol.errors import ProtocolViolationError

Encoded = NewType("Encoded", bytes)
"""One message, encoded, not yet in a frame."""

_INTEGER_END: Final = 2**63
_FLOAT_END: Final = 2**53
"""JSON's integers beyond 64 bits are read as floats; so far out no float is anything else."""


class Codec(Protocol):
    """One subprotocol's encoding."""

    @property
    def subprotocol(self) -> str: ...

    @property
    def is_text(self) -> bool:
        """Whether frames are text frames; what ``frame`` returns is bytes either way, UTF-8 for text."""
        ...

    def encode(self, message: Mapping[str, Any]) -> Encoded:
        """Encode one message; for a client that is a whole frame. Keys must be text, and integers fit 64 bits."""
        ...

    def frame(self, parts: Sequence[Encoded]) -> bytes:
        """Join encoded messages, in order, into one server frame."""
        ...

    def decode(self, data: str | bytes) -> object:
        """Decode a client's frame, which nobody vouches for.

        Raises ProtocolViolationError with PROTOCOL_VIOLATION (4003), or FRAME_TOO_BIG (1009).
        """
        ...

    def decode_frame(self, data: str | bytes) -> list[dict[str, Any]]:
        """Decode a server's frame. Raises ProtocolViolationError as ``decode`` does."""
        ...


class JsonCodec:
    """``euchre.v1.json``: text frames of JSON."""

    subprotocol: Final = SUBPROTOCOL_JSON
    is_text: Final = True

    def encode(self, message: Mapping[str, Any]) -> Encoded:
        return Encoded(orjson.dumps(message))

    def frame(self, parts: Sequence[Encoded]) -> bytes:
        return b"[%b]" % b",".join(parts)

    def decode(self, data: str | bytes) -> object:
        if not isinstance(data, str):
            raise _undecodable(f"{self.subprotocol} takes text frames only")
        try:
            raw = data.encode()
            _check_size(raw, MAX_FRAME_BYTES)
            value = orjson.loads(raw)
        except (UnicodeEncodeError, orjson.JSONDecodeError):
            raise _undecodable("not JSON") from None
        # Every field of every object has one colon, and no other colon stands outside a string. So with as many colons
        # as distinct fields nothing was repeated; otherwise (a colon in a text, mostly) we look again, slowly.
        if _count_fields(value) != raw.count(b":"):
            _refuse_repeated_fields(raw)
        return value

    def decode_frame(self, data: str | bytes) -> list[dict[str, Any]]:
        _check_size(data, MAX_SERVER_FRAME_BYTES)
        try:
            return _as_messages(orjson.loads(data))
        except orjson.JSONDecodeError:
            raise _undecodable("not JSON") from None


class MsgpackCodec:
    """``euchre.v1.msgpack``: binary frames of MessagePack, without extension types, keys of maps always text."""

    subprotocol: Final = SUBPROTOCOL_MSGPACK
    is_text: Final = False

    def __init__(self) -> None:
        self._pack = msgpack.Packer(use_bin_type=True).pack

    def encode(self, message: Mapping[str, Any]) -> Encoded:
        return Encoded(self._pack(message))

    def frame(self, parts: Sequence[Encoded]) -> bytes:
        return _array_header(len(parts)) + b"".join(parts)

    def decode(self, data: str | bytes) -> object:
        if not isinstance(data, bytes):
            raise _undecodable(f"{self.subprotocol} takes binary frames only")
        _check_size(data, MAX_FRAME_BYTES)
        try:
            value = msgpack.unpackb(
                data,
                raw=False,
                strict_map_key=True,
                max_str_len=MAX_FRAME_BYTES,
                max_bin_len=0,
                max_ext_len=0,
                max_array_len=MAX_ITEMS,
                max_map_len=MAX_ITEMS,
                object_pairs_hook=_object_without_repeats,
            )
        except (ValueError, msgpack.UnpackException, RecursionError):
            raise _undecodable("not MessagePack as we take it") from None
        _count_fields(value)
        return value

    def decode_frame(self, data: str | bytes) -> list[dict[str, Any]]:
        if not isinstance(data, bytes):
            raise _undecodable(f"{self.subprotocol} takes binary frames only")
        _check_size(data, MAX_SERVER_FRAME_BYTES)
        try:
            return _as_messages(msgpack.unpackb(data, raw=False, strict_map_key=True))
        except (ValueError, msgpack.UnpackException, RecursionError):
            raise _undecodable("not MessagePack as we take it") from None


JSON: Final[Codec] = JsonCodec()
MSGPACK: Final[Codec] = MsgpackCodec()
CODECS: Final[Mapping[str, Codec]] = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
"""By subprotocol, the one we prefer first."""


def _undecodable(detail: str) -> ProtocolViolationError:
    return ProtocolViolationError(CloseCode.PROTOCOL_VIOLATION, detail)


def _check_size(data: str | bytes, limit: int) -> None:
    if len(data) > limit:
        raise ProtocolViolationError(CloseCode.FRAME_TOO_BIG, f"frames end at {limit} bytes")


def _count_fields(value: object, depth: int = 0) -> int:
    """Return how many fields *value*'s objects have together; refuse what no message may hold."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return 0
    if isinstance(value, (int, float)):
        end = _INTEGER_END if isinstance(value, int) else _FLOAT_END
        if not -end <= value < end:  # nor is NaN between them
            raise _undecodable("a number is too big")
        return 0
    if not isinstance(value, (dict, list)):
        raise _undecodable("a value of a kind no message holds")
    if depth == MAX_DEPTH:
        raise _undecodable("nested too deeply")
    if len(value) > MAX_ITEMS:
        raise _undecodable("too many items")
    if isinstance(value, list):
        return sum([_count_fields(item, depth + 1) for item in value])
    count = len(value)
    for key, item in value.items():
        if type(key) is not str:
            raise _undecodable("a field's name is not text")
        if type(item) is not str:  # most are: no call for those
            count += _count_fields(item, depth + 1)
    return count


def _refuse_repeated_fields(raw: bytes) -> None:
    try:
        json.loads(raw, object_pairs_hook=_object_without_repeats)
    except (ValueError, RecursionError):
        raise _undecodable("a field is given twice") from None


def _object_without_repeats(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _array_header(length: int) -> bytes:
    if length < 16:
        return bytes((0x90 | length,))
    if length < 1 << 16:
        return b"\xdc" + length.to_bytes(2, "big")
    return b"\xdd" + length.to_bytes(4, "big")


def _as_messages(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(message, dict) for message in value):
        raise _undecodable("a server's frame is an array of messages")
    return cast("list[dict[str, Any]]", value)
