"""SWE-agent's submissions, whose ids prove what windows do not show."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.beside_calls.swe_agent_submission import blob_id
from corpora.importers.collect import Imported, collect
from corpora.importers.formats.swe_agent import IMPORTER
from corpora.load import load
from corpora.sample import Sample
from tests.corpora.importers.formats.test_swe_agent import step
from tests.corpora.importers.logs import git, write_lines

LINES = [f"line {n}" for n in range(1, 201)]
BEFORE = "\n".join(LINES) + "\n"
ONCE = BEFORE.replace("line 7\n", "seven\n")
TWICE = ONCE.replace("line 150\n", "150\nand more\n")


def shown(text: str, first: int, last: int) -> str:
    """The window of a part of the file."""
    lines = text.split("\n")[first - 1 : last]
    n = text.count("\n")
    numbered = "\n".join(f"{first + at}:{line}" for at, line in enumerate(lines))
    above = f"({first - 1} more lines above)\n" if first > 1 else ""
    return f"[File: /demo/a.py ({n} lines total)]\n{above}{numbered}\n({n - last} more lines below)\n"


def run(*more: dict[str, Any], after: str = TWICE, before: str = BEFORE) -> dict[str, Any]:
    """A run of two edits by lines, one of which is refused by the linter first."""
    steps = [
        step("open a.py", shown(BEFORE, 1, 100), working_dir="/demo"),
        step("edit 7:7\nseven(\nend_of_edit", "Your proposed edit has introduced new syntax error(s)."),
        step("edit 7:7\nseven\nend_of_edit", shown(ONCE, 1, 100) + "File updated."),
        step("goto 150", shown(ONCE, 120, 180)),
        step("edit 150:150\n150\nand more\nend_of_edit", shown(TWICE, 120, 180) + "File updated."),
        *more,
    ]
    index = f"index {blob_id(before)[:10]}..{blob_id(after)[:10]} 100644"
    submission = f"diff --git a/a.py b/a.py\n{index}\n--- a/a.py\n+++ b/a.py\n@@ ...\n"
    return {"trajectory": steps, "info": {"submission": submission}}


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text(BEFORE)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
        git(folder, *arguments)
    return folder


def imported(tmp_path: Path, log: dict[str, Any], **given: Any) -> tuple[list[Sample], Imported]:
    path = write_lines(tmp_path / "logs" / "demo-1.traj", log)
    done = collect([(IMPORTER, path)], tmp_path / "out.jsonl", replace=True, **given)
    return list(load(tmp_path / "out.jsonl")) if done.n_samples else [], done


def texts(found: list[Sample]) -> list[tuple[str, str | None, str, str | None]]:
    return [
        (one.label, one.label_source, one.before[0].content, one.target[0].content if one.target else None)
        for one in found
    ]


def test_windows_alone_leave_the_texts_unknown(tmp_path: Path) -> None:
    found, done = imported(tmp_path, run())
    assert found == []
    assert done.tally.counts["left out: the file's text is not known"] == 2


def test_the_ids_of_a_submission_prove_each_text_in_between(tmp_path: Path, repo: Path) -> None:
    found, done = imported(tmp_path, run(), repo=repo)
    assert texts(found) == [("apply", "git", BEFORE, ONCE), ("apply", "git", ONCE, TWICE)]
    assert done.tally.counts["file whose edits the submission proves"] == 1


def test_a_submitted_text_that_the_edits_do_not_lead_to_proves_nothing_but_the_first(
    tmp_path: Path, repo: Path
) -> None:
    found, done = imported(tmp_path, run(after=TWICE + "more\n"), repo=repo)
    assert texts(found) == [("apply", "exact", BEFORE, ONCE), ("apply", "exact", ONCE, TWICE)]
    assert done.tally.counts["file whose edits do not lead to the submitted text"] == 1


def test_a_window_that_contradicts_a_text_makes_it_unknown(tmp_path: Path, repo: Path) -> None:
    log = run(after="")
    log["trajectory"][3]["observation"] = shown(ONCE.replace("line 130", "other"), 120, 180)
    found, _ = imported(tmp_path, log, repo=repo)
    assert texts(found) == [("apply", "exact", BEFORE, ONCE)]


def test_a_base_has_the_texts_of_files_that_no_submission_names(tmp_path: Path, repo: Path) -> None:
    log = run() | {"info": {}}
    assert imported(tmp_path, log, repo=repo)[0] == []
    found, _ = imported(tmp_path, log, repo=repo, base="HEAD")
    assert texts(found) == [("apply", "exact", BEFORE, ONCE), ("apply", "exact", ONCE, TWICE)]
    log["trajectory"][0]["state"] = "{}"
    assert len(imported(tmp_path, log, repo=repo, base="HEAD")[0]) == 2


def test_a_text_that_is_not_in_the_repository_is_counted(tmp_path: Path, repo: Path) -> None:
    found, done = imported(tmp_path, run(before="x"), repo=repo)
    assert found == []
    assert done.tally.counts["file of a submission whose text is not in the repository"] == 1


@pytest.mark.parametrize("submission", [7, "", "diff --git a/x b/y\nindex 1234..5678\n", "index 1234..5678\n" * 9])
def test_a_submission_of_any_shape_is_no_trouble(tmp_path: Path, repo: Path, submission: Any) -> None:
    log = run() | {"info": {"submission": submission}}
    assert imported(tmp_path, log, repo=repo)[0] == []


def test_new_files_begin_with_their_first_text(tmp_path: Path) -> None:
    head = "[File: /demo/new.py (1 lines total)]\n1:"
    steps = [
        step("create new.py", head, working_dir="/demo"),
        step("edit 1:1\nx = 1\ny = 1\nend_of_edit", "Your proposed edit has introduced new syntax error(s)."),
        step(
            "edit 1:1\nx = 1\ny = 1\nend_of_edit", head.replace("1 lines", "2 lines") + "x = 1\n2:y = 1\nFile updated."
        ),
        step("edit 2:2\ny = 2\nend_of_edit", head.replace("1 lines", "2 lines") + "x = 1\n2:y = 2\nFile updated."),
    ]
    found, done = imported(tmp_path, {"trajectory": steps})
    assert texts(found) == [("apply", "tool_result", "x = 1\ny = 1\n", "x = 1\ny = 2\n")]
    assert done.tally.counts["left out: the first text of a new file"] == 2


def test_blob_ids_are_those_of_git(repo: Path) -> None:
    assert git(repo, "rev-parse", "HEAD:a.py") == blob_id(BEFORE)
    assert subprocess.run(["git", "-C", str(repo), "cat-file", "-e", blob_id(BEFORE)], check=False).returncode == 0
