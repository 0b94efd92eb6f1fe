"""Hands with the decisions a bot is likely to forget, each led up to the moment it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from engine.actions import parse_action
from engine.cards import CARDS_PER_HAND, LEFT_OF, SEATS, Card, Cards, Seat, clockwise_from, make_pack, parse_cards
from engine.game import apply, deal, new_game, to_act
from engine.rules import Rules, make_rules
from engine.state import Game

_DEALER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A hand that seat 3 deals, and what was done in it until *seat* is asked.

    *hands* are the cards that matter; whoever is not named there gets what is left of the pack, in its order.
    """

    name: str
    seat: Seat
    upcard: str
    hands: Mapping[Seat, str]
    script: tuple[str, ...] = ()
    preset: str = "standard"
    changed: Mapping[str, object] = field(default_factory=dict)
    score: tuple[int, int] = (0, 0)

    @property
    def rules(self) -> Rules:
        """The rules it is played by."""
        return make_rules(self.preset, dict(self.changed))

    def game(self) -> Game:
        """Return the game at the moment the seat is asked."""
        rules = self.rules
        game = new_game(rules)
        game = replace(game, standing=replace(game.standing, score=self.score))
        game, _ = deal(game, self._deck(make_pack(rules.low_rank, rules.jokers)), dealer=_DEALER)
        for text in self.script:
            game, _ = apply(game, to_act(game) or 0, parse_action(text))
        return game

    def _deck(self, pack: Cards) -> Cards:
        named = {seat: parse_cards(text.replace(" ", "")) for seat, text in self.hands.items()}
        upcard = Card(self.upcard)
        rest = iter([card for card in pack if card != upcard and not any(card in hand for hand in named.values())])
        hands = {
            seat: (*(held := named.get(seat, ())), *(next(rest) for _ in range(CARDS_PER_HAND - len(held))))
            for seat in SEATS
        }
        return (*(card for seat in clockwise_from(LEFT_OF[_DEALER]) for card in hands[seat]), upcard, *rest)


_PASSES: Final = ("pass",) * 4
_SURE: Final = {0: "Jh Jd Ah Kh Qh"}
_CANNOT_HELP: Final = {3: "9c Tc 9s Ts Qs"}

