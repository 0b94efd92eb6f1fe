"""How a card is chosen: what to lead, and what to play to a trick.

One idea carries most of it: a card is worth the chance that our side takes this trick with it, less its price, which is
what it would likely have won later. Around that stand the manners a partner relies on: trump is led by the side that
made it, a partner's sure trick is left alone, and winners outside trump are cashed when they are safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bots.counting import Known, known_from
from engine.cards import SUITS, Card, Seat, strength, team_of
from engine.rules import Rules
from engine.view import View

_TRUMP_PRICES: Final = (0.80, 0.55, 0.40, 0.30)
"""What a trump would win later, by how many unseen trumps are higher; the last is for all further ones."""
_PLAIN_PRICES: Final = (0.40, 0.12, 0.05, 0.03)
"""The same for a card outside trump."""
_SECOND_ROUND: Final = 0.5
"""How much of that is left of a card in a suit that is being led now: the next time somebody ruffs."""
_NO_TRUMP_PRICES: Final = (0.85, 0.40, 0.15, 0.05)
"""The same in a hand without trump, where nothing but a higher card of its suit beats a card."""
_GUARD_PRICE: Final = 0.12
"""What the last small trump beside a second-highest one adds to its own price."""
_VOID_BONUS: Final = 0.05
"""What running out of a suit is worth while a trump is left."""
_ACES_WORTH_A_TRUMP: Final = 3
_RAISED: Final = 0.5
"""How much harder a trick is to take behind somebody who could have raised it."""


def choose_card(view: View, cards: Sequence[Card], rules: Rules) -> Card:
    """Return which of *cards*, the legal ones, to play."""
    known = known_from(view, rules)
    if known.led is None:
        return choose_lead(view, known)
    return choose_to_follow(known, cards)


# ── what a card costs and brings ─────────────────────────────────────────────────────────────────────────────────────


def price(known: Known, card: Card) -> float:
    """Return about how many later tricks *card* would win."""
    if known.tricks_left == 1:
        return 0.0
    suit = known.suit(card)
    above = known.above(card)
    if suit == known.trump:
        return _TRUMP_PRICES[min(above, 3)] + (_GUARD_PRICE if _is_guard(known, card) else 0.0)
    if known.trump not in SUITS:
        return _NO_TRUMP_PRICES[min(above, 3)]
    chance = _PLAIN_PRICES[min(above, 3)] * (_SECOND_ROUND if known.led and known.suit(known.led) == suit else 1.0)
    return chance - (_VOID_BONUS if _makes_a_void(known, card) else 0.0)


def _is_guard(known: Known, card: Card) -> bool:
    """Tell whether *card* is the one trump that keeps a second-highest trump from falling to the highest."""
    others = [other for other in known.of_suit(known.trump) if other != card]
    return len(others) == 1 and known.above(others[0]) == 1 and known.above(card) > 1


def _makes_a_void(known: Known, card: Card) -> bool:
    return len(known.of_suit(known.suit(card))) == 1 and bool(known.of_suit(known.trump))


def chance_ours(known: Known, holder: Seat, best: Card, led: Card) -> float:
    """Return the chance that our side takes the trick that *holder* is winning with *best*, the rest yet to play."""
    chance = 1.0 if holder in (known.seat, known.partner) else 0.0
    ease = 1.0
    for seat in known.to_follow:
        beats = known.chance_to_beat(seat, best, led)
        if seat == known.partner:
            chance += (1 - chance) * beats * ease
        else:
            chance *= 1 - beats * ease
        ease *= 1 - _RAISED * beats
    return chance


def is_sure(known: Known, best: Card, led: Card) -> bool:
    """Tell whether no opponent still to play can beat *best*."""
    return not any(known.chance_to_beat(seat, best, led) for seat in known.to_follow if seat != known.partner)


def cheapest(known: Known, cards: Sequence[Card]) -> Card:
    """Return the card that is missed least."""
    return min(cards, key=lambda card: (price(known, card), strength(card, known.trump), card))


# ── to a trick ───────────────────────────────────────────────────────────────────────────────────────────────────────


def choose_to_follow(known: Known, cards: Sequence[Card]) -> Card:
    """Return which of *cards* to play to the trick on the table."""
    led = known.led
    assert led is not None
    holder, best = known.winning()
    losing = [card for card in cards if not known.beats(card, best)]
    winning = [card for card in cards if known.beats(card, best)]
    if not winning:
        return cheapest(known, losing)
    if losing and holder == known.partner and is_sure(known, best, led):
        return cheapest(known, losing)
    chance_as_it_stands = chance_ours(known, holder, best, led)

    def worth(card: Card) -> float:
        chance = chance_ours(known, known.seat, card, led) if card in winning else chance_as_it_stands
        return chance - price(known, card)

    return max(cards, key=lambda card: (round(worth(card), 6), -strength(card, known.trump), card))


# ── a lead ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def choose_lead(view: View, known: Known) -> Card:
    """Return what to lead."""
    if known.trump not in SUITS:
        return _lead_without_trump(known)
    assert view.maker is not None
    if team_of(view.maker) == team_of(known.seat):
        return _lead_for_the_makers(view, known)
    return _lead_for_the_defence(known)


def _lead_without_trump(known: Known) -> Card:
    """Run the winners, of the longest suit first; else the top of the longest suit, to set it up."""
    bosses = [card for card in known.hand if known.is_boss(card)]
    return max(
        bosses or known.hand,
        key=lambda card: (len(known.of_suit(known.suit(card))), strength(card, known.trump), card),
    )


def _lead_for_the_makers(view: View, known: Known) -> Card:
    """Draw trump while an opponent may hold one; then run the winners."""
    trumps = _highest_first(known, known.of_suit(known.trump))
    plain = [card for card in known.hand if not known.is_trump(card)]
    bosses = [card for card in plain if known.is_boss(card)]
    against = known.trumps_against()
    if not against:
        return _run_the_rest(view, known, bosses, trumps, plain)
    if trumps and view.maker == known.partner and view.maker not in view.sitting and not _has_led_trump(view, known):
        return trumps[0]
    if trumps and (known.is_boss(trumps[0]) or len(trumps) >= 2):
        return trumps[0]
    if bosses:
        return _best_plain(known, bosses)
    return _promising(known, plain or trumps)


def _run_the_rest(
    view: View, known: Known, bosses: Sequence[Card], trumps: Sequence[Card], plain: Sequence[Card]
) -> Card:
    """Lead when no opponent has a trump: winners first. While a march is on, the last trumps go before a loser.

    Whoever must throw cards on them may throw the wrong ones.
    """
    if bosses:
        return _best_plain(known, bosses)
    has_all_tricks = not view.won[1 - team_of(known.seat)]
    if trumps and (has_all_tricks or not plain):
        return trumps[0]
    return _promising(known, plain)


def _has_led_trump(view: View, known: Known) -> bool:
    """Tell whether this seat has led trump already."""
    return any(trick.cards[0][0] == known.seat and known.is_trump(trick.cards[0][1]) for trick in view.tricks)


def _lead_for_the_defence(known: Known) -> Card:
    """Cash an ace before it can be ruffed; draw trump only so that a hand full of aces can stand."""
    trumps = _highest_first(known, known.of_suit(known.trump))
    plain = [card for card in known.hand if not known.is_trump(card)]
    bosses = [card for card in plain if known.is_boss(card)]
    if trumps and len(bosses) >= _ACES_WORTH_A_TRUMP and known.trumps_against():
        return trumps[-1]
    if bosses:
        return _best_plain(known, bosses)
    return _promising(known, plain or trumps)


def _highest_first(known: Known, cards: Sequence[Card]) -> list[Card]:
    return sorted(cards, key=lambda card: -strength(card, known.trump))


def _best_plain(known: Known, bosses: Sequence[Card]) -> Card:
    """Return the winner most likely to stand: of a suit of which most cards are out."""
    return max(bosses, key=lambda card: (chance_ours(known, known.seat, card, card), card))


def _promising(known: Known, cards: Sequence[Card]) -> Card:
    """Return the lead that brings most for what it costs."""
    return max(
        cards,
        key=lambda card: (
            round(chance_ours(known, known.seat, card, card) - price(known, card), 6),
            -strength(card, known.trump),
            card,
        ),
    )
