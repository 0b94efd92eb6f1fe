"""Relief from a very bad hand (RULES.md §8)."""

from __future__ import annotations

from itertools import combinations

from engine.actions import RELIEF, Action, AskRelief, swap_of
from engine.cards import CARDS_PER_HAND, SEATS, SWAPPED, Cards, make_pack
from engine.errors import Code
from engine.rules import Relief, ReliefHand, Rules

_LOW, _TENS_AND_NINES = frozenset("789T"), frozenset("9T")


def is_relieved(hand: Cards, kind: ReliefHand) -> bool:
    """Tell whether *hand* is as bad as *kind* asks; a Benny never is (R-RELIEF-1, R-RELIEF-2)."""
    ranks = {card[0] for card in hand}
    match kind:
        case ReliefHand.NINES_TENS:
            return ranks <= _TENS_AND_NINES
        case ReliefHand.NO_ACE_NO_FACE:
            return ranks <= _LOW
        case ReliefHand.ACE_NO_FACE:
            return "A" in ranks and ranks <= _LOW | {"A"}


def relief_actions(rules: Rules, hand: Cards) -> tuple[Action, ...]:
    """Return the ways in which *hand* may ask for relief: none, one, or which three cards to swap."""
    if rules.relief is Relief.OFF or not is_relieved(hand, rules.relief_hand):
        return ()
    if rules.relief is Relief.REDEAL:
        return (RELIEF,)
    return tuple([swap_of(cards) for cards in combinations(hand, SWAPPED)])


def why_no_relief(rules: Rules, hand: Cards, action: AskRelief) -> Code:
    """Return why *action* gets no relief for *hand*."""
    if rules.relief is Relief.OFF:
        return Code.WRONG_PHASE
    if not is_relieved(hand, rules.relief_hand):
        return Code.HAND_TOO_GOOD
    if bool(action.cards) is not (rules.relief is Relief.SWAP3):
        return Code.BAD_ACTION
    return Code.WRONG_PHASE if set(action.cards) <= set(hand) else Code.CARD_NOT_HELD


def still_under(put_away: Cards, swaps_since: int, rules: Rules) -> Cards:
    """Return which of the three cards *put_away* lie under the deck after *swaps_since* seats swapped later.

    Who swaps takes the cards that lay first under the upcard and puts his own last (R-RELIEF-1).
    """
    under = len(make_pack(rules.low_rank, rules.jokers)) - len(SEATS) * CARDS_PER_HAND - 1
    return put_away[max(0, SWAPPED * (swaps_since + 1) - under) :]
