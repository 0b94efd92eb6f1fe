"""`euchre export`: a record in another format."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from clients.cli.errors import CommandError, UsageError
from clients.cli.files import read_text, tell_losses, write_text
from engine.interchange import FORMATS, InterchangeError, guess_format


def export(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    to: str,
    out: Annotated[str, Parameter(allow_leading_hyphen=True)] = "-",
    force: bool = False,
) -> int:
    """Write the record of a game in another format. What that format does not hold is told on stderr, a line each.

    Parameters
    ----------
    file
        The record, format euchre/1; - reads standard input.
    to
        egn, ptn, openspiel, csv (a row a hand), csv-decisions (a row a decision) or text.
    out
        Where to write; - is standard output.
    force
        Replace the file that is there.
    """
    if to not in FORMATS:
        raise UsageError(f"--to wants one of {', '.join(FORMATS)}, not {to!r}")
    try:
        record = read_text(file)
    except InterchangeError as error:
        raise CommandError(f"{file}: {error}") from None
    try:
        text, losses = FORMATS[to].export(record.split("\n"))
    except InterchangeError as error:
        raise CommandError(f"{file}: {_hint(file, record) or error}") from None
    write_text(out, text, force=force)
    tell_losses(losses)
    return 0


def _hint(file: str, text: str) -> str | None:
    """Return what to do first where *text* is a game in another format."""
    try:
        name = guess_format(text)
    except InterchangeError:
        return None
    return f"this looks like {name}, and only records are exported; to make one: euchre import {file}"
