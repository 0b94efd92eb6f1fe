"""What each action is worth, by playing it out with all cards open over layouts that fit what the seat knows.

`evaluate` answers in points and says how sure it is; it is what `hard` and `expert` choose by, and what explains a
decision afterwards. Passing is not searched: seeing all cards, everybody defends too well and passes look too good. It
is worth what the weakest hand is worth that should call from its place (`PASS_WORTH`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Final, TypeAlias

from bots.discarding import choose_discard
from bots.estimate import cards_after_pickup, place_of
from bots.layouts import Layout, cards_mask, draw, strengths
from bots.solver.open_hand import bit_of, mask_from_numbers, solver_for, table_masks
from bots.solver.search import Solver
from engine.actions import Action, AnswerAlone, AnswerDefence, CallTrump, Discard, OrderUp, Pass, PlayCard
from engine.cards import CARDS_PER_HAND, PARTNER_OF, SUITS, Seat, Trump, team_of, upcard_suit
from engine.play import first_leader
from engine.rules import Rules
from engine.scoring import score_hand
from engine.state import Phase
from engine.view import View

_BIDS: Final = json.loads(Path(__file__).with_name("bids.json").read_text())
"""What scripts/train_bids.py found by self-play."""
PASS_WORTH: Final[dict[tuple[Phase, int], float]] = {
    (phase, place): worth
    for phase in (Phase.ROUND_ONE, Phase.ROUND_TWO)
    for place, worth in enumerate(_BIDS["pass"][phase])
}
"""The points, by search, from which a hand calls when the score does not matter, by place from the dealer's left."""
LONE_BONUS: Final[float] = _BIDS["alone"]
"""What a lone hand scores beyond what the search says: the defenders do not see the cards."""
Solve: TypeAlias = Callable[[Layout], int]
"""How many tricks our side has in the end, in one layout."""


@dataclass(frozen=True, slots=True)
class Contract:
    """Who made trump, what it is and who plays alone, the maker's side first."""

    maker: Seat
    trump: Trump
    alone: tuple[Seat, ...] = ()

    def with_lone(self, seat: Seat) -> Contract:
        """Return the same with *seat* playing alone."""
        return Contract(self.maker, self.trump, (*self.alone, seat))


@dataclass(frozen=True, slots=True)
class Trial:
    """An action to be searched: the contract it leads to and how a layout is solved after it."""

    contract: Contract
    solver: Solver
    solve: Solve


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of an action: the contract it leads to and, over the layouts, how often our side has which tricks."""

    contract: Contract
    counts: tuple[int, ...]

    def mean(self, worth: Sequence[float]) -> tuple[float, float]:
        """Return the mean and the standard error of *worth*, which is by our tricks from none to five."""
        total = sum(self.counts)
        mean = sum(times * value for times, value in zip(self.counts, worth, strict=True)) / total
        spread = sum(times * (value - mean) ** 2 for times, value in zip(self.counts, worth, strict=True)) / total
        return mean, sqrt(spread / max(1, total - 1))


@dataclass(frozen=True, slots=True)
class Worth:
    """Expected points of an action for the side that takes it, and their standard error."""

    action: Action
    points: float
    error: float


def evaluate(view: View, legal: Sequence[Action], rules: Rules, *, layouts: int, seed: int) -> tuple[Worth, ...]:
    """Return what each of *legal* is worth to the seat whose *view* this is, in their order.

    Actions the search does not judge are left out: relief, a claim, the cards of call for best, a blind call. Passing
    has its fixed worth, without error.
    """
    found = outcomes(view, legal, rules, layouts=layouts, seed=seed)
    team = team_of(seat_of(view))
    worth = []
    for action in legal:
        if action in found:
            outcome = found[action]
            points, error = outcome.mean(points_by_tricks(rules, outcome.contract, team))
            worth.append(Worth(action, points, error))
        elif isinstance(action, Pass) and found:
            worth.append(Worth(action, pass_worth(view), 0.0))
    return tuple(worth)


def pass_worth(view: View) -> float:
    """Return the points passing is worth from the viewer's place."""
    assert view.phase is not None
    assert view.dealer is not None
    return PASS_WORTH[view.phase, place_of(seat_of(view), view.dealer)]


