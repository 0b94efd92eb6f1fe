"""What players complained of elsewhere: what ours do, and what the search says of it next to the players' opinion."""

from __future__ import annotations

import pytest

from bots.policy import decide
from bots.search import evaluate
from bots.solver.open_hand import IS_COMPILED
from tests.bots.reported import REPORTS, Report
from tests.bots.scenes import RULES

_EQUAL = 0.12
"""Points by which two plays may differ and count as equal: about twice the error."""


@pytest.mark.parametrize("report", REPORTS, ids=str)
def test_the_search_says(report: Report) -> None:
    """Its verdict is written next to the players', where they differ too."""
    worth = {
        str(found.action): found.points
        for found in evaluate(report.view, report.legal, RULES, layouts=600, seed=1)
    }  # fmt: skip
    best = max(worth.values())
    equal = {action for action, points in worth.items() if points > best - _EQUAL}
    assert report.search <= equal
    assert bool(report.players & equal) is bool(report.players & report.search)


@pytest.mark.parametrize(
    ("report", "level"),
    [
        pytest.param(report, level, id=f"{level}-{report}")
        for report in REPORTS
        for level in report.levels
        if IS_COMPILED or level == "standard"
    ],
)
def test_a_level_does_as_the_players_say(report: Report, level: str) -> None:
    """Those that search do it for sure where they can look at many layouts."""
    assert str(decide(level, report.view, report.legal, RULES, 3)) in report.players
