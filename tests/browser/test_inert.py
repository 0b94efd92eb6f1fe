"""What strangers wrote is shown as they wrote it, and never runs."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import NewPage
from tests.browser.person import make_table, take_a_seat
from tests.browser.stage import TABLE, Stage
from tests.engine.table import table

NAME = "<img src=x onerror=a()>"
LINE = "<b>bold</b> <script>alert(1)</script> <a href='javascript:alert(2)'>here</a>"


def test_n10_markup_in_names_and_chat_is_text(new_page: NewPage) -> None:
    """At the table, in the waiting room, in the list of tables, in the talk, and for a screen reader."""
    host = new_page()
    host.get_by_label("Your name").fill(NAME)
    host.get_by_text("Make a table").click()
    host.get_by_label("Who may join").select_option("public")
    host.get_by_label("Clock").select_option("slow")
    host.get_by_role("button", name="Make the table").click()
    expect(host.locator("#waiting h1")).to_have_text(f"{NAME}'s table")
    expect(host.locator(".chair-bottom .chair-name")).to_have_text(NAME)

    guest = new_page()
    row = guest.locator(".table-list li", has_text=NAME)
    row.get_by_role("button", name="Join").click()
    expect(guest.locator("#waiting")).to_contain_text(NAME)
    host.get_by_role("button", name="Start the game").click()

    for person in (host, guest):
        expect(person.locator("#table")).to_be_visible()
        person.get_by_label("Say something").fill(LINE)
        person.get_by_role("button", name="Say", exact=True).click()
    for person in (host, guest):
        lines = person.locator(".lines .chat", has_text=LINE)
        expect(lines).to_have_count(2)
        expect(lines.first).to_contain_text(NAME)
        expect(person.locator("#said")).to_contain_text(f"{NAME}: {LINE}")
        assert person.locator("img, #table script, .lines a, .lines b b").count() == 0
    host.get_by_role("button", name="Good game!").click()
    expect(guest.locator(".lines .chat").last).to_contain_text(f"{NAME} Good game!")


def test_somebody_is_muted_and_heard_again(new_page: NewPage) -> None:
    """Chat alone: what he does at the table is told as before. Nobody can mute himself."""
    host, guest = new_page(), new_page()
    take_a_seat(guest, make_table(host, "Ann"), "Ben")
    expect(host.locator("#waiting")).to_contain_text("Ben")
    host.get_by_role("button", name="Start the game").click()

    guest.get_by_role("button", name="Sorry!").click()
    lines = host.locator(".lines")
    lines.get_by_role("button", name="Mute Ben").click()
    expect(lines).to_contain_text("Ben is muted.")
    guest.get_by_role("button", name="Oops!").click()
    expect(guest.locator(".lines .chat").last).to_contain_text("Oops!")
    expect(guest.get_by_role("button", name=re.compile("^Mute"))).to_have_count(0)
    host.get_by_role("button", name="Thanks!").click()
    expect(lines.locator(".chat").last).to_contain_text("Thanks!")
    expect(lines).not_to_contain_text("Oops!")
    host.get_by_role("button", name="Close table talk").click()
    guest.get_by_role("button", name="Nice!").click()
    expect(guest.locator(".lines .chat").last).to_contain_text("Nice!")
    expect(host.locator(".glimpse")).to_be_hidden()
    host.keyboard.press("t")
    lines.get_by_role("button", name="Hear Ben again").click()
    guest.get_by_role("button", name="Hello!").click()
    expect(lines.locator(".chat").last).to_contain_text("Hello!")


def test_a_watcher_who_speaks_is_nobody_who_plays(page: Page) -> None:
    """Though he has the name of one."""
    stage = Stage(page, table(dealer=0), 1)
    stage.send({"t": "chat", "table": TABLE, "seat": None, "name": "Dexter", "text": "I have the right"})
    said = page.locator(".lines .chat").last
    expect(said).to_contain_text("Dexter (watching) I have the right")
    expect(said.get_by_role("button", name="Mute Dexter (watching)")).to_have_count(1)


def test_what_is_said_is_glimpsed_and_counted_while_the_talk_is_shut(page: Page) -> None:
    """On a telephone it is shut, and its button in the menu."""
    page.set_viewport_size({"width": 360, "height": 640})
    stage = Stage(page, table(dealer=0), 1)
    stage.send({"t": "chat", "table": TABLE, "seat": 3, "name": "Dexter", "text": "your lead, partner"})
    expect(page.locator(".glimpse")).to_have_text("Dexter your lead, partner")
    stage.send({"t": "chat", "table": TABLE, "seat": 3, "name": "Dexter", "preset": "nice"})
    menu = page.get_by_role("button", name="Menu, 2 unread in the talk")
    expect(menu).to_have_attribute("data-unread", "2")
    page.locator(".glimpse").click()
    expect(page.locator(".lines")).to_contain_text("your lead, partner")
    expect(page.locator(".glimpse")).to_be_hidden()
    expect(page.locator(".menu")).not_to_have_attribute("data-unread", "2")


def test_people_who_come_and_go_are_glimpsed_and_bots_are_not(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    stage = Stage(page, table(dealer=0), 1)
    glimpse = page.locator(".glimpse")

    def hear(event: dict[str, object]) -> None:
        stage.seq += 1
        stage.send({"t": "event", "table": TABLE, "seq": stage.seq, "events": [event]})

    hear({"e": "seated", "seat": 3, "kind": "bot", "name": "Ada", "level": "easy"})
    expect(page.locator(".seat.top .name")).to_have_text("Ada")
    expect(glimpse).to_be_hidden()
    hear({"e": "seated", "seat": 3, "kind": "human", "name": "Eve"})
    expect(glimpse).to_have_text("Eve takes seat 4.")
    hear({"e": "went_away", "seat": 3})
    expect(glimpse).to_have_text("Eve is away; a bot plays.")
    hear({"e": "stood_in", "seat": 1, "why": "clock"})
    expect(glimpse).to_have_text("A bot decides for you: the time ran out.")


def test_a_name_from_right_to_left_keeps_its_place_in_a_sentence(page: Page) -> None:
    said = page.evaluate(
        """async () => {
            const { Names, overSentence } = await import("/words.js");
            const seats = ["\u05d0", "Ben", "\u05d1", "Dan"].map((name, seat) => ({ seat, name, kind: "human" }));
            return overSentence(0, [10, 3], new Names({ seats }, null));
        }"""
    )
    assert said == "\u2068\u05d0\u2069 and \u2068\u05d1\u2069 win the game, 10 to 3."
