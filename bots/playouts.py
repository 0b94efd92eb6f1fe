"""Hands played out over a layout by four who go by rules of thumb and see their own cards only.

What players make of a deal is told better so than by solving it with all cards open, where everybody knows what to
throw and which card stands (docs/decisions/0008-hands-are-played-out.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bots.bidding import ALONE_AT, ALONE_OR_PASS_AT, CALLS_AT
from bots.contract import Contract, Result, results_by_tricks
from bots.discarding import choose_discard
from bots.estimate import SECOND, cards_after_pickup, lead_adds, place_of, seat_of, turned_down_adds, upcard_adds
from bots.layouts import Layout, cards_mask, strengths
from bots.play import table_for
from bots.solver.auction import NOBODY, Auction, Turn, best_five
from bots.solver.open_hand import bit_of, by_suit, mask_from_numbers, mask_of
from bots.solver.playing import Table
from engine.actions import Action, AnswerAlone, AnswerDefence, CallTrump, Discard, OrderUp, Pass, PlayCard
from engine.cards import LEFT_OF, SUITS, Cards, Seat, Trump, clockwise_from, make_pack, team_of, upcard_suit
from engine.rules import AllPass, Alone, PartnerRound1, Rules
from engine.state import Phase, UpcardFate
from engine.view import View

_NO_CALL: Final[Result] = (0, 0)
"""What a hand brings in which nobody made trump."""


class CardsPlayedOut:
    """The rest of a hand after each card the viewer may play. ``work`` counts the plays made so far."""

    def __init__(self, view: View, plays: Sequence[PlayCard], rules: Rules) -> None:
        seat, trump, maker = seat_of(view), view.trump, view.maker
        assert trump is not None
        assert maker is not None
        self.actions: Final[Sequence[Action]] = plays
        self._bits = [(action, bit_of(trump)[action.card]) for action in plays]
        self._buried = 0 if view.discard is None else cards_mask([view.discard])
        self._table = table_for(view, rules)
        self._by_even = _by_even(rules, Contract(maker, trump, view.alone), team_of(seat))

    @property
    def work(self) -> int:
        return self._table.nodes

    def results(self, layout: Layout) -> Iterator[tuple[Action, Result]]:
        hands, buried = list(layout[1:5]), layout[5] or self._buried
        for action, bit in self._bits:
            yield action, self._by_even[self._table.tricks(hands, buried, bit)]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an action before the first lead comes to: how the hand is played, and what our side has by the even tricks.

    With ``picks_up`` the dealer has yet to take the upcard. ``own`` is the viewer's hand if it changes, else 0.
    """

    trump: Trump
    table: Table
    by_even: Sequence[Result]
    picks_up: bool
    own: int


class BidsPlayedOut:
    """A whole hand after each bid, discard or answer of the viewer. ``work`` counts the plays made so far."""

    def __init__(self, view: View, legal: Sequence[Action], rules: Rules) -> None:
        seat, dealer, upcard = seat_of(view), view.dealer, view.upcard
        assert dealer is not None
        assert upcard is not None
        self._view = view
        self._rules = rules
        self._seat: Seat = seat
        self._dealer = dealer
        self._upcard = cards_mask([upcard])
        self._turned = upcard_suit(upcard)
        self._together, lone = strengths(rules.low_rank, rules.jokers)
        self._plans = {action: plan for action in legal if (plan := self._plan_of(action)) is not None}
        self._passes = [action for action in legal if isinstance(action, Pass)] if self._plans else []
        self._auction = Auction(list(_turns_to_come(view, rules)), self._together, lone)
        self._others_plans: dict[tuple[int, int, bool], _Plan] = {}

    @property
    def actions(self) -> Sequence[Action]:
        return (*self._passes, *self._plans)

    @property
    def work(self) -> int:
        plans = (*self._plans.values(), *self._others_plans.values())
        return sum(plan.table.nodes for plan in plans)

    def results(self, layout: Layout) -> Iterator[tuple[Action, Result]]:
        for passed in self._passes:
            yield passed, self._after_a_pass(layout)
        for action, plan in self._plans.items():
            yield action, self._played(layout, plan)

    def _after_a_pass(self, layout: Layout) -> Result:
        call = self._auction.call(list(layout[1:5]))
        plan = self._others_plans.get(call)
        if plan is None:
            maker, suit, alone = call
            if maker == NOBODY:
                return _NO_CALL
            is_ordered = SUITS[suit] == self._turned
            contract = Contract(maker, SUITS[suit], (maker,) if alone else ())
            plan = self._others_plans[call] = self._plan(contract, is_taken=is_ordered, picks_up=is_ordered)
        return self._played(layout, plan)

    def _played(self, layout: Layout, plan: _Plan) -> Result:
        hands, buried = list(layout[1:5]), layout[5]
        if plan.picks_up:
            six = hands[self._dealer] | self._upcard
            hands[self._dealer] = plan.own or best_five(six, SUITS.index(plan.trump), self._together)
            buried = six ^ hands[self._dealer]
        elif plan.own:
            buried = hands[self._seat] ^ plan.own
            hands[self._seat] = plan.own
        return plan.by_even[plan.table.tricks(hands, buried, 0)]

    def _plan_of(self, action: Action) -> _Plan | None:
        """Return what *action* comes to; None for what is not played out."""
        view, seat = self._view, self._seat
        is_taken = view.upcard_fate is UpcardFate.TAKEN
        if isinstance(action, OrderUp | CallTrump):
            trump = action.trump if isinstance(action, CallTrump) else self._turned
            contract = Contract(seat, trump, (seat,) if action.alone else ())
            if view.phase is Phase.ROUND_TWO:
                return self._plan(contract, is_taken=False)
            if not view.cards:
                return None
            own = cards_mask(_after_pickup(view, trump, self._rules)) if seat == self._dealer else 0
            return self._plan(contract, is_taken=True, picks_up=True, own=own)
        if view.maker is None or view.trump is None:
            return None
        contract = Contract(view.maker, view.trump, view.alone)
        if isinstance(action, Discard):
            own = cards_mask(card for card in view.cards if card != action.card)
            return self._plan(contract, is_taken=is_taken, own=own)
        if isinstance(action, AnswerAlone | AnswerDefence):
            return self._plan(contract.with_lone(seat) if action.alone else contract, is_taken=is_taken)
        return None

    def _plan(self, contract: Contract, *, is_taken: bool, picks_up: bool = False, own: int = 0) -> _Plan:
        trump, sitting = contract.trump, contract.sitting
        upcard = mask_from_numbers(self._upcard, trump)
        table = Table(
            by_suit(trump),
            pack=mask_of(make_pack(self._rules.low_rank, self._rules.jokers), trump),
            has_trump=trump in SUITS,
            maker=contract.maker,
            dealer=self._dealer,
            sits=sum(1 << seat for seat in sitting),
            voids=[0, 0, 0, 0],
            gone=0 if is_taken else upcard,
            taken=upcard if is_taken and self._dealer not in sitting else 0,
            led_trump=0,
            won=[0, 0],
            leader=contract.leader(self._rules, self._dealer),
            trick=[],
        )
        by_even = _by_even(self._rules, contract, team_of(self._seat))
        return _Plan(trump, table, by_even, picks_up, own)


