"""What a run's outcomes say about its strategies: rates with intervals, latencies, who decided.

Every rate names its denominator in the docstring of `Summary`. A rate over nothing is absent, never 0.
Crashed and timed-out samples are counted apart and enter no rate but `timed_out_rate`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from reports.runs.columns import codes_of, numbers_of
from reports.runs.manifest import Manifest, StrategyUsed
from reports.runs.rows import Damage, Verdict

CONFIDENCE = 0.95
HEADLINE = "cascade/reference"
"""The strategy a run is about, where it took part."""


def wilson(successes: int, n: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The Wilson score interval of a rate: honest for small n and at 0 and 1, and always within them."""
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
    """A measured rate and the interval it may well lie in."""

    metric: str
    strategy: str
    value: float
    low: float
    high: float
    n: int
    """The denominator."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What became of all samples under one strategy."""

    strategy: str
    n_samples: int
    """Outcomes of every verdict."""
    n_correct: int
    n_wrong: int
    n_missed: int
    n_refused: int
    n_unlabelled: int
    n_crashed: int
    n_timed_out: int
    match_rate: Estimate | None
    """Correct, of the samples labelled apply."""
    wrong_rate: Estimate | None
    """Wrong edits, of all labelled samples."""
    precision: Estimate | None
    """Correct, of correct and wrong edits together."""
    refusal_rate: Estimate | None
    """Refused, of the samples labelled refuse."""
    applied_rate: Estimate | None
    """Applied, rightly or wrongly, of all samples that came back."""
    timed_out_rate: Estimate | None
    """Hit the time limit, of all samples."""
    damage: dict[str, int]
    """Wrong edits by kind of damage, every kind named."""
    p50_ns: int | None
    p90_ns: int | None
    p99_ns: int | None
    max_ns: int | None
    n_promised: int | None = None
    """Properties that it promises on all inputs; None where nobody has fuzzed it."""
    n_broken: int | None = None
    """Those of them that it is known to break."""

    @property
    def n_labelled(self) -> int:
        """Samples that came back and whose right answer is known."""
        return self.n_correct + self.n_wrong + self.n_missed + self.n_refused

    @property
    def rates(self) -> list[Estimate]:
        """The rates that have a denominator."""
        rates = (
            self.match_rate, self.wrong_rate, self.precision, self.refusal_rate, self.applied_rate, self.timed_out_rate,
        )  # fmt: skip
        return [rate for rate in rates if rate]


class Decided(NamedTuple):
    """How the edits that one replacer decided turned out."""

    n_correct: int
    n_wrong: int
    n_unlabelled: int
    """Applied to samples without a known right answer."""


LABELLED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.MISSED, Verdict.REFUSED)
"""Of samples whose right answer is known."""
APPLIED = (Verdict.CORRECT, Verdict.WRONG_EDIT, Verdict.UNLABELLED)
"""Where the text was changed, the last only if no reason to refuse is given."""
SUMMARISED = ("strategy", "verdict", "damage", "reason", "latency_ns")
"""The columns of outcomes that a summary is made of."""


def summaries(table: pa.Table, *, order: Sequence[str] = ()) -> list[Summary]:
    """One summary per strategy, in the order given; others after that, by first appearance in the table."""
    return streamed_summaries([table], order=order)


def streamed_summaries(tables: Iterable[pa.Table], *, order: Sequence[str] = ()) -> list[Summary]:
    """The same, of outcomes in several tables; of each, only counts and latencies are kept."""
    verdicts: dict[str | None, Counter[str | None]] = defaultdict(Counter)
    damages: dict[str | None, Counter[str | None]] = defaultdict(Counter)
    unlabelled_applied: Counter[str | None] = Counter()
    latencies: dict[str | None, list[npt.NDArray[np.integer[Any]]]] = defaultdict(list)
    there: dict[str, None] = {}
    for table in tables:
        there |= dict.fromkeys(table["strategy"].unique().to_pylist())
        for (strategy, verdict, damage, reason), n in _tally(table, "strategy", "verdict", "damage", "reason"):
            verdicts[strategy][verdict] += n
            if verdict == Verdict.WRONG_EDIT:
                damages[strategy][damage] += n
            if verdict == Verdict.UNLABELLED and reason is None:
                unlabelled_applied[strategy] += n
        for strategy, measured in _latencies(table).items():
            latencies[strategy].append(measured)
    names = [name for name in order if name in there] + [name for name in there if name not in order]
    return [
        _summary(name, verdicts[name], damages[name], unlabelled_applied[name], np.concatenate(latencies[name]))
        for name in names
    ]


