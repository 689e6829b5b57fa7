"""Strategies of one run compared on the same samples: who is right where, with tests and intervals for pairs.

A sample counts where both strategies ran on it, its right answer is known, and neither crashed nor timed out. Right is
a correct edit, or a rightful refusal. The rates of two strategies are tested and get intervals as one difference,
sample by sample: the intervals of the two rates themselves say nothing about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from editcore.errors import UsageError
from reports.compare.contrasts import Contrast, Counted, contrasts_of
from reports.compare.costs import BreakEven, Choice, Standing, break_even, choices
from reports.compare.judged import Judged, judged
from reports.runs.frames import frame
from reports.runs.parts import samples_used
from reports.runs.rows import SampleUsed
from reports.statistics.breakdown import groups_of
from reports.statistics.significance import N_REPLICATES, Codes, clustered_intervals, clusters

GROUPED_BY = ("format", "language", "mutator")
"""Properties by which pairs are broken down, where the samples differ in them."""
_MOST_GROUPS = 250

Mask = npt.NDArray[np.bool_]


class Together(StrEnum):
    """The outcomes of two strategies on one sample."""

    BOTH_RIGHT = "both_right"
    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    WRONG_ALIKE = "wrong_alike"
    """Both refused, or both left the same wrong text, as far as the run keeps it."""
    WRONG_DIFFERENTLY = "wrong_differently"


DISCORDANT = (Together.ONLY_FIRST, Together.ONLY_SECOND, Together.WRONG_DIFFERENTLY)


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of samples, by the outcomes of two strategies."""

    both_right: int
    only_first: int
    only_second: int
    wrong_alike: int
    wrong_differently: int

    @property
    def n(self) -> int:
        """The samples that count."""
        return self.both_right + self.only_first + self.only_second + self.wrong_alike + self.wrong_differently


@dataclass(frozen=True, slots=True)
class GroupCompared:
    """Two strategies on one group of samples."""

    key: str
    group: str
    tally: Tally
    right: Contrast | None
    """Right / samples that count; p-values are corrected for all groups of the key and all pairs."""


@dataclass(frozen=True, slots=True)
class PairCompared:
    """Two strategies of a run. In the contrasts, `base` is the first and `run` the second."""

    first: str
    second: str
    tally: Tally
    right: Contrast | None
    """Right / samples that count; p-values are corrected for the number of pairs, as those of all three are."""
    match_rate: Contrast | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Contrast | None
    """Wrong edits / samples that count."""
    n_failed: int
    """Samples on which one of them crashed or timed out: they do not count."""
    n_unlabelled: int
    """Samples without a known right answer: they do not count."""
    standings: tuple[Standing, Standing]
    """Missed and wrong edits of each, on the samples that count."""
    break_even: BreakEven | None
    """None where one is as good as the other in both counts, or better."""
    groups: tuple[GroupCompared, ...]
    discordant: Mapping[Together, tuple[int, ...]]
    """Places, in `judged.ids`, of the samples of each kind in `DISCORDANT`."""

    @property
    def together(self) -> list[Choice]:
        """Which of the two to take at which cost of a wrong edit."""
        return choices(self.standings)


@dataclass(frozen=True, slots=True)
class Between:
    """Strategies of a run compared in pairs."""

    folder: Path
    judged: Judged
    pairs: list[PairCompared]
    choices: list[Choice]
    """Of all compared strategies, on the samples that count for every pair; by rising cost of a wrong edit."""
    n_common: int
    """The number of those samples."""


def between(
    folder: Path,
    strategies: Sequence[str],
    *,
    only: Collection[str] | None = None,
    n_replicates: int = N_REPLICATES,
    seed: int = 0,
) -> Between:
    """Compare strategies of a run in pairs; `only` are the ids of the samples to look at, None for all.

    Raises UsageError for fewer than two strategies, and for a pair without a sample that counts.
    """
    if len(strategies) < 2:
        raise UsageError("--between needs two strategies", "Name two or more that the run has.")
    found = judged(folder, strategies, only=only)
    used = {one.sample_id: one for one in samples_used(folder)}
    groups = list(_groups(folder, found.ids, used))
    cluster_of = clusters([used.get(one) or SampleUsed(one, "", "") for one in found.ids])
    names = list(combinations(strategies, 2))
    for first, second in names:
        if not found.counts(first, second).any():
            raise _nothing_shared(found, first, second)
    everywhere = np.logical_and.reduce([found.labelled[name] for name in strategies])
    compared = _compared(found, names, groups, cluster_of, n_replicates, seed)
    common = [found.standing(name, everywhere) for name in strategies]
    return Between(folder, found, compared, choices(common), int(everywhere.sum()))


def _nothing_shared(found: Judged, first: str, second: str) -> UsageError:
    if (found.ran[first] & found.ran[second]).any():
        return UsageError(
            f"{first} and {second} share samples, but none with a known right answer on which neither failed",
            "Label some: editgauge label CORPUS.",
        )
    return UsageError(
        f"{first} and {second} have no sample in common", "They take other formats, or -k leaves none: compare others."
    )


