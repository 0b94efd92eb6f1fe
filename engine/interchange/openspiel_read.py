"""Reading OpenSpiel's action lists: JSON objects or lists, one a line, or bare numbers, hand after hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, cast

from engine.actions import (
    ALONE,
    CALLS,
    DEFEND_ALONE,
    DEFEND_TOGETHER,
    DISCARDS,
    ORDER,
    PASS,
    PLAYS,
    TOGETHER,
    Action,
)
from engine.cards import CARDS_PER_HAND, LEFT_OF, SEATS, Card, Trump, upcard_suit
from engine.errors import IllegalActionError
from engine.events import TrickWon
from engine.game import apply, deal, new_game, to_act
from engine.interchange.completing import with_buried, with_shown_options
from engine.interchange.openspiel import (
    ALONE_NUMBER,
    FIRST_SUIT_NUMBER,
    PASS_NUMBER,
    RANK_ORDER,
    SUIT_ORDER,
    TOGETHER_NUMBER,
    Settings,
    dealt_hands,
)
from engine.interchange.readings import Reading
from engine.interchange.reports import InterchangeError, Loss, bounded, shown
from engine.interchange.source import parse_json
from engine.interchange.study import Study, StudyHand
from engine.interchange.to_record import deck_of
from engine.rules import Rules, make_rules
from engine.state import Game, NoDecision, Phase

_ALIKE: Final[dict[str, object]] = {"alone_timing": "before_first_lead", "upcard_discard": False, "target": None}
_DEAL_NUMBERS: Final = 2 + len(SEATS) * CARDS_PER_HAND
_CARDS: Final = len(RANK_ORDER) * len(SUIT_ORDER)
_MOST_HANDS: Final = 99
_MAX_HANDS: Final = 1_000
_MAX_NUMBER: Final = 9_999
_NUMBER: Final = re.compile(r"[0-9]{1,2}")
_SEPARATORS: Final = re.compile(r"[\s,]+")
_GAME: Final = re.compile(r"euchre\s*(?:\(([a-z_=,\sA-Z]*)\))?")
_DEFAULT: Final = Settings(allow_lone_defender=False, stick_the_dealer=True)
_SETTINGS: Final = (
    _DEFAULT,
    Settings(allow_lone_defender=True, stick_the_dealer=True),
    Settings(allow_lone_defender=False, stick_the_dealer=False),
    Settings(allow_lone_defender=True, stick_the_dealer=False),
)


@dataclass(frozen=True, slots=True)
class _List:
    """One list of numbers as it stands: ``settings`` and ``number`` are None where it does not tell."""

    numbers: tuple[int, ...]
    line: int
    settings: Settings | None = None
    number: int | None = None


def read_openspiel(text: str) -> Reading:
    """Read hands. Raises InterchangeError where there are none, or at a number that is not legal where it stands."""
    losses: list[Loss] = []
    lists = list(_lists(text, losses))
    if not lists:
        raise InterchangeError("there are no actions")
    told = {entry.settings for entry in lists}
    if len(told) > 1:
        other = next(entry for entry in lists if entry.settings != lists[0].settings)
        raise InterchangeError("its game is not that of the first hand", line=other.line)
    settings = lists[0].settings
    choices = _SETTINGS if settings is None else (settings,)
    first_fault: InterchangeError | None = None
    for choice in choices:
        try:
            return _reading(choice, lists, tuple(losses))
        except InterchangeError as error:
            first_fault = first_fault or error
    assert first_fault is not None
    raise first_fault


# ── the text ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _lists(text: str, losses: list[Loss]) -> Iterator[_List]:
    if text.lstrip()[:1] not in {"{", "["}:
        yield from _bare(text)
        return
    for at, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _of_line(parse_json(line, first_line=at), at, losses)


def _bare(text: str) -> Iterator[_List]:
    numbers: list[int] = []
    for at, line in enumerate(text.split("\n"), start=1):
        for word in filter(None, _SEPARATORS.split(line)):
            if not _NUMBER.fullmatch(word):
                raise InterchangeError(f"{shown(word)} is no action's number", line=at)
            numbers.append(int(word))
    if numbers:
        yield _List(tuple(numbers), 1)


def _of_line(value: object, line: int, losses: list[Loss]) -> _List:
    settings, number = None, None
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        losses += [Loss(bounded(name), f"line {line}") for name in fields if name not in {"game", "hand", "actions"}]
        settings = _settings(fields["game"], line) if "game" in fields else None
        hand = fields.get("hand")
        if hand is not None and (type(hand) is not int or not 1 <= hand <= _MAX_NUMBER):
            raise InterchangeError(f'"hand" must be from 1 to {_MAX_NUMBER}', line=line)
        number, value = hand, fields.get("actions")
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise InterchangeError("the actions must be a list of numbers", line=line)
    return _List(tuple(value), line, settings, number)


def _settings(value: object, line: int) -> Settings:
    match = _GAME.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise InterchangeError(f"{shown(value)} is not OpenSpiel's euchre", line=line)
    settings = _DEFAULT
    for parameter in filter(None, (match[1] or "").replace(" ", "").split(",")):
        name, _, says = parameter.partition("=")
        if name not in {"allow_lone_defender", "stick_the_dealer"} or says.lower() not in {"true", "false"}:
            raise InterchangeError(f"{shown(parameter)} is no setting of OpenSpiel's euchre", line=line)
        is_on = says.lower() == "true"
        if name == "stick_the_dealer":
            settings = replace(settings, stick_the_dealer=is_on)
        else:
            settings = replace(settings, allow_lone_defender=is_on)
    return settings


# ── the hands ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Ended:
    """A hand read: how many numbers it took, and whether it came to its end and to a score."""

    hand: StudyHand
    used: int
    line: int
    is_over: bool
    is_scored: bool


def _rules(settings: Settings, hands: int) -> Rules:
    options: dict[str, object] = {
        "defend_alone": "any" if settings.allow_lone_defender else "off",
        "all_pass": "stick" if settings.stick_the_dealer else "redeal",
        "hands": hands,
    }
    return make_rules("standard", _ALIKE | options)


def _reading(settings: Settings, lists: Sequence[_List], losses: tuple[Loss, ...]) -> Reading:
    rules = _rules(settings, 1)
    ended: list[_Ended] = []
    for entry in lists:
        rest = entry.numbers
        while rest or not entry.numbers:
            number = entry.number or len(ended) + 1
            try:
                ended.append(_hand(rules, number, rest, entry.line))
            except InterchangeError as error:
                raise error.placed(line=entry.line, hand=number) from None
            rest = rest[ended[-1].used :]
            if rest and (len(lists) > 1 or entry.number is not None):
                raise InterchangeError("numbers follow the end of the hand", line=entry.line, hand=number)
            if len(ended) > _MAX_HANDS:
                raise InterchangeError(f"a game has at most {_MAX_HANDS} hands", line=entry.line)
    hands = tuple(end.hand for end in ended)
    lines = {end.hand.number: end.line for end in ended}
    count = max(sum(end.is_scored for end in ended) + (not ended[-1].is_scored), 1)
    rules = with_shown_options(_rules(settings, min(count, _MOST_HANDS)), hands)
    study = Study(rules=rules, hands=hands, is_game=_is_game(ended))
    return Reading(study, losses, lambda hand, _: lines.get(hand))


def _is_game(ended: Sequence[_Ended]) -> bool:
    """Tell whether the hands can follow each other: numbers and dealers in turn, all but the last to their end."""
    if ended[0].hand.number != 1:
        return False
    kinds = set()
    for before, after in pairwise(ended):
        one, other = before.hand, after.hand
        is_same = other.dealer == one.dealer and not before.is_scored
        if not before.is_over or other.number != one.number + 1:
            return False
        if not is_same and other.dealer != LEFT_OF[one.dealer]:
            return False
        if not before.is_scored:
            kinds.add(is_same)
    return len(kinds) <= 1


def _hand(rules: Rules, number: int, numbers: Sequence[int], line: int) -> _Ended:
    if len(numbers) < _DEAL_NUMBERS:
        raise InterchangeError(f"a deal takes {_DEAL_NUMBERS} numbers, here are {len(numbers)}")
    dealer, *dealt = numbers[:_DEAL_NUMBERS]
    if dealer not in SEATS:
        raise InterchangeError(f"{dealer} is no dealer")
    cards = tuple(_card(card) for card in dealt)
    if len(set(cards)) < len(cards):
        raise InterchangeError("a card is dealt twice")
    hand = StudyHand(number=number, dealer=dealer, upcard=cards[-1], hands=dealt_hands(dealer, cards[:-1]))
    hand = with_buried(rules, hand, ())
    game, _ = deal(new_game(rules), deck_of(rules, hand), dealer=dealer)
    used, is_trick_over = _DEAL_NUMBERS, True
    while used < len(numbers) and not isinstance(game.stage, NoDecision):
        seat = to_act(game)
        assert seat is not None
        try:
            action = _action(game, hand, numbers[used])
            is_play = game.stage.phase is Phase.PLAY
            game, events = apply(game, seat, action)
        except IllegalActionError as error:
            detail = f"action {numbers[used]}, the {used + 1}th: seat {seat}: {error.detail}"
            raise InterchangeError(detail, trick=len(hand.tricks) or None) from None
        used += 1
        if is_play:
            *before, trick = (*hand.tricks, ()) if is_trick_over else hand.tricks
            hand = replace(hand, tricks=(*before, (*trick, _card(numbers[used - 1]))))
            is_trick_over = any(isinstance(event, TrickWon) for event in events)
        else:
            hand = replace(hand, moves=(*hand.moves, (seat, action)))
    is_over = isinstance(game.stage, NoDecision)
    return _Ended(hand, used, line, is_over, is_scored=is_over and game.standing.hands_scored > 0)


def _card(number: int) -> Card:
    if not 0 <= number < _CARDS:
        raise InterchangeError(f"{number} is no card")
    rank, suit = divmod(number, len(SUIT_ORDER))
    return Card(RANK_ORDER[rank] + SUIT_ORDER[suit])


def _action(game: Game, hand: StudyHand, number: int) -> Action:
    """Return the action *number* stands for in this phase."""
    phase = game.stage.phase
    match phase:
        case Phase.DISCARD:
            return DISCARDS[_card(number)]
        case Phase.PLAY:
            return PLAYS[_card(number)]
        case Phase.ALONE | Phase.DEFEND if number in (ALONE_NUMBER, TOGETHER_NUMBER):
            answers = (ALONE, TOGETHER) if phase is Phase.ALONE else (DEFEND_ALONE, DEFEND_TOGETHER)
            return answers[number == TOGETHER_NUMBER]
        case Phase.ROUND_ONE | Phase.ROUND_TWO if number == PASS_NUMBER:
            return PASS
        case Phase.ROUND_ONE if number == FIRST_SUIT_NUMBER + SUIT_ORDER.index(upcard_suit(hand.upcard)):
            return ORDER
        case Phase.ROUND_TWO if 0 <= number - FIRST_SUIT_NUMBER < len(SUIT_ORDER):
            return CALLS[cast("Trump", SUIT_ORDER[number - FIRST_SUIT_NUMBER]), False]
        case _:
            raise InterchangeError(f"{number} is no action of this phase, {phase}")
