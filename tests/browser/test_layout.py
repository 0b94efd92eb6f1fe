"""Nothing is out of sight: on a desk, and on a telephone held either way."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import DESKTOP, NewPage
from tests.browser.person import decide_by_clicks, is_choosing_a_card, play_until_scored, start_game, wait_for_turn

UPRIGHT: ViewportSize = {"width": 360, "height": 640}
SIDEWAYS: ViewportSize = {"width": 640, "height": 360}
SIZES = pytest.mark.parametrize("viewport", [DESKTOP, UPRIGHT, SIDEWAYS], ids=["desktop", "upright", "sideways"])

# A control is reachable if all of it is on the screen and its middle is covered by nothing else.
_OUT_OF_REACH = """selector => [...document.querySelectorAll(selector)].filter(element => {
    const box = element.getBoundingClientRect();
    if (box.width === 0) return false;
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight + 1;
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !inside || !element.contains(hit);
}).map(element => element.outerHTML.slice(0, 80))"""


def assert_in_reach(page: Page, selector: str) -> None:
    assert page.locator(selector).count() > 0
    assert page.evaluate(_OUT_OF_REACH, selector) == []


def assert_no_sideways_scrolling(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@SIZES
def test_hand_and_choices_are_in_reach_through_a_hand(new_page: NewPage, viewport: ViewportSize) -> None:
    """With the longest of names, at every decision of a hand and beside its result."""
    page = new_page(viewport=viewport)
    assert_no_sideways_scrolling(page)
    start_game(page, "W" * 24)
    wait_for_turn(page)
    for _ in range(6):
        assert_no_sideways_scrolling(page)
        assert_in_reach(page, ".hand .card")
        assert_in_reach(page, ".bar .score, .bar .contract")
        if not is_choosing_a_card(page):
            assert_in_reach(page, ".choice, .alone-toggle")
        decide_by_clicks(page)
        wait_for_turn(page)
    play_until_scored(page)
    expect(page.locator(".panel")).to_be_visible()
    wait_for_turn(page)
    assert_no_sideways_scrolling(page)
    assert_in_reach(page, ".hand .card")
    assert_in_reach(page, ".panel .close")


@SIZES
def test_the_waiting_room_fits(new_page: NewPage, viewport: ViewportSize) -> None:
    page = new_page(viewport=viewport)
    page.get_by_label("Your name").fill("W" * 24)
    page.get_by_text("Make a table").click()
    page.get_by_text("House rules").click()
    assert_no_sideways_scrolling(page)
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_be_visible()
    assert_no_sideways_scrolling(page)


@SIZES
def test_the_largest_size_of_text_still_fits(new_page: NewPage, viewport: ViewportSize) -> None:
    page = new_page(viewport=viewport)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Size").select_option("1.3")
    page.get_by_role("button", name="Close").click()
    start_game(page)
    wait_for_turn(page)
    assert_no_sideways_scrolling(page)
    assert_in_reach(page, ".hand .card")


def test_everything_of_the_table_is_in_the_menu_of_a_narrow_screen(new_page: NewPage) -> None:
    page = new_page(viewport=SIDEWAYS)
    start_game(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Menu").click()
    assert_in_reach(page, ".tools .tool")
    page.keyboard.press("Escape")
    expect(page.locator(".tools")).to_be_hidden()


def test_cards_move_only_for_those_who_like_it(new_page: NewPage) -> None:
    """Without animations for whoever prefers reduced motion, with them for everybody else."""
    running = "() => getComputedStyle(document.querySelector('.trick-cards .played, .upcard .card')).animationName"
    for reduced_motion, expected in ((True, "none"), (False, "play")):
        page = new_page(reduced_motion=reduced_motion)
        start_game(page)
        wait_for_turn(page)
        while not page.locator(".trick-cards .played").count():
            decide_by_clicks(page)
            wait_for_turn(page)
        assert page.evaluate(running) == expected
