"""A person plays Euchre in a browser, against bots, through a real server."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PAINTED, NewPage
from tests.browser.person import (
    cards,
    decide_by_clicks,
    is_choosing_a_card,
    link_of,
    make_table,
    play_until_scored,
    reach_play,
    scores,
    start_game,
    take_a_seat,
    wait_for_turn,
    wait_for_turn_or_score,
)


def test_a_person_plays_a_whole_hand_by_clicks(page: Page) -> None:
    """From the start screen to the result of the first hand: the score moves and all cards are shown."""
    start_game(page)
    score = play_until_scored(page)
    assert sum(score) in {1, 2, 4}
    panel = page.locator(".panel")
    expect(panel).to_be_visible()
    assert f"+{sum(score)}" in panel.inner_text()
    shown = panel.locator(".revealed .card").evaluate_all("all => all.map(card => card.getAttribute('aria-label'))")
    assert len(set(shown)) == 24


def test_a_person_plays_a_whole_hand_with_the_keyboard_alone(page: Page) -> None:
    """The name, the button behind the bots' levels, every bid and every card: no pointer is used."""
    page.get_by_label("Your name").press_sequentially("Kay")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_turn(page)
    before = scores(page)
    use_arrows = False
    while wait_for_turn_or_score(page, before):
        turn = page.locator("#table").get_attribute("data-turn")
        if is_choosing_a_card(page):
            press_for_a_card(page, use_arrows=use_arrows)
            use_arrows = not use_arrows
        else:
            page.keyboard.press("p" if page.get_by_role("button", name="Pass", exact=True).count() else "1")
        page.wait_for_selector(f"#table:not([data-turn='{turn}'])")
    assert sum(scores(page)) > 0


def press_for_a_card(page: Page, *, use_arrows: bool) -> None:
    """Take the first card that may be played, by its number or by moving to it."""
    at = page.locator(".hand .card").evaluate_all("all => all.findIndex(card => !card.hasAttribute('aria-disabled'))")
    if use_arrows:
        page.evaluate("document.activeElement.blur()")
        for _ in range(at + 1):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    else:
        page.keyboard.press(str(at + 1))


def test_something_is_said_with_the_keyboard_alone(page: Page) -> None:
    """Key t leads to the line, Enter says it, Escape closes the talk; letters in the line are no commands."""
    start_game(page)
    wait_for_turn(page)
    page.keyboard.press("t")
    page.keyboard.type("pass the salt")
    page.keyboard.press("Enter")
    expect(page.locator(".lines .chat")).to_contain_text("pass the salt")
    page.keyboard.press("Escape")
    expect(page.locator(".talk")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.get_by_label("Say something")).to_be_focused()
    expect(page.get_by_label("Say something")).to_have_value("")


def test_a_game_is_played_to_its_end_and_again(page: Page) -> None:
    """The person leaves the most of it to a bot; then, as host, starts the next game from nothing."""
    page.get_by_label("Your name").fill("Maggie")
    page.get_by_text("Make a table").click()
    page.get_by_text("House rules").click()
    page.get_by_label("Play to").select_option("5")
    page.get_by_label("Clock").select_option("none")
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator("#waiting")).to_contain_text("to 5")
    page.get_by_role("button", name="Seat a bot").first.click()
    expect(page.get_by_role("button", name="Seat a bot")).to_have_count(2)
    page.get_by_role("button", name="Start the game").click()
    wait_for_turn(page)
    decide_by_clicks(page)
    page.get_by_role("button", name="Away").click()
    panel = page.locator(".panel")
    expect(panel).to_contain_text(re.compile("side wins the game"))
    assert max(scores(page)) >= 5
    expect(page.locator(".lines li").last).to_be_in_viewport()
    page.locator(".extra").get_by_role("button", name="I am back").click()
    panel.get_by_role("button", name="Play again").click()
    wait_for_turn(page)
    assert scores(page) == (0, 0)
    assert len(cards(page)) >= 5


def test_the_bots_of_a_game_have_the_level_the_host_chose(page: Page) -> None:
    """The waiting room begins with the level the table was made with, and its last word counts."""
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.reload()
    page.get_by_text("Make a table").click()
    page.locator("#lobby").get_by_label("Bots", exact=True).select_option("hard")
    page.get_by_role("button", name="Make the table").click()
    level = page.locator("#waiting").get_by_label("Bots", exact=True)
    expect(level).to_have_value("hard")
    level.select_option("easy")
    page.get_by_role("button", name="Start the game").click()
    expect(page.locator("#table")).to_be_visible()
    seated = re.findall(r'"level":\s*"(\w+)"', "".join(heard))
    assert set(seated) == {"easy"}


