"""Every rule has a test that names it, and no test names a rule that is not there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
RULES = TESTS.parent / "RULES.md"
ID = re.compile(r"R-([A-Z]+)-(\d+)")
RANGE = re.compile(r"R-([A-Z]+)-(\d+) to R-\1-(\d+)")


def rules_named_by_tests() -> set[str]:
    named = set()
    for path in TESTS.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        named |= {f"R-{topic}-{number}" for topic, number in ID.findall(text)}
        for topic, first, last in RANGE.findall(text):
            named |= {f"R-{topic}-{number}" for number in range(int(first), int(last) + 1)}
    return named


def test_every_rule_is_named_by_a_test_and_no_other() -> None:
    rules = set(re.findall(r"\*\*(R-[A-Z]+-\d+)\*\*", RULES.read_text(encoding="utf-8")))
    assert rules
    assert rules_named_by_tests() == rules
