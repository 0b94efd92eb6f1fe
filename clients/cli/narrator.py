"""Tells a table's events on the screen, for a player or a watcher."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, cast

from clients.cli.naming import Naming, naming_at
from clients.cli.rules import print_rules
from clients.cli.rulewords import aim, not_standard
from clients.cli.screen import Screen
from clients.cli.situation import deal_lines, hand_line, last_trick_lines, score_line, seat_lines, situation
from clients.cli.words import Told, bot_words, tell_game, tell_presence, tell_table
from engine.events import Event, GameOver, HandDealt, HandScored, HandsRevealed
from engine.record import Header
from engine.rules import rules_to_plain
from engine.view import View
from protocol.follower import Happening, TableFollower
from protocol.outgoing import TableInfo
from protocol.table_events import GameStarted, TableEvent, Unseated, with_presence
from protocol.updates import Chatted, EventsArrived, PresenceChanged, ViewArrived

_NO_GAME: Final = ("No game has begun.",)


class Narrator:
    """Follows one table and prints a sentence an event. ``at`` is the table as last told."""

    def __init__(self, screen: Screen, at: TableFollower) -> None:
        self._screen = screen
        self.at = at
        self._finished: View | None = None
        """The game as the hand before this one ended."""
        self._has_told_of_deal = False

    @property
    def naming(self) -> Naming:
        """Who is who at the table now."""
        return naming_at(self.at.info, self.at.seat)

    def tell(self, update: EventsArrived | ViewArrived | PresenceChanged | Chatted) -> None:
        """Print what *update* says."""
        match update:
            case EventsArrived():
                for is_table_event, run in groupby(update.events, lambda event: isinstance(event, TableEvent)):
                    self._tell_run(tuple(run), of_the_table=is_table_event)
                self.at = update.after
            case ViewArrived():
                is_first = self.at.seq is None
                self.at = update.after
                self.introduce(with_table=is_first)
            case PresenceChanged():
                self._tell_presence(update)
            case Chatted():
                who = f"{update.name} (watching)" if update.seat is None else self.naming.opening(update.seat)
                self._screen.line(f"{who}: {update.line}", indent=2)

    def _tell_presence(self, update: PresenceChanged) -> None:
        info = self.at.info
        if info is None or info["seats"][update.seat]["kind"] != "human":
            return  # somebody who is about to sit down
        self.at = replace(self.at, info=with_presence(info, update.seat, online=update.online))
        sentence = tell_presence(update.seat, self.naming, online=update.online)
        if sentence:
            self._screen.line(sentence, indent=2)

    def _tell_run(self, run: tuple[Happening, ...], *, of_the_table: bool) -> None:
        if not of_the_table:
            events = cast("tuple[Event, ...]", run)
            tell_events(self._screen, tell_game(events, self.at.view or View(self.naming.viewer), self.naming))
            self._point_out_the_deal(events)
            for happening in run:
                if isinstance(happening, HandDealt):
                    self._finished = self.at.view
                self.at = self.at.after(happening)
            return
        for happening in cast("tuple[TableEvent, ...]", run):
            before = self.naming
            self.at = self.at.after(happening)
            sentence = tell_table(happening, before if isinstance(happening, Unseated) else self.naming)
            if sentence:
                self._screen.line(sentence, indent=2)
            if isinstance(happening, GameStarted):
                self.show_seats()

    def _point_out_the_deal(self, events: Sequence[Event]) -> None:
        if not self._has_told_of_deal and any(isinstance(event, HandsRevealed) for event in events):
            self._has_told_of_deal = True
            self._screen.aside("Type deal to see all the cards of that hand.", indent=2)

    def introduce(self, *, with_table: bool) -> None:
        """Print where things stand to somebody who was not there; what his own decision will show is left to it."""
        if with_table:
            self.show_table()
        view, seat = self.at.view, self.at.seat
        is_to_decide = view is not None and seat is not None and view.to_act == seat and not self.at.waits
        if not is_to_decide:
            self.show_situation()

    # ── on request ───────────────────────────────────────────────────────────────────────────────────────────────────

    def show_all(self) -> None:
        """Print what table this is, who sits there, how the game stands and the viewer's cards."""
        self.show_table()
        self.show_situation()
        if self.at.seat is not None:
            self.show_hand()

    def show_table(self) -> None:
        """Print what table this is, and who sits there."""
        info = self.at.info
        if info is None:
            return
        code = f", code {info['code']}" if info["code"] else ""
        self._screen.heading(f"{info['name']} ({info['preset']} rules{code})")
        if many := not_standard(info["rules"]):
            are = "rule is" if many == 1 else "rules are"
            self._screen.line(f"{many} {are} not standard; type rules to read them.", indent=2)
        self.show_seats()

    def show_seats(self) -> None:
        """Print who sits where."""
        if self.at.info is not None:
            self._show(seat_lines(self.naming, _seat_notes(self.at.info)))

    def show_rules(self) -> None:
        """Print the rules of the table, marking what differs from the standard game."""
        if self.at.info is not None:
            print_rules(self._screen, self.at.info["preset"], self.at.info["rules"])

    def show_situation(self) -> None:
        """Print how the game stands, where one has begun."""
        if self.at.view is not None and self.at.info is not None:
            self._show(situation(self.at.view, self.at.info["rules"], self.naming))
            if self.at.waits:
                self._show(["You play from the next hand on; a bot plays this one for you."])

    def show_score(self) -> None:
        """Print the score and what ends the game."""
        if self.at.view is not None and self.at.info is not None:
            self._show([score_line(self.at.view, self.at.info["rules"], self.naming)])
        else:
            self._show(_NO_GAME)

    def show_hand(self) -> None:
        """Print the viewer's cards."""
        self._show(_NO_GAME if self.at.view is None else [hand_line(self.at.view)])

    def show_last_trick(self) -> None:
        """Print the last trick, of the hand before if this one has none yet."""
        self._show(last_trick_lines(self._latest(lambda view: view.tricks), self.naming))

    def show_deal(self) -> None:
        """Print all cards of the latest finished hand."""
        self._show(deal_lines(self._latest(lambda view: view.revealed), self.naming))

    def _latest(self, what: Callable[[View], object]) -> View:
        """Return the game now if it has *what*, else as the hand before ended."""
        now = self.at.view or View(self.naming.viewer)
        return self._finished if self._finished is not None and not what(now) else now

    def _show(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._screen.line(line, indent=2)


def tell_events(screen: Screen, told: Sequence[Told]) -> None:
    """Print the sentences of a game: a hand begins after a blank line, and what ends it stands out."""
    for event, sentence in told:
        if isinstance(event, HandDealt):
            screen.line()
        if isinstance(event, HandDealt | HandScored | GameOver):
            screen.heading(sentence)
        else:
            screen.line(sentence, indent=2)


def tell_header(screen: Screen, header: Header, naming: Naming) -> None:
    """Print what game a record is of, and who sat where."""
    title = "A game" if header.game is None else f"Game {header.game}"
    screen.heading(f"{title}, {header.preset or 'own'} rules ({aim(rules_to_plain(header.rules))})")
    for line in seat_lines(naming, {}):
        screen.line(line, indent=2)


def _seat_notes(info: TableInfo) -> dict[int, str]:
    notes = {}
    for place in info["seats"]:
        if place["kind"] == "bot":
            level = f", {place['level']}" if place["level"] else ""
            notes[place["seat"]] = f" ({bot_words(place['version'], place['owner'])}{level})"
        elif place["kind"] == "human" and place["away"]:
            notes[place["seat"]] = " (away, a bot plays)"
        elif place["kind"] == "human" and not place["online"]:
            notes[place["seat"]] = " (not connected)"
    return notes
