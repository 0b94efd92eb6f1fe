"""What follows from what a file tells: hands from the cards played, the discard, options that show in the play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from engine.actions import AnswerAlone, AnswerDefence, AskRelief, Discard, GiveCard, OrderUp, Pass
from engine.cards import BENNY, CARDS_PER_HAND, PARTNER_OF, SEATS, Card, Cards, Seat, make_pack, team_of
from engine.events import FourHands
from engine.interchange.reports import InterchangeError
from engine.interchange.study import UNKNOWN, Contract, StudyHand, contract_of, seats_by_trick
from engine.interchange.to_record import buried_so_that
from engine.relief import is_relieved
from engine.rules import (
    Alone,
    AloneTiming,
    BennyTurned,
    DefendAlone,
    PartnerRound1,
    RedealDealer,
    Relief,
    ReliefHand,
    Rules,
    SittingDealer,
)

_PASSES: Final = 2 * len(SEATS)


# ── cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def completed(rules: Rules, hand: StudyHand) -> StudyHand:
    """Return *hand* with the discard and the dealt cards that follow from the play."""
    contract = contract_of(hand)
    if contract is None:
        return hand
    played = _played(rules, hand)
    hand = _with_discard(hand, played[hand.dealer])
    hands = tuple(_with_shown(hand, contract, seat, played[seat]) for seat in SEATS)
    four: FourHands = (hands[0], hands[1], hands[2], hands[3])
    return replace(hand, hands=four)


def _played(rules: Rules, hand: StudyHand) -> dict[Seat, list[Card]]:
    played: dict[Seat, list[Card]] = {seat: [] for seat in SEATS}
    for seats, cards in zip(seats_by_trick(rules, hand), hand.tricks, strict=False):
        for seat, card in zip(seats, cards, strict=False):
            played[seat].append(card)
    return played


def _with_discard(hand: StudyHand, played: Sequence[Card]) -> StudyHand:
    """Fill in a discard nobody told, where the dealer played all he kept."""
    unknown = (hand.dealer, Discard(UNKNOWN))
    if unknown not in hand.moves or len(played) != CARDS_PER_HAND or UNKNOWN in (hand.upcard, *played):
        return hand
    dealt = hand.hands[hand.dealer]
    given, taken = _passed(hand, hand.dealer)
    if UNKNOWN in (*given, *taken) or any(seat == hand.dealer for seat in _went_under(hand)):
        return hand
    if UNKNOWN in dealt:
        kept = (*played, *given)
        buried = [] if hand.upcard in kept else [hand.upcard]
    else:
        held = [*dealt, hand.upcard, *taken]
        buried = [card for card in held if card not in (*played, *given)]
    if len(buried) != 1:
        return hand
    moves = tuple((hand.dealer, Discard(buried[0])) if move == unknown else move for move in hand.moves)
    return replace(hand, moves=moves)


def _went_under(hand: StudyHand) -> list[Seat]:
    return [seat for seat, action in hand.moves if isinstance(action, AskRelief) and action.cards]


def _passed(hand: StudyHand, seat: Seat) -> tuple[Cards, Cards]:
    """Return what *seat* gave its partner, and what it got."""
    gives = [(giver, action.card) for giver, action in hand.moves if isinstance(action, GiveCard)]
    given = tuple(card for giver, card in gives if giver == seat)
    taken = tuple(card for giver, card in gives if giver == PARTNER_OF[seat])
    return given, taken


def _with_shown(hand: StudyHand, contract: Contract, seat: Seat, played: Sequence[Card]) -> Cards:
    """Return the cards dealt to *seat*, with those that it showed to have been dealt where they were not told."""
    dealt = hand.hands[seat]
    if UNKNOWN not in dealt:
        return dealt
    given, taken = _passed(hand, seat)
    buried = [action.card for who, action in hand.moves if who == seat and isinstance(action, Discard)]
    # The first to give gives a card of his own, which may come back; the second may only give it back.
    gives_first = [who for who, action in hand.moves if isinstance(action, GiveCard)][:1] == [seat]
    from_elsewhere = {UNKNOWN, *taken} - set(given if gives_first else ())
    if contract.is_ordered and seat == hand.dealer:
        from_elsewhere.add(hand.upcard)
    put_away = [
        card for who, action in hand.moves if who == seat and isinstance(action, AskRelief) for card in action.cards
    ]
    # Where nobody told what a seat got, none of what it gave or played need be its own.
    seen = put_away or (buried if UNKNOWN in taken else [*played, *buried, *given])
    known = list(dict.fromkeys(card for card in (*dealt, *seen) if card not in from_elsewhere))
    if len(known) > CARDS_PER_HAND:
        raise InterchangeError(f"seat {seat} shows more than {CARDS_PER_HAND} cards", hand=hand.number)
    return (*known, *(UNKNOWN,) * (CARDS_PER_HAND - len(known)))


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def with_shown_options(rules: Rules, hands: Sequence[StudyHand]) -> Rules:
    """Return *rules* with the options that no file names but that show in what was done."""
    if any(_is_asked_late(hand) for hand in hands) and rules.alone is not Alone.OFF:
        if rules.dealer_partner_round1 is PartnerRound1.FREE:
            rules = replace(rules, alone_timing=AloneTiming.BEFORE_FIRST_LEAD)
            if any(_is_partner_asked(hand) for hand in hands):
                rules = replace(rules, alone=Alone.MAKER_SIDE)
    elif any(_is_dealer_spared(hand) for hand in hands):
        rules = replace(rules, sitting_dealer=SittingDealer.SKIPS)
    if rules.defend_alone is not DefendAlone.OFF and any(_is_defended_against_two(hand) for hand in hands):
        rules = replace(rules, defend_alone=DefendAlone.ANY)
    if any(_is_dealt_again(hand, after) for hand, after in pairwise(hands)):
        rules = replace(rules, redeal_dealer=RedealDealer.SAME)
    if rules.jokers and any(_is_benny_spades(hand) for hand in hands):
        rules = replace(rules, benny_turned=BennyTurned.AS_SPADES)
    return replace(rules, relief_hand=_relief_hand(rules, hands))


def _is_asked_late(hand: StudyHand) -> bool:
    """Tell whether alone was said apart from the call; with a call nobody told it cannot be said otherwise."""
    has_unknown_call = any(action is None for _, action in hand.moves)
    return not has_unknown_call and any(isinstance(action, AnswerAlone) for _, action in hand.moves)


def _is_partner_asked(hand: StudyHand) -> bool:
    contract = contract_of(hand)
    return contract is not None and any(
        isinstance(action, AnswerAlone) and seat != contract.maker for seat, action in hand.moves
    )


def _is_dealer_spared(hand: StudyHand) -> bool:
    """Tell whether the dealer's partner ordered alone and play went on without a discard (R-ALONE-4)."""
    last = [action for _, action in hand.moves][-1:]
    ordered_alone = (PARTNER_OF[hand.dealer], OrderUp(alone=True)) in hand.moves
    has_gone_on = bool(hand.tricks) or last != [OrderUp(alone=True)]
    return ordered_alone and has_gone_on and not any(isinstance(action, Discard) for _, action in hand.moves)


