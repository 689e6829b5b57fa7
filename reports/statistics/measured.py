"""Whether a run measured anything: one in which no call ended in a result has no rates, and no gate may pass on it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from reports.measurements.table import CRASHED, SAMPLES, TIMED_OUT
from reports.runs.manifest import read_manifest
from reports.runs.parts import outcome_tables
from reports.runs.rows import Verdict
from reports.statistics.summary import Summary, run_summaries

_FAILED = {Verdict.CRASHED: "crashed", Verdict.TIMED_OUT: "timed out"}


def unmeasured(folder: Path, rows: Sequence[Summary]) -> Iterator[tuple[str, str]]:
    """The strategies of a run, whose summaries these are, of which no call ended in a result, and why, in one line."""
    for row in rows:
        if row[SAMPLES] and row[CRASHED] + row[TIMED_OUT] == row[SAMPLES]:
            yield row.strategy, why_nothing_was_measured(folder, strategies=[row.strategy]) or ""


def why_nothing_was_measured(folder: Path, *, strategies: Collection[str] | None = None) -> str | None:
    """The reason in one line where no call of a run, or of these strategies of it, ended in a result; else None."""
    first = None
    ended: dict[str, str] = {}
    for table in outcome_tables(folder, "strategy", "verdict", "error"):
        columns = (table.column(name).to_pylist() for name in ("strategy", "verdict", "error"))
        for strategy, verdict, error in zip(*columns, strict=True):
            if strategies is not None and strategy not in strategies:
                continue
            if verdict not in _FAILED:
                return None
            ended.setdefault(verdict, _FAILED[verdict])
            why = error or ("no answer in time" if verdict == Verdict.TIMED_OUT else "no reason was given")
            first = first or f"the first one, of {strategy}: {why}"
    if first:
        return f"every call {' or '.join(ended.values())}; {first}"
    manifest = read_manifest(folder)
    left_out = [
        f"{n:,} {which}"
        for n, which in (
            (manifest.n_left_out, "that none of the strategies takes"),
            (manifest.n_bad, "that cannot be read"),
        )
        if n
    ]
    return "no sample was run" + (f": {', '.join(left_out)}" if left_out else "")


def why_no_baseline(folder: Path) -> str | None:
    """Why a run is not to be a baseline before anybody says so: not all of its strategies were measured."""
    if reason := why_nothing_was_measured(folder):
        return f"nothing was measured: {reason}"
    return next(
        (f"{name} was not measured: {reason}" for name, reason in unmeasured(folder, run_summaries(folder))), None
    )
