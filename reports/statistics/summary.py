"""Statistics of each strategy of a run: rates with intervals, latencies, severity of wrong edits, deciding replacers.

The docstring of each field of `Summary` names the denominator. A rate whose denominator is 0 is None, never 0.
Samples that crashed or timed out are counted separately and enter `timed_out_rate` only.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.runs.columns import codes_of, joined, numbers_of
from reports.runs.manifest import StrategyUsed
from reports.runs.rows import Court, Damage, Severity, Verdict
from reports.statistics.latencies import Latencies, in_process

CONFIDENCE = 0.95


def wilson(successes: int, n: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The Wilson score interval of a rate, which keeps its coverage for small n and lies within 0 and 1.

    Raises ValueError for n = 0 and for counts outside 0..n.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} of {n} is no rate")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = successes / n, z * z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return low, high


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured rate with its 95 % Wilson interval."""

    metric: str
    strategy: str
    value: float
    low: float
    high: float
    n: int
    """The denominator."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts, rates and latencies of one strategy."""

    strategy: str
    n_samples: int
    """Number of outcomes, whatever their verdict."""
    n_correct: int
    n_wrong: int
    n_missed: int
    n_refused: int
    n_unlabelled: int
    n_crashed: int
    n_timed_out: int
    match_rate: Estimate | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Estimate | None
    """Wrong edits / all labelled samples."""
    precision: Estimate | None
    """Correct edits / (correct + wrong edits)."""
    refusal_rate: Estimate | None
    """Refused / samples labelled refuse."""
    applied_rate: Estimate | None
    """Applied, rightly or wrongly / samples that neither crashed nor timed out."""
    timed_out_rate: Estimate | None
    """Timed out / all samples."""
    damage: dict[str, int]
    """`Damage` -> number of wrong edits, with every kind as a key."""
    severity: dict[str, int] | None
    """`Severity` -> number of wrong edits, likewise; None where an older version did not record it."""
    n_lines_lost: int | None
    """Of all wrong edits together; None likewise."""
    match_rate_by_text: Estimate | None
    """Right by the court `text` or a stricter one / samples labelled apply; None likewise."""
    match_rate_by_tree: Estimate | None
    """Right by any court / samples labelled apply; None likewise."""
    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    n_promised: int | None = None
    """Number of properties that it promises for all inputs; None for strategies that are not fuzzed."""
    n_broken: int | None = None
    """Number of promised properties that it is known to break."""

    @property
    def n_labelled(self) -> int:
        """Samples whose right answer is known, without those that crashed or timed out."""
        return self.n_correct + self.n_wrong + self.n_missed + self.n_refused

    @property
    def n_other_tree(self) -> int | None:
        """Wrong edits that parse and mean something else; None where an older version did not record it."""
        return None if self.severity is None else self.severity[Severity.OTHER_TREE]

    @property
    def rates(self) -> list[Estimate]:
        """The rates whose denominator is not 0."""
        rates = (
            self.match_rate, self.wrong_rate, self.precision, self.refusal_rate, self.applied_rate, self.timed_out_rate,
            self.match_rate_by_text, self.match_rate_by_tree,
        )  # fmt: skip
        return [rate for rate in rates if rate]


class Decided(NamedTuple):
    """Counts of the edits that one replacer decided."""

    n_correct: int
    n_wrong: int
    n_unlabelled: int
    """Edits of samples whose right answer is not known."""


LABELLED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED, Verdict.REFUSED)
"""Verdicts of samples whose right answer is known."""
APPLIED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.UNLABELLED)
"""Verdicts of applied edits; UNLABELLED only where the outcome has no reason."""
_TALLIED = ("strategy", "verdict", "damage", "reason", "severity", "equal_by")
_TIMED = ("latency_ns", "first_cpu_ns", "n_timed")
SUMMARISED = (*_TALLIED, *_TIMED, "n_lines_lost")
"""The columns of outcomes that `summaries` needs."""


