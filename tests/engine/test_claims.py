"""Claims: offered when they win in every layout the claimer cannot rule out, and only then (R-PLAY-5)."""

from __future__ import annotations

from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import CLAIM
from engine.cards import SEATS, Card, Cards, Seat, Trump, effective_suit, legal_cards, make_pack, strength, trick_winner
from engine.claims import wins_every_trick
from engine.errors import Code
from engine.events import RestClaimed
from engine.game import apply, legal_actions, to_act
from engine.play import Playing
from engine.view import WATCHER, view_for
from tests.engine.strategies import seeds
from tests.engine.table import after, happened, legal, refusal, table

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


@settings(max_examples=150, deadline=None)
@given(seeds, st.integers(1, 3), st.sampled_from(TRUMPS), st.integers(0, 1))
def test_the_check_is_the_exhaustive_one(seed: int, left: int, trump: Trump, jokers: int) -> None:
    """Against every hand one other player may hold, and every order of leads and replies.

    A leader who may choose his leads after seeing the cards is beaten only where no order of leads holds.
    """
    rng = Random(seed)
    pack = list(make_pack(9, jokers))
    rng.shuffle(pack)
    strong = sorted(pack, key=lambda card: -(effective_suit(card, trump) == trump))
    hand = tuple(strong[:left] if rng.random() < 0.5 else pack[:left])
    rest = [card for card in pack if card not in hand]
    unseen = frozenset(rest[: rng.randint(left, 7)])
    expected = not any(beaten_by(hand, other, trump) for other in combinations(sorted(unseen), left))
    assert wins_every_trick(hand, {1: unseen}, trump) == expected


def test_a_claim_takes_the_tricks_to_come_and_shows_the_hand() -> None:
    """R-PLAY-5: the seat about to lead with both bowers and the next three trumps."""
    game = table(hands={1: "Jh Jd Ah Kh Qh"}, upcard="Th", claim="validated")
    game = after(game, "order", "discard Th")
    assert "claim" in legal(game)
    game, events = happened(game, "claim")
    assert isinstance(events[0], RestClaimed)
    assert events[0].tricks == 5
    view = view_for(game, WATCHER)
    assert view.won == (0, 5)
    assert view.shown == ((1, events[0].cards),)
    assert view.score == (0, 2)


def test_a_claim_that_is_not_certain_is_refused_and_reveals_nothing() -> None:
    """R-PLAY-5."""
    game = after(table(hands={1: "Jh Jd Ah Kh 9s"}, upcard="Th", claim="validated"), "order", "discard Th")
    assert refusal(game, 1, "claim") is Code.CLAIM_NOT_CERTAIN
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
    """R-PLAY-5: layouts the claimer can rule out do not count."""
    hand, held = (Card("Ks"),), frozenset(map(Card, ["As", "9h", "Th"]))
    assert not wins_every_trick(hand, {1: held}, "d")
    assert wins_every_trick(hand, {1: frozenset(map(Card, ["9h", "Th"]))}, "d")


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
