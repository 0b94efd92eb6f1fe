"""What the program prints: plain lines, wrapped, coloured only where a person at a colour terminal reads them.

Nothing moves the cursor, so a screen reader, a pipe and a log read the same as a person. Colour is never the only mark.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping
from typing import Final, TextIO

PROMPT: Final = "> "
_RED: Final = "\x1b[31m"
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"
_PLAIN: Final = "\x1b[0m"
_RED_CARDS: Final = re.compile(r"(?:10|[2-9JQKA])?[♥♦]")
_LETTERS: Final = {"♠": "s", "♥": "h", "♦": "d", "♣": "c", "…": "...", "–": "-", "’": "'", "±": "+-"}
_MISSING: Final = "euchre.missing"
_NARROWEST: Final = 40
_WIDEST: Final = 100


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Tell whether to colour: at a terminal that can, where NO_COLOR is not set (no-color.org)."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") not in (None, "", "dumb")


class Screen:
    """Lines out. ``ask`` shows that an answer is expected; any line printed after it begins on a line of its own."""

    def __init__(self, stream: TextIO | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._stream = stream or sys.stdout
        environment = os.environ if environment is None else environment
        self._is_terminal = self._stream.isatty()
        self._has_colour = wants_colour(self._stream, environment)
        self._is_asking = False

    def line(self, text: str = "", *, indent: int = 0) -> None:
        """Print *text*, wrapped at the terminal's width, continued under its first word after *indent*."""
        self._print(text, indent)

    def verbatim(self, text: str) -> None:
        """Print *text* in one piece, to be copied."""
        self._print(text, 0, wraps=False)

    def heading(self, text: str) -> None:
        """Print a line that stands out."""
        self._print(text, 0, _BOLD)

    def aside(self, text: str, *, indent: int = 0) -> None:
        """Print a line of less weight."""
        self._print(text, indent, _DIM)

    def ask(self) -> None:
        """Show that an answer is expected, once; only at a terminal, where somebody looks for it."""
        if self._is_terminal and not self._is_asking:
            self._write(PROMPT)
            self._is_asking = True

    def answered(self) -> None:
        """Take note that the person pressed Enter, which began a new line."""
        self._is_asking = False

    def ring(self) -> None:
        """Ring the terminal's bell."""
        if self._is_terminal:
            self._write("\a")

    def _print(self, text: str, indent: int, style: str = "", *, wraps: bool = True) -> None:
        shown = "".join(char if char.isprintable() else " " for char in text)
        lead = "\n" if self._is_asking else ""
        self._is_asking = False
        if wraps:
            shown = textwrap.fill(
                shown,
                self.width,
                subsequent_indent=" " * indent,
                break_on_hyphens=False,
                replace_whitespace=False,
                drop_whitespace=True,
            )
        self._write(f"{lead}{self._coloured(shown, style)}\n")

    def _coloured(self, text: str, style: str) -> str:
        if not self._has_colour or not text:
            return text
        red = _RED_CARDS.sub(lambda card: f"{_RED}{card[0]}{_PLAIN}{style}", text)
        return f"{style}{red}{_PLAIN if style else ''}"

    @property
    def width(self) -> int:
        """How many columns a line may have."""
        if not self._is_terminal:
            return 80
        return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size().columns)) - 1

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def spell_what_is_missing(*streams: TextIO) -> None:
    """Let letters stand for the signs that a terminal or pipe cannot take, and question marks for all else."""
    codecs.register_error(_MISSING, _spell)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_MISSING)


def _spell(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_LETTERS.get(sign, "?") for sign in missing), error.end
