"""How the game stands, in lines."""

from __future__ import annotations

from clients.cli.naming import Naming
from clients.cli.situation import deal_lines, hand_line, last_trick_lines, situation
from engine.rules import Rules, rules_to_plain
from engine.view import WATCHER, View, view_for
from tests.engine.table import after, table

NAMES = ("Ann", "Bo", "Cy", "Di")
PLAIN = rules_to_plain(Rules())


def test_a_decision_always_shows_score_trump_maker_dealer_tricks_and_the_led_card() -> None:
    hands = {0: "9c Qs", 1: "As Ks", 2: "9s", 3: "Js"}
    game = table(dealer=0, upcard="9h", hands=hands, score=(3, 4))
    game = after(game, "order", "discard 9c", "play As", "play 9s")
    assert situation(view_for(game, 3), PLAIN, Naming(3, NAMES)) == [
        "Score: us 4, them 3 (to 10). Dealer: Ann (left).",
        "Trump: hearts ♥, made by Bo (partner). Tricks: us 0, them 0.",
        "Trick 1: Bo (partner) led A♠, Cy (right) 9♠. Bo (partner) is winning.",
    ]


def test_before_trump_is_made_the_upcard_is_shown() -> None:
    game = table(dealer=0, upcard="9h")
    assert situation(view_for(game, 1), PLAIN, Naming(1, NAMES))[1] == "Trump: not made yet; 9♥ is the upcard."
    turned = after(game, *["pass"] * 4)
    assert situation(view_for(turned, 1), PLAIN, Naming(1, NAMES))[1] == "Trump: not made yet; 9♥ is turned down."


def test_who_plays_alone_is_shown() -> None:
    game = after(table(dealer=0, upcard="9h", hands={0: "9c"}), "order alone", "discard 9c")
    assert situation(view_for(game, WATCHER), PLAIN, Naming(WATCHER, NAMES))[1] == (
        "Trump: hearts ♥, made by Bo (West). Bo (West) plays alone. Tricks: Ann and Cy 0, Bo and Di 0."
    )


def test_who_put_cards_away_is_told_which_and_nobody_else_is() -> None:
    game = after(table(dealer=0, upcard="9h", hands={0: "9c"}), "order", "discard 9c")
    made = "Trump: hearts ♥, made by"
    assert situation(view_for(game, 0), PLAIN, Naming(0, NAMES))[1] == (
        f"{made} Bo (left). You buried 9♣. Tricks: us 0, them 0."
    )
    assert situation(view_for(game, 1), PLAIN, Naming(1, NAMES))[1] == f"{made} you. Tricks: us 0, them 0."
    game = table(dealer=0, upcard="9h", hands={0: "9c", 1: "Jh", 3: "Qd"}, partner_exchange="call_for_best")
    game = after(game, "order alone", "discard 9c", "give Jh", "give Qd")
    lines = [situation(view_for(game, seat), PLAIN, Naming(seat, NAMES))[1] for seat in range(4)]
    assert ["You" in line and line.partition("You ")[2].split(".")[0] for line in lines] == [
        "buried 9♣", "play alone", False, "passed Q♦",
    ]  # fmt: skip
    assert "You passed J♥." in lines[1]


def test_the_hand_is_shown_trump_first() -> None:
    game = after(table(dealer=0, upcard="9h", hands={0: "9c", 1: "As 9d Jd Jh Kh"}), "order", "discard 9c")
    assert hand_line(view_for(game, 1)) == "Your hand: J♥  J♦  K♥  A♠  9♦"


def test_the_last_trick_can_be_seen_again() -> None:
    hands = {0: "9c Qs", 1: "As Ks", 2: "9s", 3: "Js"}
    game = after(table(dealer=0, upcard="9h", hands=hands), "order", "discard 9c")
    assert last_trick_lines(view_for(game, 0), Naming(0, NAMES)) == ["No trick is finished yet."]
    game = after(game, "play As", "play 9s", "play Js", "play Qs")
    assert last_trick_lines(view_for(game, 0), Naming(0, NAMES)) == [
        "Last trick: Bo (left) led A♠, Cy (partner) 9♠, Di (right) J♠, you Q♠. Won by Bo (left)."
    ]


def test_hands_are_not_shown_before_the_hand_is_over() -> None:
    assert deal_lines(View(0), Naming(0, NAMES)) == [
        "The hands are shown when a hand is over, where the rules of the table allow it."
    ]
