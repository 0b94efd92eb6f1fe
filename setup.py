"""Compile the search core where a C compiler is at hand. Everything else about the build is in pyproject.toml."""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

FOLDER = Path("bots", "solver")
COMPILED = [FOLDER / "search.py", FOLDER / "sampling.py", FOLDER / "playing.py", FOLDER / "auction.py"]


class OptionalBuild(build_ext):
    """Builds all or nothing: the module serves uncompiled too, only slower."""

    def run(self) -> None:
        """Build the extensions; without a working compiler, say so and leave none behind."""
        try:
            super().run()
        except (BaseError, CCompilerError, OSError) as error:
            for extension in self.extensions:
                Path(self.get_ext_fullpath(extension.name)).unlink(missing_ok=True)
            self.extensions = []
            give_up(error)


def give_up(error: Exception) -> None:
    """Say that the core stays uncompiled, and remove what an earlier build compiled from other source."""
    sys.stderr.write(f"warning: the search core is not compiled, so bots search less: {error}\n")
    for built in FOLDER.glob("*.so"):
        built.unlink()


def extensions() -> list[Extension]:
    """Return the modules to compile: none where mypyc is missing."""
    try:
        from mypyc.build import mypycify  # noqa: PLC0415
    except ImportError as error:
        give_up(error)
        return []
    return list(mypycify(["--config-file=", "--strict", *map(str, COMPILED)], group_name="bots.solver.compiled"))


setup(ext_modules=extensions(), cmdclass={"build_ext": OptionalBuild})
