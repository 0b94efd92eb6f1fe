"""How measured times are spread."""

from __future__ import annotations

import math
from collections.abc import Sequence


def quantile(times: Sequence[float], share: float) -> float:
    """Return the least of *times* that *share* of them do not exceed."""
    ordered = sorted(times)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(times_s: Sequence[float]) -> str:
    """Return p50, p99 and p99.9 in milliseconds, for people."""
    return " / ".join(f"{1000 * quantile(times_s, share):.1f}" for share in (0.5, 0.99, 0.999))
