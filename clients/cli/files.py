"""Files of games: read whole and bounded, written as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from clients.cli.errors import CommandError
from engine.interchange import Loss, decode
from engine.interchange.source import MAX_BYTES

_STANDARD: Final = "-"


def read_text(file: str) -> str:
    """Return the text of *file*, - being standard input.

    Raises CommandError where it cannot be read, and InterchangeError where it is no text or too long.
    """
    if file == _STANDARD:
        return decode(sys.stdin.buffer.read(MAX_BYTES + 1))
    try:
        with Path(file).open("rb") as stream:
            return decode(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror or error}") from None


def refuse_to_replace(file: str, *, force: bool) -> None:
    """Raise CommandError where *file* is there already and *force* does not say to replace it.

    A device is no file that could be lost. Who works for long before he writes asks this first.
    """
    if file != _STANDARD and not force and Path(file).is_file():
        raise CommandError(f"{file}: there is such a file already; --force replaces it")


def write_text(file: str, text: str, *, force: bool) -> None:
    """Write *text* to *file*, - being standard output, in UTF-8 and with the line ends it has.

    Raises CommandError where it cannot be written, or is there and *force* does not say to replace it.
    """
    refuse_to_replace(file, force=force)
    if file == _STANDARD:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    try:
        Path(file).write_bytes(text.encode())
    except OSError as error:
        raise CommandError(f"{file}: {error.strerror or error}") from None


def tell_losses(losses: Iterable[Loss]) -> None:
    """Print what was lost, a line each, on standard error."""
    for loss in losses:
        print(f"lost: {loss}", file=sys.stderr)
