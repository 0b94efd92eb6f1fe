"""Small tables for tests: a deal that gives each seat the cards a test needs, and actions by their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from engine.actions import ALL_ACTIONS, Action, parse_action
from engine.alone import AloneWindow
from engine.bidding import RoundOne, RoundTwo
from engine.cards import LEFT_OF, SEATS, Card, Cards, Seat, clockwise_from, make_pack, parse_card, team_of
from engine.defence import DefenceWindow
from engine.errors import Code, IllegalActionError
from engine.events import Event, Events, FourHands, HandScored
from engine.exchange import Exchanging
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.naming import NamingTrump
from engine.pickup import Discarding
from engine.play import Playing
from engine.rules import Alone, AloneTiming, Rules, make_rules
from engine.state import Game, Made, Phase

PASSES = ("pass",) * 4
"""A whole round of passes."""


def cards(text: str) -> Cards:
    """Read cards written apart: ``"Js 9s"``."""
    return tuple(parse_card(word) for word in text.split())


# ── deals ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def stacked_deck(
    rules: Rules,
    *,
    dealer: Seat = 0,
    hands: Mapping[Seat, str] | None = None,
    upcard: str | None = None,
    buried: str = "",
) -> Cards:
    """Return a deck that deals the named cards; the others fill the rest in the order of the pack (R-DEAL-1)."""
    named = {seat: cards((hands or {}).get(seat, "")) for seat in SEATS}
    top = cards(upcard or "")
    under = cards(buried)
    taken = {card for hand in (*named.values(), top, under) for card in hand}
    rest = iter([card for card in make_pack(rules.low_rank, rules.jokers) if card not in taken])
    deck: list[Card] = []
    for seat in clockwise_from(LEFT_OF[dealer]):
        deck += [*named[seat], *(next(rest) for _ in range(5 - len(named[seat])))]
    deck += top or (next(rest),)
    return (*deck, *under, *rest)


def standing_at(rules: Rules, *, score: tuple[int, int] = (0, 0), hands_scored: int = 0) -> Game:
    """Return a game before a deal of any seat, with that score."""
    game = new_game(rules)
    return replace(game, standing=replace(game.standing, score=score, hands_scored=hands_scored))


def table(
    *,
    dealer: Seat = 0,
    hands: Mapping[Seat, str] | None = None,
    upcard: str | None = None,
    buried: str = "",
    score: tuple[int, int] = (0, 0),
    hands_scored: int = 0,
    preset: str = "standard",
    **options: object,
) -> Game:
    """Return a game whose hand was just dealt, under *preset* with *options*."""
    rules = make_rules(preset, options)
    deck = stacked_deck(rules, dealer=dealer, hands=hands, upcard=upcard, buried=buried)
    return deal(standing_at(rules, score=score, hands_scored=hands_scored), deck, dealer=dealer)[0]


def shuffled_table(seed: int, rules: Rules, *, dealer: Seat = 0, score: tuple[int, int] = (0, 0)) -> Game:
    """Return a game whose hand was just dealt from a deck shuffled by *seed*."""
    return deal(standing_at(rules, score=score), shuffled(rules, Random(seed)), dealer=dealer)[0]


def shuffled(rules: Rules, rng: Random) -> Cards:
    """Return the pack of *rules* in a random order."""
    deck = list(make_pack(rules.low_rank, rules.jokers))
    rng.shuffle(deck)
    return tuple(deck)


# ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def happened(game: Game, *texts: str) -> tuple[Game, Events]:
    """Take each action for the seat to act: the game after the last, and all that happened."""
    events: list[Event] = []
    for text in texts:
        seat = to_act(game)
        assert seat is not None, f"nobody to {text}"
        game, more = apply(game, seat, parse_action(text))
        events += more
    return game, tuple(events)


def after(game: Game, *texts: str) -> Game:
    """Take each action for the seat to act."""
    return happened(game, *texts)[0]


def legal(game: Game) -> list[str]:
    """Return the texts of what the seat to act may do."""
    return [str(action) for action in legal_actions(game)]


def refusal(game: Game, seat: Seat, text: str) -> Code | None:
    """Return why *seat* may not do *text* now; None where it may."""
    return refusal_of(game, seat, parse_action(text))


def refusal_of(game: Game, seat: Seat, action: Action) -> Code | None:
    """Return why *seat* may not take *action* now; None where it may."""
    try:
        apply(game, seat, action)
    except IllegalActionError as error:
        return error.code
    return None


def every_refusal(game: Game, seat: Seat) -> list[Code | None]:
    """Return why *seat* may not take each conceivable action, in order; None for those it may."""
    return [refusal_of(game, seat, action) for action in ALL_ACTIONS]


# ── hands that come out as a test needs them ─────────────────────────────────────────────────────────────────────────


def rules_for(maker: Seat, alone: Sequence[Seat], **options: object) -> Rules:
    """Return rules under which the seats *alone* may play alone in a hand that *maker* made."""
    wanted: dict[str, object] = {}
    if (maker + 2) % 4 in alone:
        wanted = {"alone": "maker_side", "alone_timing": "before_first_lead"}
    if any(team_of(seat) != team_of(maker) for seat in alone):
        wanted["defend_alone"] = "any"
    return make_rules("standard", wanted | options)


def settle(game: Game, *, maker: Seat, alone: Sequence[Seat] = (), round_: int = 1, trump: str = "") -> Game:
    """Bring a dealt hand to its first lead: *maker* makes trump in *round_*, the seats *alone* play alone.

    In round two *trump* is called, by default the first suit that may be.
    """
    while game.stage.phase is not Phase.PLAY:
        game = after(game, _settling(game, maker, alone, round_, trump))
    return game


def _settling(game: Game, maker: Seat, alone: Sequence[Seat], round_: int, trump: str) -> str:
    seat, options = to_act(game), legal(game)
    with_call = game.standing.rules.alone_timing is AloneTiming.WITH_CALL
    suffix = " alone" if maker in alone and with_call and game.standing.rules.alone is not Alone.OFF else ""
    match game.stage.phase:
        case Phase.ROUND_ONE:
            return f"order{suffix}" if seat == maker and round_ == 1 else "pass"
        case Phase.ROUND_TWO if seat == maker:
            call = trump or next(text.split()[1] for text in options if text.startswith("call"))
            return f"call {call}{suffix}"
        case Phase.ROUND_TWO:
            return "pass"
        case Phase.ALONE:
            return "alone" if seat in alone else "together"
        case Phase.DEFEND:
            return "defend alone" if seat in alone else "defend together"
        case _:
            return options[0]


def played_out(game: Game, rng: Random) -> tuple[Game, Events]:
    """Play a hand from its first lead to its end with random legal cards."""
    events: list[Event] = []
    while (seat := to_act(game)) is not None:
        game, more = apply(game, seat, rng.choice(legal_actions(game)))
        events += more
    return game, tuple(events)


def scored_hand(
    rules: Rules,
    *,
    maker: Seat,
    alone: Sequence[Seat],
    maker_team_tricks: int,
    score: tuple[int, int] = (0, 0),
    trump: str = "",
) -> tuple[Game, HandScored]:
    """Play random hands, dealt by seat 0 at *score*, until one comes out with *maker_team_tricks*."""
    for seed in range(20_000):
        game = shuffled_table(seed, rules, score=score)
        ready = settle(game, maker=maker, alone=alone, round_=2 if trump else 1, trump=trump)
        done, events = played_out(ready, Random(seed))
        scored = next(event for event in events if isinstance(event, HandScored))
        if scored.tricks[team_of(maker)] == maker_team_tricks:
            return done, scored
    raise AssertionError("no such hand found")


# ── looking inside ───────────────────────────────────────────────────────────────────────────────────────────────────


def made_of(game: Game) -> Made:
    """Return the made hand of a game in a phase that has one."""
    assert isinstance(game.stage, Discarding | AloneWindow | Exchanging | DefenceWindow | Playing)
    return game.stage.made


def hands_of(game: Game) -> FourHands:
    """Return the cards in the four hands of a hand being played."""
    match game.stage:
        case NamingTrump():
            return game.stage.dealt.hands
        case RoundOne() | RoundTwo() | Playing():
            return game.stage.hands
        case _:
            return made_of(game).hands
