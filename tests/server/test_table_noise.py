"""A game with people who come, go and look away is the game without them."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from server.table import Act, ActFor
from tests.engine.table import shuffled
from tests.server.tables import PureTable


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_c9_a_game_is_the_same_whatever_goes_on_around_it(seed: int) -> None:
    """C9. Watching, away, leaving, sitting down and host changes leave the rules state identical."""
    quiet, lively = PureTable(people=4, target=3, seed=seed), PureTable(people=4, target=3, seed=seed)
    noise = Random(seed)
    for table in (quiet, lively):
        table.did(table.start())
    while quiet.state.is_playing:
        assert lively.game == quiet.game
        if quiet.state.awaits_deal:
            deck = shuffled(quiet.rules, quiet.rng)
            for table in (quiet, lively):
                table.dealt(deck)
            continue
        seat, action = quiet.decision.seat, quiet.random_action()
        chair = quiet.state.room.chairs[seat]
        assert chair.player is not None
        quiet.did(Act(chair.player, quiet.turn, action, quiet.ref()))
        for _ in range(noise.randint(0, 3)):
            name = noise.choice(("Ann", "Ben", "Cat", "Dan", "Eve"))
            wish: Any = noise.choice((lively.stand_up(name), lively.sit_down(name), lively.away(name, on=True)))
            lively.outcome(wish)
        chair = lively.state.room.chairs[seat]
        if chair.stand_in != "clock":
            lively.did(ActFor(lively.turn, action, chair.stand_in))
        else:
            lively.did(Act(str(chair.player), lively.turn, action, lively.ref()))
    assert lively.game == quiet.game
