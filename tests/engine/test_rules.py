"""Options, presets and refusals (RULES.md §10, §12)."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given

from engine.errors import RulesError
from engine.rules import PRESETS, Rules, changed_rules, make_rules, rules_from_plain, rules_to_plain
from tests.engine.strategies import playable_rules

RULES_PAGE: Final = (Path(__file__).parents[2] / "RULES.md").read_text(encoding="utf-8")


def problems_of(overrides: dict[str, object], preset: str = "standard") -> dict[str, str]:
    """Return the fields refused, with why."""
    with pytest.raises(RulesError) as caught:
        make_rules(preset, overrides)
    assert all(field in str(caught.value) for field in caught.value.problems)
    return caught.value.problems


# ── presets ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def section(number: int) -> str:
    """Return one section of RULES.md."""
    found = re.search(rf"^## {number}\. .*?(?=^## |\Z)", RULES_PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


def value_of(text: str) -> object:
    """Read a value as RULES.md writes it."""
    return {"false": False, "true": True, "none": None}.get(text, int(text) if text.isdigit() else text)


def test_the_defaults_are_those_of_section_12() -> None:
    """RULES.md lists every default."""
    listed = section(12).split("take the defaults:")[1].split(".\n")[0]
    pairs = dict(item.split() for item in listed.replace("\n", " ").split(","))
    defaults = rules_to_plain(Rules())
    assert pairs.keys() == defaults.keys()
    for name, value in pairs.items():
        assert defaults[name] == (value if name == "order_requires" else value_of(value)), name


def test_the_presets_are_those_of_section_12() -> None:
    """Every preset by name, with exactly the options it differs by."""
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", section(12), re.MULTILINE)
    listed = {}
    for name, differs in rows:
        pairs = [pair.split() for pair in differs.split(", ") if pair != "–"]
        listed[name] = {field: value_of(value) for field, value in pairs}
    assert listed == PRESETS


@pytest.mark.parametrize("preset", [name for name in PRESETS if name not in {"british", "best"}])
def test_a_preset_is_its_values_on_top_of_the_defaults(preset: str) -> None:
    assert changed_rules(make_rules(preset)) == PRESETS[preset]
    assert make_rules(preset) == rules_from_plain(PRESETS[preset])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_played(preset: str) -> None:
    assert make_rules(preset)


def test_an_unknown_preset_is_refused() -> None:
    assert problems_of({}, "bridge").keys() == {"preset"}


def test_an_override_goes_over_its_preset() -> None:
    assert make_rules("ladder", {"defend_alone": "off", "target": 15}) == make_rules(
        "standard",
        {"all_pass": "redeal", "alone": "maker_side", "alone_timing": "before_first_lead", "target": 15},
    )


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────────

CONTRADICTIONS: Final[list[tuple[dict[str, object], set[str]]]] = [
    ({"alone": "off", "dealer_partner_round1": "alone_or_pass"}, {"alone", "dealer_partner_round1"}),
    ({"alone": "off", "partner_exchange": "call_for_best"}, {"alone", "partner_exchange"}),
    ({"alone": "off", "defend_alone": "vs_lone"}, {"alone", "defend_alone"}),
    ({"alone": "off", "lone_must_sweep": True}, {"alone", "lone_must_sweep"}),
    ({"alone": "maker_side", "alone_timing": "with_call"}, {"alone", "alone_timing"}),
    ({"alone_timing": "before_first_lead", "sitting_dealer": "skips"}, {"alone_timing", "sitting_dealer"}),
    (
        {"alone_timing": "before_first_lead", "dealer_partner_round1": "alone_or_pass"},
        {"alone_timing", "dealer_partner_round1"},
    ),
    ({"no_trump": "stuck_only", "all_pass": "redeal"}, {"no_trump", "all_pass"}),
    ({"low_no_trump": True}, {"low_no_trump", "no_trump"}),
    ({"benny_turned": "as_spades"}, {"benny_turned", "jokers"}),
    ({"benny_turned": "dealer_names_blind"}, {"benny_turned", "jokers"}),
    ({"hands": 12}, {"hands", "target"}),
    ({"target": None}, {"hands", "target"}),
]
"""Every combination of section 10 with the fields named for it: both, whichever was chosen."""


@pytest.mark.parametrize(("overrides", "refused"), CONTRADICTIONS)
def test_options_that_contradict_each_other_are_refused_by_name(
    overrides: dict[str, object], refused: set[str]
) -> None:
    """RULES.md §10."""
    problems = problems_of(overrides)
    assert problems.keys() == refused
    for name, why in problems.items():
        assert all(other in why for other in refused - {name}), "each reason names the other field"


def test_all_contradictions_of_a_field_are_in_its_reason() -> None:
    everything = {"alone": "off", "partner_exchange": "call_for_best", "lone_must_sweep": True}
    assert problems_of(everything | {"defend_alone": "vs_lone"}) == {
        "alone": "off does not go with partner_exchange call_for_best, defend_alone vs_lone, lone_must_sweep true",
        "partner_exchange": "call_for_best does not go with alone off",
        "defend_alone": "vs_lone does not go with alone off",
        "lone_must_sweep": "true does not go with alone off",
    }


def test_a_value_that_cannot_be_read_contradicts_nothing() -> None:
    """What was meant is not known, so no other field is blamed for not going with it."""
    assert problems_of({"alone": "maker_side", "alone_timing": "later"}).keys() == {"alone_timing"}
    assert problems_of({"target": "ten", "hands": 12}).keys() == {"target"}
    assert problems_of({"target": 0, "hands": 12}) == {
        "target": "must be from 1 to 99",
        "hands": "either target or hands must be set, not both",
    }


@pytest.mark.parametrize(
    "overrides",
    [
        {"alone": "off"},
        {"alone": "off", "defend_alone": "any"},
        {"alone": "off", "alone_timing": "before_first_lead"},
        {"alone": "maker", "alone_timing": "before_first_lead", "defend_alone": "vs_lone"},
        {"no_trump": "stuck_only", "low_no_trump": True},
        {"no_trump": "round2", "all_pass": "redeal"},
        {"target": None, "hands": 1},
        {"sitting_dealer": "skips", "dealer_partner_round1": "alone_or_pass"},
    ],
)
def test_options_that_section_10_does_not_refuse_go_together(overrides: dict[str, object]) -> None:
    assert make_rules("standard", overrides)


def test_every_bad_field_is_named_at_once() -> None:
    """RULES.md §10: unknown names, wrong types, values out of range and contradictions come in one answer."""
    overrides: dict[str, object] = {
        "bowers": 2,
        "all_pass": "maybe",
        "low_rank": 6,
        "upcard_discard": 1,
        "low_no_trump": True,
        "claim": "always",
    }
    assert problems_of(overrides).keys() == {*overrides, "no_trump"}


RANGES: Final = {
    "low_rank": (7, 9),
    "jokers": (0, 1),
    "lone_march": (1, 10),
    "lone_euchred": (1, 10),
    "lone_defender": (1, 10),
    "super_euchre": (0, 10),
    "tricks_needed": (3, 4),
    "target": (1, 99),
    "hands": (1, 99),
    "win_by": (1, 2),
}


@pytest.mark.parametrize("name", RANGES)
def test_a_number_may_take_the_ends_of_its_range_and_nothing_beyond(name: str) -> None:
    low, high = RANGES[name]
    beside: dict[str, object] = {"target": None} if name == "hands" else {}
    for value in (low, high):
        assert getattr(make_rules("standard", beside | {name: value}), name) == value
    for value in (low - 1, high + 1, -(10**30), 10**30):
        assert name in problems_of(beside | {name: value})


@pytest.mark.parametrize("field", fields(Rules), ids=lambda field: field.name)
@pytest.mark.parametrize("value", ["", "OFF", 2.5, 10.0, [], {}, (), b"off", float("nan")])
def test_a_value_of_the_wrong_type_is_refused_by_name(field: Any, value: object) -> None:
    assert field.name in problems_of({field.name: value})


@pytest.mark.parametrize("field", fields(Rules), ids=lambda field: field.name)
def test_null_is_a_value_of_target_and_hands_only(field: Any) -> None:
    match field.name:
        case "hands":
            assert make_rules("standard", {"hands": None}).hands is None
        case "target":
            assert make_rules("standard", {"target": None, "hands": 1}).target is None
        case name:
            assert problems_of({name: None}).keys() == {name}


def test_a_number_is_not_taken_for_a_yes_nor_a_yes_for_a_number() -> None:
    assert problems_of({"upcard_discard": 0}).keys() == {"upcard_discard"}
    assert problems_of({"win_by": True}).keys() == {"win_by"}
    assert problems_of({"jokers": False}).keys() == {"jokers"}


def test_the_complete_value_is_checked_however_it_is_made() -> None:
    """Rules made by hand are refused like those of a message."""
    with pytest.raises(RulesError) as caught:
        Rules(target=0, win_by=3)
    assert caught.value.problems.keys() == {"target", "win_by"}


# ── plain values ─────────────────────────────────────────────────────────────────────────────────────────────────────


@given(playable_rules())
def test_rules_survive_their_plain_form(rules: Rules) -> None:
    plain = rules_to_plain(rules)
    assert list(plain) == [field.name for field in fields(Rules)]
    assert all(value is None or type(value) in {str, int, bool} for value in plain.values())
    assert rules_from_plain(plain) == rules
    assert make_rules("standard", changed_rules(rules)) == rules
