"""What a client does on each close code (N6: each has one meaning, and clients do what it says)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import CloseCode
from protocol.reconnect import GiveUp, Reconnect, advice_for_close, backoff_ms

jitters = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize(
    "code",
    [
        CloseCode.NORMAL,
        CloseCode.FRAME_TOO_BIG,
        CloseCode.REPLACED,
        CloseCode.PROTOCOL_VIOLATION,
        1002,
        1003,
        1007,
        1008,
        1010,
        4000,
        4999,
    ],
)
def test_some_closes_are_final(code: int) -> None:
    advice = advice_for_close(code, attempt=0, jitter=0.0, retry_ms=5)
    assert isinstance(advice, GiveUp)
    assert advice.reason


@pytest.mark.parametrize(
    "code",
    [None, 1001, 1005, 1006, 1011, 1012, 1013, 3999, CloseCode.TOO_SLOW, CloseCode.RATE_LIMIT, CloseCode.DRAINING],
)
def test_after_others_the_player_comes_back(code: int | None) -> None:
    advice = advice_for_close(code, attempt=0, jitter=0.0)
    assert isinstance(advice, Reconnect)
    assert not advice.as_new_player


def test_a_refused_token_is_worth_nothing_any_more() -> None:
    assert advice_for_close(CloseCode.TOKEN_REFUSED, attempt=0, jitter=0.0) == Reconnect(500, as_new_player=True)


def test_two_windows_of_one_player_do_not_take_turns() -> None:
    """The one that was replaced stays away, so there is no loop."""
    assert isinstance(advice_for_close(CloseCode.REPLACED, attempt=9, jitter=0.5), GiveUp)


def test_who_comes_with_a_token_that_was_renewed_stays_away_and_is_told_of_the_new_link() -> None:
    advice = advice_for_close(CloseCode.TOKEN_RENEWED, attempt=0, jitter=0.5)
    assert isinstance(advice, GiveUp)
    assert "a new link was made" in advice.reason


@pytest.mark.parametrize("code", [CloseCode.GOING_AWAY, CloseCode.DRAINING, None])
def test_a_draining_server_says_how_long_to_stay_away(code: int | None) -> None:
    assert advice_for_close(code, attempt=0, jitter=0.0, retry_ms=2000) == Reconnect(2500)


def test_a_client_that_was_too_fast_stays_away_for_a_while() -> None:
    assert advice_for_close(CloseCode.RATE_LIMIT, attempt=0, jitter=0.0) == Reconnect(5500)


@pytest.mark.parametrize(("attempt", "longest"), [(0, 500), (1, 1000), (4, 8000), (5, 15_000), (10**6, 15_000)])
def test_waits_double_up_to_a_bound(attempt: int, longest: int) -> None:
    assert backoff_ms(attempt, 0.0) == longest
    assert backoff_ms(attempt, 0.5) == longest * 3 // 4


@given(attempt=st.integers(0, 100), jitter=jitters)
def test_a_crowd_spreads_over_half_the_wait(attempt: int, jitter: float) -> None:
    longest = backoff_ms(attempt, 0.0)
    assert longest / 2 <= backoff_ms(attempt, jitter) <= longest


@given(code=st.none() | st.integers(0, 5000), attempt=st.integers(0, 50), jitter=jitters)
def test_there_is_advice_for_every_code(code: int | None, attempt: int, jitter: float) -> None:
    advice = advice_for_close(code, attempt=attempt, jitter=jitter)
    assert isinstance(advice, GiveUp) or advice.after_ms >= 250
