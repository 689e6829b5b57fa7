"""Output of several commands about a run: its rates, what is missing in it, and progress while its page is made."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from harness.progress import show_progress
from harness.run.scoring import why_unknown
from harness.terminal import print_json, print_prose, tell, warn
from reports.compare.costs import advised
from reports.measurements.table import UNKNOWN
from reports.page.packing import Progress
from reports.runs.manifest import STDERR, Manifest
from reports.runs.run_folder import RunFolder
from reports.statistics.summary import Summary, run_summaries, sentence, unmeasured, why_nothing_was_measured
from reports.views.tables import print_summary, summary_document
from reports.wording import counted


def print_rates(run: RunFolder, *, wide: bool = False) -> None:
    """Print the sentence that sums a run up, and the table of its rates."""
    rows, advice = advised(run)
    _print_rates(rows, run.manifest, advice, wide=wide)


def _print_rates(rows: Sequence[Summary], manifest: Manifest, advice: str, *, wide: bool) -> None:
    print_prose((sentence(rows, manifest, advice=advice), ""), sys.stdout)
    print_summary(rows, wide=wide)


def print_run(run: RunFolder, *, place: str | Path, as_json: bool, wide: bool = False) -> None:
    """Print a run's rates as text or JSON. Samples that were left out and the run folder go to stderr."""
    manifest, (rows, advice) = run.manifest, advised(run)
    if as_json:
        print_json(summary_document(rows, manifest, advice=advice))
    else:
        _print_rates(rows, manifest, advice, wide=wide)
    for n, which in (
        (manifest.n_left_out, "that none of these strategies takes"),
        (manifest.n_bad, "that cannot be read"),
    ):
        if n:
            tell(f"left out: {counted(n, 'sample')} {which}")
    warn_of_unmeasured(run, rows)
    tell(f"run: {place}")


def warn_of_unmeasured(run: RunFolder, rows: Sequence[Summary] | None = None) -> None:
    """Warn of each strategy that was not measured. A run of a single strategy has another message for this."""
    rows = run_summaries(run) if rows is None else rows
    for name, reason in unmeasured(run, rows) if len(rows) > 1 else ():
        warn(f"{name} was not measured: {reason}{_stderr(run)}")


def _stderr(run: RunFolder) -> str:
    """Where the commands' stderr is kept; empty where they wrote nothing."""
    return f" (all of stderr: {run.folder / STDERR})" if (run.folder / STDERR).is_dir() else ""


def note_if_severities_are_unknown(run: RunFolder) -> None:
    """Say on stderr why the severity of wrong edits is unknown, if a run of this machine has such edits."""
    if (why := why_unknown()) and any(row[UNKNOWN] for row in run_summaries(run)):
        tell(why)


def note_if_unfinished(run: RunFolder) -> None:
    """Say on stderr that a run is not finished, because all numbers are then about a part of its samples."""

    manifest = run.manifest
    if manifest.finished is None:
        tell(f"note: {run} is not finished, and this is of what it has")


def exit_if_nothing_was_measured(run: RunFolder) -> None:
    """Exit with code 1 and a reason on stderr if no sample was run, or no call ended in a result."""
    if reason := why_nothing_was_measured(run):
        tell(f"error: nothing was measured: {reason}{_stderr(run)}")
        sys.exit(1)


_UPTO = {"outcomes": (0.0, 0.25), "rates": (0.25, 0.5), "texts": (0.5, 0.8), "packing": (0.8, 1.0)}
"""Step of making a page -> shares of the whole time at its start and end, as measured on recorded edits."""


@contextmanager
def page_progress(run: RunFolder) -> Iterator[Progress]:
    """Show progress on stderr while the block lasts, counted in samples of the run."""

    n = run.manifest.n_samples
    with show_progress() as report:

        def progress(what: str, share: float, /) -> None:
            start, end = _UPTO[what]
            report(round(n * (start + share * (end - start))), n, below=[what])

        yield progress
