"""Playing alone, and defending alone (RULES.md §4)."""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from engine.cards import SEATS, Seat
from engine.errors import Code
from engine.events import AloneDecided, CardPlayed, DefenceDecided, PlayStarted, TrickWon
from engine.game import phase_of, to_act
from engine.rules import make_rules
from engine.state import Phase
from engine.view import view_for
from tests.engine.table import (
    PASSES,
    after,
    every_refusal,
    hands_of,
    happened,
    legal,
    made_of,
    played_out,
    refusal,
    settle,
    shuffled_table,
    table,
)

LATE: Final[dict[str, Any]] = {"alone_timing": "before_first_lead"}
LATE_SIDE: Final[dict[str, Any]] = LATE | {"alone": "maker_side"}


# ── who may go alone, and when ───────────────────────────────────────────────────────────────────────────────────────


def test_no_call_may_be_alone_where_alone_is_off() -> None:
    """R-ALONE-1."""
    game = table(alone="off")
    assert legal(game) == ["pass", "order"]
    assert refusal(game, 1, "order alone") == Code.ALONE_NOT_ALLOWED
    game = after(game, *PASSES)
    assert not any("alone" in text for text in legal(game))
    assert refusal(game, 1, "call s alone") == Code.ALONE_NOT_ALLOWED
    assert phase_of(after(game, "call s")) is Phase.PLAY


def test_alone_off_opens_no_window_before_the_first_lead() -> None:
    """R-ALONE-1, R-ALONE-2."""
    game = after(table(alone="off", alone_timing="before_first_lead"), *PASSES, "call s")
    assert phase_of(game) is Phase.PLAY


def test_alone_may_be_part_of_the_call() -> None:
    """R-ALONE-2, with_call: the partner sits from then on."""
    game = after(table(), "order alone")
    assert (made_of(game).alone, made_of(game).sitting) == ((1,), (3,))
    game = after(table(), *PASSES, "call s alone")
    assert (made_of(game).alone, made_of(game).sitting) == ((1,), (3,))


@pytest.mark.parametrize("options", [LATE, LATE_SIDE])
def test_alone_before_the_first_lead_is_no_part_of_the_call(options: dict[str, Any]) -> None:
    """R-ALONE-2."""
    game = table(**options)
    assert legal(game) == ["pass", "order"]
    assert refusal(game, 1, "order alone") == Code.ALONE_NOT_ALLOWED
    game = after(game, *PASSES)
    assert refusal(game, 1, "call s alone") == Code.ALONE_NOT_ALLOWED


@pytest.mark.parametrize("maker", SEATS)
def test_the_window_opens_after_the_discard_and_asks_the_maker(maker: Seat) -> None:
    """R-ALONE-2: his answer is the first thing after the discard, or after a call of round two."""
    ordered = after(table(**LATE), *["pass"] * ((maker - 1) % 4), "order")
    assert phase_of(ordered) is Phase.DISCARD
    called = after(table(**LATE), *PASSES, *["pass"] * ((maker - 1) % 4), "call s")
    for game in (after(ordered, legal(ordered)[0]), called):
        assert (phase_of(game), to_act(game), legal(game)) == (Phase.ALONE, maker, ["alone", "together"])


@pytest.mark.parametrize(("answer", "alone", "sitting"), [("alone", (1,), (3,)), ("together", (), ())])
def test_the_makers_answer_closes_the_window_where_only_he_is_asked(
    answer: str, alone: tuple[Seat, ...], sitting: tuple[Seat, ...]
) -> None:
    """R-ALONE-2 with `alone` maker."""
    game, events = happened(table(**LATE), *PASSES, "call s", answer)
    assert events[-2:] == (AloneDecided(1, answer == "alone"), PlayStarted(to_act(game) or 0, alone, sitting))
    assert phase_of(game) is Phase.PLAY


def test_the_makers_partner_is_asked_when_the_maker_declines() -> None:
    """R-ALONE-2 with `alone` maker_side."""
    game = after(table(**LATE_SIDE), *PASSES, "call s", "together")
    assert (phase_of(game), to_act(game), legal(game)) == (Phase.ALONE, 3, ["alone", "together"])
    alone = after(game, "alone")
    assert (made_of(alone).alone, made_of(alone).sitting, phase_of(alone)) == ((3,), (1,), Phase.PLAY)
    together = after(game, "together")
    assert (made_of(together).alone, phase_of(together)) == ((), Phase.PLAY)


def test_the_first_yes_closes_the_window() -> None:
    """R-ALONE-2: the partner of a lone maker is not asked, and may not say so."""
    game = after(table(**LATE_SIDE), *PASSES, "call s", "alone")
    assert phase_of(game) is Phase.PLAY
    assert refusal(game, 3, "alone") == Code.SITTING_OUT