@lru_cache(maxsize=4096)
def points_by_tricks(rules: Rules, contract: Contract, team: int) -> tuple[float, ...]:
    """Return *team*'s points, less the other's, by the tricks it takes."""
    points = []
    for ours in range(CARDS_PER_HAND + 1):
        theirs = CARDS_PER_HAND - ours
        tricks = (ours, theirs) if team == 0 else (theirs, ours)
        scored, won, _ = score_hand(rules, maker=contract.maker, alone=contract.alone, tricks=tricks)
        points.append(float(won if scored == team else -won))
    return tuple(points)


def seat_of(view: View) -> Seat:
    """Return the viewer, who must be a seat."""
    assert isinstance(view.viewer, int)
    return view.viewer


# ── the search ───────────────────────────────────────────────────────────────────────────────────────────────────────


def outcomes(
    view: View, legal: Sequence[Action], rules: Rules, *, layouts: int, seed: int, work: int | None = None
) -> dict[Action, Outcome]:
    """Return what comes of each of *legal* that can be searched, over about *layouts* layouts, the same for all.

    Once *work* plays have been looked at in all, it makes do with the layouts it has seen: a bound on time that does
    not depend on the machine, so that the answer does not. Empty where there is nothing to search.
    """
    if view.phase is Phase.PLAY:
        plays = [action for action in legal if isinstance(action, PlayCard)]
        return _over_plays(view, plays, draw(view, rules, layouts=layouts, seed=seed), work)
    tries = {action: tried for action in legal if (tried := _try(view, action, rules)) is not None}
    if not tries:
        return {}
    counts = {action: [0] * (CARDS_PER_HAND + 1) for action in tries}
    for layout in draw(view, rules, layouts=layouts, seed=seed):
        for action, trial in tries.items():
            counts[action][trial.solve(layout)] += layout[0]
        if work is not None and sum(trial.solver.nodes for trial in tries.values()) > work:
            break
    return _outcomes({action: trial.contract for action, trial in tries.items()}, counts)


def _over_plays(
    view: View, plays: Sequence[PlayCard], layouts: Sequence[Layout], work: int | None
) -> dict[Action, Outcome]:
    """Solve every layout once for all cards that may be played."""
    seat, trump, maker = seat_of(view), view.trump, view.maker
    assert trump is not None
    assert maker is not None
    bits = bit_of(trump)
    order = [(seat + at) % 4 for at in range(4)]
    table = table_masks(seat, view.trick, trump)
    won = view.won[team_of(seat)]
    solver = solver_for(trump)
    by_bit = {bits[action.card]: [0] * (CARDS_PER_HAND + 1) for action in plays}
    for layout in _merged(layouts, view.sitting):
        solver.forget()
        first, second, third, fourth = (mask_from_numbers(layout[1 + other], trump) for other in order)
        for bit, tricks in solver.plays(first, second, third, fourth, len(view.cards), seat, table):
            by_bit[bit][won + tricks] += layout[0]
        if work is not None and solver.nodes > work:
            break
    contract = Contract(maker, trump, view.alone)
    counts: dict[Action, list[int]] = {action: by_bit[bits[action.card]] for action in plays}
    return _outcomes(dict.fromkeys(counts, contract), counts)


def _outcomes(contracts: dict[Action, Contract], counts: dict[Action, list[int]]) -> dict[Action, Outcome]:
    return {action: Outcome(contracts[action], tuple(tricks)) for action, tricks in counts.items() if any(tricks)}


