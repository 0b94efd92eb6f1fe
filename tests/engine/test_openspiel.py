"""Our hands against OpenSpiel's euchre: the same deals, the same actions, the same legal choices, tricks and points.

OpenSpiel plays one hand of one set of house rules. RULES_ALIKE are ours where the two coincide. They differ in ways
that no option of ours could remove; each is translated here, and a test shows that it is there:

- Cards are dealt one at a time, the dealer's first. We deal five at a time from the dealer's left (R-DEAL-1).
- Ordering up is naming the upcard's suit, and the defenders answer with the maker's two words. Ours have their own.
- It asks about alone after the discard, as our `alone_timing` before_first_lead, never with the call (R-ALONE-2).
- It forbids burying the upcard, as our `upcard_discard` false; our default allows it (R-PICK-1).
- With its lone defender on, it asks the defenders whether or not the maker is alone, as our `defend_alone` any; it has
  no game in which only a lone maker is defended against alone (R-ALONE-3).
- The deal is a zero-sum payoff: what one side scores the other loses. Our losers get nothing (§7).
- Eight passes end its hand with nothing for anybody. Ours is thrown in, and somebody deals again (R-DEAL-3).
- It knows nothing beyond the hand: no score, no next dealer, no target (§9), and 24 cards only (R-PACK-1).
"""

from __future__ import annotations

import sys
from random import Random
from typing import Any, Final

import pytest

from engine.actions import (
    Action,
    AnswerAlone,
    AnswerDefence,
    CallTrump,
    Discard,
    OrderUp,
    Pass,
    PlayCard,
    parse_action,
)
from engine.cards import LEFT_OF, Card, Cards, clockwise_from, make_pack, team_of
from engine.events import Events, HandScored, HandThrownIn, TrickWon
from engine.game import apply, deal, legal_actions, new_game, to_act
from engine.rules import Rules, make_rules
from engine.state import Game
from tests.engine.table import shuffled

if sys.platform == "win32" or sys.implementation.name != "cpython":
    pytest.skip("OpenSpiel has no wheel for this platform", allow_module_level=True)
pyspiel: Any = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed; it is the extra named oracle")

HANDS: Final = 2_000
RULES_ALIKE: Final[dict[str, object]] = {"alone_timing": "before_first_lead", "upcard_discard": False}
SETTINGS: Final = [(lone_defender, stick) for lone_defender in (True, False) for stick in (True, False)]

_RANKS, _SUITS = "9TJQKA", "cdhs"
_PASS, _FIRST_SUIT, _ALONE, _TOGETHER = 24, 25, 29, 30


# ── translation ──────────────────────────────────────────────────────────────────────────────────────────────────────


def their_card(card: Card) -> int:
    return _RANKS.index(card[0]) * 4 + _SUITS.index(card[1])


