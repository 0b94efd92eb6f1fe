"""Decisions in long words, and what is typed at them."""

from __future__ import annotations

import pytest

from clients.cli.choices import Decision, decision
from clients.cli.naming import Naming
from clients.cli.typed import Misread, read_choice
from engine.game import to_act
from engine.state import Game
from engine.view import view_for
from tests.engine.table import after, legal, table

NAMES = ("Ann", "Bo", "Cy", "Di")


def decision_at(game: Game) -> Decision:
    """Return the decision of the seat to act."""
    seat = to_act(game)
    assert seat is not None
    return decision(view_for(game, seat), seat, legal(game), Naming(seat, NAMES))


def words(game: Game) -> list[str]:
    return [choice.words for choice in decision_at(game).choices]


def test_round_one_says_what_trump_becomes_and_who_picks_up() -> None:
    game = table(dealer=3, upcard="Jh")
    assert words(game) == [
        "Pass",
        "Order up: make hearts trump, Di (right) picks up J♥",
        "Order up alone: make hearts trump, Di (right) picks up J♥, Cy (partner) sits out",
    ]
    assert words(after(game, "pass"))[1:] == [
        "Order up: make hearts trump, Di (partner) picks up J♥",
        "Order up alone: make hearts trump, Di (partner), the dealer, sits out",
    ]
    assert words(after(game, "pass", "pass", "pass")) == [
        "Pass",
        "Pick up J♥: make hearts trump",
        "Pick up J♥ alone: make hearts trump, Bo (partner) sits out",
    ]


def test_round_two_leaves_out_the_suit_turned_down() -> None:
    game = after(table(dealer=3, upcard="Jh"), *["pass"] * 4)
    assert words(game)[:4] == ["Pass", "Call spades ♠", "Call diamonds ♦", "Call clubs ♣"]
    assert "Call clubs ♣ alone: Cy (partner) sits out" in words(game)


def test_a_stuck_dealer_is_told_why_he_has_no_pass() -> None:
    game = after(table(dealer=3, upcard="Jh"), *["pass"] * 7)
    assert decision_at(game).question == "All have passed, so you, the dealer, must call."
    assert "Pass" not in words(game)


def test_cards_are_sorted_trump_first() -> None:
    game = after(table(dealer=0, upcard="9h", hands={0: "As 9d Jd Kh Qc"}), "order")
    assert words(game) == [
        f"Discard {card}" for card in ("J♦ (left bower)", "K♥", "9♥", "A♠", "9♦", "Q♣")
    ]  # fmt: skip


def test_illegal_cards_come_last_with_the_reason() -> None:
    hands = {0: "9c", 1: "Ad Ks", 2: "9d Jd Qs"}
    game = after(table(dealer=0, upcard="9h", hands=hands), "order", "discard 9c", "play Ad")
    asked = decision_at(game)
    assert [choice.words for choice in asked.choices] == ["Play 9♦"]
    whys = {barred.words: barred.why for barred in asked.barred}
    assert whys["Q♠"] == "you must follow diamonds"
    assert whys["J♦ (left bower)"] == (
        "you must follow diamonds; the jack of diamonds is the left bower and counts as a heart"
    )


def test_a_led_left_bower_asks_for_trump() -> None:
    hands = {0: "9c", 1: "Jd Ks", 2: "9h 9d Ad"}
    game = after(table(dealer=0, upcard="Ah", hands=hands), "order", "discard 9c", "play Jd")
    whys = {barred.words: barred.why for barred in decision_at(game).barred}
    assert whys["A♦"] == "you must follow hearts; the jack of diamonds that was led is the left bower, a heart"


def test_the_windows_are_asked_in_words() -> None:
    game = after(table(dealer=0, upcard="Jh", preset="ladder", hands={0: "9c"}), "order", "discard 9c")
    assert words(game) == ["Go alone: Di (partner) sits out", "Play with Di (partner)"]
    assert words(after(game, "together", "together")) == [
        "Defend alone: Ann (partner) sits out",
        "Defend with Ann (partner)",
    ]


# ── typed ────────────────────────────────────────────────────────────────────────────────────────────────────────────


BIDDING = table(dealer=3, upcard="Jh")
CALLING = after(BIDDING, *["pass"] * 4)
PLAYING = after(
    table(dealer=0, upcard="9h", hands={0: "9c", 1: "Ad Ks", 2: "9d Jd Td Qs"}), "order", "discard 9c", "play Ad"
)
WINDOW = after(table(dealer=0, upcard="Jh", preset="ladder", hands={0: "9c"}), "order", "discard 9c")


@pytest.mark.parametrize(
    ("game", "text", "action"),
    [
        (BIDDING, "1", "pass"),
        (BIDDING, " 2 ", "order"),
        (BIDDING, "PASS", "pass"),
        (BIDDING, "p", "pass"),
        (BIDDING, "Order up", "order"),
        (BIDDING, "order up alone", "order alone"),
        (BIDDING, "alone", "order alone"),
        (CALLING, "spades", "call s"),
        (CALLING, "s", "call s"),
        (CALLING, "♠", "call s"),
        (CALLING, "call clubs alone", "call c alone"),
        (CALLING, "clubs alone", "call c alone"),
        (CALLING, "no", "pass"),
        (PLAYING, "1", "play Td"),
        (PLAYING, "9d", "play 9d"),
        (PLAYING, "10d", "play Td"),
        (PLAYING, "♦10", "play Td"),
        (PLAYING, "10 d", "play Td"),
        (PLAYING, "play ten of diamonds", "play Td"),
        (PLAYING, "the nine of diamonds", "play 9d"),
        (WINDOW, "yes", "alone"),
        (WINDOW, "n", None),
        (WINDOW, "no", "together"),
        (WINDOW, "together", "together"),
    ],
)
def test_what_people_type_is_understood(game: Game, text: str, action: str | None) -> None:
    chosen = read_choice(text, decision_at(game))
    assert (None if chosen is None or isinstance(chosen, Misread) else str(chosen)) == action


@pytest.mark.parametrize(
    ("game", "text", "why"),
    [
        (BIDDING, "4", "Type a number from 1 to 3."),
        (BIDDING, "0", "Type a number from 1 to 3."),
        (BIDDING, "spades", "You cannot do that now."),
        (BIDDING, "9h", "It is not the time for a card."),
        (CALLING, "hearts", "You cannot do that now."),
        (PLAYING, "qs", "You cannot play Q♠: you must follow diamonds."),
        (PLAYING, "Ah", "You do not hold A♥."),
        (PLAYING, "pass", "You cannot do that now."),
    ],
)
def test_what_cannot_be_done_is_explained(game: Game, text: str, why: str) -> None:
    assert read_choice(text, decision_at(game)) == Misread(why)


@pytest.mark.parametrize("text", ["", "hello", "score", "say 9h is mine", "999"])
def test_other_lines_are_no_choices(text: str) -> None:
    assert read_choice(text, decision_at(PLAYING)) is None
