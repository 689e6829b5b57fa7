"""The worker process of the finder bench: fuzzes one target in which a bug is planted, until it is detected.

`python -m tests.harness.fuzz.finder_bench.worker JOB BUG SECONDS`, where JOB is that of any worker, and SECONDS is the
CPU time after which the search is given up. Events go to stdout, one JSON object a line.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict
from functools import partial
from time import process_time
from typing import TYPE_CHECKING

from harness.fuzz.engine.worker import Observer, WorkerJob, do, emit, job_of
from harness.processes import end_with_parent

if TYPE_CHECKING:
    from harness.fuzz.inputs import Fields


def command(job: WorkerJob, bug: str, cpu_s: float) -> list[str]:
    """The command line of the worker process."""
    return [sys.executable, "-m", __name__, json.dumps(asdict(job)), bug, str(cpu_s)]


class BugObserver(Observer):
    """Searches for a planted bug, and ends the process when it is detected or the time is over."""

    def __init__(self, bug: str, cpu_s: float, job: WorkerJob) -> None:
        # Not at the top: the code under test is instrumented while it is imported.
        from tests.harness.fuzz.finder_bench.planted import PLANTED, Bug

        super().__init__(job)
        atheris = sys.modules.get("atheris")
        instrument = atheris.instrument_func if atheris else None
        self._bug = Bug(PLANTED[bug], instrument=instrument, notice=self._emit_once)
        self._emitted_events: set[str] = set()
        self._started = process_time()
        self._ends = self._started + cpu_s
        # An input may hang, and not every engine has a timeout.
        limit = int(self._ends) + job.timeout_s
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        self._n_executions = 0

    def check(self, fields: Fields) -> None:
        self._n_executions += 1
        violation = self._bug.detect(self.target, fields)
        if violation is not None:
            emit({"detected": self._cpu_s(), "property": violation.property, "fields": fields})
        if violation is not None or process_time() > self._ends:
            emit({"executions": self._n_executions})
            os._exit(0)

    def _emit_once(self, what: str) -> None:
        if what not in self._emitted_events:
            self._emitted_events.add(what)
            emit({what: self._cpu_s()})

    def _cpu_s(self) -> float:
        return process_time() - self._started


if __name__ == "__main__":
    end_with_parent(os.getppid())
    do(job_of(sys.argv[1]), partial(BugObserver, sys.argv[2], float(sys.argv[3])))
