"""The text of a file from elsewhere: bounded, decoded, and read as JSON without surprises."""

from __future__ import annotations

import codecs
import json
from typing import Final

from engine.interchange.reports import InterchangeError, shown

MAX_BYTES: Final = 8_000_000
"""A game of 99 hands takes well under a tenth of this in every format."""

_OTHER_ENCODINGS: Final = (
    ("UTF-32", codecs.BOM_UTF32_LE),
    ("UTF-32", codecs.BOM_UTF32_BE),
    ("UTF-16", codecs.BOM_UTF16_LE),
    ("UTF-16", codecs.BOM_UTF16_BE),
)


def decode(data: bytes) -> str:
    """Return the text of a file. Raises InterchangeError where it is too long, no UTF-8, or holds a NUL."""
    if len(data) > MAX_BYTES:
        raise InterchangeError(f"a file may have {MAX_BYTES} bytes")
    for name, mark in _OTHER_ENCODINGS:
        if data.startswith(mark):
            raise InterchangeError(f"the file is {name}; it must be UTF-8", line=1)
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InterchangeError("the file is not UTF-8", line=data.count(b"\n", 0, error.start) + 1) from None
    return checked(text)


def checked(text: str) -> str:
    """Return *text* if it may be read at all. Raises InterchangeError where it is too long or holds a NUL."""
    if len(text) > MAX_BYTES:
        raise InterchangeError(f"a file may have {MAX_BYTES} bytes")
    if "\0" in text:
        raise InterchangeError(
            "the file holds a NUL; it must be UTF-8 text", line=text.count("\n", 0, text.index("\0")) + 1
        )
    return text


def parse_json(text: str, *, first_line: int = 1) -> object:
    """Read one JSON document; *first_line* is where it stands in its file.

    Raises InterchangeError for anything else: two documents, a field named twice, NaN, nesting too deep.
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        detail = (
            "something follows the end of the JSON document" if error.msg == "Extra data" else f"no JSON: {error.msg}"
        )
        raise InterchangeError(detail, line=first_line + error.lineno - 1) from None
    except RecursionError:
        raise InterchangeError("nested too deep", line=first_line) from None
    except InterchangeError as error:
        raise error.placed(line=first_line) from None
    except ValueError:  # a number of thousands of digits
        raise InterchangeError("a number too long to read", line=first_line) from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InterchangeError(f"the field {shown(twice)} stands twice in one object")
    return fields


def _no_constant(text: str) -> object:
    raise InterchangeError(f"{text} is no JSON")
