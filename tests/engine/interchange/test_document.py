"""docs/records.md says what becomes of every option in every format."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from engine.interchange import FORMATS
from engine.rules import Rules, rules_to_plain

DOCUMENT = (Path(__file__).parents[3] / "docs" / "records.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    parts = re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)
    return next(part for part in parts if part.split("\n")[0] == title)


@pytest.mark.parametrize("title", ["EGN 1.4", "PTN"])
def test_every_option_is_in_the_section_of_the_format(title: str) -> None:
    """Among those it names, or those it has no name for."""
    told = section(title)
    assert [name for name in rules_to_plain(Rules()) if f"`{name}`" not in told] == []


def test_every_format_is_in_the_command_lines() -> None:
    assert f"--to {'|'.join(FORMATS)}" in DOCUMENT
    assert f"--from {'|'.join(name for name, entry in FORMATS.items() if entry.load)}" in DOCUMENT


def test_the_record_shown_is_json_line_by_line() -> None:
    example = section("euchre/1").split("```")[1].strip()
    lines = [json.loads(line.replace("{…}", "{}")) for line in example.splitlines()]
    kinds = ("format", "deal", "do", "reveal", "result")
    told = [next(kind for kind in kinds if kind in line) for line in lines]
    assert told == ["format", "deal", *["do"] * 4, "reveal", "result"]
