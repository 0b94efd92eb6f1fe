"""The command line that brings a player to a table."""

from __future__ import annotations

import shlex

from bots.addresses import DEFAULT_URL


def command_to_join(url: str, table: str, *, name: str | None = None) -> str:
    """Return what to type to sit at *table*, an id or a code, of the server at *url*."""
    words = ["euchre", "play"]
    if url != DEFAULT_URL:
        words.append(url)
    words += ["--table", table]
    if name is not None:
        words += ["--name", name]
    return shlex.join(words)
