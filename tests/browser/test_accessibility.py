"""Nobody is shut out: what axe-core finds on every screen and sheet, light and dark, on a desk and on a telephone.

axe-core sees names, roles, contrast and structure; what a person hears and can reach is in test_playing.py and
test_layout.py.
"""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, ViewportSize, expect

from engine.game import to_act
from tests.browser.conftest import DESKTOP, NewPage
from tests.browser.person import decide_by_clicks, follow, own_link, play_until_scored, start_game, wait_for_turn
from tests.browser.stage import Stage
from tests.browser.test_layout import UPRIGHT, last_decision

# A card's name is in words, its face is a sign: "J♥" is "jack of hearts". That is not the mismatch the rule means.
_OPTIONS = {"resultTypes": ["violations"], "rules": {"label-content-name-mismatch": {"enabled": False}}}
_SHEETS = {"Help": "#help", "Settings": "#settings", "Rules": "#rules"}


def assert_accessible(page: Page) -> None:
    found = Axe().run(page, options=_OPTIONS)
    assert found.violations_count == 0, found.generate_report()


@pytest.fixture(params=["light", "dark"])
def a_page(new_page: NewPage, viewport: ViewportSize, request: pytest.FixtureRequest) -> Page:
    page = new_page(viewport=viewport)
    page.emulate_media(color_scheme=request.param)
    return page


each_size = pytest.mark.parametrize("viewport", [DESKTOP, UPRIGHT], ids=["desktop", "upright"])


@each_size
def test_the_start_page_and_the_form_of_a_table(a_page: Page) -> None:
    assert_accessible(a_page)
    a_page.get_by_text("Make a table").click()
    a_page.get_by_text("House rules").click()
    assert_accessible(a_page)
    a_page.get_by_label("Your name").fill("Ann")
    a_page.get_by_role("button", name="Make the table").click()
    expect(a_page.locator("#waiting h1")).to_be_visible()
    assert_accessible(a_page)


@each_size
def test_a_hand_from_the_bidding_to_the_result(a_page: Page) -> None:
    start_game(a_page, "Ann")
    for _ in range(3):
        wait_for_turn(a_page)
        assert_accessible(a_page)
        decide_by_clicks(a_page)
    play_until_scored(a_page)
    expect(a_page.locator(".panel")).to_be_visible()
    assert_accessible(a_page)
    a_page.keyboard.press("t")
    assert_accessible(a_page)


@each_size
def test_every_sheet(a_page: Page) -> None:
    start_game(a_page, "Ann")
    wait_for_turn(a_page)
    for name, sheet in _SHEETS.items():
        if a_page.get_by_role("button", name="Menu").is_visible():
            a_page.get_by_role("button", name="Menu").click()
        a_page.get_by_role("button", name=name, exact=True).click()
        expect(a_page.locator(sheet)).to_be_visible()
        assert_accessible(a_page)
        a_page.keyboard.press("Escape")


@each_size
def test_ones_own_link_and_the_question_whose_to_follow(a_page: Page, new_page: NewPage) -> None:
    link = own_link(new_page())
    a_page.get_by_role("button", name="Settings").click()
    a_page.get_by_role("button", name="Show my link").click()
    a_page.get_by_role("button", name="QR code").click()
    expect(a_page.get_by_role("img", name="QR code: Your own link")).to_be_visible()
    assert_accessible(a_page)
    a_page.keyboard.press("Escape")
    follow(a_page, link)
    expect(a_page.get_by_role("dialog", name="Be another Guest here from now on?")).to_be_visible()
    assert_accessible(a_page)


@each_size
def test_the_end_of_a_game_and_what_it_was_worth(a_page: Page) -> None:
    before = last_decision()
    seat = to_act(before)
    assert seat is not None
    Stage(a_page, before, seat)
    decide_by_clicks(a_page)
    expect(a_page.locator(".panel")).to_be_visible()
    assert_accessible(a_page)
