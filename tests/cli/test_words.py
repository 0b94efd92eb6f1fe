"""Sentences for what happened."""

from __future__ import annotations

import pytest

from clients.cli.naming import Naming
from clients.cli.words import tell_game, tell_presence, tell_table
from engine.cards import Seat
from engine.events import Events, GameOver, HandScored, HandThrownIn, Reason
from engine.state import Game
from engine.view import WATCHER, View, Viewer, redact_all, view_for
from protocol.table_events import (
    CameBack,
    HostChanged,
    Seated,
    StoodIn,
    TableEvent,
    TimeGiven,
    Unseated,
    WentAway,
)
from tests.engine.table import after, happened, table

NAMES = ("Ann", "Bo", "Cy", "Di")


def told(game: Game, *actions: str, viewer: Viewer = 0, names: tuple[str, str, str, str] = NAMES) -> list[str]:
    """Return what *viewer* is told while *actions* are taken."""
    after_all, events = happened(game, *actions)
    seen = redact_all(events, viewer, after_all.standing.rules)
    return sentences(seen, view_for(game, viewer), Naming(viewer, names))


def sentences(events: Events, before: View, naming: Naming) -> list[str]:
    return [sentence for _, sentence in tell_game(events, before, naming)]


def test_an_order_says_who_picks_up() -> None:
    game = table(dealer=0, upcard="Jh")
    assert told(game, "order", viewer=0) == ["Bo (left) orders up hearts ♥; you pick up J♥."]
    assert told(game, "order", viewer=1) == ["You order up hearts ♥; Ann (right) picks up J♥."]
    assert told(game, "order alone", viewer=2) == ["Bo (right) orders up hearts ♥, alone; Ann (partner) picks up J♥."]
    assert told(game, "order", viewer=WATCHER) == ["Bo (West) orders up hearts ♥; Ann (South) picks up J♥."]


def test_a_dealer_who_orders_picks_up_himself() -> None:
    game = after(table(dealer=0, upcard="Jh"), "pass", "pass", "pass")
    assert told(game, "order", viewer=0) == ["You pick up J♥ and make hearts ♥ trump."]
    assert told(game, "order alone", viewer=3) == ["Ann (left) picks up J♥ and makes hearts ♥ trump, alone."]


def test_a_sitting_dealer_may_leave_the_upcard() -> None:
    game = after(table(dealer=0, upcard="Jh", preset="screw"), "pass")
    assert told(game, "order alone", viewer=1)[0] == (
        "Cy (left) orders up hearts ♥, alone; the dealer sits out and J♥ stays on the table."
    )


def test_passes_turn_the_upcard_down() -> None:
    game = after(table(dealer=3, upcard="Td"), "pass", "pass", "pass")
    assert told(game, "pass", "call s alone", viewer=1)[:3] == [
        "Di (partner) passes.",
        "10♦ is turned down: now any suit but diamonds may be called.",
        "Ann (right) calls spades ♠, alone.",
    ]


def test_others_do_not_hear_what_was_discarded() -> None:
    game = after(table(dealer=0, upcard="Jh", hands={0: "9c"}), "order")
    assert told(game, "discard 9c", viewer=0)[0] == "You discard 9♣."
    assert told(game, "discard 9c", viewer=1)[0] == "Ann (right) discards a card face down."


def test_a_card_is_led_played_or_trumps() -> None:
    game = after(
        table(dealer=0, upcard="9h", hands={0: "9c Ac", 1: "As Ks", 2: "9s Ts", 3: "Jd Th Qc Kc Td"}),
        "order",
        "discard 9c",
    )
    assert told(game, "play As", "play 9s", "play Jd", viewer=0) == [
        "Bo (left) leads A♠.",
        "Cy (partner) plays 9♠.",
        "Di (right) trumps with J♦ (left bower).",
    ]


def test_a_trick_won_counts_by_side() -> None:
    game = after(table(dealer=0, upcard="9h", hands={0: "9c Qs", 1: "As Ks", 2: "9s", 3: "Js"}), "order", "discard 9c")
    trick = ("play As", "play 9s", "play Js")
    before_last = after(game, *trick)
    assert told(before_last, "play Qs", viewer=0)[-1] == "Bo (left) wins trick 1. Tricks: us 0, them 1."
    assert told(before_last, "play Qs", viewer=1)[-1] == "You win trick 1. Tricks: us 1, them 0."
    assert told(before_last, "play Qs", viewer=WATCHER)[-1] == (
        "Bo (West) wins trick 1. Tricks: Ann and Cy 0, Bo and Di 1."
    )


def test_going_alone_says_who_sits_out() -> None:
    game = after(table(dealer=0, upcard="Jh", hands={0: "9c"}), "order alone")
    assert told(game, "discard 9c", viewer=0)[-1] == (
        "Hearts are trump; Bo (left) is the maker. Di (right) sits this hand out."
    )


