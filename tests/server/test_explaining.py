"""Who may ask what decisions are worth, before any worker is."""

from __future__ import annotations

import pytest

from protocol.codes import ClockName, Visibility
from server.explaining import hint
from server.lobby import LobbyRefusalError
from server.workers import WorkerPool
from tests.server.tables import PureTable


async def refusal(table: PureTable, player: str = "ann") -> str:
    with pytest.raises(LobbyRefusalError) as raised:
        await hint(WorkerPool(), table.state, player)
    return raised.value.code


async def test_a_hint_is_for_the_open_decision_of_who_asks() -> None:
    table = PureTable(people=1, clock="none")
    assert await refusal(table) == "nothing_to_do"
    table.did(table.start())
    assert await refusal(table) == "nothing_to_do"
    table.dealt(dealer=0)
    assert await refusal(table) == "nothing_to_do"  # the bot behind the dealer is asked
    assert await refusal(table, "ben") == "not_seated"
    assert await refusal(PureTable(people=1, clock="none").started(dealer=3)) == "no_worker"


@pytest.mark.parametrize(
    ("people", "clock", "visibility"), [(2, "none", "private"), (1, "slow", "private"), (1, "none", "public")]
)
async def test_there_are_no_hints_where_others_sit_or_may_come_or_a_clock_runs(
    people: int, clock: ClockName, visibility: Visibility
) -> None:
    table = PureTable(people, clock=clock, visibility=visibility).started(dealer=3)
    assert await refusal(table) == "no_hints"
