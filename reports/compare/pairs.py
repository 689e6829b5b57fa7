"""The outcomes of two runs that belong together, joined: the same sample under the same strategy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from editcore.errors import UsageError
from reports.compare.judged import Judged, judged_of, text_hashes
from reports.runs.manifest import Manifest, read_manifest
from reports.runs.rows import Repeated, Verdict
from reports.runs.shared_ids import refuse_shared_ids

if TYPE_CHECKING:
    import pandas as pd

_N_NAMED = 3
"""Number of sample ids that an error names."""


@dataclass(frozen=True)
class Pairs:
    """Two runs, joined by strategy and sample."""

    rows: pd.DataFrame
    """One row for each pair, by strategy and sample.

    strategy, sample (its index in `ids`), and for each side, with the suffixes `_base` and `_run`: verdict, damage,
    reason, replacer, error, severity; latency and cpu (logs of nanoseconds of wall and CPU time, NaN where not measured
    or, of a run with a timed subset, not in it); text (a hash of the text that a wrong edit left, 0 for all others).
    """
    ids: list[str]
    """The samples of both runs, by first appearance."""
    notes: list[str]
    """Caveats, one sentence each."""

    def of(self, strategy: str) -> pd.DataFrame:
        """The rows of a strategy; none for a strategy that is not in both runs."""
        found = self._by_strategy.get(strategy)
        return self.rows[:0] if found is None else found

    @cached_property
    def _by_strategy(self) -> dict[Any, pd.DataFrame]:
        return dict(iter(self.rows.groupby("strategy", sort=False)))

    def sides(self, strategy: str) -> tuple[Judged, Judged]:
        """The outcomes of a strategy in the baseline and in the run, by the samples' places in `ids`."""
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


def pairs(base: Path, run: Path, strategies: Sequence[str]) -> Pairs:
    """The pairs of these strategies, which both runs have.

    Raises UsageError if the samples of the runs differ, one of the runs is not finished, or an id stands for several
    samples.
    """
    import pandas as pd

    from reports.runs.frames import frame

    folders = (base, run)
    manifests = [_finished(folder) for folder in folders]
    for folder in folders:
        refuse_shared_ids(folder)
    outcomes = [frame(folder, "outcomes") for folder in folders]
    codes, ids = pd.factorize(pd.concat([one["sample_id"] for one in outcomes]))
    samples = np.split(codes, [len(outcomes[0])])
    first, second = (
        _rows(folder, one.assign(sample=sample), strategies)
        for folder, one, sample in zip(folders, outcomes, samples, strict=True)
    )
    rows = first.merge(second, on=["strategy", "sample"], how="outer", suffixes=("_base", "_run"), indicator=True)
    if (rows["_merge"] != "both").any():
        raise _other_samples(folders, [first, second])
    same_corpus = np.array_equal(np.unique(samples[0]), np.unique(samples[1]))
    fingerprints = {manifest.corpus_fingerprint for manifest in manifests}
    if same_corpus and None not in fingerprints and len(fingerprints) > 1:
        raise UsageError(
            f"{base} and {run} have samples with equal ids and different contents", "Run both on the same corpus."
        )
    order = rows["strategy"].map({name: place for place, name in enumerate(strategies)})
    rows = rows.assign(order=order).sort_values(["order", "sample"], ignore_index=True)
    return Pairs(rows, list(ids), list(_notes(manifests, strategies, same_corpus)))


def _finished(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.finished is None:
        raise UsageError(f"{folder} is not finished", f"Run the same command with --resume -o {folder} first.")
    return manifest


def _rows(folder: Path, outcomes: pd.DataFrame, strategies: Sequence[str]) -> pd.DataFrame:
    """The outcomes under these strategies, with the columns of one side of a pair."""
    rows = outcomes[outcomes["strategy"].isin(strategies)].astype({"strategy": object, "verdict": object})
    rows = rows.merge(text_hashes(folder), on=["sample_id", "strategy"], how="left")
    rows["text"] = rows["text"].where(rows["verdict"] == Verdict.WRONG_EDIT, 0).fillna(0)
    # What was repeated because it was slow is another choice in every run.
    repeated = (rows["n_timed"].fillna(1) > 1) & (rows["repeated"] != Repeated.SLOW)
    counts = repeated | ~repeated.groupby(rows["strategy"]).transform("any")
    for column, measured in (("latency", "latency_ns"), ("cpu", "cpu_ns")):
        # A call too short for the clock took no time; it is given the least there is.
        logarithms: pd.Series[float] = np.log(rows[measured].astype("float64").clip(lower=1))  # type: ignore[assignment]
        rows[column] = logarithms.where(counts)
    return rows


def _notes(manifests: Sequence[Manifest], strategies: Sequence[str], same_corpus: bool) -> Iterator[str]:
    base, run = manifests
    before, after = ({one.name: one.version for one in manifest.strategies} for manifest in manifests)
    if changed := [name for name in strategies if before[name] != after[name]]:
        more = f" and {len(changed) - _N_NAMED} more" if len(changed) > _N_NAMED else ""
        yield f"In another version than in the baseline: {', '.join(changed[:_N_NAMED])}{more}."
    if not same_corpus:
        yield (
            "One run has more samples, under strategies that the other lacks, "
            "so the compared samples are known to be the same by their ids alone."
        )
    if base.timeout_s != run.timeout_s:
        yield f"The time limit of a call was {base.timeout_s:g} s in the baseline and {run.timeout_s:g} s in the run."


def _other_samples(folders: tuple[Path, Path], sides: Sequence[pd.DataFrame]) -> UsageError:
    """The error for runs of different samples, which names some of them."""
    parts = []
    for folder, mine, theirs in zip(folders, sides, reversed(sides), strict=True):
        only = mine[~mine["sample"].isin(theirs["sample"])].sort_values("sample")["sample_id"].unique()
        if len(only):
            named = ", ".join(only[:_N_NAMED])
            parts.append(f"{len(only):,} only in {folder} ({named}{', ...' if len(only) > _N_NAMED else ''})")
    difference = "; ".join(parts) or "some strategies ran on more of them in one than in the other"
    return UsageError(
        f"{folders[0]} and {folders[1]} are not of the same samples: {difference}",
        "Run both on the same corpora, with the same -n, -k and --seed.",
    )
