"""Claims: offered when they win in every layout the claimer cannot rule out, and only then (R-PLAY-5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import CLAIM
from engine.cards import SEATS, Card, Cards, Seat, Trump, effective_suit, legal_cards, make_pack, strength, trick_winner
from engine.claims import wins_every_trick
from engine.errors import Code
from engine.events import HandScored, HandsRevealed, RestClaimed
from engine.game import apply, legal_actions, to_act
from engine.play import Playing
from engine.view import WATCHER, view_for
from tests.engine.strategies import seeds
from tests.engine.table import PASSES, after, cards, happened, legal, refusal, table

TRUMPS: list[Trump] = ["s", "h", "d", "c", "n", "l"]


def beaten_by(hand: Cards, other: Cards, trump: Trump) -> bool:
    """Tell whether a player holding *other* can win a trick, whatever *hand*, which may know his cards, leads."""
    return bool(hand) and all(
        any(
            trick_winner((lead, reply), trump) == 1
            or beaten_by(
                tuple(card for card in hand if card != lead), tuple(card for card in other if card != reply), trump
            )
            for reply in legal_cards(other, lead, trump)
        )
        for lead in hand
    )


def can_be_filled(holdable: Sequence[frozenset[Card]], left: int) -> bool:
    """Tell whether so many different cards can be found for every hand."""
    return not holdable or any(
        can_be_filled([held - set(cards) for held in holdable[1:]], left) for cards in combinations(holdable[0], left)
    )


@settings(max_examples=150, deadline=None)
@given(seeds, st.integers(1, 3), st.sampled_from(TRUMPS), st.integers(0, 1), st.integers(1, 3))
def test_the_check_is_the_exhaustive_one(seed: int, left: int, trump: Trump, jokers: int, others: int) -> None:
    """Against every hand one player may hold with enough left for the others, and every order of leads and replies.

    A leader who may choose his leads after seeing the cards is beaten only where no order of leads holds.
    """
    rng = Random(seed)
    pack = list(make_pack(9, jokers))
    rng.shuffle(pack)
    strong = sorted(pack, key=lambda card: -(effective_suit(card, trump) == trump))
    hand = tuple(strong[:left] if rng.random() < 0.5 else pack[:left])
    rest = [card for card in pack if card not in hand]
    unseen = rest[: rng.randint(left * others, left * others + 4)]
    holdable = {seat: frozenset(rng.sample(unseen, rng.randint(left, len(unseen)))) for seat in range(1, others + 1)}
    expected = not any(
        beaten_by(hand, other, trump)
        and can_be_filled([held - set(other) for at, held in holdable.items() if at != seat], left)
        for seat in holdable
        for other in combinations(sorted(holdable[seat]), left)
    )
    assert wins_every_trick(hand, holdable, trump) == expected


def test_a_card_that_another_hand_must_have_is_ruled_out() -> None:
    """R-PLAY-5: only a king with the nine beside it outlasts the bower, and the nine may have to be elsewhere."""
    hand, king = (Card("Jh"), Card("Qh")), frozenset(cards("Kh 9h 9s Ts"))
    assert wins_every_trick(hand, {2: king, 3: frozenset(cards("9h 9s"))}, "h")
    assert not wins_every_trick(hand, {2: king, 3: frozenset(cards("9h 9s 9c"))}, "h")


def test_a_claim_takes_the_tricks_to_come_and_shows_the_hand() -> None:
    """R-PLAY-5: the seat about to lead with both bowers and the next three trumps."""
    game = table(hands={1: "Jh Jd Ah Kh Qh"}, upcard="Th", claim="validated")
    game = after(game, "order", "discard Th")
    assert sorted(legal(game)) == ["claim", "play Ah", "play Jd", "play Jh", "play Kh", "play Qh"]
    game, events = happened(game, "claim")
    assert isinstance(events[0], RestClaimed)
    assert events[0].tricks == 5
    assert [type(event) for event in events[1:]] == [HandScored, HandsRevealed]
    view = view_for(game, WATCHER)
    assert view.won == (0, 5)
    assert view.shown == ((1, events[0].cards),)
    assert view.score == (0, 2)


def test_a_claim_that_is_not_certain_is_refused_and_reveals_nothing() -> None:
    """R-PLAY-5."""
    game = after(table(hands={1: "Jh Jd Ah Kh 9s"}, upcard="Th", claim="validated"), "order", "discard Th")
    assert refusal(game, 1, "claim") is Code.CLAIM_NOT_CERTAIN
    assert refusal(game, 1, "pass") is Code.WRONG_PHASE
    assert "claim" not in legal(game)


def test_only_the_seat_about_to_lead_may_claim() -> None:
    """R-PLAY-5."""
    game = after(
        table(hands={1: "9s Ts Qs Ks As", 2: "Jh Jd Ah Kh Qh"}, upcard="Th", claim="validated"),
        "order",
        "discard Th",
        "play 9s",
    )
    assert refusal(game, 2, "claim") is Code.WRONG_PHASE
    off = after(table(hands={1: "Jh Jd Ah Kh Qh"}, upcard="Th"), "order", "discard Th")
    assert refusal(off, 1, "claim") is Code.WRONG_PHASE


def test_a_suit_a_player_did_not_follow_is_ruled_out() -> None:
    """R-PLAY-5: the ace of spades is out, and after the first spade it is clear that nobody has one."""
    game = table(
        hands={0: "9d Td Jd Qd Kd", 1: "Qs Ks Ac Ad Ah", 2: "9c Tc Jc Qc Kc", 3: "9h Th Jh Qh Kh"},
        upcard="9s",
        no_trump="round2",
        claim="validated",
    )
    game = after(game, *PASSES, "call n")
    assert "claim" not in legal(game)
    assert "claim" in legal(after(game, "play Qs", "play 9c", "play 9h", "play 9d"))


@pytest.mark.parametrize(
    ("hands", "options", "before"),
    [
        (
            {0: "Qd Ad Kd Js Qs", 1: "Jh Jd Ah As Ks", 2: "9d 9c Tc Qc Kc", 3: "Td 9h Th Ac Jc"},
            {"dealer": 1, "upcard": "Kh"},
            "order, discard As, play 9d, play Td, play Qd, play Kh",
        ),
        ({1: "Jh Jd Ah Kh Ks"}, {"upcard": "As"}, "pass, pass, pass, pass, call h"),
        (
            {0: "9d Qd Ad Js Qs", 1: "Jh Jd Kh Qh Th", 2: "Td Kd 9c Tc Qc"},
            {"dealer": 3, "upcard": "Ah", "sitting_dealer": "skips"},
            "pass, order alone, play 9d, play Th, play Td",
        ),
        (
            {1: "Jh Jd Ah As Ks", 3: "Kh 9c Tc Qc Kc"},
            {"upcard": "Qh", "partner_exchange": "call_for_best"},
            "order alone, discard Qh, give As, give Kh",
        ),
        (
            {1: "As Ah Ad 9s Ts"},
            {"upcard": "9c", "buried": "Ks Qs Js", "relief": "swap3", "relief_hand": "ace_no_face"},
            "relief As 9s Ts, pass, pass, pass, pass, call n",
        ),
        (
            {0: "9s Ts Js 9d Td", 1: "Jh Jd 9h As Ac", 2: "Th 9c Tc Jc Qc", 3: "Qh Kc Qd Kd Ad"},
            {"upcard": "Kh"},
            "order, discard Kh, play Jh, play Th, play Qh, play 9s",
        ),
    ],
    ids=[
        "his discard",
        "the card turned down",
        "the card left out",
        "what he gave",
        "what he put away",
        "the card taken by a dealer who has no trump",
    ],
)
def test_the_claimer_counts_what_he_knows_of(hands: dict[Seat, str], options: dict[str, Any], before: str) -> None:
    """R-PLAY-5: only one card could beat him, and he knows that nobody who plays has it."""
    game = table(hands=hands, no_trump="round2", claim="validated", **options)
    assert "claim" in legal(after(game, *before.split(", ")))


def test_a_hand_shown_for_relief_stays_shown_when_the_rest_is_claimed() -> None:
    """R-PLAY-5, R-RELIEF-1."""
    game = table(
        hands={1: "As Ah Ad 9s Ts"},
        upcard="9c",
        buried="Ks Qs Js",
        relief="swap3",
        relief_hand="ace_no_face",
        no_trump="round2",
        claim="validated",
    )
    game = after(game, "relief As 9s Ts", *PASSES, "call n", "claim")
    assert view_for(game, WATCHER).shown == ((1, cards("As Ah Ad 9s Ts")), (1, cards("Ah Ad Ks Qs Js")))


def test_what_the_claimer_cannot_know_of_may_be_anywhere() -> None:
    """R-PLAY-5, R-VIEW-1: that a claim is open tells nobody that the dealer buried the ace."""
    game = table(hands={0: "As 9c Tc Qc Kc", 1: "Jh Jd Ah Kh Ks"}, upcard="Qh", claim="validated")
    assert refusal(after(game, "order", "discard As"), 1, "claim") is Code.CLAIM_NOT_CERTAIN
    game = table(hands={1: "Jh Kh Qh Th 9h"}, upcard="Ah", claim="validated")
    assert refusal(after(game, "order", "discard Ah"), 1, "claim") is Code.CLAIM_NOT_CERTAIN


@pytest.mark.parametrize("exchange", ["off", "call_for_best"])
def test_a_sitting_dealer_may_have_passed_the_upcard_to_the_lone_maker(exchange: str) -> None:
    """R-PLAY-5, R-ALONE-5: a defender cannot rule it out there."""
    game = table(hands={0: "Jd Ah Kh Qh Th"}, dealer=3, upcard="Jh", claim="validated", partner_exchange=exchange)
    game = after(game, "pass", "order alone")
    game = after(game, next(action for action in legal(game) if action != "discard Jh"))
    if exchange == "call_for_best":
        game = after(game, legal(game)[0], "give Jh")
    assert to_act(game) == 0
    assert ("claim" in legal(game)) is (exchange == "off")


def test_who_threw_something_on_a_benny_has_no_trump() -> None:
    """R-PLAY-5, R-CARD-4: a Benny led asks for trump, so who plays something else has none."""
    game = table(
        hands={0: "Ts 9d Td Qd Kd", 1: "Bj As Ks Qs Js", 2: "9s 9c Tc Jc Qc", 3: "9h Qh Ad Kc Ac"},
        upcard="Th",
        jokers=1,
        claim="validated",
    )
    game = after(game, "order alone", "discard Th")
    assert "claim" not in legal(game)
    assert "claim" in legal(after(game, "play Bj", "play 9c", "play 9d"))


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_no_play_of_the_cards_beats_a_certain_claim(seed: int) -> None:
    """Where a claim is offered in a real game, leading trumps and then from the top wins every trick there was."""
    rng = Random(seed)
    hands = {1: " ".join(rng.sample(["Jh", "Jd", "Ah", "Kh", "Qh", "As", "Ac", "Ad"], 5))}
    game = after(table(hands=hands, upcard="9h", claim="validated"), "order", "discard 9h")
    while isinstance(game.stage, Playing):
        seat = to_act(game)
        assert seat is not None
        if CLAIM in legal_actions(game):
            check_by_playing(game.stage, seat, rng)
            return
        game, _ = apply(game, seat, rng.choice(legal_actions(game)))


def check_by_playing(stage: Playing, claimer: Seat, rng: Random) -> None:
    """Play the rest with random replies: the claimer wins every trick."""
    trump = stage.made.trump
    hands = {seat: stage.hands[seat] for seat in SEATS if seat not in stage.sitting}
    order = sorted(hands[claimer], key=lambda card: -strength(card, trump))
    for lead in order:
        cards = [lead]
        for seat, hand in hands.items():
            if seat != claimer:
                reply = rng.choice(legal_cards(hand, lead, trump))
                hands[seat] = tuple(card for card in hand if card != reply)
                cards.append(reply)
        assert trick_winner(cards, trump) == 0
