"""The progress of a run: counts of finished jobs, and counts of workers within their jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.sharedctypes import RawArray
from typing import Any

from harness.progress import Report
from harness.run.job import Job, JobResult
from harness.strategies.external import START_VARIABLE, start_limit_s
from reports.runs.rows import Outcome, Verdict

_SHOWN = {
    Verdict.CORRECT: "correct", Verdict.WRONG_EDIT: "wrong", Verdict.MISSED: "missed", Verdict.REFUSED: "refused"
}  # fmt: skip
"""The verdicts that are shown, with their words."""
WENT_WRONG = frozenset({Verdict.WRONG_EDIT, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNSTABLE})
"""The verdicts that `--maxfail` counts."""
STARTING_S = 3.0
"""A process that is started is waited for so long before that is said."""
_HEAD = 4
"""Cells before the cells of the strategies: samples, wrong outcomes, whether to stop, repeated calls in thousandths."""
_OFFSETS = {str(verdict): offset for offset, verdict in enumerate(_SHOWN)}


class LiveCounts:
    """The counts of a worker within its job, in memory that it shares with its supervisor."""

    def __init__(self, n_strategies: int, *, max_failed: int | None = None) -> None:
        self._cells: Any = RawArray("q", _HEAD + len(_SHOWN) * n_strategies)
        self._max_failed = max_failed
        self.starting = ""
        """The strategy whose process has been waited for, for long enough to be said; empty for none."""

    def clear(self) -> None:
        self._cells[:] = [0] * len(self._cells)

    def add(self, indices: Iterable[int], outcomes: Sequence[Outcome]) -> None:
        """Count a sample: its outcomes, each under the strategy with that index in the run."""
        self._cells[0] += 1
        self._cells[1] += sum(outcome.verdict in WENT_WRONG for outcome in outcomes)
        for index, outcome in zip(indices, outcomes, strict=True):
            if outcome.verdict in _OFFSETS:
                self._cells[_HEAD + len(_SHOWN) * index + _OFFSETS[outcome.verdict]] += 1

    @property
    def n_samples(self) -> int:
        return int(self._cells[0])

    def add_repeated(self, share: float) -> None:
        """Note the share of the job's repeated calls that are done."""
        self._cells[3] = int(1000 * share)

    @property
    def share_repeated(self) -> float:
        return float(self._cells[3]) / 1000

    @property
    def n_failed(self) -> int:
        return int(self._cells[1])

    def stop(self) -> None:
        """Ask the worker to end its job after the current sample."""
        self._cells[2] = 1

    @property
    def goes_on(self) -> bool:
        """True if the worker shall run another sample of its job."""
        return not self._cells[2] and (self._max_failed is None or self.n_failed < self._max_failed)

    def verdicts(self, index: int) -> dict[str, int]:
        """Verdict -> outcomes of the strategy with that index, for the verdicts that are shown."""
        start = _HEAD + len(_SHOWN) * index
        return dict(zip(_SHOWN, self._cells[start : start + len(_SHOWN)], strict=True))


class RunProgress:
    """Turns the results of jobs and the counts of workers into progress lines and warnings."""

    def __init__(
        self, jobs: Sequence[Job], left: Sequence[Job], strategies: Sequence[str], report: Report,
        warn: Callable[[str], None], *, max_failed: int | None = None,
    ) -> None:  # fmt: skip
        self._n_samples = sum(job.n_selected for job in jobs)
        self._max_failed = max_failed
        self._n_done = self._n_samples - sum(job.n_selected for job in left)
        n_left = sum(job.n_selected for job in left)
        self._repeats = min(1.0, sum(job.n_repeated for job in left) / n_left) if n_left else 0.0
        """The work of the repeated calls of a job, in parts of the work of its first calls."""
        self._strategies = strategies
        self._report, self._warn = report, warn
        self._counts: dict[str, Counter[str]] = {}
        self._told = {""}
        self.show(())

    def add(self, result: JobResult) -> None:
        for line in result.bad:
            self._warn(f"left out: {line}")
        self._n_done += result.n_samples + result.n_left_out + len(result.bad)
        for strategy, counts in result.counts.items():
            self._counts.setdefault(strategy, Counter()).update(counts)
        self.show(())

    def is_enough(self, live: Sequence[LiveCounts] = ()) -> bool:
        """True if as many outcomes went wrong as `--maxfail` allows."""
        done = sum(counts[verdict] for counts in self._counts.values() for verdict in WENT_WRONG)
        return self._max_failed is not None and done + sum(one.n_failed for one in live) >= self._max_failed

    def show(self, live: Sequence[LiveCounts]) -> None:
        """Report the samples done so far, in finished jobs and in the current jobs of workers.

        A sample of a current job counts in part until its job has made the repeated calls.
        """
        for name in {one.starting for one in live} - self._told:
            self._told.add(name)
            self._warn(
                f"{name} has not answered its first request for {STARTING_S:g} s: it has {start_limit_s():g} s to "
                f"start, whatever --timeout says ({START_VARIABLE} sets another limit)"
            )
        if live and self.is_enough(live):
            for one in live:
                one.stop()
        lines = {}
        for index, strategy in enumerate(self._strategies):
            counts = Counter(self._counts.get(strategy, {}))
            for one in live:
                counts.update(one.verdicts(index))
            if counts.total():
                lines[strategy] = ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in _SHOWN.items())
        width = max(map(len, lines), default=0)
        started = sum(one.n_samples * (1 + self._repeats * one.share_repeated) for one in live)
        n_done = self._n_done + started / (1 + self._repeats)
        below = [f"{strategy:<{width}}  {line}" for strategy, line in lines.items()]
        self._report(min(int(n_done), self._n_samples), self._n_samples, below=below)
