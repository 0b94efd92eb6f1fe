"""Nothing is out of sight: on a desk, and on a telephone held either way."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from engine.game import to_act
from engine.state import Game
from tests.browser.conftest import DESKTOP, NewPage
from tests.browser.person import (
    decide_by_clicks,
    is_choosing_a_card,
    link_of,
    play_until_scored,
    start_game,
    take_a_seat,
    wait_for_turn,
)
from tests.browser.stage import Stage
from tests.engine.table import after, legal, table

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


# What is written on the plate of a seat, and stands out over its edge.
_OUT_OF_PLATE = """() => [...document.querySelectorAll('.plate')].flatMap(plate => {
    const edge = plate.getBoundingClientRect();
    return [...plate.querySelectorAll('.name, .badge, .turn, .clock, .bank, .gift')].filter(part => {
        const box = part.getBoundingClientRect();
        return box.width > 0 && (box.left < edge.left || box.right > edge.right);
    });
}).map(part => part.outerHTML)"""


_OUT_OF_CHAIR = """() => [...document.querySelectorAll('.chair button')].filter(button =>
    button.getBoundingClientRect().right > button.closest('.chair').getBoundingClientRect().right
).map(button => button.outerHTML)"""


def assert_no_sideways_scrolling(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def last_decision(score: tuple[int, int] = (9, 9)) -> Game:
    """Return a game at which one card is left to be played."""
    game = table(score=score)
    while True:
        going_on = after(game, legal(game)[0])
        if to_act(going_on) is None:
            return game
        game = going_on


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
def test_the_names_and_the_clock_stay_on_their_plates(new_page: NewPage, viewport: ViewportSize) -> None:
    page = new_page(viewport=viewport)
    for seat in range(4):
        Stage(page, table(dealer=0), seat, names=("W" * 24,) * 4, left_ms=20_000, bank_ms=60_000, gift_ms=30_000)
        expect(page.locator(".turn-here .clock")).to_contain_text(" s")
        assert page.evaluate(_OUT_OF_PLATE) == []
        assert seat == 1 or page.evaluate(_OUT_OF_REACH, ".gift") == []
        assert_no_sideways_scrolling(page)


@SIZES
def test_the_result_of_a_hand_makes_room_for_the_next_decision(new_page: NewPage, viewport: ViewportSize) -> None:
    """It goes aside, also where it stays until it is tapped, and is there again on request; that stays where it is."""
    page = new_page(viewport=viewport)
    page.evaluate("localStorage.setItem('euchre.settings', JSON.stringify({ waitForMe: true }))")
    before = last_decision(score=(0, 0))
    seat = to_act(before)
    assert seat is not None
    stage = Stage(page, before, seat)
    decide_by_clicks(page)
    panel = page.locator(".panel")
    page.locator(".trick").click()
    expect(panel.locator(".revealed")).to_be_visible()
    stage.deal()
    while to_act(stage.game) != seat:
        stage.go_on("pass")
    expect(panel.locator(".revealed")).to_be_hidden()
    expect(panel.get_by_role("heading")).to_be_visible()
    assert_in_reach(page, ".upcard .card:not(.back), .hand .card, .choice, .alone-toggle, .panel button")
    panel.get_by_role("button", name="Show").click()
    expect(panel.locator(".revealed")).to_be_visible()
    page.keyboard.press("h")
    expect(panel).to_be_hidden()
    page.keyboard.press("h")
    stage.tell_plain()
    expect(panel.locator(".revealed")).to_be_visible()
    page.keyboard.press("p")
    expect(panel).to_be_hidden()


@SIZES
def test_who_won_the_game_is_in_sight(new_page: NewPage, viewport: ViewportSize) -> None:
    """The headline, what can be done now and the way out of it, with the cards of the last hand below."""
    page = new_page(viewport=viewport)
    before = last_decision()
    seat = to_act(before)
    assert seat is not None
    Stage(page, before, seat)
    place = page.locator(".seat.top").bounding_box()
    decide_by_clicks(page)
    assert page.locator(".seat.top").bounding_box() == place
    expect(page.locator(".panel")).to_contain_text(re.compile("side wins the game"))
    assert_in_reach(page, ".panel h2, .panel .close, .over-buttons button")


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
    assert_in_reach(page, "#waiting h1")
    guest = new_page(viewport=viewport)
    take_a_seat(guest, link_of(page), "Ben")
    expect(guest.get_by_role("button", name=f"Sit here, with {'W' * 24}")).to_be_visible()
    assert guest.evaluate(_OUT_OF_CHAIR) == []
    assert_no_sideways_scrolling(guest)


@SIZES
def test_the_largest_size_of_text_still_fits(new_page: NewPage, viewport: ViewportSize) -> None:
    page = new_page(viewport=viewport)
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Size").select_option("1.3")
    page.get_by_role("button", name="Close").click()
    bids = table(dealer=0, no_trump="round2", low_no_trump=True)
    second_round = after(bids, *["pass"] * 5)
    for game, seat in ((bids, 1), (second_round, 2)):
        Stage(page, game, seat, names=("W" * 24,) * 4, left_ms=20_000, bank_ms=60_000)
        expect(page.locator(".choice").first).to_be_visible()
        assert_no_sideways_scrolling(page)
        assert_in_reach(page, ".hand .card, .choice, .alone-toggle, .bar .score, .bar .contract")


@SIZES
def test_a_choice_says_what_comes_of_it(new_page: NewPage, viewport: ViewportSize) -> None:
    """To a newcomer, on every screen, until it is switched off; between many suits there is no need."""
    page = new_page(viewport=viewport)
    bids = table(dealer=2, upcard="9h")
    Stage(page, bids, 3)
    order = page.locator(".choice").nth(1)
    expect(order.get_by_text("Make hearts trump; Clara picks up 9")).to_be_visible()
    expect(page.get_by_role("switch").get_by_text("Go alone, without your partner")).to_be_visible()
    page.evaluate("document.documentElement.classList.add('short-labels')")
    expect(order.get_by_text("Order up")).to_be_visible()


def test_everything_of_the_table_is_in_the_menu_of_a_narrow_screen(new_page: NewPage) -> None:
    page = new_page(viewport=SIDEWAYS)
    start_game(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Menu").click()
    assert_in_reach(page, ".tools .tool")
    page.keyboard.press("Escape")
    expect(page.locator(".tools")).to_be_hidden()


def test_ones_own_link_fits_a_telephone(new_page: NewPage) -> None:
    page = new_page(viewport=UPRIGHT)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Show my link").click()
    assert page.locator("#settings").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0


@SIZES
def test_a_sheet_opens_at_its_beginning(new_page: NewPage, viewport: ViewportSize) -> None:
    """However long it is, and although its button is at the end."""
    page = new_page(viewport=viewport)
    page.get_by_role("button", name="How to play").click()
    assert_in_reach(page, "#help h2")
    expect(page.get_by_role("heading", name="How to play")).to_be_focused()


def test_cards_move_only_for_those_who_like_it(new_page: NewPage) -> None:
    """Without animations for whoever prefers reduced motion or switches them off, with them for everybody else."""
    running = """() => {
        const { animationName, animationDuration } = getComputedStyle(document.querySelector('.trick-cards .played'));
        return animationName === "none" ? "none" : animationDuration;
    }"""
    for reduced_motion, movement, expected in (
        (True, "Normal", "none"), (False, "Normal", "0.22s"), (False, "Fast", "0.06s"), (False, "None", "none"),
    ):  # fmt: skip
        page = new_page(reduced_motion=reduced_motion)
        page.get_by_role("button", name="Settings").click()
        page.get_by_label("Movement").select_option(movement)
        page.get_by_role("button", name="Close").click()
        start_game(page)
        wait_for_turn(page)
        while not page.locator(".trick-cards .played").count():
            decide_by_clicks(page)
            wait_for_turn(page)
        assert page.evaluate(running) == expected
