"""Twenty thousand hands under random option sets: the laws that hold whatever a table chose."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import Cards, make_pack, team_of
from engine.errors import RulesError
from engine.events import Discarded, HandScored, HandThrownIn, RestClaimed
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.play import Playing
from engine.rules import PRESETS, Rules, make_rules, rules_to_plain
from engine.scoring import score_hand
from engine.state import AwaitingDeal, Finished, Game
from tests.engine.table import shuffled

HANDS = 5_000
"""Of each of four runs."""
MOST_ACTIONS = 8 + 4 + 1 + 2 + 2 + 2 + 20
"""Bids, relief, a discard, the windows, an exchange and the cards: no hand takes more."""


def random_rules(rng: Random) -> Rules:
    """Return rules a table may have, any option off its default."""
    while True:
        base = rules_to_plain(make_rules(rng.choice(list(PRESETS))))
        other = rules_to_plain(make_rules(rng.choice(list(PRESETS))))
        mixed = {name: rng.choice((base, other))[name] for name in base}
        extra: dict[str, object] = {
            "low_rank": rng.choice((9, 8, 7)),
            "no_trump": rng.choice(("off", "round2", "stuck_only")),
            "low_no_trump": rng.random() < 0.5,
            "order_requires": rng.choice(("none", "any_trump", "natural_trump")),
            "loner_lead": rng.choice(("left_of_dealer", "left_of_loner")),
            "claim": rng.choice(("off", "validated")),
            "relief": rng.choice(("off", "redeal", "swap3")),
            "relief_hand": rng.choice(("nines_tens", "no_ace_no_face", "ace_no_face")),
            "super_euchre": rng.choice((0, 4)),
            "lone_must_sweep": rng.random() < 0.5,
            "upcard_discard": rng.random() < 0.5,
        }
        mixed |= {name: value for name, value in extra.items() if rng.random() < 0.5}
        try:
            return make_rules("standard", mixed)
        except RulesError:
            continue


def check_cards(game: Game, pack: Cards) -> None:
    """See that every card is in one place (in the stage a hand is played in)."""
    stage = game.stage
    assert isinstance(stage, Playing)
    in_hands = [card for hand in stage.hands for card in hand]
    played = [*stage.trick, *(card for trick in stage.tricks for card in trick.cards)]
    placed = set(in_hands) | set(played)
    assert len(placed) == len(in_hands) + len(played) == 20
    assert placed <= set(pack)
    assert stage.made.discard not in placed


@pytest.mark.parametrize("seed", range(4))
def test_the_laws_hold_over_thousands_of_hands(seed: int) -> None:
    """Cards are conserved, points come as §7 says, every hand ends, and chains of throw-ins do too."""
    rng = Random(seed)
    hands = 0
    while hands < HANDS:
        rules = random_rules(rng)
        pack = make_pack(rules.low_rank, rules.jokers)
        game, chain = new_game(rules), 0
        for _ in range(12):
            if isinstance(game.stage, Finished):
                break
            assert isinstance(game.stage, AwaitingDeal)
            before = game.standing
            dealer = rng.randrange(4) if game.stage.dealer is None else game.stage.dealer
            game, _ = deal(game, shuffled(rules, rng), dealer=dealer)
            hands += 1
            game, chain = played(game, pack, rng, before.score, chain)
            assert chain < 200


def played(game: Game, pack: Cards, rng: Random, score: tuple[int, int], chain: int) -> tuple[Game, int]:
    """Play one hand at random and check it: the game after it, and how many hands in a row were thrown in."""
    rules, actions, claimed = game.standing.rules, 0, (0, 0)
    while (seat := to_act(game)) is not None:
        game, events = apply(game, seat, rng.choice(legal_actions(game)))
        actions += 1
        if isinstance(game.stage, Playing) and any(isinstance(event, Discarded) for event in events):
            check_cards(game, pack)
        for event in events:
            if isinstance(event, RestClaimed):
                claimed = (event.tricks, 0) if team_of(event.seat) == 0 else (0, event.tricks)
            elif isinstance(event, HandThrownIn):
                assert game.standing.score == score
                chain += 1
            elif isinstance(event, HandScored):
                chain = 0
                check_score(game, event, claimed, score)
    assert actions <= MOST_ACTIONS, rules
    return game, chain


def check_score(game: Game, event: HandScored, claimed: tuple[int, int], score: tuple[int, int]) -> None:
    stage = game.stage
    assert isinstance(stage, AwaitingDeal | Finished)
    assert isinstance(stage.last, Playing)
    made = stage.last.made
    won = [claimed[team] + sum(team_of(trick.winner) == team for trick in stage.last.tricks) for team in (0, 1)]
    assert sum(won) == 5
    assert tuple(won) == event.tricks
    team, points, _ = score_hand(game.standing.rules, maker=made.maker, alone=made.alone, tricks=event.tricks)
    assert (event.team, event.points) == (team, points)
    assert event.score == tuple(score[side] + (points if side == team else 0) for side in (0, 1))
