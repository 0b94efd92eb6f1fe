"""The decisions that only some tables ask for: a Benny turned up, call for best, relief, a claim."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from engine.state import Phase
from tests.browser.conftest import NewPage
from tests.browser.stage import Stage
from tests.browser.test_layout import assert_in_reach
from tests.engine.table import PASSES, after, settle, table

BAD = "9s Ts 9h 9d Td"


@pytest.mark.parametrize("turned", ["dealer_names", "dealer_names_blind"])
def test_a_dealer_names_trump_for_a_benny_turned_up(page: Page, turned: str) -> None:
    """R-BID-7: seen or unseen, in whole words, alone or not."""
    game = table(dealer=0, upcard="Bj", jokers=1, benny_turned=turned, no_trump="round2", low_no_trump=True)
    stage = Stage(page, game, 0)
    expect(page.locator(".ask")).to_contain_text("the Benny is turned up. Name trump")
    expect(page.locator(".upcard .card:not(.back)")).to_have_attribute("aria-label", "the Benny, turned up")
    expect(page.locator(".hand .card")).to_have_count(5 if turned == "dealer_names" else 0)
    expect(page.locator(".choice")).to_have_count(6)
    page.get_by_role("switch").click()
    page.get_by_role("button", name="Make hearts trump; you pick up the Benny, alone").click()
    expect(page.locator(".ask")).to_contain_text("discard")
    expect(page.locator(".hand .card")).to_have_count(6)
    expect(page.locator(".hand .card").first).to_have_attribute("aria-label", "the Benny, just picked up")
    assert stage.taken == ["call h alone"]


def test_a_benny_turned_up_as_a_spade_is_ordered_as_one(page: Page) -> None:
    Stage(page, table(dealer=0, upcard="Bj", jokers=1, benny_turned="as_spades"), 1)
    expect(page.locator(".ask")).to_contain_text("spades be trump?")
    page.get_by_role("button", name="Make spades trump; Ann picks up the Benny").click()
    expect(page.locator(".lines")).to_contain_text("Ann picks up the Benny.")


def test_a_turn_is_heard_by_those_who_want_to(page: Page) -> None:
    """Once for the turn, and once more when time is short."""
    page.add_init_script("""
        globalThis.tones = 0;
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function () { globalThis.tones += 1; start.call(this); };
    """)
    Stage(page, table(dealer=0), 1, left_ms=11_000)
    expect(page.locator(".hurry")).to_have_count(1)
    assert page.evaluate("tones") == 0
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("A sound when it is my turn").check()
    page.keyboard.press("Escape")
    Stage(page, table(dealer=0), 1, left_ms=11_000)
    expect(page.locator(".hurry")).to_have_count(1)
    assert page.evaluate("tones") == 2


def test_the_one_who_thinks_is_given_time_with_the_keyboard(page: Page) -> None:
    """Where the server says that some may be given; nobody gives it to himself."""
    stage = Stage(page, table(dealer=0), 2, left_ms=20_000, bank_ms=60_000, gift_ms=30_000)
    page.get_by_role("button", name="Give 30 s to Basil").focus()
    page.keyboard.press("Enter")
    stage.tell_plain({"e": "time_given", "seat": 1, "by": 2, "ms": 30_000})
    expect(page.locator("#said")).to_contain_text("You give Basil 30 s more.")
    assert stage.asked[-1] | {"ref": 0} == {"t": "more_time", "ref": 0, "table": "t1", "turn": 5}
    stage.gift_ms = None
    stage.tell_plain({"e": "time_given", "seat": 1, "by": 2, "ms": 30_000})
    expect(page.locator(".gift")).to_have_count(4)
    expect(page.locator(".gift:visible")).to_have_count(0)
    Stage(page, table(dealer=0), 1, left_ms=20_000, bank_ms=60_000, gift_ms=30_000)
    expect(page.locator(".turn-here .clock")).to_contain_text(" s")
    expect(page.locator(".gift:visible")).to_have_count(0)


def test_who_is_given_time_hears_from_whom_and_is_not_asked_anew(page: Page) -> None:
    """What was picked stays so, and it is warned again when that time is short, too."""
    stage = Stage(page, table(dealer=0, hands={1: BAD}, relief="swap3"), 1, left_ms=9_000, bank_ms=0)
    expect(page.locator("#said")).to_contain_text("Hurry")
    asked = page.locator("#said p", has_text="Make").count()
    page.get_by_role("button", name="Swap").click()
    page.locator(".hand .card").first.click()
    stage.left_ms = 39_000
    stage.tell_plain({"e": "time_given", "seat": 1, "by": 2, "ms": 30_000})
    expect(page.locator(".lines")).to_contain_text("Clara gives you 30 s more.")
    expect(page.locator(".ask")).to_have_text("Choose three cards to put away; you take three unseen ones.")
    expect(page.locator("#said")).to_contain_text("Clara gives you 30 s more.")
    expect(page.locator(".hand [aria-pressed=true]")).to_have_count(1)
    assert page.locator("#said p", has_text="Make").count() == asked
    stage.left_ms = 9_000
    stage.tell_plain({"e": "time_credited", "seat": 1, "ms": 1, "why": "a test"})
    expect(page.locator("#said p", has_text="Hurry")).to_have_count(2)


def test_a_dealer_who_may_not_pass_is_told_so(page: Page) -> None:
    """R-BID-3."""
    game = after(table(upcard="9h"), *PASSES, "pass", "pass")
    stage = Stage(page, game, 3)
    expect(page.locator(".ask")).to_have_text("Your turn: name trump, or pass.")
    stage.go_on("pass")
    Stage(page, stage.game, 0)
    expect(page.locator(".ask")).to_have_text("Your turn: the others have passed, so you must name trump.")
    expect(page.locator("#said")).to_contain_text("so you must name trump")


@pytest.mark.parametrize("viewport", [{"width": 360, "height": 640}, {"width": 640, "height": 360}])
def test_all_that_may_be_named_is_on_a_telephone_at_once(new_page: NewPage, viewport: ViewportSize) -> None:
    page = new_page(viewport=viewport)
    Stage(page, table(upcard="Bj", jokers=1, no_trump="round2", low_no_trump=True), 0, left_ms=9_000, bank_ms=60_000)
    expect(page.locator(".choice")).to_have_count(6)
    assert_in_reach(page, ".ask, .choice, .alone-toggle, .hand .card")


def test_a_lone_maker_calls_for_best(page: Page) -> None:
    """R-ALONE-5: a card is chosen like a discard, and another comes back."""
    game = after(table(upcard="9h", partner_exchange="call_for_best"), *PASSES)
    stage = Stage(page, game, 1)
    page.get_by_role("switch").click()
    page.get_by_role("button", name="Make spades trump, alone").click()
    expect(page.locator(".ask")).to_contain_text("choose a card to pass to your partner")
    expect(page.locator(".hand .card.dimmed")).to_have_count(0)
    page.locator(".hand .card").last.click()
    expect(page.locator(".hand .card")).to_have_count(4)
    stage.go_on(f"give {stage.game.stage.made.hands[3][0]}")  # type: ignore[attr-defined]
    expect(page.locator(".hand .card")).to_have_count(5)
    expect(page.locator(".lines")).to_contain_text("Dexter passes you")


def test_the_sitting_partner_passes_a_card_back(page: Page) -> None:
    game = after(table(upcard="9h", partner_exchange="call_for_best"), *PASSES, "call s alone")
    stage = Stage(page, game, 3)
    stage.go_on(f"give {game.stage.made.hands[1][0]}")  # type: ignore[attr-defined]
    expect(page.locator(".ask")).to_contain_text("pass a card back")
    expect(page.locator(".hand .card")).to_have_count(6)
    expect(page.locator(".hand .fresh")).to_have_count(1)
    page.locator(".hand .card").first.click()
    expect(page.locator(".hand .card")).to_have_count(5)
    assert stage.game.stage.phase is Phase.PLAY


def test_a_very_bad_hand_is_shown_for_a_new_deal(page: Page) -> None:
    """R-RELIEF-1: everybody sees the hand."""
    stage = Stage(page, table(dealer=0, hands={1: BAD}, relief="redeal"), 1)
    page.get_by_role("button", name="Show this very bad hand; the cards are dealt again").click()
    expect(page.locator(".lines")).to_contain_text("You show a very bad hand and ask for relief")
    expect(page.locator(".lines")).to_contain_text("The hand is thrown in. Ann deals next.")
    assert stage.taken == ["relief"]


def test_three_cards_are_picked_to_be_swapped(page: Page) -> None:
    """R-RELIEF-1: one button, then cards of the hand; not a button for each three of them."""
    game = table(dealer=0, hands={1: BAD}, upcard="Th", relief="swap3")
    stage = Stage(page, game, 1)
    expect(page.locator(".choice")).to_have_count(3)
    page.get_by_role("button", name="swap three cards").click()
    page.get_by_role("button", name="Keep these cards").click()
    page.get_by_role("button", name="swap three cards").click()
    swap = page.locator(".choice").first
    for name in ("nine of hearts", "nine of spades", "ten of diamonds"):
        expect(swap).to_be_disabled()
        page.locator(f".hand .card[aria-label^='{name}']").click()
    expect(page.locator(".hand .card[aria-pressed=true]")).to_have_count(3)
    page.get_by_role("button", name="Show your hand and swap nine of hearts").click()
    expect(page.locator(".choice").first).to_have_attribute("aria-label", "Pass")
    assert [set(text.split()) for text in stage.taken] == [{"relief", "9h", "9s", "Td"}]
    expect(page.locator(".hand .card")).to_have_count(5)
    expect(page.locator(".lines")).to_contain_text("You put")


def test_a_hand_shown_for_relief_is_seen_by_the_others(page: Page) -> None:
    stage = Stage(page, table(dealer=0, hands={1: BAD}, relief="redeal"), 2)
    stage.go_on("relief")
    panel = page.get_by_role("region", name="Basil asks for relief with this hand")
    expect(panel.locator(".card")).to_have_count(5)


def test_the_rest_is_claimed_on_lead(page: Page) -> None:
    """R-PLAY-5: beside the cards there is a button; digits stay the cards'."""
    hands = {1: "Js Jc As Ks Qs"}
    game = settle(table(dealer=0, hands=hands, upcard="9s", claim="validated"), maker=1)
    stage = Stage(page, game, 1)
    page.keyboard.press("1")
    assert stage.taken == ["play Js"]
    stage = Stage(page, game, 1)
    page.get_by_role("button", name="Claim the rest: no card can beat your hand").click()
    expect(page.locator(".lines")).to_contain_text("You claim the rest, 5 tricks")
    assert stage.taken == ["claim"]
    assert stage.game.standing.score == (0, 2)


def test_a_benny_that_belongs_to_no_suit_says_so(page: Page) -> None:
    """R-CARD-4."""
    hands = {1: "As Ks Qs Ts 9s", 2: "Bj Js Ah Kh Qh"}
    game = settle(table(dealer=0, hands=hands, jokers=1, no_trump="round2"), maker=3, round_=2, trump="n")
    Stage(page, after(game, "play As"), 2)
    benny = page.locator(".hand .card[aria-label^='the Benny']")
    benny.click(force=True)
    expect(page.locator(".ask")).to_contain_text("Without trump the Benny belongs to no suit.")


def test_who_buried_a_card_is_shown_which(page: Page) -> None:
    """Through the hand and after a reload, beside one's own name alone."""
    game = after(table(dealer=0, upcard="9h", hands={0: "9c"}), "order", "discard 9c")
    Stage(page, game, 0)
    expect(page.locator(".seat.bottom .badge.gone")).to_have_attribute("title", "you buried 9♣")
    Stage(page, game, 1)
    expect(page.locator(".badge.dealer")).to_be_visible()
    expect(page.locator(".badge.gone")).to_have_count(0)
