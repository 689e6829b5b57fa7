"""Documents under several processes at once, and under processes that are killed, on both databases."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from editcore.host.documents.store import Documents
from tests.editcore.host.documents import store_load as sessions_load
from tests.editcore.host.documents.store_load import path_of, problems, set_off, started

PATH = path_of(0)


@pytest.fixture
def start(url: str, project_id: str) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts processes that edit, and ends them at the end of the test."""
    processes: list[subprocess.Popen[str]] = []

    def begin(name: str, **options: object) -> subprocess.Popen[str]:
        processes.append(
            started(url, project_id, name, **{"seconds": 60, "threads": 1, "documents": 1, "fast": True, **options})
        )
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def ended(processes: list[subprocess.Popen[str]]) -> list[dict[str, Any]]:
    """The results that the processes print at their end."""
    set_off(processes)
    return [json.loads(process.communicate()[0]) for process in processes]


@pytest.mark.slow
def test_processes_that_edit_one_document_lose_nothing(
    documents: Documents, start: Callable[..., subprocess.Popen[str]]
) -> None:
    documents.save(PATH, "")
    done = ended([start(f"p{n}", edits=25) for n in range(4)])
    acknowledged = {id for one in done for id in one["acknowledged"]}
    n_refused = sum(one["refusals"].get("INVALID_INPUT", 0) for one in done)
    assert len(acknowledged) + n_refused == 100
    edits = [edit for session in documents.sessions(PATH) for edit in documents.edits(session.id)]
    assert {edit.id for edit in edits} == acknowledged
    assert problems(documents, acknowledged, n_documents=1) == []


@pytest.mark.slow
def test_processes_that_only_add_leave_every_line_in_one_session(
    documents: Documents, start: Callable[..., subprocess.Popen[str]]
) -> None:
    documents.save(PATH, "")
    done = ended([start(f"p{n}", edits=25, adding=True) for n in range(4)])
    assert sum(len(one["acknowledged"]) for one in done) == 100
    (session,) = documents.sessions(PATH)
    assert [edit.edit_order for edit in documents.edits(session.id)] == list(range(1, 101))
    assert sorted(session.ai_version.splitlines()) == sorted(f"p{p}-0 {n}." for p in range(4) for n in range(25))


@pytest.mark.slow
def test_processes_that_race_to_open_a_session_open_one(
    documents: Documents, start: Callable[..., subprocess.Popen[str]]
) -> None:
    n_documents = 40
    for n in range(n_documents):
        documents.save(path_of(n), "")
    ended([start(f"p{n}", edits=60, documents=n_documents, adding=True) for n in range(4)])
    for n in range(n_documents):
        assert len(documents.sessions(path_of(n))) == 1
    assert problems(documents, set(), n_documents=n_documents) == []


@pytest.mark.slow
def test_of_the_processes_that_race_to_create_a_document_one_does(
    documents: Documents, start: Callable[..., subprocess.Popen[str]]
) -> None:
    done = ended([start(f"p{n}", edits=1, creating=True) for n in range(4)])
    (id,) = [id for one in done for id in one["acknowledged"]]
    assert [one["refusals"] for one in done].count({"INVALID_INPUT": 1}) == 3
    (session,) = documents.sessions(PATH)
    (edit,) = documents.edits(session.id)
    assert edit.id == id
    assert session.ai_version == edit.suggestion.new_str


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_all_it_was_told_of_and_at_most_one_edit_more(
    opened: Callable[..., Documents], start: Callable[..., subprocess.Popen[str]]
) -> None:
    rng, documents = random.Random(0), opened()
    documents.save(PATH, "")
    total = 0
    for n in range(5):
        process = start(f"p{n}", adding=True, aloud=True)
        set_off([process])
        time.sleep(rng.uniform(0.1, 0.5))
        process.kill()
        told = [line for line in process.communicate()[0].split("\n")[:-1] if line.startswith("p")]
        documents.close()
        documents = opened()
        version = documents.version(PATH)
        mine = [line for line in version.splitlines() if line.startswith(f"p{n}-")]
        assert told == mine[: len(told)]
        assert len(mine) <= len(told) + 1
        assert told
        total += len(mine)
        assert len(version.splitlines()) == total
        assert problems(documents, set(), n_documents=1) == []


@pytest.mark.slow
def test_a_load_leaves_every_edit_in_its_place(tmp_path: Path, url: str) -> None:
    wanted = ["--url", url, "--seconds", "2", "--processes", "2", "--threads", "4", "--fast"]
    line = [sys.executable, sessions_load.__file__, *wanted]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all edits are there" in done.stdout
