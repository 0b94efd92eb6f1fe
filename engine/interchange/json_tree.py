"""JSON read with its places kept: a node knows its path, so that a fault can tell its line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from engine.interchange.reports import InterchangeError, bounded
from engine.interchange.source import parse_json

Path: TypeAlias = tuple[str | int, ...]
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a JSON document, with the names and numbers that lead to it."""

    value: object
    path: Path
    text: str

    def fault(self, detail: str) -> InterchangeError:
        """Return the fault *detail* of this value, with its line."""
        return InterchangeError(detail, line=self.line())

    def line(self) -> int | None:
        """Return the line on which the value begins."""
        return line_of(self.text, self.path)

    def fields(self) -> dict[str, Node]:
        """Return the fields of an object."""
        if not isinstance(self.value, dict):
            raise self.fault(f"{self._name()} must be an object")
        fields = cast("dict[str, object]", self.value)
        return {name: Node(value, (*self.path, name), self.text) for name, value in fields.items()}

    def items(self, *, most: int) -> list[Node]:
        """Return the items of a list of at most *most*."""
        if not isinstance(self.value, list):
            raise self.fault(f"{self._name()} must be a list")
        if len(self.value) > most:
            raise self.fault(f"{self._name()} may have {most} items, not {len(self.value)}")
        return [Node(value, (*self.path, at), self.text) for at, value in enumerate(self.value)]

    def whole(self, low: int, high: int) -> int:
        """Return a whole number from *low* to *high*."""
        if type(self.value) is not int or not low <= self.value <= high:
            raise self.fault(f"{self._name()} must be a whole number from {low} to {high}")
        return self.value

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            raise self.fault(f"{self._name()} must be true or false")
        return self.value

    def words(self) -> str:
        """Return text."""
        if not isinstance(self.value, str):
            raise self.fault(f"{self._name()} must be text")
        return self.value

    def _name(self) -> str:
        named = [str(step) for step in self.path if isinstance(step, str)]
        return bounded(named[-1]) if named else "the document"


def read_tree(text: str) -> Node:
    """Read one JSON document. Raises InterchangeError as `parse_json` does."""
    return Node(parse_json(text), (), text)


def line_of(text: str, path: Path) -> int | None:
    """Return the line on which the value at *path* begins, counted from 1, in text that is JSON."""
    here: list[str | int] = []
    is_key: list[bool] = []
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "}]":
            here.pop()
            is_key.pop()
        elif sign == ",":
            last = here[-1]
            is_key[-1] = isinstance(last, str)
            here[-1] = last if isinstance(last, str) else last + 1
        elif sign == ":":
            is_key[-1] = False
        elif is_key and is_key[-1]:
            here[-1] = cast("str", parse_json(sign))
        else:
            if tuple(here) == path:
                return text.count("\n", 0, token.start()) + 1
            if sign in "{[":
                here.append("" if sign == "{" else 0)
                is_key.append(sign == "{")
    return None
