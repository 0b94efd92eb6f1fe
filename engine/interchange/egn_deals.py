"""One deal of Euchre Game Notation: what it says."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from engine.actions import (
    CALLS,
    ORDER,
    ORDER_ALONE,
    PASS,
    Action,
    AnswerAlone,
)
from engine.cards import (
    BENNY,
    CARDS_PER_HAND,
    LEFT_OF,
    PARTNER_OF,
    SEATS,
    SWAPPED,
    Card,
    Cards,
    Seat,
    Trump,
    clockwise_from,
    team_of,
)
from engine.events import FourHands
from engine.interchange.egn import MAX_EXCHANGES, NOBODY, SEATS_BEFORE_DEALER
from engine.interchange.egn_cards import read_card
from engine.interchange.json_tree import Node, Path
from engine.interchange.reports import Loss, bounded, shown
from engine.interchange.study import UNKNOWN, UNKNOWN_HAND, Contract, Move, StudyHand, contract_of

_MAX_NUMBER: Final = 9_999
_MOST_CALLS: Final = 2 * len(SEATS)
_MOST_LISTED: Final = 16

_DEAL: Final = frozenset({"dealNumber", "initialState", "phases"})
_STATE: Final = frozenset({"dealer", "upCard", "playerCards", "player_cards", "kitty"})
_BIDDING: Final = frozenset({"phaseNumber", "type", "calls", "isAlone", "aloneDefender", "discard", "cardExchanges"})
_PLAY: Final = frozenset({"phaseNumber", "type", "tricks", "isAlone", "initialLead"})


@dataclass(frozen=True, slots=True)
class DealSheet:
    """A deal as it says: ``bids`` are the calls with alone, ``lone_defender`` a seat, NOBODY or None for not told.

    ``swaps`` are the seats that went under with what they put away and took; ``gives`` the cards given, by giver.
    ``kitty`` are the buried cards, where all that are told are known. ``told_number`` is the deal's own.
    """

    node: Node
    number: int
    told_number: int
    dealer: Seat
    upcard: Card
    hands: FourHands
    kitty: Cards
    bids: tuple[Move, ...]
    lone_defender: Seat | None
    discard: Card | None
    swaps: tuple[tuple[Seat, Cards, Cards], ...]
    gives: Mapping[Seat, Card]
    tricks: tuple[Cards, ...]
    tricks_path: Path | None
    lead: Seat | None

    @property
    def path(self) -> Path:
        """Where the deal stands in the document."""
        return self.node.path

    def contract(self) -> Contract | None:
        """Return what the bids came to."""
        return contract_of(
            StudyHand(number=1, dealer=self.dealer, upcard=self.upcard, hands=self.hands, moves=self.bids)
        )

    def is_lone_against_two(self) -> bool:
        """Tell whether a defender plays alone against a maker who does not."""
        contract = self.contract()
        return self.lone_defender in SEATS and contract is not None and not contract.alone


def others(fields: Mapping[str, Node], known: Collection[str], where: str) -> list[Loss]:
    """Return the fields that nobody reads as losses."""
    return [Loss(bounded(name), where) for name in fields if name not in known]


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def read_deal(node: Node, number: int, losses: list[Loss]) -> DealSheet:
    """Read a deal, the *number*-th of its game, adding to *losses* what it says beyond the game."""
    if isinstance(node.value, str):
        raise node.fault("the deal is packed; only deals written out are read")
    return _Reader(node, number, losses).sheet()


class _Reader:
    def __init__(self, node: Node, number: int, losses: list[Loss]) -> None:
        self._node, self._number, self._losses = node, number, losses
        self._where = f"hand {number}"
        self._fields = self._object(node, _DEAL)
        self._state = self._object(self._needed(self._fields, "initialState"), _STATE)
        phases = self._phases()
        self._bidding = phases.get("EUCHRE_BIDDING", {})
        self._play = phases.get("TRICK_PLAY", {})
        self._trump: Trump | None = None

    def _object(self, node: Node, known: Collection[str]) -> dict[str, Node]:
        fields = node.fields()
        self._losses += others(fields, known, self._where)
        return fields

    def _needed(self, fields: Mapping[str, Node], name: str) -> Node:
        if name not in fields:
            raise self._node.fault(f'"{name}" is missing')
        return fields[name]

    def _phases(self) -> dict[str, dict[str, Node]]:
        phases: dict[str, dict[str, Node]] = {}
        for node in self._needed(self._fields, "phases").items(most=2):
            fields = node.fields()
            kind = self._needed(fields, "type").words()
            if kind not in {"EUCHRE_BIDDING", "TRICK_PLAY"} or kind in phases:
                raise node.fault("a deal has one EUCHRE_BIDDING and one TRICK_PLAY")
            phases[kind] = self._object(node, _BIDDING if kind == "EUCHRE_BIDDING" else _PLAY)
        return phases

    def sheet(self) -> DealSheet:
        state = self._state
        dealer = self._needed(state, "dealer").whole(0, len(SEATS) - 1)
        upcard = self._card(self._needed(state, "upCard"))
        bids = self._bids(dealer, upcard)
        bare = StudyHand(number=1, dealer=dealer, upcard=upcard, hands=(UNKNOWN_HAND,) * 4, moves=bids)
        contract = contract_of(bare)
        self._trump = None if contract is None else contract.trump
        swaps, gives = self._exchanges(contract)
        tricks = self._play.get("tricks")
        lead = self._play.get("initialLead")
        return DealSheet(
            node=self._node,
            number=self._number,
            told_number=self._needed(self._fields, "dealNumber").whole(0, _MAX_NUMBER),
            dealer=dealer,
            upcard=upcard,
            hands=self._hands(),
            kitty=self._kitty(),
            bids=bids,
            lone_defender=self._lone_defender(contract),
            discard=self._discard(contract),
            swaps=swaps,
            gives=gives,
            tricks=() if tricks is None else self._tricks(tricks),
            tricks_path=None if tricks is None else tricks.path,
            lead=None if lead is None else lead.whole(0, len(SEATS) - 1),
        )

    # ── cards ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _card(self, node: Node) -> Card:
        return read_card(node, self._trump, self._losses, self._where)

    def _cards(self, node: Node, *, most: int) -> Cards:
        return tuple(self._card(item) for item in node.items(most=most))

    def _hands(self) -> FourHands:
        node = self._state.get("playerCards", self._state.get("player_cards"))
        told = [] if node is None else [self._cards(item, most=CARDS_PER_HAND) for item in node.items(most=len(SEATS))]
        told += [()] * (len(SEATS) - len(told))
        padded = [(*cards, *(UNKNOWN,) * (CARDS_PER_HAND - len(cards))) for cards in told]
        return padded[0], padded[1], padded[2], padded[3]

    def _kitty(self) -> Cards:
        if "kitty" not in self._state:
            return ()
        kitty = self._cards(self._state["kitty"], most=_MOST_LISTED)
        return () if UNKNOWN in kitty else kitty

    def _tricks(self, node: Node) -> tuple[Cards, ...]:
        tricks = [self._cards(item, most=len(SEATS)) for item in node.items(most=CARDS_PER_HAND)]
        while tricks and not tricks[-1]:
            tricks.pop()
        return tuple(tricks)

    # ── bidding ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _is_alone(self) -> bool:
        told = [phase["isAlone"] for phase in (self._bidding, self._play) if "isAlone" in phase]
        if len({node.flag() for node in told}) > 1:
            raise told[-1].fault("isAlone is both true and false")
        return bool(told) and told[0].flag()

    def _bids(self, dealer: Seat, upcard: Card) -> tuple[Move, ...]:
        is_alone = self._is_alone()
        nodes = self._bidding["calls"].items(most=_MOST_LISTED) if "calls" in self._bidding else []
        bids: list[Move] = []
        order = clockwise_from(LEFT_OF[dealer])
        for at, node in enumerate(nodes):
            if bids and bids[-1][1] != PASS:
                raise node.fault("a call after trump was made")
            if at >= _MOST_CALLS:
                raise node.fault(f"a deal has at most {_MOST_CALLS} calls")
            bids.append((order[at % len(SEATS)], self._call(node, at, upcard, is_alone=is_alone)))
        is_made = bool(bids) and bids[-1][1] != PASS
        if is_alone and not is_made:
            raise self._node.fault("isAlone, but nobody made trump")
        if is_made and len(bids) == len(SEATS) and upcard == BENNY and bids[-1][1] not in (ORDER, ORDER_ALONE):
            bids = bids[SEATS_BEFORE_DEALER:]
        if is_alone and bids[-1][1] is None:
            bids.append((bids[-1][0], AnswerAlone(alone=True)))
        return tuple(bids)

    def _call(self, node: Node, at: int, upcard: Card, *, is_alone: bool) -> Action | None:
        text = node.words()
        is_first_round = at < len(SEATS)
        match text.lower():
            case "pass":
                return PASS
            case "order" if is_first_round:
                return ORDER_ALONE if is_alone else ORDER
            case "x":
                return None
            case "s" | "h" | "d" | "c" | "n" as trump:
                if is_first_round and (upcard, at) != (BENNY, SEATS_BEFORE_DEALER):
                    raise node.fault("trump is named in the second round, after four passes")
                return CALLS[trump, is_alone]
            case _:
                raise node.fault(f"{shown(text)} is no call here")

    def _discard(self, contract: Contract | None) -> Card | None:
        node = self._bidding.get("discard")
        if node is None:
            return None
        if contract is None or not (contract.is_ordered or contract.trump is None):
            raise node.fault("a discard, but the dealer did not pick up")
        return self._card(node)

    def _lone_defender(self, contract: Contract | None) -> Seat | None:
        node = self._bidding.get("aloneDefender")
        if node is None:
            return None
        seat = node.whole(NOBODY, len(SEATS) - 1)
        if seat != NOBODY and (contract is None or team_of(seat) == team_of(contract.maker)):
            raise node.fault(f"seat {seat} is no defender")
        return seat

    def _exchanges(self, contract: Contract | None) -> tuple[tuple[tuple[Seat, Cards, Cards], ...], dict[Seat, Card]]:
        swaps: list[tuple[Seat, Cards, Cards]] = []
        gives: dict[Seat, Card] = {}
        node = self._bidding.get("cardExchanges")
        for item in [] if node is None else node.items(most=MAX_EXCHANGES):
            fields = self._object(item, {"sender", "receiver", "cards"})
            receiver = self._needed(fields, "receiver").whole(0, len(SEATS) - 1)
            cards = self._cards(self._needed(fields, "cards"), most=2 * SWAPPED)
            sender = fields["sender"].whole(0, len(SEATS) - 1) if "sender" in fields else None
            if len(cards) == 1 and sender in (None, PARTNER_OF[receiver]) and PARTNER_OF[receiver] not in gives:
                gives[PARTNER_OF[receiver]] = cards[0]
            elif len(cards) in (SWAPPED, 2 * SWAPPED) and sender in (None, receiver):
                given = cards[:SWAPPED] if len(cards) > SWAPPED else (UNKNOWN,) * SWAPPED
                swaps.append((receiver, given, cards[-SWAPPED:]))
            else:
                raise item.fault("one card between partners, or three of a seat for three buried ones")
        if gives and (contract is None or any(team_of(seat) != team_of(contract.maker) for seat in gives)):
            raise self._node.fault("a card is given, but not by the maker's side")
        return tuple(swaps), gives
