"""How ``--help`` reads: plain text, a paragraph an option, wrapped at the terminal's width."""

from __future__ import annotations

import io
import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions


_OPTIONS: Final = {"Parameters": "Options"}
"""A panel's name where the usage line has another."""


class Manual:
    """Cyclopts' help as text. Its own plain text keeps the line ends of docstrings, and wraps them once more."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print the commands or the options."""
        if panel.entries:
            title = _text(panel.title)
            _print(console, f"{_OPTIONS.get(title, title)}:")
            for entry in panel.entries:
                _print(console, _entry(entry), indent=2)
            _print(console)

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print how the command is called."""
        _print(console, f"Usage: {_text(usage)}")
        _print(console)

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print what the command does."""
        for paragraph in re.split(r"\n\s*\n", _text(description)):
            _print(console, paragraph)
            _print(console)


def _entry(entry: HelpEntry) -> str:
    names = ", ".join(entry.display_labels_with_metavar)
    is_flag = not (entry.metavar or entry.positional_label)
    default = None if is_flag or entry.default == "()" else entry.default
    notes = [
        f"one of {', '.join(entry.choices)}" if entry.choices else "",
        f"default: {default}" if default else "",
        "required" if entry.required else "",
    ]
    noted = "; ".join(note for note in notes if note)
    return f"{names}: {_text(entry.description)}{f' ({noted})' if noted else ''}"


def _text(renderable: Any) -> str:
    from rich.console import Console

    stream = io.StringIO()
    Console(file=stream, width=10_000, color_system=None).print(renderable)
    return stream.getvalue().strip()


def _print(console: Console, text: str = "", *, indent: int = 0) -> None:
    lead = " " * indent
    lines = textwrap.fill(
        " ".join(text.split()),
        console.width,
        initial_indent=lead,
        subsequent_indent=lead + " " * indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
    console.print(lines, highlight=False, markup=False, soft_wrap=True)
