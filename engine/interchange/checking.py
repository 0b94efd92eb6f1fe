"""Whether what a file tells can be: no card twice, calls in turn, whole tricks, no revoke.

The engine checks a game closer when its record is made. This is for games of which something is not known, and for
faults that are better told by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, pairwise
from typing import Final

from engine.actions import Action, AskRelief, Discard, GiveCard
from engine.cards import (
    CARDS_PER_HAND,
    LEFT_OF,
    PARTNER_OF,
    SEATS,
    Card,
    Cards,
    Seat,
    effective_suit,
    make_pack,
)
from engine.errors import IllegalActionError
from engine.events import FourHands
from engine.game import apply, deal, legal_actions, new_game
from engine.interchange.reports import InterchangeError
from engine.interchange.study import UNKNOWN, Contract, Study, StudyHand, contract_of, seats_by_trick, swaps_of
from engine.interchange.to_record import deck_of
from engine.rules import Rules
from engine.state import Game, Phase

_TRICKS: Final = CARDS_PER_HAND


def check(study: Study) -> None:
    """Raise InterchangeError at the first thing that cannot be."""
    for hand in study.hands:
        try:
            _check_cards(study.rules, hand)
            _check_moves(study.rules, hand)
            _check_tricks(study.rules, hand)
        except InterchangeError as error:
            raise error.placed(hand=hand.number) from None
    if study.is_game:
        for before, after in pairwise(study.hands):
            _check_dealer(before, after)


def _check_dealer(before: StudyHand, after: StudyHand) -> None:
    """The deal moves one seat left; after a hand in which nobody made trump it may stay (R-DEAL-2, R-DEAL-3)."""
    is_same = after.dealer == before.dealer and contract_of(before) is None
    if after.dealer != LEFT_OF[before.dealer] and not is_same:
        raise InterchangeError(f"seat {after.dealer} does not deal this hand", hand=after.number)


# ── cards ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _check_cards(rules: Rules, hand: StudyHand) -> None:
    pack = frozenset(make_pack(rules.low_rank, rules.jokers))
    dealt = _known(chain(*hand.hands, (hand.upcard,), hand.buried))
    for card in (*dealt, *_known(chain.from_iterable(hand.tricks))):
        if card not in pack:
            raise InterchangeError(f"{card} is not in the pack of {len(pack)} cards")
    twice = next((card for at, card in enumerate(dealt) if card in dealt[:at]), None)
    if twice is not None:
        raise InterchangeError(f"{twice} is dealt twice")
    gone = {action.card for _, action in hand.moves if isinstance(action, Discard)}
    for trick, cards in enumerate(hand.tricks, start=1):
        for card in _known(cards):
            if card in gone:
                raise InterchangeError(f"{card} is played, but was played or buried before", trick=trick)
            gone.add(card)


def _known(cards: Iterable[Card]) -> Cards:
    return tuple(card for card in cards if card != UNKNOWN)


# ── what comes before the first lead ─────────────────────────────────────────────────────────────────────────────────


def _check_moves(rules: Rules, hand: StudyHand) -> None:
    """Let the engine follow the moves, with other cards in the places of those not known, as far as they tell."""
    if hand.upcard == UNKNOWN:
        return
    try:
        game, _ = deal(new_game(rules), deck_of(rules, _filled(rules, hand)), dealer=hand.dealer)
    except IllegalActionError as error:
        raise InterchangeError(error.detail) from None
    told = {action.card for _, action in hand.moves if isinstance(action, Discard | GiveCard)}
    are_gives_known = not any(isinstance(action, GiveCard) and action.card == UNKNOWN for _, action in hand.moves)
    told.update(chain.from_iterable(hand.tricks))
    for seat, action in hand.moves:
        if action is None or (isinstance(action, AskRelief) and not _is_swap_known(hand, seat)):
            return
        if isinstance(action, GiveCard) and not are_gives_known and game.stage.phase is Phase.EXCHANGE:
            return
        try:
            game, _ = apply(game, seat, _any_card(game, action, told))
        except IllegalActionError as error:
            raise InterchangeError(f"seat {seat}, {action}: {error.detail}") from None


def _is_swap_known(hand: StudyHand, seat: Seat) -> bool:
    return bool(hand.buried) and UNKNOWN not in hand.hands[seat]


def _any_card(game: Game, action: Action, told: AbstractSet[Card]) -> Action:
    """Return *action*, or where its card is not known a legal one of its kind, if possible of a card not in *told*."""
    if not isinstance(action, Discard | GiveCard) or action.card != UNKNOWN:
        return action
    choices = [legal for legal in legal_actions(game) if isinstance(legal, Discard | GiveCard)]
    return next((legal for legal in choices if legal.card not in told), choices[0] if choices else action)


def _filled(rules: Rules, hand: StudyHand) -> StudyHand:
    told = {*chain.from_iterable(hand.hands), hand.upcard, *hand.buried}
    others = iter([card for card in make_pack(rules.low_rank, rules.jokers) if card not in told])
    hands = [tuple(next(others) if card == UNKNOWN else card for card in cards) for cards in hand.hands]
    four: FourHands = (hands[0], hands[1], hands[2], hands[3])
    return replace(hand, hands=four)


# ── tricks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _check_tricks(rules: Rules, hand: StudyHand) -> None:
    if not hand.tricks:
        return
    contract = contract_of(hand)
    if contract is None:
        raise InterchangeError("cards are played, but trump is not made", trick=1)
    if len(hand.tricks) > _TRICKS:
        raise InterchangeError(f"a hand has {_TRICKS} tricks", trick=_TRICKS + 1)
    size = len(SEATS) - len(contract.alone)
    for trick, cards in enumerate(hand.tricks, start=1):
        if not cards or len(cards) > size or (len(cards) < size and trick < len(hand.tricks)):
            raise InterchangeError(f"{size} play to a trick, this has {len(cards)} cards", trick=trick)
    _check_holders(rules, hand, contract)
    _check_revokes(rules, hand, contract)


def _plays(rules: Rules, hand: StudyHand) -> Iterator[tuple[int, Seat, Card]]:
    """Yield trick, seat and card of every known card whose seat can be told."""
    for trick, (seats, cards) in enumerate(zip(seats_by_trick(rules, hand), hand.tricks, strict=False), start=1):
        for seat, card in zip(seats, cards, strict=False):
            if card != UNKNOWN:
                yield trick, seat, card


def _check_holders(rules: Rules, hand: StudyHand, contract: Contract) -> None:
    """Nobody plays what another was dealt, or what he cannot have got."""
    gives = [(seat, action.card) for seat, action in hand.moves if isinstance(action, GiveCard)]
    if any(True for _ in swaps_of(hand)) or any(card == UNKNOWN for _, card in gives):
        return
    owner = {card: seat for seat in SEATS for card in hand.hands[seat]}
    owner[hand.upcard] = hand.dealer if contract.is_ordered else -1
    owner |= dict.fromkeys(hand.buried, -1)
    owner |= {action.card: PARTNER_OF[seat] for seat, action in hand.moves if isinstance(action, GiveCard)}
    for trick, seat, card in _plays(rules, hand):
        is_known = UNKNOWN not in hand.hands[seat]
        if owner.get(card, -1 if is_known else seat) != seat:
            raise InterchangeError(f"seat {seat} plays {card} and cannot hold it", trick=trick)


def _check_revokes(rules: Rules, hand: StudyHand, contract: Contract) -> None:
    """Nobody who did not follow a suit plays a card of it later (R-PLAY-2)."""
    trump = contract.trump
    if trump is None:
        return
    lacking: dict[tuple[Seat, str], int] = {}
    led = ""
    for trick, seat, card in _plays(rules, hand):
        suit = effective_suit(card, trump)
        if (seat, suit) in lacking:
            raise InterchangeError(
                f"seat {seat} plays {card} in trick {trick}, but did not follow suit here", trick=lacking[seat, suit]
            )
        is_lead = card == hand.tricks[trick - 1][0]
        led = suit if is_lead else led
        if hand.tricks[trick - 1][0] != UNKNOWN and suit != led and led != "j":
            lacking[seat, led] = trick
