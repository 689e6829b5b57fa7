"""The outcomes of one strategy in one run as masks over samples: a side of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reports.measurements.measurement import FAILED, LABELLED, UNRELIABLE
from reports.runs.rows import Damage, Verdict
from reports.runs.shared_ids import refuse_shared_ids

if TYPE_CHECKING:
    import pandas as pd

_JUDGED = ("verdict", "damage", "failed_label")
_TEXT = ("path", "line", "given", "n_omitted")
"""Columns of wrong edits that tell whether two of them left the same text."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """(n_samples,) arrays, by the numbers of samples."""

    ran: Mask
    labelled: Mask
    """Ran, with a known right answer."""
    to_apply: Mask
    """Labelled apply, as far as the outcome shows it."""
    failed: Mask
    """Crashed or timed out in a run of an older version, which does not say whether the right answer is known."""
    right: Mask
    """Correct, or rightly refused."""
    wrong: Mask
    """Wrong edits, and unstable ones."""
    text: npt.NDArray[np.uint64]
    """A hash of the text that a wrong edit left, as far as the run keeps it; 0 for all others."""

    @property
    def missed(self) -> Mask:
        """Labelled samples on which it is neither right nor wrong."""
        return self.labelled & ~self.right & ~self.wrong


def judged_of(
    samples: npt.NDArray[np.integer],
    n_samples: int,
    verdict: pd.Series,
    damage: pd.Series,
    failed_label: pd.Series,
    text: pd.Series,
) -> Judged:
    """The outcomes of a strategy, given by the numbers of their samples; `text` is that of `text_hashes`."""
    labelled = verdict.isin(LABELLED) | failed_label.isin(["apply", "refuse"])
    to_apply = verdict.isin([Verdict.CORRECT, Verdict.MISSED]) | (failed_label == "apply")
    wrong = verdict == Verdict.WRONG_EDIT

    def mask(which: pd.Series[bool]) -> Mask:
        found = np.zeros(n_samples, dtype=np.bool_)
        found[samples[which.to_numpy()]] = True
        return found

    hashes = np.zeros(n_samples, dtype=np.uint64)
    hashes[samples] = text.where(wrong).fillna(0).to_numpy(dtype=np.uint64)
    return Judged(
        ran=mask(verdict.notna()),
        labelled=mask(labelled),
        to_apply=mask(to_apply | (wrong & (damage != Damage.UNASKED))),
        failed=mask(verdict.isin(FAILED) & failed_label.isna()),
        right=mask(verdict.isin([Verdict.CORRECT, Verdict.REFUSED])),
        wrong=mask(labelled & verdict.isin(UNRELIABLE)),
        text=hashes,
    )


def judged(
    folder: Path, strategies: Sequence[str], *, only: Collection[str] | None = None
) -> tuple[list[str], dict[str, Judged]]:
    """The ids of a run's samples, all or those among `only`, and the outcomes of these strategies on them.

    Raises UsageError where an id stands for several samples.
    """
    refuse_shared_ids(folder)
    import pandas as pd

    from reports.runs.frames import frame

    rows = frame(folder, "outcomes", "sample_id", "strategy", *_JUDGED)
    rows = rows[rows["strategy"].isin(strategies)]
    if only is not None:
        rows = rows[rows["sample_id"].isin(only)]
    rows = rows.astype(dict.fromkeys(("strategy", *_JUDGED), object))
    rows = rows.merge(text_hashes(folder), on=["sample_id", "strategy"], how="left")
    codes, ids = pd.factorize(rows["sample_id"])
    found = {}
    for name in strategies:
        mine = (rows["strategy"] == name).to_numpy()
        found[name] = judged_of(codes[mine], len(ids), *(rows.loc[mine, key] for key in (*_JUDGED, "text")))
    return [str(one) for one in ids], found


def text_hashes(folder: Path) -> pd.DataFrame:
    """sample_id, strategy, text of each wrong edit: equal numbers for equal texts, as far as the run keeps them."""
    import pandas as pd

    from reports.runs.frames import frame

    edits = frame(folder, "wrong_edits", "sample_id", "strategy", *_TEXT).astype({"strategy": object})
    edits["text"] = pd.util.hash_pandas_object(edits[list(_TEXT)], index=False).astype("UInt64")
    return edits[["sample_id", "strategy", "text"]].drop_duplicates(["sample_id", "strategy"], keep="last")
