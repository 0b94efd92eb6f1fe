"""The hidden cards as one seat must imagine them: layouts that fit all it knows, the likely ones more often.

What is ruled out never comes: a suit not followed, a card seen elsewhere, the upcard anywhere but with the dealer.
What is only unlikely comes as rarely as it should: a strong hand with a seat that passed, a weak one with a seat that
called, a good card buried by the dealer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final, TypeAlias

from bots.bidding import ALONE_AT, CALLS_AT
from bots.estimate import (
    Holding,
    holding,
    lead_adds,
    place_of,
    seat_of,
    tricks_alone,
    tricks_together,
    turned_down_adds,
    upcard_adds,
)
from bots.solver.sampling import DISCARD, NOTHING, Evidence, Sampler, Strength
from engine.actions import Action, AnswerAlone, CallTrump, OrderUp, Pass
from engine.cards import (
    ALL_CARDS,
    BENNY,
    PARTNER_OF,
    RANKS,
    SEATS,
    SUITS,
    Card,
    Cards,
    Seat,
    Trump,
    effective_suit,
    make_pack,
    upcard_suit,
)
from engine.relief import still_under
from engine.rules import AllPass, BennyTurned, PartnerExchange, PartnerRound1, Rules
from engine.state import Phase, UpcardFate
from engine.view import View, Viewer

Layout: TypeAlias = tuple[int, int, int, int, int, int]
"""How often it counts, the four hands by seat, and the dealer's buried card: masks of `cards_mask`."""

NUMBER: Final = {card: at for at, card in enumerate(ALL_CARDS)}
EVERY_CARD: Final = (1 << len(ALL_CARDS)) - 1
_PROPOSALS: Final = 6
"""Layouts dealt for each that is kept."""
_FREE: Final = 1.5
"""Tricks by which a call that had to be made may be weaker than one freely made."""
_MUST_BE_ALONE: Final = -1.2
"""What a pass tells less where the only call was alone."""


def cards_mask(cards: Iterable[Card]) -> int:
    """Return *cards* as one mask, a bit a card in the order of ALL_CARDS."""
    return sum(1 << NUMBER[card] for card in cards)


def cards_in(mask: int) -> Cards:
    """Return the cards of *mask*."""
    return tuple([card for at, card in enumerate(ALL_CARDS) if mask >> at & 1])


# ── how strong a hand is, by lookup ──────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=16)
def strengths(low_rank: int, jokers: int) -> tuple[Strength, Strength]:
    """Return what `bots.estimate` says of any hand, taken together and taken alone, as tables."""
    rules = Rules(low_rank=low_rank, jokers=jokers)
    pack = frozenset(make_pack(low_rank, jokers))
    together = Strength(*_tables(tricks_together, rules, pack))
    return together, Strength(*_tables(tricks_alone, rules, pack))


def _tables(
    tricks: Callable[[Holding, Trump], float], rules: Rules, pack: frozenset[Card]
) -> tuple[list[float], list[float]]:
    trumps: list[float] = []
    for extra in ((), (Card("Jc"),), (BENNY,), (Card("Jc"), BENNY)):
        for ranks in range(256):
            cards = [card for card in (*_of_ranks(ranks, "s"), *extra) if card in pack]
            held = Holding(holding(cards, "s", rules).trumps, 0, 0, 0, 0, 0, 0, 0)
            trumps.append(tricks(held, "s"))
    plains: list[float] = []
    for own in ((), (5, 5)):
        nothing = tricks(Holding(own, 0, 0, 0, 0, 0, 0, 0), "s")
        for ranks in range(256):
            cards = [card for card in _of_ranks(ranks, "h") if card in pack]
            held = replace(holding(cards, "s", rules), trumps=own, voids=int(not cards))
            plains.append(tricks(held, "s") - nothing)
    return trumps, plains


def _of_ranks(ranks: int, suit: str) -> Iterator[Card]:
    return (Card(rank + suit) for at, rank in enumerate(RANKS) if ranks >> at & 1)


# ── what a seat knows ────────────────────────────────────────────────────────────────────────────────────────────────