def test_partner_and_opponents_have_the_levels_chosen_which_are_kept(page: Page) -> None:
    page.get_by_label("Partner", exact=True).select_option("hard")
    page.get_by_label("Opponents", exact=True).select_option("easy")
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.reload()
    start_game(page)
    levels = re.findall(r'"seat":\s*(\d),[^{}]*"level":\s*"(\w+)"', "".join(heard))
    assert dict(levels) == {"1": "easy", "2": "hard", "3": "easy"}


def test_the_windows_of_the_ladder_are_asked(page: Page) -> None:
    """Where alone is said before the first lead, a defender is asked in whole words, and the answer is taken."""
    page.get_by_label("Your name").fill("Maggie")
    page.get_by_text("Make a table").click()
    page.get_by_label("Game").select_option("ladder")
    page.get_by_label("Clock").select_option("none")
    page.get_by_role("button", name="Make the table").click()
    page.get_by_role("button", name="Start the game").click()
    wait_for_turn(page)
    while "defend alone" not in page.locator(".ask").inner_text():
        decide_by_clicks(page)
        wait_for_turn(page)
    partner = page.locator(".seat.top .name").inner_text()
    expect(page.locator(".choice")).to_have_count(2)
    page.get_by_role("button", name=f"Defend alone; {partner} sits out").click()
    expect(page.locator(".seat.top")).to_contain_text("sits out")
    expect(page.locator(".lines")).to_contain_text("You defend alone.")


def test_a_card_that_may_not_be_played_says_why(page: Page) -> None:
    """A dimmed card stays in the hand when it is tapped, and a sentence says what must be followed."""
    start_game(page)
    wait_for_turn(page)
    dimmed = page.locator(".hand .card.dimmed")
    while not dimmed.count():
        decide_by_clicks(page)
        wait_for_turn(page)
    held = cards(page)
    expect(dimmed.first).to_have_attribute("aria-disabled", "true")
    # Playwright waits for a disabled element to become enabled; a person does not.
    dimmed.first.click(force=True)
    expect(page.locator(".ask")).to_contain_text("must follow")
    expect(page.locator("#said")).to_contain_text("must follow")
    assert cards(page) == held


