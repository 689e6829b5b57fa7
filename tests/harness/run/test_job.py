from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from corpora.load import segments
from corpora.sample import Sample
from editcore.text.document import Document
from editcore.types import Applied, EditResult, File
from harness.run.job import Call, CallFailure, Job, run_job
from harness.run.latency import Stopwatch
from harness.strategies.strategy import Strategy
from reports.runs import parts
from reports.runs.manifest import SPOOL
from reports.runs.parts import outcomes, wrong_edits
from reports.runs.rows import Verdict
from tests.samples import sample, samples, write_jsonl


class Recorder:
    """A strategy that notes which samples it saw, and is interrupted at one of them."""

    def __init__(self, interrupted_at: str | None = None) -> None:
        self.seen: list[str] = []
        self.interrupted_at = interrupted_at
        self.strategy = Strategy("test/recorder", frozenset(["str_replace"]), self, "Notes.", "1")

    def __call__(self, one: Sample, _: Document | None) -> EditResult:
        if one.id == self.interrupted_at:
            raise KeyboardInterrupt
        if one.id not in self.seen:
            self.seen.append(one.id)
        return Applied("other")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", samples(5)))
    folder = tmp_path / "run"
    folder.mkdir()
    return Job(only, folder, 20.0, skip_bad=False)


def seen_in(job: Job, stopwatch: Stopwatch, *, interrupted_at: str | None = None) -> list[str]:
    recorder = Recorder(interrupted_at)
    try:
        run_job(job, [recorder.strategy], [0, 0, 0, 0], stopwatch)
    except KeyboardInterrupt:
        assert interrupted_at
    return recorder.seen


def test_a_shard_is_done_as_a_whole_or_not_at_all(job: Job, stopwatch: Stopwatch) -> None:
    assert seen_in(job, stopwatch, interrupted_at="s3") == ["s0", "s1", "s2"]
    assert [path for path in job.folder.rglob("*") if path.is_file()] == []
    assert seen_in(job, stopwatch) == ["s0", "s1", "s2", "s3", "s4"]
    assert len(list(outcomes(job.folder))) == 5


def test_after_a_crash_what_is_done_is_not_done_again(job: Job, stopwatch: Stopwatch) -> None:
    spooled = replace(job, spooled=True)
    assert seen_in(spooled, stopwatch, interrupted_at="s2") == ["s0", "s1"]
    assert seen_in(spooled, stopwatch, interrupted_at="s4") == ["s2", "s3"]
    assert seen_in(spooled, stopwatch) == ["s4"]
    assert [outcome.sample_id for outcome in outcomes(job.folder)] == ["s0", "s1", "s2", "s3", "s4"]
    assert not (job.folder / SPOOL).exists()


@pytest.mark.parametrize("n_bytes", [1, 7, 40])
def test_a_record_that_a_crash_cut_short_is_done_again(job: Job, stopwatch: Stopwatch, n_bytes: int) -> None:
    spooled = replace(job, spooled=True)
    seen_in(spooled, stopwatch, interrupted_at="s2")
    spool = job.folder / SPOOL / job.segment.name
    spool.write_bytes(spool.read_bytes()[:-n_bytes])
    assert seen_in(spooled, stopwatch, interrupted_at="s3") == ["s1", "s2"]
    assert seen_in(spooled, stopwatch) == ["s3", "s4"]
    assert [outcome.sample_id for outcome in outcomes(job.folder)] == ["s0", "s1", "s2", "s3", "s4"]


def test_a_cell_whose_fate_is_known_is_not_tried(job: Job, stopwatch: Stopwatch) -> None:
    doomed = replace(job, failed_calls={Call(2, "test/recorder"): CallFailure(Verdict.CRASHED, "it burned")})
    assert seen_in(doomed, stopwatch) == ["s0", "s2", "s3", "s4"]
    row = list(outcomes(job.folder))[1]
    assert (row.sample_id, row.verdict, row.error, row.latency_ns) == ("s1", "crashed", "it burned", None)


def test_the_supervisor_sees_which_cell_runs_and_that_none_runs_afterwards(job: Job, stopwatch: Stopwatch) -> None:
    position = [0, 0, 0, 0]
    cells = []

    def look(*_: object) -> EditResult:
        cells.append((position[0], position[1], position[2] > 0))
        return Applied("other")

    strategies = [Strategy(f"test/{n}", frozenset(["str_replace"]), look, "Looks.", "1") for n in range(2)]
    run_job(job, strategies, position, stopwatch)
    assert list(dict.fromkeys(cells)) == [(number, index, True) for number in range(1, 6) for index in range(2)]
    assert position[2] == 0


def test_every_sample_has_its_own_document(tmp_path: Path, stopwatch: Stopwatch) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [sample(0), sample(1), sample(2, before="another\n")])
    documents = []

    def keep(one: Sample, document: Document | None) -> EditResult:
        assert document
        assert document.text == one.before[0].content
        documents.append(document)
        return Applied("other")

    strategy = Strategy("test/keep", frozenset(["str_replace"]), keep, "Keeps.", "1")
    run_job(Job(segments(path)[0], tmp_path, 20.0, False), [strategy], [0, 0, 0, 0], stopwatch)
    assert len({id(document) for document in documents}) == 3


def test_a_sample_of_several_files_has_no_document(tmp_path: Path, stopwatch: Stopwatch) -> None:
    two = (File("a.py", "a\n"), File("b.py", "b\n"))
    one = replace(sample(0), format="begin_patch", edits=None, patch="...", before=two, label="apply", target=two[:1])
    path = write_jsonl(tmp_path / "a.jsonl", [one])

    def drop(one: Sample, document: Document | None) -> EditResult:
        assert document is None
        return Applied(files={one.before[0].path: one.before[0].content})

    strategy = Strategy("test/drop", frozenset(["begin_patch"]), drop, "Drops.", "1")
    run_job(Job(segments(path)[0], tmp_path, 20.0, False), [strategy], [0, 0, 0, 0], stopwatch)
    assert [outcome.verdict for outcome in outcomes(tmp_path)] == ["correct"]


def test_outcomes_are_written_as_they_come(job: Job, stopwatch: Stopwatch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "ROW_GROUP", 2)
    seen_in(job, stopwatch)
    assert [outcome.sample_id for outcome in outcomes(job.folder)] == ["s0", "s1", "s2", "s3", "s4"]
    assert {edit.edit for edit in wrong_edits(job.folder)} >= {"<<<<<<< SEARCH\ny = 0\n=======\nx = 2\n>>>>>>> REPLACE"}