def sampler_for(view: View, rules: Rules, seed: int) -> Sampler:
    """Return what draws layouts for the seat whose *view* this is, its own hand as it is."""
    seat, dealer, upcard = seat_of(view), view.dealer, view.upcard
    assert dealer is not None
    assert upcard is not None
    pack = cards_mask(make_pack(rules.low_rank, rules.jokers))
    past = _past(view)
    known = [0, 0, 0, 0, 0]
    known[seat] = cards_mask(view.cards)
    gone = past[0] | past[1] | past[2] | past[3] | known[seat] | cards_mask(put_away(view, rules))
    given = cards_mask([view.given]) & ~gone if view.given is not None else 0
    known[PARTNER_OF[seat]] |= given
    gone |= given
    up = cards_mask([upcard])
    pair = _exchanged(view, rules)
    allowed = [_allowed(view, other, pair) for other in SEATS]
    is_taken = view.upcard_fate is UpcardFate.TAKEN
    discards = is_taken and dealer != seat and view.phase is not Phase.DISCARD
    if not is_taken:
        gone |= up
    elif not up & gone:
        if dealer in pair:
            for other in SEATS:
                allowed[other] &= EVERY_CARD if other in pair else ~up
        elif allowed[dealer] & up and view.counts[dealer]:
            known[dealer] |= up
        else:
            known[DISCARD] |= up
    gone |= known[dealer] | known[DISCARD]
    places = [other for other in SEATS if other != seat and _missing(view, known, other)]
    needs = {other: _missing(view, known, other) for other in places}
    if discards and not known[DISCARD]:
        places.append(DISCARD)
        needs[DISCARD] = 1
        allowed.append(EVERY_CARD)
    unseen = pack & ~gone
    places.sort(key=lambda place: ((unseen & allowed[place]).bit_count() - needs[place], place))
    together, alone = strengths(rules.low_rank, rules.jokers)
    return Sampler(
        unseen=unseen,
        places=places,
        needs=[needs[place] for place in places],
        allowed=[allowed[place] for place in places],
        known=known,
        past=past,
        dealer=dealer,
        taken=up if discards else 0,
        trump=SUITS.index(view.trump) if view.trump in SUITS else NOTHING,
        evidence=list(_evidence(view, rules)),
        kept=[
            (other, PARTNER_OF[other] if other in pair else other, cards_mask(hand)) for other, hand in _swapped(view)
        ],
        together=together,
        lone=alone,
        alone_at=ALONE_AT,
        seed=seed,
    )


def put_away(view: View, rules: Rules) -> set[Card]:
    """Return the cards that the seat whose *view* this is put where no hand has them."""
    away = set() if view.discard is None else {view.discard}
    if view.put_away:
        swappers: list[Viewer] = [seat for seat, _ in reversed(view.shown)]
        away.update(still_under(view.put_away, swappers.index(view.viewer), rules))
    return away


def draw(view: View, rules: Rules, *, layouts: int, seed: int) -> list[Layout]:
    """Return about *layouts* layouts of what *view* hides, in which the viewer's own hand is as it is."""
    return sampler_for(view, rules, seed).draw(layouts, _PROPOSALS * layouts)


def every(view: View, rules: Rules, *, most: int) -> list[Layout]:
    """Return each layout that is possible once, counted by its likelihood; none where there are more than *most*."""
    return sampler_for(view, rules, 0).every(most)


def _missing(view: View, known: list[int], seat: Seat) -> int:
    """Return how many cards of *seat*'s hand are hidden."""
    return view.counts[seat] - known[seat].bit_count()


def _past(view: View) -> list[int]:
    """Return by seat the cards it has played."""
    past = [0, 0, 0, 0]
    for cards in (*(trick.cards for trick in view.tricks), view.trick):
        for seat, card in cards:
            past[seat] |= 1 << NUMBER[card]
    return past


def _allowed(view: View, seat: Seat, pair: tuple[Seat, ...]) -> int:
    """Return the cards *seat* may hold: none of a suit it did not follow, and none another showed before it swapped.

    What somebody put away earlier may have come with the seat's own swap.
    """
    allowed = EVERY_CARD
    for other, hand in reversed(_swapped(view)):
        if other == seat:
            break
        if not (other in pair and seat in pair):
            allowed &= ~cards_mask(hand)
    if view.trump is None:
        return allowed
    for cards in (*(trick.cards for trick in view.tricks), view.trick):
        if not cards:
            continue
        led = effective_suit(cards[0][1], view.trump)
        if any(who == seat and effective_suit(card, view.trump) != led for who, card in cards):
            allowed &= ~_suit_mask(led, view.trump)
    return allowed


