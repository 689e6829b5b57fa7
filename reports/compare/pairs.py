"""The outcomes of two runs that belong together, joined: the same sample under the same strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from editcore.errors import UsageError
from reports.compare.contrasts import Judged, judged_of, text_hashes
from reports.runs.manifest import Manifest
from reports.runs.rows import Verdict
from reports.runs.run_folder import RunFolder
from reports.wording import counted, examples

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Pairs:
    """Two runs, joined by strategy and sample."""

    rows: pd.DataFrame
    """One row for each pair, by strategy and sample.

    Columns: strategy, sample (its index in `ids`), and for each side, with the suffixes `_base` and `_run`: verdict,
    damage, reason, replacer, error, severity; text (a hash of the text that a wrong edit left, 0 for other outcomes).
    """
    ids: list[str]
    """The samples of both runs, by first appearance."""
    notes: list[str]

    def of(self, strategy: str) -> pd.DataFrame:
        """The rows of a strategy; none if it is not in both runs."""
        found = self._by_strategy.get(strategy)
        return self.rows[:0] if found is None else found

    @cached_property
    def _by_strategy(self) -> dict[Any, pd.DataFrame]:
        return dict(iter(self.rows.groupby("strategy", sort=False)))

    def sides(self, strategy: str) -> tuple[Judged, Judged]:
        """The outcomes of a strategy in the baseline and in the run, by the samples' positions in `ids`."""
        rows = self.of(strategy)
        base, run = (
            judged_of(
                rows["sample"].to_numpy(),
                len(self.ids),
                *(rows[f"{key}_{side}"] for key in ("verdict", "damage", "failed_label", "text")),
            )
            for side in ("base", "run")
        )
        return base, run


def pairs(base: RunFolder, run: RunFolder, strategies: Sequence[str]) -> Pairs:
    """The pairs of these strategies, which both runs have.

    Raises UsageError if the samples of the runs differ, a run is not finished, or an id stands for several samples.
    """
    import pandas as pd

    runs = (base, run)
    manifests = [_finished(one) for one in runs]
    for one in runs:
        one.refuse_shared_ids()
    outcomes = [one.frame("outcomes") for one in runs]
    codes, ids = pd.factorize(pd.concat([one["sample_id"] for one in outcomes]))
    samples = np.split(codes, [len(outcomes[0])])
    first, second = (
        _rows(side, rows.assign(sample=sample), strategies)
        for side, rows, sample in zip(runs, outcomes, samples, strict=True)
    )
    rows = first.merge(second, on=["strategy", "sample"], how="outer", suffixes=("_base", "_run"), indicator=True)
    if (rows["_merge"] != "both").any():
        raise _other_samples(runs, [first, second])
    _refuse_other_contents(runs, manifests, list(rows["sample_id_run"].unique()))
    order = rows["strategy"].map({name: place for place, name in enumerate(strategies)})
    rows = rows.assign(order=order).sort_values(["order", "sample"], ignore_index=True)
    return Pairs(rows, list(ids), list(_notes(manifests, strategies)))


def _finished(run: RunFolder) -> Manifest:
    if run.manifest.finished is None:
        raise UsageError(f"{run} is not finished", f"Run the same command with --resume -o {run} first.")
    return run.manifest


def _rows(run: RunFolder, outcomes: pd.DataFrame, strategies: Sequence[str]) -> pd.DataFrame:
    """The outcomes under these strategies, with the columns of one side of a pair."""
    rows = outcomes[outcomes["strategy"].isin(strategies)].astype({"strategy": object, "verdict": object})
    rows = rows.merge(text_hashes(run), on=["sample_id", "strategy"], how="left")
    rows["text"] = rows["text"].where(rows["verdict"] == Verdict.WRONG_EDIT, 0).fillna(0)
    return rows


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


def _other_samples(runs: tuple[RunFolder, RunFolder], sides: Sequence[pd.DataFrame]) -> UsageError:
    """The error for runs of different samples, which names some of them."""
    parts = []
    for run, mine, theirs in zip(runs, sides, reversed(sides), strict=True):
        only = list(mine[~mine["sample"].isin(theirs["sample"])].sort_values("sample")["sample_id"].unique())
        if only:
            parts.append(f"{len(only):,} only in {run} ({examples(only)})")
    difference = "; ".join(parts) or "some strategies ran on more of them in one than in the other"
    return UsageError(
        f"{runs[0]} and {runs[1]} are not of the same samples: {difference}",
        "Run both on the same corpora, with the same -n, -k and --seed.",
    )
