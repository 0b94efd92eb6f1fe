"""How a command ends when it cannot do what it was asked: one line on stderr and an exit status."""

from __future__ import annotations

from typing import Final

FAILURE: Final = 1
USAGE: Final = 2


class CommandError(Exception):
    """A failure that was to be expected: ``main`` prints its one line and exits with ``status``."""

    def __init__(self, line: str, *, status: int = FAILURE) -> None:
        self.line = line
        self.status = status
        super().__init__(line)


class UsageError(CommandError):
    """What was typed on the command line makes no sense."""

    def __init__(self, line: str) -> None:
        super().__init__(line, status=USAGE)


def refuse_option(argument: str) -> None:
    """Raise UsageError where an argument that may begin with a hyphen is an option we do not have."""
    if argument.startswith("--"):
        raise UsageError(f"there is no option {argument}; see: euchre --help")
