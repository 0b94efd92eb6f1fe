"""The formats by name: how to export a record to each, how to load each, and how to guess which one a text is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from engine.interchange.checking import check
from engine.interchange.comparing import differences
from engine.interchange.csv_rows import export_decisions, export_hands
from engine.interchange.egn import write_egn
from engine.interchange.egn_read import read_egn
from engine.interchange.from_record import read_record
from engine.interchange.openspiel import write_openspiel
from engine.interchange.openspiel_read import read_openspiel
from engine.interchange.ptn import write_ptn
from engine.interchange.ptn_read import read_ptn
from engine.interchange.readings import Reading
from engine.interchange.reports import InterchangeError, Loss, bounded
from engine.interchange.source import checked
from engine.interchange.study import Study, preset_of
from engine.interchange.text import export_text
from engine.interchange.to_record import Rebuilt, record_of

Losses: TypeAlias = tuple[Loss, ...]
Loaded: TypeAlias = list[str] | Study
"""The lines of a record where everything is known, else a study."""


@dataclass(frozen=True, slots=True)
class Format:
    """A format. ``export`` takes the lines of a record and gives text; ``load`` is None where nothing reads it back.

    Both give what was lost, and raise InterchangeError.
    """

    name: str
    line: str
    export: Callable[[Iterable[str]], tuple[str, Losses]]
    load: Callable[[str], tuple[Loaded, Losses]] | None = None


# ── both ways ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _export(write: Callable[[Study], str], read: Callable[[str], Reading], lines: Iterable[str]) -> tuple[str, Losses]:
    """Write the game, and find what was lost by reading it back."""
    recorded = read_record(lines)
    text = write(recorded.study)
    back = read(text).study
    losses = [*recorded.extras, *differences(recorded.study, back)]
    if recorded.header.preset not in (None, preset_of(back.rules)):
        losses.append(Loss(f"the preset's name, {bounded(recorded.header.preset or '')}", "header"))
    return text, tuple(losses)


def _load(read: Callable[[str], Reading], text: str) -> tuple[Loaded, Losses]:
    reading = read(checked(text))
    study = reading.study
    try:
        check(study)
        record = record_of(study)
    except InterchangeError as error:
        line = None if error.hand is None else reading.line_of(error.hand, error.trick)
        raise error.placed(line=line) from None
    if isinstance(record, Loss):
        return study, (*reading.losses, Loss(f"{record.what}, so the game stays a study", record.where))
    return record.lines, (*reading.losses, *_other_score(study, record))


def _other_score(study: Study, record: Rebuilt) -> Iterator[Loss]:
    if study.final is not None and study.final != record.score:
        told, found = ("{} to {}".format(*score) for score in (study.final, record.score))
        yield Loss(f"the final score, {told}; by these rules the hands come to {found}", "game")


def _codec(name: str, line: str, write: Callable[[Study], str], read: Callable[[str], Reading]) -> Format:
    return Format(name, line, partial(_export, write, read), partial(_load, read))


# ── by name ──────────────────────────────────────────────────────────────────────────────────────────────────────────

_ALL: Final = (
    _codec("egn", "Euchre Game Notation 1.4, JSON", write_egn, read_egn),
    _codec("ptn", "Trickster's notation, like PBN", write_ptn, read_ptn),
    _codec("openspiel", "lists of OpenSpiel's action numbers", write_openspiel, read_openspiel),
    Format("csv", "a row a hand", export_hands),
    Format("csv-decisions", "a row a decision", export_decisions),
    Format("text", "plain sentences", export_text),
)
FORMATS: Final[dict[str, Format]] = {entry.name: entry for entry in _ALL}

_EGN: Final = re.compile(r'"fileType"\s*:')
_PTN: Final = re.compile(r'\[\w+\s+"')
_OPENSPIEL: Final = re.compile(r'\[?\s*[0-9\]]|\{\s*"(game|hand|actions)"')
_RECORD: Final = re.compile(r'\{\s*"format"\s*:\s*"euchre')


def guess_format(text: str) -> str:
    """Return the name of the format *text* looks like. Raises InterchangeError where it looks like none to load."""
    first = next((line for line in map(str.strip, text.split("\n")) if line and not line.startswith("%")), "")
    if not first:
        raise InterchangeError("the file is empty")
    if _RECORD.match(first):
        raise InterchangeError("this is one of our own records or studies already", line=1)
    if _PTN.match(first):
        return "ptn"
    if _OPENSPIEL.match(first):
        return "openspiel"
    if _EGN.search(text):
        return "egn"
    raise InterchangeError("this is no format that can be imported: neither EGN, PTN nor OpenSpiel's lists")
