"""Both encodings carry the same messages, and refuse the same rubbish."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import CODECS, JSON, MSGPACK, Codec, Encoded
from protocol.codes import (
    MAX_DEPTH,
    MAX_FRAME_BYTES,
    MAX_ITEMS,
    MAX_SERVER_FRAME_BYTES,
    SUBPROTOCOL_JSON,
    SUBPROTOCOL_MSGPACK,
    CloseCode,
    RefusalCode,
)
from protocol.errors import ProtocolViolationError
from protocol.outgoing import ok, prompt, refused

BOTH = pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=["json", "msgpack"])

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | text
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)
messages = st.dictionaries(text, values, max_size=6)


def on_the_socket(codec: Codec, data: bytes) -> str | bytes:
    """Return *data* as a WebSocket library hands it over."""
    return data.decode() if codec.is_text else data


def close_code_of(codec: Codec, data: str | bytes) -> CloseCode:
    with pytest.raises(ProtocolViolationError) as raised:
        codec.decode(data)
    assert isinstance(raised.value.code, CloseCode)
    assert raised.value.ref is None
    assert len(raised.value.detail) <= 80
    return raised.value.code


# ── what goes in comes out ───────────────────────────────────────────────────────────────────────────────────────────


@BOTH
@given(message=messages)
def test_a_message_survives_the_wire(codec: Codec, message: dict[str, Any]) -> None:
    assert codec.decode(on_the_socket(codec, codec.encode(message))) == message


@BOTH
@given(parts=st.lists(messages, max_size=5))
def test_a_frame_is_its_messages_in_order(codec: Codec, parts: list[dict[str, Any]]) -> None:
    frame = codec.frame([codec.encode(part) for part in parts])
    assert codec.decode_frame(frame) == parts
    assert codec.decode_frame(on_the_socket(codec, frame)) == parts


@BOTH
@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 65535, 65536])
def test_a_frame_holds_any_number_of_messages(codec: Codec, count: int) -> None:
    assert codec.decode_frame(codec.frame([codec.encode({})] * count)) == [{}] * count


def test_a_frame_is_joined_from_what_was_encoded_once() -> None:
    """The same bytes serve every frame that carries the message."""
    answer, question = ok(3, seq=9), prompt("t", 9, turn=9, seat=1, phase="play", left_ms=None, bank_ms=None)
    for codec in (JSON, MSGPACK):
        first, second = codec.encode(answer), codec.encode(question)
        assert bytes(first) in codec.frame([first, second])
        assert bytes(second) in codec.frame([first, second])
        assert bytes(second) in codec.frame([second])


@given(message=messages)
def test_both_encodings_say_the_same(message: dict[str, Any]) -> None:
    assert JSON.decode(JSON.encode(message).decode()) == MSGPACK.decode(MSGPACK.encode(message))


def test_tuples_and_words_of_enumerations_travel_as_lists_and_text() -> None:
    message = refused(1, RefusalCode.STALE, "no") | {"pairs": ((1, "a"), (2, "b"))}
    for codec in (JSON, MSGPACK):
        (back,) = codec.decode_frame(codec.frame([codec.encode(message)]))
        assert back["code"] == "stale"
        assert back["pairs"] == [[1, "a"], [2, "b"]]


@BOTH
def test_an_encoder_is_as_good_as_new_after_a_value_it_cannot_encode(codec: Codec) -> None:
    with pytest.raises(TypeError):
        codec.encode({"a": "half a message", "b": object()})
    assert codec.decode(on_the_socket(codec, codec.encode({"a": 1}))) == {"a": 1}


def test_the_subprotocols_are_these_two_and_the_compact_one_is_preferred() -> None:
    assert list(CODECS) == [SUBPROTOCOL_MSGPACK, SUBPROTOCOL_JSON] == ["euchre.v1.msgpack", "euchre.v1.json"]
    assert [codec.is_text for codec in CODECS.values()] == [False, True]


# ── what is refused (N11) ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "data",
    [
        "",
        " ",
        "{",
        '{"t":"ping","ref":1',
        '{"t":"ping","ref":1}}',
        '{"t":"ping"}{"t":"ping"}',
        "NaN",
        '{"a":NaN}',
        '{"a":Infinity}',
        '{"a":-Infinity}',
        '{"a":1e999}',
        '{"a":1e300}',
        '{"a":9223372036854775808}',
        '{"a":18446744073709551616}',
        '{"a":-9223372036854775809}',
        '{"a":' + "9" * 5000 + "}",
        '{"t":"ping","t":"ping"}',
        '{"a":{"b":1,"b":1}}',
        '{"a":{"b":":"},"a":1}',
        '{"a":":","\\u0061":1}',
        '{"a":1,"a":' + "[" * 990 + "]" * 990 + "}",
        '{"a":' + "[" * 990 + "]" * 990 + ',"a":1}',
        '{"a":"\\ud800"}',
        '{"a":"\ud800"}',
        "{'a':1}",
        "{a:1}",
        '{"a":1,}',
        "// hello",
        "\x00",
        "[" * MAX_FRAME_BYTES,
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "[" + ",".join("1" * (MAX_ITEMS + 1)) + "]",
        "{" + ",".join(f'"{n}":1' for n in range(MAX_ITEMS + 1)) + "}",
    ],
    ids=lambda data: data[:24].encode("unicode_escape").decode(),
)
def test_json_that_is_none_or_too_much_closes_the_connection(data: str) -> None:
    assert close_code_of(JSON, data) is CloseCode.PROTOCOL_VIOLATION


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x81\xa1a",
        msgpack.packb({"a": 1}) + b"\x01",
        msgpack.packb({1: 2}),
        msgpack.packb({None: 2}),
        msgpack.packb({b"a": 2}),
        msgpack.packb({b"": 2}),
        b"\x81\x90\x01",
        b"\x82\xa1a\x01\xa1a\x02",
        b"\x81\xa1b\x82\xa1a\x01\xa1a\x02",
        msgpack.packb({"a": b""}),
        msgpack.packb({"a": b"binary"}),
        msgpack.packb({"a": msgpack.ExtType(1, b"")}),
        msgpack.packb({"a": msgpack.ExtType(1, b"12345")}),
        msgpack.packb({"a": msgpack.Timestamp(1)}),
        msgpack.packb({"a": float("nan")}),
        msgpack.packb({"a": float("inf")}),
        msgpack.packb({"a": 1e300}),
        msgpack.packb({"a": 2**63}),
        msgpack.packb({"a": 2**64 - 1}),
        b"\x81\xa1a\xa2\xff\xfe",
        b"\x81\xa1a\xa3\xed\xa0\x80",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\x91" * MAX_FRAME_BYTES,
        b"\x91" * (MAX_DEPTH + 1) + b"\x01",
        msgpack.packb([1] * (MAX_ITEMS + 1)),
        msgpack.packb({str(n): 1 for n in range(MAX_ITEMS + 1)}),
    ],
    ids=lambda data: data[:12].hex(),
)
def test_msgpack_that_is_none_or_too_much_closes_the_connection(data: bytes) -> None:
    assert close_code_of(MSGPACK, data) is CloseCode.PROTOCOL_VIOLATION


def test_a_frame_of_the_other_kind_closes_the_connection() -> None:
    assert close_code_of(JSON, b'{"t":"ping","ref":1}') is CloseCode.PROTOCOL_VIOLATION
    assert close_code_of(MSGPACK, '{"t":"ping","ref":1}') is CloseCode.PROTOCOL_VIOLATION


@BOTH
def test_a_frame_may_be_as_long_as_the_limit_and_no_longer(codec: Codec) -> None:
    room = MAX_FRAME_BYTES - len(codec.encode({"a": "x" * 300})) + 300
    fits = codec.encode({"a": "x" * room})
    assert len(fits) == MAX_FRAME_BYTES
    assert codec.decode(on_the_socket(codec, fits)) == {"a": "x" * room}
    too_long = codec.encode({"a": "x" * (room + 1)})
    assert close_code_of(codec, on_the_socket(codec, too_long)) is CloseCode.FRAME_TOO_BIG


def test_the_limit_counts_bytes_not_characters() -> None:
    assert close_code_of(JSON, '"' + "é" * (MAX_FRAME_BYTES // 2) + '"') is CloseCode.FRAME_TOO_BIG


@pytest.mark.parametrize(
    "data",
    ['{"a":"b:c"}', '{"a:":"b"}', '{"a":":","b":"{}[]"}', '{"a":"\\u003a"}', '{"\\u003a":"::"}', '{"a":{":":[":"]}}'],
)
def test_colons_in_text_are_not_taken_for_fields(data: str) -> None:
    assert JSON.decode(data) == msgpack.unpackb(msgpack.packb(JSON.decode(data)))


@BOTH
def test_what_is_within_the_bounds_is_taken(codec: Codec) -> None:
    deep: object = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    message = {
        "deep": deep,
        "wide": list(range(MAX_ITEMS)),
        "low": -(2**63),
        "high": 2**63 - 1,
        "half": 0.5,
        "none": None,
    }
    assert codec.decode(on_the_socket(codec, codec.encode(message))) == message


@given(data=st.binary(max_size=200))
def test_random_bytes_are_a_message_or_a_violation(data: bytes) -> None:
    for codec, frame in ((MSGPACK, data), (JSON, data.decode("latin-1")), (JSON, data.decode("utf-8", "replace"))):
        try:
            codec.decode(frame)
        except ProtocolViolationError as error:
            assert error.code is CloseCode.PROTOCOL_VIOLATION  # noqa: PT017 - most random bytes raise, some do not


@given(message=messages, at=st.integers(0, 10_000), byte=st.binary(min_size=0, max_size=2))
def test_a_damaged_message_is_a_message_or_a_violation(message: dict[str, Any], at: int, byte: bytes) -> None:
    for codec in (MSGPACK, JSON):
        whole = codec.encode(message)
        cut = at % (len(whole) + 1)
        damaged = whole[:cut] + byte + whole[cut + 1 :]
        try:
            codec.decode(damaged.decode("utf-8", "surrogateescape") if codec.is_text else damaged)
        except ProtocolViolationError as error:
            assert error.code is CloseCode.PROTOCOL_VIOLATION  # noqa: PT017 - some damage leaves a message


# ── what a client reads ──────────────────────────────────────────────────────────────────────────────────────────────


@BOTH
@pytest.mark.parametrize("value", [{}, 1, None, "a", [1], [[]], [{}, 1]], ids=repr)
def test_a_server_frame_that_is_no_array_of_messages_is_refused(codec: Codec, value: object) -> None:
    frame = codec.encode(value)  # type: ignore[arg-type]
    with pytest.raises(ProtocolViolationError):
        codec.decode_frame(frame)


@BOTH
@pytest.mark.parametrize("frame", [b"", b"\xff", b"[", b"\x91"])
def test_a_server_frame_that_cannot_be_read_is_refused(codec: Codec, frame: bytes) -> None:
    with pytest.raises(ProtocolViolationError):
        codec.decode_frame(frame)


def test_a_client_bounds_what_it_reads_and_wants_binary_where_it_asked_for_it() -> None:
    with pytest.raises(ProtocolViolationError):
        JSON.decode_frame("[" + " " * MAX_SERVER_FRAME_BYTES + "]")
    with pytest.raises(ProtocolViolationError):
        MSGPACK.decode_frame("[]")


def test_encoded_messages_are_bytes_for_text_too() -> None:
    assert JSON.frame([Encoded(b'{"t":"pong"}')]) == b'[{"t":"pong"}]'
