"""The dealer takes up the upcard and buries a card (RULES.md §5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.actions import DISCARDS, Action, Discard
from engine.alone import open_alone_window
from engine.cards import PARTNER_OF, Seat
from engine.errors import Code
from engine.events import Discarded, Events, UpcardLeft, UpcardTaken
from engine.rules import Rules, SittingDealer
from engine.state import Game, Made, Phase, Standing, UpcardFate, with_hand


@dataclass(frozen=True, slots=True)
class Discarding:
    """The dealer holds six cards and buries one."""

    made: Made

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.DISCARD

    @property
    def to_act(self) -> Seat:
        """The dealer."""
        return self.made.dealt.dealer

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """A lone orderer's partner; a sitting dealer still discards (R-ALONE-4)."""
        return self.made.sitting

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Any of the six cards; not the upcard where that must stay (R-PICK-1)."""
        kept = None if rules.upcard_discard else self.made.dealt.upcard
        return tuple([DISCARDS[card] for card in self.made.hands[self.to_act] if card != kept])

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """CARD_NOT_HELD or UPCARD_MUST_STAY, tested in that order."""
        if not isinstance(action, Discard):
            return Code.WRONG_PHASE
        if action.card not in self.made.hands[self.to_act]:
            return Code.CARD_NOT_HELD
        return Code.UPCARD_MUST_STAY

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Bury the card and go on to the windows."""
        assert isinstance(action, Discard)
        made, dealer = self.made, self.to_act
        hand = tuple(card for card in made.hands[dealer] if card != action.card)
        made = replace(made, hands=with_hand(made.hands, dealer, hand), discard=action.card)
        game, events = open_alone_window(standing, made)
        return game, (Discarded(dealer, action.card), *events)


def begin_pickup(standing: Standing, made: Made) -> tuple[Game, Events]:
    """Let the dealer take up the upcard, unless he sits and the rules spare him (R-PICK-1, R-ALONE-4)."""
    dealer, upcard = made.dealt.dealer, made.dealt.upcard
    if standing.rules.sitting_dealer is SittingDealer.SKIPS and made.alone == (PARTNER_OF[dealer],):
        game, events = open_alone_window(standing, replace(made, upcard_fate=UpcardFate.LEFT))
        return game, (UpcardLeft(upcard), *events)
    hands = with_hand(made.hands, dealer, (*made.hands[dealer], upcard))
    made = replace(made, hands=hands, upcard_fate=UpcardFate.TAKEN)
    return Game(standing, Discarding(made)), (UpcardTaken(dealer, upcard),)
