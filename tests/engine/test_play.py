"""Leads, following, tricks, and the number of ways a hand can go (RULES.md §6)."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from engine.cards import SEATS, Seat, team_of
from engine.errors import Code
from engine.events import CardPlayed, HandScored, PlayStarted, TrickWon
from engine.game import apply, legal_actions, phase_of, to_act
from engine.play import Playing
from engine.rules import Rules
from engine.state import Game, Phase
from tests.engine.strategies import playable_rules, random_game, seeds
from tests.engine.table import (
    PASSES,
    after,
    happened,
    legal,
    made_of,
    played_out,
    refusal,
    rules_for,
    settle,
    shuffled_table,
    table,
)

# When a random game fails, time goes into finding the smallest one that does.
pytestmark = pytest.mark.timeout(600)

# Hands of the table below. Spades are trump; seat 0 deals, so seat 1 leads.
HANDS = {
    1: "Ad Kd Qc Th 9h",
    2: "Jc 9d Td Ah Kh",
    3: "Js 9c Tc Qh Kc",
    0: "As Ks Ac Jh Jd",
}


def spades() -> Game:
    """Return the table of HANDS at its first lead: seat 1 ordered the nine of spades, which the dealer buried."""
    return after(table(hands=HANDS, upcard="9s"), "order", "discard 9s")


# ── the first lead ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize("loner_lead", ["left_of_dealer", "left_of_loner"])
def test_the_dealers_left_leads_when_nobody_is_alone(dealer: Seat, loner_lead: str) -> None:
    """R-PLAY-1."""
    for maker in SEATS:
        game = after(table(dealer=dealer, loner_lead=loner_lead), *["pass"] * ((maker - dealer - 1) % 4), "order")
        game, events = happened(game, legal(game)[0])
        assert events[-1] == PlayStarted((dealer + 1) % 4, (), ())
        assert to_act(game) == (dealer + 1) % 4


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize(
    ("alone_from_dealer", "leader_from_dealer"),
    [([1], 1), ([2], 1), ([3], 2), ([0], 1), ([3, 2], 2), ([1, 2], 1), ([0, 3], 3), ([0, 1], 1), ([3, 0], 3)],
)
def test_the_first_seat_left_of_the_dealer_that_plays_leads(
    dealer: Seat, alone_from_dealer: list[int], leader_from_dealer: int
) -> None:
    """R-PLAY-1, left_of_dealer: with the third seat alone the dealer's partner leads. The first named is the maker."""
    alone = [(dealer + places) % 4 for places in alone_from_dealer]
    game = settle(shuffled_table(3, rules_for(alone[0], alone), dealer=dealer), maker=alone[0], alone=alone)
    assert to_act(game) == (dealer + leader_from_dealer) % 4


@pytest.mark.parametrize("dealer", SEATS)
@pytest.mark.parametrize(("alone", "leader"), [([1], 2), ([2], 3), ([3], 0), ([0], 1), ([1, 2], 2), ([1, 0], 0)])
def test_the_first_seat_left_of_a_lone_maker_that_plays_may_lead_instead(
    dealer: Seat, alone: list[Seat], leader: Seat
) -> None:
    """R-PLAY-1, left_of_loner: whoever deals."""
    rules = rules_for(alone[0], alone, loner_lead="left_of_loner")
    assert to_act(settle(shuffled_table(3, rules, dealer=dealer), maker=alone[0], alone=alone)) == leader


def test_a_lone_defender_does_not_move_the_lead() -> None:
    """R-PLAY-1: left_of_loner speaks of a lone maker only."""
    rules = rules_for(1, [2], loner_lead="left_of_loner")
    assert to_act(settle(shuffled_table(3, rules), maker=1, alone=[2])) == 1


def test_the_makers_lone_partner_counts_as_the_loner() -> None:
    """R-PLAY-1: the lone seat of the maker's side, not the maker who sits."""
    rules = rules_for(1, [3], loner_lead="left_of_loner")
    assert to_act(settle(shuffled_table(3, rules), maker=1, alone=[3])) == 0


# ── following ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_leader_may_play_anything() -> None:
    """R-PLAY-2: trump included."""
    assert legal(spades()) == [f"play {card}" for card in HANDS[1].split()]


def test_the_led_suit_must_be_followed() -> None:
    """R-PLAY-2: a card of another suit is refused, one not held before that."""
    game = after(spades(), "play Ad")
    assert legal(game) == ["play 9d", "play Td"]
    assert refusal(game, 2, "play Ah") == Code.MUST_FOLLOW_SUIT
    assert refusal(game, 2, "play Jc") == Code.MUST_FOLLOW_SUIT
    assert refusal(game, 2, "play As") == Code.CARD_NOT_HELD


def test_the_left_bower_is_no_club_when_spades_are_trump() -> None:
    """R-CARD-1, R-PLAY-2: seat 2's only black card is the left bower, so on a club lead it may play anything."""
    game = after(spades(), "play Qc")
    assert legal(game) == [f"play {card}" for card in HANDS[2].split()]


def test_left_bower_follows_trump_not_its_own_colour() -> None:
    """A player holding only the left bower and side cards must play the bower to a trump lead (R-CARD-1, R-PLAY-2)."""
    hands = {1: "As Ad Kd Qd Td", 2: "Jc Ac Kc Qc Tc"}
    game = after(table(hands=hands, upcard="9s"), "order", "discard 9s", "play As")
    assert legal(game) == ["play Jc"]
    assert refusal(game, 2, "play Ac") == Code.MUST_FOLLOW_SUIT


