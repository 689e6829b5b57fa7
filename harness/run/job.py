"""A job: one segment of a corpus, under every strategy of a run -> one part of the run folder.

A job is the unit of work. Its outcomes depend on the segment and the plan only, never on which process runs the job,
when, or what else runs. Latencies are the exception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from corpora.sample import SampleError, combined_fingerprint
from corpora.segments import Segment, read_segment, sample_numbers
from editcore.errors import Unmeasured
from editcore.quoting import first_line
from editcore.types import Applied, Rejected
from harness.run.changes import Changes, edit_text
from harness.run.latency import Position, Stopwatch, Timed, TimedOut, begin, end
from harness.run.multi_edit_steps import lone_rungs, steps_of
from harness.run.repeats import FirstCalls, Repeats
from harness.run.results import EXCERPT, DescribedSample, Rows, Spool, failure_of
from harness.run.scoring import Judge
from harness.strategies.strategy import Strategy
from reports.runs.merge import PartialPart
from reports.runs.parts import PartWriter
from reports.runs.remote import Remote
from reports.runs.rows import LONGEST_MESSAGE, Outcome, Verdict, WrongEdit


class Call(NamedTuple):
    """A strategy applied to one sample; `number` counts the samples of the corpus file."""

    number: int
    strategy: str


class CallFailure(NamedTuple):
    """The outcome of a call that killed its worker."""

    verdict: Verdict
    error: str


@dataclass(frozen=True, slots=True)
class Job:
    """One segment to run under every strategy."""

    segment: Segment
    folder: Path
    timeout_s: float
    skip_bad: bool
    only: frozenset[int] | None = None
    """Numbers, in the corpus file, of the samples to run; None for all."""
    partial_part: PartialPart | None = None
    """The samples that this job runs, if the run's shard has only some of the segment's selected samples."""
    failed_calls: Mapping[Call, CallFailure] = field(default_factory=dict)
    """Calls that must not be made again, each with the outcome to record."""
    failed_starts: Mapping[str, CallFailure] = field(default_factory=dict)
    """Strategies that must not be started again, each with the outcome to record for all its calls."""
    spooled: bool = False
    """True to keep outcomes in a spool file: another crash of the worker then loses none."""
    remote: Remote | None = None
    """The URL at which the run folder is kept; None if it is `folder` itself."""
    n_repeated: int = 0
    """The number of samples, for each set of strategies, whose calls are repeated."""
    looked_at: float = 0.0
    """The share of samples whose slow calls are repeated."""

    @property
    def part(self) -> str:
        return self.partial_part.name(self.segment.name) if self.partial_part else self.segment.name

    @property
    def numbers(self) -> list[int]:
        """The numbers, in the corpus file, of the samples to run, sorted."""
        return sorted(sample_numbers(self.segment) if self.only is None else self.only)

    @property
    def n_selected(self) -> int:
        return self.segment.n_samples if self.only is None else len(self.only)

    def cut(self, start: int, end: int) -> Job:
        """The job with the samples at the positions from `start` to `end` only."""
        numbers = self.numbers
        whole = self.partial_part or PartialPart(0, len(numbers), len(numbers))
        part = PartialPart(whole.start + start, whole.start + end, whole.n)
        return replace(self, only=frozenset(numbers[start:end]), partial_part=part)


@dataclass(frozen=True, slots=True)
class JobResult:
    """The counts of a finished job. Its rows are in the part on disk."""

    part: str
    n_samples: int
    n_left_out: int
    """Samples that no strategy of the run takes, because of their format or because they are not stale."""
    bad: tuple[str, ...]
    """One line for each sample that could not be read."""
    fingerprint: int
    """The combined 128-bit fingerprint of the samples that were run."""
    strategy_ns: int
    """Time spent in strategies, with all repeats, in nanoseconds."""
    counts: Mapping[str, Counter[str]] = field(default_factory=dict)
    """Strategy -> verdict -> number of outcomes."""

    def metadata(self) -> dict[str, str]:
        return {
            "n_samples": str(self.n_samples), "n_left_out": str(self.n_left_out), "n_bad": str(len(self.bad)),
            "fingerprint": f"{self.fingerprint:032x}", "strategy_ns": str(self.strategy_ns),
        }  # fmt: skip


def run_job(
    job: Job, strategies: Sequence[Strategy], position: Position, stopwatch: Stopwatch, *,
    first_calls: FirstCalls | None = None, count: Callable[[Sequence[int], Sequence[Outcome]], None] = lambda *_: None,
    count_repeated: Callable[[float], None] = lambda _: None, goes_on: Callable[[], bool] = lambda: True,
) -> JobResult:  # fmt: skip
    """Run a job, and write its part sample by sample.

    `first_calls` are the worker's calls in earlier jobs of the run; None for a first job. `count` is called with the
    outcomes of each sample and the indices of their strategies, `count_repeated` with the share of the repeated calls
    that are done. Once `goes_on` returns False, no further sample is run, and the part is a partial one.
    """
    spool = Spool(job.folder, job.part) if job.spooled else None
    formats = frozenset().union(*(strategy.formats for strategy in strategies))
    rungs = lone_rungs(strategies)
    bad: list[str] = []
    outcomes: list[list[Outcome]] = []
    repeats = Repeats(job.n_repeated, job.looked_at, first_calls or FirstCalls())
    n_samples = strategy_ns = total = 0
    counts = {strategy.name: Counter[str]() for strategy in strategies}

    def keep(error: SampleError) -> None:
        bad.append(error.message)

    with PartWriter(job.folder, job.part) as part:
        samples = read_segment(job.segment, formats=formats, only=job.only, on_bad=keep if job.skip_bad else None)
        for number, sample in samples:
            described = DescribedSample(number, sample, strategies)
            if not described.chosen:
                continue
            rows = spool.rows(number) if spool else None
            if rows is None:
                position[0] = number
                rows = _run_sample(described, job, position, stopwatch)
                rows.steps = steps_of(sample, rungs)
                if spool:
                    rows.compared(sample)  # A spool file has no results, so their answers are computed now.
                    spool.add(number, rows)
            else:
                rows.outcomes = [_known(job, described, one.strategy) or one for one in rows.outcomes]
            repeats.offer(described, rows)
            n_samples += 1
            count([index for index, _ in described.chosen], rows.outcomes)
            strategy_ns += rows.strategy_ns
            total = combined_fingerprint((total, rows.fingerprint))
            outcomes.append(rows.outcomes)
            part.add(
                (), rows.wrong_edits, [rows.sample] if rows.sample else (), rows.steps,
                [rows.text] if rows.text else (), rows.changes,
            )  # fmt: skip
            if not goes_on():
                job = job.cut(0, job.numbers.index(number) + 1)
                break
        strategy_ns += repeats.repeat(position, stopwatch, timeout_s=job.timeout_s, progress=count_repeated)
        # Outcomes come last, because repeats change them.
        for some in outcomes:
            part.add(some, ())
            for outcome in some:
                counts[outcome.strategy][outcome.verdict] += 1
        n_left_out = job.n_selected - n_samples - len(bad)
        result = JobResult(job.part, n_samples, n_left_out, tuple(bad), total, strategy_ns, counts)
        part.close(result.metadata(), as_part=job.part)
    if spool:
        spool.remove()
    return result


def _run_sample(described: DescribedSample, job: Job, position: Position, stopwatch: Stopwatch) -> Rows:
    """The outcomes of a sample under each strategy that takes it."""
    sample, rows = described.sample, Rows(described.fingerprint, sample=described.used())
    judge, changes = Judge(sample), Changes(sample)
    for index, strategy in described.chosen:
        if known := _known(job, described, strategy.name):
            rows.outcomes.append(known)
            rows.results.append(None)
            continue
        call = stopwatch.call(
            strategy, sample, described.document, timeout_s=strategy.once_s or job.timeout_s,
            begin=partial(begin, position, index),
        )  # fmt: skip
        end(position)
        rows.strategy_ns += call.total_ns
        _add(rows, judge, changes, strategy.name, call)
    rows.text, rows.changes = changes.text(), changes.rows()
    described.forget()
    return rows


def _known(job: Job, described: DescribedSample, strategy: str) -> Outcome | None:
    """The recorded outcome of a call that must not be made again; None if the call may be made."""
    failure = job.failed_calls.get(Call(described.number, strategy)) or job.failed_starts.get(strategy)
    if failure is None:
        return None
    sample = described.sample
    return Outcome(sample.id, strategy, failure.verdict, error=failure.error or None, failed_label=sample.label)


def _add(rows: Rows, judge: Judge, changes: Changes, strategy: str, call: Timed) -> None:
    result, sample = call.value, judge.sample
    rows.results.append(None)
    if isinstance(result, Unmeasured):
        rows.outcomes.append(Outcome(sample.id, strategy, Verdict.UNMEASURED, error=str(result)))
        return
    error = None if isinstance(result, TimedOut) else failure_of(sample, call)
    if error or isinstance(result, TimedOut):
        verdict = Verdict.CRASHED if error else Verdict.TIMED_OUT
        rows.outcomes.append(Outcome(sample.id, strategy, verdict, error=error, failed_label=sample.label))
        return
    assert isinstance(result, Applied | Rejected)
    rows.results[-1] = result
    score = judge.score(result)
    timed = partial(
        Outcome, sample.id, strategy, score.verdict, list_left=judge.list_left(result), latency_ns=call.latency_ns,
        cpu_ns=call.cpu_ns, first_cpu_ns=call.cpu_ns, n_timed=1,
    )  # fmt: skip
    if isinstance(result, Rejected):
        message = first_line(result.message, limit=LONGEST_MESSAGE) or None
        rows.outcomes.append(timed(reason=result.reason, message=message, lines=changes.lines(result.candidates)))
        return
    changes.add(strategy, result)
    rows.outcomes.append(
        timed(
            damage=score.damage, replacer=result.replacer, n_matches=len(result.matches), severity=score.severity,
            alternative=score.alternative, equal_by=score.equal_by, n_lines_lost=score.n_lines_lost,
            n_bytes_changed=score.n_bytes_changed, lines=changes.lines(result.matches),
        )
    )  # fmt: skip
    if score.damage and score.excerpts:
        rows.wrong_edits.append(
            WrongEdit(
                sample.id, strategy, score.damage, result.replacer, edit=edit_text(sample)[:EXCERPT],
                severity=score.severity, n_lines_lost=score.n_lines_lost, **score.excerpts._asdict(),
            )
        )  # fmt: skip
