"""Call for best: a lone maker swaps a card with the sitting partner (R-ALONE-5)."""

from __future__ import annotations

from typing import Any, Final

from engine.errors import Code
from engine.events import CardGiven
from engine.game import to_act
from engine.state import Phase
from engine.view import WATCHER, redact_all, view_for
from tests.engine.table import PASSES, after, happened, legal, refusal, table

VIEWERS: Final = (0, 1, 2, 3, WATCHER)
OPTIONS: dict[str, Any] = {"partner_exchange": "call_for_best"}


def test_the_lone_maker_gives_first_and_the_partner_gives_back() -> None:
    """R-ALONE-5: the partner chooses among six, and both end with five."""
    game = after(table(upcard="9h", **OPTIONS), *PASSES, "call s alone")
    assert game.stage.phase is Phase.EXCHANGE
    assert to_act(game) == 1
    assert len(legal(game)) == 5
    game = after(game, legal(game)[0])
    assert to_act(game) == 3
    assert len(legal(game)) == 6
    game = after(game, legal(game)[-1])
    assert game.stage.phase is Phase.PLAY
    assert view_for(game, WATCHER).counts == (5, 5, 5, 5)


def test_only_the_two_see_the_cards() -> None:
    """R-VIEW-1."""
    game, events = happened(after(table(upcard="9h", **OPTIONS), *PASSES, "call s alone"), "give 9s")
    card = events[0].card  # type: ignore[union-attr]
    for viewer in (1, 3):
        assert redact_all(events, viewer, game.standing.rules) == (CardGiven(1, 3, card),)
    for other in (0, 2, WATCHER):
        assert redact_all(events, other, game.standing.rules) == (CardGiven(1, 3, None),)


def test_each_remembers_the_card_he_gave_unless_it_comes_back() -> None:
    """R-VIEW-1: nobody else is told, and the maker still knows while the hand is played."""
    start = after(table(upcard="9h", **OPTIONS), *PASSES, "call s alone", "give 9s")
    assert [view_for(start, viewer).given for viewer in VIEWERS] == [None, "9s", None, None, None]
    another, same = after(start, legal(start)[0]), after(start, "give 9s")
    assert legal(start)[0] != "give 9s"
    for game, given in ((another, "9s"), (after(another, legal(another)[0]), "9s"), (same, None)):
        back = "9s" if given is None else legal(start)[0].removeprefix("give ")
        assert [view_for(game, viewer).given for viewer in VIEWERS] == [None, given, None, back, None]


def test_nobody_swaps_when_nobody_is_alone() -> None:
    """R-ALONE-5."""
    assert after(table(upcard="9h", **OPTIONS), *PASSES, "call s").stage.phase is Phase.PLAY


def test_a_card_that_is_not_held_cannot_be_given() -> None:
    game = after(table(upcard="9h", **OPTIONS), *PASSES, "call s alone")
    assert refusal(game, 1, "give 9h") is Code.CARD_NOT_HELD
    assert refusal(game, 1, "play 9s") is Code.WRONG_PHASE
    assert refusal(game, 3, "give 9h") is Code.SITTING_OUT


def test_the_exchange_comes_after_the_discard_and_before_the_defenders() -> None:
    """The order of a hand."""
    game = table(upcard="9h", defend_alone="vs_lone", **OPTIONS)
    phases = []
    game = after(game, "order alone")
    while game.stage.phase is not Phase.PLAY:
        phases.append(game.stage.phase)
        game = after(game, legal(game)[-1])
    assert phases == [Phase.DISCARD, Phase.EXCHANGE, Phase.EXCHANGE, Phase.DEFEND, Phase.DEFEND]
