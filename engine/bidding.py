"""The two rounds in which trump is made (RULES.md §3)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.actions import CALLS, ORDER, ORDER_ALONE, PASS, RELIEF, Action, AskRelief, CallTrump, OrderUp, Pass
from engine.alone import open_alone_window
from engine.cards import LEFT_OF, PARTNER_OF, SUITS, SWAPPED, Cards, Seat, Trump, holds_trump, upcard_suit
from engine.errors import Code
from engine.events import (
    CardsSwapped,
    Events,
    FourHands,
    OrderedUp,
    Passed,
    ReliefAsked,
    TrumpCalled,
    UpcardTurnedDown,
)
from engine.pickup import begin_pickup
from engine.relief import relief_actions, why_no_relief
from engine.rules import AllPass, Alone, AloneTiming, NoTrump, OrderRequires, PartnerRound1, RedealDealer, Rules
from engine.scoring import throw_in
from engine.state import Call, Dealt, Game, Made, Phase, Standing, UpcardFate, with_hand


def alone_with_call(rules: Rules) -> bool:
    """Tell whether alone is part of ordering or naming (R-ALONE-1, R-ALONE-2)."""
    return rules.alone is not Alone.OFF and rules.alone_timing is AloneTiming.WITH_CALL


def _may_make(rules: Rules, hand: Cards, trump: Trump) -> bool:
    """Tell whether *hand* holds the trump a caller of *trump* must hold (R-BID-6); no-trump calls are exempt."""
    if rules.order_requires is OrderRequires.NONE or trump not in SUITS:
        return True
    return holds_trump(hand, trump, natural=rules.order_requires is OrderRequires.NATURAL_TRUMP)


def no_trumps(rules: Rules) -> tuple[Trump, ...]:
    """Return the no-trump calls of a table that allows any (R-BID-4)."""
    return ("n", "l") if rules.low_no_trump else ("n",)


@dataclass(frozen=True, slots=True)
class RoundOne:
    """Each seat from the dealer's left passes or orders up (R-BID-1), after relief if its hand is bad enough.

    ``hands`` and ``buried`` are as relief left them, ``shown`` the hands that asked for it, ``put_away`` what
    they swapped.
    """

    dealt: Dealt
    hands: FourHands
    buried: Cards
    calls: tuple[Call, ...]
    to_act: Seat
    shown: tuple[tuple[Seat, Cards], ...] = ()
    put_away: tuple[tuple[Seat, Cards], ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.ROUND_ONE

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """Nobody sits out while trump is open."""
        return ()

    def _must_go_alone(self, rules: Rules) -> bool:
        """Tell whether the Canadian loner binds the seat to act (R-BID-5)."""
        canadian = rules.dealer_partner_round1 is PartnerRound1.ALONE_OR_PASS
        return canadian and self.to_act == PARTNER_OF[self.dealt.dealer]

    def _may_order(self, rules: Rules) -> bool:
        hand, upcard = self.hands[self.to_act], self.dealt.upcard
        if self.to_act == self.dealt.dealer and rules.upcard_counts:
            hand = (*hand, upcard)
        return _may_make(rules, hand, upcard_suit(upcard))

    def _relief(self, rules: Rules) -> tuple[Action, ...]:
        """Return the relief open to the seat to act, once a hand."""
        asked = any(seat == self.to_act for seat, _ in self.shown)
        return () if asked else relief_actions(rules, self.hands[self.to_act])

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Pass, the ways of ordering the table's rules leave this seat, and relief."""
        return (*self._bids(rules), *self._relief(rules))

    def _bids(self, rules: Rules) -> tuple[Action, ...]:
        if not self._may_order(rules):
            return (PASS,)
        if self._must_go_alone(rules):
            return PASS, ORDER_ALONE
        return (PASS, ORDER, ORDER_ALONE) if alone_with_call(rules) else (PASS, ORDER)

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Why the bid, or the relief, is refused."""
        if isinstance(action, AskRelief):
            return why_no_relief(rules, self.hands[self.to_act], action)
        if not isinstance(action, OrderUp):
            return Code.WRONG_PHASE
        if not self._may_order(rules):
            return Code.NEEDS_TRUMP
        return Code.ALONE_NOT_ALLOWED if action.alone else Code.MUST_GO_ALONE

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the bid: on to the next seat, to round two, or to the pickup; relief stays, or ends the hand."""
        seat, dealt = self.to_act, self.dealt
        if isinstance(action, AskRelief):
            return self._relieve(standing, action)
        calls = (*self.calls, (seat, action))
        if isinstance(action, Pass):
            if seat != dealt.dealer:
                return Game(standing, replace(self, calls=calls, to_act=LEFT_OF[seat])), (Passed(seat),)
            after = RoundTwo(dealt, self.hands, calls, LEFT_OF[seat], self.shown, self.put_away)
            return Game(standing, after), (Passed(seat), UpcardTurnedDown(dealt.upcard))
        assert isinstance(action, OrderUp)
        trump = upcard_suit(dealt.upcard)
        alone = (seat,) if action.alone else ()
        made = Made(dealt, calls, trump, seat, UpcardFate.UP, self.hands, None, alone, self.shown, self.put_away)
        game, events = begin_pickup(standing, made)
        return game, (OrderedUp(seat, trump, action.alone), *events)

    def _relieve(self, standing: Standing, action: AskRelief) -> tuple[Game, Events]:
        """Deal anew, or swap three cards for those first under the upcard (R-RELIEF-1)."""
        seat, hand = self.to_act, self.hands[self.to_act]
        asked = replace(self, calls=(*self.calls, (seat, RELIEF)), shown=(*self.shown, (seat, hand)))
        event = ReliefAsked(seat, hand)
        if not action.cards:
            game, events = throw_in(standing, asked, self.dealt.dealer)
            return game, (event, *events)
        taken, given = self.buried[:SWAPPED], action.cards
        rest = tuple(card for card in hand if card not in given)
        swapped = replace(
            asked,
            hands=with_hand(self.hands, seat, (*rest, *taken)),
            buried=(*self.buried[SWAPPED:], *given),
            put_away=(*self.put_away, (seat, given)),
        )
        return Game(standing, swapped), (event, CardsSwapped(seat, given, taken))


