"""The pure table under commands in any order: it takes or refuses every one, and its log tells all there is."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.actions import ALL_ACTIONS, Action
from engine.cards import SEATS
from engine.errors import Code
from engine.events import Event
from engine.fair import SECRET_BYTES
from engine.game import legal_actions, to_act
from engine.view import WATCHER, View, Viewer, advance, redact, view_for
from protocol.codes import ClockName
from protocol.table_events import GameStarted, TableEvent
from server.entries import Acted, DealtOut, Started
from server.table import (
    Act,
    ActFor,
    Close,
    Command,
    Credit,
    DealHand,
    FillSeats,
    Play,
    Refusal,
    Repeated,
    SetAway,
    SitDown,
    StandUp,
    StartGame,
    Stir,
)
from tests.engine.table import shuffled
from tests.server.tables import PureTable, refold, secret_of

VIEWERS: Final[tuple[Viewer, ...]] = (*SEATS, WATCHER)
PLAYERS: Final = ("ann", "ben", "cat", "dan", "eve")
KINDS: Final = (
    "right", "right", "right", "right", "right", "deal", "any act", "stand in", "sit", "leave", "fill", "start",
    "away", "stir", "credit", "wait", "again",
)  # fmt: skip
"""What may come next: mostly a legal act by whose turn it is, so that games come to their end."""


class Storm:
    """A table, and a stream of commands that know nothing of each other."""

    def __init__(self, seed: int, clock: ClockName, preset: str) -> None:
        self.rng = Random(seed)
        self.table = PureTable(people=1, preset=preset, clock=clock, seed=seed, target=self.rng.choice([1, 3]))
        self.said: list[Command] = []
        self.folded: dict[Viewer, View] = {}
        self.turns_taken: list[int] = []

    def command(self, kind: str) -> Command | None:
        """Return a command of that kind, sensible or not; None where time passed instead."""
        rng, state = self.rng, self.table.state
        play = state.play
        who, ref, seat = rng.choice(PLAYERS), rng.randint(1, 400), rng.choice((None, *SEATS))
        turn = max(0, (state.seq if play is None or play.decision is None else play.decision.turn) + self.slip())
        match kind:
            case "right" if play is not None and play.decision is not None:
                chair = state.room.chairs[play.decision.seat]
                action = rng.choice(legal_actions(play.game))
                if chair.kind == "bot":
                    return ActFor(play.decision.turn, action, "bot")
                assert chair.player is not None
                return Act(chair.player, play.decision.turn, action, self.table.ref() + 1000)
            case "right" | "deal":
                number = 1 if play is None else play.game.standing.hands_dealt + 1
                return DealHand(number if kind == "right" else number + self.slip(), rng.randbytes(SECRET_BYTES))
            case "any act":
                action_or_code: Action | Code = rng.choice((*ALL_ACTIONS, Code.BAD_ACTION, Code.CARD_NOT_HELD))
                return Act(who, turn, action_or_code, ref)
            case "stand in":
                return ActFor(turn, rng.choice(ALL_ACTIONS), rng.choice(("bot", "away", "clock")))
            case "sit":
                return SitDown(who, who.title(), seat, ref)
            case "leave":
                return StandUp(who, ref)
            case "fill":
                return FillSeats(who, seat, rng.choice((None, "easy", "standard", "none")), ref)
            case "start":
                return StartGame(who, f"g{rng.randint(1, 10**6)}", rng.randbytes(SECRET_BYTES), ref)
            case "away":
                asked = rng.random() < 0.7
                return SetAway(who, rng.random() < 0.5, ref if asked else 0, "asked" if asked else "returned")
            case "stir":
                return Stir(who, rng.choice(("", "luck", "more luck")), ref)
            case "credit":
                return Credit(turn, rng.randint(1, 100_000), "an outage")
            case "again" if self.said:
                return rng.choice(self.said)
            case _:
                self.table.later(rng.choice((1, 500, 8000, 20_000, 90_000)))
                return None

    def slip(self) -> int:
        return self.rng.choice((0, 0, 0, 0, -1, 1, -5))

    def blow(self, kind: str) -> None:
        """Say one thing to the table and check what may be checked at once."""
        command = self.command(kind)
        if command is None:
            return
        self.said.append(command)
        table, before = self.table, self.table.state
        outcome = table.outcome(command)
        if isinstance(outcome, Refusal | Repeated):
            assert table.state is before
            assert not isinstance(outcome, Refusal) or (outcome.code and outcome.detail)
            return
        if isinstance(outcome, Acted):
            self.turns_taken.append(outcome.turn)
        if not isinstance(outcome, Acted | DealtOut | Started):
            # C9: whatever else happens at a table leaves the game, and what is to be decided, as it was.
            assert before.play is None or table.play.game is before.play.game
            assert before.play is None or turn_of(table.play) == turn_of(before.play)
        self.check_room()
        self.check_views()

    def check_room(self) -> None:
        state = self.table.state
        people = [chair.player for chair in state.room.chairs if chair.kind == "human"]
        assert len(set(people)) == len(people)
        assert (state.room.host in people) if people else (state.room.host is None)
        for chair in state.room.chairs:
            assert (chair.player is not None) == (chair.kind == "human")
            assert (chair.level is not None) == (chair.kind == "bot")
            assert chair.kind == "human" or not chair.away
        assert all(len(known) <= 32 for known in state.known.values())
        if state.play is not None:
            assert all(0 <= bank <= (state.room.clock.bank_ms or 0) for bank in state.play.banks_ms)
            assert (state.play.decision is None) == (to_act(state.play.game) is None)
            assert state.play.decision is None or state.play.decision.seat == to_act(state.play.game)
        if state.is_playing:
            assert all(chair.kind != "open" for chair in state.room.chairs)

    def check_views(self) -> None:
        """H6: what every viewer folds from his share of the events is the view the table would show him."""
        if self.table.state.play is None:
            return
        for happening in self.table.happened:
            for viewer in VIEWERS:
                if isinstance(happening, GameStarted):
                    self.folded[viewer] = View(viewer)
                elif not isinstance(happening, TableEvent):
                    self.folded[viewer] = heard(self.folded[viewer], happening, self.table)
        for viewer in VIEWERS:
            shown = view_for(self.table.game, viewer)
            assert replace(self.folded[viewer], phase=None, to_act=None) == replace(shown, phase=None, to_act=None)


def turn_of(play: Play) -> int | None:
    return None if play.decision is None else play.decision.turn


def heard(view: View, event: Event, table: PureTable) -> View:
    share = redact(event, view.viewer, table.rules)
    return view if share is None else advance(view, share)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    clock=st.sampled_from(["normal", "fast", "none"]),
    preset=st.sampled_from(["standard", "screw", "ladder"]),
    kinds=st.lists(st.sampled_from(KINDS), min_size=50, max_size=400),
)
def test_commands_in_any_order(seed: int, clock: ClockName, preset: str, kinds: list[str]) -> None:
    """`evolve` takes all that `decide` took; no decision is taken twice; and the log comes to the table as it is."""
    storm = Storm(seed, clock, preset)
    storm.table.did(StartGame("ann", "g1", secret_of(1), 999))
    storm.check_views()
    for kind in kinds:
        storm.blow(kind)
    assert storm.turns_taken == sorted(set(storm.turns_taken))
    assert [stored.seq for stored in storm.table.stored] == list(range(1, storm.table.state.seq + 1))
    assert refold(storm.table.stored) == storm.table.state
    if seed % 4 == 0:
        storm.table.did(Close("the end"))
        assert refold(storm.table.stored) == storm.table.state


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1))
def test_c9_a_game_is_the_same_whatever_goes_on_around_it(seed: int) -> None:
    """C9. Watching, away, leaving, sitting down and host changes leave the rules state identical."""
    quiet, lively = PureTable(people=4, target=3, seed=seed), PureTable(people=4, target=3, seed=seed)
    noise = Random(seed)
    for table in (quiet, lively):
        table.did(table.start())
    while quiet.state.is_playing:
        assert lively.game == quiet.game
        if quiet.state.awaits_deal:
            deck = shuffled(quiet.rules, quiet.rng)
            for table in (quiet, lively):
                table.dealt(deck)
            continue
        seat, action = quiet.decision.seat, quiet.random_action()
        chair = quiet.state.room.chairs[seat]
        assert chair.player is not None
        quiet.did(Act(chair.player, quiet.turn, action, quiet.ref()))
        for _ in range(noise.randint(0, 3)):
            name = noise.choice(("Ann", "Ben", "Cat", "Dan", "Eve"))
            wish: Any = noise.choice((lively.stand_up(name), lively.sit_down(name), lively.away(name, on=True)))
            lively.outcome(wish)
        chair = lively.state.room.chairs[seat]
        if chair.kind == "bot" or chair.away:
            lively.did(ActFor(lively.turn, action, "bot" if chair.kind == "bot" else "away"))
        else:
            lively.did(Act(str(chair.player), lively.turn, action, lively.ref()))
    assert lively.game == quiet.game
