"""Supervised worker processes: a crash or a hang costs one call, never the run.

Each worker writes to shared memory which sample and strategy it is running, and since when. A worker that dies, or
that exceeds the time limit where no signal reaches it, is replaced, and its job is run again. A call is not made
again if it exceeded the limit or if two workers died during it: that becomes its outcome. (A single death may be an
outside kill and changes no outcome.)

If the start of a strategy failed this way, all its calls of the job have that outcome. If a repeat did, nothing is
repeated in the job after that.

The progress of a run is the counts of its finished jobs, and the counts of workers within their jobs.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.sharedctypes import RawArray
from time import monotonic_ns
from typing import Any

from editcore.errors import UsageError
from harness.processes import end_with_parent, exit_text, hidden_arguments, nothing_left_behind
from harness.progress import Report
from harness.run.job import Call, CallFailure, Job, JobResult, run_job
from harness.run.latency import Phase, Position, Stopwatch
from harness.run.repeats import FirstCalls
from harness.strategies.command_process import keep_stderr
from harness.strategies.external import START_VARIABLE, start_limit_s
from harness.strategies.registry import strategy
from reports.runs.rows import Outcome, Verdict

# The progress of a run: counts of finished jobs, and counts of workers within their jobs.

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
        for name, counts in result.counts.items():
            self._counts.setdefault(name, Counter()).update(counts)
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
        for index, name in enumerate(self._strategies):
            counts = Counter(self._counts.get(name, {}))
            for one in live:
                counts.update(one.verdicts(index))
            if counts.total():
                lines[name] = ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in _SHOWN.items())
        width = max(map(len, lines), default=0)
        started = sum(one.n_samples * (1 + self._repeats * one.share_repeated) for one in live)
        n_done = self._n_done + started / (1 + self._repeats)
        below = [f"{name:<{width}}  {line}" for name, line in lines.items()]
        self._report(min(int(n_done), self._n_samples), self._n_samples, below=below)


_GRACE_S = 1.0
"""How long a call may exceed its time limit before its worker is killed."""
_POLL_S = 0.25
_DEATHS_OUTSIDE_CALLS = 3
"""How many workers may die on one job while no strategy is running."""


Live = Callable[[Sequence[LiveCounts]], None]


def run_jobs(
    jobs: Iterable[Job], specs: Sequence[str], n_workers: int, report: Callable[[JobResult], None], *,
    live: Live = lambda _: None, max_failed: int | None = None,
) -> None:  # fmt: skip
    """Run the jobs, in order, under the strategies in `n_workers` processes; `report` is called with each result.

    `live` is called several times a second with the counts of the workers that are within a job. A worker ends a job
    after `max_failed` wrong outcomes. The next job is taken from `jobs` when a process is free for it.

    Raises UsageError if a corpus cannot be read. On any exception the workers are killed. Nothing that they or their
    commands started outlives the call. Meanwhile no command line of these processes names the run.
    """
    waiting = iter(jobs)
    workers: list[_Worker] = []
    with nothing_left_behind(), hidden_arguments(), ExitStack() as stack:
        for job in islice(waiting, max(1, n_workers)):
            worker = _Worker(specs, max_failed)
            stack.callback(worker.stop)
            workers.append(worker)
            worker.start(workers)
            worker.assign(job)
        busy = list(workers)
        while busy:
            ready = wait([worker.connection for worker in busy], timeout=_POLL_S)
            for worker in list(busy):
                if worker.connection not in ready:
                    worker.kill_if_overdue()
                    continue
                result = worker.receive()
                if result is None:
                    continue
                report(result)
                following = next(waiting, None)
                if following:
                    worker.assign(following)
                else:
                    busy.remove(worker)
            live([worker.live for worker in busy])


class _Worker:
    """A worker process and its current job."""

    def __init__(self, specs: Sequence[str], max_failed: int | None) -> None:
        self._specs = list(specs)
        self._position: Any = RawArray("q", 4)
        self.live = LiveCounts(len(specs), max_failed=max_failed)
        self._job: Job | None = None
        self._n_deaths: Counter[Call | tuple[int, str] | None] = Counter()

    def start(self, others: Sequence[_Worker]) -> None:
        # Fork on Linux: this process has no threads, and a forked worker needs no second start-up.
        context: BaseContext = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self._others = others
        self.connection, theirs = context.Pipe()
        # A forked child inherits our ends of all pipes, and must close them to notice when this process ends.
        ours = [worker.connection for worker in others if hasattr(worker, "connection")]
        inherited = ours if context.get_start_method() == "fork" else []
        self._process: Any = context.Process(  # type: ignore[attr-defined]
            target=_worker_main, args=(theirs, self._specs, self._position, self.live, os.getpid(), inherited),
            daemon=True,
        )  # fmt: skip
        self._process.start()
        theirs.close()

    def assign(self, job: Job) -> None:
        self._job = job
        self._n_deaths.clear()
        self._send(job)

    def _send(self, job: Job) -> None:
        # The new job begins at no call: an old position must not be blamed for a death before the first one.
        self._position[2] = 0
        self.live.clear()
        with suppress(BrokenPipeError):
            self.connection.send(job)

    def receive(self) -> JobResult | None:
        """The result that the worker sent; None if the worker died and its job was started again."""
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):  # It died before the result, or within it.
            self._restart()
            return None
        if isinstance(answer, UsageError):
            raise answer
        if isinstance(answer, str):
            raise RuntimeError(f"a worker failed outside any strategy:\n{answer}")
        assert isinstance(answer, JobResult)
        return answer

    def kill_if_overdue(self) -> None:
        """Kill the worker if its call has exceeded the time limit. The supervisor then proceeds as after a crash."""
        since = self._position[2]
        if not self._job or not since:
            return
        own = strategy(self._specs[self._position[1]]).once_s
        is_start = self._position[3] == Phase.START
        limit = start_limit_s() if is_start else own or self._job.timeout_s
        is_late = is_start and monotonic_ns() - since > STARTING_S * 1e9
        self.live.starting = strategy(self._specs[self._position[1]]).name if is_late else ""
        if monotonic_ns() - since > (limit + _GRACE_S) * 1e9:
            self._process.kill()
            self._job = self._without_call(CallFailure(Verdict.TIMED_OUT, ""))

    def _without_call(self, failure: CallFailure) -> Job:
        """The job with this outcome for the current call, or for all calls of a strategy that is being started."""
        job, call = self._job, self._call()
        assert job is not None
        if self._position[3] == Phase.START:
            return replace(job, failed_starts={**job.failed_starts, call.strategy: failure})
        # Another such repeat would cost as much: there are no more of them in this job.
        n_repeated = 0 if self._position[3] == Phase.REPEAT else job.n_repeated
        return replace(job, failed_calls={**job.failed_calls, call: failure}, n_repeated=n_repeated)

    def _call(self) -> Call:
        return Call(self._position[0], strategy(self._specs[self._position[1]]).name)

    def _restart(self) -> None:
        """Start the job again in a new process. A call during which two workers died is taken for the cause."""
        self._process.join()
        self.connection.close()
        job, call = self._job, self._call() if self._position[2] else None
        assert job is not None
        how = exit_text(self._process.exitcode)
        phase = self._position[3]  # The start or the repeat of a strategy is blamed whatever the sample was.
        blamed = call if call is None or phase == Phase.CALL else (phase, call.strategy)
        is_known = call is not None and (call in job.failed_calls or call.strategy in job.failed_starts)
        self._n_deaths[blamed] += not is_known
        if blamed is None and self._n_deaths[blamed] == _DEATHS_OUTSIDE_CALLS:
            raise UsageError(
                f"{_DEATHS_OUTSIDE_CALLS} workers ended while reading {job.segment.path}, the last with {how}",
                "There may be too little memory: try a single worker with -j 1.",
            )
        if blamed is not None and self._n_deaths[blamed] == 2 and not is_known:
            job = self._without_call(_failure(phase, how))
        # From the first death on, rows are kept on disk, so the next worker need not make their calls again.
        self._job = replace(job, spooled=True)
        self.start(self._others)
        self._send(self._job)

    def stop(self) -> None:
        """Kill the process if it is still running."""
        process = getattr(self, "_process", None)
        if process is None:
            return
        if process.is_alive():
            process.kill()
        process.join()
        self.connection.close()


def _failure(phase: int, how: str) -> CallFailure:
    """The outcome of a call that ended two workers."""
    if phase == Phase.REPEAT:
        return CallFailure(Verdict.UNSTABLE, f"the same request again: the process ended with {how}")
    return CallFailure(Verdict.CRASHED, f"the process ended with {how}{' at its start' * (phase == Phase.START)}")


def _worker_main(
    connection: Connection, specs: Sequence[str], position: Position, live: LiveCounts, parent: int,
    inherited: Sequence[Connection],
) -> None:  # fmt: skip
    """Run the jobs that come through the pipe, and send their results, until the pipe is closed."""
    for other in inherited:
        other.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    end_with_parent(parent)
    chosen = [strategy(spec) for spec in specs]
    # What was there before the fork is the other process's to collect: going through it here would copy it.
    gc.freeze()
    gc.disable()
    first_calls = FirstCalls()
    with Stopwatch() as stopwatch, suppress(EOFError, BrokenPipeError, KeyboardInterrupt):
        while os.getppid() == parent:
            job = connection.recv()
            keep_stderr(job.folder)
            answer: JobResult | UsageError | str
            try:
                answer = run_job(
                    job, chosen, position, stopwatch, first_calls=first_calls, count=live.add,
                    count_repeated=live.add_repeated,
                    goes_on=lambda: live.goes_on,
                )  # fmt: skip
                if job.remote:
                    job.remote.put_part(job.folder, answer.part)
            except UsageError as error:
                answer = error
            except OSError as error:
                reason = error.strerror or str(error)
                answer = UsageError(f"{job.folder} cannot be written: {reason}", "Fix that, then add --resume.")
            except Exception:
                import traceback

                answer = traceback.format_exc()
            connection.send(answer)
            gc.collect()
