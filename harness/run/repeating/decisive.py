"""Which single calls are repeated because a high percentile depends on them; `repeats` has the whole story.

The slowest 2.5 % of a strategy's calls, which p99 depends on, and half of those about the 90th percentile. How slow a
call is among all of the run is not known before its end, and jobs differ more than runs do: its rank is that among the
first calls of its worker so far. So a worker's first calls are ranked among few.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict

_SLOWEST = 0.975
"""Share of the calls that are faster than those that are all repeated."""
_ABOUT_P90 = (0.86, 0.94)
"""Shares between which half of the calls are repeated."""
_MOST_SAMPLES = 10_000
"""Of a run, whose calls are looked at, so that of a million no more are repeated than of these."""


def share_looked_at(n_samples: int) -> float:
    """The share of the samples, of a run with so many, whose calls are looked at: all, up to 10,000."""
    return min(1.0, _MOST_SAMPLES / max(1, n_samples))


class FirstCalls:
    """The first calls of a worker so far, in CPU time, of each strategy."""

    def __init__(self) -> None:
        self._sorted: defaultdict[str, list[int]] = defaultdict(list)

    def is_repeated(self, strategy: str, cpu_ns: int, *, in_half: bool) -> bool:
        """Count a call; whether it is to be repeated.

        `in_half`: whether its sample is in the half of which calls about the 90th percentile are repeated.
        """
        known = self._sorted[strategy]
        insort(known, cpu_ns)
        rank = bisect_left(known, cpu_ns) / len(known)
        low, high = _ABOUT_P90
        return rank >= _SLOWEST or (in_half and low <= rank < high)
