"""Worker processes under supervision: a crash or a hang costs one call, never the run.

Each worker says, in memory shared with the supervisor, which sample and strategy it is at and since when.
A worker that dies there, or overstays the time limit where no signal reaches it, is replaced; its shard is
run again. A cell that overstayed, or at which two workers died, is not tried a third time: its fate is its
outcome. (One death may be somebody's kill, and changes nothing.)
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.sharedctypes import RawArray
from time import monotonic_ns
from typing import Any

from editcore.errors import UsageError
from harness.processes import end_with_parent, exit_text
from harness.run.latency import Stopwatch
from harness.run.task import Cell, Done, Fate, Position, Task, run_shard
from harness.strategies.external import keep_stderr
from harness.strategies.registry import strategy
from reports.runs.rows import Verdict

_GRACE_S = 1.0
"""How long past the limit a call may stay before its worker is killed."""
_POLL_S = 0.25
_DEATHS_OUTSIDE = 3
"""How often a worker may die on a shard while no strategy is running."""


def run_tasks(tasks: Iterable[Task], specs: Sequence[str], n_jobs: int, report: Callable[[Done], None]) -> None:
    """Run the tasks under the strategies on so many processes, in order; `report` hears of each as it is done.

    A task is asked for when there is a process for it. Raises UsageError where a corpus cannot be read. On any
    exception the workers are ended.
    """
    waiting = iter(tasks)
    workers: list[_Worker] = []
    try:
        for task in islice(waiting, max(1, n_jobs)):
            worker = _Worker(specs)
            workers.append(worker)
            worker.start(workers)
            worker.give(task)
        busy = list(workers)
        while busy:
            ready = wait([worker.connection for worker in busy], timeout=_POLL_S)
            for worker in list(busy):
                if worker.connection not in ready:
                    worker.check()
                    continue
                done = worker.receive()
                if done is None:
                    continue
                report(done)
                following = next(waiting, None)
                if following:
                    worker.give(following)
                else:
                    busy.remove(worker)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process and what it is doing."""

    def __init__(self, specs: Sequence[str]) -> None:
        self._specs = list(specs)
        self._position: Any = RawArray("q", 3)
        self._task: Task | None = None
        self._suspects: Counter[Cell | None] = Counter()

    def start(self, others: Sequence[_Worker]) -> None:
        context = _context()
        self._others = others
        self.connection, theirs = context.Pipe()
        # A forked child inherits our ends of all pipes; it must let go of them to notice when we are gone.
        ours = [worker.connection for worker in others if hasattr(worker, "connection")]
        inherited = ours if context.get_start_method() == "fork" else []
        self._process: Any = context.Process(  # type: ignore[attr-defined]
            target=_work, args=(theirs, self._specs, self._position, os.getpid(), inherited), daemon=True
        )
        self._process.start()
        theirs.close()

    def give(self, task: Task) -> None:
        self._task = task
        self._suspects.clear()
        self._send(task)

    def _send(self, task: Task) -> None:
        self._position[2] = 0
        with suppress(BrokenPipeError):
            self.connection.send(task)

    def receive(self) -> Done | None:
        """What the worker sent; None where it died instead, and its task has been started anew."""
        try:
            answer = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._restart()
            return None
        if isinstance(answer, UsageError):
            raise answer
        if isinstance(answer, str):
            raise RuntimeError(f"a worker failed outside any strategy:\n{answer}")
        assert isinstance(answer, Done)
        return answer

    def check(self) -> None:
        """Kill the worker if its call has overstayed; what follows is as after a crash."""
        since = self._position[2]
        if self._task and since and monotonic_ns() - since > (self._task.timeout_s + _GRACE_S) * 1e9:
            cell = self._cell()
            self._process.kill()
            self._task = replace(self._task, fates={**self._task.fates, cell: Fate(Verdict.TIMED_OUT, "")})

    def _cell(self) -> Cell:
        return Cell(self._position[0], strategy(self._specs[self._position[1]]).name)

    def _restart(self) -> None:
        """Start the task anew. A cell that was being run at two deaths is held to be the cause."""
        self._process.join()
        self.connection.close()
        task, cell = self._task, self._cell() if self._position[2] else None
        assert task is not None
        how = exit_text(self._process.exitcode)
        if cell not in task.fates:
            self._suspects[cell] += 1
        if cell is None and self._suspects[cell] == _DEATHS_OUTSIDE:
            raise UsageError(
                f"A worker ended with {how} while reading {task.shard.path}, {_DEATHS_OUTSIDE} times over",
                "Is there memory enough? Try fewer jobs with -j 1.",
            )
        if cell is not None and self._suspects[cell] == 2:
            fate = Fate(Verdict.CRASHED, f"the process ended with {how}")
            task = replace(task, fates={**task.fates, cell: fate})
        self._task = replace(task, careful=True)
        self.start(self._others)
        self._send(self._task)

    def stop(self) -> None:
        """End the process if it is still there."""
        process = getattr(self, "_process", None)
        if process is None:
            return
        if process.is_alive():
            process.kill()
        process.join()
        self.connection.close()


def _context() -> BaseContext:
    # Forked on Linux: this process has no threads, and a worker needs no second start-up.
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


def _work(
    connection: Connection, specs: Sequence[str], position: Position, parent: int, inherited: Sequence[Connection]
) -> None:
    """The life of a worker: a task in, a Done out, until the pipe is closed."""
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    chosen = [strategy(spec) for spec in specs]
    gc.collect()
    gc.freeze()
    gc.disable()
    with Stopwatch() as stopwatch, suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while os.getppid() == parent:
            task = connection.recv()
            keep_stderr(task.folder)
            answer: Done | UsageError | str
            try:
                answer = run_shard(task, chosen, position, stopwatch)
                if task.remote:
                    task.remote.put_part(task.folder, task.part)
            except UsageError as error:
                answer = error
            except OSError as error:
                reason = error.strerror or str(error)
                answer = UsageError(f"{task.folder} cannot be written: {reason}", "Mend that, then add --resume.")
            except Exception:
                import traceback

                answer = traceback.format_exc()
            connection.send(answer)
            gc.collect()