def summaries(table: pa.Table, *, order: Sequence[str] = ()) -> list[Summary]:
    """One summary for each strategy: those of `order` first, then the others by first appearance in the table."""
    return streamed_summaries([table], order=order)


def streamed_summaries(tables: Iterable[pa.Table], *, order: Sequence[str] = ()) -> list[Summary]:
    """The same, of outcomes in several tables; of each, only counts and latencies are kept."""
    counted: dict[str | None, _Counts] = defaultdict(_Counts)
    there: dict[str, None] = {}
    for table in joined(tables):
        there |= dict.fromkeys(table["strategy"].unique().to_pylist())
        for (strategy, *values), n in _tally(table, *_TALLIED):
            counted[strategy].add(*values, n=n)
        for strategy, measured in _numbers(table, *_TIMED).items():
            counted[strategy].latencies.add(*measured)
        for strategy, (lost,) in _numbers(table, "n_lines_lost").items():
            counted[strategy].n_lines_lost += int(lost.sum())
    names = [name for name in order if name in there] + [name for name in there if name not in order]
    return [_summary(name, counted[name]) for name in names]


@dataclass(slots=True)
class _Counts:
    """The counts of one strategy so far."""

    verdicts: Counter[str | None] = field(default_factory=Counter)
    damages: Counter[str | None] = field(default_factory=Counter)
    severities: Counter[str | None] = field(default_factory=Counter)
    courts: Counter[str | None] = field(default_factory=Counter)
    """Of correct and wrong edits."""
    n_unlabelled_applied: int = 0
    n_lines_lost: int = 0
    latencies: Latencies = field(default_factory=Latencies)

    def add(
        self, verdict: str | None, damage: str | None, reason: str | None, severity: str | None, court: str | None,
        *, n: int,
    ) -> None:  # fmt: skip
        """Count n outcomes with these values."""
        self.verdicts[verdict] += n
        if verdict == Verdict.WRONG_EDIT:
            self.damages[damage] += n
            self.severities[severity] += n
        if verdict in (Verdict.WRONG_EDIT, Verdict.CORRECT):
            self.courts[court] += n
        if verdict == Verdict.UNLABELLED and reason is None:
            self.n_unlabelled_applied += n

    @property
    def has_severities(self) -> bool:
        """Whether the version that wrote the run recorded severity and courts."""
        return not self.severities[None] and self.courts[Court.BYTES] == self.verdicts[Verdict.CORRECT]


def with_promises(summaries: Iterable[Summary], used: Iterable[StrategyUsed]) -> list[Summary]:
    """The summaries with the counts of promised and broken properties."""
    known = {one.name: (one.n_promised, None if one.broken is None else len(one.broken)) for one in used}
    found = []
    for summary in summaries:
        n_promised, n_broken = known.get(summary.strategy, (None, None))
        found.append(replace(summary, n_promised=n_promised, n_broken=n_broken))
    return found


