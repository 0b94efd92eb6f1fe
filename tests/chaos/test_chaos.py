"""A slice of `make chaos` for every run of the tests: each fault once, at a few tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.faults import FAULTS, Fault
from tests.chaos.report import report
from tests.chaos.trials import seed_of, try_fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
async def test_games_go_on_and_nothing_is_lost(tmp_path: Path, fault: Fault) -> None:
    result = await try_fault(fault, tmp_path, trials=4, tables=4, seed=seed_of(1, fault))
    assert result.violations == []
    assert result.trials == 4
    assert result.acknowledged > 4
    assert f"| {fault.name} | 4 | 1 |" in report([result], command="a test")
