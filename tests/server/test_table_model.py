"""The pure table as a machine that Hypothesis drives: two replicas over one log, and a clock that a rule winds.

Everything that may come, in any order: commands of every kind by everybody, right and wrong, late and twice; people who
leave, are lost and return; timers that fire when they should, too early, too late and again; a replica that lags behind
and finds another's entry in its place; one that starts over from the log. After each step it is checked what must
always hold.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random
from typing import ClassVar, Final

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from engine.actions import ALL_ACTIONS, Action
from engine.cards import SEATS, Card, Seat
from engine.errors import Code
from engine.events import GameOver, HandScored, HandThrownIn, SecretRevealed
from engine.game import legal_actions, phase_of, to_act
from engine.rules import Rules, rules_to_plain
from engine.view import View, Viewer, advance, redact, sees_revealed, view_for
from protocol.codes import ClockName
from protocol.table_events import GameStarted, TableEvent
from server.clock import MOST_GIFTS, deadline_ms
from server.entries import (
    Acted,
    AwaySet,
    Credited,
    DealtOut,
    Entry,
    GaveTime,
    Opened,
    SatDown,
    Started,
    StoodUp,
    pack_entry,
    unpack_entry,
)
from server.log import Stored
from server.table import (
    LEVELS,
    Act,
    ActFor,
    Asked,
    Close,
    Command,
    Credit,
    DealHand,
    FillSeats,
    GiveTime,
    Happening,
    Refusal,
    Repeated,
    SetAway,
    SitDown,
    StandUp,
    StartGame,
    Stir,
    TableState,
    decide,
    evolve,
    opened_table,
)
from server.telling import plain_happenings, prompt_message, view_message
from tests.engine.knowing import VIEWERS, cards_in, may_know
from tests.engine.strategies import playable_rules, seeds
from tests.server.tables import START_MS, refold, secret_of

STEPS: Final = 20_000
"""Commands that are decided at least, over all runs of the machine."""
_REFS_KNOWN: Final = 32
PLAYERS: Final = ("ann", "ben", "cat", "dan", "eve")

nodes = st.integers(0, 1)
players = st.sampled_from(PLAYERS)
seats = st.sampled_from((None, *SEATS))
slips = st.sampled_from((0, 0, 0, -1, 1, -7))
"""How far a number that a command names is from the right one."""
wishes: st.SearchStrategy[Action | Code] = st.sampled_from((*ALL_ACTIONS, Code.BAD_ACTION, Code.CARD_NOT_HELD))


class Replica:
    """A node's table: the fold of the log as far as it has read, and what each viewer there has folded from events."""

    def __init__(self, log: list[Stored]) -> None:
        opened = unpack_entry(log[0].entry)
        assert isinstance(opened, Opened)
        self.state, _ = opened_table(log[0].seq, opened)
        self.folded: dict[Viewer, View] = {}
        self.inbox: list[tuple[Command, int]] = []
        self.read(log)

    def read(self, log: list[Stored]) -> None:
        """Fold what it missed."""
        for stored in log[self.state.seq :]:
            self.state, happenings = evolve(self.state, stored.seq, stored.at_ms, unpack_entry(stored.entry))
            for happening in happenings:
                for viewer in VIEWERS:
                    self._hear(viewer, happening)

    def check_folded(self, *, by_turns: bool) -> None:
        """H6: what viewers folded is the view the table would show them: all of them, or one after the other."""
        if self.state.play is not None:
            for viewer in (VIEWERS[self.state.seq % len(VIEWERS)],) if by_turns else VIEWERS:
                shown = replace(view_for(self.state.play.game, viewer), phase=None, to_act=None)
                assert replace(self.folded[viewer], phase=None, to_act=None) == shown

    def _hear(self, viewer: Viewer, happening: Happening) -> None:
        if isinstance(happening, GameStarted):
            self.folded[viewer] = View(viewer)
        elif not isinstance(happening, TableEvent):
            share = redact(happening, viewer, self.state.room.rules)
            if share is not None:
                self.folded[viewer] = advance(self.folded[viewer], share)


