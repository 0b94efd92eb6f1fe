"""The record of a game as a file or standard input: opened, and read line by line within bounds."""

from __future__ import annotations

import io
import json
import string
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO

from engine.record import MAX_LINE_CHARS, RecordError

STANDARD: Final = "-"
CANNOT_READ: Final = "cannot_read"
_IN_NAMES: Final = frozenset(string.ascii_letters + string.digits + "_-")
_NAME_CHARS: Final = 64
_MOST_OF_A_NAME: Final = 99


def open_record(file: str) -> TextIO:
    """Open the record, past a byte order mark. What is no UTF-8 becomes characters that no card and no action has.

    Raises RecordError with the code CANNOT_READ.
    """
    if file == STANDARD:
        return io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="replace")
    try:
        return Path(file).open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise RecordError(0, CANNOT_READ, error.strerror or str(error)) from None


def record_lines(stream: TextIO) -> Iterator[str]:
    """Yield the lines; of one that is too long no more than it takes to see that.

    Raises RecordError with the code CANNOT_READ, also where the file has another encoding.
    """
    is_first = True
    try:
        while line := stream.readline(MAX_LINE_CHARS + 2):
            if is_first and "\0" in line:
                raise RecordError(0, CANNOT_READ, "the file must be UTF-8; this one is UTF-16, or no text at all")
            is_first = False
            yield line.rstrip("\r\n")
    except OSError as error:  # a folder opens, but does not read
        raise RecordError(0, CANNOT_READ, error.strerror or str(error)) from None


def keep_record(game: str, lines: Sequence[str], folder: Path | None = None) -> str:
    """Write the record of *game* to a file in *folder*, by default the current one, and return what to say of it.

    What is there already stays as it is: another record of that name (of a seed dealt again) gets a number behind it.
    The name comes from a server, so only harmless letters of it are kept.
    """
    name = "".join(letter for letter in game if letter in _IN_NAMES)[:_NAME_CHARS] or "game"
    content = "".join(f"{line}\n" for line in lines).encode(errors="replace")
    path = (folder or Path()) / f"euchre-{name}.jsonl"
    try:
        for number in range(1, _MOST_OF_A_NAME + 1):
            if number > 1:
                path = path.with_name(f"euchre-{name}.{number}.jsonl")
            if not path.exists():
                with path.open("xb") as file:
                    file.write(content)
            elif path.read_bytes() != content:
                continue
            return f"The record is in {path.name}, in the current folder. To check it: euchre verify {path.name}"
    except OSError as error:
        return f"The record could not be saved in {path.name}: {error.strerror or error}."
    return f"The record could not be saved: there are {_MOST_OF_A_NAME} of that name already."


def complaint(file: str, error: RecordError) -> str:
    """Return the line that says why *file* cannot be followed."""
    if error.code == CANNOT_READ:
        return f"{file}: {error.detail}"
    hint = "; a game in another format is read by euchre import" if (error.n, error.code) == (0, "bad_json") else ""
    return f"{file}: {error}{hint}"


def error_to_plain(error: RecordError) -> dict[str, object]:
    """Return the JSON line that says the same."""
    return {"error": {"n": error.n, "code": error.code, "detail": error.detail}}


def print_plain(plain: Mapping[str, object]) -> None:
    """Print one JSON line, with escapes only where the output is not Unicode."""
    is_unicode = sys.stdout.encoding.lower() in {"utf-8", "utf8"}
    print(json.dumps(plain, separators=(",", ":"), ensure_ascii=not is_unicode))
