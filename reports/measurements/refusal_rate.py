"""How often an edit that should be refused is."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.measurement import share
from reports.runs.rows import Verdict


def _of(counts: Counts) -> tuple[int, int]:
    return counts.n(verdict=Verdict.REFUSED), counts.n_labelled - counts.n_to_apply


REFUSAL_RATE = share("refusal_rate", "refusal rate", "refused / samples labelled refuse", _of, better="more")
