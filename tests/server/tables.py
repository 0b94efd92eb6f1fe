"""A table without an actor: what is decided is folded at once, at the time a test says it is."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

from engine.actions import Action, parse_action
from engine.cards import Cards, Seat
from engine.fair import SECRET_BYTES
from engine.game import legal_actions, to_act
from engine.rules import Rules, make_rules, rules_to_plain
from engine.state import AwaitingDeal, Game
from protocol.codes import ClockName, Visibility
from server.clock import Decision
from server.entries import DealtOut, Entry, Opened, pack_entry, unpack_entry
from server.log import Stored
from server.table import (
    Act,
    ActFor,
    Command,
    DealHand,
    FillSeats,
    GiveTime,
    Happening,
    Play,
    Refusal,
    Repeated,
    SetAway,
    SitDown,
    StandUp,
    StartGame,
    TableState,
    decide,
    evolve,
    opened_table,
)
from tests.engine.table import shuffled

PEOPLE = ("Ann", "Ben", "Cat", "Dan")
"""Who sits down where, by seat; a player's id is his name in small letters."""
START_MS = 1_000_000


def player(name: str) -> str:
    return name.lower()


class PureTable:
    """A table of ``people`` persons from seat 0 on, whose host is Ann: a preset's with *options*, or of *rules*.

    ``stored`` is its log, ``happened`` what its latest entry made happen.
    """

    def __init__(
        self,
        people: int = 4,
        *,
        preset: str = "standard",
        rules: Rules | None = None,
        clock: ClockName = "normal",
        visibility: Visibility = "private",
        seed: int = 1,
        **options: object,
    ) -> None:
        self.now_ms = START_MS
        self.rng = Random(seed)
        self.rules = make_rules(preset, options) if rules is None else rules
        self._refs = itertools.count(1)
        opened = Opened(
            code="KQ7M", title="Ann's table", preset=preset, rules=rules_to_plain(self.rules), visibility=visibility,
            clock=clock, bots="standard", spectators=True, seed=None, player="ann", name="Ann", ref=self.ref(),
        )  # fmt: skip
        self.stored = [Stored(1, self.now_ms, pack_entry(opened))]
        self.state, self.happened = opened_table(1, opened)
        for seat in range(1, people):
            self.did(self.sit_down(PEOPLE[seat], seat))

    # ── commands ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def ref(self) -> int:
        """Return a ref nobody used."""
        return next(self._refs)

    def sit_down(self, name: str, seat: Seat | None = None, *, ref: int | None = None) -> SitDown:
        return SitDown(player(name), name, seat, ref or self.ref())

    def stand_up(self, name: str, *, ref: int | None = None) -> StandUp:
        return StandUp(player(name), ref or self.ref())

    def fill(
        self, name: str = "Ann", seat: Seat | None = None, level: str | None = None, *, ref: int | None = None
    ) -> FillSeats:
        return FillSeats(player(name), seat, level, ref or self.ref())

    def start(self, name: str = "Ann", *, game: str = "g1", ref: int | None = None) -> StartGame:
        return StartGame(player(name), game, secret_of(1), ref or self.ref())

    def deal(self) -> DealHand:
        """Deal the next hand, from what was committed to."""
        hand = self.game.standing.hands_dealt + 1
        return DealHand(hand, secret_of(hand + 1))

    def act(
        self, action: str | None = None, *, by: str | None = None, turn: int | None = None, ref: int | None = None
    ) -> Act:
        """Take the open decision, by whose it is and with its first legal action unless the test says otherwise."""
        who = player(PEOPLE[self.decision.seat]) if by is None else player(by)
        chosen = legal_actions(self.game)[0] if action is None else parse_action(action)
        return Act(who, self.turn if turn is None else turn, chosen, ref or self.ref())

    def act_for(self, why: str, action: Action | None = None, *, turn: int | None = None) -> ActFor:
        return ActFor(self.turn if turn is None else turn, action or legal_actions(self.game)[0], why)

    def away(self, name: str, *, on: bool, ref: int | None = None) -> SetAway:
        return SetAway(player(name), on, ref or self.ref())

    def give_time(self, name: str, *, turn: int | None = None, ref: int | None = None) -> GiveTime:
        return GiveTime(player(name), self.turn if turn is None else turn, ref or self.ref())

    def random_action(self) -> Action:
        """Return any legal action."""
        return self.rng.choice(legal_actions(self.game))

    # ── doing them ───────────────────────────────────────────────────────────────────────────────────────────────────

    def outcome(self, command: Command) -> Entry | Refusal | Repeated:
        """Decide *command*, and fold it if it is taken: through the form in which it is stored."""
        decided = decide(self.state, command, self.now_ms)
        if isinstance(decided, Refusal | Repeated):
            return decided
        return self.put(decided)

    def put(self, decided: Entry) -> Entry:
        """Fold an entry, through the form in which it is stored."""
        packed = pack_entry(decided)
        entry = unpack_entry(packed)
        assert entry == decided
        seq = self.state.seq + 1
        self.state, self.happened = evolve(self.state, seq, self.now_ms, entry)
        assert self.state.seq == seq
        self.stored.append(Stored(seq, self.now_ms, packed))
        return entry

    def did(self, command: Command) -> tuple[Happening, ...]:
        """Do *command*, which must be taken; return what happened."""
        outcome = self.outcome(command)
        assert not isinstance(outcome, Refusal | Repeated), outcome
        return self.happened

    def refused(self, command: Command) -> str:
        """Try *command*, which must be refused and change nothing; return the code."""
        before = self.state
        outcome = self.outcome(command)
        assert isinstance(outcome, Refusal), outcome
        assert self.state is before
        return outcome.code

    def repeated(self, command: Command) -> int:
        """Try *command*, which must be known already; return the number of its entry."""
        before = self.state
        outcome = self.outcome(command)
        assert isinstance(outcome, Repeated), outcome
        assert self.state is before
        return outcome.seq

    def later(self, ms: int) -> None:
        """Let time pass."""
        self.now_ms += ms

    def started(self, deck: Cards | None = None, *, dealer: Seat = 0) -> PureTable:
        """Start a game and deal its first hand."""
        self.did(self.start())
        self.dealt(deck, dealer=dealer)
        return self

    def dealt(self, deck: Cards | None = None, *, dealer: Seat = 0) -> tuple[Happening, ...]:
        """Deal the next hand from *deck*, or at random, whatever was committed to; *dealer* counts for the first."""
        cards = shuffled(self.rules, self.rng) if deck is None else deck
        stage = self.game.stage
        due = stage.dealer if isinstance(stage, AwaitingDeal) else None
        hand = self.game.standing.hands_dealt + 1
        self.put(DealtOut(dealer if due is None else due, "".join(cards), secret_of(hand + 1)))
        return self.happened

    def play_until_over(self) -> None:
        """Play on, everybody by himself at random, until the game is over."""
        while self.state.is_playing:
            if self.state.awaits_deal:
                self.did(self.deal())
                continue
            action = self.random_action()
            chair = self.state.room.chairs[self.decision.seat]
            if chair.stand_in == "bot":
                self.did(self.act_for("bot", action))
            else:
                assert chair.player is not None
                self.did(Act(chair.player, self.turn, action, self.ref()))

    # ── looking at it ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def play(self) -> Play:
        assert self.state.play is not None
        return self.state.play

    @property
    def game(self) -> Game:
        return self.play.game

    @property
    def decision(self) -> Decision:
        assert self.play.decision is not None
        return self.play.decision

    @property
    def turn(self) -> int:
        return self.decision.turn

    @property
    def to_act(self) -> Seat | None:
        return to_act(self.game)

    @property
    def kinds(self) -> list[str]:
        return [chair.kind for chair in self.state.room.chairs]


def secret_of(hand: int) -> bytes:
    """Return a secret for the deal of *hand*, known to the tests."""
    return hand.to_bytes(SECRET_BYTES, "big")


def refold(stored: list[Stored]) -> TableState:
    """Return the table that a log comes to."""
    first = unpack_entry(stored[0].entry)
    assert isinstance(first, Opened)
    state, _ = opened_table(stored[0].seq, first)
    for one in stored[1:]:
        state, _ = evolve(state, one.seq, one.at_ms, unpack_entry(one.entry))
    return state


def entries(stored: list[Stored]) -> list[Any]:
    return [unpack_entry(one.entry) for one in stored]