SCENES: Final[tuple[Scene, ...]] = (
    # bids
    Scene(name="first bid", seat=0, upcard="Jh", hands={0: "9h Td Qc Kd 9c"}),
    Scene(name="bid at nine all", seat=0, upcard="9h", hands=_SURE, score=(9, 9)),
    Scene(name="alone or pass", seat=1, upcard="9h", hands={1: "Jh Jd Ah Kh Qh"}, script=("pass",), preset="british"),
    Scene(name="stuck dealer", seat=3, upcard="9h", hands=_CANNOT_HELP, script=(*_PASSES, *_PASSES[:3])),
    Scene(
        name="no call of a suit without a natural card of it",
        seat=0,
        upcard="9c",
        hands={0: "Jd 9s Ts Qs Kc"},
        script=_PASSES,
        changed={"order_requires": "natural_trump"},
    ),
    Scene(
        name="no trump, high and low",
        seat=0,
        upcard="9h",
        hands={0: "As Ac Ad Ah Ks"},
        script=_PASSES,
        changed={"no_trump": "round2", "low_no_trump": True},
    ),
    Scene(
        name="no trump for a stuck dealer",
        seat=3,
        upcard="9h",
        hands={3: "As Ac Ad Ah Ks"},
        script=(*_PASSES, *_PASSES[:3]),
        changed={"no_trump": "stuck_only"},
    ),
    Scene(name="the Benny in hand", seat=0, upcard="9h", hands={0: "Bj Jd Ah Kc Qc"}, changed={"jokers": 1}),
    Scene(name="thirty-two cards", seat=0, upcard="7h", hands={0: "7s 8s 8h Jh Ah"}, changed={"low_rank": 7}),
    # a Benny turned up
    Scene(name="name trump", seat=3, upcard="Bj", hands={3: "Jh Jd Ah 9c 9s"}, changed={"jokers": 1}),
    Scene(name="name trump blind", seat=3, upcard="Bj", hands={3: "Jh Jd Ah 9c 9s"}, preset="british"),
    Scene(
        name="a Benny that is a spade",
        seat=0,
        upcard="Bj",
        hands={0: "Js Jc As Ks Qs"},
        changed={"jokers": 1, "benny_turned": "as_spades"},
    ),
    # relief
    Scene(name="going under", seat=0, upcard="Ah", hands={0: "9s Ts 9h Td 9c"}, preset="best"),
    Scene(
        name="relief by a new deal",
        seat=0,
        upcard="Ah",
        hands={0: "9s Ts 9h Td 9c"},
        changed={"relief": "redeal", "relief_hand": "no_ace_no_face"},
    ),
    # the dealer's change
    Scene(name="discard", seat=3, upcard="Jh", hands={3: "9h Td Qc Kd 9c"}, script=("order",)),
    Scene(
        name="discard, but not the upcard",
        seat=3,
        upcard="9h",
        hands={3: "Jh Jd Ah Kh Qh"},
        script=("order",),
        changed={"upcard_discard": False},
    ),
    Scene(
        name="discard, then play alone",
        seat=3,
        upcard="9h",
        hands={3: "Jh Jd Ah Kh 9c"},
        script=("pass", "pass", "pass", "order alone"),
    ),
    Scene(name="discard, then sit out", seat=3, upcard="9h", hands=_CANNOT_HELP, script=("pass", "order alone")),
    # windows
    Scene(
        name="alone, asked after the call",
        seat=0,
        upcard="9h",
        hands=_SURE | _CANNOT_HELP,
        script=("order", "discard 9s"),
        preset="ladder",
    ),
    Scene(
        name="alone in the maker's place",
        seat=2,
        upcard="9h",
        hands={2: "Jh Jd Ah Kh Qh"} | _CANNOT_HELP,
        script=("order", "discard 9s", "together"),
        preset="ladder",
    ),
    Scene(
        name="defend alone",
        seat=1,
        upcard="9h",
        hands={1: "Jh Jd Ah Kh Qh"} | _CANNOT_HELP,
        script=("order", "discard 9s", "together", "together"),
        preset="ladder",
    ),
    Scene(
        name="defend alone against alone",
        seat=1,
        upcard="9h",
        hands={1: "Jh Jd Ah Kh Qh"} | _CANNOT_HELP,
        script=("order alone", "discard 9s"),
        preset="british",
    ),
    # call for best
    Scene(
        name="give one away",
        seat=0,
        upcard="9h",
        hands={0: "Jh Jd Ah Kh 9d"} | _CANNOT_HELP,
        script=("order alone", "discard 9s"),
        preset="best",
    ),
    Scene(
        name="give the best back",
        seat=2,
        upcard="9h",
        hands={0: "Jh Jd Ah Kh 9d", 2: "As Ac Ad Ks Kc"} | _CANNOT_HELP,
        script=("order alone", "discard 9s", "give 9d"),
        preset="best",
    ),
    # play
    Scene(
        name="claim",
        seat=0,
        upcard="9h",
        hands=_SURE | _CANNOT_HELP,
        script=("order", "discard 9s"),
        changed={"claim": "validated"},
    ),
    Scene(
        name="follow with the left bower",
        seat=1,
        upcard="9c",
        hands={0: "Ah Kh Qh Th 9h", 1: "Jd Jh As Ks Qs", 3: "Tc Qc Kc 9s Ts"},
        script=("pass", "pass", "pass", "pass", "call h", "play Ah"),
    ),
    Scene(
        name="a low game",
        seat=0,
        upcard="Ah",
        hands={0: "9s Ts 9d Td 9c"},
        script=(*_PASSES, "call l"),
        changed={"no_trump": "round2", "low_no_trump": True},
    ),
    Scene(
        name="alone against two",
        seat=0,
        upcard="9h",
        hands={0: "Jh Jd Ah Kc Qc", 1: "9d Td Qd Kd Ad"} | _CANNOT_HELP,
        script=("order alone", "discard 9s", "play Ad", "play Tc"),
        changed={"loner_lead": "left_of_loner"},
    ),
    Scene(
        name="the dealer's partner sits out",
        seat=0,
        upcard="9h",
        hands={0: "As Ac Ad Ks Kc", 1: "Jh Jd Ah Kh Qh"},
        script=("pass", "order alone"),
        preset="screw",
    ),
)
"""Every kind of decision there is, and every preset that has one of its own."""
