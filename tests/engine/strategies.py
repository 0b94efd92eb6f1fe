"""Random rules and random games for the property tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from hypothesis import strategies as st

from engine.actions import Action, Pass
from engine.cards import BENNY, CARDS_PER_HAND, SEATS, Cards, Seat
from engine.errors import RulesError
from engine.events import Events
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Relief, ReliefHand, Rules, make_rules
from engine.state import AwaitingDeal, Finished, Game
from tests.engine.table import shuffled

seeds = st.integers(0, 2**32 - 1)

VALUES: Final[dict[str, tuple[object, ...]]] = {
    "low_rank": (9, 9, 8, 7),
    "jokers": (0, 1),
    "benny_turned": ("dealer_names", "dealer_names_blind", "as_spades"),
    "partner_exchange": ("off", "call_for_best"),
    "claim": ("off", "validated"),
    "relief": ("off", "redeal", "swap3"),
    "relief_hand": ("nines_tens", "no_ace_no_face", "ace_no_face"),
    "all_pass": ("stick", "redeal"),
    "redeal_dealer": ("next", "same"),
    "no_trump": ("off", "round2", "stuck_only"),
    "low_no_trump": (False, True),
    "dealer_partner_round1": ("free", "alone_or_pass"),
    "order_requires": ("none", "any_trump", "natural_trump"),
    "upcard_counts": (False, True),
    "alone": ("maker", "maker_side", "off"),
    "alone_timing": ("with_call", "before_first_lead"),
    "defend_alone": ("off", "vs_lone", "any"),
    "sitting_dealer": ("picks_up", "skips"),
    "upcard_discard": (False, True),
    "loner_lead": ("left_of_dealer", "left_of_loner"),
    "lone_march": (4, 3, 5),
    "lone_euchred": (2, 4),
    "lone_defender": (4, 2, 1),
    "super_euchre": (0, 4, 3),
    "tricks_needed": (3, 4),
    "lone_must_sweep": (False, True),
    "target": (1, 5, 10),
    "win_by": (1, 2),
    "reveal": ("all", "own_only"),
    "spectator_hands": ("never", "after_hand"),
}
"""Options and values that tables try, the likelier ones more than once."""
_FIXED_HANDS: Final = st.builds(lambda hands: {"target": None, "hands": hands}, st.integers(1, 4))


@st.composite
def playable_rules(draw: st.DrawFn, /, **forced: object) -> Rules:
    """Draw rules a table may have: a few options off their default, *forced* ones as given."""
    chosen = draw(
        st.fixed_dictionaries({}, optional={name: st.sampled_from(values) for name, values in VALUES.items()})
    )
    if draw(st.booleans()):
        chosen |= draw(_FIXED_HANDS)
    chosen |= forced
    while True:
        try:
            return make_rules("standard", chosen)
        except RulesError as error:
            del chosen[[name for name in error.problems if name in chosen and name not in forced][-1]]


@dataclass(frozen=True, slots=True)
class Deal:
    """The entry of a log that deals a hand."""

    deck: Cards
    dealer: Seat


@dataclass(frozen=True, slots=True)
class Act:
    """The entry of a log in which a seat acts."""

    seat: Seat
    action: Action


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a random game: the game before it, what happened, the game after it."""

    before: Game
    entry: Deal | Act
    events: Events
    after: Game


def follow(game: Game, entry: Deal | Act) -> tuple[Game, Events]:
    """Apply one entry of a log."""
    if isinstance(entry, Deal):
        return deal(game, entry.deck, dealer=entry.dealer)
    return apply(game, entry.seat, entry.action)


def random_game(rules: Rules, seed: int, *, hands: int = 99) -> Iterator[Step]:
    """Play a random game of at most *hands* deals. How often its players pass when they may differs by game."""
    rng = Random(seed)
    pass_share = rng.choice([0.0, 0.5, 0.9, 0.97])
    game = new_game(rules)
    while not isinstance(game.stage, Finished):
        if isinstance(game.stage, AwaitingDeal) and game.standing.hands_dealt == hands:
            return
        entry = _random_entry(game, rng, pass_share)
        after, events = follow(game, entry)
        yield Step(game, entry, events, after)
        game = after


def _random_entry(game: Game, rng: Random, pass_share: float) -> Deal | Act:
    stage = game.stage
    if isinstance(stage, AwaitingDeal):
        dealer = rng.choice(SEATS) if stage.dealer is None else stage.dealer
        return Deal(random_deck(game.standing.rules, rng), dealer)
    seat, actions = to_act(game), legal_actions(game)
    assert seat is not None
    if isinstance(actions[0], Pass) and rng.random() < pass_share:
        return Act(seat, actions[0])
    return Act(seat, random_action(actions, rng))


def random_action(actions: Sequence[Action], rng: Random) -> Action:
    """Choose a kind of action, then one of that kind, so that a claim or a lone call is no rare choice."""
    kinds: dict[object, list[Action]] = {}
    for action in actions:
        kinds.setdefault((type(action), getattr(action, "alone", False)), []).append(action)
    return rng.choice(rng.choice(list(kinds.values())))


_UPCARD_AT: Final = CARDS_PER_HAND * len(SEATS)
_POOR_RANKS: Final = {
    ReliefHand.NINES_TENS: "9T",
    ReliefHand.NO_ACE_NO_FACE: "789T",
    ReliefHand.ACE_NO_FACE: "789TA",
}


def random_deck(rules: Rules, rng: Random) -> Cards:
    """Return the shuffled pack, often with what is rare: a poor hand where there is relief, a Benny turned up."""
    deck = list(shuffled(rules, rng))
    if rules.relief is not Relief.OFF and rng.random() < 0.3:
        poor = [card for card in deck if card[0] in _POOR_RANKS[rules.relief_hand]][:CARDS_PER_HAND]
        rest = [card for card in deck if card not in poor]
        at = CARDS_PER_HAND * rng.choice(SEATS)
        deck = [*rest[:at], *poor, *rest[at:]]
    if rules.jokers and rng.random() < 0.3:
        at = deck.index(BENNY)
        deck[at], deck[_UPCARD_AT] = deck[_UPCARD_AT], deck[at]
    return tuple(deck)
