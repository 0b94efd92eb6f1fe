"""A bot put through every kind of decision: what it answered that does not count, and how long it took."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bots.sdk.bot import Bot, BotFaultError, rule_of_thumb
from bots.sdk.hosting import Host
from bots.sdk.loading import BotSource
from bots.sdk.scenes import SCENES
from engine.actions import Action
from engine.cards import SEATS, Seat, make_pack
from engine.game import apply, deal, legal_actions, new_game, phase_of, to_act
from engine.rules import PRESETS, Rules, make_rules
from engine.state import Game, Phase
from engine.view import view_for

_HANDS_A_PRESET: Final = 4
_SEED: Final = 2


@dataclass(frozen=True, slots=True)
class Checked:
    """One decision: where it was, how long it took, and the fault if there was one.

    ``decision`` counts what the bot was asked in that hand, from 1; 0 is its `close`, told only where it went wrong.
    """

    hand: str
    decision: int
    seat: Seat
    phase: Phase
    legal: tuple[Action, ...]
    took_s: float
    fault: BotFaultError | None


def check(source: BotSource, *, limit_s: float) -> Iterator[Checked]:
    """Let the bot play every scene at its seat, then whole hands of every preset at all four. Raises LoadError."""
    host = Host()
    program = source.make() if source.is_program else None
    try:
        for name, game, seats in _hands():
            bots = {seat: program or source.make() for seat in seats}
            yield from _check_hand(host, bots, name, game, limit_s=limit_s)
            if program is None:
                yield from _end(host, bots, name)
    finally:
        if program is not None:
            host.end(program)
        host.close()


def _hands() -> Iterator[tuple[str, Game, tuple[Seat, ...]]]:
    for scene in SCENES:
        yield scene.name, scene.game(), (scene.seat,)
    for preset in PRESETS:
        rng = random.Random(f"{_SEED}/{preset}")
        for number in range(1, _HANDS_A_PRESET + 1):
            yield f"{preset} {number}", _dealt(make_rules(preset), rng), SEATS


def hands_checked() -> int:
    """Return how many hands a check plays."""
    return len(SCENES) + _HANDS_A_PRESET * len(PRESETS)


def _dealt(rules: Rules, rng: random.Random) -> Game:
    pack = make_pack(rules.low_rank, rules.jokers)
    return deal(new_game(rules), tuple(rng.sample(pack, len(pack))), dealer=rng.randrange(4))[0]


def _check_hand(host: Host, bots: Mapping[Seat, Bot], name: str, game: Game, *, limit_s: float) -> Iterator[Checked]:
    """Play *game* to the end of its hand, *bots* at their seats and rules of thumb at the others."""
    number = 0
    while (seat := to_act(game)) is not None:
        action, *others = legal = legal_actions(game)
        if others and seat in bots:
            number += 1
            checked, action = _ask(host, bots[seat], game, limit_s=limit_s, hand=name, number=number)
            yield checked
        elif others:
            action = rule_of_thumb(view_for(game, seat), legal, game.standing.rules)
        game, _ = apply(game, seat, action)


def _end(host: Host, bots: Mapping[Seat, Bot], name: str) -> Iterator[Checked]:
    for seat, bot in bots.items():
        begun = time.perf_counter()
        if (fault := host.end(bot)) is not None:
            yield Checked(name, 0, seat, Phase.OVER, (), time.perf_counter() - begun, fault)


def _ask(host: Host, bot: Bot, game: Game, *, limit_s: float, hand: str, number: int) -> tuple[Checked, Action]:
    seat, legal, rules = to_act(game), legal_actions(game), game.standing.rules
    assert seat is not None
    view = view_for(game, seat)
    begun, fault = time.perf_counter(), None
    try:
        action = host.decide(bot, view, legal, rules, seed=number, limit_s=limit_s)
    except BotFaultError as error:
        action, fault = rule_of_thumb(view, legal, rules), error
    took_s = time.perf_counter() - begun
    return Checked(hand, number, seat, phase_of(game), legal, took_s, fault), action
