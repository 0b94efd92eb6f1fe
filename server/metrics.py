"""What this server does, in figures, as Prometheus reads them at /metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from typing import Final

METRICS_PATH: Final = "/metrics"
METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class Histogram:
    """How many times of a kind were how long, since the start."""

    def __init__(self) -> None:
        self._sum_s = 0.0
        self._within = [0] * (len(_BOUNDS_S) + 1)

    def count(self, took_s: float) -> None:
        """Count one that took so long."""
        self._sum_s += took_s
        self._within[bisect_left(_BOUNDS_S, took_s)] += 1

    def samples(self) -> list[str]:
        """Return its buckets, sum and count as Prometheus reads them, to be put behind its name."""
        count, buckets = 0, []
        for bound, within in zip((*map(str, _BOUNDS_S), "+Inf"), self._within, strict=True):
            count += within
            buckets.append(f'_bucket{{le="{bound}"}} {count}')
        return [*buckets, f"_sum {self._sum_s:.6f}", f"_count {count}"]


class Metrics:
    """Figures since the start. ``loop_lag_s`` is how late the event loop came round the last time somebody looked.

    ``acts`` has players' actions that were taken, ``appends`` the entries that tables had recorded.
    """

    def __init__(self) -> None:
        self.loop_lag_s = 0.0
        self.acts = Histogram()
        self.appends = Histogram()
        self._refusals: Counter[str] = Counter()

    def refused(self, code: str) -> None:
        """Count a message that was refused."""
        self._refusals[code] += 1

    def page(self, gauges: Mapping[str, tuple[str, int]]) -> bytes:
        """Return everything as text. *gauges* are further figures of the moment by name, each with what it is."""
        lines: list[str] = []
        for name, (what, value) in gauges.items():
            lines += _headed(name, what, "gauge", f" {value}")
        lines += _headed(
            "euchre_loop_lag_seconds", "How late the event loop came round.", "gauge", f" {self.loop_lag_s:.6f}"
        )
        lines += _headed(
            "euchre_refusals_total",
            "Messages refused, by code.",
            "counter",
            *(f'{{code="{code}"}} {count}' for code, count in sorted(self._refusals.items())),
        )
        what = "Players' actions taken, from their arrival to the answer."
        lines += _headed("euchre_act_seconds", what, "histogram", *self.acts.samples())
        what = "Entries of tables, from being given to the log until they were safe there."
        lines += _headed("euchre_append_seconds", what, "histogram", *self.appends.samples())
        return "".join(f"{line}\n" for line in lines).encode()


def _headed(name: str, what: str, kind: str, *samples: str) -> list[str]:
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}", *(f"{name}{sample}" for sample in samples)]
