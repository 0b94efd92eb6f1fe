"""What happens at a table beside the game, and how a client's TableInfo follows it."""

from __future__ import annotations

from copy import deepcopy

import pytest

from engine.plain import EVENT_KINDS
from engine.rules import make_rules
from protocol.follower import TableFollower, read_events
from protocol.outgoing import ViewMessage
from protocol.table_events import (
    TABLE_EVENT_KINDS,
    CameBack,
    DealCommitted,
    EntropyAdded,
    GameStarted,
    HostChanged,
    Seated,
    StoodIn,
    TableClosed,
    TableEvent,
    TimeCredited,
    TimeGiven,
    Unseated,
    WentAway,
    fold_table,
    table_event_from_plain,
    table_event_to_plain,
    with_presence,
)
from tests.protocol.loopback import table_info

EVENTS: list[TableEvent] = [
    Seated(2, "bot", "Robin", "standard"),
    Unseated(1),
    HostChanged(3),
    HostChanged(None),
    GameStarted(),
    DealCommitted(1, "c0ffee"),
    EntropyAdded(2, "4"),
    WentAway(0),
    CameBack(0),
    StoodIn(0, "clock"),
    TimeCredited(0, 15_000, "outage"),
    TimeGiven(0, 2, 30_000),
    TableClosed("abandoned"),
]


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_an_event_survives_its_plain_form(event: TableEvent) -> None:
    plain = table_event_to_plain(event)
    assert table_event_from_plain(plain) == event
    assert table_event_from_plain(plain | {"colour": "red"}) == event
    assert read_events([plain]) == (event,)


def test_the_kinds_are_these_and_none_is_the_engines() -> None:
    assert (
        {str(table_event_to_plain(event)["e"]) for event in EVENTS}
        == TABLE_EVENT_KINDS
        == {
            "seated", "unseated", "host_changed", "game_started", "deal_committed", "entropy_added",
            "went_away", "came_back", "stood_in", "time_credited", "time_given", "table_closed",
        }
    )  # fmt: skip
    assert not TABLE_EVENT_KINDS & EVENT_KINDS


def test_an_event_nobody_knows_is_left_out() -> None:
    assert table_event_from_plain({"e": "sneezed"}) is None
    assert read_events([{"e": "sneezed"}, {"e": "unseated", "seat": 1}]) == (Unseated(1),)


def test_sitting_down_and_standing_up() -> None:
    info = fold_table(table_info(make_rules()), Seated(1, "human", "Ann", None))
    assert info["seats"][1] == {
        "seat": 1, "kind": "human", "name": "Ann", "level": None, "version": None, "owner": None,
        "away": False, "online": True,
    }  # fmt: skip
    info = fold_table(info, Unseated(1))
    assert info["seats"][1] == {
        "seat": 1, "kind": "open", "name": None, "level": None, "version": None, "owner": None,
        "away": False, "online": False,
    }  # fmt: skip


def test_away_and_presence_are_the_seats_own() -> None:
    info = fold_table(table_info(make_rules()), Seated(1, "human", "Ann", None))
    info = with_presence(fold_table(info, WentAway(1)), 1, online=False)
    assert (info["seats"][1]["away"], info["seats"][1]["online"]) == (True, False)
    assert (info["seats"][0]["away"], info["seats"][0]["online"]) == (False, False)
    info = fold_table(info, CameBack(1))
    assert not info["seats"][1]["away"]


def test_host_and_state() -> None:
    info = table_info(make_rules())
    assert fold_table(info, HostChanged(2))["host"] == 2
    assert fold_table(info, GameStarted())["state"] == "playing"
    assert fold_table(info, TableClosed("abandoned"))["state"] == "over"


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_the_table_before_stays_as_it_was(event: TableEvent) -> None:
    info = table_info(make_rules())
    before = deepcopy(info)
    fold_table(info, event)
    assert info == before


def test_a_follower_before_its_first_view_knows_nothing_to_fold() -> None:
    follower, happenings = TableFollower("t1", 0).told(
        {"t": "event", "table": "t1", "seq": 1, "events": [{"e": "game_started"}, {"e": "passed", "seat": 1}]}
    )
    assert len(happenings) == 2
    assert follower.info is None


def test_a_view_before_a_game_leaves_the_seat_as_it_was() -> None:
    message: ViewMessage = {
        "t": "view", "table": "t1", "seq": 3, "view": {"table": table_info(make_rules()), "game": None},
    }  # fmt: skip
    assert TableFollower("t1", 2).shown(message).seat == 2
    assert TableFollower("t1", None).shown(message).seat is None
