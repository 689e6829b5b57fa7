"""A run compared with a baseline: samples that turned worse or better, and differences that are significant.

A pair is one sample under one strategy in both runs. All rates are over pairs, so samples and strategies of only one
run have no influence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from editcore.errors import UsageError
from reports.compare.contrasts import Contrast, Judged, contrasts_of, rates_of, sides
from reports.compare.latency import YARDSTICK, NightlyLatency
from reports.measurements.measurement import FAILED, Kind
from reports.runs.manifest import Manifest
from reports.runs.rows import Severity, Verdict
from reports.runs.run_folder import RunFolder, tables_with
from reports.statistics.grid import Clusters, Grid, Mask, clusters_of_run, read_grid
from reports.statistics.summary import Summary, run_summaries
from reports.wording import counted, examples

if TYPE_CHECKING:
    import pandas as pd


# The outcomes of two runs that belong together, joined: the same sample under the same strategy.


class Pairs(NamedTuple):
    """Two runs with the same strategies and samples, each with its outcomes and with one side for each strategy."""

    base: Grid
    run: Grid
    """Also the `n_lines_lost` of both; it has the samples of `base`, in the same order."""
    base_sides: list[Judged]
    run_sides: list[Judged]
    notes: list[str]


def pairs(base: RunFolder, run: RunFolder, strategies: Sequence[str]) -> Pairs:
    """The pairs of these strategies, which both runs have.

    Raises UsageError if the samples of the runs differ, a run is not finished, or an id stands for several samples.
    """
    runs = (base, run)
    manifests = [_finished(one) for one in runs]
    before, after = (read_grid(one, strategies, "n_lines_lost") for one in runs)
    order = after.ids.numbers(before.ids.array)
    is_same = len(before.ids) == len(after.ids) and (order >= 0).all()
    if not is_same or (before.ran != after.ran[:, order]).any():
        raise _other_samples(runs, (before, after))
    after = after.of_samples(order)
    _refuse_other_contents(runs, manifests, list(before.ids))
    return Pairs(before, after, sides(base, before), sides(run, after), list(_manifest_notes(manifests, strategies)))


def _finished(run: RunFolder) -> Manifest:
    if run.manifest.finished is None:
        raise UsageError(f"{run} is not finished", f"Run the same command with --resume -o {run} first.")
    return run.manifest


def _refuse_other_contents(runs: tuple[RunFolder, RunFolder], manifests: Sequence[Manifest], ids: list[str]) -> None:
    """Raise UsageError if one of these samples differs between the runs, or if that cannot be told."""
    base, run = (_fingerprints(run, ids) for run in runs)
    other = [one for one, differs in zip(ids, (base != run).fillna(False), strict=True) if differs]
    if other:
        raise UsageError(
            f"{runs[0]} and {runs[1]} have {counted(len(other), 'sample')} with equal ids "
            f"and different contents ({examples(other)})",
            "Run both on the same corpus: another label or right answer makes other outcomes, too.",
        )
    of_all = {manifest.corpus_fingerprint for manifest in manifests}
    if (base.isna() | run.isna()).any() and (len(of_all) > 1 or None in of_all):
        raise UsageError(
            f"Nothing tells whether the samples of {runs[0]} and {runs[1]} are the same: their corpora differ, "
            "and one run is of an earlier version, which kept no fingerprint of each sample",
            "Run both again with this version.",
        )


def _fingerprints(run: RunFolder, ids: list[str]) -> pd.Series[int]:
    """The fingerprints of these samples; missing if an older version wrote the run."""
    samples = run.frame("samples", "sample_id", "fingerprint").drop_duplicates("sample_id")
    return samples.set_index("sample_id")["fingerprint"].reindex(ids).reset_index(drop=True)


def _manifest_notes(manifests: Sequence[Manifest], strategies: Sequence[str]) -> Iterator[str]:
    base, run = manifests
    before, after = ({one.name: one.version for one in manifest.strategies} for manifest in manifests)
    if changed := [name for name in strategies if before[name] != after[name]]:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        yield f"In another version than in the baseline: {', '.join(changed[:3])}{more}."
    if base.timeout_s != run.timeout_s:
        yield f"The time limit of a call was {base.timeout_s:g} s in the baseline and {run.timeout_s:g} s in the run."


def _other_samples(runs: tuple[RunFolder, RunFolder], grids: tuple[Grid, Grid]) -> UsageError:
    """The error for runs of different samples, which names some of them."""
    parts = []
    for run, mine, theirs in zip(runs, grids, reversed(grids), strict=True):
        if only := mine.of_samples(np.flatnonzero(theirs.ids.numbers(mine.ids.array) < 0)).ids:
            parts.append(f"{len(only):,} only in {run} ({examples(only)})")
    difference = "; ".join(parts) or "some strategies ran on more of them in one than in the other"
    return UsageError(
        f"{runs[0]} and {runs[1]} are not of the same samples: {difference}",
        "Run both on the same corpora, with the same -n, -k and --seed.",
    )


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
    clusters = _clusters(found.run.ids, run, base)
    turn = _turns(found)
    compared = [at for at, some in enumerate(found.base.ran) if some.any()]
    rates = [rates_of(found.base_sides[at], found.run_sides[at]) for at in compared]
    contrasts = [contrasts_of(some, clusters) for some in ([one.match for one in rates], [one.wrong for one in rates])]
    measured = [_of_strategy(found, turn, at, *both) for at, *both in zip(compared, *contrasts, strict=True)]
    summaries = _measured(base, run)
    return Comparison(
        base,
        run,
        len(found.base.ids),
        measured,
        _turned(base, run, found, turn),
        [name for name in names if name in chosen and name not in others],
        [name for name in others if name in chosen and name not in names],
        [*found.notes, *_notes(base, run, clusters), *_severity_note(found)],
        measured={one.strategy: summaries[one.strategy] for one in measured if one.strategy in summaries},
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


def _severity_note(found: Pairs) -> Iterator[str]:
    before, after = (side.those(lambda kind: kind.severity in _SEVERITY) for side in (found.base, found.run))
    n = int((_both_wrong(found) & (before != after) & _other_text(found)).sum())
    if n:
        edits = counted(n, "wrong edit")
        yield f"The severity of {edits} is known in one run only: whether they are worse is told by lines lost alone."


def _clusters(ids: Sequence[str], *runs: RunFolder) -> Clusters:
    """The clusters of the ids, from the first run that recorded its samples; else one cluster for each sample."""
    recorded = [clusters_of_run(run) for run in runs]
    return next(filter(len, recorded), recorded[0]).of(ids)


_TURNS = (Turn.WORSE, Turn.BETTER, Turn.CHANGED)
_GRAVITY: Mapping[str | None, int] = {
    Verdict.MISSED: 1, Verdict.WRONG_EDIT: 2, Verdict.UNSTABLE: 2, Verdict.CRASHED: 3, Verdict.TIMED_OUT: 4
}  # fmt: skip
"""Rank of each bad verdict; all others have 0. A hang is worse than a crash: it takes the caller with it."""
_SEVERITY: Mapping[str | None, int] = {Severity.SAME_TREE: 0, Severity.BROKEN: 1, Severity.OTHER_TREE: 2}
"""Rank of each severity. A file that parses and means something else is the worst: nobody notices. Unknown has no
rank.
"""
_REPORTED_FIRST = [Verdict.WRONG_EDIT, Verdict.UNSTABLE, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.MISSED, *Verdict]
"""The order of reporting: a wrong edit comes first because nobody notices it, unlike a crash."""


_SAME = len(_TURNS)


def _turns(found: Pairs) -> npt.NDArray[np.intp]:
    """(n_strategies, n_samples) the turn of each pair: its index in `_TURNS`, or `_SAME`."""

    def both(rank: Callable[[Kind], float]) -> Iterator[npt.NDArray[np.float64]]:
        return (np.array([rank(kind) for kind in side.kinds])[side.kind] for side in (found.base, found.run))

    # What is not known is NaN: neither higher nor lower.
    was_gravity, gravity = both(lambda kind: _GRAVITY.get(kind.verdict, 0))
    was_severity, severity = both(lambda kind: _SEVERITY.get(kind.severity, np.nan))
    was_verdict, verdict = both(lambda kind: [*Verdict, ""].index(kind.verdict))
    was_refused, is_refused = both(lambda kind: kind.reason is not None)
    lines = (side.numbers["n_lines_lost"] for side in (found.base, found.run))
    was_lost, lost = (np.where(one < 0, np.nan, one) for one in lines)
    both_wrong = _both_wrong(found)
    worse = (gravity > was_gravity) | (both_wrong & ((severity > was_severity) | (lost > was_lost)))
    better = (gravity < was_gravity) | (both_wrong & ((severity < was_severity) | (lost < was_lost)))
    # Whether an unlabelled sample was refused shows in the reason only.
    differs = (verdict != was_verdict) | _other_text(found) | (is_refused != was_refused)
    return np.select([worse, better, differs], range(_SAME), _SAME)


def _both_wrong(found: Pairs) -> Mask:
    both: Mask = found.base.where(Verdict.WRONG_EDIT) & found.run.where(Verdict.WRONG_EDIT)
    return both


def _other_text(found: Pairs) -> Mask:
    return np.array([one.text != other.text for one, other in zip(found.base_sides, found.run_sides, strict=True)])


def _of_strategy(
    found: Pairs, turn: npt.NDArray[np.intp], at: int, match: Contrast | None, wrong: Contrast | None
) -> StrategyCompared:
    worse, better, changed = (int((turn[at] == code).sum()) for code in range(_SAME))
    newly_wrong = found.run.where(Verdict.WRONG_EDIT)[at] & ~found.base.where(Verdict.WRONG_EDIT)[at]
    newly_failed = found.run.where(*FAILED)[at] & (turn[at] == _TURNS.index(Turn.WORSE))
    return StrategyCompared(
        found.base.strategies[at], int(found.base.ran[at].sum()), worse, better, changed, int(newly_wrong.sum()),
        int(newly_failed.sum()), match, wrong,
    )  # fmt: skip


def _turned(base: RunFolder, run: RunFolder, found: Pairs, turn: npt.NDArray[np.intp]) -> list[Turned]:
    names = found.base.strategies
    places = [((found.base.ids[at], names[row]), _TURNS[turn[row, at]]) for row, at in np.argwhere(turn != _SAME)]
    before, after = (sides_of(side, [pair for pair, _ in places]) for side in (base, run))
    turned = [Turned(*pair, one, before[pair], after[pair]) for pair, one in places]
    return sorted(turned, key=lambda one: (*_urgency(one), one.sample_id, names.index(one.strategy)))


def _urgency(turned: Turned) -> tuple[int, int]:
    worse_side = turned.base if turned.turn == Turn.BETTER else turned.run
    return _TURNS.index(turned.turn), _REPORTED_FIRST.index(Verdict(worse_side.verdict))


def sides_of(run: RunFolder, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Side]:
    """(sample id, strategy) -> its outcome, for at least the wanted pairs."""
    ids = {sample_id for sample_id, _ in wanted}
    columns = ("sample_id", "strategy", *Side.__slots__)
    return {
        (row.pop("sample_id"), row.pop("strategy")): Side(**row)
        for table, rows in tables_with(run, "outcomes", *columns, sample_id=ids)
        for row in table.take(rows).to_pylist()
    }
