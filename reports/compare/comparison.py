"""A run compared with a baseline: samples that turned worse or better, and differences that are significant.

A pair is one sample under one strategy in both runs. All rates are over pairs, so samples and strategies of only one
run have no influence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from editcore.errors import UsageError
from reports.compare.contrasts import Contrast, contrasts_of, rates_of
from reports.compare.latency import YARDSTICK, NightlyLatency
from reports.compare.pairs import Pairs, pairs
from reports.measurements.measurement import FAILED
from reports.runs.rows import Severity, Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.clusters import Clusters, clusters_of_run
from reports.statistics.summary import Summary, run_summaries
from reports.wording import counted

if TYPE_CHECKING:
    import pandas as pd


class Turn(StrEnum):
    """The change of a pair from the baseline to the run; also the status of a strategy over all its pairs."""

    WORSE = "worse"
    BETTER = "better"
    CHANGED = "changed"
    """As bad as before but different: wrong in another way of the same severity. For pairs only."""
    SAME = "same"
    NEWLY_WRONG = "newly wrong"
    """A sample is newly edited wrongly, though no rate is significantly worse. For strategies only."""
    UNCLEAR = "unclear"
    """Pairs turned, but no difference is significant. For strategies only."""


@dataclass(frozen=True, slots=True)
class Side:
    """One outcome of a pair: the fields of `Outcome` that describe the result."""

    verdict: str
    damage: str | None
    reason: str | None
    replacer: str | None
    error: str | None
    severity: str | None = None
    n_lines_lost: int | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """A pair whose two outcomes differ."""

    sample_id: str
    strategy: str
    turn: Turn
    base: Side
    run: Side

    @property
    def newly_wrong(self) -> bool:
        return self.newly("verdict", Verdict.WRONG_EDIT)

    def newly(self, column: str, value: str) -> bool:
        """True if the outcome has this value in the run only; `column` is a field of `Side`."""
        return bool(getattr(self.run, column) == value != getattr(self.base, column))

    @property
    def newly_failed(self) -> bool:
        """True if the call crashed or timed out in the run only, or crashed before and times out now."""
        return self.turn == Turn.WORSE and self.run.verdict in (Verdict.CRASHED, Verdict.TIMED_OUT)


@dataclass(frozen=True, slots=True)
class StrategyCompared:
    strategy: str
    n_samples: int
    n_worse: int
    n_better: int
    n_changed: int
    n_newly_wrong: int
    n_newly_failed: int
    """Pairs that crash, time out or are unstable in the run only, or crashed in the baseline and time out now."""
    match_rate: Contrast | None
    """Correct edits / samples labelled apply."""
    wrong_rate: Contrast | None
    """Wrong or unstable edits / labelled samples."""
    latency: NightlyLatency | None = None
    """Latency against the baseline, or on a night against several nights; None if it was not measured in both runs."""
    is_slower: bool = False
    """True if the latency rule fails."""

    @property
    def status(self) -> Turn:
        """WORSE if either rate is significantly worse, else NEWLY_WRONG if any edit is, else BETTER if either rate is.

        A newly wrong edit is never luck: outcomes are deterministic, or else unstable.
        """
        losses = [
            sign * contrast.delta
            for contrast, sign in ((self.match_rate, -1), (self.wrong_rate, 1))
            if contrast and contrast.is_significant()
        ]
        if losses and max(losses) > 0:
            return Turn.WORSE
        if self.n_newly_wrong:
            return Turn.NEWLY_WRONG
        if losses:
            return Turn.BETTER
        return Turn.UNCLEAR if self.n_worse or self.n_better else Turn.SAME


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs of the same samples."""

    base: RunFolder
    run: RunFolder
    n_samples: int
    """Distinct samples over all compared strategies."""
    strategies: list[StrategyCompared]
    turned: list[Turned]
    """The worse ones by severity, then the better ones, then the changed ones."""
    only_base: list[str]
    """Strategies of the baseline that the run lacks."""
    only_run: list[str]
    """Strategies of the run that the baseline lacks."""
    notes: list[str]
    measured: Mapping[str, tuple[Summary, Summary]] = field(default_factory=dict, kw_only=True)
    """Strategy -> all measurements of it in the baseline and in the run."""
    latencies: Sequence[NightlyLatency] = ()
    """Of strategies that wait, two: of wall and of CPU time. `reports.compare.gate.with_latencies` adds them."""


