"""Strategies of one run compared on the same samples: who is right where, with tests and intervals for pairs.

A sample counts where both strategies ran on it and its right answer is known. Right is a correct edit, or a rightful
refusal; a crash or a time-out is neither, as a missed edit is. The rates of two strategies are tested and
get intervals as one difference, sample by sample: the intervals of the two rates themselves say nothing about it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, islice

import numpy as np
import pandas as pd

from editcore.errors import UsageError
from reports.compare.comparison import Side, sides_of
from reports.compare.contrasts import Contrast, Counted, Judged, Rates, contrasts_of, judged, rates_of
from reports.compare.costs import BreakEven, Choice, Standing, break_even, choices, standing, tied_costs
from reports.runs.rows import WrongEdit
from reports.runs.run_folder import RunFolder, edits_of
from reports.statistics.breakdown import groups_of
from reports.statistics.grid import Clusters, Mask

GROUPED_BY = ("format", "language", "mutator")
"""Properties that pairs are broken down by, if the samples differ in them."""
_MOST_GROUPS = 250

Sides = Mapping[str, Judged]
Groups = Sequence[tuple[str, str, Mask]]
"""Key, group, and the samples in it."""


class Together(StrEnum):
    """The outcomes of two strategies on one sample."""

    BOTH_RIGHT = "both_right"
    ONLY_FIRST = "only_first"
    ONLY_SECOND = "only_second"
    WRONG_ALIKE = "wrong_alike"
    """Both refused, or both left the same wrong text (the run keeps excerpts only)."""
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
    """Right / samples that count; the p-values of all three rates are corrected for the number of pairs."""
    match_rate: Contrast | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Contrast | None
    """Wrong edits / samples that count."""
    n_failed: int
    """Samples on which a strategy crashed or timed out in a run of an older version: they do not count."""
    n_unlabelled: int
    """Samples without a known right answer: they do not count."""
    standings: tuple[Standing, Standing]
    """Missed and wrong edits of each, on the samples that count."""
    break_even: BreakEven | None
    """None if one strategy is at least as good as the other in both counts."""
    groups: tuple[GroupCompared, ...]
    discordant: Mapping[Together, tuple[int, ...]]
    """Kind in `DISCORDANT` -> positions of its samples in `Between.ids`."""

    @property
    def together(self) -> list[Choice]:
        """The better of the two strategies for each range of costs of a wrong edit."""
        return choices(self.standings)


@dataclass(frozen=True, slots=True)
class Between:
    run: RunFolder
    ids: list[str]
    pairs: list[PairCompared]
    choices: list[Choice]
    """The best strategies by rising cost of a wrong edit, on the samples that count for every pair."""
    n_common: int
    """The number of those samples."""


def between(
    run: RunFolder,
    strategies: Sequence[str],
    *,
    only: Collection[str] | None = None,
) -> Between:
    """Compare strategies of a run in pairs; `only` are the ids of the samples to look at, None for all.

    Raises UsageError for fewer than two strategies, and for a pair without a sample that counts.
    """
    if len(strategies) < 2:
        raise UsageError("--between needs two strategies", "Name two or more that the run has.")
    grid, sides = judged(run, strategies, only=only)
    ids = list(grid.ids)
    names = list(combinations(strategies, 2))
    rates = {both: rates_of(*(sides[name] for name in both)) for both in names}
    for (first, second), rate in rates.items():
        if not rate.right.among.any():
            raise _nothing_shared(sides, first, second)
    everywhere = np.logical_and.reduce([one.labelled for one in sides.values()])
    compared = _compared(sides, rates, list(_groups(run, ids)), grid.clusters)
    common = [standing(name, one, everywhere) for name, one in sides.items()]
    return Between(run, ids, compared, choices(common), int(everywhere.sum()))


def _nothing_shared(sides: Sides, first: str, second: str) -> UsageError:
    if (sides[first].ran & sides[second].ran).any():
        return UsageError(
            f"{first} and {second} share samples, but none with a known right answer on which neither failed",
            "Label some: editgauge label CORPUS.",
        )
    return UsageError(
        f"{first} and {second} have no sample in common", "They take other formats, or -k leaves none: compare others."
    )


def _groups(run: RunFolder, ids: Sequence[str]) -> Iterator[tuple[str, str, Mask]]:
    """Key, group and (n_samples,) mask of each group to show."""
    place = {one: at for at, one in enumerate(ids)}
    samples: pd.DataFrame = run.frame("samples").drop_duplicates("sample_id", keep="last")
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
    sides: Sides,
    rates: Mapping[tuple[str, str], Rates],
    groups: Groups,
    clusters: Clusters,
) -> list[PairCompared]:
    by_rate = zip(*rates.values(), strict=True)
    grouped = [one.right.within(mask) for one in rates.values() for _, _, mask in groups]
    right, match, wrong = (contrasts_of(counted, clusters) for counted in by_rate)
    by_group = _by_group(sides, list(rates), groups, grouped, clusters)
    return [
        _pair(sides, both, rates[both].right.among, contrasts, clusters, by_group[at])
        for at, (both, *contrasts) in enumerate(zip(rates, right, match, wrong, strict=True))
    ]


def _pair(
    sides: Sides,
    both: tuple[str, str],
    counted: Mask,
    contrasts: Sequence[Contrast | None],
    clusters: Clusters,
    groups: Sequence[GroupCompared],
) -> PairCompared:
    one, other = (sides[name] for name in both)
    ran, failed = one.ran & other.ran, one.failed | other.failed
    standings = (standing(both[0], one, counted), standing(both[1], other, counted))
    right, match, wrong = contrasts
    return PairCompared(
        *both,
        tally(one, other, counted),
        right,
        match,
        wrong,
        n_failed=int((ran & failed).sum()),
        n_unlabelled=int((ran & ~failed & ~counted).sum()),
        standings=standings,
        break_even=break_even(standings, tied_costs(one, other, counted, clusters)),
        groups=tuple(groups),
        discordant={kind: tuple(np.flatnonzero(counted & _which(one, other, kind)).tolist()) for kind in DISCORDANT},
    )


def _by_group(
    sides: Sides,
    names: Sequence[tuple[str, str]],
    groups: Groups,
    grouped: Sequence[Counted],
    clusters: Clusters,
) -> list[list[GroupCompared]]:
    """The groups of each pair; p-values of one key are corrected together, over all pairs."""
    contrasts: dict[int, Contrast | None] = {}
    for key in GROUPED_BY:
        places = [at for at in range(len(grouped)) if groups[at % len(groups)][0] == key]
        of_key = contrasts_of([grouped[at] for at in places], clusters)
        contrasts |= dict(zip(places, of_key, strict=True))
    return [
        [
            GroupCompared(key, group, tally(sides[first], sides[second], grouped[at].among), contrasts[at])
            for at, (key, group, _) in enumerate(groups, nth * len(groups))
            if grouped[at].among.any()
        ]
        for nth, (first, second) in enumerate(names)
    ]


def tally(one: Judged, other: Judged, among: Mask) -> Tally:
    """The numbers of samples, among `among`, by the outcomes of two strategies."""
    return Tally(*(int((among & _which(one, other, kind)).sum()) for kind in Together))


def _which(one: Judged, other: Judged, kind: Together) -> Mask:
    """(n_samples,) mask of the samples of that kind."""
    match kind:
        case Together.BOTH_RIGHT:
            return one.right & other.right
        case Together.ONLY_FIRST:
            return one.right & ~other.right
        case Together.ONLY_SECOND:
            return ~one.right & other.right
    alike: Mask = one.text == other.text
    return ~one.right & ~other.right & (alike if kind == Together.WRONG_ALIKE else ~alike)


# Samples on which two strategies differ


@dataclass(frozen=True, slots=True)
class Differing:
    """A sample on which two strategies differ."""

    sample_id: str
    together: Together
    sides: tuple[Side, ...]
    """The outcomes of the first and of the second strategy."""
    edits: tuple[WrongEdit | None, ...]
    """Their wrong edits; None for any other outcome."""


def differing(found: Between, pair: PairCompared, *, limit: int) -> dict[Together, list[Differing]]:
    """At most `limit` samples of each kind in which two strategies can differ."""
    ids = {kind: [found.ids[at] for at in islice(places, limit)] for kind, places in pair.discordant.items()}
    names = (pair.first, pair.second)
    wanted = {sample_id for some in ids.values() for sample_id in some}
    both = [(sample_id, name) for sample_id in wanted for name in names]
    sides, edits = sides_of(found.run, both), edits_of(found.run, both)
    return {
        kind: [
            Differing(
                one, kind, tuple(sides[one, name] for name in names), tuple(edits.get((one, name)) for name in names)
            )
            for one in some
        ]
        for kind, some in ids.items()
    }
