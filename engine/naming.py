"""A Benny turned up: the dealer names trump, before or after looking at his cards (R-BID-7)."""

from __future__ import annotations

from dataclasses import dataclass

from engine.actions import CALLS, Action, CallTrump
from engine.bidding import alone_with_call, no_trumps
from engine.cards import SUITS, Seat
from engine.errors import Code
from engine.events import CardsDealt, Events, TrumpCalled
from engine.pickup import begin_pickup
from engine.rules import NoTrump, Rules
from engine.state import Dealt, Game, Made, Phase, Standing, UpcardFate


@dataclass(frozen=True, slots=True)
class NamingTrump:
    """The dealer must name; ``is_blind`` while he has not seen his cards."""

    dealt: Dealt
    is_blind: bool

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.NAME

    @property
    def to_act(self) -> Seat:
        """The dealer."""
        return self.dealt.dealer

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """Nobody sits out while trump is open."""
        return ()

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Every suit, no trump where the rules have it, and the same alone."""
        trumps = (*SUITS, *(no_trumps(rules) if rules.no_trump is not NoTrump.OFF else ()))
        together = tuple([CALLS[trump, False] for trump in trumps])
        alone = tuple([CALLS[trump, True] for trump in trumps]) if alone_with_call(rules) else ()
        return (*together, *alone)

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Why the call is refused."""
        if not isinstance(action, CallTrump):
            return Code.WRONG_PHASE
        trumps = {legal.trump for legal in self.legal_actions(rules) if isinstance(legal, CallTrump)}
        return Code.ALONE_NOT_ALLOWED if action.trump in trumps else Code.NO_TRUMP_NOT_ALLOWED

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the call; a blind dealer sees his cards now, and then takes up the Benny."""
        assert isinstance(action, CallTrump)
        seat, dealt = self.to_act, self.dealt
        alone = (seat,) if action.alone else ()
        made = Made(dealt, ((seat, action),), action.trump, seat, UpcardFate.UP, dealt.hands, alone=alone)
        game, events = begin_pickup(standing, made)
        looked = (CardsDealt(seat, dealt.hands[seat]),) if self.is_blind else ()
        return game, (TrumpCalled(seat, action.trump, action.alone), *looked, *events)
