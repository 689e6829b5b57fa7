"""The outcomes of strategies in one run as masks over its samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reports.compare.costs import Standing
from reports.compare.pairs import text_hashes
from reports.measurements.counts import LABELLED
from reports.runs.rows import Damage, Verdict
from reports.runs.shared_ids import refuse_shared_ids

if TYPE_CHECKING:
    import pandas as pd

FAILED = (Verdict.CRASHED, Verdict.TIMED_OUT)
Mask = npt.NDArray[np.bool_]
Masks = dict[str, Mask]


@dataclass(frozen=True, slots=True)
class Judged:
    """Strategy -> (n_samples,) array, for the samples `ids`."""

    ids: list[str]
    to_apply: Mask
    """Samples labelled apply, as far as any of the strategies shows; not by strategy."""
    ran: Masks
    labelled: Masks
    """Ran, with a known right answer, and neither crashed nor timed out."""
    failed: Masks
    """Crashed or timed out."""
    right: Masks
    """Correct, or rightly refused."""
    wrong: Masks
    """Wrong edits."""
    text: dict[str, npt.NDArray[np.uint64]]
    """A hash of the text that a wrong edit left, as far as the run keeps it; 0 for all others."""

    def counts(self, first: str, second: str) -> Mask:
        """The samples that count for a pair of strategies."""
        return self.labelled[first] & self.labelled[second]

    def standing(self, strategy: str, among: Mask) -> Standing:
        """The missed and the wrong edits of a strategy among some samples that count."""
        wrong = among & self.wrong[strategy]
        missed = among & ~self.right[strategy] & ~wrong
        return Standing(strategy, int(missed.sum()), int(wrong.sum()))

    def trade(self, first: str, second: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """By sample: how much more often the second misses, and how much less often it is wrong; -1, 0 or 1."""
        counted = self.counts(first, second)
        sides = []
        for name in (first, second):
            wrong = counted & self.wrong[name]
            sides.append(((counted & ~self.right[name] & ~wrong).astype(int), wrong.astype(int)))
        (missed, wrong_), (others_missed, others_wrong) = sides
        return others_missed - missed, wrong_ - others_wrong


def judged(folder: Path, strategies: Sequence[str], *, only: Collection[str] | None = None) -> Judged:
    """The outcomes of these strategies, on all samples or those with these ids.

    Raises UsageError where an id stands for several samples.
    """
    refuse_shared_ids(folder)
    import pandas as pd

    from reports.runs.frames import frame

    rows = frame(folder, "outcomes", "sample_id", "strategy", "verdict", "damage")
    rows = rows[rows["strategy"].isin(strategies)]
    if only is not None:
        rows = rows[rows["sample_id"].isin(only)]
    rows = rows.astype({"strategy": object, "verdict": object, "damage": object})
    rows = rows.merge(text_hashes(folder), on=["sample_id", "strategy"], how="left")
    codes, ids = pd.factorize(rows["sample_id"])
    n = len(ids)
    asked = rows["verdict"].isin([Verdict.CORRECT, Verdict.MISSED])
    asked |= (rows["verdict"] == Verdict.WRONG_EDIT) & (rows["damage"] != Damage.UNASKED)
    to_apply = np.zeros(n, dtype=bool)
    to_apply[codes[asked.to_numpy()]] = True

    def masks(which: pd.Series[bool]) -> Masks:
        found = {name: np.zeros(n, dtype=bool) for name in strategies}
        for name, mask in found.items():
            mask[codes[(which & (rows["strategy"] == name)).to_numpy()]] = True
        return found

    verdict = rows["verdict"]
    wrong = verdict == Verdict.WRONG_EDIT
    text = {name: np.zeros(n, dtype=np.uint64) for name in strategies}
    for name, hashes in text.items():
        mine = (wrong & (rows["strategy"] == name)).to_numpy()
        hashes[codes[mine]] = rows.loc[mine, "text"].fillna(0).to_numpy(dtype=np.uint64)
    return Judged(
        [str(one) for one in ids],
        to_apply,
        masks(verdict.notna()),
        masks(verdict.isin(LABELLED)),
        masks(verdict.isin(FAILED)),
        masks(verdict.isin([Verdict.CORRECT, Verdict.REFUSED])),
        masks(wrong),
        text,
    )
