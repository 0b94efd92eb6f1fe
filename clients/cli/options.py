"""Rules changed on a command line: NAME=VALUE, each option's value read as its own kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from clients.cli.errors import UsageError
from engine.rules import Rules, rules_to_plain

_MAX_DIGITS: Final = 9
_WORDS: Final[dict[str, bool | None]] = {
    "true": True, "yes": True, "false": False, "no": False, "none": None, "null": None,
}  # fmt: skip
_NAMED: Final = frozenset(name for name, value in rules_to_plain(Rules()).items() if isinstance(value, str))
"""The options whose values have names, of which "none" is one."""


def read_options(texts: Iterable[str], *, option: str) -> dict[str, object]:
    """Return the options in *texts* by name, in plain values; *option* is what they were typed after.

    Whether there are such options, and they go together, is for the engine to say. Raises UsageError naming every
    text that is no NAME=VALUE.
    """
    pairs = [text.partition("=") for text in texts]
    bad = [repr(name + equals + value) for name, equals, value in pairs if not (name and equals)]
    if bad:
        raise UsageError(f"{option} wants NAME=VALUE, not {', '.join(bad)}")
    return {name: _value(name, text) for name, _, text in pairs}


def _value(name: str, text: str) -> object:
    if name in _NAMED:
        return text
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS else text
