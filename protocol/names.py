"""Names and chat, made fit to show: what looks the same is the same, and nothing in it moves or hides other text."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from protocol.codes import NAME_MAX_CHARS, SAY_MAX_CHARS
from protocol.errors import UnfitTextError

_MAX_MARKS: Final = 4
"""Combining marks on one character; the scripts that need most need fewer, and towers of marks cover other lines."""

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control, format (zero-width, direction overrides), surrogate, private, unassigned."""
_UNSEEN_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, marks and signs by category that show nothing."""
_VARIATION_SELECTORS: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES: Final = re.compile(r"\s+")


def display_name(text: str) -> str:
    """Return *text* as a name to show: NFKC, trimmed, single spaces, 1 to NAME_MAX_CHARS characters.

    Raises UnfitTextError for a name that is empty, too long, or holds characters nobody can see.
    """
    name = _normalise(text, NAME_MAX_CHARS, "a name")
    if any(_is_unseen(char) for char in name):
        raise UnfitTextError("a name must not hold invisible or control characters")
    return _check(name, NAME_MAX_CHARS, "a name")


def chat_text(text: str) -> str:
    """Return *text* as a line of chat, 1 to SAY_MAX_CHARS characters; what nobody can see is left out.

    Raises UnfitTextError when nothing is left, or too much.
    """
    line = _normalise(text, SAY_MAX_CHARS, "a message")
    seen = "".join([char for char in line if not _is_unseen(char)])
    return _check(_normalise(seen, SAY_MAX_CHARS, "a message"), SAY_MAX_CHARS, "a message")


def _normalise(text: str, limit: int, what: str) -> str:
    if len(text) > 4 * limit:  # before the work, which a hostile text could make long
        raise UnfitTextError(f"{what} has at most {limit} characters")
    plain = unicodedata.normalize("NFKC", _VARIATION_SELECTORS.sub("", text))
    return _SPACES.sub(" ", plain).strip()


def _check(text: str, limit: int, what: str) -> str:
    if not text:
        raise UnfitTextError(f"{what} must not be empty")
    if len(text) > limit:
        raise UnfitTextError(f"{what} has at most {limit} characters")
    marks = 0
    for at, char in enumerate(text):
        marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if marks > _MAX_MARKS or (marks and at == 0):
            raise UnfitTextError(f"{what} must not hold marks without letters")
    return text


def _is_unseen(char: str) -> bool:
    return char in _UNSEEN_LETTERS or unicodedata.category(char) in _UNSEEN_CATEGORIES
