"""Whether a claim is certain: it wins every trick to come in every layout the claimer cannot rule out (R-PLAY-5).

The claimer leads all his cards. Some layout beats him if and only if one other player, partner included, can hold

- as many trumps as it takes to have one above the claimer's j-th best left when that is led, or
- a trump more than the claimer leads, while he has a plain card to lead at the end, or
- as many cards of a plain suit as it takes to have one above the claimer's j-th best of it left,

because that player need only keep those cards, and every other trick leaves him something else to play. The order of
the claimer's leads changes nothing. Which cards a player can hold is what he has not shown to lack; that all hands
together can be filled is a matching of their places to the unseen cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from engine.cards import PARTNER_OF, SEATS, SUITS, Card, Cards, Seat, Trump, effective_suit, make_pack, strength
from engine.relief import still_under
from engine.rules import Rules
from engine.state import UpcardFate

if TYPE_CHECKING:
    from engine.play import Playing


def is_certain(stage: Playing, rules: Rules) -> bool:
    """Tell whether the seat to act, which is on lead, may claim the rest."""
    return wins_every_trick(stage.hands[stage.to_act], _holdable(stage, rules), stage.made.trump)


def wins_every_trick(hand: Cards, holdable: dict[Seat, frozenset[Card]], trump: Trump) -> bool:
    """Tell whether *hand*, leading, wins all its tricks whichever of the *holdable* cards the other seats hold."""
    return not any(
        _can_hold(seat, needs, holdable, len(hand))
        for seat in holdable
        for needs in _threats(hand, holdable[seat], trump)
    )


def _threats(hand: Cards, held: AbstractSet[Card], trump: Trump) -> Iterator[list[AbstractSet[Card]]]:
    """Yield what a player who can hold *held* would have to hold to beat *hand*: a set to choose from for each card."""
    in_trump = {card for card in held if effective_suit(card, trump) in (trump, "j")}
    own_trumps = [card for card in hand if effective_suit(card, trump) in (trump, "j")]
    if len(own_trumps) < len(hand):
        yield [in_trump] * (len(own_trumps) + 1)
    for suit in (trump, *(suit for suit in SUITS if suit != trump)):
        of_suit = in_trump if suit == trump else {card for card in held if effective_suit(card, trump) == suit}
        own = own_trumps if suit == trump else [card for card in hand if effective_suit(card, trump) == suit]
        by_strength = sorted(own, key=lambda card: -strength(card, trump))
        for leads, card in enumerate(by_strength):
            above = {other for other in of_suit if strength(other, trump) > strength(card, trump)}
            if above:
                yield [above, *[of_suit] * leads]


def _holdable(stage: Playing, rules: Rules) -> dict[Seat, frozenset[Card]]:
    """Return, for every other seat still playing, the unseen cards that the seat to act cannot rule out there."""
    made, claimer = stage.made, stage.to_act
    seen = set(stage.hands[claimer]) | {card for trick in stage.tricks for card in trick.cards}
    if claimer == made.dealt.dealer and made.discard is not None:
        seen.add(made.discard)
    if made.upcard_fate in (UpcardFate.TURNED_DOWN, UpcardFate.LEFT):
        seen.add(made.dealt.upcard)
    for swaps_since, (seat, cards) in enumerate(reversed(made.put_away)):
        if seat == claimer:
            seen.update(still_under(cards, swaps_since, rules))
    seen.update(card for seat, card in made.given if seat == claimer)
    unseen = frozenset(make_pack(rules.low_rank, rules.jokers)) - seen
    holdable: dict[Seat, frozenset[Card]] = {}
    for seat in SEATS:
        if seat == claimer or seat in made.sitting:
            continue
        held = unseen
        if lacked := _lacked_suits(stage, seat):
            held = frozenset(card for card in unseen if effective_suit(card, made.trump) not in lacked)
        is_dealers_to_give = seat in made.alone and PARTNER_OF[seat] == made.dealt.dealer and bool(made.given)
        if seat != made.dealt.dealer and not is_dealers_to_give:  # only the dealer took the upcard, if anybody did
            held -= {made.dealt.upcard}
        holdable[seat] = held
    return holdable


def _lacked_suits(stage: Playing, seat: Seat) -> set[str]:
    """Return the suits *seat* did not follow."""
    trump = stage.made.trump
    lacked = set()
    for trick in stage.tricks:
        led = effective_suit(trick.cards[0], trump)
        played = trick.cards[trick.seats.index(seat)]
        if effective_suit(played, trump) != led:
            lacked.add(led)
    return lacked


def _can_hold(
    seat: Seat, needs: Sequence[AbstractSet[Card]], holdable: dict[Seat, frozenset[Card]], cards_left: int
) -> bool:
    """Tell whether every hand can be filled when *seat* holds a different card of each of *needs*, which are no more.

    A place with as many cards to choose from as there are places can always be filled last.
    """
    places: list[AbstractSet[Card]] = [*needs, *[holdable[seat]] * (cards_left - len(needs))]
    for other, held in holdable.items():
        if other != seat:
            places += [held] * cards_left
    places = [cards for cards in places if len(cards) < len(places)]
    placed: dict[Card, int] = {}
    return all(_place(at, places, placed, set()) for at in range(len(places)))


def _place(at: int, places: Sequence[AbstractSet[Card]], placed: dict[Card, int], tried: set[Card]) -> bool:
    """Find a card for place *at*, moving others along where that helps; the augmenting path of bipartite matching."""
    for card in places[at] - tried:
        tried.add(card)
        if card not in placed or _place(placed[card], places, placed, tried):
            placed[card] = at
            return True
    return False
