"""How often the intervals of rates hold the truth: `make interval-coverage CORPUS=FILE`, or a finished run instead.

Takes the repositories of a corpus for all that there are, draws as many with replacement, and looks whether the
interval of the draw includes the rate of the corpus. Wilson's, which takes each sample as a draw, is beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from harness.run.plan import Request
from harness.run.runner import run
from harness.strategies.registry import strategies
from reports.compare.contrasts import Judged, judged
from reports.measurements.interval import Interval, Sums, Z, clustered, percent, wilson
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Clusters

STRATEGIES = ("cascade/recommended", "cascade/reference")
Method = Callable[[Sums, Sums, Sums], Interval]


def of_samples(hits: Sums, asked: Sums, _: Sums) -> Interval:
    """Wilson's interval, were each sample a cluster of its own."""
    return wilson(float(hits.sum() / asked.sum()), float(asked.sum()), Z)


class Coverage(NamedTuple):
    """What became of the intervals of many draws, as shares of these."""

    held: float
    """They include the rate."""
    above: float
    below: float
    width: float
    """The mean one."""


def coverage(sums: Sequence[Sums], method: Method, *, n_draws: int, seed: int = 0) -> Coverage:
    """How often intervals hold the rate, given its sums by cluster, as `clustered` takes them."""
    hits, asked, distinct = sums
    rate, rng = hits.sum() / asked.sum(), np.random.default_rng(seed)
    drawn = rng.integers(len(asked), size=(n_draws, len(asked)))
    ends = np.array([method(hits[some], asked[some], distinct[some]) for some in drawn])
    above, below = ends[:, 0] > rate, ends[:, 1] < rate
    width = float(np.diff(ends).mean())
    return Coverage(1 - float((above | below).mean()), float(above.mean()), float(below.mean()), width)


def rates(side: Judged, clusters: Clusters) -> Iterator[tuple[str, list[Sums]]]:
    """The match rate and the wrong rate of a strategy: sums by cluster, of clusters with a sample that counts."""
    for name, hits, among in (("match", side.right, side.to_apply), ("wrong", side.wrong, side.labelled)):
        found = clusters.sums(hits & among, among, among * clusters.share)
        if found[1].any():
            yield name, [column[found[1] > 0] for column in found]


def main(place: Path, *, n_draws: int = 4000) -> None:
    """Print a row for each rate and method."""
    if not (place / "manifest.json").exists():
        with TemporaryDirectory() as folder:
            run(Request([str(place)], [strategies()[name] for name in STRATEGIES], Path(folder, "run")))
            main(Path(folder, "run"), n_draws=n_draws)
        return
    grid, sides = judged(RunFolder(place), STRATEGIES)
    clusters = grid.clusters
    print("| strategy | rate | value | interval by | ends | holds the value | too high | too low | mean width |")
    print("|---|---|--:|---|---|--:|--:|--:|--:|")
    for strategy, side in sides.items():
        for name, sums in rates(side, clusters):
            for method, by in ((clustered, "repository"), (of_samples, "sample")):
                low, high = method(*sums)
                shares = " | ".join(percent(one) for one in coverage(sums, method, n_draws=n_draws))
                value = percent(sums[0].sum() / sums[1].sum())
                print(f"| `{strategy}` | {name} | {value} | {by} | {percent(low)} to {percent(high)} | {shares} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]), n_draws=int(sys.argv[2]) if len(sys.argv) > 2 else 4000)
