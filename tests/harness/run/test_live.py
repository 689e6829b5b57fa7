"""What a run has done so far, while its workers are within their jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from corpora.load import segments
from harness.run.job import Job, JobResult
from harness.run.pool import LiveCounts, RunProgress
from reports.runs.rows import Outcome
from tests.samples import samples, write_jsonl


def counted(*verdicts: str) -> LiveCounts:
    live = LiveCounts(2)
    for verdict in verdicts:
        live.add([1], [Outcome("s", "a/second", verdict)])
    return live


def test_counts_are_by_strategy_and_verdict() -> None:
    live = counted("correct", "wrong_edit", "correct", "crashed")
    assert live.n_samples == 4
    assert live.verdicts(1) == {"correct": 2, "wrong_edit": 1, "missed": 0, "refused": 0}
    assert not any(live.verdicts(0).values())
    live.clear()
    assert (live.n_samples, sum(live.verdicts(1).values())) == (0, 0)


def test_finished_jobs_and_workers_within_theirs_add_up(tmp_path: Path) -> None:
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", samples(6)))
    job = Job(only, tmp_path, 5.0, skip_bad=False)
    seen: list[tuple[int, int, Sequence[str]]] = []

    def report(n_done: int, n: int, /, *, below: Sequence[str] = ()) -> None:
        seen.append((n_done, n, below))

    progress = RunProgress([job], [job], ["a/one", "a/second"], report, lambda _: None)
    progress.show([counted("correct", "missed"), counted("correct")])
    progress.add(JobResult(job.part, 6, 0, (), 0, 0, {"a/second": Counter({"correct": 5, "refused": 1})}))
    assert seen == [
        (0, 6, []),
        (3, 6, ["a/second  2 correct, 0 wrong, 1 missed, 0 refused"]),
        (6, 6, ["a/second  5 correct, 0 wrong, 0 missed, 1 refused"]),
    ]


def test_a_program_that_does_not_answer_its_first_request_is_told_once(tmp_path: Path) -> None:
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", samples(6)))
    job, warned = Job(only, tmp_path, 5.0, skip_bad=False), list[str]()
    progress = RunProgress([job], [job], ["cmd/mine"], lambda *_, **__: None, warned.append)
    live = LiveCounts(1)
    progress.show([live])
    assert warned == []
    live.starting = "cmd/mine"
    progress.show([live])
    progress.show([live, live])
    assert warned == [
        "cmd/mine has not answered its first request for 3 s: it has 60 s to start, whatever --timeout says "
        "(EDITGAUGE_START_TIMEOUT sets another limit)"
    ]
