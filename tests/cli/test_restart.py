"""What the terminal client says of a restart to come, and how often."""

from __future__ import annotations

import io
import re
import time

import pytest

from clients.cli.restart import Restart, restart_words
from clients.cli.screen import Screen
from tests.server.clockwork import after, clockwork

LEFT = re.compile(r"\((.*?)\)", re.DOTALL)
FIVE_PAST_TWO = time.struct_time((2026, 12, 1, 14, 5, 0, 1, 335, 0))


@pytest.mark.parametrize(
    ("left_s", "when"), [(240, "in 4 min"), (60, "in 1 min"), (10, "in 10 s"), (0, "any moment now")]
)
def test_it_says_when_and_what_comes_of_the_game(left_s: float, when: str) -> None:
    assert restart_words(FIVE_PAST_TWO, left_s) == (
        f"The server restarts at 14:05 ({when}); your game goes on afterwards."
    )


@clockwork
async def test_it_is_told_again_when_it_is_near_and_not_because_of_a_new_connection() -> None:
    shown = io.StringIO()
    restart = Restart(Screen(shown, {}))
    restart.heard(400_000)
    await after(30)
    restart.forget()
    restart.heard(371_000)
    assert LEFT.findall(shown.getvalue()) == ["in 7 min"]
    await after(400)
    assert LEFT.findall(shown.getvalue()) == ["in 7 min", "in 5 min", "in 1 min", "in 10 s"]


@clockwork
async def test_a_restart_that_is_called_off_is_told_no_more_of() -> None:
    shown = io.StringIO()
    restart = Restart(Screen(shown, {}))
    restart.heard(None)
    assert shown.getvalue() == ""
    restart.heard(400_000)
    restart.heard(None)
    restart.heard(None)
    await after(400)
    assert len(LEFT.findall(shown.getvalue())) == 1
    assert shown.getvalue().count("The server does not restart after all.") == 1
