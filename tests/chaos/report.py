"""The table in docs/reliability.md, written by the run that it tells of."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.chaos.stage import MARKS
from tests.chaos.trials import Result

_BLOCKS: Final = {False: "one server", True: "two servers"}
"""What the blocks of the page are called that a run writes, by whether they tell of two servers."""


def write_report(page: Path, results: Sequence[Result], *, command: str) -> None:
    """Put what came of a run in its place on *page*: faults of one server, and of two."""
    text = page.read_text(encoding="utf-8")
    for is_cluster, name in _BLOCKS.items():
        block = [result for result in results if result.is_cluster is is_cluster]
        if block:
            begin, end = f"<!-- {name}: written by the run -->", f"<!-- {name}: end -->"
            before, _, rest = text.partition(begin)
            text = f"{before}{begin}\n{report(block, command=command)}{end}{rest.partition(end)[2]}"
    page.write_text(text, encoding="utf-8")


def report(results: Sequence[Result], *, command: str) -> str:
    """Return what came of a run, as Markdown."""
    seconds = sum(result.seconds for result in results)
    wrong = [(result.fault, violation) for result in results for violation in result.violations]
    seen = (
        f"{_grouped(sum(result.trials for result in results))} trials in {seconds / 60:.1f} minutes, "
        f"{_grouped(sum(result.entries for result in results))} entries, "
        f"{_grouped(sum(result.messages for result in results))} messages checked, **{len(wrong)} violations**."
    )
    where = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    lines = [
        "",
        f"`{command}`, {where}: {seen}",
        "",
        "| fault | trials | strikes | entries | acknowledged | reconnects | put off | slowest | violations | seed |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *(_row(result) for result in results),
        "",
        *(f"- {fault}: {violation}" for fault, violation in wrong),
        *_kills(results),
    ]
    return "\n".join(lines) + "\n"


def _row(result: Result) -> str:
    numbers = (
        result.trials, result.strikes, result.entries, result.acknowledged, result.reconnects, result.put_off,
        f"{result.slowest_s:.1f} s", len(result.violations), result.seed,
    )  # fmt: skip
    return f"| {result.fault} | {' | '.join(_grouped(n) if isinstance(n, int) else n for n in numbers)} |"


def _kills(results: Sequence[Result]) -> list[str]:
    """Say where kills were found to have come."""
    lines = [
        f"- {result.fault}: {', '.join(f'{result.found_at[mark]} {mark}' for mark in MARKS)}"
        for result in results
        if result.found_at
    ]
    heading = "Where the tables were when a kill came, as the log and the clients told afterwards:"
    return [heading, "", *lines] if lines else []


def _grouped(number: int) -> str:
    return f"{number:,}".replace(",", " ")
