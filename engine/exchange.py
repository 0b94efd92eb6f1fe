"""A lone maker swaps a card with the sitting partner: call for best (R-ALONE-5)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.actions import GIVES, Action, GiveCard
from engine.cards import PARTNER_OF, Card, Seat
from engine.defence import open_defence_window
from engine.errors import Code
from engine.events import CardGiven, Events
from engine.rules import PartnerExchange, Rules
from engine.state import Game, Made, Phase, Standing, with_hand


@dataclass(frozen=True, slots=True)
class Exchanging:
    """The lone maker passes a card; then the partner, holding six, passes one back."""

    made: Made
    to_act: Seat

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.EXCHANGE

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """The lone maker's partner, who still has one card to pass."""
        return self.made.sitting

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Any card of the hand."""
        return tuple([GIVES[card] for card in self.made.hands[self.to_act]])

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """CARD_NOT_HELD, or WRONG_PHASE for another kind of action."""
        return Code.CARD_NOT_HELD if isinstance(action, GiveCard) else Code.WRONG_PHASE

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Pass the card on; the second one ends the exchange."""
        assert isinstance(action, GiveCard)
        giver, card = self.to_act, action.card
        made, event = _passed_on(self.made, giver, card)
        if giver in made.alone:
            return Game(standing, Exchanging(made, PARTNER_OF[giver])), (event,)
        game, events = open_defence_window(standing, made)
        return game, (event, *events)


def _passed_on(made: Made, giver: Seat, card: Card) -> tuple[Made, CardGiven]:
    taker = PARTNER_OF[giver]
    rest = tuple(held for held in made.hands[giver] if held != card)
    hands = with_hand(with_hand(made.hands, giver, rest), taker, (*made.hands[taker], card))
    kept = tuple(passed for passed in made.given if passed[1] != card)
    return replace(made, hands=hands, given=(*kept, (giver, card))), CardGiven(giver, taker, card)


def begin_exchange(standing: Standing, made: Made) -> tuple[Game, Events]:
    """Let a lone maker call for the partner's best card where the rules allow it; else go on."""
    if standing.rules.partner_exchange is PartnerExchange.CALL_FOR_BEST and made.alone:
        return Game(standing, Exchanging(made, made.alone[0])), ()
    return open_defence_window(standing, made)
