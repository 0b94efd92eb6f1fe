"""The rules of a table in plain words: a sentence for every option's every value."""

from __future__ import annotations

import re
from itertools import combinations
from random import Random

from playwright.sync_api import Page, expect

from clients.cli.rulewords import MATTERS, sections, sentence
from engine.errors import RulesError
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


def refusals_of_pairs() -> list[dict[str, str]]:
    """Return why the engine refuses any two values together, by option."""
    refused = []
    values = [(name, value) for name, values in VALUES.items() for value in values]
    for pair in combinations(values, 2):
        try:
            make_rules("standard", dict(pair))
        except RulesError as error:
            refused.append(error.problems)
    return refused


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


def test_a_rule_left_alone_says_what_the_game_has(page: Page) -> None:
    """For every option of every preset, in the words of the option's own choices."""
    page.get_by_text("Make a table").click()
    page.get_by_text("House rules").click()
    for preset in PRESETS:
        page.get_by_label("Game").select_option(preset)
        for option, value in rules_to_plain(make_rules(preset)).items():
            left_alone, *choices = page.locator(f"select[name={option}] option").all()
            values = [choice.get_attribute("value") for choice in choices]
            if value is None:
                says = {"target": "A number of hands", "hands": "As many as the points take"}[option]
            else:
                says = choices[values.index(str(value).lower())].inner_text()
            assert left_alone.inner_text() == f"{says} (usual)"


def test_the_rules_are_read_in_the_waiting_room_and_refused_ones_explained_at_the_form(page: Page) -> None:
    page.get_by_text("Make a table").click()
    page.get_by_label("Game").select_option("championship")
    page.get_by_text("House rules").click()
    page.get_by_label("Going alone", exact=True).select_option("off")
    page.get_by_label("Defending alone").select_option("vs_lone")
    page.get_by_role("button", name="Make the table").click()
    for label, why in (
        ("Going alone", '"Nobody" does not go with Defending alone "Against a lone maker"'),
        ("Defending alone", '"Against a lone maker" does not go with Going alone "Nobody"'),
    ):
        field = page.locator(".field", has=page.get_by_label(label, exact=True))
        expect(field.locator(".why")).to_have_text(why)
        expect(page.get_by_label(label, exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Defending alone").select_option("")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("12 hands")
    page.get_by_role("button", name="Rules of this table").click()
    sheet = page.get_by_role("dialog", name="Rules of this table")
    expect(sheet).to_contain_text("The game is 12 hands")
    expect(sheet).to_contain_text("Nobody on the makers' side may go alone. (not standard)")


def test_an_option_without_effect_is_greyed_out_says_why_and_keeps_what_was_chosen(page: Page) -> None:
    page.get_by_text("Make a table").click()
    page.get_by_label("Game").select_option("best")
    page.get_by_text("House rules").click()
    exchange, alone = page.get_by_label("Lone maker and partner"), page.get_by_label("Going alone", exact=True)
    march = page.get_by_label("All five alone")
    march.select_option("5")
    expect(exchange).to_be_enabled()
    alone.select_option("off")
    for field in (exchange, march):
        expect(field).to_be_disabled()
        expect(field).to_have_accessible_description('No effect with "Going alone: Nobody".')
    expect(page.locator("#said")).to_contain_text("No effect now: Alone is said, Dealer whose partner orders alone,")
    expect(page.get_by_label("Joker turned up")).to_have_accessible_description('No effect with "Joker: No joker".')
    page.get_by_label("Hands", exact=True).select_option("4")
    expect(page.get_by_label("Lead needed")).to_have_accessible_description(
        'No effect with "Play to: A number of hands".'
    )
    expect(page.get_by_label("Play to")).to_be_enabled()
    alone.select_option("")
    expect(march).to_be_enabled()
    expect(march).to_have_value("5")
    expect(march).to_have_accessible_description("")
    alone.select_option("off")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("4 hands")
    page.get_by_role("button", name="Rules of this table").click()
    expect(page.get_by_role("dialog", name="Rules of this table")).to_contain_text("Nobody on the makers' side may")


def test_what_is_greyed_out_is_what_a_table_leaves_out(page: Page) -> None:
    """By the rules of every kind of table, as the terminal leaves them out; and the engine takes what is left."""
    tables = [rules for rules in some_tables() if rules.target in {None, 5, 10, 11} and rules.hands in {None, 4, 12}]
    made = page.evaluate(
        """async (tables) => {
            const { rulesOfForm, CHOICES } = await import("/houserules.js");
            return tables.map((rules) => {
                const chosen = Object.keys(CHOICES).map((option) => [option, String(rules[option] ?? "")]);
                return { ...rulesOfForm("standard", Object.fromEntries(chosen)), all: rules };
            });
        }""",
        [rules_to_plain(rules) for rules in tables],
    )
    assert len(tables) > 20
    for rules, form in zip(tables, made, strict=True):
        assert sections(make_rules("standard", form["rules"])) == sections(rules)
        idle = {name for name, matters in MATTERS.items() if name in form["all"] and not matters(rules)}
        assert set(form["idle"]) == idle


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


def test_every_refusal_of_rules_reads_in_the_words_of_the_form(page: Page) -> None:
    """No option and no value by its raw name."""
    refused = refusals_of_pairs()
    raw = {word for option, values in VALUES.items() for word in (option, *map(str, values)) if "_" in word}
    said = page.evaluate(
        """async (refused) => {
            const { reasonWords } = await import("/houserules.js");
            return refused.map((problems) => Object.entries(problems).map((problem) => reasonWords(...problem)));
        }""",
        refused,
    )
    assert len(refused) > 10
    for reason in (reason for reasons in said for reason in reasons):
        assert raw.isdisjoint(re.findall(r"\w+", reason)), reason
        assert not re.search(r"\b(off|true|false|null)\b", reason), reason
