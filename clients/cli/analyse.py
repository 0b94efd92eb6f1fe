"""`euchre analyse`: a game decision by decision: what was played, what a search prefers, and the points it cost."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from bots.analysis import LAYOUTS, Analysis, Decision, HandLooked
from bots.analysis import analyse as look_at
from bots.search import Worth
from clients.cli.errors import FAILURE, CommandError, UsageError, refuse_option
from clients.cli.naming import Naming, naming_of_record
from clients.cli.progress import progress_bar
from clients.cli.recordfile import complaint, error_to_plain, open_record, print_plain, record_lines
from engine.cards import SEATS, Seat
from engine.record import RecordError
from engine.view import WATCHER


def analyse(
    file: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    seat: Annotated[int | None, Parameter(show_default=False)] = None,
    as_json: Annotated[bool, Parameter(name="--json")] = False,
    layouts: int = LAYOUTS,
    seed: int = 1,
) -> int:
    """Look at the decisions of a finished game, format euchre/1.

    What a decision cost is what it was worth less than the best one, over layouts that fit what that seat knew then.

    Parameters
    ----------
    file
        The record; - reads standard input.
    seat
        Whose decisions, a seat from 0 to 3; by default everybody's.
    as_json
        Print one JSON line a decision, then one a hand and one for the whole, instead.
    layouts
        Over how many layouts of the unseen cards each decision is searched.
    seed
        Where the layouts come from: the same seed gives the same answer.
    """
    refuse_option(file)
    if seat not in (None, *SEATS):
        raise UsageError(f"--seat is a number from 0 to 3, not {seat}")
    if layouts < 1:
        raise UsageError("--layouts is 1 or more")
    seats = SEATS if seat is None else (seat,)
    try:
        analysis = _looked_at(file, seats, layouts=layouts, seed=seed)
    except RecordError as error:
        if not as_json:
            raise CommandError(complaint(file, error)) from None
        print_plain(error_to_plain(error))
        return FAILURE
    if as_json:
        for plain in to_plain(analysis, seats):
            print_plain(plain)
    else:
        for line in told(analysis, seats):
            print(line)
    return 0


def _looked_at(file: str, seats: tuple[Seat, ...], *, layouts: int, seed: int) -> Analysis:
    with open_record(file) as stream:
        lines = list(record_lines(stream))
    with progress_bar("analysing", len(lines)) as advance:
        return look_at(lines, seats=seats, layouts=layouts, seed=seed, on_progress=advance)


# ── sentences ────────────────────────────────────────────────────────────────────────────────────────────────────────


def told(analysis: Analysis, seats: tuple[Seat, ...]) -> list[str]:
    """Return the lines of an analysis."""
    naming = naming_of_record(analysis.header.players, WATCHER)
    lines = []
    for hand in analysis.hands:
        lines.append(_hand_line(hand))
        lines += [_decision_line(decision, naming) for decision in analysis.decisions if decision.hand == hand.hand]
    lines += ["", "What the decisions cost, in points:"]
    for seat in seats:
        mine = [decision for decision in analysis.decisions if decision.seat == seat]
        mistakes = sum(decision.cost > 0 for decision in mine)
        lines.append(f"  {naming.who(seat):<24} {analysis.cost_of(seat):6.2f}  in {mistakes} of {len(mine)} decisions")
    worst = analysis.worst(seats)
    if worst:
        lines += ["", "The costliest:", *(_decision_line(decision, naming) for decision in worst)]
    lines += ["", *(_luck_line(analysis, team, naming) for team in (0, 1))]
    return lines


def _hand_line(hand: HandLooked) -> str:
    return f"Hand {hand.hand}: {hand.points:+d} for seats 0 and 2; by rules of thumb {hand.par:+d}"


def _decision_line(decision: Decision, naming: Naming) -> str:
    who = naming.who(decision.seat)
    best = decision.best
    line = f"  {decision.n:>4}  {who}: {decision.played}"
    if best is None:
        return line
    if decision.cost == 0:
        return f"{line}  fine ({_worth(best)})"
    return f"{line}  cost {decision.cost:.2f}; better {best.action} ({_worth(best)})"


def _worth(worth: Worth) -> str:
    return f"{worth.points:+.2f} ± {worth.error:.2f}"


def _luck_line(analysis: Analysis, team: int, naming: Naming) -> str:
    sides = " and ".join(naming.who(seat) for seat in SEATS if seat % 2 == team)
    return f"The cards brought {sides} {analysis.luck(team):+.1f} points more than average ones."


# ── JSON lines ───────────────────────────────────────────────────────────────────────────────────────────────────────


def to_plain(analysis: Analysis, seats: tuple[Seat, ...]) -> list[dict[str, object]]:
    """Return the JSON lines: every decision, every hand, and the whole."""
    decisions = [decision_to_plain(decision) for decision in analysis.decisions]
    hands: list[dict[str, object]] = [
        {"hand": hand.hand, "points": hand.points, "par": hand.par, "luck": hand.luck} for hand in analysis.hands
    ]
    whole: dict[str, object] = {
        "cost": {str(seat): round(analysis.cost_of(seat), 4) for seat in seats},
        "worst": [decision.n for decision in analysis.worst(seats)],
        "luck": [analysis.luck(team) for team in (0, 1)],
    }
    return [*decisions, *hands, whole]


def decision_to_plain(decision: Decision) -> dict[str, object]:
    """Return one decision as a plain structure."""
    return {
        "n": decision.n,
        "hand": decision.hand,
        "seat": decision.seat,
        "phase": str(decision.phase),
        "played": str(decision.played),
        "best": None if decision.best is None else str(decision.best.action),
        "cost": round(decision.cost, 4),
        "worths": [[str(one.action), round(one.points, 4), round(one.error, 4)] for one in decision.worths],
    }