@lru_cache(maxsize=64)
def _suit_mask(suit: str, trump: Trump) -> int:
    return cards_mask(card for card in ALL_CARDS if effective_suit(card, trump) == suit)


def _swapped(view: View) -> tuple[tuple[Seat, Cards], ...]:
    """Return who swapped three cards, of which shown hand (R-RELIEF-1); nobody plays on after a claim."""
    return view.shown


def _exchanged(view: View, rules: Rules) -> tuple[Seat, ...]:
    """Return the two who swapped a card in call for best, if they have (R-ALONE-5)."""
    if rules.partner_exchange is PartnerExchange.OFF or view.phase not in (Phase.DEFEND, Phase.PLAY):
        return ()
    makers = [seat for seat in view.alone if view.maker is not None and (seat - view.maker) % 2 == 0]
    return (makers[0], PARTNER_OF[makers[0]]) if makers else ()


# ── what the bids tell ───────────────────────────────────────────────────────────────────────────────────────────────


def _evidence(view: View, rules: Rules) -> Iterator[Evidence]:
    """Yield what each bid of another seat tells of its hand."""
    assert view.dealer is not None
    passes = 0
    for seat, action in view.calls:
        phase = Phase.ROUND_ONE if passes < len(SEATS) else Phase.ROUND_TWO
        passes += isinstance(action, Pass)
        if seat != view.viewer and isinstance(action, Pass | OrderUp | CallTrump):
            told = _of_bid(view, rules, seat, action, phase)
            if told is not None:
                yield told


def _of_bid(view: View, rules: Rules, seat: Seat, action: Action, phase: Phase) -> Evidence | None:
    assert view.dealer is not None
    assert view.upcard is not None
    place = place_of(seat, view.dealer)
    turned = upcard_suit(view.upcard)
    is_named = view.upcard == BENNY and rules.benny_turned is not BennyTurned.AS_SPADES
    if is_named and rules.benny_turned is BennyTurned.DEALER_NAMES_BLIND:
        return None
    called: Trump | None = None
    if isinstance(action, OrderUp):
        called = turned
    elif isinstance(action, CallTrump):
        called = action.trump
        if called not in SUITS:
            return None
    extra = 0
    if is_named:
        trumps = list(SUITS)
        offsets = [0.0] * len(trumps)
        extra = cards_mask([BENNY])
    elif phase is Phase.ROUND_ONE:
        trumps = [turned]
        offsets = [upcard_adds(view.upcard, place, rules, alone=False) + lead_adds(place, turned, alone=False)]
        if seat == view.dealer:
            extra = cards_mask([view.upcard])
    else:
        trumps = [suit for suit in SUITS if suit != turned]
        offsets = [turned_down_adds(view.upcard, suit, place) + lead_adds(place, suit, alone=False) for suit in trumps]
    ease = -CALLS_AT[phase, place]
    if called is None and phase is Phase.ROUND_ONE and seat == PARTNER_OF[view.dealer]:
        ease += _MUST_BE_ALONE if rules.dealer_partner_round1 is PartnerRound1.ALONE_OR_PASS else 0
    if called is not None and seat == view.dealer and (is_named or _is_stuck(phase, rules)):
        ease += _FREE
    return Evidence(
        seat,
        [SUITS.index(suit) for suit in trumps],
        [offset + ease for offset in offsets],
        called=NOTHING if called is None else SUITS.index(called),
        alone=_said_alone(view, seat, action),
        extra=extra,
    )


def _is_stuck(phase: Phase, rules: Rules) -> bool:
    return phase is Phase.ROUND_TWO and rules.all_pass is AllPass.STICK


def _said_alone(view: View, seat: Seat, action: Action) -> int:
    """Return 1 if the caller went alone, with the call or later, 0 if it did not, NOTHING if it was not asked yet."""
    if isinstance(action, Pass):
        return NOTHING
    if isinstance(action, OrderUp | CallTrump) and action.alone:
        return 1
    answers = [answer.alone for who, answer in view.calls if who == seat and isinstance(answer, AnswerAlone)]
    return int(answers[0]) if answers else NOTHING if view.phase is Phase.ALONE else 0
