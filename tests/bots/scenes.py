"""Views made by hand, and whole hands played by policies, for the tests of bots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from bots.hard import Searching
from bots.policy import LEVELS, Policy, decide
from bots.uniform import Uniform
from engine.actions import CALLS, ORDER, PASS, Action, parse_action
from engine.cards import CARDS_PER_HAND, Card, Cards, Seat, Trump, legal_cards, make_pack, parse_cards, trick_winner
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game, Phase, UpcardFate
from engine.view import TrickSeen, View, view_for

RULES = Rules()


def at_a_glance(policy: Policy) -> Policy:
    """Return the same policy with little to search, so that a test can play many hands."""
    return replace(policy, bids=3, layouts=3, work=20_000) if isinstance(policy, Searching) else policy


QUICK: dict[str, Policy] = {name: at_a_glance(policy) for name, policy in LEVELS.items()}
"""The levels, those that search looking at a few layouts only."""
EVERY_LEVEL: tuple[Policy, ...] = (LEVELS["standard"], LEVELS["easy"], LEVELS["standard"], Uniform())
"""A table of different players, one a seat."""


def cards(text: str) -> Cards:
    """Read cards set apart by spaces."""
    return parse_cards(text.replace(" ", ""))


def played(text: str, *, leader: Seat, sitting: Sequence[Seat] = ()) -> tuple[tuple[Seat, Card], ...]:
    """Read the cards of a trick in the order they were played."""
    seats = [seat for offset in range(4) if (seat := (leader + offset) % 4) not in sitting]
    return tuple(zip(seats, cards(text), strict=False))


def playing(
    hand: str,
    *,
    trump: Trump,
    maker: Seat | None,
    trick: str = "",
    leader: Seat = 0,
    seat: Seat = 0,
    dealer: Seat = 3,
    upcard: str = "",
    fate: UpcardFate = UpcardFate.TURNED_DOWN,
    before: Sequence[tuple[Seat, str]] = (),
    **others: Any,
) -> View:
    """Return *seat*'s view while it chooses a card: *before* are the tricks gone, each with its leader.

    Everybody passed until the maker called.
    """
    tricks = []
    for who, text in before:
        seats_cards = played(text, leader=who)
        winner = seats_cards[trick_winner([card for _, card in seats_cards], trump)][0]
        tricks.append(TrickSeen(winner, seats_cards))
    table = played(trick, leader=leader)
    left = CARDS_PER_HAND - len(tricks)
    counts = [left - (other in {who for who, _ in table}) for other in range(4)]
    won = [sum(trick.winner % 2 == team for trick in tricks) for team in (0, 1)]
    return View(
        viewer=seat,
        phase=Phase.PLAY,
        to_act=seat,
        hand=1,
        dealer=dealer,
        upcard=Card(upcard) if upcard else Card("9c" if trump != "c" else "9d"),
        upcard_fate=fate,
        cards=cards(hand),
        counts=(counts[0], counts[1], counts[2], counts[3]),
        trump=trump,
        maker=maker,
        leader=leader,
        trick=table,
        tricks=tuple(tricks),
        won=(won[0], won[1]),
        **{"calls": _calls(trump, maker, dealer, fate), **others},
    )


def _calls(trump: Trump, maker: Seat | None, dealer: Seat, fate: UpcardFate) -> tuple[tuple[Seat, Action], ...]:
    if maker is None:
        return ()
    is_ordered = fate is not UpcardFate.TURNED_DOWN
    passes = (maker - dealer - 1) % 4 + (0 if is_ordered else 4)
    call = ORDER if is_ordered else CALLS[trump, False]
    return (*[((dealer + 1 + at) % 4, PASS) for at in range(passes)], (maker, call))


def bidding(
    hand: str,
    *,
    upcard: str,
    round_two: bool = False,
    seat: Seat = 0,
    dealer: Seat = 3,
    score: tuple[int, int] = (0, 0),
) -> View:
    """Return *seat*'s view when it bids and nobody has called."""
    passes = [(dealer + 1 + at) % 4 for at in range((seat - dealer - 1) % 4 + (4 if round_two else 0))]
    return View(
        viewer=seat,
        phase=Phase.ROUND_TWO if round_two else Phase.ROUND_ONE,
        to_act=seat,
        score=score,
        hand=1,
        dealer=dealer,
        upcard=Card(upcard),
        upcard_fate=UpcardFate.TURNED_DOWN if round_two else UpcardFate.UP,
        calls=tuple((who, PASS) for who in passes),
        cards=cards(hand),
        counts=(5, 5, 5, 5),
    )


def card_of(view: View, level: str = "standard", *, rules: Rules = RULES, seed: int = 0) -> str:
    """Return the card a bot of *level* plays."""
    assert view.trump is not None
    led = view.trick[0][1] if view.trick else None
    legal = [action_of(f"play {card}") for card in legal_cards(view.cards, led, view.trump)]
    return str(decide(level, view, legal, rules, seed)).removeprefix("play ")


def bid_of(view: View, legal: str, level: str = "standard", *, rules: Rules = RULES, seed: int = 0) -> str:
    """Return what a bot of *level* says when it may say *legal*, set apart by commas."""
    return str(decide(level, view, [action_of(text.strip()) for text in legal.split(",")], rules, seed))


def action_of(text: str) -> Action:
    return parse_action(text)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a hand: what the seat saw, could do and did."""

    seat: Seat
    view: View
    legal: tuple[Action, ...]
    action: Action
    game: Game


def play_hands(policies: Sequence[Policy], rules: Rules, *, hands: int, seed: int) -> Iterator[Decision]:
    """Play *hands* deals of a game, or fewer if it ends, and yield every decision."""
    rng = Random(seed)
    pack = make_pack(rules.low_rank, rules.jokers)
    game = new_game(rules)
    for _ in range(hands):
        stage = game.stage
        if isinstance(stage, Finished):
            return
        assert isinstance(stage, AwaitingDeal)
        dealer = rng.randrange(4) if stage.dealer is None else stage.dealer
        game, _ = deal(game, tuple(rng.sample(pack, len(pack))), dealer=dealer)
        while (seat := to_act(game)) is not None:
            view, legal = view_for(game, seat), legal_actions(game)
            action = policies[seat].decide(view, legal, rules, Random(rng.getrandbits(32)))
            yield Decision(seat, view, legal, action, game)
            game, _ = apply(game, seat, action)
