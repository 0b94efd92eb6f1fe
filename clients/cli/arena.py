"""`euchre arena`: two bots over the same deals, and how sure it is that one of them is better."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from math import isnan
from pathlib import Path
from typing import Annotated, Any, Final

from cyclopts import Parameter

from bots.arena.contenders import UnknownContenderError
from bots.arena.match import Match, play_match
from bots.arena.tally import DealPlayed, Estimate, Sheet, Tally, times_of
from bots.sdk.hosting import LIMIT_S
from bots.sdk.loading import LoadError
from clients.cli.errors import FAILURE, CommandError, UsageError
from clients.cli.files import refuse_to_replace, write_text
from clients.cli.options import read_options
from clients.cli.progress import progress_bar
from engine.errors import RulesError
from engine.rules import changed_rules, make_rules

_DEALS_A_GAME: Final = 20
"""So many deals bring one more pair of games, where --games does not say."""
_FEWEST_TO_TELL: Final = 2
_INTERRUPTED: Final = 130
_WORST_TOLD: Final = 3
_BOTH_HANDS: Final = ("first", "second")


def arena(
    first: str,
    second: str,
    /,
    *,
    deals: int = 500,
    games: Annotated[int | None, Parameter(show_default=False)] = None,
    rules: str = "standard",
    set_: Annotated[list[str] | None, Parameter(name="--set", show_default=False)] = None,
    seed: int = 1,
    jobs: Annotated[int | None, Parameter(show_default=False)] = None,
    limit: float = LIMIT_S,
    at_least: Annotated[float | None, Parameter(show_default=False)] = None,
    json_: Annotated[Path | None, Parameter(name="--json", show_default=False)] = None,
    records: Annotated[Path | None, Parameter(show_default=False)] = None,
    force: bool = False,
) -> int:
    """Measure which of two bots is better, and by how much.

    Every deal is played twice, each bot once in each pair of seats, so that the luck of the cards cancels. The hands
    are played at 0-0; whole games, which count for nothing else, tell who wins from there. The same seed gives the same
    result with any number of jobs. The exit status is 1 where --at-least is surely missed.

    Parameters
    ----------
    first
        A level: easy, standard, hard or expert; random, which plays anything; my_bot.py:MyBot; or the command of
        a program.
    second
        The bot to compare it with.
    deals
        How many deals; each is two hands.
    games
        How many whole games, each of them played twice like the deals. By default one for 20 deals.
    rules
        The name of the table's rules, as in euchre rules.
    set_
        Change one option of the rules, as in --set target=5; may be given several times.
    seed
        Where the cards come from.
    jobs
        How many processes play. By default one for each processor.
    limit
        How many seconds a bot that is not a level may think about a decision.
    at_least
        So many points a hand the first bot should be better: the exit status is 1 where the whole 95 % interval lies
        below that. Where it lies on both sides the deals were too few to tell; that is said, and is no failure.
    json_
        Write all that was measured to this file.
    records
        Keep the records of the deals in which the first bot lost most in this folder.
    force
        Replace the file of --json, and the records of an earlier match in the folder of --records.
    """
    if deals < 0 or (games or 0) < 0 or not deals + (games or 0):
        raise UsageError("--deals and --games say how much to play, and something must be")
    if jobs is not None and jobs < 1:
        raise UsageError("--jobs is 1 or more")
    if at_least is not None and deals < _FEWEST_TO_TELL:
        raise UsageError(f"--at-least takes {_FEWEST_TO_TELL} deals or more")
    try:
        table = make_rules(rules, read_options(set_ or [], option="--set"))
    except RulesError as error:
        raise UsageError(f"no such rules: {error}") from None
    _make_room(json_, records, force=force)
    pairs = deals // _DEALS_A_GAME if games is None else games
    match = Match(
        first=first, second=second, rules=table, preset=rules, deals=deals, games=pairs, seed=seed, limit_s=limit
    )
    with progress_bar(f"{first} against {second}", deals + pairs) as advance:
        tally, is_whole = _play(match, jobs or os.cpu_count() or 1, advance)
    if not is_whole:
        print("Interrupted. What was played so far:")
    for line in told(match, tally):
        print(line)
    if records is not None:
        _keep_records(records, tally.worst, force=force)
    if json_ is not None:
        figures = json.dumps(to_plain(match, tally), indent=1, ensure_ascii=False)
        write_text(str(json_), f"{figures}\n", force=force)
    if not is_whole:
        return _INTERRUPTED
    if at_least is None:
        return 0
    print(verdict(first, tally.points, at_least))
    return FAILURE if tally.points.is_below(at_least) else 0


def _play(match: Match, jobs: int, advance: Callable[[int], None]) -> tuple[Tally, bool]:
    """Return what was played, and whether that is all of it: who interrupts wants to know what there is."""
    tally = Tally()
    try:
        for part in play_match(match, jobs=jobs):
            tally.add(part)
            advance(len(part.differences) + part.games // 2)
    except KeyboardInterrupt:
        return tally, False
    except (UnknownContenderError, LoadError) as error:
        raise UsageError(str(error)) from None
    return tally, True


# ── sentences ────────────────────────────────────────────────────────────────────────────────────────────────────────


def told(match: Match, tally: Tally) -> list[str]:
    """Return the lines that say what was measured."""
    changed = ", ".join(f"{name}={value}" for name, value in changed_rules(match.rules).items())
    table = f"{match.preset} ({changed})" if changed else match.preset
    played = f"{tally.hands // 2:,} deals, each played twice"
    lines = [f"{match.first} against {match.second}: {played}; rules {table}; seed {match.seed}"]
    if tally.hands:
        points = tally.points
        lines.append(f"points a hand    {points.mean:+.3f} ± {points.within:.3f} (95 %)")
    if tally.thrown_in:
        lines.append(f"thrown in        {tally.thrown_in:,} of {tally.hands:,} hands")
    if tally.games:
        won, lost = tally.games_won
        drawn = f", {tally.games_drawn} drawn" if tally.games_drawn else ""
        lines.append(f"{_to(match):<16} {won} won, {lost} lost{drawn}: {won / tally.games:.1%}")
    return [*lines, *_table(match, tally), *_faults_told(match, tally), *_worst(match, tally)]


def verdict(first: str, points: Estimate, at_least: float) -> str:
    """Return the sentence that says whether *first* is better by *at_least* points a hand, as far as can be told."""
    if points.is_below(at_least):
        return f"{first} is weaker than asked for: at most {points.mean + points.within:+.3f}, not {at_least:+.3f}."
    if points.is_above(at_least):
        return f"{first} is as strong as asked for: at least {points.mean - points.within:+.3f}, over {at_least:+.3f}."
    return f"Too few deals to tell whether {first} is {at_least:+.3f} points a hand better."


def _to(match: Match) -> str:
    rules = match.rules
    return f"games of {rules.hands}" if rules.target is None else f"games to {rules.target}"


def _table(match: Match, tally: Tally) -> list[str]:
    rows: list[tuple[str, Callable[[Sheet], str]]] = []
    if tally.hands:
        rows += [
            ("calls a hand", lambda sheet: _share(sheet.calls["calls"], tally.hands)),
            *((f"  {what}", partial(_rate, what)) for what in ("made", "marches", "euchred", "alone")),
            ("  alone, swept", lambda sheet: _share(sheet.calls["alone_marches"], sheet.calls["alone"])),
        ]
    rows += [
        ("decisions", lambda sheet: f"{len(sheet.times_s):,}"),
        *((f"  {what}", partial(_milliseconds, what)) for what in ("mean", "median", "p99", "longest")),
        ("illegal answers", _faults),
    ]
    cells = [("", match.first, match.second), *((name, tell(tally.first), tell(tally.second)) for name, tell in rows)]
    width = max(len(cell) for _, *both in cells for cell in both)
    return [f"{name:<16} {one:>{width}}  {other:>{width}}" for name, one, other in cells]


def _share(count: int, of: int) -> str:
    return f"{count / of:.1%}" if of else "-"


def _rate(what: str, sheet: Sheet) -> str:
    return _share(sheet.calls[what], sheet.calls["calls"])


def _milliseconds(what: str, sheet: Sheet) -> str:
    times = times_of(sheet)
    return "-" if times is None else f"{1000 * getattr(times, what):.2f} ms"


def _faults(sheet: Sheet) -> str:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(sheet.faults.items()))
    return kinds or "0"


def _faults_told(match: Match, tally: Tally) -> list[str]:
    both = ((match.first, tally.first), (match.second, tally.second))
    return [f"{name}: {fault}" for name, sheet in both for fault in sheet.told]


def _worst(match: Match, tally: Tally) -> list[str]:
    return [
        f"worst for {match.first}: deal {deal.number}, {deal.difference:+d} points in two hands"
        for deal in tally.worst[:_WORST_TOLD]
    ]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def to_plain(match: Match, tally: Tally) -> Mapping[str, Any]:
    """Return all that was measured as a plain structure; but for ``times_s`` the same for the same seed."""
    points = tally.points
    return {
        "first": match.first,
        "second": match.second,
        "rules": changed_rules(match.rules),
        "preset": match.preset,
        "seed": match.seed,
        "deals": tally.hands // 2,
        "hands": tally.hands,
        "thrown_in": tally.thrown_in,
        "points": _number(points.mean),
        "within_95": _number(points.within),
        "games": {"won": tally.games_won[0], "lost": tally.games_won[1], "drawn": tally.games_drawn},
        "calls": [dict(sorted(sheet.calls.items())) for sheet in (tally.first, tally.second)],
        "faults": [dict(sorted(sheet.faults.items())) for sheet in (tally.first, tally.second)],
        "faults_told": [sheet.told for sheet in (tally.first, tally.second)],
        "decisions": [len(sheet.times_s) for sheet in (tally.first, tally.second)],
        "times_s": [
            None if (times := times_of(sheet)) is None else asdict(times) for sheet in (tally.first, tally.second)
        ],
        "worst": [
            {"deal": deal.number, "points": deal.difference, "records": [list(lines) for lines in deal.records]}
            for deal in tally.worst
        ],
    }


def _number(value: float) -> float | None:
    return None if isnan(value) else value


def _make_room(figures: Path | None, records: Path | None, *, force: bool) -> None:
    """Make the folder of the records.

    Raises CommandError, before anything is played, where there is none to write to or files are there that *force* does
    not say to replace.
    """
    if figures is not None:
        refuse_to_replace(str(figures), force=force)
        if not figures.parent.is_dir():
            raise CommandError(f"{figures}: there is no folder {figures.parent}")
    if records is not None:
        for path in _kept_before(records):
            refuse_to_replace(str(path), force=force)
        try:
            records.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{records}: {error.strerror or error}") from None


def _kept_before(folder: Path) -> list[Path]:
    """Return the records that an earlier match left in *folder*."""
    return sorted(path for which in _BOTH_HANDS for path in folder.glob(f"deal-*-{which}.jsonl"))


def _keep_records(folder: Path, worst: list[DealPlayed], *, force: bool) -> None:
    """Write the two records of each deal to *folder*, in place of those of an earlier match."""
    try:
        for path in _kept_before(folder) if force else ():
            path.unlink()
    except OSError as error:
        raise CommandError(f"{folder}: {error.strerror or error}") from None
    for deal in worst:
        for name, lines in zip(_BOTH_HANDS, deal.records, strict=True):
            path = folder / f"deal-{deal.number}-{name}.jsonl"
            write_text(str(path), "".join(f"{line}\n" for line in lines), force=force)