def test_the_windows_answers() -> None:
    game = after(table(dealer=0, upcard="Jh", preset="ladder", hands={0: "9c"}), "order", "discard 9c")
    assert told(game, "together", "alone", "defend together", "defend alone", viewer=2)[:4] == [
        "Bo (right) does not go alone.",
        "Di (left) goes alone.",
        "You do not defend alone.",
        "Ann (partner) defends alone.",
    ]


def scored(team: int, points: int, reason: Reason, *, maker: Seat = 0, tricks: tuple[int, int] = (3, 2)) -> HandScored:
    alone = reason in {Reason.LONE_MARCH, Reason.LONE_EUCHRED}
    return HandScored(maker, alone, tricks, team, points, reason, (3, 4))


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (scored(0, 1, Reason.MADE), "We made 3 tricks: 1 point. Score: us 3, them 4."),
        (scored(1, 1, Reason.MADE, maker=1, tricks=(2, 3)), "They made 3 tricks: 1 point. Score: us 3, them 4."),
        (scored(0, 2, Reason.MARCH, tricks=(5, 0)), "We took all five tricks: 2 points. Score: us 3, them 4."),
        (
            scored(1, 2, Reason.EUCHRED, tricks=(1, 4)),
            "We were euchred with 1 trick: 2 points for them. Score: us 3, them 4.",
        ),
        (
            scored(0, 4, Reason.LONE_DEFENDER, maker=1, tricks=(3, 2)),
            "They were euchred with 2 tricks by a lone defender: 4 points for us. Score: us 3, them 4.",
        ),
        (
            scored(0, 4, Reason.SUPER_EUCHRE, maker=1, tricks=(5, 0)),
            "They were euchred without a trick: 4 points for us. Score: us 3, them 4.",
        ),
    ],
)
def test_a_score_says_who_did_what(event: HandScored, sentence: str) -> None:
    assert sentences((event,), View(0), Naming(0, NAMES)) == [sentence]


def test_the_end_of_a_game() -> None:
    assert sentences((GameOver(1, (7, 10)),), View(0), Naming(0, NAMES)) == ["The game is over. They won 10 to 7."]
    assert sentences((GameOver(0, (10, 7)),), View(WATCHER), Naming(WATCHER, NAMES)) == [
        "The game is over. Ann and Cy won 10 to 7."
    ]
    assert sentences((GameOver(None, (7, 7)),), View(0), Naming(0, NAMES)) == ["The game is over: a draw, 7 to 7."]


def test_a_throw_in_says_who_deals_next() -> None:
    assert sentences((HandThrownIn(1),), View(0), Naming(0, NAMES)) == [
        "All passed twice: the hand is thrown in. Bo (left) deals next."
    ]


def test_seats_without_a_name_are_told_by_their_place() -> None:
    game = table(dealer=0, upcard="Jh")
    naming = Naming(0)
    _, events = happened(game, "pass", "order")
    assert sentences(events, view_for(game, 0), naming) == [
        "The player on your left passes.",
        "Your partner orders up hearts ♥; you pick up J♥.",
    ]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (Seated(1, "human", "Bo", None), "Bo (left) sits down."),
        (Seated(1, "bot", "Bo", "easy"), "Bo (left), a bot, sits down."),
        (Seated(0, "human", "Ann", None), "You sit down."),
        (Seated(1, "bot", "Bo", None, "1.2", "Cy"), "Bo (left), a bot 1.2 by Cy, sits down."),
        (Seated(1, "bot", "Bo", None, None, "Cy"), "Bo (left), a bot by Cy, sits down."),
        (Unseated(3), "Di (right) leaves the table."),
        (HostChanged(0), "You are now the host."),
        (WentAway(2), "A bot plays for Cy (partner)."),
        (WentAway(0), "A bot plays for you; type back to play yourself."),
        (CameBack(2), "Cy (partner) is back."),
        (StoodIn(0, "clock"), "Your time ran out: a bot decides."),
        (StoodIn(2, "clock"), "The time of Cy (partner) ran out: a bot decides."),
        (StoodIn(2, "away"), None),
        (TimeGiven(0, 1, 30_000), "Bo (left) gives you 30 s more."),
        (TimeGiven(2, 0, 30_000), "You give Cy (partner) 30 s more."),
    ],
)
def test_what_happens_beside_the_game(event: TableEvent, sentence: str | None) -> None:
    assert tell_table(event, Naming(0, NAMES)) == sentence


def test_nobody_is_told_of_his_own_connection() -> None:
    assert tell_presence(0, Naming(0, NAMES), online=False) is None
    assert tell_presence(1, Naming(0, NAMES), online=False) == "Bo (left) has lost the connection."