def test_a_finished_trick_is_on_the_table_until_tapped_and_is_seen_again_on_request(page: Page) -> None:
    """With the setting for it a trick waits; key l shows the last one."""
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Keep finished tricks and hands until I tap").check()
    page.get_by_role("button", name="Close").click()
    start_game(page)
    reach_play(page)
    decide_by_clicks(page)
    trick = page.locator(".trick.held")
    expect(trick).to_be_visible()
    expect(trick.locator(".won")).to_have_count(1)
    expect(trick.locator(".won")).to_contain_text("wins")
    trick.click()
    expect(trick).to_have_count(0)
    page.keyboard.press("l")
    expect(page.get_by_role("region", name="Last trick")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Last trick")).to_have_count(0)


def test_a_bot_plays_for_somebody_who_is_away(page: Page) -> None:
    """Away hands the decisions to a bot, the game goes on, and coming back takes them up again."""
    start_game(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Away").click()
    expect(page.locator(".ask")).to_contain_text("A bot is playing for you")
    page.wait_for_function("() => [...document.querySelectorAll('.score')].some(score => score.textContent !== '0')")
    back = page.locator(".extra").get_by_role("button", name="I am back")
    back.click()
    expect(back).to_have_count(0)


def test_leaving_is_asked_twice_and_ends_on_the_start_screen(page: Page) -> None:
    start_game(page)
    wait_for_turn(page)
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Stay").click()
    expect(page.locator("#table")).to_be_visible()
    page.get_by_role("button", name="Leave").click()
    page.locator(".confirm").get_by_role("button", name="Leave").click()
    expect(page.locator("#lobby")).to_be_visible()
    expect(page.get_by_text("You are at a table")).to_have_count(0)


def test_back_from_the_table_is_the_start_page(page: Page) -> None:
    """One step, and forward to the table again; the seat is kept."""
    start_game(page)
    wait_for_turn(page)
    page.go_back()
    expect(page.locator("#lobby")).to_contain_text("You are at a table")
    page.go_forward()
    wait_for_turn(page)


def test_two_tables_of_the_same_name_are_told_apart(page: Page) -> None:
    """By how far they are and how they stand, who sits there, and their codes; one with a game on comes first."""
    codes = []
    for _ in range(2):
        codes.append(make_table(page, "Maggie").split("#c=")[1])
        page.get_by_role("button", name="Start page").click()
        page.reload()
    start_game(page)
    play_until_scored(page)
    score = "you {}, they {}".format(*scores(page))
    page.go_back()
    rows = page.locator(".yours .row")
    expect(rows).to_have_count(3)
    playing, *waiting = (text.split("\n")[1] for text in rows.all_inner_texts())
    assert f"playing, {score} · code " in playing
    assert set(waiting) == {f"Standard · Maggie, 3 open · waiting · code {code}" for code in codes}


def test_an_address_that_makes_no_sense_is_the_start_page(page: Page) -> None:
    page.goto(f"{page.url}#c=%E0%A4%A")
    page.reload()
    expect(page.locator("#lobby")).to_be_visible()


def test_no_game_begins_under_another_name_than_the_one_typed(page: Page) -> None:
    """A name that the server does not take is said so, and stays to be changed."""
    page.get_by_label("Your name").fill("zero\u200bwidth")
    for _ in range(2):
        page.get_by_role("button", name="New game against bots").click()
        expect(page.locator("#lobby")).to_contain_text("That name cannot be used; choose another.")
        expect(page.get_by_label("Your name")).to_be_focused()
    page.get_by_label("Your name").fill("Zoe")
    page.get_by_role("button", name="New game against bots").click()
    expect(page.locator(".seat.bottom .name")).to_have_text("Zoe")


def test_a_refused_name_is_to_be_changed_also_while_the_button_is_held(page: Page) -> None:
    """The field is left when the button is pressed, and what is said then may move the button away."""
    page.get_by_label("Your name").fill("zero\u200bwidth")
    page.get_by_role("button", name="New game against bots").hover()
    page.mouse.down()
    expect(page.locator("#lobby")).to_contain_text("That name cannot be used; choose another.")
    page.mouse.up()
    expect(page.get_by_label("Your name")).to_be_focused()


@pytest.mark.parametrize("begins", ["Take a seat", "New game against bots", "Back to the table"])
def test_a_button_stays_under_the_finger_while_the_new_name_is_told(new_page: NewPage, begins: str) -> None:
    """The field of the name is left when a button is pressed, and the greeting anew is over before it is let go."""
    page = new_page()
    if begins == "Take a seat":
        page.goto(make_table(new_page(), "Ann", clock="normal"))
    if begins == "Back to the table":
        make_table(page, "Ann")
        page.get_by_role("button", name="Start page").click()
    page.get_by_label("Your name").fill("Zoe")
    with page.expect_websocket() as told:
        page.get_by_role("button", name=begins).hover()
        page.mouse.down()
    told.value.wait_for_event("framereceived")
    page.evaluate(PAINTED)
    page.mouse.up()
    expect(page.locator("#lobby")).to_be_hidden()


@pytest.mark.parametrize("begins", ["New game against bots", "Make the table"])
def test_a_button_clicked_twice_makes_one_table(page: Page, begins: str) -> None:
    page.get_by_text("Make a table").click()
    page.get_by_label("Your name").fill("Zoe")
    page.get_by_role("button", name=begins).dblclick()
    expect(page.locator("#lobby")).to_be_hidden()
    page.goto(page.url.split("#")[0])
    expect(page.locator(".yours .row")).not_to_have_count(0)
    expect(page.locator(".yours .row")).to_have_count(1)


def test_a_public_table_has_a_clock(page: Page) -> None:
    page.get_by_text("Make a table").click()
    clock = page.locator("#lobby").get_by_label("Clock")
    clock.select_option("none")
    page.get_by_label("Who may join").select_option("public")
    expect(clock).to_have_value("normal")
    expect(clock.locator("[value=none]")).to_be_disabled()


def test_two_people_meet_by_a_link_and_a_third_watches(new_page: NewPage) -> None:
    """The link of a private table invites; a watcher sees the table without anybody's cards."""
    host = new_page()
    link = make_table(host, "Ann")

    guest = new_page()
    guest.goto(link)
    expect(guest.get_by_text("You are invited to a table")).to_be_visible()
    expect(guest.get_by_role("button", name="New game against bots")).to_be_hidden()
    guest.get_by_label("Your name").fill("Ben")
    guest.get_by_role("button", name="Take a seat").click()
    expect(host.locator("#waiting")).to_contain_text("Ben")

    watcher = new_page()
    watcher.get_by_label("Code of a table").fill(link.split("#c=")[1])
    watcher.get_by_role("region", name="Join by code").get_by_role("button", name="Watch").click()
    expect(watcher.locator("#waiting")).to_contain_text("Ann")

    host.get_by_role("button", name="Start the game").click()
    for person in (host, guest):
        # Six for a dealer whom a bot has ordered up by now.
        expect(person.locator(".hand .card").nth(4)).to_be_visible()
    expect(watcher.locator("#table")).to_be_visible()
    expect(watcher.locator(".hand .card")).to_have_count(0)
    expect(watcher.get_by_role("button", name="Away")).to_be_hidden()


def test_a_table_may_have_no_watchers_and_bots_who_keep_their_seats(new_page: NewPage) -> None:
    """Whoever has its link is told so, before and after the start."""
    host, guest, other = new_page(), new_page(), new_page()
    host.get_by_text("Make a table").click()
    host.get_by_label("Who may watch").select_option("Nobody")
    host.get_by_label("Seats of bots").select_option("Bots keep them")
    host.get_by_role("button", name="Make the table").click()
    link = link_of(host)
    host.locator("[data-seat='1']").get_by_role("button", name="Seat a bot").click()
    take_a_seat(guest, link, "Ben")
    expect(guest.get_by_role("button", name="Sit here")).to_have_count(1)
    host.get_by_role("button", name="Start the game").click()
    expect(host.locator("#table")).to_be_visible()
    other.goto(link)
    other.get_by_role("button", name="Take a seat").click()
    expect(other.locator("#lobby")).to_contain_text("At that table bots keep their seats.")
    other.get_by_role("button", name="Watch").first.click()
    expect(other.locator("#lobby")).to_contain_text("That table does not take watchers.")


def test_a_guest_moves_to_the_seat_across_the_host(new_page: NewPage) -> None:
    """Whoever comes by the link gets the first open seat; friends may want to be partners."""
    host, guest = new_page(), new_page()
    take_a_seat(guest, make_table(host, "Ann", clock="normal"), "Ben")
    expect(host.locator(".chair-left")).to_contain_text("Ben")
    expect(guest.locator("[data-seat='3'] .sit")).to_have_text("Sit here")
    guest.locator("[data-seat='2']").get_by_role("button", name="Sit here, with Ann", exact=True).click()
    expect(host.locator(".chair-top")).to_contain_text("Ben")
    expect(host.locator(".chair-left")).to_contain_text("Open seat")
    expect(guest.locator(".chair-bottom")).to_contain_text("Ben")
    expect(guest.locator(".chair-top")).to_contain_text("Ann")
    expect(host.get_by_role("button", name="Sit here")).to_have_count(0)


def test_who_takes_a_bots_seat_in_mid_hand_plays_from_the_next_hand(new_page: NewPage) -> None:
    """Until then he is told so, the bot plays his seat and he sees nobody's cards."""
    host = new_page()
    host.get_by_label("Your name").fill("Ann")
    host.get_by_text("Make a table").click()
    host.get_by_label("Game", exact=True).select_option("screw")  # a hand that all pass would be dealt again
    host.get_by_label("Clock").select_option("none")
    host.get_by_role("button", name="Make the table").click()
    link = link_of(host)
    host.get_by_role("button", name="Start the game").click()
    wait_for_turn(host)

    guest = new_page()
    guest.goto(link)
    guest.get_by_label("Your name").fill("Ben")
    guest.get_by_label("Your name").press("Enter")
    guest.get_by_role("button", name="Take a seat").click()
    expect(guest.locator(".ask")).to_contain_text("You play from the next hand; a bot plays this one for you.")
    expect(guest.locator(".hand .card")).to_have_count(0)
    expect(host.locator("#table")).to_contain_text("Ben")

    before = scores(host)
    while wait_for_turn_or_score(host, before):
        expect(guest.locator(".hand .card")).to_have_count(0)
        decide_by_clicks(host)
    expect(guest.locator(".hand .card").nth(4)).to_be_visible()
    expect(guest.locator(".ask")).not_to_contain_text("a bot plays this one")


def test_cards_face_down_say_nothing_of_themselves(page: Page) -> None:
    """The three other hands are so many equal backs, in the markup and to a screen reader."""
    start_game(page)
    reach_play(page)
    for place in ("left", "top", "right"):
        fan = page.locator(f".seat.{place} .fan")
        label = fan.get_attribute("aria-label") or ""
        assert re.fullmatch(r"\d cards?, face down", label)
        backs = set(fan.evaluate("fan => [...fan.children].map(card => card.outerHTML)"))
        assert backs == {'<span class="card back"></span>'}
