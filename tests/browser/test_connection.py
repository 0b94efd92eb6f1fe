"""The page through cut connections, a killed server, and a second tab."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, WebSocket, WebSocketRoute, expect
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.browser.conftest import NewPage
from tests.browser.person import (
    cards,
    decide_by_clicks,
    follow,
    is_choosing_a_card,
    own_link,
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
    expect(page.locator("#banner-text")).to_have_text("The server restarts. Your game goes on in a moment…")
    server.start()
    expect(page.locator("#banner")).to_be_hidden()
    wait_for_turn(page)
    assert cards(page) == held


def test_a_restart_to_come_is_counted_down_and_may_be_put_away(page: Page) -> None:
    """Until the last minute begins; what the server warns of otherwise goes before it."""
    stage = Stage(page, table(dealer=0), 1)
    banner, words = page.locator("#banner"), page.locator("#banner-text")
    restart = {"t": "notice", "kind": "restart", "detail": "the server restarts"}
    stage.send(restart | {"in_ms": 240_000})
    expect(words).to_have_text(
        re.compile(r"^The server restarts at \d+:\d\d.*\(in 4 min\); your game goes on afterwards\.$")
    )
    stage.send({"t": "notice", "kind": "degraded", "detail": "the disk is full"})
    expect(words).to_have_text("The server cannot save right now; the game waits.")
    expect(banner.get_by_role("button")).to_be_hidden()
    stage.send({"t": "notice", "kind": "restored", "detail": "it can again"})
    stage.send(restart | {"in_ms": 63_000})
    expect(words).to_contain_text("(in 2 min)")
    banner.get_by_role("button", name="Put this notice away").click()
    expect(banner).to_be_hidden()
    expect(words).to_contain_text("(in 60 s)")
    stage.send(restart | {"in_ms": 0})
    expect(words).to_contain_text("(any moment now)")
    stage.send(restart)
    expect(banner).to_be_hidden()


def test_no_clock_runs_on_the_page_while_the_server_cannot_save(page: Page) -> None:
    stage = Stage(page, table(dealer=0), 1, left_ms=20_000, bank_ms=60_000)
    clock = page.locator(".turn-here .clock")
    expect(clock).to_contain_text(" s")
    stage.send({"t": "notice", "kind": "degraded", "detail": "the disk is full"})
    expect(page.locator("#banner-text")).to_have_text("The server cannot save right now; the game waits.")
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


def test_a_game_is_taken_to_another_device(new_page: NewPage) -> None:
    """By a link that makes who opens it the same player; it does not stay in the address."""
    here, there = new_page(), new_page()
    start_game(here, "Maggie")
    reach_play(here)
    held = cards(here)
    there.evaluate("localStorage.clear()")  # as one that was never here
    there.goto("about:blank")
    there.goto(own_link(here))
    expect(there.get_by_text("You are Maggie here from now on.")).to_be_visible()
    there.get_by_role("button", name="Back to the table").click()
    wait_for_turn(there)
    assert cards(there) == held
    assert "me=" not in there.url
    expect(here.get_by_text("Opened in another tab")).to_be_visible()
    there.reload()
    wait_for_turn(there)
    assert there.locator(".seat.bottom .name").inner_text() == "Maggie"


def who_is_kept(page: Page) -> tuple[str, str]:
    return tuple(page.evaluate("['euchre.token', 'euchre.name'].map(key => localStorage.getItem(key))"))


def test_a_browser_that_knows_somebody_asks_before_it_is_somebody_else(new_page: NewPage) -> None:
    """Who that is, and what becomes of who one was. Whoever that is plays on undisturbed meanwhile."""
    maggie, ben = new_page(), new_page()
    start_game(maggie, "Maggie")
    link = own_link(maggie)
    start_game(ben, "Ben")
    wait_for_turn(ben)
    was, held, address = who_is_kept(ben), cards(ben), ben.url
    follow(ben, link)
    question = ben.get_by_role("dialog", name="Be Maggie here from now on?")
    expect(question).to_be_visible()
    assert ben.url == address
    question.get_by_role("button", name="Stay Ben").click()
    expect(question).to_be_hidden()
    assert (who_is_kept(ben), cards(ben)) == (was, held)
    wait_for_turn(maggie)  # nobody took the seat

    follow(ben, link)
    question.get_by_role("button", name="Show Ben's link").click()
    bens_link = question.get_by_label("Ben's own link").input_value()
    question.get_by_role("button", name="Be Maggie").click()
    expect(ben.get_by_label("Your name")).to_have_value("Maggie")
    ben.get_by_role("button", name="Back to the table").click()
    wait_for_turn(ben)
    assert ben.locator(".seat.bottom .name").inner_text() == "Maggie"
    expect(maggie.get_by_text("Opened in another tab")).to_be_visible()

    follow(ben, bens_link)
    ben.get_by_role("dialog", name="Be Ben here from now on?").get_by_role("button", name="Be Ben").click()
    ben.get_by_role("button", name="Back to the table").click()
    wait_for_turn(ben)
    assert (who_is_kept(ben), cards(ben)) == (was, held)


def test_the_question_is_put_on_a_telephone_and_answered_with_the_keyboard(new_page: NewPage) -> None:
    """The page is opened with the link; its focus is at the question, and Escape leaves all as it is."""
    maggie = new_page()
    link = own_link(maggie)
    ben = new_page(viewport={"width": 360, "height": 640})
    ben.get_by_label("Your name").fill("Ben")
    ben.get_by_label("Your name").press("Tab")
    ben.wait_for_function("() => localStorage.getItem('euchre.name') === 'Ben'")
    was = who_is_kept(ben)
    for press, kept in (("Escape", True), ("Tab Tab Tab Enter", False)):
        ben.goto("about:blank")
        ben.goto(link)
        title = ben.get_by_role("heading", name="Be Guest here from now on?")
        expect(title).to_be_focused()
        box = title.locator("xpath=..").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        for key in press.split():
            ben.keyboard.press(key)
        expect(title).to_be_hidden()
        expect(ben.get_by_label("Your name")).to_have_value("Ben" if kept else "Guest")
        assert (who_is_kept(ben) == was) is kept


def test_a_link_of_nobody_leaves_us_who_we_were(new_page: NewPage) -> None:
    """It was cut short, say, or the server is another by now. One's own is no question either."""
    ben = new_page()
    start_game(ben, "Ben")
    was, link = who_is_kept(ben), own_link(ben)
    for of_whom, title in ((link[:-1], "A link of nobody"), (link, "You are Ben here already")):
        follow(ben, of_whom)
        told = ben.get_by_role("dialog", name=title)
        told.get_by_role("button", name="Close").click()
        expect(told).to_be_hidden()
    assert who_is_kept(ben) == was
    wait_for_turn(ben)