@dataclass(frozen=True, slots=True)
class RoundTwo:
    """The upcard is down; each seat from the dealer's left passes or names another suit (R-BID-2)."""

    dealt: Dealt
    hands: FourHands
    calls: tuple[Call, ...]
    to_act: Seat
    shown: tuple[tuple[Seat, Cards], ...] = ()
    put_away: tuple[tuple[Seat, Cards], ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase's name."""
        return Phase.ROUND_TWO

    @property
    def sitting(self) -> tuple[Seat, ...]:
        """Nobody sits out while trump is open."""
        return ()

    def _is_stuck(self, rules: Rules) -> bool:
        """Tell whether the seat to act is a dealer who must call (R-BID-3)."""
        return self.to_act == self.dealt.dealer and rules.all_pass is AllPass.STICK

    def _no_trumps(self, rules: Rules) -> tuple[Trump, ...]:
        """Return the no-trump calls open to the seat to act (R-BID-4)."""
        if rules.no_trump is NoTrump.OFF or (rules.no_trump is NoTrump.STUCK_ONLY and not self._is_stuck(rules)):
            return ()
        return no_trumps(rules)

    def _may_name(self, rules: Rules, trump: Trump) -> bool:
        return self._is_stuck(rules) or _may_make(rules, self.hands[self.to_act], trump)

    def legal_actions(self, rules: Rules) -> tuple[Action, ...]:
        """Pass unless stuck, then every suit and no trump this seat may name, and the same alone."""
        barred = upcard_suit(self.dealt.upcard)
        suits = tuple([suit for suit in SUITS if suit != barred and self._may_name(rules, suit)])
        trumps = (*suits, *self._no_trumps(rules))
        together = tuple([CALLS[trump, False] for trump in trumps])
        alone = tuple([CALLS[trump, True] for trump in trumps]) if alone_with_call(rules) else ()
        return (*together, *alone) if self._is_stuck(rules) else (PASS, *together, *alone)

    def why_illegal(self, rules: Rules, action: Action) -> Code:
        """Why the bid is refused."""
        if isinstance(action, Pass):
            return Code.DEALER_MUST_CALL
        if not isinstance(action, CallTrump):
            return Code.WRONG_PHASE
        if action.trump == upcard_suit(self.dealt.upcard):
            return Code.SUIT_TURNED_DOWN
        if action.trump not in SUITS and action.trump not in self._no_trumps(rules):
            return Code.NO_TRUMP_NOT_ALLOWED
        return Code.ALONE_NOT_ALLOWED if self._may_name(rules, action.trump) else Code.NEEDS_TRUMP

    def accept(self, standing: Standing, action: Action) -> tuple[Game, Events]:
        """Take the bid: on to the next seat, to the play, or to a throw-in."""
        seat, dealt = self.to_act, self.dealt
        calls = (*self.calls, (seat, action))
        if isinstance(action, Pass):
            after = replace(self, calls=calls, to_act=LEFT_OF[seat])
            if seat != dealt.dealer:
                return Game(standing, after), (Passed(seat),)
            same = standing.rules.redeal_dealer is RedealDealer.SAME
            game, events = throw_in(standing, after, seat if same else LEFT_OF[seat])
            return game, (Passed(seat), *events)
        assert isinstance(action, CallTrump)
        alone = (seat,) if action.alone else ()
        fate = UpcardFate.TURNED_DOWN
        made = Made(dealt, calls, action.trump, seat, fate, self.hands, None, alone, self.shown, self.put_away)
        game, events_after = open_alone_window(standing, made)
        return game, (TrumpCalled(seat, action.trump, action.alone), *events_after)