def _by_even(rules: Rules, contract: Contract, team: int) -> Sequence[Result]:
    """Return what *team* has by the tricks of the even seats."""
    results = results_by_tricks(rules, contract, team)
    return results if team == 0 else results[::-1]


def _after_pickup(view: View, trump: Trump, rules: Rules) -> Cards:
    assert view.upcard is not None
    six = (*view.cards, view.upcard)
    buried = choose_discard(six, six if rules.upcard_discard else view.cards, trump, rules)
    return cards_after_pickup(view.cards, view.upcard, buried)


# ── the bids to come ─────────────────────────────────────────────────────────────────────────────────────────────────


def _turns_to_come(view: View, rules: Rules) -> Iterator[Turn]:
    """Yield the turns to bid after the viewer's, if it passes."""
    assert view.dealer is not None
    viewer = seat_of(view)
    after = clockwise_from(LEFT_OF[viewer])[: (view.dealer - viewer) % 4]
    if view.phase is Phase.ROUND_ONE:
        for seat in after:
            yield _in_round_one(view, rules, seat)
        after = clockwise_from(LEFT_OF[view.dealer])
    if view.phase in (Phase.ROUND_ONE, Phase.ROUND_TWO):
        for seat in after:
            yield _in_round_two(view, rules, seat)


def _in_round_one(view: View, rules: Rules, seat: Seat) -> Turn:
    assert view.dealer is not None
    assert view.upcard is not None
    place, turned = place_of(seat, view.dealer), upcard_suit(view.upcard)
    together, alone = (
        lead_adds(place, turned, alone=lone) + upcard_adds(view.upcard, place, rules, alone=lone)
        for lone in (False, True)
    )
    only_alone = place == SECOND and rules.dealer_partner_round1 is PartnerRound1.ALONE_OR_PASS
    return Turn(
        seat,
        [SUITS.index(turned)],
        [together - CALLS_AT[Phase.ROUND_ONE, place]],
        [alone - (ALONE_OR_PASS_AT if only_alone else ALONE_AT)],
        picks_up=cards_mask([view.upcard]) if seat == view.dealer else 0,
        must_call=False,
        only_alone=only_alone,
        may_be_alone=rules.alone is not Alone.OFF,
    )


def _in_round_two(view: View, rules: Rules, seat: Seat) -> Turn:
    assert view.dealer is not None
    assert view.upcard is not None
    place, upcard = place_of(seat, view.dealer), view.upcard
    trumps = [suit for suit in SUITS if suit != upcard_suit(upcard)]
    together, alone = (
        [turned_down_adds(upcard, trump, place) + lead_adds(place, trump, alone=lone) - at for trump in trumps]
        for lone, at in ((False, CALLS_AT[Phase.ROUND_TWO, place]), (True, ALONE_AT))
    )
    return Turn(
        seat,
        [SUITS.index(trump) for trump in trumps],
        together,
        alone,
        picks_up=0,
        must_call=seat == view.dealer and rules.all_pass is AllPass.STICK,
        only_alone=False,
        may_be_alone=rules.alone is not Alone.OFF,
    )