def test_a_void_seat_need_not_trump() -> None:
    """R-PLAY-2: no duty to trump or overtrump."""
    game = after(spades(), "play Ad", "play 9d")
    assert to_act(game) == 3
    assert legal(game) == [f"play {card}" for card in HANDS[3].split()]


def test_without_trump_the_jack_of_the_colour_follows_its_own_suit() -> None:
    """R-CARD-3, R-PLAY-2."""
    game = after(table(hands=HANDS, upcard="9s", no_trump="round2"), *PASSES, "call n", "play Qc")
    assert legal(game) == ["play Jc"]


# ── tricks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_winner_of_a_trick_leads_the_next() -> None:
    """R-PLAY-3: a trump takes an ace, and the highest of the led suit wins where nobody trumps."""
    game, events = happened(spades(), "play Ad", "play 9d", "play Js", "play Jd")
    assert events[-1] == TrickWon(3, 1)
    assert to_act(game) == 3
    game, events = happened(game, "play 9c", "play Ac", "play Qc", "play Ah")
    assert events[-1] == TrickWon(0, 2)
    assert to_act(game) == 0


def test_the_left_bower_beats_the_ace_of_trump_and_loses_to_the_right() -> None:
    """R-CARD-2, R-PLAY-3."""
    game = after(spades(), "play Th", "play Kh", "play Qh", "play Jh", "play Ah", "play Kc", "play As", "play 9h")
    assert isinstance(game.stage, Playing)
    assert [trick.winner for trick in game.stage.tricks] == [2, 0]
    game, events = happened(game, "play Ks", "play Kd", "play Jc", "play Js")
    assert events[-1] == TrickWon(3, 3)


def test_a_card_of_a_third_suit_cannot_win() -> None:
    """R-PLAY-3: the ace of hearts, thrown on a club, loses to the queen led."""
    hands = {1: "Qc Kc 9c Kd Ad", 2: "Ah Kh Qh Th Td", 3: "9d Jd Qd Jh 9h", 0: "Tc As Ks Qs Ts"}
    game = after(table(hands=hands, upcard="9s"), "order", "discard 9s")
    _, events = happened(game, "play Qc", "play Ah", "play Jh", "play Tc")
    assert events[-1] == TrickWon(1, 1)


def test_low_no_trump_turns_the_order_round() -> None:
    """R-CARD-3: the nine wins."""
    game = table(hands=HANDS, upcard="9s", no_trump="round2", low_no_trump=True)
    _, events = happened(game, *PASSES, "call l", "play Qc", "play Jc", "play 9c", "play Ac")
    assert events[-1] == TrickWon(3, 1)


def test_a_decided_hand_is_played_to_its_end() -> None:
    """R-PLAY-4: five tricks, though three decide it."""
    for seed in range(20):
        _, events = played_out(settle(shuffled_table(seed, Rules()), maker=1), Random(seed))
        assert [event.trick for event in events if isinstance(event, TrickWon)] == [1, 2, 3, 4, 5]
        assert sum(isinstance(event, CardPlayed) for event in events) == 20


@given(playable_rules(claim="off"), seeds)
@settings(max_examples=100)
def test_every_hand_has_five_tricks_of_as_many_cards_as_seats_that_play(rules: Rules, seed: int) -> None:
    """R-PLAY-4, R-PLAY-3: led by the winner of the one before, each seat that plays once, clockwise."""
    for step in random_game(rules, seed, hands=6):
        if not any(isinstance(event, HandScored) for event in step.events):
            continue
        last = step.after.stage.last  # type: ignore[attr-defined]
        assert isinstance(last, Playing)
        made = made_of(Game(step.after.standing, last))
        leader = last.tricks[0].seats[0]
        assert len(last.tricks) == 5
        assert last.won == tuple(sum(team_of(trick.winner) == team for trick in last.tricks) for team in (0, 1))
        for trick in last.tricks:
            clockwise = [(leader + places) % 4 for places in range(4)]
            assert list(trick.seats) == [seat for seat in clockwise if seat not in made.sitting]
            assert len(trick.cards) == 4 - len(made.alone)
            leader = trick.winner


# ── counting every way to play ───────────────────────────────────────────────────────────────────────────────────────

COUNTED_HANDS = {0: "Js 9s Ac Kc 9h", 1: "Jc As Th Qh 9d", 2: "Qs Ts Ah Kh Td", 3: "Ks 9c Tc Ad Jd"}
COUNTS = {1: 5, 2: 16, 4: 128, 6: 1_092, 8: 4_224, 12: 99_000}
"""Legal card sequences by length: spades trump, seat 0 leads."""


def ways(game: Game, length: int) -> int:
    """Return how many sequences of *length* legal actions there are."""
    if length == 0:
        return 1
    if length == 1:
        return len(legal_actions(game))
    seat = to_act(game)
    assert seat is not None
    return sum(ways(apply(game, seat, action)[0], length - 1) for action in legal_actions(game))


@pytest.mark.parametrize(("length", "count"), COUNTS.items())
def test_the_legal_sequences_of_a_known_hand_are_as_many_as_counted(length: int, count: int) -> None:
    """R-PLAY-2 to R-PLAY-4 together, bowers included."""
    game = after(table(dealer=3, hands=COUNTED_HANDS, upcard="Qd"), *PASSES, "call s")
    assert (phase_of(game), to_act(game)) == (Phase.PLAY, 0)
    assert ways(game, length) == count
