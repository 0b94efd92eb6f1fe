"""The program `euchre`. Each subcommand is imported when it is asked for, so none waits for another's imports."""

from __future__ import annotations

import difflib
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cyclopts import (
    App,
    CycloptsError,
    MissingArgumentError,
    Parameter,
    UnknownCommandError,
    UnusedCliTokensError,
)

from clients.cli.errors import FAILURE, USAGE, CommandError
from clients.cli.manual import Manual
from clients.cli.screen import spell_what_is_missing


def version() -> str:
    """Return the installed version, and how the bots' search runs here."""
    import importlib.metadata

    from bots.solver.open_hand import HOW_IT_RUNS

    return f"{importlib.metadata.version('euchre')} (bots' search: {HOW_IT_RUNS})"


COMMANDS: Final = (
    ("clients.cli.play:play", "play", "Play in this terminal."),
    ("clients.cli.watch:watch", "watch", "Look on at a table."),
    ("clients.cli.games:games", "games", "List the games you played, and save their records."),
    ("server.main:serve", "serve", "Run a server, with its bots."),
    ("bots.worker:worker", "worker", "Run more bots for a server."),
    ("clients.cli.bot:bot", "bot", "Check a bot of your own, and let it play."),
    ("clients.cli.arena:arena", "arena", "Measure which of two bots is better."),
    ("clients.cli.replay:replay", "replay", "Follow the record of a game."),
    ("clients.cli.analyse:analyse", "analyse", "What the decisions of a game cost."),
    ("clients.cli.verify:verify", "verify", "Check the deals and actions of a game."),
    ("clients.cli.rules:rules", "rules", "Read the rules of a table."),
    ("clients.cli.export:export", "export", "Write a record in another format."),
    ("clients.cli.import_:import_", "import", "Read a game from another format."),
    ("clients.cli.admin:admin", "admin", "Look after a server's database."),
    ("clients.cli.bench:bench", "bench", "Measure the engine or the server."),
)
"""Where each subcommand is, its name, and its line in the list of commands."""

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""How a full disk, or a limit, ends a write."""

app: Final = App(
    name="euchre",
    help="Play Euchre against people and bots.",
    version=version,
    help_format="plaintext",
    help_formatter=Manual(),
    default_parameter=Parameter(negative=""),
    version_format="plaintext",
    print_error=False,
    exit_on_error=False,
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
for order, (where, name, line) in enumerate(COMMANDS):
    app.command(where, name=name, help=line, sort_key=order)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, the process's own by default.

    Returns the exit status: 0, 1 for a failure, 2 for a command line that makes no sense.
    """
    words = sys.argv[1:] if arguments is None else arguments
    _open_what_is_closed()
    spell_what_is_missing(sys.stdout, sys.stderr)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        _give_manual(words)
        result = app(words)
        sys.stdout.flush()
    except UnknownCommandError as error:
        return _complain(_unknown_command(error.unused_tokens or []), USAGE)
    except CycloptsError as error:
        return _complain(_one_line(error), USAGE)
    except CommandError as error:
        return _complain(error.line, error.status)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _drop_output()  # whoever read it has seen enough
        return FAILURE
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        _drop_output()
        return _complain(f"the output cannot be written: {error.strerror}", FAILURE)
    return result if isinstance(result, int) else 0


def _open_what_is_closed() -> None:
    """Let a program that was started without input or output read nothing and write nowhere."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115  # for good


def _drop_output() -> None:
    """Send what is left of the output nowhere: Python would complain when it flushes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _give_manual(words: Sequence[str]) -> None:
    """Let the command that is asked for tell about itself at length; in the list it has its line."""
    command = app
    for word in words:
        if word.startswith("-") or word not in command:
            break
        command = command[word]
        if command.default_command is not None:
            command.help = None


def _unknown_command(words: list[str]) -> str:
    """Name the word at fault. Cyclopts' own message would import every command to look for similar names."""
    word = repr(words[0]) if words else "that"
    close = difflib.get_close_matches(words[0] if words else "", [name for _, name, _ in COMMANDS], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "see: euchre --help"
    return f"{word} is no command; {hint}"


def _one_line(error: CycloptsError) -> str:
    command = " ".join(("euchre", *(error.command_chain or ())))
    match error:
        case UnusedCliTokensError():
            line = f"{command} takes no {' '.join(error.unused_tokens or ())}."
        case MissingArgumentError(argument=argument) if argument is not None:
            line = f"{error.keyword} wants a value." if error.keyword else f"{argument.name} is missing."
        case _:
            line = " ".join(str(error).split())
    return f"{line.rstrip('.')}{'' if line.endswith('?') else '.'} See: {command} --help"


def _complain(line: str, status: int) -> int:
    # What a file or a server said may be in it: nothing of that moves the cursor.
    shown = "".join(char if char.isprintable() else "?" for char in line)
    print(f"euchre: {shown}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
