"""The five tricks (RULES.md §6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from engine.actions import CLAIM, PLAYS, Action, ClaimRest, PlayCard
from engine.cards import (
    CARDS_PER_HAND,
    LEFT_OF,
    PARTNER_OF,
    SEATS,
    Card,
    Cards,
    Seat,
    clockwise_from,
    legal_cards,
    team_of,
    trick_winner,
)
from engine.claims import is_certain
from engine.errors import Code
from engine.events import CardPlayed, Events, FourHands, PlayStarted, RestClaimed, TrickWon
from engine.rules import Claim, LonerLead, Rules
from engine.scoring import finish_hand
from engine.state import Game, Made, Phase, Standing


def _next_active(alone: tuple[Seat, ...]) -> tuple[Seat, ...]:
    sitting = {PARTNER_OF[seat] for seat in alone}
    return tuple(next(after for after in clockwise_from(LEFT_OF[seat]) if after not in sitting) for seat in SEATS)


_NEXT_ACTIVE: Final[dict[tuple[Seat, ...], tuple[Seat, ...]]] = {
    alone: _next_active(alone)
    for alone in [
        (),
        *((one,) for one in SEATS),
        *((one, other) for one in SEATS for other in SEATS if (one + other) % 2),
    ]
}
"""The next seat with a turn, by seat, for every way of playing alone."""


@dataclass(frozen=True, slots=True)
class Trick:
    """A finished trick: its cards in playing order with their seats, and who won it."""

    seats: tuple[Seat, ...]
    cards: Cards
    winner: Seat


@dataclass(frozen=True, slots=True)
class Playing:
    """Tricks are being played. ``trick`` holds the cards on the table, ``leader``'s first; ``won`` is by team."""

    made: Made
    hands: FourHands
    leader: Seat
    to_act: Seat
    trick: Cards
    tricks: tuple[Trick, ...]
    won: tuple[int, int]

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.PLAY

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """The partners of those who play alone."""
        return self.made.sitting

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Every card that may be played, in the hand's order (R-PLAY-2), and a claim that is certain (R-PLAY-5)."""
        trick = self.trick
        cards = legal_cards(self.hands[self.to_act], trick[0] if trick else None, self.made.trump)
        plays = tuple([PLAYS[card] for card in cards])
        if rules.claim is Claim.VALIDATED and not trick and is_certain(self, rules):
            return (*plays, CLAIM)
        return plays

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """CARD_NOT_HELD or MUST_FOLLOW_SUIT, tested in that order; CLAIM_NOT_CERTAIN for a claim on lead."""
        if isinstance(action, ClaimRest) and rules.claim is Claim.VALIDATED and not self.trick:
            return Code.CLAIM_NOT_CERTAIN
        if not isinstance(action, PlayCard):
            return Code.WRONG_PHASE
        if action.card not in self.hands[self.to_act]:
            return Code.CARD_NOT_HELD
        return Code.MUST_FOLLOW_SUIT

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Play the card: one CardPlayed, a TrickWon if it completed the trick, and the score if that was the fifth.

        A claim takes the tricks to come at once.
        """
        if isinstance(action, ClaimRest):
            return self._claim(standing)
        assert isinstance(action, PlayCard)
        made, seat, card = self.made, self.to_act, action.card
        hands = _without(self.hands, seat, card)
        trick = (*self.trick, card)
        played = CardPlayed(seat, card)
        if len(trick) < 4 - len(made.alone):
            after = _NEXT_ACTIVE[made.alone][seat]
            return Game(standing, Playing(made, hands, self.leader, after, trick, self.tricks, self.won)), (played,)
        seats = seats_of_trick(made.alone, self.leader)
        winner = seats[trick_winner(trick, made.trump)]
        tricks = (*self.tricks, Trick(seats, trick, winner))
        won = won_more(self.won, winner, 1)
        after_trick = Playing(made, hands, winner, winner, (), tricks, won)
        events: Events = (played, TrickWon(winner, len(tricks)))
        if len(tricks) < CARDS_PER_HAND:
            return Game(standing, after_trick), events
        game, scored = finish_hand(standing, after_trick, made, won)
        return game, (*events, *scored)

    def _claim(self, standing: Standing) -> tuple[Game, Events]:
        seat, hand = self.to_act, self.hands[self.to_act]
        won = won_more(self.won, seat, len(hand))
        made = replace(self.made, shown=(*self.made.shown, (seat, hand)))
        claimed = Playing(made, self.hands, self.leader, seat, (), self.tricks, won)
        game, scored = finish_hand(standing, claimed, made, won)
        return game, (RestClaimed(seat, hand, len(hand)), *scored)


def won_more(won: tuple[int, int], seat: Seat, tricks: int) -> tuple[int, int]:
    """Return the tricks by team, *tricks* more for *seat*'s."""
    return (won[0] + tricks, won[1]) if team_of(seat) == 0 else (won[0], won[1] + tricks)


def _without(hands: FourHands, seat: Seat, card: Card) -> FourHands:
    hand = hands[seat]
    at = hand.index(card)
    rest = hand[:at] + hand[at + 1 :]
    return (*hands[:seat], rest, *hands[seat + 1 :])  # type: ignore[return-value]  # still four hands


def seats_of_trick(alone: tuple[Seat, ...], leader: Seat) -> tuple[Seat, ...]:
    """Return the seats that play to a trick led by *leader*, in order."""
    after = _NEXT_ACTIVE[alone]
    seats = [leader]
    while (seat := after[seats[-1]]) != leader:
        seats.append(seat)
    return tuple(seats)


def first_leader(rules: Rules, *, dealer: Seat, maker: Seat, alone: tuple[Seat, ...]) -> Seat:
    """Return who leads first: the first seat with a turn left of the dealer, or of the lone maker (R-PLAY-1).

    *alone* are those who play alone, the maker's side first.
    """
    start = dealer
    if rules.loner_lead is LonerLead.LEFT_OF_LONER:
        lone_makers = [seat for seat in alone if team_of(seat) == team_of(maker)]
        start = lone_makers[0] if lone_makers else start
    return _NEXT_ACTIVE[alone][start]


def start_play(standing: Standing, made: Made) -> tuple[Game, Events]:
    """Begin the first trick of a hand whose trump and lone players are settled."""
    leader = first_leader(standing.rules, dealer=made.dealt.dealer, maker=made.maker, alone=made.alone)
    stage = Playing(made, made.hands, leader, leader, (), (), (0, 0))
    return Game(standing, stage), (PlayStarted(leader, made.alone, made.sitting),)
