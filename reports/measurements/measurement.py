"""A measurement: one figure that a run has for each strategy, and the counts and latencies that it is taken from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from reports.measurements.interval import Estimate, Interval, Z, clustered, wilson
from reports.runs.manifest import StrategyUsed
from reports.runs.rows import Damage, Equality, Verdict

# Percentiles of latencies, where some calls were repeated to be timed and all others were made once.

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


LABELLED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED, Verdict.REFUSED)
"""Verdicts of samples whose right answer is known."""
FAILED = (Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE)
"""Verdicts of calls without a reliable answer: the sample's label says whether the right answer is known."""
UNRELIABLE = (Verdict.WRONG_EDIT, Verdict.UNSTABLE)
"""Verdicts that count as wrong: an answer that varies is no better than a wrong one."""


def is_labelled(verdict: str | None, failed_label: str | None) -> bool:
    """True if the right answer to the outcome's sample is known."""
    return verdict in LABELLED or failed_label in ("apply", "refuse")


def is_to_apply(verdict: str | None, damage: str | None, failed_label: str | None) -> bool:
    """True if the outcome's sample has a right answer, so that the edit should be applied."""
    to_apply = verdict in (Verdict.CORRECT, Verdict.MISSED) or failed_label == "apply"
    return to_apply or (verdict == Verdict.WRONG_EDIT and damage != Damage.UNASKED)


class Kind(NamedTuple):
    """The words of an outcome: columns of `Outcome` with few values."""

    verdict: str | None
    damage: str | None
    reason: str | None
    severity: str | None
    equal_by: str | None
    failed_label: str | None
    list_left: str | None = None
    replacer: str | None = None


class ByCluster(NamedTuple):
    """The outcomes of one strategy, by the clusters of their samples and by kind."""

    kinds: list[Kind]
    n: npt.NDArray[np.integer[Any]]
    """(n_clusters, n_kinds) numbers of outcomes."""
    n_distinct: npt.NDArray[Any]
    """`n` with each group of near-duplicates counted as one."""


@dataclass(slots=True)
class Counts:
    """The outcomes of one strategy so far."""

    strategy: str
    used: StrategyUsed | None = None
    """The strategy's entry in the run's manifest."""
    kinds: Counter[Kind] = field(default_factory=Counter)
    """The number of outcomes with the same words."""
    totals: Counter[str] = field(default_factory=Counter)
    """Column of numbers -> the sum of its values."""
    latencies: Latencies = field(default_factory=Latencies)
    by_cluster: ByCluster | None = None
    """None if each sample is a cluster of its own."""

    def interval(self, of: Callable[[Counts], tuple[int, int] | None]) -> Interval:
        """The 95 % interval of a rate; `of` returns (successes, denominator), each a sum over kinds."""
        if self.by_cluster is None:
            successes, n = of(self) or (0, 0)
            return wilson(successes / n, n, Z)
        hit, asked = np.array([_of_one(of, kind) for kind in self.by_cluster.kinds]).T
        return clustered(self.by_cluster.n @ hit, self.by_cluster.n @ asked, self.by_cluster.n_distinct @ asked)

    def n(self, **words: str | None) -> int:
        """The number of outcomes with these words in these columns."""
        places = [(Kind._fields.index(column), word) for column, word in words.items()]
        return sum(n for kind, n in self.kinds.items() if all(kind[at] == word for at, word in places))

    @property
    def n_labelled(self) -> int:
        return sum(n for kind, n in self.kinds.items() if is_labelled(kind.verdict, kind.failed_label))

    @property
    def n_to_apply(self) -> int:
        return sum(n for kind, n in self.kinds.items() if is_to_apply(kind.verdict, kind.damage, kind.failed_label))

    @property
    def n_unreliable(self) -> int:
        """Labelled samples with a wrong edit, or with an answer that varies."""
        verdicts = [(kind, n) for kind, n in self.kinds.items() if kind.verdict in UNRELIABLE]
        return sum(n for kind, n in verdicts if is_labelled(kind.verdict, kind.failed_label))

    @property
    def n_applied(self) -> int:
        """Edits that were applied, rightly, wrongly, or without a known right answer."""
        unlabelled = self.n(verdict=Verdict.UNLABELLED, reason=None)
        return self.n(verdict=Verdict.CORRECT) + self.n(verdict=Verdict.WRONG_EDIT) + unlabelled

    @property
    def has_severities(self) -> bool:
        """True if the run's version recorded severity, lost lines and the equality of results."""
        all_wrong_have = not self.n(verdict=Verdict.WRONG_EDIT, severity=None)
        equal = sum(
            self.n(verdict=verdict, equal_by=Equality.BYTES) for verdict in (Verdict.CORRECT, Verdict.WRONG_EDIT)
        )
        return all_wrong_have and equal == self.n(verdict=Verdict.CORRECT)


@lru_cache(maxsize=4096)
def _of_one(of: Callable[[Counts], tuple[int, int] | None], kind: Kind) -> tuple[int, int]:
    """Two flags, 1 or 0: an outcome of that kind is in the numerator, and in the denominator."""
    return of(Counts("", kinds=Counter({kind: 1}))) or (0, 0)


Value = TypeVar("Value")
Better = Literal["more", "less"] | None


class Unit(StrEnum):
    """The unit of a value, which decides how it is written."""

    SHARE = "share"
    """A rate: an `Estimate`, which has its interval and its denominator."""
    COUNT = "count"
    """Outcomes, lines or properties."""
    COUNTS = "counts"
    """Counts by a word: a table of its own, never a cell."""
    NANOSECONDS = "nanoseconds"


class Shown(StrEnum):
    """When a table has a column for a measurement."""

    ALWAYS = "always"
    WHERE_ANY = "where any"
    """If the value of some strategy in the table is not 0."""
    NEVER = "never"
    """JSON, CSV and DataFrames have it nevertheless."""


@dataclass(frozen=True, slots=True)
class Measurement(Generic[Value]):
    """One figure of a strategy in a run; None if the run did not record its data, or if its denominator is 0."""

    name: str
    """The name in JSON, CSV, DataFrames and on the page."""
    heading: str
    """The heading of its column."""
    meaning: str
    """One line, with the denominator of a rate: for docs, the page's terms and a column's help."""
    unit: Unit
    of: Callable[[Counts], Value]
    """The value, counted from the outcomes of one strategy."""
    in_table: Shown = Shown.NEVER
    """Shown in a terminal's table of strategies, and in tables that documents quote."""
    on_page: Shown = Shown.NEVER
    """Shown in the page's table of strategies."""
    better: Better = None
    """The better direction, if there is one. A value of "less" is red in a terminal unless it is 0."""
    out_of: str | None = None
    """The name of the measurement that is its total: written `3 of 22`."""
    sums: tuple[str, ...] = ()
    """Columns of outcomes whose totals it needs; the counts by words are always there."""
    counts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Column of outcomes -> its value in the counted outcomes, so that a number can link to its samples."""


def share(
    name: str,
    heading: str,
    meaning: str,
    of: Callable[[Counts], tuple[int, int] | None],
    *,
    in_table: Shown = Shown.NEVER,
    on_page: Shown = Shown.NEVER,
    better: Better = None,
) -> Measurement[Estimate | None]:
    """A rate with its interval; `of` returns (successes, denominator), or None for no rate."""

    def estimate(counts: Counts) -> Estimate | None:
        successes, n = of(counts) or (0, 0)
        return Estimate(name, counts.strategy, successes / n, *counts.interval(of), n) if n else None

    return Measurement(name, heading, meaning, Unit.SHARE, estimate, in_table, on_page, better)
