"""What a player typed at a decision: a number, a card, or an action in its own or shorter words. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from clients.cli.cardwords import short
from clients.cli.choices import Choice, Decision
from engine.actions import Action, Discard, GiveCard, PlayCard, parse_action
from engine.cards import Card, parse_card
from engine.errors import CardTextError, IllegalActionError


@dataclass(frozen=True, slots=True)
class Misread:
    """What was typed is no legal choice; ``why`` is a sentence that says so."""

    why: str


_SHORTER: Final[dict[str, tuple[str, ...]]] = {
    "p": ("pass",),
    "no": ("pass", "together", "defend together"),
    "yes": ("alone", "defend alone"),
    "y": ("alone", "defend alone"),
    "alone": ("order alone", "defend alone"),
    "together": ("defend together",),
    "o": ("order",),
    "oa": ("order alone",),
    "order up": ("order",),
    "order up alone": ("order alone",),
    "pick up": ("order",),
    "pick up alone": ("order alone",),
    "pick it up": ("order",),
    "no trump": ("call n",),
    "no trump alone": ("call n alone",),
    "low no trump": ("call l",),
    "low no trump alone": ("call l alone",),
}
"""What people type, and the actions it may stand for."""

_CARD_VERBS: Final = ("", "play ", "lead ", "discard ", "throw ")


def read_choice(text: str, decision: Decision) -> Action | Misread | None:
    """Return the action that *text* chooses, why it chooses none, or None where it does not look like a choice."""
    words = " ".join(text.lower().split())
    if words.isdecimal() and len(words) <= 2:  # "10h" is a card, "10" a number
        return _by_number(int(words), decision.choices)
    card = _read_card(words)
    if card is not None:
        return _by_card(card, decision)
    actions = list(_read_actions(words))
    for choice in decision.choices:
        if choice.action in actions:
            return choice.action
    return Misread("You cannot do that now.") if actions else None


def _by_number(number: int, choices: tuple[Choice, ...]) -> Action | Misread:
    if 1 <= number <= len(choices):
        return choices[number - 1].action
    return Misread(f"Type a number from 1 to {len(choices)}.")


def _by_card(card: Card, decision: Decision) -> Action | Misread:
    for choice in decision.choices:
        if isinstance(choice.action, PlayCard | Discard | GiveCard) and choice.action.card == card:
            return choice.action
    for barred in decision.barred:
        if barred.card == card:
            return Misread(f"You cannot play {barred.words}: {barred.why}.")
    if decision.is_about_cards:
        return Misread(f"You do not hold {short(card)}.")
    return Misread("It is not the time for a card.")


def _read_card(words: str) -> Card | None:
    for verb in _CARD_VERBS:
        if words.startswith(verb):
            name = words.removeprefix(verb).removeprefix("the ")
            try:
                return parse_card(name if " of " in name else name.replace(" ", ""))
            except CardTextError:
                continue
    return None


def _read_actions(words: str) -> Iterator[Action]:
    for text in (words, *_SHORTER.get(words, ()), f"call {words}"):
        try:
            yield parse_action(text)
        except IllegalActionError:
            continue
