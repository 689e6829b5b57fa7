"""The outcomes of one strategy in one run as masks over samples: a side of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reports.measurements.counts import LABELLED
from reports.runs.rows import Damage, Verdict
from reports.runs.shared_ids import refuse_shared_ids

if TYPE_CHECKING:
    import pandas as pd

FAILED = (Verdict.CRASHED, Verdict.TIMED_OUT)
_TEXT = ("path", "line", "given", "n_omitted")
"""Columns of wrong edits that tell whether two of them left the same text."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Judged:
    """(n_samples,) arrays, by the numbers of samples."""

    ran: Mask
    labelled: Mask
    """Ran, with a known right answer, and neither crashed nor timed out."""
    to_apply: Mask
    """Labelled apply, as far as the outcome shows it."""
    failed: Mask
    """Crashed or timed out."""
    right: Mask
    """Correct, or rightly refused."""
    wrong: Mask
    """Wrong edits."""
    text: npt.NDArray[np.uint64]
    """A hash of the text that a wrong edit left, as far as the run keeps it; 0 for all others."""

    @property
    def missed(self) -> Mask:
        """Labelled samples on which it is neither right nor wrong."""
        return self.labelled & ~self.right & ~self.wrong


def judged_of(
    samples: npt.NDArray[np.integer], n_samples: int, verdict: pd.Series, damage: pd.Series, text: pd.Series
) -> Judged:
    """The outcomes of a strategy, given by the numbers of their samples; `text` is that of `text_hashes`."""
    wrong = verdict == Verdict.WRONG_EDIT

    def mask(which: pd.Series[bool]) -> Mask:
        found = np.zeros(n_samples, dtype=np.bool_)
        found[samples[which.to_numpy()]] = True
        return found

    hashes = np.zeros(n_samples, dtype=np.uint64)
    hashes[samples] = text.where(wrong).fillna(0).to_numpy(dtype=np.uint64)
    return Judged(
        ran=mask(verdict.notna()),
        labelled=mask(verdict.isin(LABELLED)),
        to_apply=mask(verdict.isin([Verdict.CORRECT, Verdict.MISSED]) | (wrong & (damage != Damage.UNASKED))),
        failed=mask(verdict.isin(FAILED)),
        right=mask(verdict.isin([Verdict.CORRECT, Verdict.REFUSED])),
        wrong=mask(wrong),
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

    rows = frame(folder, "outcomes", "sample_id", "strategy", "verdict", "damage")
    rows = rows[rows["strategy"].isin(strategies)]
    if only is not None:
        rows = rows[rows["sample_id"].isin(only)]
    rows = rows.astype({"strategy": object, "verdict": object, "damage": object})
    rows = rows.merge(text_hashes(folder), on=["sample_id", "strategy"], how="left")
    codes, ids = pd.factorize(rows["sample_id"])
    found = {}
    for name in strategies:
        mine = (rows["strategy"] == name).to_numpy()
        found[name] = judged_of(codes[mine], len(ids), *(rows.loc[mine, key] for key in ("verdict", "damage", "text")))
    return [str(one) for one in ids], found


def text_hashes(folder: Path) -> pd.DataFrame:
    """sample_id, strategy, text of each wrong edit: equal numbers for equal texts, as far as the run keeps them."""
    import pandas as pd

    from reports.runs.frames import frame

    edits = frame(folder, "wrong_edits", "sample_id", "strategy", *_TEXT).astype({"strategy": object})
    edits["text"] = pd.util.hash_pandas_object(edits[list(_TEXT)], index=False).astype("UInt64")
    return edits[["sample_id", "strategy", "text"]].drop_duplicates(["sample_id", "strategy"], keep="last")
