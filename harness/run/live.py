"""What a run has done so far: the counts of finished tasks, and those of workers within their tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.sharedctypes import RawArray
from typing import Any

from harness.progress import Report
from harness.run.task import Task, TaskResult
from reports.runs.rows import Outcome, Verdict

_SHOWN = {
    Verdict.CORRECT: "correct", Verdict.WRONG_EDIT: "wrong", Verdict.MISSED: "missed", Verdict.REFUSED: "refused"
}  # fmt: skip
"""The verdicts that are shown, and how."""
_OFFSETS = {str(verdict): offset for offset, verdict in enumerate(_SHOWN)}


class LiveCounts:
    """What a worker has done of its task, in memory that it shares with its supervisor."""

    def __init__(self, n_strategies: int) -> None:
        self._cells: Any = RawArray("q", 1 + len(_SHOWN) * n_strategies)

    def clear(self) -> None:
        """Begin a task."""
        self._cells[:] = [0] * len(self._cells)

    def add(self, indices: Iterable[int], outcomes: Iterable[Outcome]) -> None:
        """Count a sample: its outcomes, under the strategies of these indices in the run."""
        self._cells[0] += 1
        for index, outcome in zip(indices, outcomes, strict=True):
            if outcome.verdict in _OFFSETS:
                self._cells[1 + len(_SHOWN) * index + _OFFSETS[outcome.verdict]] += 1

    @property
    def n_samples(self) -> int:
        """Samples that have been run."""
        return int(self._cells[0])

    def verdicts(self, index: int) -> dict[str, int]:
        """Verdict -> outcomes, of the strategy of an index, for the verdicts that are shown."""
        start = 1 + len(_SHOWN) * index
        return dict(zip(_SHOWN, self._cells[start : start + len(_SHOWN)], strict=True))


class RunProgress:
    """Turns results of tasks, and counts of workers, into progress and warnings."""

    def __init__(
        self,
        tasks: Sequence[Task],
        left: Sequence[Task],
        strategies: Sequence[str],
        report: Report,
        warn: Callable[[str], None],
    ) -> None:
        self._sizes = {task.part: n_selected(task) for task in tasks}
        self._n_samples = sum(self._sizes.values())
        self._n_done = self._n_samples - sum(map(n_selected, left))
        self._strategies = strategies
        self._report, self._warn = report, warn
        self._counts: dict[str, Counter[str]] = {}
        self.show(())

    def add(self, result: TaskResult) -> None:
        """Count a finished task."""
        for line in result.bad:
            self._warn(f"left out: {line}")
        self._n_done += self._sizes[result.part]
        for strategy, counts in result.counts.items():
            self._counts.setdefault(strategy, Counter()).update(counts)
        self.show(())

    def show(self, live: Sequence[LiveCounts]) -> None:
        """Report what is done, by finished tasks and by workers within their tasks."""
        lines = {}
        for index, strategy in enumerate(self._strategies):
            counts = Counter(self._counts.get(strategy, {}))
            for one in live:
                counts.update(one.verdicts(index))
            if counts.total():
                lines[strategy] = ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in _SHOWN.items())
        width = max(map(len, lines), default=0)
        n_done = self._n_done + sum(one.n_samples for one in live)
        self._report(
            min(n_done, self._n_samples),
            self._n_samples,
            below=[f"{strategy:<{width}}  {line}" for strategy, line in lines.items()],
        )


def n_selected(task: Task) -> int:
    """The number of samples that a task is to run."""
    return task.segment.n_samples if task.only is None else len(task.only)
