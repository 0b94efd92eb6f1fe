"""A hint at the table, and a finished game looked at: what the server says of it, as people read it."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from bots.analysis import Decision
from bots.search import Worth
from engine.actions import parse_action
from engine.state import Phase
from tests.browser.person import decide_by_clicks, start_game, wait_for_turn
from tests.browser.stage import Stage
from tests.engine.table import settle, table


def test_a_hint_lists_the_choices_of_a_practice_table_best_first(page: Page) -> None:
    """From the real server and its workers."""
    start_game(page)
    wait_for_turn(page)
    while page.locator(".hand .card.may, .choice").count() < 2:  # one card alone may be played
        decide_by_clicks(page)
        wait_for_turn(page)
    page.get_by_role("button", name="Hint").click()
    panel = page.get_by_role("region", name="What your choices are worth")
    expect(panel).to_be_visible(timeout=20_000)
    rows = panel.locator("tbody tr").all_inner_texts()
    points = [float(re.findall(r"([−+])(\d\.\d\d) ±", row)[0][1]) * (-1 if "−" in row else 1) for row in rows]
    assert len(points) >= 2
    assert points == sorted(points, reverse=True)
    expect(panel).to_contain_text("ways the unseen cards may lie")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_escape_closes_the_sheet_and_not_what_lies_under_it(page: Page) -> None:
    game = table(score=(9, 9), hands={1: "Js Jc As Ks Qs"}, upcard="9s", claim="validated")
    stage = Stage(page, settle(game, maker=1), 1)
    stage.answers["analyse"] = {"t": "refused", "code": "no_worker"}
    page.get_by_role("button", name="Claim the rest").click()
    page.get_by_role("button", name="How it was played").click()
    sheet = page.get_by_role("dialog", name="How it was played")
    expect(sheet).to_contain_text("No bot has time")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.get_by_role("button", name="How it was played")).to_be_visible()


def test_a_finished_game_shows_costs_luck_and_the_dearest_decisions(page: Page) -> None:
    """Hand after hand, as the answers come."""
    worths = [{"action": "pass", "points": -0.5, "error": 0.1}, {"action": "order", "points": 0.75, "error": 0.1}]
    decisions = [{"n": 2, "seat": 1, "phase": "bid1", "cards": ["Ks", "9s"], "played": "pass", "worths": worths}]
    page.evaluate(
        """async (decisions) => {
            const { AnalysisSheet } = await import("/analysissheet.js");
            const { Names } = await import("/words.js");
            const seats = ["Ann", "Basil", "Clara", "Dexter"].map((name, seat) => ({ seat, name, kind: "bot" }));
            const ask = async () => ({ t: "ok", game: "g", hands: 2, par: -1, luck: -1.5, decisions });
            await new AnalysisSheet(document.getElementById("analysis"), { ask }).open("t1", new Names({ seats }, 0));
        }""",
        decisions,
    )
    sheet = page.get_by_role("dialog", name="How it was played")
    expect(sheet.locator(".verdict")).to_have_text("2 hands, 2 decisions.")
    expect(sheet.locator("tbody tr").nth(1)).to_have_text(re.compile(r"Basil.*2\.50.*2 of 2"))
    expect(sheet).to_contain_text("3 points less than average ones")
    expect(sheet.locator("ol").first.locator("li").last).to_contain_text(
        re.compile("Hand 2, Basil: Pass.*better Order up.*holding K 9")
    )
    expect(sheet.locator("details")).to_have_count(2)
    expect(sheet.locator("details summary").first).to_have_text("Hand 1: 1.25 points lost")


def test_the_page_judges_as_the_command_line_does(page: Page) -> None:
    cases = [
        ("pass", [("pass", -0.5, 0.1), ("order", 0.75, 0.1)]),
        ("order", [("pass", -0.5, 0.1), ("order", 0.75, 0.1)]),
        ("pass", [("pass", 0.6, 0.0), ("order", 0.75, 0.1)]),
        ("pass", [("pass", 0.75, 0.1), ("order", 0.75, 0.1)]),
        ("pass", [("pass", 0.7499, 0.0), ("order", 0.75, 0.0)]),
        ("claim", [("play Jh", 2.0, 0.0)]),
        ("relief", []),
    ]
    for played, plain in cases:
        worths = tuple(Worth(parse_action(text), points, error) for text, points, error in plain)
        expected = Decision(1, 1, 0, Phase.PLAY, parse_action(played), worths)
        found = page.evaluate(
            "async (decision) => (await import('/worths.js')).judged(decision)",
            {
                "played": played,
                "worths": [{"action": text, "points": points, "error": error} for text, points, error in plain],
            },
        )
        assert found["cost"] == expected.cost
        assert (found["best"] or {}).get("action") == (str(expected.best.action) if expected.best else None)
