"""The rules of a table in plain words: a sentence for every option's every value."""

from __future__ import annotations

import json
from enum import StrEnum

from playwright.sync_api import Page, expect

from engine.errors import RulesError
from engine.rules import PRESETS, Rules, make_rules, rules_to_plain
from tests.browser.stage import Stage
from tests.engine.table import table


def every_value() -> dict[str, list[object]]:
    """Return every value each option may have, in plain values."""
    values: dict[str, list[object]] = {}
    for name, default in rules_to_plain(Rules()).items():
        kind = type(getattr(Rules(), name))
        if issubclass(kind, StrEnum):
            values[name] = [str(member) for member in kind]
        elif isinstance(default, bool):
            values[name] = [False, True]
        else:
            values[name] = [value for value in (None, *range(102)) if is_in_range(name, value)]
    return values


def is_in_range(name: str, value: int | None) -> bool:
    """Tell whether the option *name* may be *value*, whatever else it does not go with."""
    try:
        make_rules("standard", {name: value})
    except RulesError as error:
        return "must be" not in error.problems.get(name, "")
    return True


def test_every_value_of_every_option_has_its_sentence(page: Page) -> None:
    """And no two values of an option the same."""
    said = json.loads(
        page.evaluate(
            """async (text) => {
                const { ruleSentence } = await import("/rules.js");
                return JSON.stringify(Object.entries(JSON.parse(text))
                    .map(([option, values]) => [option, values.map((value) => ruleSentence(option, value))]));
            }""",
            json.dumps(every_value()),
        )
    )
    for option, sentences in said:
        assert all(isinstance(sentence, str) and sentence.endswith(".") for sentence in sentences), option
        assert not any("undefined" in sentence for sentence in sentences), option
        assert len(set(sentences)) == len(sentences), option


def test_the_page_knows_every_option_and_the_standard_game(page: Page) -> None:
    known = page.evaluate(
        """async () => Object.fromEntries(Object.entries((await import("/rules.js")).OPTIONS)
            .map(([option, { standard }]) => [option, standard]))"""
    )
    assert known == rules_to_plain(Rules())


def test_the_rules_of_a_table_mark_what_differs_from_standard(page: Page) -> None:
    """In words, not by colour alone; what other options make idle is not listed."""
    Stage(page, table(preset="best", target=15), 0, preset="best")
    page.get_by_role("button", name="Rules", exact=True).click()
    sheet = page.get_by_role("dialog", name="Rules of this table")
    expect(sheet).to_contain_text("Dealer must call in round two")
    expect(sheet.locator(".differs")).to_have_count(len(PRESETS["best"]) + 1)
    expect(sheet.locator(".differs", has_text="No trump may be called in round two.")).to_contain_text("not standard")
    expect(sheet).not_to_contain_text("After a throw-in the next player deals")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_the_rules_are_read_in_the_waiting_room_and_refused_ones_explained_at_the_form(page: Page) -> None:
    page.get_by_text("Make a table").click()
    page.get_by_label("Game").select_option("championship")
    page.get_by_text("House rules").click()
    page.get_by_label("Going alone", exact=True).select_option("off")
    page.get_by_label("Lone maker and partner").select_option("call_for_best")
    page.get_by_role("button", name="Make the table").click()
    for label, why in (
        ("Going alone", "off does not go with partner exchange call for best"),
        ("Lone maker and partner", "call for best does not go with alone off"),
    ):
        field = page.locator(".field", has=page.get_by_label(label, exact=True))
        expect(field.locator(".why")).to_have_text(why)
        expect(page.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Lone maker and partner").select_option("")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("12 hands")
    page.get_by_role("button", name="Rules of this table").click()
    sheet = page.get_by_role("dialog", name="Rules of this table")
    expect(sheet).to_contain_text("The game is over after 12 hands")
    expect(sheet).to_contain_text("Nobody on the makers' side may go alone. (not standard)")


def test_a_preset_that_has_a_joker_is_made(page: Page) -> None:
    page.get_by_text("Make a table").click()
    games = page.get_by_label("Game").locator("option").evaluate_all("all => all.map(option => option.value)")
    assert set(games) == set(PRESETS)
    page.get_by_label("Game").select_option("british")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("British")
    assert make_rules("british").jokers == 1