def _merged(layouts: Sequence[Layout], sitting: Sequence[Seat]) -> list[Layout]:
    """Return *layouts* with the hands of those who sit empty, and those that are then the same counted as one."""
    times: dict[tuple[int, ...], int] = {}
    for count, *hands, _ in layouts:
        for seat in sitting:
            hands[seat] = 0
        played = tuple(hands)
        times[played] = times.get(played, 0) + count
    return [(count, played[0], played[1], played[2], played[3], 0) for played, count in times.items()]


# ── hands before the first lead ──────────────────────────────────────────────────────────────────────────────────────


def _try(view: View, action: Action, rules: Rules) -> Trial | None:
    """Return how *action* is searched; None for what is not."""
    seat, upcard = seat_of(view), view.upcard
    assert upcard is not None
    if isinstance(action, OrderUp | CallTrump):
        trump = action.trump if isinstance(action, CallTrump) else upcard_suit(upcard)
        contract = Contract(seat, trump, (seat,) if action.alone else ())
        if view.phase is Phase.ROUND_TWO:
            return _trial(view, contract, rules)
        if not view.cards:
            return None
        return _trial(view, contract, rules, picks_up=True)
    contract = _made(view)
    if isinstance(action, Discard):
        hand = cards_mask(card for card in view.cards if card != action.card)
        return _trial(view, contract, rules, own=hand)
    if isinstance(action, AnswerAlone | AnswerDefence):
        contract = contract.with_lone(seat) if action.alone else contract
        return _trial(view, contract, rules)
    return None


def _made(view: View) -> Contract:
    if view.maker is None or view.trump is None:
        return Contract(seat_of(view), "n")
    return Contract(view.maker, view.trump, view.alone)


def _trial(view: View, contract: Contract, rules: Rules, *, own: int | None = None, picks_up: bool = False) -> Trial:
    """Return how layouts are solved in *contract*, with the viewer's hand being *own* if that has changed.

    With *picks_up* the dealer has yet to take the upcard and bury a card.
    """
    seat, dealer, upcard, trump = seat_of(view), view.dealer, view.upcard, contract.trump
    assert dealer is not None
    assert upcard is not None
    sitting = {PARTNER_OF[lone] for lone in contract.alone}
    leader = first_leader(rules, dealer=dealer, maker=contract.maker, alone=contract.alone)
    order = [(leader + at) % 4 for at in range(4)]
    is_ours = team_of(leader) == team_of(seat)
    takes = picks_up and dealer not in sitting
    if takes and dealer == seat:
        six = (*view.cards, upcard)
        buried = choose_discard(six, six if rules.upcard_discard else view.cards, trump, rules)
        own = cards_mask(cards_after_pickup(view.cards, upcard, buried))
    up = cards_mask([upcard]) if takes and dealer != seat else 0
    together, _ = strengths(rules.low_rank, rules.jokers)
    number = SUITS.index(trump) if trump in SUITS else 0
    solver = solver_for(trump)

    def solve(layout: Layout) -> int:
        hands = [0 if other in sitting else layout[1 + other] for other in range(4)]
        if own is not None and seat not in sitting:
            hands[seat] = own
        if up:
            hands[dealer] = _without_worst(hands[dealer] | up, lambda five: together.tricks(five, number))
        first, second, third, fourth = (mask_from_numbers(hands[other], trump) for other in order)
        solver.forget()
        tricks = solver.tricks(first, second, third, fourth, CARDS_PER_HAND, leader)
        return tricks if is_ours else CARDS_PER_HAND - tricks

    return Trial(contract, solver, solve)


def _without_worst(six: int, tricks: Callable[[int], float]) -> int:
    """Return the five of *six* cards that take most tricks."""
    best, best_tricks = 0, float("-inf")
    rest = six
    while rest:
        card = rest & -rest
        rest ^= card
        value = tricks(six ^ card)
        if value > best_tricks:
            best, best_tricks = six ^ card, value
    return best