def with_promises(summaries: Iterable[Summary], used: Iterable[StrategyUsed]) -> list[Summary]:
    """The summaries, with what fuzzing has shown of their strategies."""
    known = {one.name: (one.n_promised, None if one.broken is None else len(one.broken)) for one in used}
    found = []
    for summary in summaries:
        n_promised, n_broken = known.get(summary.strategy, (None, None))
        found.append(replace(summary, n_promised=n_promised, n_broken=n_broken))
    return found


def _summary(
    strategy: str,
    verdicts: Counter[str | None],
    damages: Counter[str | None],
    n_unlabelled_applied: int,
    latencies: npt.NDArray[np.integer[Any]],
) -> Summary:
    def rate(metric: str, successes: int, n: int) -> Estimate | None:
        return Estimate(metric, strategy, successes / n, *wilson(successes, n), n) if n else None

    n_samples = verdicts.total()
    correct, wrong, missed, refused = (verdicts[verdict] for verdict in LABELLED)
    crashed, timed_out = verdicts[Verdict.CRASHED], verdicts[Verdict.TIMED_OUT]
    unasked = damages[Damage.UNASKED]
    applied = correct + wrong + n_unlabelled_applied
    p50, p90, p99, longest = _percentiles(latencies, (0.5, 0.9, 0.99, 1.0))
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
        match_rate=rate("match_rate", correct, correct + missed + wrong - unasked),
        wrong_rate=rate("wrong_rate", wrong, correct + wrong + missed + refused),
        precision=rate("precision", correct, correct + wrong),
        refusal_rate=rate("refusal_rate", refused, refused + unasked),
        applied_rate=rate("applied_rate", applied, n_samples - crashed - timed_out),
        timed_out_rate=rate("timed_out_rate", timed_out, n_samples),
        damage={kind.value: damages[kind] for kind in Damage},
        p50_ns=p50,
        p90_ns=p90,
        p99_ns=p99,
        max_ns=longest,
    )


def deciders(table: pa.Table) -> dict[str, dict[str, Decided]]:
    """For every cascade in the table: which of its replacers decided, those that decided most first."""
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
    """How often each combination of words occurs in these columns."""
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


def _latencies(table: pa.Table) -> dict[str | None, npt.NDArray[np.integer[Any]]]:
    """Every latency that was measured, by strategy."""
    latencies, measured = numbers_of(table["latency_ns"].combine_chunks())
    codes, names = codes_of(table["strategy"])
    return {name: latencies[measured & (codes == code)] for code, name in enumerate(names)}


def _percentiles(values: npt.NDArray[np.integer[Any]], shares: Sequence[float]) -> list[int | None]:
    """The nearest-rank percentiles: each is a value that was measured, none is made up between two."""
    if not len(values):
        return [None] * len(shares)
    ranks = [max(0, math.ceil(share * len(values)) - 1) for share in shares]
    ordered = np.partition(values, sorted(set(ranks)))
    return [int(ordered[rank]) for rank in ranks]