def compare(base: RunFolder, run: RunFolder, *, strategies: Sequence[str] = ()) -> Comparison:
    """Compare a run with a baseline under these strategies, or all, as far as both have them.

    Raises UsageError if the samples differ, a run is not finished, or the runs have no strategy in common.
    """
    names, others = base.strategies, run.strategies
    chosen = {*names, *others} if not strategies else {*strategies}
    shared = [name for name in names if name in others and name in chosen]
    if not shared:
        raise UsageError(f"{base} and {run} have no strategy in common", "Run both with the same -s, or without -s.")
    found = pairs(base, run, shared)
    compared = [name for name in shared if len(found.of(name))]
    clusters = _clusters(found.ids, run, base)
    rows = found.rows[found.rows["strategy"].isin(compared)].assign(turn=_turns)
    measured = _compared(found, rows, compared, clusters)
    return Comparison(
        base,
        run,
        rows["sample"].nunique(),
        measured,
        _turned(rows, found.ids, compared),
        [name for name in names if name in chosen and name not in others],
        [name for name in others if name in chosen and name not in names],
        [*found.notes, *_notes(base, run, clusters), *_severity_note(rows)],
        measured={name: both for name, both in _measured(base, run).items() if name in compared},
    )


def _measured(base: RunFolder, run: RunFolder) -> dict[str, tuple[Summary, Summary]]:
    before, after = ({one.strategy: one for one in run_summaries(side)} for side in (base, run))
    return {name: (one, after[name]) for name, one in before.items() if name in after}


def _notes(base: RunFolder, run: RunFolder, clusters: Clusters) -> Iterator[str]:
    if not clusters.code.any():
        yield "All samples are of one repository: intervals are about edits in it."
    if not all(YARDSTICK in one.strategies for one in (base, run)):
        yield (
            f"Latencies are compared roughly, by CPU time, and on nights not at all: {YARDSTICK}, which measures the "
            f"machine's speed, is not in both runs. Add -s {YARDSTICK}."
        )


def _severity_note(rows: pd.DataFrame) -> Iterator[str]:
    base, run = (rows[f"severity_{side}"].map(_SEVERITY.get).notna() for side in ("base", "run"))
    n = int((_both_wrong(rows) & (base != run) & (rows["text_base"] != rows["text_run"])).sum())
    if n:
        edits = counted(n, "wrong edit")
        yield f"The severity of {edits} is known in one run only: whether they are worse is told by lines lost alone."


def _clusters(ids: Sequence[str], *runs: RunFolder) -> Clusters:
    """The clusters of the ids, from the first run that recorded its samples; else one cluster for each sample."""
    recorded = [clusters_of_run(run) for run in runs]
    return next(filter(len, recorded), recorded[0]).of(ids)


_TURNS = (Turn.WORSE, Turn.BETTER, Turn.CHANGED)
_GRAVITY = {
    Verdict.MISSED: 1, Verdict.WRONG_EDIT: 2, Verdict.UNSTABLE: 2, Verdict.CRASHED: 3, Verdict.TIMED_OUT: 4
}  # fmt: skip
"""Rank of each bad verdict; all others have 0. A hang is worse than a crash: it takes the caller with it."""
_SEVERITY = {Severity.SAME_TREE: 0, Severity.BROKEN: 1, Severity.OTHER_TREE: 2}
"""Rank of each severity. A file that parses and means something else is the worst: nobody notices. Unknown has no
rank.
"""
_REPORTED_FIRST = [Verdict.WRONG_EDIT, Verdict.UNSTABLE, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.MISSED, *Verdict]
"""The order of reporting: a wrong edit comes first because nobody notices it, unlike a crash."""


