"""A slice of `make chaos` for every run of the tests: each fault once, at a few tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.faults import FAULTS, one_of_each
from tests.chaos.report import report, write_report
from tests.chaos.trials import try_fault


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("is_cluster", "is_lossy"),
    [(False, False), (False, True), (True, False)],
    ids=["one server", "a lossy network", "two servers"],
)
async def test_games_go_on_and_nothing_is_lost(tmp_path: Path, is_cluster: bool, is_lossy: bool) -> None:  # noqa: FBT001
    faults = [fault for fault in FAULTS if (fault.is_cluster, fault.is_lossy) == (is_cluster, is_lossy)]
    result = await try_fault(one_of_each(faults), tmp_path, trials=4, tables=4, seed=1)
    assert result.violations == []
    assert result.trials == 4
    assert result.entries > 4 * 6 * len(faults)
    assert result.acknowledged > 4 * len(faults)
    # What a run found has its place on the page, and a later one takes it.
    page = tmp_path / "page.md"
    page.write_text((Path(__file__).parents[2] / "docs" / "reliability.md").read_text(encoding="utf-8"))
    for _ in range(2):
        write_report(page, [result], command="a test")
        assert page.read_text().count("| one of each | 4 | 1 |") == 1
    assert report([result], command="a test") in page.read_text()
