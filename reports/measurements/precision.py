"""How often an edit that was applied is right."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import Shown, share
from reports.runs.rows import Verdict


def _of(counts: Counts) -> tuple[int, int]:
    correct = counts.n(verdict=Verdict.CORRECT)
    return correct, correct + counts.n_unreliable


PRECISION = share(
    "precision", "precision", "correct / (correct + wrong + unstable)", _of, in_table=Shown.ALWAYS, better="more"
)
