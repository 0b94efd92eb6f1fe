"""Redis's clock as a node believes it to be: within what each answer proves, and never back."""

from __future__ import annotations

from server.redis.clock import StampClock


class Monotonic:
    """A monotonic clock the test winds."""

    def __init__(self) -> None:
        self.ms = 0

    def __call__(self) -> int:
        return self.ms


def test_it_goes_on_with_the_monotonic_clock() -> None:
    monotonic = Monotonic()
    clock = StampClock(monotonic)
    clock.heard(1_000_000, asked_ms=0)
    assert clock.now_ms() == 1_000_000
    monotonic.ms = 250
    assert clock.now_ms() == 1_000_250


def test_a_late_answer_says_little_and_moves_nothing() -> None:
    """Whatever an answer took on its way, a belief that it allows stays."""
    monotonic = Monotonic()
    clock = StampClock(monotonic)
    clock.heard(1_000_000, asked_ms=0)
    monotonic.ms = 5_000
    for at_ms in (1_000_000, 1_002_000, 1_005_000):
        clock.heard(at_ms, asked_ms=0)
        assert clock.now_ms() == 1_005_000


def test_it_never_falls_behind_a_stamp() -> None:
    """As after a failover to a Redis whose clock is ahead."""
    monotonic = Monotonic()
    clock = StampClock(monotonic)
    clock.heard(1_000_000, asked_ms=0)
    monotonic.ms = 10
    clock.heard(1_030_010, asked_ms=10)
    assert clock.now_ms() == 1_030_010


def test_it_waits_for_a_clock_that_was_set_back() -> None:
    monotonic = Monotonic()
    clock = StampClock(monotonic)
    clock.heard(1_000_000, asked_ms=0)
    monotonic.ms = 990
    assert clock.now_ms() == 1_000_990
    monotonic.ms = 1_000
    clock.heard(1_000_400, asked_ms=990)
    assert clock.now_ms() == 1_000_990
    monotonic.ms = 1_500
    assert clock.now_ms() == 1_000_990
    monotonic.ms = 2_000
    assert clock.now_ms() == 1_001_410
