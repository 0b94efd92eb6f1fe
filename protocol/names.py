"""Names and chat, made fit to show: what looks the same is the same, and nothing in it moves or hides other text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from protocol.codes import NAME_MAX_CHARS, OWNER_MAX_CHARS, SAY_MAX_CHARS, VERSION_MAX_CHARS, RefusalCode
from protocol.errors import UnfitTextError

_MAX_MARKS: Final = 4
"""Combining marks on one character; the scripts that need most need fewer, and towers of marks cover other lines."""

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Control, format (zero-width, direction overrides), surrogate, private, unassigned."""
_UNSEEN_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800")
"""Letters, marks and signs by category that show nothing. NFKC makes U+1160 of the other Hangul fillers."""
_VARIATION_SELECTORS: Final = re.compile("[\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_SPACES: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of text: what it is called, how long it may be, and what is said when it is unfit."""

    what: str
    limit: int
    code: RefusalCode

    def unfit(self, why: str) -> UnfitTextError:
        return UnfitTextError(self.code, f"{self.what} {why}")

    def normalise(self, text: str) -> str:
        if len(text) > 4 * self.limit:  # before the work, which a hostile text could make long
            raise self.unfit(f"has at most {self.limit} characters")
        plain = unicodedata.normalize("NFKC", _VARIATION_SELECTORS.sub("", text))
        return _SPACES.sub(" ", plain).strip()

    def check(self, text: str) -> str:
        if not text:
            raise self.unfit("must not be empty")
        if len(text) > self.limit:
            raise self.unfit(f"has at most {self.limit} characters")
        marks = 0
        for at, char in enumerate(text):
            marks = marks + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
            if marks > _MAX_MARKS or (marks and at == 0):
                raise self.unfit("must not hold marks without letters")
        return text


_NAME: Final = _Kind("a name", NAME_MAX_CHARS, RefusalCode.BAD_NAME)
_OWNER: Final = _Kind("an owner", OWNER_MAX_CHARS, RefusalCode.BAD_NAME)
_VERSION: Final = _Kind("a version", VERSION_MAX_CHARS, RefusalCode.BAD_NAME)
_LINE: Final = _Kind("a message", SAY_MAX_CHARS, RefusalCode.BAD_MESSAGE)


def display_name(text: str) -> str:
    """Return *text* as a name to show: NFKC, trimmed, single spaces, 1 to NAME_MAX_CHARS characters.

    Raises UnfitTextError for a name that is empty, too long, or holds characters nobody can see.
    """
    return _all_seen(_NAME, text)


def told_apart(name: str, others: Iterable[str]) -> str:
    """Return *name*, with a number where one of *others* is the same but for capitals: "Ann 2"."""
    taken = {other.casefold() for other in others}
    apart, number = name, 2
    while apart.casefold() in taken:
        tail = f" {number}"
        apart, number = name[: NAME_MAX_CHARS - len(tail)].rstrip() + tail, number + 1
    return apart


def bot_owner(text: str) -> str:
    """Return *text* as an admin's note of whose a bot is, like a name of 1 to OWNER_MAX_CHARS characters."""
    return _all_seen(_OWNER, text)


def bot_version(text: str) -> str:
    """Return *text* as a bot's version to show, like a name of 1 to VERSION_MAX_CHARS characters."""
    return _all_seen(_VERSION, text)


def _all_seen(kind: _Kind, text: str) -> str:
    seen = kind.normalise(text)
    if any(_is_unseen(char) for char in seen):
        raise kind.unfit("must not hold invisible or control characters")
    return kind.check(seen)


def chat_text(text: str) -> str:
    """Return *text* as a line of chat, 1 to SAY_MAX_CHARS characters; what nobody can see is left out.

    Raises UnfitTextError when nothing is left, or too much.
    """
    line = _LINE.normalise(text)
    seen = "".join([char for char in line if not _is_unseen(char)])
    return _LINE.check(_LINE.normalise(seen))


def _is_unseen(char: str) -> bool:
    return char in _UNSEEN_LETTERS or unicodedata.category(char) in _UNSEEN_CATEGORIES
