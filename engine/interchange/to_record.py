"""A study of which everything is known as a record of the format euchre/1: the engine follows it, entry by entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.actions import CLAIM, PLAYS, Action, AskRelief, Discard, GiveCard, PlayCard
from engine.cards import LEFT_OF, SWAPPED, Card, Cards, Seat, clockwise_from, make_pack
from engine.errors import Code, IllegalActionError
from engine.game import apply, deal, new_game, to_act
from engine.interchange.reports import InterchangeError, Loss
from engine.interchange.study import UNKNOWN, Study, StudyHand, contract_of, preset_of
from engine.record import action_line, deal_line, header_line, result_line
from engine.rules import Rules
from engine.state import Finished, Game


def why_study(study: Study) -> Loss | None:
    """Return what a record would need that *study* does not know; None where all is known."""
    if not study.is_game:
        return Loss("the hands stand each for itself", "game")
    if study.score != (0, 0):
        return Loss(f"it begins at {study.score[0]} to {study.score[1]}", "game")
    for hand in study.hands:
        missing = _missing(hand)
        if missing:
            return Loss(f"{missing} not known", f"hand {hand.number}")
    return None


def _missing(hand: StudyHand) -> str | None:
    if hand.upcard == UNKNOWN:
        return "the upcard is"
    if any(UNKNOWN in cards for cards in hand.hands):
        return "a dealt card is"
    if any(action is None for _, action in hand.moves):
        return "a call is"
    if any(UNKNOWN in _cards_of(action) for _, action in hand.moves):
        return "a card buried or given is"
    if any(UNKNOWN in cards for cards in hand.tricks):
        return "a card played is"
    return None


def _cards_of(action: Action | None) -> Cards:
    match action:
        case Discard() | GiveCard():
            return (action.card,)
        case AskRelief():
            return action.cards
        case _:
            return ()


# ── the deck ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def deck_of(rules: Rules, hand: StudyHand) -> Cards:
    """Return the deck of a hand whose dealt cards are known; cards whose place is not known lie in the pack's order."""
    dealt = [card for seat in clockwise_from(LEFT_OF[hand.dealer]) for card in hand.hands[seat]]
    under = (*dealt, hand.upcard)
    rest = tuple(card for card in make_pack(rules.low_rank, rules.jokers) if card not in under)
    return (*under, *(hand.buried or rest))


def buried_so_that(rest: Cards, swaps: Sequence[tuple[Cards, Cards]]) -> Cards:
    """Return *rest* in an order in which those who went under took what they took.

    *swaps* are what each put away and what he took, in turn. Other cards lie in the order of *rest*. Raises
    InterchangeError where there is no such order.
    """
    places: list[Card] = [UNKNOWN] * len(rest)
    queue: list[int | Card] = list(range(len(rest)))
    for given, taken in swaps:
        for place, card in zip(queue[:SWAPPED], taken, strict=True):
            if isinstance(place, int):
                places[place] = card
            elif place != card:
                raise InterchangeError(f"{card} was not among the first three cards under the upcard")
        queue = [*queue[SWAPPED:], *given]
    others = iter([card for card in rest if card not in places])
    return tuple(next(others, UNKNOWN) if card == UNKNOWN else card for card in places)


# ── the record ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The lines of a record, and the score it comes to."""

    lines: list[str]
    score: tuple[int, int]


def record_of(study: Study) -> Rebuilt | Loss:
    """Return the record of *study*, or why it is none: something is not known, or the game goes on past its end.

    Raises InterchangeError where the rules do not allow what is told.
    """
    why = why_study(study)
    if why is not None:
        return why
    writer = _Writer(study)
    for hand in study.hands:
        why = writer.hand(hand)
        if why is not None:
            return why
    return writer.finished()


class _Writer:
    """Follows a game hand by hand and writes its entries."""

    def __init__(self, study: Study) -> None:
        players = [{"seat": seat, "name": name} for seat, name in enumerate(study.names) if name]
        self._lines = [header_line(study.rules, preset=preset_of(study.rules), players=players, game=study.game)]
        self._game: Game = new_game(study.rules)

    def hand(self, hand: StudyHand) -> Loss | None:
        """Write a hand; return why there can be none here."""
        try:
            deck = deck_of(self._game.standing.rules, hand)
            self._game, _ = deal(self._game, deck, dealer=hand.dealer)
        except IllegalActionError as error:
            if error.code is Code.GAME_OVER:
                return Loss("the game is over before it by these rules", f"hand {hand.number}")
            if error.code is Code.WRONG_PHASE:
                return Loss("it is not told to its end", f"hand {hand.number - 1}")
            raise InterchangeError(error.detail, hand=hand.number) from None
        number = self._game.standing.hands_dealt
        self._lines.append(deal_line(len(self._lines), hand=number, dealer=hand.dealer, deck=deck))
        for seat, action in hand.moves:
            assert action is not None
            self._act(hand, seat, action)
        for trick, cards in enumerate(hand.tricks, start=1):
            for card in cards:
                self._play(hand, trick, card)
        if hand.claimed is not None:
            self._act(hand, hand.claimed, CLAIM)
        return None

    def _play(self, hand: StudyHand, trick: int, card: Card) -> None:
        seat = to_act(self._game)
        if seat is None:
            raise InterchangeError(f"{card} is played after the end of the hand", hand=hand.number, trick=trick)
        self._act(hand, seat, PLAYS[card], trick=trick)

    def _act(self, hand: StudyHand, seat: Seat, action: Action, *, trick: int | None = None) -> None:
        try:
            self._game, _ = apply(self._game, seat, action)
        except IllegalActionError as error:
            if isinstance(action, PlayCard) and error.code is Code.WRONG_PHASE:
                error = IllegalActionError(error.code, _why_no_play(hand))
            raise InterchangeError(f"seat {seat}, {action}: {error.detail}", hand=hand.number, trick=trick) from None
        self._lines.append(action_line(len(self._lines), seat, action))

    def finished(self) -> Rebuilt:
        """Return the record, with the result of a game that is over."""
        stage, score = self._game.stage, self._game.standing.score
        if isinstance(stage, Finished):
            self._lines.append(result_line(len(self._lines), score=score, winner=stage.winner))
        return Rebuilt(self._lines, score)


def _why_no_play(hand: StudyHand) -> str:
    contract = contract_of(hand)
    if contract is None:
        return "trump is not made yet"
    if contract.is_ordered and not any(isinstance(action, Discard) for _, action in hand.moves):
        return "the dealer has not buried a card yet"
    return "this is not the time for that"