def our_card(number: int) -> Card:
    return Card(_RANKS[number // 4] + _SUITS[number % 4])


def their_action(action: Action, upcard: Card) -> int:
    """Return OpenSpiel's number for *action*."""
    match action:
        case Pass():
            return _PASS
        case OrderUp(alone=False):
            return _FIRST_SUIT + _SUITS.index(upcard[1])
        case CallTrump(alone=False):
            return _FIRST_SUIT + _SUITS.index(action.trump)
        case AnswerAlone() | AnswerDefence():
            return _ALONE if action.alone else _TOGETHER
        case Discard() | PlayCard():
            return their_card(action.card)
        case _:
            raise AssertionError(f"OpenSpiel has no {action}")


def our_rules(*, lone_defender: bool, stick: bool) -> Rules:
    options: dict[str, object] = {
        "defend_alone": "any" if lone_defender else "off",
        "all_pass": "stick" if stick else "redeal",
    }
    return make_rules("standard", RULES_ALIKE | options)


def their_game(*, lone_defender: bool, stick: bool) -> Any:
    return pyspiel.load_game("euchre", {"allow_lone_defender": lone_defender, "stick_the_dealer": stick})


def their_deal(game: Any, deck: Cards, dealer: int) -> Any:
    """Deal *deck* there so that every seat gets the cards it gets here: one at a time, the dealer's first."""
    state = game.new_initial_state()
    state.apply_action(dealer)
    hands = {seat: deck[5 * at : 5 * at + 5] for at, seat in enumerate(clockwise_from(LEFT_OF[dealer]))}
    for round_ in range(5):
        for seat in clockwise_from(dealer):
            state.apply_action(their_card(hands[seat][round_]))
    state.apply_action(their_card(deck[20]))
    return state


# ── the comparison ───────────────────────────────────────────────────────────────────────────────────────────────────


def play_both(seed: int, *, lone_defender: bool, stick: bool) -> tuple[Game, Events, Any]:
    """Play one random hand in both games, comparing seat and choices at every decision.

    Returns our game, all that happened in it, and their state.
    """
    rng, rules = Random(seed), our_rules(lone_defender=lone_defender, stick=stick)
    deck, dealer, pass_share = shuffled(rules, rng), rng.randrange(4), rng.choice([0.0, 0.6, 0.95])
    game, events = deal(new_game(rules), deck, dealer=dealer)
    state = their_deal(their_game(lone_defender=lone_defender, stick=stick), deck, dealer)
    while (seat := to_act(game)) is not None:
        assert not state.is_terminal()
        assert state.current_player() == seat
        actions = legal_actions(game)
        assert sorted(their_action(action, deck[20]) for action in actions) == sorted(state.legal_actions())
        action = actions[0] if isinstance(actions[0], Pass) and rng.random() < pass_share else rng.choice(actions)
        state.apply_action(their_action(action, deck[20]))
        game, more = apply(game, seat, action)
        events += more
    return game, events, state


def compare_ends(events: Events, state: Any) -> str:
    """Compare the tricks and points of a finished hand; return why it scored as it did."""
    assert state.is_terminal()
    if isinstance(events[-1], HandThrownIn):
        assert state.returns() == [0.0] * 4
        return "thrown in"
    winners = [trick.winner() for trick in state.tricks()]
    assert [event.seat for event in events if isinstance(event, TrickWon)] == winners
    scored = next(event for event in events if isinstance(event, HandScored))
    gained = [scored.points if team_of(seat) == scored.team else -scored.points for seat in range(4)]
    assert state.returns() == gained
    return str(scored.reason)


@pytest.mark.parametrize("part", range(4))
def test_two_thousand_random_hands_go_alike(part: int) -> None:
    """At each decision the same seat has the same choices; at the end tricks and points agree."""
    ends: set[str] = set()
    for seed in range(part * HANDS // 4, (part + 1) * HANDS // 4):
        lone_defender, stick = SETTINGS[seed % 4]
        _, events, state = play_both(seed, lone_defender=lone_defender, stick=stick)
        ends.add(compare_ends(events, state))
    assert ends == {"made", "march", "lone_march", "euchred", "lone_euchred", "lone_defender", "thrown in"}


# ── the differences are there ────────────────────────────────────────────────────────────────────────────────────────


def test_their_game_has_the_two_settings_compared_and_no_other() -> None:
    """A new one would be another difference to translate."""
    assert pyspiel.load_game("euchre").get_parameters() == {"allow_lone_defender": False, "stick_the_dealer": True}


def test_they_forbid_burying_the_upcard_which_we_allow() -> None:
    rules = make_rules("standard", RULES_ALIKE | {"upcard_discard": True})
    deck = make_pack(9)
    game, _ = deal(new_game(rules), deck, dealer=0)
    game, _ = apply(game, 1, parse_action("order"))
    state = their_deal(their_game(lone_defender=False, stick=True), deck, 0)
    state.apply_action(_FIRST_SUIT + _SUITS.index(deck[20][1]))
    ours = {their_action(action, deck[20]) for action in legal_actions(game)}
    assert ours - {*state.legal_actions()} == {their_card(deck[20])}


def test_they_ask_the_defenders_also_when_the_maker_plays_with_his_partner() -> None:
    deck = make_pack(9)
    state = their_deal(their_game(lone_defender=True, stick=True), deck, 0)
    for action in (_FIRST_SUIT + _SUITS.index(deck[20][1]), their_card(deck[15]), _TOGETHER):
        state.apply_action(action)
    assert (state.current_player(), state.legal_actions()) == (2, [_ALONE, _TOGETHER])
