"""Bots by what is typed for them: a class in a file, ``my_bot.py:MyBot``, or the command of a program."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from bots.sdk.bot import Bot
from bots.sdk.stdio import StdioBot

_CLASS_IN_FILE: Final = re.compile(r"(?P<file>.+\.py):(?P<name>[A-Za-z_]\w*)")
_neighbours: Final[dict[Path, set[str]]] = {}
"""The modules that the bots of a folder imported from it, by their names."""


class LoadError(Exception):
    """There is no such bot; the text is one line that says why."""


@dataclass(frozen=True, slots=True)
class BotSource:
    """A bot that can be made, once for every seat it plays; ``make`` may raise LoadError. ``name`` is its own.

    ``is_program``: an object of it asks a program that keeps nothing between two lines, so one serves any seats.
    """

    name: str
    version: str
    make: Callable[[], Bot]
    is_program: bool


def is_class_in_file(text: str) -> bool:
    """Tell whether *text* names a class in a file, rather than a command."""
    return _CLASS_IN_FILE.fullmatch(text) is not None


def load_class(text: str) -> BotSource:
    """Return the bot that ``my_bot.py:MyBot`` names. Raises LoadError."""
    match = _CLASS_IN_FILE.fullmatch(text)
    if match is None:
        raise LoadError(f"{text!r} names no class in a file; it looks like my_bot.py:MyBot")
    path, name = Path(match["file"]), match["name"]
    found = getattr(_load_module(path), name, None)
    if not (isinstance(found, type) and issubclass(found, Bot)):
        raise LoadError(f"{path} has no class {name} derived from bots.Bot")
    return BotSource(found.name or name, found.version, partial(_made, found), is_program=False)


def load_program(command: str) -> BotSource:
    """Return the bot that asks the program *command* starts, without a shell. Raises LoadError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LoadError(f"{command!r} is no command: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise LoadError(f"there is no program {words[0] if words else command!r}")
    name = Path(words[-1] if len(words) > 1 else words[0]).stem
    return BotSource(name, "", lambda: StdioBot(words), is_program=True)


def _made(bot: type[Bot]) -> Bot:
    try:
        return bot()
    except Exception as error:
        raise LoadError(f"{bot.__name__} cannot be made: {type(error).__name__}: {error}") from error


def _load_module(path: Path) -> object:
    if not path.is_file():
        raise LoadError(f"there is no file {path}")
    folder = path.resolve().parent
    _make_way_for(folder)
    loaded_before = frozenset(sys.modules)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise LoadError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    loaded = sys.modules.keys() - loaded_before
    _neighbours.setdefault(folder, set()).update(name for name in loaded if _is_in(folder, sys.modules[name]))
    return module


def _make_way_for(folder: Path) -> None:
    """Let imports find what is in *folder* first, as Python does for a script.

    Of what bots of other folders imported there, all is forgotten that *folder* has under the same name: two versions
    of a bot, each with its neighbours, are not to share those of the first.
    """
    with suppress(ValueError):
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    for name in set().union(*(names for other, names in _neighbours.items() if other != folder)):
        outermost = folder / name.partition(".")[0]
        if outermost.is_dir() or outermost.with_suffix(".py").is_file():
            sys.modules.pop(name, None)


def _is_in(folder: Path, module: object) -> bool:
    file = getattr(module, "__file__", None)
    return file is not None and Path(file).is_relative_to(folder)
