"""What a person does with the page, in the words of the tests."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

MY_TURN = "#table[data-turn]"


def start_game(page: Page, name: str = "Maggie") -> None:
    """Begin a game against bots from the start screen."""
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="New game against bots").click()
    expect(page.locator("#table")).to_be_visible()


def scores(page: Page) -> tuple[int, int]:
    """Return the score on the screen, ours first."""
    ours, theirs = page.locator(".score").all_inner_texts()
    return int(ours), int(theirs)


def cards(page: Page) -> list[str]:
    """Return the names of the cards in our hand, as they are read out, without what may be said of them besides."""
    labels = page.locator(".hand .card").evaluate_all("cards => cards.map(card => card.getAttribute('aria-label'))")
    return sorted(label.split(",")[0] for label in labels)


def is_choosing_a_card(page: Page) -> bool:
    return page.locator(".hand.choosing").count() > 0


def wait_for_turn(page: Page) -> None:
    """Wait until we are asked something."""
    page.wait_for_selector(MY_TURN)


def wait_for_turn_or_score(page: Page, before: tuple[int, int]) -> bool:
    """Wait until we are asked something, or the hand is scored; tell whether we are asked."""
    page.wait_for_function(
        """before => document.querySelector('#table[data-turn]')
            || [...document.querySelectorAll('.score')].map(score => score.textContent).join() !== before""",
        arg=",".join(map(str, before)),
    )
    return scores(page) == before


def decide_by_clicks(page: Page) -> None:
    """Take the open decision: the first card that may be played, or the first choice."""
    turn = page.locator("#table").get_attribute("data-turn")
    first_button(page).click()
    page.wait_for_selector(f"#table:not([data-turn='{turn}'])")


def first_button(page: Page) -> Locator:
    if is_choosing_a_card(page):
        return page.locator(".hand .card:not([aria-disabled])").first
    return page.locator(".choice:enabled").first


def play_until_scored(page: Page) -> tuple[int, int]:
    """Play on by clicks until the score changes; return it."""
    before = scores(page)
    while wait_for_turn_or_score(page, before):
        decide_by_clicks(page)
    return scores(page)


def reach_play(page: Page) -> None:
    """Decide until we are asked for a card to play."""
    wait_for_turn(page)
    while "discard" in page.locator(".ask").inner_text() or not is_choosing_a_card(page):
        decide_by_clicks(page)
        wait_for_turn(page)


def make_table(page: Page, name: str, *, clock: str = "none") -> str:
    """Make a private table as *name* on the start page; return its link."""
    page.get_by_label("Your name").fill(name)
    page.get_by_text("Make a table").click()
    page.get_by_label("Clock").select_option(clock)
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_be_visible()
    return link_of(page)


def take_a_seat(page: Page, link: str, name: str) -> None:
    """Follow the *link* of a table and sit down as *name*."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Take a seat").click()


def link_of(page: Page) -> str:
    """Return the link to the table the page is at, once it shows one."""
    link = page.get_by_label("Link to this table")
    expect(link).not_to_have_value("")
    return link.input_value()


def own_link(page: Page) -> str:
    """Return the own link of whoever the page is."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Show my link").click()
    link = page.get_by_label("Your own link").input_value()
    page.keyboard.press("Escape")
    return link


def follow(page: Page, link: str) -> None:
    """Follow a link that leads to the page that is open."""
    page.evaluate("link => { location.href = link; }", link)
