"""The dealer's pickup and discard (RULES.md §5, R-ALONE-4)."""

from __future__ import annotations

import pytest

from engine.cards import SEATS, Seat
from engine.errors import Code
from engine.events import Discarded, UpcardLeft, UpcardTaken
from engine.game import phase_of, to_act
from engine.state import Phase, UpcardFate
from engine.view import WATCHER, Viewer, view_for
from tests.engine.table import PASSES, after, cards, hands_of, happened, legal, made_of, refusal, table

HAND = "As Ks Qs Ts Jd"
VIEWERS: tuple[Viewer, ...] = (*SEATS, WATCHER)


@pytest.mark.parametrize("maker", SEATS)
def test_whoever_orders_the_dealer_takes_up_and_discards(maker: Seat) -> None:
    """R-PICK-1: the dealer holds six, one of them goes, and the play begins."""
    game, events = happened(table(upcard="9h", hands={0: HAND}), *["pass"] * ((maker - 1) % 4), "order")
    assert events[-1] == UpcardTaken(0, cards("9h")[0])
    assert (phase_of(game), to_act(game)) == (Phase.DISCARD, 0)
    assert hands_of(game)[0] == cards(f"{HAND} 9h")
    game, events = happened(game, "discard Ts")
    assert events[0] == Discarded(0, cards("Ts")[0])
    assert hands_of(game)[0] == cards("As Ks Qs Jd 9h")
    assert phase_of(game) is Phase.PLAY


def test_the_dealer_may_bury_the_card_he_took() -> None:
    """R-PICK-1, the default."""
    game = after(table(upcard="9h", hands={0: HAND}), "order")
    assert legal(game) == [f"discard {card}" for card in cards(f"{HAND} 9h")]
    assert hands_of(after(game, "discard 9h"))[0] == cards(HAND)


def test_the_rules_may_keep_the_card_he_took_in_his_hand() -> None:
    """R-PICK-1 with `upcard_discard` false: five choices."""
    game = after(table(upcard="9h", hands={0: HAND}, upcard_discard=False), "order")
    assert legal(game) == [f"discard {card}" for card in cards(HAND)]
    assert refusal(game, 0, "discard 9h") == Code.UPCARD_MUST_STAY
    assert refusal(game, 0, "discard 9c") == Code.CARD_NOT_HELD


def test_only_the_dealer_ever_sees_the_discard() -> None:
    """R-PICK-1."""
    game = after(table(upcard="9h", hands={0: HAND}), "order", "discard Ts")
    assert view_for(game, 0).discard == "Ts"
    assert [view_for(game, viewer).discard for viewer in VIEWERS if viewer != 0] == [None] * 4


def test_nobody_picks_up_after_round_two() -> None:
    """R-PICK-2."""
    for maker in SEATS:
        game = after(table(upcard="9h"), *PASSES, *["pass"] * ((maker - 1) % 4), "call s")
        assert phase_of(game) is Phase.PLAY
        assert [len(hand) for hand in hands_of(game)] == [5, 5, 5, 5]
        assert made_of(game).discard is None


def test_a_dealer_whose_partner_orders_alone_leaves_the_upcard_where_the_rules_spare_him() -> None:
    """R-ALONE-4, skips: the upcard stays turned up and out of play, and nobody discards."""
    game, events = happened(table(preset="screw", upcard="9h", hands={0: HAND}), "pass", "order alone")
    assert events[2] == UpcardLeft(cards("9h")[0])
    assert phase_of(game) is Phase.PLAY
    assert hands_of(game)[0] == cards(HAND)
    assert made_of(game).upcard_fate is UpcardFate.LEFT
    for viewer in VIEWERS:
        assert (view_for(game, viewer).upcard, view_for(game, viewer).upcard_fate) == ("9h", UpcardFate.LEFT)


def test_a_sitting_dealer_otherwise_picks_up_and_discards() -> None:
    """R-ALONE-4, picks_up: his buried card and his hand are out of play."""
    game = after(table(upcard="9h", hands={0: HAND}), "pass", "order alone")
    assert (phase_of(game), to_act(game)) == (Phase.DISCARD, 0)
    game = after(game, "discard As")
    assert to_act(game) == 1
    assert refusal(game, 0, "play Ks") == Code.SITTING_OUT


@pytest.mark.parametrize(
    ("texts", "phase"),
    [
        (("order alone",), Phase.DISCARD),
        (("pass", "order"), Phase.DISCARD),
        (("pass", "pass", "order alone"), Phase.DISCARD),
        (("pass", "pass", "pass", "order alone"), Phase.DISCARD),
        ((*PASSES, "pass", "call s alone"), Phase.PLAY),
    ],
    ids=["opponent alone", "partner together", "third seat alone", "dealer alone", "partner alone in round two"],
)
def test_no_other_call_spares_the_dealer_his_pickup(texts: tuple[str, ...], phase: Phase) -> None:
    """R-ALONE-4: only his partner, alone, with the call, in round one."""
    game = after(table(preset="screw"), *texts)
    assert phase_of(game) is phase
    assert made_of(game).upcard_fate is not UpcardFate.LEFT