def sentence(summaries: Sequence[Summary], manifest: Manifest) -> str:
    """A run in one sentence: what became of the samples, who is wrong least often, who finds most."""
    first = headline(summaries)
    if first is None or not first.n_samples:
        return f"Nothing was measured: the run holds no samples (seed {manifest.seed})."
    if first.n_labelled:
        counts = [
            f"{first.n_correct} correct",
            f"{first.n_wrong} wrong",
            f"{first.n_missed} missed",
            f"{first.n_refused} refused",
        ]
    elif first.applied_rate:
        applied = round(first.applied_rate.value * first.applied_rate.n)
        counts = [f"{applied} of {first.applied_rate.n} applied, but whether rightly is not known"]
    else:
        counts = ["nothing came back"]
    if first.n_crashed:
        counts.append(f"{first.n_crashed} crashed")
    if first.n_timed_out:
        counts.append(f"{first.n_timed_out} timed out")
    samples = "sample" if first.n_labelled == 1 else "samples"
    counted = f"seed {manifest.seed}, {first.n_labelled} labelled {samples}"
    return f"{first.strategy}: {', '.join(counts)} ({counted}){_best(summaries)}."


def headline(summaries: Sequence[Summary]) -> Summary | None:
    """The strategy to speak of first: the reference cascade, else the first cascade, else the first."""
    cascades = [summary for summary in summaries if summary.strategy.startswith("cascade/")]
    named = [summary for summary in cascades if summary.strategy == HEADLINE]
    return next(iter([*named, *cascades, *summaries]), None)


def comparable(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies that ran on as many samples as the first to speak of: rates over other samples say nothing."""
    first = headline(summaries)
    return [summary for summary in summaries if first and summary.n_samples == first.n_samples]


def lowest_wrong_rate(summaries: Sequence[Summary]) -> list[Summary]:
    """Who is wrong least often; of those, who finds most. Several where equal in both, cascades first."""
    return _first(summaries, lambda wrong, found: (wrong, -found))


def highest_match_rate(summaries: Sequence[Summary]) -> list[Summary]:
    """Who finds most; of those, who is wrong least often. Several where equal in both, cascades first."""
    return _first(summaries, lambda wrong, found: (-found, wrong))


def _first(summaries: Sequence[Summary], order: Callable[[float, float], tuple[float, float]]) -> list[Summary]:
    rated = [
        (order(summary.wrong_rate.value, summary.match_rate.value), summary)
        for summary in comparable(summaries)
        if summary.wrong_rate and summary.match_rate
    ]
    best = min((key for key, _ in rated), default=None)
    equals = [summary for key, summary in rated if key == best]
    return sorted(equals, key=lambda summary: not summary.strategy.startswith("cascade/"))


def _best(summaries: Sequence[Summary]) -> str:
    """Who is wrong least often and who finds most, in words; empty where there is nothing to compare."""
    safe, keen = lowest_wrong_rate(summaries), highest_match_rate(summaries)
    peers = comparable(summaries)
    n_rated = sum(1 for summary in peers if summary.wrong_rate and summary.match_rate)
    if n_rated < 2:
        return ""
    are, find = "is" if len(safe) == 1 else "are", "finds" if len(keen) == 1 else "find"
    first = f"; of {len(peers)} strategies {_names(safe)} {are} wrong least often"
    wrong, found = _wrong_and_found(safe[0])
    if safe == keen:
        return f"{first} ({wrong}) and {find} most ({found})"
    most_wrong, most_found = _wrong_and_found(keen[0])
    return f"{first} ({wrong}, finding {found}), {_names(keen)} {find} most ({most_found}, wrong {most_wrong})"


def _wrong_and_found(summary: Summary) -> tuple[str, str]:
    wrong, found = summary.wrong_rate, summary.match_rate
    return percent(wrong.value if wrong else 0), percent(found.value if found else 0)


def _names(summaries: Sequence[Summary]) -> str:
    """One name, both of two, or the first and how many others."""
    names = [summary.strategy for summary in summaries]
    return " and ".join(names) if len(names) < 3 else f"{names[0]} and {len(names) - 1} others"


def percent(rate: float) -> str:
    """A rate as `4.2 %`, with more digits where fewer would make it none or all."""
    digits = 1
    while digits < 4 and 0 < rate < 1 and round(100 * rate, digits) in (0, 100):
        digits += 1
    return f"{100 * rate:.{digits}f} %"
