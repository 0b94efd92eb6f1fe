"""What an export or import says besides its result: what was lost on the way, and why a file is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError

_MAX_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Loss:
    """Something the other format does not hold: ``what`` names it, ``where`` says in which part of the game."""

    what: str
    where: str

    def __str__(self) -> str:
        return printable(f"{self.where}: {self.what}")


class InterchangeError(EngineError):
    """A file that cannot be read or a game that cannot be written.

    Attributes: ``detail``, what is wrong; ``line``, ``hand`` and ``trick``, where, each from 1 or None where it has
    no place of that kind.
    """

    def __init__(
        self, detail: str, *, line: int | None = None, hand: int | None = None, trick: int | None = None
    ) -> None:
        self.detail, self.line, self.hand, self.trick = printable(detail), line, hand, trick
        places = [f"{name} {at}" for name, at in (("line", line), ("hand", hand), ("trick", trick)) if at is not None]
        super().__init__(f"{', '.join(places)}: {self.detail}" if places else self.detail)

    def placed(self, *, line: int | None = None, hand: int | None = None, trick: int | None = None) -> InterchangeError:
        """Return the same fault with a place where it had none of that kind."""
        return InterchangeError(
            self.detail,
            line=line if self.line is None else self.line,
            hand=hand if self.hand is None else self.hand,
            trick=trick if self.trick is None else self.trick,
        )


def printable(text: str) -> str:
    """Return *text* with a question mark for every sign that a terminal might obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)


def shown(value: object) -> str:
    """Return *value* as it may stand in a message: quoted where it is text, and not long."""
    if isinstance(value, str):
        return repr(bounded(value))
    return bounded(str(value))


def bounded(text: str) -> str:
    """Return *text*, cut where it is long."""
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
