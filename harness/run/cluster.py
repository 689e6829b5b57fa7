"""The tasks of a run on a dask cluster: the same outcomes as `harness.run.pool` gives, wherever a worker dies.

A dask worker may have several threads, and be of the kind that may not have processes of its own, so each of its
threads leaves its task to a station, a process that has the pool. Scheduler and workers need editgauge installed,
in this version, and see the corpora under the same paths.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from editcore.errors import UsageError
from editcore.quoting import first_line
from harness.run.task import Done, Task
from harness.strategies.registry import strategy

_RETRIES = 3
"""How often a task whose station died is tried anew; how many workers may die under one is the scheduler's to say."""

_POLL_S = 2.0

Specs = Sequence[tuple[str, str]]
"""Strategies, and the version of each."""


def run_tasks(tasks: Sequence[Task], specs: Sequence[str], address: str, report: Callable[[Done], None]) -> None:
    """Run the tasks under the strategies on the workers of a scheduler; `report` hears of each as it is done.

    Raises UsageError where a corpus cannot be read, or the cluster is not there or does not last.
    """
    versions = [(spec, strategy(spec).version) for spec in specs]
    with _client(address) as client:
        executor = client.get_executor(pure=False, retries=_RETRIES)
        done: SimpleQueue[Any] = SimpleQueue()
        try:
            for task in tasks:
                executor.submit(run_there, _anywhere(task), versions).add_done_callback(done.put)
            for _ in tasks:
                report(_answer(_next(done, client)))
        except CancelledError:
            raise UsageError(f"The scheduler at {address} is gone", "Once there is one again, add --resume.") from None
        finally:
            executor.shutdown(wait=False)


def _next(done: SimpleQueue[Any], client: Any) -> Any:
    """The next future that is done. Raises CancelledError where none ever will be."""
    while True:
        try:
            return done.get(timeout=_POLL_S)
        except Empty:
            # A future whose answer was on its way when the scheduler died is never told.
            if client.status == "closed":
                raise CancelledError from None


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--scheduler needs dask.distributed", "Install editgauge with its extra `cluster`.") from None
    connect: Any = Client
    for name in ("distributed.client", "tornado.application"):
        # What they have to say of a lost connection is said in two lines.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return connect(address, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = first_line(error)
        raise UsageError(f"No scheduler at {address}: {reason}", "Start one with `dask scheduler`.") from None


def _answer(future: Any) -> Done:
    """What a task came to. Raises what it failed with."""
    from distributed import KilledWorker

    try:
        answer: Done | UsageError = future.result()
    except KilledWorker as error:
        raise UsageError(
            f"{error.allowed_failures + 1} workers died under one task, the last one {error.last_worker.address}",
            "Is there memory enough? Mend that, then add --resume.",
        ) from None
    except (ImportError, OSError) as error:
        raise UsageError(
            f"A task failed on the cluster: {error}",
            "Install this version of editgauge everywhere, see the workers' logs; then add --resume.",
        ) from None
    if isinstance(answer, UsageError):
        raise answer
    return answer


def _anywhere(task: Task) -> Task:
    """The task with paths that mean the same in any folder."""
    shard = task.shard if task.shard.source == "hub" else replace(task.shard, path=os.path.abspath(task.shard.path))
    return replace(task, shard=shard, folder=Path(os.path.abspath(task.folder)))


# On a worker

_idle: deque[_Station] = deque()


def run_there(task: Task, specs: Specs) -> Done | UsageError:
    """Run a task on the worker that this is called on. Raises ChildProcessError where the station died of it."""
    try:
        station = _idle.pop()
    except IndexError:
        station = _Station()
    answer = station.ask(task, specs)
    _idle.append(station)
    return answer


class _Station:
    """A process that runs tasks; it ends with the worker."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.run.cluster_worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, task: Task, specs: Specs) -> Done | UsageError:
        assert self._process.stdin
        assert self._process.stdout
        try:
            pickle.dump((task, specs), self._process.stdin)
            self._process.stdin.flush()
            answer: Done | UsageError = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError):
            self._process.communicate()
            raise ChildProcessError(f"the station ended with exit code {self._process.returncode}") from None
        return answer
