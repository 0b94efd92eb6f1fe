"""The record of a game as a file or standard input: opened, and read line by line within bounds."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TextIO

from engine.record import MAX_LINE_CHARS, RecordError

STANDARD: Final = "-"
CANNOT_READ: Final = "cannot_read"


def open_record(file: str) -> TextIO:
    """Open the record. What is no UTF-8 becomes characters that no card and no action has.

    Raises RecordError with the code CANNOT_READ.
    """
    if file == STANDARD:
        return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace")
    try:
        return Path(file).open(encoding="utf-8", errors="replace")
    except OSError as error:
        raise RecordError(0, CANNOT_READ, error.strerror or str(error)) from None


def record_lines(stream: TextIO) -> Iterator[str]:
    """Yield the lines; of one that is too long no more than it takes to see that."""
    try:
        while line := stream.readline(MAX_LINE_CHARS + 2):
            yield line.rstrip("\r\n")
    except OSError as error:  # a folder opens, but does not read
        raise RecordError(0, CANNOT_READ, error.strerror or str(error)) from None


def complaint(file: str, error: RecordError) -> str:
    """Return the line that says why *file* cannot be followed."""
    return f"{file}: {error.detail if error.code == CANNOT_READ else error}"


def error_to_plain(error: RecordError) -> dict[str, object]:
    """Return the JSON line that says the same."""
    return {"error": {"n": error.n, "code": error.code, "detail": error.detail}}


def print_plain(plain: Mapping[str, object]) -> None:
    """Print one JSON line."""
    print(json.dumps(plain, separators=(",", ":"), ensure_ascii=False))