def _summary(strategy: str, counts: _Counts) -> Summary:
    def rate(metric: str, successes: int | None, n: int) -> Estimate | None:
        if not n or successes is None:
            return None
        return Estimate(metric, strategy, successes / n, *wilson(successes, n), n)

    verdicts, damages = counts.verdicts, counts.damages
    n_samples = verdicts.total()
    correct, wrong, missed, refused = (verdicts[verdict] for verdict in LABELLED)
    crashed, timed_out = verdicts[Verdict.CRASHED], verdicts[Verdict.TIMED_OUT]
    unasked = damages[Damage.UNASKED]
    applied, labelled_apply = correct + wrong + counts.n_unlabelled_applied, correct + missed + wrong - unasked
    by_text = correct + counts.courts[Court.TEXT] if counts.has_severities else None
    by_tree = None if by_text is None else by_text + counts.courts[Court.TREE]
    p50, p90, p99, longest = counts.latencies.percentiles((0.5, 0.9, 0.99, 1.0), in_process=in_process(strategy))
    return Summary(
        strategy=strategy,
        n_samples=n_samples,
        n_correct=correct,
        n_wrong=wrong,
        n_missed=missed,
        n_refused=refused,
        n_unlabelled=verdicts[Verdict.UNLABELLED],
        n_crashed=crashed,
        n_timed_out=timed_out,
        match_rate=rate("match_rate", correct, labelled_apply),
        wrong_rate=rate("wrong_rate", wrong, correct + wrong + missed + refused),
        precision=rate("precision", correct, correct + wrong),
        refusal_rate=rate("refusal_rate", refused, refused + unasked),
        applied_rate=rate("applied_rate", applied, n_samples - crashed - timed_out),
        timed_out_rate=rate("timed_out_rate", timed_out, n_samples),
        damage={kind.value: damages[kind] for kind in Damage},
        severity={kind.value: counts.severities[kind] for kind in Severity} if counts.has_severities else None,
        n_lines_lost=counts.n_lines_lost if counts.has_severities else None,
        match_rate_by_text=rate("match_rate_by_text", by_text, labelled_apply),
        match_rate_by_tree=rate("match_rate_by_tree", by_tree, labelled_apply),
        p50_ns=p50,
        p90_ns=p90,
        p99_ns=p99,
        max_ns=longest,
    )


def deciders(table: pa.Table) -> dict[str, dict[str, Decided]]:
    """Cascade -> replacer -> counts of the edits that it decided, the most frequent replacer first."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for (strategy, replacer, verdict, reason), n in _tally(table, "strategy", "replacer", "verdict", "reason"):
        if strategy and replacer and verdict and strategy.startswith("cascade/") and reason is None:
            counts[strategy, replacer][verdict] += n
    found: dict[str, dict[str, Decided]] = {
        name: {} for name in table["strategy"].unique().to_pylist() if name.startswith("cascade/")
    }
    for (strategy, replacer), n_by_verdict in counts.items():
        decided = Decided(*(n_by_verdict[verdict] for verdict in APPLIED))
        if any(decided):
            found[strategy][replacer] = decided
    return {
        strategy: dict(sorted(replacers.items(), key=lambda item: (-sum(item[1]), item[0])))
        for strategy, replacers in found.items()
    }


def _tally(table: pa.Table, *names: str) -> Iterator[tuple[tuple[str | None, ...], int]]:
    """Each combination of values in these columns, with the number of its rows."""
    keys = np.zeros(table.num_rows, dtype=np.int64)
    vocabularies = []
    for name in names:
        codes, words = codes_of(table[name])
        keys *= len(words)
        keys += codes
        vocabularies.append(words)
    counts = np.bincount(keys)
    shape = [len(words) for words in vocabularies]
    for key in np.flatnonzero(counts):
        places = np.unravel_index(key, shape)
        yield tuple(words[i] for words, i in zip(vocabularies, places, strict=True)), int(counts[key])


def _numbers(table: pa.Table, *columns: str) -> dict[str | None, list[npt.NDArray[np.integer[Any]]]]:
    """Strategy -> (n,) the values in these columns of integers, where the first is present; 0 for absent ones."""
    values, presence = zip(*(numbers_of(table[name].combine_chunks()) for name in columns), strict=True)
    there = [np.where(present, one, 0) for one, present in zip(values, presence, strict=True)]
    codes, names = codes_of(table["strategy"])
    return {name: [one[presence[0] & (codes == code)] for one in there] for code, name in enumerate(names)}


def percent(rate: float) -> str:
    """A rate as `4.2 %`, with more digits where rounding would give 0 or 100 %."""
    digits = 1
    while digits < 4 and 0 < rate < 1 and round(100 * rate, digits) in (0, 100):
        digits += 1
    return f"{100 * rate:.{digits}f} %"
