"""A process with a pool of one, for a worker of a cluster: tasks in, what they came to out."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from editcore.errors import UsageError
from harness.processes import end_with_parent
from harness.run.pool import run_tasks
from harness.run.task import Done, Task
from harness.strategies.registry import strategy

Specs = Sequence[tuple[str, str]]
"""Strategies, and the version of each."""


def main() -> None:
    """Answer until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a dead worker's station still wrote would be in the way of who does the task in its place.
    end_with_parent(os.getppid())
    station = _Station(*_own_pipes())
    with suppress(EOFError, BrokenPipeError):
        station.work()


def _own_pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes, out of the reach of strategies that read or print."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return questions, answers


class _Station:
    """What it was asked last, and the pool that answers, which lasts while the strategies stay the same."""

    def __init__(self, questions: BinaryIO, answers: BinaryIO) -> None:
        self._questions, self._answers = questions, answers

    def work(self) -> None:
        """Answer one question after the other. Raises EOFError at the end of them."""
        self._listen()
        while True:
            specs = self._specs
            try:
                _refuse_others(specs)
                run_tasks(self._tasks(specs), [spec for spec, _ in specs], 1, self._tell)
            except UsageError as error:
                self._tell(error)
                self._listen()

    def _tasks(self, specs: Specs) -> Iterator[Task]:
        """What is asked, for as long as it is asked of these strategies."""
        while self._specs == specs:
            with TemporaryDirectory(prefix="editgauge-") as folder:
                yield replace(self._task, folder=Path(folder)) if self._task.remote else self._task
            self._listen()

    def _listen(self) -> None:
        self._task, self._specs = pickle.load(self._questions)

    def _tell(self, answer: Done | UsageError) -> None:
        pickle.dump(answer, self._answers)
        self._answers.flush()


def _refuse_others(specs: Specs) -> None:
    for spec, version in specs:
        if strategy(spec).version != version:
            raise UsageError(
                f"A worker has {spec} in version {strategy(spec).version}, not {version}",
                "Install the same versions everywhere.",
            )


if __name__ == "__main__":
    main()
