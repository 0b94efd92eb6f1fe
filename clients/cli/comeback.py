"""The command line that brings a player back, or to a table."""

from __future__ import annotations

import shlex

from bots.addresses import DEFAULT_URL


def command_to_play(url: str, *, table: str | None = None, name: str | None = None) -> str:
    """Return what to type to play as *name* at the server at *url*, or to sit at *table* there, an id or a code."""
    words = ["euchre", "play"]
    if url != DEFAULT_URL:
        words.append(url)
    if table is not None:
        words += ["--table", table]
    if name is not None:
        words += ["--name", name]
    return shlex.join(words)