def _turns(rows: pd.DataFrame) -> npt.NDArray[np.str_]:
    """(n_pairs,) the turn of each pair."""
    before, after = (rows[f"verdict_{side}"].map(lambda verdict: _GRAVITY.get(verdict, 0)) for side in ("base", "run"))
    both_wrong = _both_wrong(rows)
    more_severe, less_severe = _rises_and_falls(rows[f"severity_{side}"].map(_SEVERITY.get) for side in ("base", "run"))
    more_lost, fewer_lost = _rises_and_falls(rows[f"n_lines_lost_{side}"] for side in ("base", "run"))
    worse = (after > before) | (both_wrong & (more_severe | more_lost))
    better = (after < before) | (both_wrong & (less_severe | fewer_lost))
    # Whether an unlabelled sample was refused shows in the reason only.
    differs = (
        (rows["verdict_base"] != rows["verdict_run"])
        | (rows["text_base"] != rows["text_run"])
        | (rows["reason_base"].isna() != rows["reason_run"].isna())
    )
    return np.select([worse, better, differs], _TURNS, Turn.SAME)


def _both_wrong(rows: pd.DataFrame) -> pd.Series[bool]:
    return (rows["verdict_base"] == Verdict.WRONG_EDIT) & (rows["verdict_run"] == Verdict.WRONG_EDIT)


def _rises_and_falls(sides: Iterable[pd.Series]) -> tuple[pd.Series[bool], pd.Series[bool]]:
    """Two masks: the value is higher in the run, and lower in the run. Both are False where a value is missing."""
    before, after = (one.astype("Float64") for one in sides)
    return (after > before).fillna(False), (after < before).fillna(False)


def _compared(
    found: Pairs, rows: pd.DataFrame, strategies: Sequence[str], clusters: Clusters
) -> list[StrategyCompared]:
    rates = [rates_of(*found.sides(name)) for name in strategies]
    match = contrasts_of([one.match for one in rates], clusters)
    wrong = contrasts_of([one.wrong for one in rates], clusters)
    return [
        _of_strategy(rows[rows["strategy"] == name], name, correct, wrongly)
        for name, correct, wrongly in zip(strategies, match, wrong, strict=True)
    ]


def _of_strategy(rows: pd.DataFrame, strategy: str, match: Contrast | None, wrong: Contrast | None) -> StrategyCompared:
    worse, better, changed = (int((rows["turn"] == turn).sum()) for turn in _TURNS)
    newly_wrong = int(
        ((rows["verdict_run"] == Verdict.WRONG_EDIT) & (rows["verdict_base"] != Verdict.WRONG_EDIT)).sum()
    )
    newly_failed = int((rows["verdict_run"].isin(FAILED) & (rows["turn"] == Turn.WORSE)).sum())
    return StrategyCompared(strategy, len(rows), worse, better, changed, newly_wrong, newly_failed, match, wrong)


def _turned(rows: pd.DataFrame, ids: Sequence[str], strategies: Sequence[str]) -> list[Turned]:
    rows = rows[rows["turn"] != Turn.SAME]
    names = (ids[sample] for sample in rows["sample"])
    found = map(Turned, names, rows["strategy"], map(Turn, rows["turn"]), _sides(rows, "base"), _sides(rows, "run"))
    place = {name: at for at, name in enumerate(strategies)}
    return sorted(found, key=lambda one: (*_urgency(one), one.sample_id, place[one.strategy]))


def _urgency(turned: Turned) -> tuple[int, int]:
    worse_side = turned.base if turned.turn == Turn.BETTER else turned.run
    return _TURNS.index(turned.turn), _REPORTED_FIRST.index(Verdict(worse_side.verdict))


def _sides(rows: pd.DataFrame, side: str) -> Iterator[Side]:
    fields = rows[[f"{name}_{side}" for name in Side.__slots__]].astype(object)
    return (Side(*one) for one in fields.where(fields.notna(), None).itertuples(index=False))
