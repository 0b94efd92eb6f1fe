"""`euchre export`: a record in another format."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from clients.cli.errors import CommandError, UsageError
from clients.cli.files import read_text, tell_losses, write_text
from engine.interchange import FORMATS, InterchangeError


def export(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    to: str,
    out: Annotated[str, Parameter(allow_leading_hyphen=True)] = "-",
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
    """
    if to not in FORMATS:
        raise UsageError(f"--to wants one of {', '.join(FORMATS)}, not {to!r}")
    try:
        text, losses = FORMATS[to].export(read_text(file).split("\n"))
    except InterchangeError as error:
        raise CommandError(f"{file}: {error}") from None
    write_text(out, text)
    tell_losses(losses)
    return 0
