"""What the person types: lines read in a thread of their own, so that nothing waits for them.

A thread, because it reads a terminal, a pipe and a file alike, and because `os.read` in a daemon thread holds no lock
that the interpreter would wait for when it ends.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import Final

_CHUNK_BYTES: Final = 4096
_MAX_LINE_BYTES: Final = 4096
_LINES_AHEAD: Final = 16


class Console:
    """Lines in. ``is_terminal`` tells whether a person may type at any time.

    From a pipe or a file a line is read only when one is wanted, so that it answers the question it was meant for;
    at a terminal lines come as they are typed, at most a few ahead of what was taken in.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = sys.stdin.fileno() if descriptor is None else descriptor
        self.is_terminal = os.isatty(self._descriptor)
        self._wanted = threading.Semaphore(_LINES_AHEAD if self.is_terminal else 0)

    def start(self, on_line: Callable[[str | None], None]) -> None:
        """Begin to read. *on_line* gets every line, in the reading thread, and None once at the end of input."""
        threading.Thread(target=self._read, args=(on_line,), name="console", daemon=True).start()

    def want(self) -> None:
        """Ask for one more line: on a question that is not from a terminal, or after a line of a terminal."""
        self._wanted.release()

    def _read(self, on_line: Callable[[str | None], None]) -> None:
        waiting = b""
        while True:
            *lines, waiting = waiting.split(b"\n")
            for line in lines:
                self._wanted.acquire()
                on_line(line.decode(errors="replace").strip())
            chunk = self._read_chunk()
            if not chunk:
                break
            waiting = (waiting + chunk)[-_MAX_LINE_BYTES:] if len(waiting) > _MAX_LINE_BYTES else waiting + chunk
        if waiting:
            self._wanted.acquire()
            on_line(waiting.decode(errors="replace").strip())
        self._wanted.acquire()
        on_line(None)

    def _read_chunk(self) -> bytes:
        try:
            return os.read(self._descriptor, _CHUNK_BYTES)
        except OSError:  # a terminal that went away
            return b""
