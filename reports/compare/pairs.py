"""The outcomes of two runs that belong together, joined: the same sample under the same strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from editcore.errors import UsageError
from reports.compare.contrasts import Judged, sides
from reports.runs.manifest import Manifest
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Grid, read_grid
from reports.wording import counted, examples

if TYPE_CHECKING:
    import pandas as pd


class Pairs(NamedTuple):
    """Two runs with the same strategies and samples, each with its outcomes and with one side for each strategy."""

    base: Grid
    run: Grid
    """Also the `n_lines_lost` of both; its samples are those of `base`, in the same order."""
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
    return Pairs(before, after, sides(base, before), sides(run, after), list(_notes(manifests, strategies)))


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


def _notes(manifests: Sequence[Manifest], strategies: Sequence[str]) -> Iterator[str]:
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
