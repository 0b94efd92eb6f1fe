"""One hand of Trickster's notation: its deal, its auction with what follows, and its play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.actions import (
    CALLS,
    ORDER,
    ORDER_ALONE,
    PASS,
    RELIEF,
    Action,
    AnswerAlone,
    AnswerDefence,
    AskRelief,
    Discard,
    GiveCard,
    Pass,
    swap_of,
)
from engine.cards import (
    BENNY,
    CARDS_PER_HAND,
    PARTNER_OF,
    SEATS,
    SWAPPED,
    Card,
    Cards,
    Seat,
    Trump,
    clockwise_from,
    make_pack,
    team_of,
    trick_winner,
    upcard_suit,
)
from engine.errors import IllegalActionError
from engine.events import FourHands
from engine.interchange.completing import completed, with_buried
from engine.interchange.ptn import NOTHING
from engine.interchange.ptn_blocks import Block
from engine.interchange.ptn_tags import (
    Tag,
    read_card,
    read_cards,
    read_hand,
    read_side,
    suit_of_sign,
)
from engine.interchange.reports import InterchangeError, shown
from engine.interchange.study import UNKNOWN, Contract, Move, StudyHand, contract_of, lead_of
from engine.play import seats_of_trick
from engine.rules import PartnerExchange, Rules

_MAX_ROWS: Final = 16
"""Rows of an auction: two rounds, a row for each going under, and the answers about alone."""


class HandReader:
    """Reads the tags of one hand under *rules*."""

    def __init__(self, rules: Rules, block: Block) -> None:
        self._rules, self._block = rules, block
        self._deal = block.all("Deal")[0]

    def hand(self) -> StudyHand:
        """Return the hand. Raises InterchangeError, with its number, where it tells what cannot be."""
        try:
            return self._hand()
        except InterchangeError as error:
            raise error.placed(hand=self._block.number) from None

    def _hand(self) -> StudyHand:
        dealer, hands = self._read_deal()
        upcard, buried = self._undealt()
        bare = StudyHand(number=self._block.number, dealer=dealer, upcard=upcard, hands=hands, buried=buried)
        bids, answers = self._auction(bare)
        hand = replace(bare, moves=(*bids, *answers))
        contract = contract_of(hand)
        rows = self._block.one("Play")
        if contract is not None:
            has_played = bool(rows and rows.rows)
            hand = replace(hand, moves=self._moves(hand, contract, bids, answers, has_played=has_played))
            self._check_contract(contract)
        if rows is not None:
            hand = replace(hand, tricks=tuple(self._tricks(rows, hand)))
        return with_buried(self._rules, completed(self._rules, hand), [taken for _, _, taken in self._swapped()])

    # ── cards ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read_deal(self) -> tuple[Seat, FourHands]:
        tag = self._deal
        side, colon, rest = tag.value.partition(":")
        if not colon:
            raise tag.fault("it must begin with the dealer's side, like W:")
        dealer, words = read_side(tag, side), rest.split()
        if len(words) != len(SEATS):
            raise tag.fault(f"there must be {len(SEATS)} hands, - for one not known")
        hands: dict[Seat, Cards] = {}
        for seat, word in zip(clockwise_from(dealer), words, strict=True):
            cards = read_hand(tag, word)
            if len(cards) > CARDS_PER_HAND:
                raise tag.fault(f"{shown(word)} has more than {CARDS_PER_HAND} cards")
            hands[seat] = (*cards, *(UNKNOWN,) * (CARDS_PER_HAND - len(cards)))
        return dealer, (hands[0], hands[1], hands[2], hands[3])

    def _undealt(self) -> tuple[Card, Cards]:
        tag = self._block.one("Undealt")
        cards = read_cards(tag, tag.value) if tag else ()
        if tag is None or not cards:
            return UNKNOWN, ()
        under = len(make_pack(self._rules.low_rank, self._rules.jokers)) - len(SEATS) * CARDS_PER_HAND
        if len(cards) > under:
            raise tag.fault(f"{under} cards are not dealt, not {len(cards)}")
        is_known = len(cards) == under and UNKNOWN not in cards[1:]
        return cards[0], cards[1:] if is_known else ()

    def _of_seat(self, name: str, count: int) -> list[tuple[Tag, Seat, Cards]]:
        """Return the tags *name* that are of *count* cards, with their seat."""
        found = []
        for tag in self._block.all(name):
            side, colon, rest = tag.value.partition(":")
            cards = read_cards(tag, rest) if colon else ()
            if len(cards) not in (1, SWAPPED):
                raise tag.fault(f"it must be a side and 1 or {SWAPPED} cards, like W:HJ")
            if len(cards) == count:
                found.append((tag, read_side(tag, side), cards))
        return found

    def _swapped(self) -> list[tuple[Seat, Cards, Cards]]:
        """Return who went under, what he put away and what he took."""
        removed, added = self._of_seat("CardsRemoved", SWAPPED), self._of_seat("CardsAdded", SWAPPED)
        if [seat for _, seat, _ in removed] != [seat for _, seat, _ in added]:
            raise self._deal.fault("three cards removed and three added must be of the same seats, in the same order")
        return [(seat, given, taken) for (_, seat, given), (_, _, taken) in zip(removed, added, strict=True)]

    # ── the auction ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _auction(self, hand: StudyHand) -> tuple[list[Move], list[Move]]:
        """Return the moves up to the call that made trump, and the answers about alone that followed."""
        tag = self._block.one("Auction")
        if tag is None:
            return [], []
        if len(tag.rows) > _MAX_ROWS:
            raise tag.fault(f"it may have {_MAX_ROWS} rows, not {len(tag.rows)}")
        first = read_side(tag, tag.value)
        swaps = {seat: given for seat, given, _ in self._swapped()}
        bids: list[Move] = []
        answers: list[Move] = []
        contract: Contract | None = None
        at = 0
        for line, row in tag.rows:
            if len(row) > len(SEATS):
                raise tag.fault(f"a row has {len(SEATS)} columns", line=line)
            for word in row:
                seat = (first + at) % len(SEATS)
                at += 1
                if word == NOTHING:
                    continue
                if contract is not None:
                    answers.append((seat, self._answer(tag, line, word, seat, contract)))
                    continue
                bids.append((seat, self._bid(tag, line, word, seat, replace(hand, moves=tuple(bids)), swaps)))
                contract = contract_of(replace(hand, moves=tuple(bids)))
        if swaps:
            raise tag.fault(f"seat {next(iter(swaps))} exchanges three cards, but does not go under")
        return bids, answers

    def _bid(
        self, tag: Tag, line: int, word: str, seat: Seat, hand: StudyHand, swaps: dict[Seat, Cards]
    ) -> Action | None:
        low = word.lower()
        if low == "pass":
            return PASS
        if low == "misdeal":
            return RELIEF
        if low == "gounder":
            return self._go_under(tag, line, swaps.pop(seat, (UNKNOWN,) * SWAPPED))
        is_alone = low.endswith("alone")
        trump = _trump(_without_alone(word))
        if word == "?":
            return None
        if trump is None:
            raise tag.fault(f"{shown(word)} is no call", line=line)
        passes = sum(isinstance(action, Pass) for _, action in hand.moves)
        if passes >= len(SEATS) or (hand.upcard == BENNY and not passes and seat == hand.dealer):
            return CALLS[trump, is_alone]
        if hand.upcard != UNKNOWN and trump != upcard_suit(hand.upcard):
            raise tag.fault(f"{shown(word)} in the first round, where the upcard is {hand.upcard}", line=line)
        return ORDER_ALONE if is_alone else ORDER

    def _go_under(self, tag: Tag, line: int, given: Cards) -> AskRelief:
        if UNKNOWN in given:
            return AskRelief((UNKNOWN,) * SWAPPED)
        try:
            return swap_of(given)
        except IllegalActionError:
            raise tag.fault("a card is put away twice", line=line) from None

    def _answer(self, tag: Tag, line: int, word: str, seat: Seat, contract: Contract) -> Action:
        if word.lower() not in {"pass", "alone", "defendalone", "defend"}:
            raise tag.fault(f"{shown(word)} after trump was made", line=line)
        is_alone = word.lower().endswith("alone")
        if team_of(seat) == team_of(contract.maker):
            return AnswerAlone(alone=is_alone)
        return AnswerDefence(alone=is_alone)

    # ── what comes between the call and the first lead ───────────────────────────────────────────────────────────────

    def _moves(
        self, hand: StudyHand, contract: Contract, bids: list[Move], answers: list[Move], *, has_played: bool
    ) -> tuple[Move, ...]:
        own = [move for move in answers if isinstance(move[1], AnswerAlone)]
        others = [move for move in answers if isinstance(move[1], AnswerDefence)]
        gives = self._gives(contract, has_gone_on=has_played or bool(others))
        discards = self._discards(hand, contract, has_gone_on=has_played or bool(answers or gives))
        return (*bids, *discards, *own, *gives, *others)

    def _discards(self, hand: StudyHand, contract: Contract, *, has_gone_on: bool) -> list[Move]:
        added, removed = self._of_seat("CardsAdded", 1), self._of_seat("CardsRemoved", 1)
        for tag, seat, cards in (*added, *removed):
            if not contract.is_ordered or seat != hand.dealer:
                raise tag.fault("only the dealer takes up and buries a card, and only when the upcard made trump")
            if tag.name == "CardsAdded" and cards[0] != hand.upcard:
                raise tag.fault(f"the upcard is {hand.upcard}")
        for several in (added[1:], removed[1:]):
            for tag, _, _ in several:
                raise tag.fault("one card is taken up and one buried")
        if removed:
            return [(hand.dealer, Discard(removed[0][2][0]))]
        is_spared = not added and contract.alone[:1] == (PARTNER_OF[hand.dealer],)
        return [(hand.dealer, Discard(UNKNOWN))] if contract.is_ordered and has_gone_on and not is_spared else []

    def _gives(self, contract: Contract, *, has_gone_on: bool) -> list[Move]:
        moves: list[Move] = []
        for tag in self._block.all("CardsPassed"):
            sides = tag.value.split(":")
            cards = read_cards(tag, sides[-1]) if len(sides) == 3 else ()
            if len(cards) != 1:
                raise tag.fault("it must be two sides and a card, like S:N:DQ")
            seat, to = read_side(tag, sides[0]), read_side(tag, sides[1])
            if to != PARTNER_OF[seat]:
                raise tag.fault("cards are passed between partners")
            moves.append((seat, GiveCard(cards[0])))
        lone = [seat for seat in contract.alone if team_of(seat) == team_of(contract.maker)]
        is_due = self._rules.partner_exchange is not PartnerExchange.OFF and bool(lone)
        if not moves and is_due and has_gone_on:
            return [(seat, GiveCard(UNKNOWN)) for seat in (lone[0], PARTNER_OF[lone[0]])]
        return moves

    def _check_contract(self, contract: Contract) -> None:
        tag = self._block.one("Declarer")
        if tag is not None and read_side(tag, tag.value) != contract.maker:
            raise tag.fault("another seat made trump in the auction")
        tag = self._block.one("Contract")
        trump = None if tag is None else _trump(_without_alone(tag.value))
        if tag is not None and trump is not None and contract.trump not in (None, trump):
            raise tag.fault("the auction made another trump")

    # ── the play ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _tricks(self, tag: Tag, hand: StudyHand) -> Iterator[Cards]:
        """Yield each row in playing order."""
        contract = contract_of(hand)
        first = read_side(tag, tag.value)
        if contract is None or contract.trump is None:
            raise tag.fault("cards are played, but the auction made no trump")
        if first != lead_of(self._rules, hand, contract):
            raise tag.fault(f"seat {first} leads; by these rules another seat does")
        leader = first
        for trick, (line, row) in enumerate(tag.rows, start=1):
            if len(row) > len(SEATS):
                raise tag.fault(f"a row has {len(SEATS)} columns", line=line)
            played = {
                seat: read_card(tag, word, line=line)
                for seat, word in zip(clockwise_from(first), row, strict=False)
                if word != NOTHING
            }
            seats = seats_of_trick(contract.alone, leader)
            done = [seat for seat in seats if seat in played]
            if done != list(seats[: len(done)]) or len(done) != len(played):
                raise tag.fault("these columns are not of those who play, from who leads on", line=line).placed(
                    trick=trick
                )
            cards = tuple(played[seat] for seat in done)
            yield cards
            if len(done) < len(seats):
                if trick < len(tag.rows):
                    raise tag.fault("cards are missing", line=line).placed(trick=trick)
                return
            leader = seats[trick_winner(cards, contract.trump)]


def _without_alone(word: str) -> str:
    return word[: -len("alone")] if word.lower().endswith("alone") else word


def _trump(text: str) -> Trump | None:
    words: dict[str, Trump] = {"nt": "n", "n": "n", "nt↑": "n", "nt↓": "l"}
    return words.get(text.lower()) or suit_of_sign(text)
