"""Run the jobs of a run on a dask cluster, with the same outcomes as `harness.run.pool`, even if workers die.

A dask worker may have several threads, and it may be a daemon process, which cannot start children with
`multiprocessing`. So each thread hands its job to a job server, a process with a worker pool, which this module is
too (`python -m harness.run.cluster`). Scheduler and workers need this version of editgauge, and they must see the
corpora under the same paths.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from editcore.errors import UsageError, importing
from editcore.quoting import first_line
from harness.processes import end_with_parent
from harness.run import pool
from harness.run.job import Job, JobResult
from harness.strategies.registry import strategy

_RETRIES = 3
"""How often a job is retried after its job server died. The scheduler itself limits how many workers a job may kill."""

_POLL_S = 2.0

Specs = Sequence[tuple[str, str]]
"""Pairs of strategy and version."""


def run_jobs(jobs: Sequence[Job], specs: Sequence[str], address: str, report: Callable[[JobResult], None]) -> None:
    """Run the jobs under the strategies on the workers of a scheduler; `report` is called with each result.

    Raises UsageError if a corpus cannot be read, or the cluster cannot be reached or goes away.
    """
    versions = [(spec, strategy(spec).version) for spec in specs]
    with _client(address) as client:
        executor = client.get_executor(pure=False, retries=_RETRIES)
        done: SimpleQueue[Any] = SimpleQueue()
        try:
            for job in jobs:
                executor.submit(run_on_worker, _with_absolute_paths(job), versions).add_done_callback(done.put)
            for _ in jobs:
                report(_result(_next_done(done, client)))
        except CancelledError:
            raise UsageError(
                f"The scheduler at {address} is gone", "Start it again, then repeat the command with --resume."
            ) from None
        finally:
            executor.shutdown(wait=False)


def _next_done(done: SimpleQueue[Any], client: Any) -> Any:
    while True:
        try:
            return done.get(timeout=_POLL_S)
        except Empty:
            # A future whose result was in transit when the scheduler died never completes.
            if client.status == "closed":
                raise CancelledError from None


def _client(address: str) -> Any:
    with importing("cluster", needed_by="--scheduler"):
        from distributed import Client
    connect: Any = Client
    for name in ("distributed.client", "tornado.application"):
        # They log tracebacks of a lost connection, which is reported here in two lines.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        return connect(address, set_as_default=False)
    except (OSError, ValueError) as error:
        reason = first_line(error)
        raise UsageError(f"No scheduler at {address}: {reason}", "Start one with `dask scheduler`.") from None


def _result(future: Any) -> JobResult:
    from distributed import KilledWorker

    try:
        answer: JobResult | UsageError = future.result()
    except KilledWorker as error:
        raise UsageError(
            f"{error.allowed_failures + 1} workers died on one job, the last one {error.last_worker.address}",
            "Give the workers more memory if that was the cause, then repeat the command with --resume.",
        ) from None
    except (ImportError, OSError) as error:
        raise UsageError(
            f"A job failed on the cluster: {error}",
            "Install this version of editgauge on all workers, see their logs, then repeat the command with --resume.",
        ) from None
    if isinstance(answer, UsageError):
        raise answer
    return answer


def _with_absolute_paths(job: Job) -> Job:
    segment = job.segment
    if segment.source != "hub":
        segment = replace(segment, path=os.path.abspath(segment.path))
    return replace(job, segment=segment, folder=Path(os.path.abspath(job.folder)))


# On the dask workers

_idle: deque[_JobServerProcess] = deque()


def run_on_worker(job: Job, specs: Specs) -> JobResult | UsageError:
    """Run a job in an idle job server of this worker, or in a new one. Raises ChildProcessError if the server died."""
    try:
        server = _idle.pop()
    except IndexError:
        server = _JobServerProcess()
    answer = server.run(job, specs)
    _idle.append(server)
    return answer


class _JobServerProcess:
    """A job server, as the dask worker sees it. It ends with the worker."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.run.cluster"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, job: Job, specs: Specs) -> JobResult | UsageError:
        assert self._process.stdin
        assert self._process.stdout
        try:
            pickle.dump((job, specs), self._process.stdin)
            self._process.stdin.flush()
            answer: JobResult | UsageError = pickle.load(self._process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            self._process.kill()
            self._process.communicate()
            raise ChildProcessError(f"the job server ended with exit code {self._process.returncode}") from None
        return answer


# The job server: a process with a pool of one worker. It reads pickled jobs and writes their results.


def main() -> None:
    """Serve jobs until stdin is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A server that outlived its worker would write the same part as the worker that repeats the job.
    end_with_parent(os.getppid())
    server = _JobServer(*_private_pipes())
    with suppress(EOFError, BrokenPipeError):
        server.serve()


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """stdin and stdout under other descriptors: a strategy that reads or prints must not interfere."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


class _JobServer:
    """A pool for the strategies of the last request. A request for other strategies replaces the pool."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests, self._answers = requests, answers

    def serve(self) -> None:
        self._receive()
        while True:
            specs = self._specs
            try:
                _check_versions(specs)
                pool.run_jobs(self._jobs(specs), [spec for spec, _ in specs], 1, self._send)
            except UsageError as error:
                self._send(error)
                self._receive()

    def _jobs(self, specs: Specs) -> Iterator[Job]:
        """Yield the requested jobs until a request names other strategies."""
        while self._specs == specs:
            with TemporaryDirectory(prefix="editgauge-") as folder:
                yield replace(self._job, folder=Path(folder)) if self._job.remote else self._job
            self._receive()

    def _receive(self) -> None:
        self._job, self._specs = pickle.load(self._requests)

    def _send(self, answer: JobResult | UsageError) -> None:
        pickle.dump(answer, self._answers)
        self._answers.flush()


def _check_versions(specs: Specs) -> None:
    for spec, version in specs:
        if strategy(spec).version != version:
            raise UsageError(
                f"A worker has {spec} in version {strategy(spec).version}, not {version}",
                "Install the same versions on all machines.",
            )


if __name__ == "__main__":
    main()