# ── the one who sits ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("maker", SEATS)
def test_a_lone_players_partner_has_no_turn_and_a_frozen_hand(maker: Seat) -> None:
    """R-ALONE-1: whatever he tries is refused for sitting out, and his five cards stay where they are."""
    game = settle(table(dealer=(maker + 3) % 4), maker=maker, alone=[maker])
    sitting = (maker + 2) % 4
    frozen = hands_of(game)[sitting]
    while phase_of(game) is Phase.PLAY:
        assert to_act(game) != sitting
        assert set(every_refusal(game, sitting)) == {Code.SITTING_OUT}
        assert view_for(game, sitting).cards == frozen
        game = after(game, legal(game)[0])
    assert view_for(game, sitting).counts[sitting] == 5


# ── defending alone ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("option", "call", "opens"),
    [("off", "order", False), ("off", "order alone", False), ("vs_lone", "order", False),
     ("vs_lone", "order alone", True), ("any", "order", True), ("any", "order alone", True)],
)  # fmt: skip
def test_the_defenders_window_opens_where_the_rules_say(*, option: str, call: str, opens: bool) -> None:
    """R-ALONE-3."""
    game = after(table(defend_alone=option), call)
    game = after(game, legal(game)[0])
    assert phase_of(game) is (Phase.DEFEND if opens else Phase.PLAY)


def test_the_defenders_window_also_opens_after_a_call_of_round_two() -> None:
    """R-ALONE-3."""
    game = after(table(defend_alone="any"), *PASSES, "call s")
    assert (phase_of(game), to_act(game), legal(game)) == (Phase.DEFEND, 2, ["defend alone", "defend together"])


def test_a_partner_who_goes_alone_makes_a_lone_maker_side() -> None:
    """R-ALONE-3, vs_lone: the window opens against the maker's partner too."""
    game = after(table(**LATE_SIDE, defend_alone="vs_lone"), *PASSES, "call s", "together")
    assert phase_of(after(game, "alone")) is Phase.DEFEND
    assert phase_of(after(game, "together")) is Phase.PLAY


@pytest.mark.parametrize(
    ("dealer", "maker", "asked"), [(0, 1, [2, 0]), (0, 2, [1, 3]), (0, 0, [1, 3]), (1, 0, [3, 1]), (3, 3, [0, 2])]
)
def test_defenders_are_asked_from_the_dealers_left(dealer: Seat, maker: Seat, asked: list[Seat]) -> None:
    """R-ALONE-3: the dealer himself last."""
    game = after(table(dealer=dealer, defend_alone="any"), *["pass"] * ((maker - dealer - 1) % 4), "order")
    game, seats = after(game, legal(game)[0]), []
    while phase_of(game) is Phase.DEFEND:
        seats.append(to_act(game))
        game = after(game, "defend together")
    assert seats == asked
    assert made_of(game).alone == ()


@pytest.mark.parametrize(("answers", "alone"), [(["defend alone"], 2), (["defend together", "defend alone"], 0)])
def test_the_first_defender_who_says_yes_seats_his_partner_out(answers: list[str], alone: Seat) -> None:
    """R-ALONE-3."""
    game, events = happened(table(defend_alone="any"), *PASSES, "call s", *answers)
    assert DefenceDecided(alone, alone=True) in events
    assert (made_of(game).alone, made_of(game).sitting) == ((alone,), ((alone + 2) % 4,))
    assert phase_of(game) is Phase.PLAY
    assert refusal(game, (alone + 2) % 4, "defend alone") == Code.SITTING_OUT


def test_with_both_sides_alone_a_trick_has_two_cards() -> None:
    """R-ALONE-3: ten cards in the whole hand, the maker's side named first."""
    rules = make_rules("standard", {"defend_alone": "vs_lone"})
    game = settle(shuffled_table(5, rules), maker=1, alone=[0, 1])
    assert (made_of(game).alone, made_of(game).sitting) == ((1, 0), (3, 2))
    _, events = played_out(game, Random(5))
    played = [event.seat for event in events if isinstance(event, CardPlayed)]
    assert len(played) == 10
    assert all({*played[at : at + 2]} == {0, 1} for at in range(0, 10, 2))
    assert sum(isinstance(event, TrickWon) for event in events) == 5


def test_each_window_takes_only_its_own_answers() -> None:
    """R-ALONE-2, R-ALONE-3: the sides cannot answer for each other."""
    game = after(table(**LATE_SIDE, defend_alone="any"), *PASSES, "call s")
    assert refusal(game, 1, "defend alone") == Code.WRONG_PHASE
    assert refusal(game, 3, "alone") == Code.NOT_YOUR_TURN
    game = after(game, "together", "together")
    assert refusal(game, 2, "alone") == Code.WRONG_PHASE
    assert refusal(game, 0, "defend alone") == Code.NOT_YOUR_TURN
