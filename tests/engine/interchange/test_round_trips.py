"""Games out to other formats and back: what is lost is told, and what is not lost is the same game."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from engine.interchange import FORMATS, InterchangeError, Loss, Study
from engine.rules import Rules, rules_to_plain
from tests.engine.interchange.games import fitting, plain, playable_rules, random_record, seeds

BOTH_WAYS: Final = ("egn", "ptn", "openspiel")
NAMED: Final[dict[str, dict[str, list[object]]]] = {
    "egn": {
        "low_rank": [9, 8, 7],
        "jokers": [0, 1],
        "all_pass": ["stick", "redeal"],
        "no_trump": ["off", "round2"],
        "dealer_partner_round1": ["free", "alone_or_pass"],
        "defend_alone": ["off", "vs_lone"],
        "partner_exchange": ["off", "call_for_best"],
        "loner_lead": ["left_of_dealer", "left_of_loner"],
        "lone_march": [4, 3, 5],
        "lone_euchred": [2, 4],
        "relief": ["off", "swap3", "redeal"],
        "target": [10, 1, 5],
    },
    "ptn": {
        "low_rank": [9, 8, 7],
        "jokers": [0, 1],
        "all_pass": ["stick", "redeal"],
        "no_trump": ["off", "round2"],
        "low_no_trump": [False, True],
        "defend_alone": ["off", "vs_lone"],
        "partner_exchange": ["off", "call_for_best"],
        "tricks_needed": [3, 4],
        "lone_must_sweep": [False, True],
        "relief": ["off", "swap3", "redeal"],
        "target": [10, 1, 5],
    },
    "openspiel": {
        "all_pass": ["stick", "redeal"],
        "defend_alone": ["off", "any"],
        "alone_timing": ["before_first_lead"],
        "upcard_discard": [False],
    },
}
"""The options each format has a name for, with the values it can name."""
UNSAID: Final = {"openspiel": {"the name", "the game's name", "hands 1", "hands 2", "hands 3", "hands 4"}}
"""What a format holds in no game."""


def fitting_rules(draw: st.DrawFn, name: str) -> Rules:
    options = NAMED[name]
    required = [option for option, values in options.items() if len(values) == 1]
    chosen = draw(
        st.fixed_dictionaries(
            {option: st.sampled_from(options[option]) for option in required},
            optional={option: st.sampled_from(values) for option, values in options.items() if option not in required},
        )
    )
    if name == "openspiel" or (name == "egn" and draw(st.booleans())):
        chosen |= {"target": None, "hands": draw(st.integers(1, 4))}
    return fitting(chosen)


@st.composite
def fitting_games(draw: st.DrawFn, name: str) -> list[str]:
    """Draw the record of a game that the format can tell whole."""
    return random_record(fitting_rules(draw, name), draw(seeds), is_in_order=True)


def told(lines: list[str], *names: str) -> list[Any]:
    """Return the header's fields *names* and the entries; a result, which follows from them, is left out."""
    header, *rest = plain(lines)
    return [*(header[name] for name in names), *(entry for entry in rest if "result" not in entry)]


def whats(losses: tuple[Loss, ...]) -> set[str]:
    return {loss.what for loss in losses}


def exported(name: str, lines: list[str]) -> tuple[str, tuple[Loss, ...]]:
    """Export a record; a game of which the format can hold nothing is no example."""
    try:
        return FORMATS[name].export(lines)
    except InterchangeError as error:
        assert error.line is None, error  # noqa: PT017 - a fault with a line would be one in our own text
        reject()


def loaded(name: str, text: str) -> tuple[list[str] | Study, tuple[Loss, ...]]:
    load = FORMATS[name].load
    assert load is not None
    return load(text)


@pytest.mark.parametrize("name", BOTH_WAYS)
@given(st.data())
@settings(max_examples=40)
def test_a_game_that_fits_comes_back_as_it_was(name: str, data: st.DataObject) -> None:
    """Every option the format names, every deal, call, discard, exchange and card: no loss, and the same entries."""
    lines = data.draw(fitting_games(name))
    assume(not _breaks_off_unsaid(lines, name))
    text, losses = exported(name, lines)
    record, lost = loaded(name, text)
    assert whats(losses) <= UNSAID.get(name, set())
    assert lost == ()
    assert isinstance(record, list)
    header = () if name in UNSAID else ("rules", "players", "game", "preset")
    assert told(record, *header) == told(lines, *header)


def _breaks_off_unsaid(lines: list[str], name: str) -> bool:
    """Tell whether the record ends where EGN cannot tell it: between the defenders' answers, or with a redeal."""
    return name == "egn" and plain(lines)[-1].get("do") in {"defend together", "relief"}


@pytest.mark.parametrize("name", BOTH_WAYS)
@given(st.data())
@settings(max_examples=40)
def test_any_game_can_be_written_and_read_and_no_loss_is_silent(name: str, data: st.DataObject) -> None:
    """Whatever the rules: where no loss is told the game that comes back is the one that went out."""
    lines = random_record(data.draw(playable_rules()), data.draw(seeds), is_in_order=data.draw(st.booleans()))
    text, losses = exported(name, lines)
    record, _ = loaded(name, text)
    if not losses:
        assert isinstance(record, list)
        assert told(record, "rules", "players", "game", "preset") == told(lines, "rules", "players", "game", "preset")


@given(playable_rules(), seeds)
@settings(max_examples=15)
def test_what_was_imported_is_lost_no_more(rules: Rules, seed: int) -> None:
    """A record made from a text gives, exported and loaded again, itself."""
    lines = random_record(rules, seed)
    for name in ("egn", "ptn"):
        first, _ = loaded(name, exported(name, lines)[0])
        if isinstance(first, list):
            text, losses = exported(name, first)
            again, _ = loaded(name, text)
            assert isinstance(again, list)
            assert told(again, "rules") == told(first, "rules") or losses


@pytest.mark.parametrize("name", BOTH_WAYS)
@given(st.data())
@settings(max_examples=40)
def test_an_option_that_comes_back_otherwise_is_told_by_name(name: str, data: st.DataObject) -> None:
    """What does not fit is reported by the name of the option; target or hands that is null, by that of the other."""
    lines = random_record(data.draw(playable_rules()), data.draw(seeds), is_in_order=data.draw(st.booleans()))
    text, losses = exported(name, lines)
    loaded_game, _ = loaded(name, text)
    came = rules_to_plain(loaded_game.rules) if isinstance(loaded_game, Study) else plain(loaded_game)[0]["rules"]
    said = " ".join(map(str, losses))
    went = plain(lines)[0]["rules"]
    lost = {option for option, value in went.items() if value not in {None, came[option]}}
    assert {option for option in lost if option not in said} == set()