def test_a_tab_that_was_open_before_does_not_bring_back_who_one_was(new_page: NewPage) -> None:
    """Where it connects again, this browser stays who it became in the other tab."""
    maggie, before = new_page(), new_page()
    link = own_link(maggie)
    start_game(before, "Ben")
    beside = new_page(context=before.context)
    follow(beside, link)
    beside.get_by_role("button", name="Be Guest").click()
    expect(beside.get_by_label("Your name")).to_have_value("Guest")
    is_now = who_is_kept(beside)
    before.get_by_role("button", name="Play here").click()
    wait_for_turn(before)
    assert who_is_kept(before) == is_now


def test_a_link_of_nobody_in_a_browser_without_anybody_makes_a_guest_who_is_told(new_page: NewPage) -> None:
    page = new_page()
    link = own_link(page)[:-1]
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_text("That link belongs to nobody here; you are a new guest.")).to_be_visible()
    assert "me=" not in page.url


def renew_link(page: Page) -> str:
    """Get another link of one's own; return it."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Show my link").click()
    page.get_by_role("button", name="Make a new link; the old one stops").click()
    expect(page.get_by_text("This is your link from now on.")).to_be_visible()
    link = page.get_by_label("Your own link").input_value()
    page.keyboard.press("Escape")
    return link


def test_a_new_link_takes_the_old_ones_place(new_page: NewPage) -> None:
    """The game goes on; another device that had the old one hears of it when it wants to go on, and takes the new."""
    here, there = new_page(), new_page()
    start_game(here, "Maggie")
    reach_play(here)
    held, old = cards(here), own_link(here)
    there.evaluate("localStorage.clear()")
    there.goto("about:blank")
    there.goto(old)
    expect(there.get_by_text("You are Maggie here from now on.")).to_be_visible()
    here.get_by_role("button", name="Play here").click()
    wait_for_turn(here)

    new = renew_link(here)
    assert new != old
    wait_for_turn(here)
    assert cards(here) == held
    assert who_is_kept(here) == (new.partition("#me=")[2], "Maggie")
    here.reload()
    wait_for_turn(here)
    assert cards(here) == held

    there.get_by_role("button", name="Play here").click()
    expect(there.get_by_text("Your link is worth nothing any more")).to_be_visible()
    expect(there.get_by_role("button", name="Back to the table")).to_have_count(0)
    follow(there, new)
    there.get_by_role("button", name="Be Maggie").click()
    there.get_by_role("button", name="Back to the table").click()
    wait_for_turn(there)
    assert cards(there) == held


def test_who_plays_with_the_old_link_is_told_that_there_is_a_new_one(new_page: NewPage) -> None:
    """And does not connect again; opened there, the new link makes it the same player."""
    page = new_page()
    start_game(page, "Maggie")
    wait_for_turn(page)
    held, old = cards(page), who_is_kept(page)[0]
    address = page.url.partition("#")[0]
    with greeting(address, old) as other:
        new = asked(other, {"t": "renew_token", "ref": 2**40})["token"]
    page.get_by_role("button", name="Play here").click()
    wait_for_turn(page)
    opened = count_connections(page)
    with greeting(address, new):
        expect(page.get_by_role("heading", name="You have a new link")).to_be_visible()
    assert opened() == 0
    follow(page, f"{address}#me={new}")
    expect(page.get_by_text("You are Maggie here from now on.")).to_be_visible()
    page.get_by_role("button", name="Back to the table").click()
    wait_for_turn(page)
    assert cards(page) == held


@contextmanager
def greeting(address: str, token: str) -> Iterator[ClientConnection]:
    """Connect as another program of the player with *token*."""
    url = f"{address.replace('http', 'ws', 1)}ws"
    with connect(url, subprotocols=[Subprotocol("euchre.v1.json")], proxy=None) as socket:
        assert asked(socket, {"t": "hello", "ref": 1, "version": 1, "token": token})["t"] == "welcome"
        yield socket


def asked(socket: ClientConnection, message: dict[str, Any]) -> dict[str, Any]:
    """Send *message* and return its answer."""
    socket.send(json.dumps(message))
    while True:
        for heard in json.loads(socket.recv()):
            if heard.get("ref") == message["ref"]:
                return dict(heard)


def test_a_new_link_whose_answer_is_lost_is_asked_for_again(new_page: NewPage) -> None:
    """Meanwhile the old one is good."""
    page = new_page()
    start_game(page, "Maggie")
    wait_for_turn(page)
    held, old = cards(page), own_link(page)
    swallowed: list[str] = []

    def between(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def from_server(text: str | bytes) -> None:
            lost = [message["token"] for message in json.loads(text) if message["t"] == "ok" and "token" in message]
            if lost and not swallowed:
                swallowed.extend(lost)
                route.close(code=1011)
            else:
                route.send(text)

        server.on_message(from_server)

    page.route_web_socket("**/ws", between)
    page.reload()
    wait_for_turn(page)
    new = renew_link(page)
    assert len(swallowed) == 1
    assert new.partition("#me=")[2] not in {*swallowed, old.partition("#me=")[2]}
    page.reload()
    wait_for_turn(page)
    assert cards(page) == held


def test_another_tab_of_the_browser_goes_on_with_the_new_link(new_page: NewPage) -> None:
    """It came with the old one; it is nobody new."""
    first = new_page()
    start_game(first, "Maggie")
    wait_for_turn(first)
    held = cards(first)
    second = new_page(context=first.context)
    renew_link(second)
    with first.expect_event("load"):
        first.get_by_role("button", name="Play here").click()
    wait_for_turn(first)
    assert cards(first) == held
    assert first.locator(".seat.bottom .name").inner_text() == "Maggie"


def test_a_token_the_server_does_not_know_makes_a_new_guest(page: Page) -> None:
    """Close code 4002: the page starts afresh by itself instead of asking for ever."""
    expect(page.locator("#lobby")).to_be_visible()
    page.evaluate("localStorage.setItem('euchre.token', 'nobodys-token')")
    page.reload()
    expect(page.locator("#lobby")).to_be_visible()
    page.wait_for_function("() => localStorage.getItem('euchre.token') !== 'nobodys-token'")
    start_game(page)
    wait_for_turn(page)
