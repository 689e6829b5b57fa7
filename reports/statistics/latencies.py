"""Percentiles of latencies, where some calls were repeated to be timed and all others were made once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.integer[Any]]
PROCESSES = ("cmd/", "peer/")
"""Families of strategies that work in processes of their own, whose CPU time is not measured."""
_FEWEST = 100
"""Samples of a timed subset from which percentiles are taken; below, every call counts as it was measured."""


WAITING = (*PROCESSES, "tool/")
"""Families of strategies that wait for processes or for the disk."""


def computes(strategy: str) -> bool:
    """Whether the strategy does nothing but compute, so that its CPU time is all there is to its latency."""
    return not strategy.startswith(WAITING)


def in_process(strategy: str) -> bool:
    """Whether the strategy works in the worker's own process, so that its CPU time is known."""
    return not strategy.startswith(PROCESSES)


@dataclass(slots=True)
class Latencies:
    """The latencies of one strategy so far, in nanoseconds."""

    _latency: list[Numbers] = field(default_factory=list)
    _first: list[Numbers] = field(default_factory=list)
    _repeated: list[npt.NDArray[np.bool_]] = field(default_factory=list)

    def add(self, latency: Numbers, first_cpu: Numbers, n_timed: Numbers) -> None:
        """Add outcomes: of each the latency, the CPU time of its first call, and the number of its timed calls."""
        self._latency.append(latency)
        self._first.append(first_cpu)
        self._repeated.append(n_timed > 1)

    def percentiles(self, shares: Sequence[float], *, in_process: bool) -> list[int | None]:
        """The latencies below which these shares of the samples are, by nearest rank; None without any.

        Where a subset was timed by repeated calls, they are those of the subset. In-process, they are corrected for
        the luck of the draw: times the ratio of the same percentile of first calls, in CPU time, on all samples and on
        the subset.
        """
        if not self._latency:
            return [None] * len(shares)
        latency, repeated = np.concatenate(self._latency), np.concatenate(self._repeated)
        if repeated.all() or repeated.sum() < min(_FEWEST, len(latency)):
            return _nearest_rank(latency, shares)
        drawn = _nearest_rank(latency[repeated], shares)
        if not in_process:
            return drawn
        first = np.concatenate(self._first)
        of_all, of_drawn = _nearest_rank(first, shares), _nearest_rank(first[repeated], shares)
        return [
            value and round(value * (above or 1) / (below or 1))
            for value, above, below in zip(drawn, of_all, of_drawn, strict=True)
        ]


def _nearest_rank(values: Numbers, shares: Sequence[float]) -> list[int | None]:
    if not len(values):
        return [None] * len(shares)
    ranks = [max(0, math.ceil(share * len(values)) - 1) for share in shares]
    ordered = np.partition(values, sorted(set(ranks)))
    return [int(ordered[rank]) for rank in ranks]
