"""`euchre replay --step`: a record followed at the reader's pace, forwards and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TextIO

from clients.cli.naming import naming_of_record
from clients.cli.narrator import tell_events, tell_header
from clients.cli.screen import Screen
from clients.cli.situation import hand_line, situation
from clients.cli.words import tell_game
from engine.record import Header, Step
from engine.rules import rules_to_plain
from engine.view import WATCHER, View, Viewer, redact_all, view_for

_HELP: Final = "Enter: the next entry; b: back; a number: that entry; q: end."
_LINE_CHARS: Final = 4096
_MAX_DIGITS: Final = 9
"""No record has as many entries as that writes, so what is longer may be cut."""
_UNTOLD: Final = {"reveal": "The secret of the deal is revealed.", "result": "The result is written down."}


class Stepper:
    """A record, how far it was followed, and which entry is shown. What *viewer* may not see is not shown."""

    def __init__(self, screen: Screen, header: Header, steps: Iterator[Step], viewer: Viewer | None) -> None:
        self._screen = screen
        self._header = header
        self._rest = steps
        self._viewer = viewer
        self._chair = WATCHER if viewer is None else viewer
        self._naming = naming_of_record(header.players, self._chair)
        self._followed: list[Step] = []
        self._shown = 0
        """The number of the entry shown last; 0 before the first."""

    def run(self, answers: TextIO) -> None:
        """Show the entries that *answers* asks for, until it says so or ends.

        Raises RecordError at the entry that cannot be followed, when it is asked for.
        """
        tell_header(self._screen, self._header, self._naming)
        self._screen.line(_HELP)
        self._screen.ask()
        while answer := answers.readline(_LINE_CHARS):
            self._screen.answered()
            word = answer.strip().lower()
            if word in {"q", "quit"}:
                return
            self._obey(word)
            self._screen.ask()
        self._screen.line()

    def _obey(self, word: str) -> None:
        if not word:
            self._next()
        elif word in {"b", "back"}:
            self._jump(self._shown - 1)
        elif word.isascii() and word.isdecimal():
            self._jump(int(word[:_MAX_DIGITS]))
        else:
            self._screen.line(_HELP)

    def _next(self) -> None:
        if self._has(self._shown + 1):
            self._show(self._shown + 1)
        else:
            self._screen.line("The record ends here.")

    def _jump(self, n: int) -> None:
        """Show entry *n* and, as the entries before it were passed over, how the game stands after it."""
        if n < 1:
            self._screen.line("Entries are numbered from 1.")
        elif not self._has(n):
            self._screen.line(f"The record has {len(self._followed)} entries.")
        else:
            self._show(n)
            view = self._view(n)
            for line in situation(view, rules_to_plain(self._header.rules), self._naming):
                self._screen.line(line, indent=2)
            if self._viewer is not None and self._viewer != WATCHER:
                self._screen.line(hand_line(view), indent=2)

    def _has(self, n: int) -> bool:
        """Follow the record as far as entry *n*; tell whether it goes that far."""
        while len(self._followed) < n:
            step = next(self._rest, None)
            if step is None:
                return False
            self._followed.append(step)
        return True

    def _show(self, n: int) -> None:
        step = self._followed[n - 1]
        viewer, rules = self._viewer, self._header.rules
        events = step.events if viewer is None else redact_all(step.events, viewer, rules)
        self._screen.aside(f"Entry {n}")
        told = tell_game(events, self._view(n - 1), self._naming)
        tell_events(self._screen, told)
        if not told:
            kind = next((kind for kind in _UNTOLD if kind in step.entry), None)
            self._screen.line(_UNTOLD[kind] if kind else "Nothing that is seen from here.", indent=2)
        self._shown = n

    def _view(self, n: int) -> View:
        """Return the view after entry *n*."""
        return view_for(self._followed[n - 1].game, self._chair) if n else View(self._chair)
