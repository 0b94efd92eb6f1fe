"""Turn clocks, as arithmetic on the log's stamps: so much a decision, then from a bank that lasts the game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.cards import Seat
from protocol.codes import ClockName


@dataclass(frozen=True, slots=True)
class Clock:
    """Milliseconds a decision and a seat's bank a game; None and None where there is no clock."""

    name: ClockName
    turn_ms: int | None
    bank_ms: int | None


CLOCKS: Final[dict[ClockName, Clock]] = {
    "normal": Clock("normal", 20_000, 60_000),
    "slow": Clock("slow", 45_000, 180_000),
    "fast": Clock("fast", 8_000, 20_000),
    "none": Clock("none", None, None),
}

LEAST_AFTER_OUTAGE_MS: Final = 15_000
"""What the seat to act has at least when the server is back from an outage."""


GIFT_MS: Final = 30_000
"""What a person gives another who thinks."""
MOST_GIFTS: Final = 4
"""How often the others together may give to one decision."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An open decision. ``turn`` is the number of the entry that opened it, ``since_ms`` that entry's stamp.

    ``credit_ms`` is time given on top of the clock's own, or paid for by the bank already; ``gifts`` counts how often
    the others gave some.
    """

    turn: int
    seat: Seat
    since_ms: int
    credit_ms: int = 0
    gifts: int = 0


def own_end_ms(clock: Clock, decision: Decision) -> int | None:
    """Return when the decision's own time is over and the bank's begins; None without a clock."""
    return None if clock.turn_ms is None else decision.since_ms + clock.turn_ms + decision.credit_ms


def left_ms(clock: Clock, decision: Decision, bank_ms: int, now_ms: int) -> tuple[int, int] | None:
    """Return what is left of the decision's own time and of the bank at *now_ms*; None without a clock."""
    end_ms = own_end_ms(clock, decision)
    if end_ms is None:
        return None
    over = now_ms - end_ms
    return max(0, -over), max(0, bank_ms - max(0, over))


def deadline_ms(clock: Clock, decision: Decision, bank_ms: int) -> int | None:
    """Return when the time of the decision is over, bank and all; None without a clock."""
    end_ms = own_end_ms(clock, decision)
    return None if end_ms is None else end_ms + bank_ms


def is_over(clock: Clock, decision: Decision, bank_ms: int, now_ms: int) -> bool:
    """Tell whether the time of the decision is over at *now_ms*."""
    end = deadline_ms(clock, decision, bank_ms)
    return end is not None and now_ms >= end


def bank_after(clock: Clock, decision: Decision, bank_ms: int, at_ms: int) -> int:
    """Return the seat's bank after a decision taken at *at_ms*."""
    left = left_ms(clock, decision, bank_ms, at_ms)
    return bank_ms if left is None else left[1]
