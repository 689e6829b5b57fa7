from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from corpora.load import segments
from editcore import __version__
from editcore.errors import UsageError
from harness.run.job import Job, JobResult
from reports.runs.parts import outcomes, parts_done
from reports.runs.remote import Remote
from tests.harness.program import environment
from tests.samples import samples, write_jsonl

_SLOW = 0

Question = tuple[Job, Sequence[tuple[str, str]]]


def answers(*questions: Question) -> list[JobResult | UsageError]:
    """What a station, which is started for it, answers."""
    asked = b"".join(map(pickle.dumps, questions))
    command = [sys.executable, "-m", "harness.run.cluster"]
    done = subprocess.run(command, input=asked, env=environment(), capture_output=True, check=True)
    assert not done.stderr
    at, found = 0, []
    for _ in questions:
        found.append(pickle.loads(done.stdout[at:]))
        at += len(pickle.dumps(found[-1]))
    return found


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (only,) = segments(write_jsonl(tmp_path / "a.jsonl", samples(5)))
    return Job(only, tmp_path / "run", 5.0, skip_bad=False)


SPECS = [("cascade/exact", __version__)]


def test_a_job_server_runs_one_job_after_the_other_until_its_pipe_is_closed(job: Job) -> None:
    job.folder.mkdir()
    first, second = answers((job, SPECS), (job, SPECS))
    assert isinstance(first, JobResult)
    assert isinstance(second, JobResult)
    assert (first.part, first.n_samples, first.fingerprint) == (second.part, second.n_samples, second.fingerprint)
    assert len(list(outcomes(job.folder))) == 5


def test_a_part_that_is_kept_at_a_url_is_put_there(job: Job, tmp_path: Path) -> None:
    kept = Job(job.segment, Path("nowhere"), 5.0, skip_bad=False, remote=Remote((tmp_path / "kept").as_uri()))
    (done,) = answers((kept, SPECS))
    assert isinstance(done, JobResult)
    assert parts_done(tmp_path / "kept") == {done.part}
    assert not job.folder.exists()


@pytest.mark.parametrize(
    ("specs", "what"),
    [
        ([("cascade/exact", "0.0")], f"A worker has cascade/exact in version {__version__}, not 0.0"),
        ([("others/missing", "1")], "There is no strategy 'others/missing'"),
    ],
)
def test_other_versions_and_missing_strategies_are_told(job: Job, specs: list[tuple[str, str]], what: str) -> None:
    (answer,) = answers((job, specs))
    assert isinstance(answer, UsageError)
    assert answer.message == what