def _is_defended_against_two(hand: StudyHand) -> bool:
    contract = contract_of(hand)
    return (
        contract is not None
        and any(isinstance(action, AnswerDefence) for _, action in hand.moves)
        and not any(team_of(seat) == team_of(contract.maker) for seat in contract.alone)
    )


def _is_dealt_again(hand: StudyHand, after: StudyHand) -> bool:
    """Tell whether eight passes were followed by a deal of the same dealer (R-DEAL-3)."""
    passes = sum(isinstance(action, Pass) for _, action in hand.moves)
    return passes == _PASSES and hand.dealer == after.dealer


def _is_benny_spades(hand: StudyHand) -> bool:
    """Tell whether a Benny turned up was bid on (R-BID-7)."""
    return hand.upcard == BENNY and any(isinstance(action, Pass | OrderUp) for _, action in hand.moves)


def _relief_hand(rules: Rules, hands: Sequence[StudyHand]) -> ReliefHand:
    """Return the first kind of bad hand that all who asked for relief held (R-RELIEF-1)."""
    shown = [
        hand.hands[seat]
        for hand in hands
        for seat, action in hand.moves
        if isinstance(action, AskRelief) and UNKNOWN not in hand.hands[seat]
    ]
    if rules.relief is Relief.OFF:
        return rules.relief_hand
    kinds = [kind for kind in ReliefHand if all(is_relieved(cards, kind) for cards in shown)]
    return kinds[0] if kinds else rules.relief_hand


# ── the buried cards ─────────────────────────────────────────────────────────────────────────────────────────────────


def with_buried(rules: Rules, hand: StudyHand, taken: Sequence[Cards]) -> StudyHand:
    """Return *hand* with its buried cards where the others are known; *taken* is what those who went under took."""
    under = {card for cards in (*hand.hands, (hand.upcard,)) for card in cards}
    if hand.buried or UNKNOWN in under:
        return hand
    rest = tuple(card for card in make_pack(rules.low_rank, rules.jokers) if card not in under)
    given = [action.cards for _, action in hand.moves if isinstance(action, AskRelief) and action.cards]
    try:
        return replace(hand, buried=buried_so_that(rest, list(zip(given, taken, strict=True))))
    except InterchangeError as error:
        raise error.placed(hand=hand.number) from None
