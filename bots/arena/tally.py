"""What a match counts, and the figures that come of it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, quantiles, variance
from typing import Final

from bots.sdk.bot import BotFaultError
from engine.cards import team_of
from engine.events import HandScored, Reason

WORST_KEPT: Final = 5
FAULTS_TOLD: Final = 3
_MARCHES: Final = frozenset({Reason.MARCH, Reason.LONE_MARCH})
_Z_95: Final = 1.96


@dataclass(slots=True)
class Sheet:
    """What one bot did: its calls by how they ended, how long each decision took, and what went wrong.

    ``faults`` counts answers that did not count, by kind; the rule of thumb played instead. ``told`` are the first few.
    """

    calls: Counter[str] = field(default_factory=Counter)
    times_s: array[float] = field(default_factory=lambda: array("d"))
    faults: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def note_fault(self, fault: BotFaultError) -> None:
        """Note an answer that did not count."""
        self.faults[fault.kind] += 1
        self._tell([str(fault)])

    def _tell(self, faults: Sequence[str]) -> None:
        self.told = [*self.told, *faults][:FAULTS_TOLD]

    def note_call(self, result: HandScored) -> None:
        """Note how a hand ended in which this bot's side made trump."""
        made = result.team == team_of(result.maker)
        self.calls["calls"] += 1
        self.calls["made" if made else "euchred"] += 1
        self.calls["marches"] += result.reason in _MARCHES
        if result.alone:
            self.calls["alone"] += 1
            self.calls["alone_marches"] += result.reason in _MARCHES

    def add(self, other: Sheet) -> None:
        """Add what *other* noted."""
        self.calls.update(other.calls)
        self.times_s.extend(other.times_s)
        self.faults.update(other.faults)
        self._tell(other.told)


@dataclass(frozen=True, slots=True, order=True)
class DealPlayed:
    """A deal played twice: by how many points the first bot was better in both hands together, and its two records."""

    difference: int
    number: int
    records: tuple[tuple[str, ...], ...] = field(compare=False)


@dataclass(slots=True)
class Tally:
    """A match, or a part of it. ``differences`` are by deal, in order, of both hands together."""

    first: Sheet = field(default_factory=Sheet)
    second: Sheet = field(default_factory=Sheet)
    differences: list[int] = field(default_factory=list)
    worst: list[DealPlayed] = field(default_factory=list)
    thrown_in: int = 0
    games_won: tuple[int, int] = (0, 0)
    games_drawn: int = 0

    def note_deal(self, played: DealPlayed) -> None:
        """Note a deal that was played twice."""
        self.differences.append(played.difference)
        self._keep_worst([played])

    def add(self, other: Tally) -> None:
        """Add the part of the match that comes after this one."""
        self.first.add(other.first)
        self.second.add(other.second)
        self.differences += other.differences
        self._keep_worst(other.worst)
        self.thrown_in += other.thrown_in
        self.games_won = (self.games_won[0] + other.games_won[0], self.games_won[1] + other.games_won[1])
        self.games_drawn += other.games_drawn

    def _keep_worst(self, more: Sequence[DealPlayed]) -> None:
        self.worst = sorted(deal for deal in (*self.worst, *more) if deal.difference < 0)[:WORST_KEPT]

    @property
    def hands(self) -> int:
        """Hands played, two a deal."""
        return 2 * len(self.differences)

    @property
    def games(self) -> int:
        """Whole games played."""
        return sum(self.games_won) + self.games_drawn

    @property
    def points(self) -> Estimate:
        """How many points a hand the first bot is better."""
        return estimate([difference / 2 for difference in self.differences])


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean, and its standard error: NaN where there is too little to tell."""

    mean: float
    error: float

    @property
    def within(self) -> float:
        """Half the width of the 95 % interval."""
        return _Z_95 * self.error

    def is_below(self, value: float) -> bool:
        """Tell whether the whole 95 % interval lies below *value*."""
        return self.mean + self.within < value

    def is_above(self, value: float) -> bool:
        """Tell whether the whole 95 % interval lies above *value*."""
        return self.mean - self.within > value


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of independent *values*."""
    if not values:
        return Estimate(float("nan"), float("nan"))
    return Estimate(fmean(values), sqrt(variance(values) / len(values)) if len(values) > 1 else float("nan"))


@dataclass(frozen=True, slots=True)
class Times:
    """How long decisions took, in seconds."""

    mean: float
    median: float
    p99: float
    longest: float


def times_of(sheet: Sheet) -> Times | None:
    """Return the times of a sheet, None where it has too few to say."""
    times = sheet.times_s
    if len(times) < 2:  # quantiles need two
        return None
    cuts = quantiles(times, n=100, method="inclusive")
    return Times(fmean(times), cuts[49], cuts[98], max(times))
