"""`euchre replay`: a record of a game, followed entry by entry, as sentences or as JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Annotated

from cyclopts import Parameter

from clients.cli.errors import FAILURE, CommandError, UsageError, refuse_option
from clients.cli.naming import naming_of_record
from clients.cli.narrator import tell_events, tell_header
from clients.cli.recordfile import STANDARD, complaint, error_to_plain, open_record, print_plain, record_lines
from clients.cli.screen import Screen
from clients.cli.stepping import Stepper
from clients.cli.words import tell_game
from engine.cards import SEATS
from engine.game import legal_actions, phase_of, to_act
from engine.plain import event_to_plain, view_to_plain
from engine.record import Header, RecordError, Step
from engine.record import replay as follow_record
from engine.rules import Rules
from engine.state import Phase
from engine.view import WATCHER, View, Viewer, redact_all, view_for


def replay(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
    as_: Annotated[str | None, Parameter(name="--as", show_default=False)] = None,
    step: bool = False,
) -> int:
    """Follow the record of a game, format euchre/1: a sentence for everything that happened.

    A record that is malformed or breaks a rule is followed up to there; the exit status is then 1.

    Parameters
    ----------
    file
        The record; - reads standard input.
    as_json
        Print one JSON line an entry instead.
    as_
        Show what one may see: a seat from 0 to 3, or watcher. By default all is shown.
    step
        Wait after every entry: Enter for the next, b for the one before, a number for that entry, q to end.
    """
    refuse_option(file)
    if step and (as_json or file == STANDARD):
        raise UsageError("--step reads what is typed, so it goes neither with - nor with --json")
    viewer = None if as_ is None else _read_viewer(as_)
    follow = _print_json if as_json else _step_through if step else _tell
    try:
        with open_record(file) as stream:
            follow(*follow_record(record_lines(stream)), viewer)
    except RecordError as error:
        if not as_json:
            raise CommandError(complaint(file, error)) from None
        print_plain(error_to_plain(error))
        return FAILURE
    return 0


def _read_viewer(text: str) -> Viewer:
    if text == WATCHER:
        return WATCHER
    if text in {str(seat) for seat in SEATS}:
        return int(text)
    raise UsageError(f"--as wants a seat from 0 to 3, or watcher, not {text!r}")


# ── JSON lines ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _print_json(header: Header, steps: Iterable[Step], viewer: Viewer | None) -> None:
    for step in steps:
        print_plain(step_to_plain(step, header.rules, viewer))


def step_to_plain(step: Step, rules: Rules, viewer: Viewer | None) -> dict[str, object]:
    """Return what is printed for one entry: all of it, or for a *viewer* his share of the events and his view.

    The legal actions are those of the seat to act; no other viewer gets them.
    """
    game = step.game
    turn = to_act(game)
    events = step.events if viewer is None else redact_all(step.events, viewer, rules)
    plain: dict[str, object] = {
        "n": step.n,
        "phase": str(phase_of(game)),
        "turn": turn,
        "legal": [str(action) for action in legal_actions(game)] if viewer in (None, turn) else [],
        "events": [event_to_plain(event) for event in events],
        "score": game.standing.score,
    }
    return plain if viewer is None else plain | {"view": view_to_plain(view_for(game, viewer))}


# ── sentences ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _tell(header: Header, steps: Iterable[Step], viewer: Viewer | None) -> None:
    screen = Screen()
    chair = WATCHER if viewer is None else viewer
    naming = naming_of_record(header.players, chair)
    tell_header(screen, header, naming)
    view, phase = View(chair), Phase.DEAL
    for step in steps:
        events = step.events if viewer is None else redact_all(step.events, viewer, header.rules)
        tell_events(screen, tell_game(events, view, naming))
        view, phase = view_for(step.game, chair), phase_of(step.game)
    if phase is not Phase.OVER:
        screen.line()
        screen.line(f"The record ends here. Score: {naming.tally(view.score)}.")


def _step_through(header: Header, steps: Iterator[Step], viewer: Viewer | None) -> None:
    Stepper(Screen(), header, steps, viewer).run(sys.stdin)
