"""Runs in which an id stands for several samples: their outcomes cannot be told apart, so nothing is said about them.

Runs refuse such corpora; a run folder from elsewhere, or from an earlier version, may still have them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from editcore.errors import UsageError
from editcore.quoting import quoted
from reports.runs.columns import codes_of
from reports.runs.parts import run_table


def refuse_shared_ids(folder: Path, outcomes: pa.Table | None = None) -> None:
    """Raises UsageError if a sample of the run has several outcomes under one strategy."""
    table = run_table(folder, "outcomes", "sample_id", "strategy") if outcomes is None else outcomes
    samples, ids = codes_of(table["sample_id"])
    strategies, names = codes_of(table["strategy"])
    keys = np.sort(samples.astype(np.int64) * len(names) + strategies)
    again = np.flatnonzero(keys[1:] == keys[:-1])
    if len(again):
        sample, strategy = divmod(int(keys[again[0]]), len(names))
        raise UsageError(
            f"{folder} has several outcomes of the sample {quoted(ids[sample] or '')} "
            f"under {quoted(names[strategy] or '')}",
            "Give each sample an id of its own and run again; `editgauge corpus check` names the shared ids.",
        )
