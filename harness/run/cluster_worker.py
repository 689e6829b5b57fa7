"""A job server: a process with a pool of one worker, for a dask worker. Pickled jobs in, their results out."""

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
from harness.run import pool
from harness.run.job import Job, JobResult
from harness.run.cluster import Specs
from harness.strategies.registry import strategy


def main() -> None:
    """Serve jobs until stdin is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A server that outlived its worker would write the same part as the worker that repeats the job.
    end_with_parent(os.getppid())
    server = _JobServer(*_private_pipes())
    with suppress(EOFError, BrokenPipeError):
        server.serve()


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """stdin and stdout under other descriptors, so that strategies that read or print do not interfere."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    return requests, answers


class _JobServer:
    """The request received last, and a pool for its strategies, which is replaced when another set is requested."""

    def __init__(self, requests: BinaryIO, answers: BinaryIO) -> None:
        self._requests, self._answers = requests, answers

    def serve(self) -> None:
        """Answer requests in order. Raises EOFError after the last."""
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
        """The requested jobs, until one is requested for other strategies."""
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
