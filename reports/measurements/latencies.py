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
"""Families of strategies that work in processes of their own: their CPU time is not measured."""
_FEWEST = 100
"""Least number of repeated calls for percentiles; below it, every call counts as measured."""
_NEAREST = 32
"""Number of repeated samples, with first calls of similar length, from which one is chosen."""

WAITING = (*PROCESSES, "tool/")
"""Families of strategies that wait for processes or for the disk."""


def computes(strategy: str) -> bool:
    """True if the strategy only computes, so that its latency is its CPU time."""
    return not strategy.startswith(WAITING)


def in_process(strategy: str) -> bool:
    """True if the strategy works in the worker's own process, so that its CPU time is known."""
    return not strategy.startswith(PROCESSES)


@dataclass(slots=True)
class Latencies:
    """The latencies of one strategy so far, in nanoseconds."""

    _latency: list[Numbers] = field(default_factory=list)
    _first: list[Numbers] = field(default_factory=list)
    _repeated: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    _known: dict[tuple[tuple[float, ...], bool], list[int | None]] = field(default_factory=dict)
    """Percentiles asked for so far; cleared when outcomes are added."""

    def add(self, latency: Numbers, first_cpu: Numbers, n_timed: Numbers) -> None:
        """Add outcomes: of each the latency, the CPU time of its first call, and the number of its timed calls."""
        self._latency.append(_small(latency))
        self._first.append(_small(first_cpu))
        self._repeated.append(n_timed > 1)
        self._known.clear()

    def percentiles(self, shares: Sequence[float], *, in_process: bool) -> list[int | None]:
        """The latencies below which these shares of the samples are, by nearest rank; None without any.

        Where some calls were repeated, all others count as they would have been had they been, too: by their first
        calls, see `_as_repeated`. The CPU time of processes is not known: of those, the repeated calls alone count.
        """
        asked = (tuple(shares), in_process)
        if asked not in self._known:
            self._known[asked] = self._percentiles(shares, in_process)
        return self._known[asked]

    def _percentiles(self, shares: Sequence[float], in_process: bool) -> list[int | None]:
        if not self._latency:
            return [None] * len(shares)
        latency, repeated = np.concatenate(self._latency), np.concatenate(self._repeated)
        if repeated.all() or repeated.sum() < min(_FEWEST, len(latency)):
            return _nearest_rank(latency, shares)
        if not in_process:
            return _nearest_rank(latency[repeated], shares)
        return _nearest_rank(_as_repeated(latency, np.concatenate(self._first), repeated), shares)


def _as_repeated(latency: Numbers, first: Numbers, repeated: npt.NDArray[np.bool_]) -> Numbers:
    """(n,) latencies; a call that was not repeated gets the latency expected if it had been, in order of the first
    calls.

    A first call is slower than the shortest of several, by a factor that depends on its length. So each sample takes
    the factor of a repeated sample whose first call, in CPU time, is among the `_NEAREST` closest to its own.
    Neighbours take different ones, so that the factors vary as much as measured factors do.
    """
    known = np.flatnonzero(repeated)
    known = known[np.argsort(first[known], kind="stable")]
    firsts, others = np.maximum(first[known], 1), np.maximum(np.sort(first[~repeated]), 1)
    n_nearest = min(_NEAREST, len(known))
    closest = np.searchsorted(firsts, others) - n_nearest // 2
    chosen = np.clip(closest, 0, len(known) - n_nearest) + np.arange(len(others)) % n_nearest
    expected = latency[known][chosen] * (others / firsts[chosen])
    return np.concatenate([latency[known], np.rint(expected).astype(np.int64)])


def _small(values: Numbers) -> Numbers:
    """The numbers in 32 bits if they fit: a run may have a hundred million."""
    return values.astype(np.uint32) if len(values) and values.min() >= 0 and values.max() < 2**32 else values


def _nearest_rank(values: Numbers, shares: Sequence[float]) -> list[int | None]:
    if not len(values):
        return [None] * len(shares)
    ranks = [max(0, math.ceil(share * len(values)) - 1) for share in shares]
    ordered = np.partition(values, sorted(set(ranks)))
    return [int(ordered[rank]) for rank in ranks]
