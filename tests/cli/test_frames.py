"""The load client's own few lines of RFC 6455, against the library's reading of it."""

from __future__ import annotations

import pytest
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from clients.cli.bench.frames import BINARY, PING, FrameReader, client_frame
from clients.cli.bench.rounds import Compared


@pytest.mark.parametrize("length", [0, 1, 125, 126, 5000, 65535])
def test_the_library_reads_our_frames(length: int) -> None:
    stream = StreamReader()
    stream.feed_data(client_frame(b"x" * length))
    parser = Frame.parse(stream.read_exact, mask=True)
    with pytest.raises(StopIteration) as done:
        next(parser)
    assert done.value.value == Frame(Opcode.BINARY, b"x" * length)


@pytest.mark.parametrize("step", [1, 3, 1000, 1_000_000])
def test_we_read_the_librarys_frames_however_they_are_cut(step: int) -> None:
    payloads = [b"", b"a" * 125, b"b" * 126, b"c" * 70_000]
    stream = b"".join(Frame(Opcode.BINARY, payload).serialize(mask=False) for payload in payloads)
    stream += Frame(Opcode.PING, b"?").serialize(mask=False)
    reader = FrameReader()
    frames = [frame for at in range(0, len(stream), step) for frame in reader.feed(stream[at : at + step])]
    assert frames == [*((BINARY, payload) for payload in payloads), (PING, b"?")]


def test_neighbouring_rounds_are_compared() -> None:
    """A slow minute that hits both sides of one round does not move the ratio."""
    assert Compared([100, 10, 100], [200, 20, 200]).ratio == 0.5
