"""Hands and games played by four policies, every decision timed and checked."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bots.arena.tally import Sheet
from bots.policy import Policy
from bots.sdk.bot import BotFaultError, read_answer, rule_of_thumb
from engine.actions import Action
from engine.cards import Cards, Seat, make_pack
from engine.events import HandScored
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.record import action_line, deal_line, header_line
from engine.rules import Rules
from engine.state import AwaitingDeal, Finished, Game
from engine.view import View, view_for


@dataclass(frozen=True, slots=True)
class Player:
    """One seat: who plays it, and the sheet its decisions are noted on."""

    policy: Policy
    sheet: Sheet


Seats: TypeAlias = tuple[Player, Player, Player, Player]


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of one hand, who deals them, and the seed of every random number in it."""

    deck: Cards
    dealer: Seat
    seed: int


@dataclass(frozen=True, slots=True)
class HandPlayed:
    """A hand and all that was done in it; ``result`` is None when it was thrown in."""

    deal: Deal
    actions: tuple[tuple[Seat, Action], ...]
    result: HandScored | None


def make_deal(rules: Rules, rng: random.Random) -> Deal:
    """Return a deal of the pack of *rules*."""
    pack = make_pack(rules.low_rank, rules.jokers)
    return Deal(tuple(rng.sample(pack, len(pack))), rng.randrange(4), rng.getrandbits(48))


def play_hand(seats: Seats, rules: Rules, cards: Deal) -> HandPlayed:
    """Play one hand by itself, at 0-0."""
    return _play_hand(new_game(rules), seats, cards, dealer=cards.dealer)[1]


def play_game(seats: Seats, rules: Rules, rng: random.Random) -> int | None:
    """Play a whole game and return the team that won, None for a draw."""
    game = new_game(rules)
    while not isinstance(stage := game.stage, Finished):
        assert isinstance(stage, AwaitingDeal)
        cards = make_deal(rules, rng)
        game, _ = _play_hand(game, seats, cards, dealer=cards.dealer if stage.dealer is None else stage.dealer)
    return stage.winner


def _play_hand(game: Game, seats: Seats, cards: Deal, *, dealer: Seat) -> tuple[Game, HandPlayed]:
    rules, rng = game.standing.rules, random.Random(cards.seed)
    game, _ = deal(game, cards.deck, dealer=dealer)
    actions: list[tuple[Seat, Action]] = []
    while (seat := to_act(game)) is not None:
        action, *others = legal = legal_actions(game)
        if others:
            action = _decision(seats[seat], view_for(game, seat), legal, rules, rng.getrandbits(48))
        game, _ = apply(game, seat, action)
        actions.append((seat, action))
    assert isinstance(game.stage, AwaitingDeal | Finished)
    return game, HandPlayed(cards, tuple(actions), game.stage.result)


def _decision(player: Player, view: View, legal: Sequence[Action], rules: Rules, seed: int) -> Action:
    """Return what *player* does: one of *legal*, or what the rule of thumb does where the answer does not count."""
    begun = time.perf_counter()
    try:
        return read_answer(player.policy.decide(view, legal, rules, random.Random(seed)), legal)
    except BotFaultError as fault:
        player.sheet.note_fault(fault)
        return rule_of_thumb(view, legal, rules)
    finally:
        player.sheet.times_s.append(time.perf_counter() - begun)


def record_of(hand: HandPlayed, seats: Seats, rules: Rules, *, preset: str, game: str) -> tuple[str, ...]:
    """Return the record of *hand*, format euchre/1, a line each."""
    players = [{"seat": seat, "name": player.policy.name, "kind": "bot"} for seat, player in enumerate(seats)]
    cards = hand.deal
    return (
        header_line(rules, preset=preset, players=players, game=game),
        deal_line(1, hand=1, dealer=cards.dealer, deck=cards.deck),
        *(action_line(n, seat, action) for n, (seat, action) in enumerate(hand.actions, start=2)),
    )
