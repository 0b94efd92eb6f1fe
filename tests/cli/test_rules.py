"""`euchre rules`: every option's every value in words, and what differs from the standard game marked."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import pytest

from clients.cli.main import main
from clients.cli.rulewords import MARK, NOT_STANDARD, rule_lines, sections, sentence
from engine.rules import PRESETS, RANGES, Rules, changed_rules, make_rules, rules_to_plain

STANDARD = rules_to_plain(Rules())
COMPANIONS: dict[str, dict[str, object]] = {
    "benny_turned": {"jokers": 1},
    "redeal_dealer": {"all_pass": "redeal"},
    "low_no_trump": {"no_trump": "round2"},
    "upcard_counts": {"order_requires": "any_trump"},
    "lone_defender": {"defend_alone": "any"},
    "relief_hand": {"relief": "redeal"},
    "hands": {"target": None},
    "alone": {"alone_timing": "before_first_lead"},
}
"""What an option needs to matter, or to be allowed, in the standard game."""


def every_value() -> Iterator[tuple[str, object]]:
    for name, default in STANDARD.items():
        typed = getattr(Rules(), name)
        if isinstance(typed, StrEnum):
            yield from ((name, str(member)) for member in type(typed))
        elif isinstance(default, bool):
            yield from ((name, value) for value in (False, True))
        else:
            yield from ((name, value) for value in RANGES[name])


@pytest.mark.parametrize(("name", "value"), list(every_value()))
def test_every_value_of_every_option_is_told(name: str, value: object) -> None:
    """At a table where it matters its sentence is there, marked if and only if the value is not standard."""
    rules = make_rules("standard", COMPANIONS.get(name, {}) | {name: value})
    words = sentence(name, value)
    told = [line for _, lines in sections(rules) for line in lines if line.text == words]
    assert len(told) == 1
    assert told[0].is_changed == (value != STANDARD[name])
    assert words.endswith(".")
    assert "_" not in words
    assert "{" not in words


def test_two_values_never_read_alike() -> None:
    sentences = [sentence(name, value) for name, value in every_value()]
    assert len(set(sentences)) == len(sentences)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_marks_what_differs(preset: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", preset]) == 0
    shown = capsys.readouterr().out
    rules = make_rules(preset)
    differing = [name for name, value in changed_rules(rules).items() if value is not None]
    marked = [line for line in rule_lines(preset, rules_to_plain(rules)) if line.startswith(f"{MARK} ")]
    assert len(marked) == len(differing)
    assert all(line.endswith(NOT_STANDARD) for line in marked)
    assert sum(line.startswith(f"{MARK} ") for line in shown.splitlines()) == len(differing)
    assert shown.startswith(f"{preset.capitalize()} rules")
    assert ("the standard game" in shown.splitlines()[0]) == (not differing)
    for heading in ("The deal:", "Making trump:", "Alone:", "The play:", "The score:", "The game:"):
        assert heading in shown.splitlines()


def test_options_are_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--set", "target=none", "--set", "hands=1", "--set", "order_requires=none"]) == 0
    shown = capsys.readouterr().out
    assert "* The game is 1 hand; " in shown
    assert "one rule is not standard" in shown
    assert "or more after a hand wins" not in shown


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], ["preset"]),
        (["--set", "target=0", "--set", "speed=5", "--set", "alone=always"], ["target", "speed", "alone"]),
        (["--set", "target=" + "9" * 5000], ["target"]),
        (["--set", "target", "--set", "=5"], ["'target'", "'=5'"]),
        (["--quick"], ["--quick"]),
    ],
)
def test_bad_rules_are_named_in_one_line(
    arguments: list[str], named: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rules", *arguments]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert all(name in line for name in named)


def test_options_of_a_newer_server_are_told_by_name() -> None:
    lines = rule_lines("own", STANDARD | {"speed_of_light": 3})
    assert lines[-2:] == ["Beside that:", "* speed of light: 3 (not standard)"]
    assert rule_lines("own", {"alone": "off", "lone_must_sweep": True})[-1].startswith(MARK)
