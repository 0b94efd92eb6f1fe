"""The page through cut connections, a killed server, and a second tab."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, WebSocket, expect

from tests.browser.conftest import NewPage
from tests.browser.person import (
    cards,
    decide_by_clicks,
    is_choosing_a_card,
    play_until_scored,
    reach_play,
    start_game,
    wait_for_turn,
)
from tests.browser.running import RunningServer
from tests.browser.stage import Stage
from tests.engine.table import table


def test_a_game_goes_on_by_itself_after_the_server_was_killed(page: Page, server: RunningServer) -> None:
    """Kill -9 in mid-hand, start again: the same cards are in the hand, and the hand is played to its end."""
    start_game(page)
    reach_play(page)
    decide_by_clicks(page)
    wait_for_turn(page)
    held = cards(page)
    server.kill()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    server.start()
    expect(page.get_by_text("Reconnecting…")).to_be_hidden()
    wait_for_turn(page)
    assert cards(page) == held
    assert sum(play_until_scored(page)) > 0


def test_a_restart_is_announced_and_forgotten_once_it_is_over(page: Page, server: RunningServer) -> None:
    start_game(page)
    reach_play(page)
    held = cards(page)
    server.stop()
    expect(page.locator("#banner")).to_have_text("The server restarts. Your game goes on in a moment…")
    server.start()
    expect(page.locator("#banner")).to_be_hidden()
    wait_for_turn(page)
    assert cards(page) == held


def test_no_clock_runs_on_the_page_while_the_server_cannot_save(page: Page) -> None:
    stage = Stage(page, table(dealer=0), 1, left_ms=20_000, bank_ms=60_000)
    clock = page.locator(".turn-here .clock")
    expect(clock).to_contain_text(" s")
    stage.send({"t": "notice", "kind": "degraded", "detail": "the disk is full"})
    expect(page.locator("#banner")).to_have_text("The server cannot save right now; the game waits.")
    expect(clock).to_be_empty()
    stage.send({"t": "notice", "kind": "restored", "detail": "it can again"})
    expect(page.locator("#banner")).to_be_hidden()
    expect(clock).to_contain_text(" s")


def test_a_decision_taken_while_the_server_is_down_is_sent_when_it_is_back(page: Page, server: RunningServer) -> None:
    """The card is clicked into the void, leaves the hand once the server hears of it, and is played once."""
    start_game(page)
    reach_play(page)
    held = cards(page)
    server.kill()
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    page.locator(".hand .card:not([aria-disabled])").first.click()
    assert cards(page) == held
    server.start()
    expect(page.locator(".hand .card")).to_have_count(len(held) - 1)
    wait_for_turn(page)
    assert is_choosing_a_card(page)


def test_a_network_that_goes_and_comes_back_is_no_event(page: Page) -> None:
    start_game(page)
    reach_play(page)
    held = cards(page)
    page.context.set_offline(True)
    expect(page.get_by_text("Reconnecting…")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("Reconnecting…")).to_be_hidden()
    wait_for_turn(page)
    assert cards(page) == held


def test_a_reload_comes_back_to_the_same_table(page: Page) -> None:
    start_game(page)
    reach_play(page)
    held = cards(page)
    page.reload()
    wait_for_turn(page)
    assert cards(page) == held


def test_the_older_of_two_tabs_is_told_and_does_not_fight_for_the_seat(new_page: NewPage) -> None:
    """The older tab opens no connection until the person takes the seat back there; then the other does not."""
    first = new_page()
    start_game(first)
    reach_play(first)
    held = cards(first)
    opened_by_first = count_connections(first)

    second = new_page(context=first.context)
    second.get_by_role("button", name="Back to the table").click()
    wait_for_turn(second)
    assert cards(second) == held
    expect(first.get_by_text("Opened in another tab")).to_be_visible()
    decide_by_clicks(second)
    wait_for_turn(second)
    assert opened_by_first() == 0
    opened_by_second = count_connections(second)

    first.get_by_role("button", name="Play here").click()
    wait_for_turn(first)
    expect(second.get_by_text("Opened in another tab")).to_be_visible()
    expect(first.get_by_text("Opened in another tab")).to_be_hidden()
    decide_by_clicks(first)
    wait_for_turn(first)
    assert (opened_by_first(), opened_by_second()) == (1, 0)


def count_connections(page: Page) -> Callable[[], int]:
    """Return what tells how many connections *page* has opened from now on."""
    opened: list[WebSocket] = []
    page.on("websocket", lambda connection: opened.append(connection))  # noqa: PLW0108 - Playwright marks what it is given
    return lambda: len(opened)


def own_link(page: Page) -> str:
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Show my link").click()
    link = page.get_by_label("Your own link").input_value()
    page.keyboard.press("Escape")
    return link


def test_a_game_is_taken_to_another_device(new_page: NewPage) -> None:
    """By a link that makes who opens it the same player; it does not stay in the address."""
    here, there = new_page(), new_page()
    start_game(here, "Maggie")
    reach_play(here)
    held = cards(here)
    there.evaluate("localStorage.clear()")  # as one that was never here
    there.goto(own_link(here))
    there.get_by_role("button", name="Back to the table").click()
    wait_for_turn(there)
    assert cards(there) == held
    assert "me=" not in there.url
    expect(here.get_by_text("Opened in another tab")).to_be_visible()
    there.reload()
    wait_for_turn(there)
    assert there.locator(".seat.bottom .name").inner_text() == "Maggie"


def test_a_browser_that_knows_somebody_asks_before_it_follows_such_a_link(new_page: NewPage) -> None:
    maggie, ben = new_page(), new_page()
    start_game(maggie, "Maggie")
    link = own_link(maggie)
    start_game(ben, "Ben")
    asked: list[str] = []
    for answer, name in ((False, "Ben"), (True, "Maggie")):
        with ben.expect_event("dialog") as question:
            ben.evaluate("link => { location.href = link; }", link)
        asked.append(question.value.message)
        (question.value.accept if answer else question.value.dismiss)()
        expect(ben.get_by_label("Your name")).to_have_value(name)
    assert asked == ["This browser knows you as Ben. Be the player of this link here from now on?"] * 2


def test_a_link_of_nobody_leaves_us_who_we_were(new_page: NewPage) -> None:
    """It was cut short, say, or the server is another by now."""
    ben = new_page()
    start_game(ben, "Ben")
    token = ben.evaluate("localStorage.getItem('euchre.token')")
    link = own_link(ben).replace(token, "x" * len(token))
    ben.once("dialog", lambda dialog: dialog.accept())
    with ben.expect_event("load"), ben.expect_event("dialog"):
        ben.evaluate("link => { location.href = link; }", link)
    expect(ben.get_by_role("button", name="Back to the table")).to_be_visible()
    expect(ben.get_by_label("Your name")).to_have_value("Ben")
    assert ben.evaluate("localStorage.getItem('euchre.token')") == token


def test_a_token_the_server_does_not_know_makes_a_new_guest(page: Page) -> None:
    """Close code 4002: the page starts afresh by itself instead of asking for ever."""
    expect(page.locator("#lobby")).to_be_visible()
    page.evaluate("localStorage.setItem('euchre.token', 'nobodys-token')")
    page.reload()
    expect(page.locator("#lobby")).to_be_visible()
    page.wait_for_function("() => localStorage.getItem('euchre.token') !== 'nobodys-token'")
    start_game(page)
    wait_for_turn(page)
