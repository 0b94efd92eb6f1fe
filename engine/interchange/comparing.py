"""What an export lost: the game told and the game read back, compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.actions import CallTrump, OrderUp
from engine.cards import SEATS, Seat
from engine.interchange.reports import Loss
from engine.interchange.study import Move, Study, StudyHand
from engine.rules import rules_to_plain


def differences(told: Study, back: Study) -> list[Loss]:
    """Return what *told* holds and *back* does not, by name; hands that lost the same are one loss."""
    return [*_differences_of_game(told, back), *_differences_of_hands(told, back)]


def _differences_of_game(told: Study, back: Study) -> Iterator[Loss]:
    plain, plain_back = rules_to_plain(told.rules), rules_to_plain(back.rules)
    for name, value in plain.items():
        if value is not None and value != plain_back[name]:
            yield Loss(f"{name} {_word(value)}", "rules")
    for seat in SEATS:
        if told.names[seat] != back.names[seat]:
            yield Loss("the name", f"seat {seat}")
    if told.game != back.game:
        yield Loss("the game's name", "header")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _differences_of_hands(told: Study, back: Study) -> Iterator[Loss]:
    back_by_number = {hand.number: hand for hand in back.hands}
    hands_by_loss: dict[str, list[int]] = {}
    for hand in told.hands:
        for what in dict.fromkeys(_lost_of(hand, back_by_number.get(hand.number))):
            hands_by_loss.setdefault(what, []).append(hand.number)
    for what, numbers in hands_by_loss.items():
        yield Loss(what, f"hand {numbers[0]}" if len(numbers) == 1 else f"hands {_ranges(numbers)}")


def _ranges(numbers: list[int]) -> str:
    """Return rising numbers as text: "1-3, 5"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _lost_of(told: StudyHand, back: StudyHand | None) -> Iterator[str]:
    if back is None:
        yield "the whole hand"
        return
    if (told.dealer, told.upcard) != (back.dealer, back.upcard):
        yield "the dealer or the upcard"
    for seat in SEATS:
        if told.hands[seat] != back.hands[seat]:
            is_order = sorted(told.hands[seat]) == sorted(back.hands[seat])
            yield "the order in which a hand was dealt" if is_order else "cards dealt to a seat"
    if told.buried != back.buried:
        yield "the order of the buried cards"
    yield from (f"{action} (seat {seat})" for seat, action in _lost_moves(told.moves, back.moves))
    lost_cards = sum(map(len, told.tricks)) - sum(map(len, back.tricks))
    if told.tricks != back.tricks:
        yield f"{lost_cards} cards played" if lost_cards > 0 else "the order of play"
    if told.claimed != back.claimed:
        yield f"claim (seat {told.claimed})"


def _lost_moves(told: tuple[Move, ...], back: tuple[Move, ...]) -> list[tuple[Seat, str]]:
    lost = Counter(_neutral(told)) - Counter(_neutral(back))
    return list(lost.elements())


def _neutral(moves: tuple[Move, ...]) -> Iterator[tuple[Seat, str]]:
    """Yield the moves as text, alone apart from the call it was said with."""
    for seat, action in moves:
        match action:
            case OrderUp(alone=True):
                yield from ((seat, "order"), (seat, "alone"))
            case CallTrump(alone=True):
                yield from ((seat, f"call {action.trump}"), (seat, "alone"))
            case _:
                yield seat, "an unknown call" if action is None else str(action)
