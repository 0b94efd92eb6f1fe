"""Who is called about what, and who is not any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from server.listeners import Listeners


def test_who_is_taken_off_by_one_who_is_told_is_not_called_any_more() -> None:
    listeners: Listeners[[int]] = Listeners()
    told: list[tuple[str, int]] = []
    ends: list[Callable[[], None]] = []

    def leave_all(number: int) -> None:
        told.append(("first", number))
        for end in ends:
            end()

    ends.append(listeners.add("table", leave_all))
    ends.append(listeners.add("table", lambda number: told.append(("second", number))))
    listeners.tell_now("table", 1)
    listeners.tell_now("table", 2)
    assert told == [("first", 1)]
    assert "table" not in listeners


def test_who_comes_while_others_are_told_is_told_from_the_next_on() -> None:
    listeners: Listeners[[int]] = Listeners()
    told: list[int] = []

    def make_room(_: int) -> None:
        end()
        listeners.add("table", told.append)

    end = listeners.add("table", make_room)
    listeners.tell_now("table", 1)
    listeners.tell_now("table", 2)
    assert told == [2]


async def test_who_is_taken_off_before_his_turn_comes_is_not_called() -> None:
    listeners: Listeners[[int]] = Listeners()
    told: list[tuple[str, int]] = []
    end = listeners.add("table", lambda number: told.append(("gone", number)))
    listeners.add("table", lambda number: told.append(("there", number)))
    listeners.add("other", lambda number: told.append(("elsewhere", number)))
    listeners.tell("table", 1)
    assert told == []
    end()
    end()
    await asyncio.sleep(0)
    assert told == [("there", 1)]
    assert list(listeners) == ["table", "other"]
