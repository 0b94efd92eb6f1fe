"""Every line of e2e/server_cases.md has a test over real sockets that is named for it, and no test names another line.

A test is named for the lines it keeps by the beginning of its name: ``test_c4_…``, ``test_s5_t7_…``. Many lines have
tests of the parts beside; one of those that run a server is asked for here.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

TESTS = Path(__file__).parent
CASES = TESTS / "e2e" / "server_cases.md"
_ID = re.compile(r"(?:^- |\. )([CHSTRN]\d+) ", re.MULTILINE)
_NAMES = re.compile(r"test_((?:[chstrn]\d+_)+)")


def listed() -> set[str]:
    """Return the ids of all lines; a line may have several."""
    return set(_ID.findall(CASES.read_text(encoding="utf-8")))


def named() -> dict[str, set[Path]]:
    """Return the files that have tests named for an id."""
    found = defaultdict(set)
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (names := _NAMES.match(node.name)):
                for id_ in names[1].rstrip("_").split("_"):
                    found[id_.upper()].add(path)
    return found


def runs_a_server(path: Path) -> bool:
    """Tell whether the tests of a file talk to a server's process."""
    text = path.read_text(encoding="utf-8")
    return any(word in text for word in ("serving(", "a_server", "RunningServer", "server: Server"))


def test_the_list_has_all_its_lines() -> None:
    assert len(listed()) == len(_ID.findall(CASES.read_text(encoding="utf-8"))) == 46


def test_every_line_has_a_test_over_real_sockets_and_no_test_names_another() -> None:
    tests = named()
    assert set(tests) == listed()
    assert {id_ for id_, paths in tests.items() if not any(map(runs_a_server, paths))} == set()
