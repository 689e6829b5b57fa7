"""A run as pandas DataFrames: for notebooks.

Importing this module imports pandas; `editgauge run` does without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path

import pandas as pd

from editcore.errors import UsageError
from reports.measurements.interval import Estimate
from reports.runs.manifest import Manifest
from reports.runs.remote import mirror
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import run_summaries


@dataclass(frozen=True)
class Run:
    """A finished or unfinished run, by its folder or URL.

    Every method reads the Parquet files again. Of a run at a URL, what is needed is fetched for the call.
    Raises UsageError, at the first use, where there is no run.
    """

    place: str | Path

    @cached_property
    def manifest(self) -> Manifest:
        with self._fetched() as run:
            return run.manifest

    def outcomes(self) -> pd.DataFrame:
        """A row for each sample and strategy.

        sample_id (string), strategy, verdict, damage, reason, replacer (category), n_matches (int32: spans replaced),
        latency_ns (Int64: nanoseconds of one call), error (string), alternative (Int64: which one a correct result
        equals), severity, equal_by (category), n_lines_lost, n_bytes_changed (Int64), message, lines (string), cpu_ns,
        first_cpu_ns, n_timed (Int64), repeated, failed_label, list_left (category).
        See `reports.runs.rows.Outcome`.
        """
        with self._fetched("outcomes") as run:
            return run.frame("outcomes")

    def samples(self) -> pd.DataFrame:
        """A row for each sample, without its texts.

        sample_id (string), format, label, label_source, agent, model, repo, mutator (category), parent_id (string),
        seen (category: `same` as before the edit, or `other`), tags (an array of strings such as `language:python`).
        See `reports.runs.rows.SampleUsed`.
        """
        with self._fetched("samples") as run:
            return run.frame("samples")

    def estimates(self) -> pd.DataFrame:
        """A row for each rate of each strategy; a rate whose denominator is 0 has none.

        metric, strategy (str), value, low, high (float64: a share of 1, and its 95 % interval), n (int64: the
        denominator). The metrics are the measurements of `reports.measurements` that are rates.
        """
        with self._fetched("outcomes", "samples") as run:
            rates = [rate for one in run_summaries(run) for rate in one.rates]
        return pd.DataFrame([asdict(rate) for rate in rates], columns=[field.name for field in fields(Estimate)])

    @contextmanager
    def _fetched(self, *kinds: str) -> Iterator[RunFolder]:
        """The run, for the length of the block, with the parts of these kinds."""
        with mirror(str(self.place)) as (folder, remote):
            assert folder
            if remote:
                remote.pull(folder, kinds)
            if not (folder / "manifest.json").exists():
                raise UsageError(f"{self.place} is not a run folder: it has no manifest.json", "Is the name right?")
            yield RunFolder(folder)