def _groups(folder: Path, ids: Sequence[str], used: Mapping[str, SampleUsed]) -> Iterator[tuple[str, str, Mask]]:
    """Key, group and (n_samples,) mask of each group worth showing."""
    if not used:
        return
    place = {one: at for at, one in enumerate(ids)}
    samples: pd.DataFrame = frame(folder, "samples").drop_duplicates("sample_id", keep="last")
    samples = samples[samples["sample_id"].isin(ids)]
    for key in GROUPED_BY:
        rows = groups_of(samples, key)
        groups = sorted(rows["group"].unique())
        if not 1 < len(groups) <= _MOST_GROUPS:
            continue
        for group in groups:
            mask = np.zeros(len(ids), dtype=bool)
            mask[[place[one] for one in rows.loc[rows["group"] == group, "sample_id"]]] = True
            yield key, group, mask


def _compared(
    found: Judged,
    names: Sequence[tuple[str, str]],
    groups: Sequence[tuple[str, str, Mask]],
    cluster_of: Codes,
    n_replicates: int,
    seed: int,
) -> list[PairCompared]:
    """The pairs; everything with an interval is drawn together, so that it is drawn once."""
    rates = [rate for first, second in names for rate in _rates(found, first, second)]
    grouped = [
        Counted(mask & one.among, mask & one.base, mask & one.run) for one in rates[0::3] for _, _, mask in groups
    ]
    columns = [(one.run.astype(int) - one.base, one.among) for one in (*rates, *grouped)]
    columns += [found.trade(first, second) for first, second in names]
    above, below = (np.column_stack(side) for side in zip(*columns, strict=True))
    intervals = clustered_intervals(above, below, cluster_of, n_replicates=n_replicates, seed=seed)
    right, match, wrong = (contrasts_of(rates[at::3], intervals[at : len(rates) : 3]) for at in range(3))
    by_group = _by_group(found, names, groups, grouped, intervals[len(rates) : len(rates) + len(grouped)])
    trades = intervals[len(rates) + len(grouped) :]
    pairs = []
    for at, (first, second) in enumerate(names):
        counted = found.counts(first, second)
        standings = (found.standing(first, counted), found.standing(second, counted))
        both = found.ran[first] & found.ran[second]
        unlabelled = both & ~found.failed[first] & ~found.failed[second] & ~counted
        pairs.append(
            PairCompared(
                first,
                second,
                tally(found, first, second, counted),
                right[at],
                match[at],
                wrong[at],
                int((both & (found.failed[first] | found.failed[second])).sum()),
                int(unlabelled.sum()),
                standings,
                break_even(standings, trades[at], wrong[at]),
                tuple(by_group[at]),
                {kind: tuple(np.flatnonzero(_which(found, first, second, kind)).tolist()) for kind in DISCORDANT},
            )
        )
    return pairs


def _rates(found: Judged, first: str, second: str) -> Iterator[Counted]:
    """What is counted of right results, of matches and of wrong edits."""
    counted = found.counts(first, second)
    to_apply = counted & found.to_apply
    for among, numerators in ((counted, found.right), (to_apply, found.right), (counted, found.wrong)):
        yield Counted(among, among & numerators[first], among & numerators[second])


def _by_group(
    found: Judged,
    names: Sequence[tuple[str, str]],
    groups: Sequence[tuple[str, str, Mask]],
    grouped: Sequence[Counted],
    intervals: Sequence[tuple[float, float] | None],
) -> list[list[GroupCompared]]:
    """For each pair its groups; those of one key are corrected together, over all pairs."""
    contrasts: dict[int, Contrast | None] = {}
    for key in GROUPED_BY:
        places = [at for at in range(len(grouped)) if groups[at % len(groups)][0] == key]
        of_key = contrasts_of([grouped[at] for at in places], [intervals[at] for at in places])
        contrasts |= dict(zip(places, of_key, strict=True))
    pairs = []
    for at, (first, second) in enumerate(names):
        shown = []
        for nth, (key, group, _) in enumerate(groups):
            counted = grouped[at * len(groups) + nth].among
            if counted.any():
                contrast = contrasts[at * len(groups) + nth]
                shown.append(GroupCompared(key, group, tally(found, first, second, counted), contrast))
        pairs.append(shown)
    return pairs


def tally(found: Judged, first: str, second: str, among: Mask) -> Tally:
    """The numbers of samples, among some, by the outcomes of two strategies."""
    return Tally(*(int((among & _which(found, first, second, kind)).sum()) for kind in Together))


def _which(found: Judged, first: str, second: str, kind: Together) -> Mask:
    """(n_samples,) which samples that count are of that kind."""
    one, other = found.right[first], found.right[second]
    match kind:
        case Together.BOTH_RIGHT:
            which = one & other
        case Together.ONLY_FIRST:
            which = one & ~other
        case Together.ONLY_SECOND:
            which = ~one & other
        case Together.WRONG_ALIKE:
            which = ~one & ~other & (found.text[first] == found.text[second])
        case Together.WRONG_DIFFERENTLY:
            which = ~one & ~other & (found.text[first] != found.text[second])
    return which & found.counts(first, second)
