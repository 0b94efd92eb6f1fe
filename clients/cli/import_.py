"""`euchre import`: a game from another format, as a record where everything is known."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from clients.cli.errors import CommandError, UsageError
from clients.cli.files import read_text, tell_losses, write_text
from engine.interchange import FORMATS, InterchangeError, Study, guess_format, study_lines


def import_(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    from_: Annotated[str | None, Parameter(name="--from", show_default=False)] = None,
    out: Annotated[str, Parameter(allow_leading_hyphen=True)] = "-",
    force: bool = False,
) -> int:
    """Read a game from another format: a record (euchre/1), or a study where not everything is known.

    What neither holds is told on stderr, a line each.

    Parameters
    ----------
    file
        The game; - reads standard input.
    from_
        egn, ptn or openspiel; by default the content tells.
    out
        Where to write; - is standard output.
    force
        Replace the file that is there.
    """
    loadable = {name: entry.load for name, entry in FORMATS.items() if entry.load is not None}
    if from_ is not None and from_ not in loadable:
        raise UsageError(f"--from wants one of {', '.join(loadable)}, not {from_!r}")
    try:
        text = read_text(file)
        loaded, losses = loadable[from_ or guess_format(text)](text)
    except InterchangeError as error:
        raise CommandError(f"{file}: {error}") from None
    lines = study_lines(loaded) if isinstance(loaded, Study) else loaded
    write_text(out, "".join(f"{line}\n" for line in lines), force=force)
    tell_losses(losses)
    return 0
