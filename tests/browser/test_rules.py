"""The rules of a table in plain words: a sentence for every option's every value."""

from __future__ import annotations

from random import Random

from playwright.sync_api import Page, expect

from clients.cli.rulewords import sections, sentence
from engine.rules import PRESETS, Rules, make_rules, rules_to_plain
from tests.browser.stage import Stage
from tests.cli.test_rules import every_value
from tests.engine.interchange.games import VALUES, fitting
from tests.engine.table import table


def some_tables() -> list[Rules]:
    """Return the presets, and rules with a quarter of their options off the default."""
    rng = Random(1)
    random = [{name: rng.choice(values) for name, values in VALUES.items() if rng.random() < 0.25} for _ in range(60)]
    return [*map(make_rules, PRESETS), make_rules("standard", {"alone": "off", "jokers": 1}), *map(fitting, random)]


def test_the_rules_of_a_table_read_as_in_the_terminal(page: Page) -> None:
    """Word for word, with the same ones marked, at tables of every kind."""
    said = page.evaluate(
        """async (tables) => {
            const { rulesByTopic } = await import("/rules.js");
            return tables.map((rules) => rulesByTopic(rules)
                .map(([topic, lines]) => [topic, lines.map(({ text, differs }) => [text, differs])]));
        }""",
        [rules_to_plain(rules) for rules in some_tables()],
    )
    for rules, topics in zip(some_tables(), said, strict=True):
        assert topics == [
            [heading, [[line.text, line.is_changed] for line in lines]] for heading, lines in sections(rules)
        ]


def test_every_value_of_every_option_reads_as_in_the_terminal(page: Page) -> None:
    said = page.evaluate(
        """async (values) => {
            const { ruleSentence } = await import("/rules.js");
            return values.map(([option, value]) => ruleSentence(option, value));
        }""",
        list(every_value()),
    )
    assert said == [sentence(name, value) for name, value in every_value()]


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
    expect(sheet.locator(".differs", has_text="may be called in round two")).to_contain_text("not standard")
    expect(sheet).not_to_contain_text("After a throw-in")
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
    expect(sheet).to_contain_text("The game is 12 hands")
    expect(sheet).to_contain_text("Nobody on the makers' side may go alone. (not standard)")


def test_a_preset_that_has_a_joker_is_made(page: Page) -> None:
    page.get_by_text("Make a table").click()
    games = page.get_by_label("Game").locator("option").evaluate_all("all => all.map(option => option.value)")
    assert set(games) == set(PRESETS)
    page.get_by_label("Game").select_option("british")
    page.get_by_label("Who may join").select_option("public")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("British · to 11 · all pass: redeal · Benny")
    assert make_rules("british").jokers == 1
    page.get_by_role("button", name="Start page").click()
    expect(page.locator(".table-list")).to_contain_text("British (not standard: joker, when all pass twice,")
