"""The worker process of the finder bench: fuzzes one target in which a bug is planted, until it is detected.

The job of a worker, a bug, and the CPU time after which the search is given up come on stdin. Events go to stdout. Both
are pickled.
"""

from __future__ import annotations

import os
import pickle
import resource
import sys
from collections.abc import Sequence
from functools import partial
from time import process_time
from typing import IO, TYPE_CHECKING, Any

from harness.fuzz.engine.worker import WorkerJob, do
from harness.processes import end_with_parent

if TYPE_CHECKING:
    from harness.fuzz.engine.observer import Observer
    from harness.fuzz.inputs import Fields

COMMAND = [sys.executable, "-c", f"from {__name__} import main; main()"]


def main() -> None:
    """Do the job that comes on stdin."""
    end_with_parent(os.getppid())
    job, bug, cpu_s = pickle.load(sys.stdin.buffer)
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    do(job, events, partial(bug_observer, bug, cpu_s))


def bug_observer(bug: str, cpu_s: float, job: WorkerJob, events: IO[bytes] | None) -> Observer:
    """An observer that searches for a planted bug, and ends the process when it is detected or the time is over."""
    # Not at the top: the code under test is instrumented while it is imported.
    from harness.fuzz.engine.observer import Observer
    from harness.fuzz.targets import target_by_name
    from tests.harness.fuzz.finder_bench.planted import PLANTED, Bug

    class BugObserver(Observer):
        def __init__(self) -> None:
            super().__init__(target_by_name(job.target, ()), events=events, seconds=job.seconds, runs=None)
            atheris = sys.modules.get("atheris")
            instrument = atheris.instrument_func if atheris else None
            self._bug = Bug(PLANTED[bug], instrument=instrument, notice=self._notice)
            self._noticed: set[str] = set()
            self._started_cpu_s = process_time()
            self._tell({"started": self._started_cpu_s})
            # An input may hang, and not every engine has a timeout.
            limit = int(self._started_cpu_s + cpu_s) + job.timeout_s
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

        def check(self, fields: Fields, choices: Sequence[int] = ()) -> None:
            del choices
            self._n += 1
            violation = self._bug.detect(self.target, fields)
            if violation is not None:
                self._tell({"detected": self._cpu_s(), "property": violation.property, "fields": fields})
            if violation is not None or self._cpu_s() > cpu_s:
                self._tell({"executions": self._n})
                os._exit(0)

        def _notice(self, what: str) -> None:
            if what not in self._noticed:
                self._noticed.add(what)
                self._tell({what: self._cpu_s()})

        def _tell(self, event: dict[str, Any]) -> None:
            assert events is not None
            pickle.dump(event, events)
            events.flush()

        def _cpu_s(self) -> float:
            return process_time() - self._started_cpu_s

    return BugObserver()
