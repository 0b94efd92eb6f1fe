"""Random rules of every kind, random games under them, and their records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from hypothesis import strategies as st

from engine.actions import AskRelief, Pass, parse_action
from engine.cards import SEATS, Cards, make_pack
from engine.errors import RulesError
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.interchange.study import preset_of
from engine.record import action_line, deal_line, header_line, result_line
from engine.rules import Rules, make_rules
from engine.state import AwaitingDeal, Finished, Game

seeds = st.integers(0, 2**32 - 1)

VALUES: Final[dict[str, list[object]]] = {
    "low_rank": [9, 8, 7],
    "jokers": [0, 1],
    "all_pass": ["stick", "redeal"],
    "redeal_dealer": ["next", "same"],
    "no_trump": ["off", "round2", "stuck_only"],
    "low_no_trump": [False, True],
    "dealer_partner_round1": ["free", "alone_or_pass"],
    "order_requires": ["none", "any_trump", "natural_trump"],
    "upcard_counts": [True, False],
    "benny_turned": ["dealer_names", "dealer_names_blind", "as_spades"],
    "alone": ["maker", "maker_side", "off"],
    "alone_timing": ["with_call", "before_first_lead"],
    "defend_alone": ["off", "vs_lone", "any"],
    "sitting_dealer": ["picks_up", "skips"],
    "partner_exchange": ["off", "call_for_best"],
    "upcard_discard": [True, False],
    "loner_lead": ["left_of_dealer", "left_of_loner"],
    "claim": ["off", "validated"],
    "lone_march": [4, 3, 5],
    "lone_euchred": [2, 4],
    "lone_defender": [4, 2],
    "super_euchre": [0, 4],
    "tricks_needed": [3, 4],
    "lone_must_sweep": [False, True],
    "relief": ["off", "redeal", "swap3"],
    "relief_hand": ["nines_tens", "no_ace_no_face", "ace_no_face"],
    "target": [10, 1, 5],
    "win_by": [1, 2],
    "reveal": ["all", "own_only"],
    "spectator_hands": ["never", "after_hand"],
}
"""Every option with every kind of value, the default first."""


@st.composite
def playable_rules(draw: st.DrawFn, names: Sequence[str] = tuple(VALUES)) -> Rules:
    """Draw rules that differ from the standard ones in options of *names*; the game is often a few hands."""
    chosen = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(VALUES[name]) for name in names}))
    if draw(st.booleans()):
        chosen |= {"target": None, "hands": draw(st.integers(1, 4))}
    return fitting(chosen)


def fitting(chosen: Mapping[str, object]) -> Rules:
    """Return the rules with the options of *chosen* that go together."""
    options = dict(chosen)
    while True:
        try:
            return make_rules("standard", options)
        except RulesError as error:
            del options[[name for name in error.problems if name in options][-1]]


def random_record(
    rules: Rules, seed: int, *, hands: int = 4, is_in_order: bool = False, is_cut: bool = True
) -> list[str]:
    """Return the record of random play of at most *hands* deals, perhaps cut off somewhere.

    With *is_in_order* every hand is dealt, and buried, as formats that sort cards can tell it.
    """
    rng = Random(seed)
    pass_share = rng.choice([0.0, 0.5, 0.9, 0.97])
    players = [{"seat": seat, "name": name} for seat, name in enumerate(("Ann", "Bo", 'C "y"', "Dé"))]
    lines = [header_line(rules, preset=preset_of(rules), players=players, game="g 1")]
    game = new_game(rules)
    while not isinstance(game.stage, Finished):
        if isinstance(game.stage, AwaitingDeal):
            if game.standing.hands_dealt == hands:
                break
            game, line = _dealt(game, rng, len(lines), is_in_order=is_in_order)
        else:
            game, line = _acted(game, rng, len(lines), pass_share)
        lines.append(line)
    if isinstance(game.stage, Finished):
        lines.append(result_line(len(lines), score=game.standing.score, winner=game.stage.winner))
    return lines[: rng.randint(1, len(lines))] if is_cut and rng.random() < 0.5 else lines


def _dealt(game: Game, rng: Random, n: int, *, is_in_order: bool) -> tuple[Game, str]:
    stage, rules = game.stage, game.standing.rules
    assert isinstance(stage, AwaitingDeal)
    pack = make_pack(rules.low_rank, rules.jokers)
    deck = list(pack)
    rng.shuffle(deck)
    if rng.random() < 0.2:  # a poor hand left of the dealer, and a Benny turned up, come too rarely by themselves
        deck.sort(key=lambda card: card[0] not in "789T")
    if rules.jokers and rng.random() < 0.2:
        at = deck.index(pack[-1])
        deck[at], deck[20] = deck[20], deck[at]
    cards = _in_order(pack, deck) if is_in_order else tuple(deck)
    dealer = rng.choice(SEATS) if stage.dealer is None else stage.dealer
    game, _ = deal(game, cards, dealer=dealer)
    return game, deal_line(n, hand=game.standing.hands_dealt, dealer=dealer, deck=cards)


def _in_order(pack: Cards, deck: Sequence[str]) -> Cards:
    """Return the deck with each hand by suit, high cards first, and the buried cards in the pack's order."""
    falling = [card for suit in "shdcj" for card in reversed(pack) if card[1] == suit]
    hands = [card for at in range(0, 20, 5) for card in falling if card in deck[at : at + 5]]
    upcard = [card for card in pack if card == deck[20]]
    return (*hands, *upcard, *(card for card in pack if card in deck[21:]))