class TableMachine(RuleBasedStateMachine):
    """See above. ``seen`` counts over all runs what came about."""

    seen: ClassVar[Counter[str]] = Counter()

    @initialize(
        rules=playable_rules(), clock=st.sampled_from(["normal", "fast", "none"]), people=st.integers(1, 4), seed=seeds
    )
    def open(self, rules: Rules, clock: ClockName, people: int, seed: int) -> None:
        self.now_ms = START_MS
        self.rng = Random(seed)
        self.house_rules = rules
        self.secrets = 0
        self.last_ref = dict.fromkeys(PLAYERS, 1)
        self.said: list[Command] = []
        self.turns_taken: list[int] = []
        self.done: dict[tuple[str, int], tuple[Command, int]] = {}
        self.latest: dict[str, list[int]] = {player: [] for player in PLAYERS}
        self.known: dict[Viewer, set[Card]] = {viewer: set() for viewer in VIEWERS}
        opened = Opened(
            code="KQ7M", title="Ann's table", preset="standard", rules=rules_to_plain(rules), visibility="private",
            clock=clock, bots="standard", spectators=True, seed=None, player="ann", name="Ann", ref=1,
        )  # fmt: skip
        self.log = [Stored(1, self.now_ms, pack_entry(opened))]
        self.replicas = [Replica(self.log), Replica(self.log)]
        self.truth = self.replicas[0].state
        for player in PLAYERS[1:people]:
            self.perform(0, SitDown(player, player.title(), None, self.ref(player)))
        self.perform(1, StartGame("ann", "g1", self.fresh_secret(), self.ref("ann")))

    # ── what a node does ─────────────────────────────────────────────────────────────────────────────────────────────

    def perform(self, node: int, command: Command, *, arrived_ms: int | None = None) -> Entry | Refusal | Repeated:
        """Do as the actor does: decide on the replica, append, and decide again where another was first."""
        self.seen["step"] += 1
        replica = self.replicas[node]
        at_ms = self.now_ms if arrived_ms is None else arrived_ms
        self.said.append(command)
        while True:
            outcome = decide(replica.state, command, at_ms)
            if isinstance(outcome, Refusal | Repeated):
                self.check_not_taken(command, outcome)
                return outcome
            if replica.state.seq == self.truth.seq:
                break
            self.seen["conflict"] += 1
            replica.read(self.log)
        self.append(command, outcome, at_ms)
        replica.read(self.log)
        replica.check_folded(by_turns=True)
        return outcome

    def append(self, command: Command, entry: Entry, arrived_ms: int) -> None:
        before, seq = self.truth, self.truth.seq + 1
        packed = pack_entry(entry)
        assert unpack_entry(packed) == entry
        self.log.append(Stored(seq, self.now_ms, packed))
        self.truth, happenings = evolve(before, seq, self.now_ms, entry)
        assert self.truth.seq == seq
        self.seen[type(entry).__name__] += 1
        self.check_done_once(command, entry, seq)
        if isinstance(entry, Acted):
            self.check_decision(before, entry, arrived_ms)
        self.check_game(before, entry)
        self.check_seats(before, entry)
        self.check_time(before, entry)
        if isinstance(entry, GaveTime):
            self.check_gift(before, entry, arrived_ms)
        self.check_told(happenings)

    # ── what must always hold ────────────────────────────────────────────────────────────────────────────────────────

    def check_not_taken(self, command: Command, outcome: Refusal | Repeated) -> None:
        if isinstance(outcome, Repeated):
            assert isinstance(command, Asked)
            assert self.done[command.player, command.ref] == (command, outcome.seq)
            self.seen["repeated"] += 1
            return
        assert outcome.code
        assert outcome.detail
        self.seen[f"refused {outcome.code}"] += 1

    def check_done_once(self, command: Command, entry: Entry, seq: int) -> None:
        """A ref is in the log once as long as it may come again."""
        if isinstance(command, Asked) and command.ref:
            assert command.ref not in self.latest[command.player][-_REFS_KNOWN:]
            self.latest[command.player].append(command.ref)
            self.done[command.player, command.ref] = (command, seq)
            assert (getattr(entry, "player", None), getattr(entry, "ref", None)) == (command.player, command.ref)

    def check_decision(self, before: TableState, entry: Acted, arrived_ms: int) -> None:
        """One decision a turn, by whose it is, in time (C4, T3)."""
        assert before.play is not None
        decision = before.play.decision
        assert decision is not None
        assert entry.turn == decision.turn
        assert entry.turn > max(self.turns_taken, default=0)
        self.turns_taken.append(entry.turn)
        chair = before.room.chairs[decision.seat]
        end = deadline_ms(before.room.clock, decision, before.play.banks_ms[decision.seat])
        is_late = end is not None and arrived_ms >= end
        match entry.why:
            case "player":
                assert chair.player == entry.player
                assert not is_late
            case "bot":
                assert chair.kind == "bot" or chair.waits
            case "away":
                assert chair.kind == "human"
                assert chair.away
                assert not chair.waits
            case "clock":
                assert chair.kind == "human"
                assert is_late
            case _:
                raise AssertionError(entry.why)
        self.seen[f"{entry.why} in {phase_of(before.play.game)}"] += 1

    def check_game(self, before: TableState, entry: Entry) -> None:
        """C9: what else happens at a table leaves the game, and what is to be decided, as it was."""
        play = self.truth.play
        if before.play is not None and not isinstance(entry, Acted | DealtOut | Started):
            assert play is not None
            assert play.game is before.play.game
            assert turn_of(self.truth) == turn_of(before)
        if play is not None:
            assert (play.decision is None) == (to_act(play.game) is None)
            assert play.decision is None or play.decision.seat == to_act(play.game)

    def check_seats(self, before: TableState, entry: Entry) -> None:
        """A seat is its person's until he leaves it; the host is one of the people, if there are any."""
        room = self.truth.room
        for was, chair in zip(before.room.chairs, room.chairs, strict=True):
            if was.kind == "human" and chair.player != was.player:
                assert isinstance(entry, StoodUp)
                assert entry.player == was.player
            assert (chair.player is not None) == (chair.kind == "human")
            assert (chair.level is not None) == (chair.kind == "bot" or chair.waits)
            assert not chair.waits or chair.kind == "human"
            assert chair.waits == was.waits or isinstance(entry, SatDown | StoodUp | DealtOut)
            assert chair.kind == "human" or not (chair.away or chair.misses)
        people = [chair.player for chair in room.chairs if chair.kind == "human"]
        assert len(set(people)) == len(people)
        assert (room.host in people) if people else (room.host is None)
        if self.truth.is_playing:
            assert all(chair.kind != "open" for chair in room.chairs)

    def check_time(self, before: TableState, entry: Entry) -> None:
        """T1, T6: no clock and no bank grows but by a credit, a gift, a new game, or the one by what the other pays."""
        was, now = before.play, self.truth.play
        if now is None:
            return
        full = self.truth.room.clock.bank_ms or 0
        assert all(0 <= bank <= full for bank in now.banks_ms)
        if was is None or isinstance(entry, Started):
            assert now.banks_ms == (full,) * 4
            return
        assert all(after <= bank for bank, after in zip(was.banks_ms, now.banks_ms, strict=True))
        if turn_of(before) is None or turn_of(before) != turn_of(self.truth):
            return
        assert was.decision is not None
        assert now.decision is not None
        assert now.decision.gifts == was.decision.gifts + isinstance(entry, GaveTime)
        more = now.decision.since_ms + now.decision.credit_ms - was.decision.since_ms - was.decision.credit_ms
        paid = sum(was.banks_ms) - sum(now.banks_ms)
        if isinstance(entry, Credited | GaveTime):
            assert (more, paid) == (entry.ms, 0)
        else:
            assert more == paid
            assert paid == 0 or isinstance(entry, AwaySet | StoodUp)

    def check_gift(self, before: TableState, entry: GaveTime, arrived_ms: int) -> None:
        """Time is given by another person who sits there, to a person whose clock runs, and so often at most."""
        play, chairs = before.play, before.room.chairs
        assert play is not None
        assert play.decision is not None
        assert entry.turn == play.decision.turn
        assert play.decision.gifts < MOST_GIFTS
        giver = before.room.seat_of(entry.player)
        assert giver not in (None, play.decision.seat)
        assert chairs[play.decision.seat].kind == "human"
        assert not before.is_botted
        end = deadline_ms(before.room.clock, play.decision, play.banks_ms[play.decision.seat])
        assert end is not None
        assert arrived_ms < end

    def check_told(self, happenings: tuple[Happening, ...]) -> None:
        """H1: no viewer is told of a card he may not know, nor of what hands are dealt from."""
        state = self.truth
        play = state.play
        if play is None:
            return
        hidden = [play.deals.secret.hex(), *([] if play.deals.dealt is None else [play.deals.dealt[0].hex()])]
        for viewer in VIEWERS:
            if any(type(happening).__name__ == "HandDealt" for happening in happenings):
                self.known[viewer] = set()
            self.known[viewer] |= set(may_know(happenings, viewer, self.house_rules))
            # Of what is told the news is looked at for everybody, and the whole view for one after the other.
            whole = self.shown(state, viewer) if viewer == VIEWERS[state.seq % len(VIEWERS)] else ()
            told = (plain_happenings(happenings, viewer, self.house_rules), *whole)
            assert cards_in(told) <= self.known[viewer], viewer
            revealed = [one.secret for one in happenings if isinstance(one, SecretRevealed)]
            secrets = hidden if sees_revealed(viewer, self.house_rules) else [*hidden, *revealed]
            text = str(told)
            assert not any(secret in text for secret in secrets)
        for happening in happenings:
            if isinstance(happening, HandScored | HandThrownIn | GameOver):
                self.seen[type(happening).__name__] += 1

    def shown(self, state: TableState, viewer: Viewer) -> tuple[object, object]:
        """Return the view and the prompt that *viewer* would be shown."""
        to_actor = state.play is not None and state.play.decision is not None and state.play.decision.seat == viewer
        prompt = prompt_message("t", state, to_actor=to_actor, now_ms=self.now_ms)
        return view_message("t", state, viewer, online=(), watchers=0), prompt

    def check_replicas(self) -> None:
        """What is in the log is the table, on every node and for every viewer."""
        for replica in self.replicas:
            replica.read(self.log)
            replica.check_folded(by_turns=False)
            assert replica.state == self.truth
        one, other = self.replicas
        assert one.folded == other.folded
        for viewer in VIEWERS:
            assert self.shown(one.state, viewer) == self.shown(other.state, viewer)
        assert [stored.seq for stored in self.log] == list(range(1, self.truth.seq + 1))

    # ── what may come ────────────────────────────────────────────────────────────────────────────────────────────────

    def ref(self, player: str) -> int:
        self.last_ref[player] += 1
        return self.last_ref[player]

    def fresh_secret(self) -> bytes:
        """Return a secret nobody used: one that was would be revealed while it is still to be dealt from."""
        self.secrets += 1
        return secret_of(self.secrets)

    def turn(self, slip: int = 0) -> int:
        turn = turn_of(self.truth)
        return max(0, (self.truth.seq if turn is None else turn) + slip)

    def due(self) -> Command | None:
        """Return what the table waits for: the next deal, or a legal action by whose turn it is."""
        play = self.truth.play
        if play is None or not self.truth.is_playing or self.truth.room.closed:
            return None
        if play.decision is None:
            return DealHand(play.game.standing.hands_dealt + 1, self.fresh_secret())
        chair = self.truth.room.chairs[play.decision.seat]
        action = self.rng.choice(legal_actions(play.game))
        end = deadline_ms(self.truth.room.clock, play.decision, play.banks_ms[play.decision.seat])
        if chair.stand_in != "clock":
            return ActFor(play.decision.turn, action, chair.stand_in)
        if end is not None and self.now_ms >= end:
            return ActFor(play.decision.turn, action, "clock")
        assert chair.player is not None
        return Act(chair.player, play.decision.turn, action, self.ref(chair.player))

    @rule(count=st.integers(20, 80), seed=seeds)
    @precondition(lambda self: self.truth.is_playing and not self.truth.room.closed)
    def go_on(self, count: int, seed: int) -> None:
        """Things go as they should for a while, on either node: what is due there is taken."""
        self.rng = Random(seed)
        for _ in range(count):
            command = self.due()
            if command is None:
                return
            node = self.rng.randint(0, 1)
            self.replicas[node].read(self.log)
            outcome = self.perform(node, command)
            assert not isinstance(outcome, Refusal | Repeated), outcome
            self.now_ms += self.rng.choice((0, 1, 700, 4000))

    @rule(seed=seeds)
    @precondition(lambda self: self.truth.is_playing and not self.truth.room.closed)
    def rivals(self, seed: int) -> None:
        """C4: two nodes hear of the same decision at once, and each takes its own for the first; one is."""
        self.rng = Random(seed)
        one, other = self.due(), self.due()
        assert one is not None
        assert other is not None
        for replica in self.replicas:
            replica.read(self.log)
        assert not isinstance(self.perform(0, one), Refusal | Repeated)
        assert isinstance(self.perform(1, other), Refusal)

    @rule(node=nodes, player=players, slip=slips, wish=wishes)
    def act(self, node: int, player: str, slip: int, wish: Action | Code) -> None:
        self.perform(node, Act(player, self.turn(slip), wish, self.ref(player)))

    @rule(node=nodes, index=st.integers(0, 200))
    @precondition(lambda self: self.said)
    def say_again(self, node: int, index: int) -> None:
        """A command comes again, on whichever connection: what was done is answered again, and no decision retaken."""
        command = self.said[-1 - index % len(self.said)]
        self.replicas[node].read(self.log)
        before = self.truth.seq
        known = self.latest[command.player][-_REFS_KNOWN:] if isinstance(command, Asked) else []
        outcome = self.perform(node, command)
        if isinstance(command, Asked) and command.ref in known:
            done, seq = self.done[command.player, command.ref]
            assert done != command or outcome == Repeated(seq)
        if isinstance(command, Act | ActFor) and command.turn in self.turns_taken[:-1]:
            assert self.truth.seq == before

    @rule(node=nodes, player=players, wish=wishes)
    @precondition(lambda self: self.done)
    def use_a_ref_again(self, node: int, player: str, wish: Action | Code) -> None:
        """A ref that was used for another command is refused; nothing is done."""
        if self.latest[player]:
            self.replicas[node].read(self.log)
            outcome = self.perform(node, Act(player, self.truth.seq + 50, wish, self.latest[player][-1]))
            assert isinstance(outcome, Refusal)
            assert outcome.code == "ref_reused"

    @rule(node=nodes, player=players, seat=seats)
    def sit_down(self, node: int, player: str, seat: Seat | None) -> None:
        self.perform(node, SitDown(player, player.title(), seat, self.ref(player)))

    @rule(node=nodes, player=players)
    def leave(self, node: int, player: str) -> None:
        self.perform(node, StandUp(player, self.ref(player)))

    @rule(node=nodes, player=players, seat=seats, level=st.sampled_from((None, *LEVELS, "none")))
    def fill(self, node: int, player: str, seat: Seat | None, level: str | None) -> None:
        self.perform(node, FillSeats(player, seat, level, self.ref(player)))

    @rule(node=nodes, player=players, seed=seeds, by_host=st.booleans())
    def start(self, node: int, player: str, seed: int, by_host: bool) -> None:  # noqa: FBT001
        who = self.truth.room.host if by_host and self.truth.room.host is not None else player
        self.perform(node, StartGame(who, f"g{seed}", self.fresh_secret(), self.ref(who)))

    @rule(node=nodes, player=players, on=st.booleans())
    def away(self, node: int, player: str, on: bool) -> None:  # noqa: FBT001
        self.perform(node, SetAway(player, on, self.ref(player)))

    @rule(node=nodes, player=players)
    def return_unasked(self, node: int, player: str) -> None:
        """Somebody who was lost is connected again."""
        outcome = self.perform(node, SetAway(player, on=False, ref=0, why="returned"))
        assert isinstance(outcome, Refusal | AwaySet)

    @rule(node=nodes, player=players, text=st.sampled_from(("", "luck", "more luck")))
    def stir(self, node: int, player: str, text: str) -> None:
        self.perform(node, Stir(player, text, self.ref(player)))

    @rule(node=nodes, slip=slips)
    def deal(self, node: int, slip: int) -> None:
        """A timer for a deal, its own or one long past."""
        dealt = 0 if self.truth.play is None else self.truth.play.game.standing.hands_dealt
        outcome = self.perform(node, DealHand(dealt + 1 + slip, self.fresh_secret()))
        assert isinstance(outcome, Refusal) or slip == 0

    @rule(node=nodes, slip=slips, wish=st.sampled_from(ALL_ACTIONS), why=st.sampled_from(("bot", "away", "clock")))
    def stand_in(self, node: int, slip: int, wish: Action, why: str) -> None:
        """A bot has thought, for a decision that may be another's by now."""
        self.perform(node, ActFor(self.turn(slip), wish, why))

    @rule(off_ms=st.sampled_from((-1, 0, 1, 5000)), person_first=st.booleans(), seed=seeds)
    @precondition(lambda self: self.deadline() is not None)
    def run_out(self, off_ms: int, person_first: bool, seed: int) -> None:  # noqa: FBT001
        """A person's time ends: before it only he may decide, from then on only the timer; and only once."""
        end = self.deadline()
        play = self.truth.play
        assert end is not None
        assert play is not None
        assert play.decision is not None
        self.now_ms = max(self.now_ms, end + off_ms)
        for replica in self.replicas:
            replica.read(self.log)
        rng, player = Random(seed), self.truth.room.chairs[play.decision.seat].player
        assert player is not None
        action = rng.choice(legal_actions(play.game))
        both: list[Command] = [
            Act(player, play.decision.turn, action, self.ref(player)),
            ActFor(play.decision.turn, action, "clock"),
        ]
        order = both if person_first else both[::-1]
        outcomes = {type(command): self.perform(rng.randint(0, 1), command) for command in order}
        assert isinstance(outcomes[Act], Acted) == (self.now_ms < end)
        assert isinstance(outcomes[ActFor], Acted) == (self.now_ms >= end)
        # T4: it fires again, now and later.
        for later_ms in (0, 1, 5000):
            self.now_ms += later_ms
            assert isinstance(self.perform(rng.randint(0, 1), both[1]), Refusal)

    def deadline(self) -> int | None:
        """Return when the time of the person to act ends; None where no clock runs."""
        play = self.truth.play
        if play is None or play.decision is None or self.truth.room.closed:
            return None
        if self.truth.is_botted:
            return None
        return deadline_ms(self.truth.room.clock, play.decision, play.banks_ms[play.decision.seat])

    @rule(node=nodes, slip=slips, ms=st.integers(1, 100_000))
    def credit(self, node: int, slip: int, ms: int) -> None:
        self.perform(node, Credit(self.turn(slip), max(self.now_ms, self.deadline() or 0) + ms, "an outage"))

    @rule(node=nodes, player=players, slip=slips)
    def give_time(self, node: int, player: str, slip: int) -> None:
        self.perform(node, GiveTime(player, self.turn(slip), self.ref(player)))

    @rule(node=nodes, times=st.integers(1, MOST_GIFTS + 1), seed=seeds)
    @precondition(lambda self: self.deadline() is not None)
    def give_much_time(self, node: int, times: int, seed: int) -> None:
        """The others are generous, all at once."""
        for at in range(times):
            player = Random(seed + at).choice(PLAYERS)
            self.perform(node, GiveTime(player, self.turn(0), self.ref(player)))

    @rule(node=nodes)
    def close_if_deserted(self, node: int) -> None:
        outcome = self.perform(node, Close("everybody left", only_deserted=True))
        assert isinstance(outcome, Refusal) or self.truth.room.host is None

    @rule(ms=st.sampled_from((1, 500, 8000, 20_000, 90_000)))
    def wait(self, ms: int) -> None:
        self.now_ms += ms

    # ── nodes ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @rule(node=nodes, player=players, wait_ms=st.integers(0, 30_000), seed=seeds)
    def hold_up(self, node: int, player: str, wait_ms: int, seed: int) -> None:
        """A command arrives while the node waits for its log: it counts as of its arrival, whatever comes first."""
        command = self.due()
        if command is None:
            command = SitDown(player, player.title(), None, self.ref(player))
        self.replicas[node].inbox.append((command, self.now_ms))
        self.now_ms += wait_ms

    @rule(node=nodes)
    @precondition(lambda self: any(replica.inbox for replica in self.replicas))
    def take_up(self, node: int) -> None:
        replica = self.replicas[node]
        if replica.inbox:
            command, arrived_ms = replica.inbox.pop(0)
            self.perform(node, command, arrived_ms=arrived_ms)

    @rule(node=nodes)
    def restart(self, node: int) -> None:
        """A node ends with all that waits there, and starts over from the log."""
        assert refold(self.log) == self.truth
        self.replicas[node] = Replica(self.log)
        self.check_replicas()

    @rule()
    def wake_up(self) -> None:
        """Both nodes hear of what they missed."""
        self.check_replicas()

    def teardown(self) -> None:
        if not hasattr(self, "truth"):
            return  # it ended before it began
        self.check_replicas()
        assert refold(self.log) == self.truth
        if not self.truth.room.closed:
            self.perform(0, Close("the end"))
        for command in self.said[-5:]:
            assert isinstance(self.perform(1, command), Refusal | Repeated)
        self.check_replicas()


def turn_of(state: TableState) -> int | None:
    return None if state.play is None or state.play.decision is None else state.play.decision.turn


# The steps take a minute or two, and finding the fewest that fail takes longer.
@pytest.mark.timeout(900)
def test_whatever_comes_in_whatever_order_the_table_keeps_its_word() -> None:
    TableMachine.seen.clear()
    run_state_machine_as_test(
        TableMachine,
        settings=settings(max_examples=360, stateful_step_count=70, suppress_health_check=[HealthCheck.too_slow]),
    )
    seen = TableMachine.seen
    assert seen["step"] >= STEPS, seen
    entries = ("HandScored", "GameOver", "Credited", "GaveTime", "StoodUp", "AwaySet", "Closed")
    for what in ("conflict", "repeated", *entries):
        assert seen[what] > 5, (what, seen)
