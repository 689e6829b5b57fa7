"""Significance of differences: McNemar's exact test for paired outcomes; bootstrap intervals of what is no rate.

Samples of one repository resemble each other, so a hundred of them carry less information than a hundred from
different repositories. The bootstrap therefore resamples whole clusters (with replacement, as many as there are), never
single samples.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.measurements.interval import CONFIDENCE, Interval

N_REPLICATES = 2_000
_BLOCK = 4_000_000
"""Drawn clusters held in memory at a time."""

Numbers = npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]
Codes = npt.NDArray[np.integer[Any]]


def mcnemar(n_only_base: int, n_only_run: int) -> float:
    """The two-sided exact p-value of McNemar's test, from the pairs that count in one of the two runs only.

    It is the probability of a split at least as uneven, if both directions are equally likely. Raises ValueError for
    negative counts.
    """
    n, fewer = n_only_base + n_only_run, min(n_only_base, n_only_run)
    if fewer < 0:
        raise ValueError(f"{n_only_base} and {n_only_run} are not counts")
    if 2 * fewer == n:
        return 1.0
    # Logarithms of the binomial coefficients, one from the other: as integers they would have thousands of digits.
    i = np.arange(1, fewer + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log((n - i + 1) / i))]) - n * math.log(2)
    return min(1.0, 2 * float(np.exp(logs).sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values after Holm's correction, in their order.

    If those below alpha are called significant, the probability of any false positive is at most alpha.
    """
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for place, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[i]))
        corrected[i] = highest
    return corrected


def cluster_weights(n_clusters: int, *, n_replicates: int = N_REPLICATES, seed: int = 0) -> npt.NDArray[np.uint16]:
    """(n_replicates, n_clusters) uint16: how often each replicate draws each cluster; rows sum to `n_clusters`."""
    weights = np.empty((n_replicates, n_clusters), dtype=np.uint16)
    start = 0
    for block in _weight_blocks(n_clusters, n_replicates, seed):
        weights[start : start + len(block)] = block
        start += len(block)
    return weights


def _weight_blocks(n_clusters: int, n_replicates: int, seed: int) -> Iterator[npt.NDArray[np.intp]]:
    """The rows of `cluster_weights` in blocks that fit into memory."""
    rng = np.random.default_rng(seed)
    step = max(1, _BLOCK // max(1, n_clusters))
    for start in range(0, n_replicates, step):
        n_rows = min(step, n_replicates - start)
        drawn = rng.integers(max(1, n_clusters), size=(n_rows, n_clusters))
        drawn += n_clusters * np.arange(n_rows)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=n_rows * n_clusters).reshape(n_rows, n_clusters)


def clustered_interval(
    numerators: Numbers,
    denominators: Numbers,
    clusters: Codes,
    *,
    confidence: float = CONFIDENCE,
    n_replicates: int = N_REPLICATES,
    seed: int = 0,
) -> Interval | None:
    """The percentile bootstrap interval of sum(numerators) / sum(denominators); both are (n_samples,).

    None if fewer than two clusters have a nonzero denominator.
    """
    (interval,) = clustered_intervals(
        numerators[:, np.newaxis], denominators[:, np.newaxis], clusters,
        confidence=confidence, n_replicates=n_replicates, seed=seed,
    )  # fmt: skip
    return interval


def clustered_intervals(
    numerators: Numbers,
    denominators: Numbers,
    clusters: Codes,
    *,
    confidence: float = CONFIDENCE,
    n_replicates: int = N_REPLICATES,
    seed: int = 0,
) -> list[Interval | None]:
    """The intervals of several ratios from the same draws; both arrays are (n_samples, n_ratios)."""
    n_ratios = numerators.shape[1]
    sums = _cluster_sums(np.hstack([numerators, denominators]), clusters)
    totals = np.vstack([block @ sums for block in _weight_blocks(len(sums), n_replicates, seed)])
    tails = (1 - confidence) / 2, (1 + confidence) / 2
    found: list[Interval | None] = []
    for above, below, per_cluster in zip(
        totals[:, :n_ratios].T, totals[:, n_ratios:].T, sums[:, n_ratios:].T, strict=True
    ):
        # A replicate whose denominator is 0 has no ratio.
        counts = below != 0
        if np.count_nonzero(per_cluster) < 2 or not counts.any():
            found.append(None)
            continue
        low, high = np.quantile(above[counts] / below[counts], tails)
        found.append((float(low), float(high)))
    return found


def _cluster_sums(values: npt.NDArray[Any], clusters: Codes) -> npt.NDArray[np.float64]:
    """(n_clusters, n_columns) the sum of each column over each cluster."""
    n_clusters = int(clusters.max()) + 1 if len(clusters) else 0
    columns = [np.bincount(clusters, weights=column, minlength=n_clusters) for column in values.T]
    return np.column_stack(columns) if columns else np.empty((n_clusters, 0))