def _acted(game: Game, rng: Random, n: int, pass_share: float) -> tuple[Game, str]:
    seat, actions = to_act(game), legal_actions(game)
    assert seat is not None
    action = actions[0] if isinstance(actions[0], Pass) and rng.random() < pass_share else rng.choice(actions)
    relief = [choice for choice in actions if isinstance(choice, AskRelief)]
    if relief and rng.random() < 0.5:
        action = rng.choice(relief)
    return apply(game, seat, action)[0], action_line(n, seat, action)


def plain(lines: Sequence[str]) -> list[Any]:
    """Return a record's lines as objects."""
    return [json.loads(line) for line in lines]


# ── games told move by move ──────────────────────────────────────────────────────────────────────────────────────────


def stacked(rules: Rules, *, dealer: int, hands: Mapping[int, str], upcard: str, buried: str = "") -> Cards:
    """Return a deck that deals the named cards; the others fill the rest in the order of the pack (R-DEAL-1)."""
    named = {seat: hands.get(seat, "").split() for seat in SEATS}
    under = buried.split()
    taken = {*(card for cards in named.values() for card in cards), upcard, *under}
    pack = make_pack(rules.low_rank, rules.jokers)
    rest = iter([card for card in pack if card not in taken])
    order = [(dealer + step) % 4 for step in (1, 2, 3, 4)]
    deck = [card for seat in order for card in [*named[seat], *(next(rest) for _ in range(5 - len(named[seat])))]]
    by_text = {str(card): card for card in pack}
    return tuple(by_text[str(card)] for card in [*deck, upcard, *under, *rest])


def told_record(rules: Rules, deck: Cards, dealer: int, *texts: str) -> list[str]:
    """Return the record of one hand in which whoever is asked does what *texts* say, then plays the first card he may.

    With "…" as the last text the hand is played to its end.
    """
    lines = [header_line(rules, preset=preset_of(rules), players=[], game="")]
    game, _ = deal(new_game(rules), deck, dealer=dealer)
    lines.append(deal_line(1, hand=1, dealer=dealer, deck=deck))
    to_do = [text for text in texts if text != "…"]
    while (seat := to_act(game)) is not None:
        if not to_do and texts[-1:] != ("…",):
            return lines
        action = parse_action(to_do.pop(0)) if to_do else legal_actions(game)[0]
        game, _ = apply(game, seat, action)
        lines.append(action_line(len(lines), seat, action))
    return lines
