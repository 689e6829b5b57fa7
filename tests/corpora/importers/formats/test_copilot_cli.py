from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.copilot_cli import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit
from tests.corpora.importers.logs import read_all, survives, write_lines

PATH = "/home/user/demo/a.py"
DIFF = "diff --git a/home/user/demo/a.py b/home/user/demo/a.py\n--- a/home/user/demo/a.py\n+++ b/home/user/demo/a.py\n"
DIFF += "@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"
START = {
    "type": "session.start",
    "data": {
        "copilotVersion": "1.0.64",
        "context": {"cwd": "/home/user/demo", "headCommit": "c0ffee", "repository": "u/demo"},
    },
}
ARGS = {"path": PATH, "old_str": "x = 1", "new_str": "x = 2"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** Add File: b.py\n+y\n*** End Patch\n"


def start(key: str, tool: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool.execution_start", "data": {"toolCallId": key, "toolName": tool, "arguments": arguments}}


def done(key: str, content: str = "", detailed: str = "", **more: Any) -> dict[str, Any]:
    result = {"content": content, "detailedContent": detailed}
    return {"type": "tool.execution_complete", "data": {"toolCallId": key, "success": True, "result": result} | more}


def failed(key: str, message: str, **more: Any) -> dict[str, Any]:
    data = {"toolCallId": key, "success": False, "error": {"message": message} | more}
    return {"type": "tool.execution_complete", "data": data}


def events(tmp_path: Path, *rows: dict[str, Any]) -> list[Event]:
    write_lines(tmp_path / "s" / "events.jsonl", *rows)
    return read_all(IMPORTER, tmp_path)[0]


def attempt(key: str = "c1", **fields: Any) -> Attempt:
    return Attempt(
        key, "str_replace", **({"path": PATH, "edits": (Edit("x = 1", "x = 2"),), "outcome": "applied"} | fields)
    )


def test_a_session_opens_with_its_folder_version_and_commit(tmp_path: Path) -> None:
    assert events(tmp_path, START) == [Opened("/home/user/demo", "1.0.64", "c0ffee", "u/demo")]


@pytest.mark.parametrize(
    ("repository", "name"),
    [
        ("https://jane:pass@github.com/acme/app.git", "acme/app"),
        ("git@github.com:acme/app", "acme/app"),
        ("https://jane:pass@github.com", None),
    ],
)
def test_the_repository_is_named_without_the_user_of_its_url(tmp_path: Path, repository: str, name: str | None) -> None:
    opened = {"type": "session.start", "data": {"context": {"repository": repository}}}
    assert events(tmp_path, opened) == [Opened(repo=name)]


def test_an_edit_has_the_diff_of_its_result(tmp_path: Path) -> None:
    change = {"type": "session.model_change", "data": {"newModel": "m"}}
    found = events(tmp_path, change, start("c1", "edit", ARGS), done("c1", detailed=DIFF))
    assert found == [attempt(model="m", diffs=(RecordedDiff(PATH, DIFF),))]


def test_a_result_names_the_model_best(tmp_path: Path) -> None:
    change = {"type": "session.model_change", "data": {"newModel": "m"}}
    assert events(tmp_path, change, start("c1", "edit", ARGS), done("c1", model="n")) == [attempt(model="n")]


def test_a_patch_is_the_arguments_themselves_and_its_diffs_bear_its_names(tmp_path: Path) -> None:
    second = "diff --git a/home/user/demo/b.py b/home/user/demo/b.py\n"
    second += "--- /dev/null\n+++ b/home/user/demo/b.py\n@@ -0,0 +1 @@\n+y\n"
    for arguments in (PATCH, {"input": PATCH}):
        found = events(tmp_path, start("c1", "apply_patch", arguments), done("c1", detailed=DIFF + second))
        diffs = (RecordedDiff("a.py", DIFF), RecordedDiff("b.py", second))
        assert found == [Attempt("c1", "begin_patch", patch=PATCH, outcome="applied", diffs=diffs)]


def test_results_out_of_order_are_paired_by_their_ids(tmp_path: Path) -> None:
    other = ARGS | {"old_str": "y"}
    found = events(
        tmp_path, start("c1", "edit", ARGS), start("c2", "edit", other), failed("c2", "No match found"), done("c1")
    )
    assert found == [attempt("c2", edits=(Edit("y", "x = 2"),), outcome="no_match", error="No match found"), attempt()]


@pytest.mark.parametrize(
    ("message", "outcome", "error"),
    [
        ("Multiple matches found\nx = 1", "ambiguous", "Multiple matches found"),
        ("old_str and new_str are identical", "identical", "old_str and new_str are identical"),
        ("Invalid patch: no end", "malformed", "Invalid patch: no end"),
        ("Path does not exist", "unknown", "Path does not exist"),
        ("The user rejected this tool call. Use tabs!", "declined", None),
    ],
)
def test_a_failure_is_named_by_its_first_line(tmp_path: Path, message: str, outcome: str, error: str | None) -> None:
    found = events(tmp_path, start("c1", "edit", ARGS), failed("c1", message))
    assert found == [attempt(outcome=outcome, error=error)]


def test_a_code_says_that_the_user_refused(tmp_path: Path) -> None:
    found = events(tmp_path, start("c1", "edit", ARGS), failed("c1", "No match for me, thanks", code="rejected"))
    assert found == [attempt(outcome="declined")]


def test_an_edit_without_a_result_is_told_at_the_end(tmp_path: Path) -> None:
    assert events(tmp_path, start("c1", "edit", ARGS), START)[1:] == [attempt(outcome="unknown")]


def test_reads_writes_and_shell_runs_stand_where_their_results_came(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        start("1", "view", {"path": PATH}),
        start("2", "view", {"path": PATH}),
        start("3", "view", {"path": PATH, "view_range": [4, 5]}),
        start("4", "create", {"path": PATH, "file_text": "z\n"}),
        start("5", "bash", {"command": "ls"}),
        start("6", "create", {"path": PATH, "file_text": "z\n"}),
        done("5"),
        done("1", "1. a\n2. \n3. "),
        done("2", "1. a\n2. b"),
        done("3", "4. a\n5. b"),
        done("4"),
        failed("6", "File exists"),
    )
    assert found == [
        Disturbed(),
        Read(PATH, "a\n\n"),
        Read(PATH, "a\nb", whole=False),
        Read(PATH, "a\nb", 4, False),
        Wrote(PATH, "z\n"),
    ]


def test_one_tool_with_commands_is_several_tools(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        start("c1", "str_replace_editor", {"command": "str_replace"} | ARGS),
        done("c1"),
        start("c2", "str_replace_editor", {"command": "insert", "path": PATH, "insert_line": 3, "new_str": "y\n"}),
        done("c2"),
    )
    assert found == [attempt(), Attempt("c2", "insert", path=PATH, patch="y\n", line=3, outcome="applied")]


def test_broken_lines_and_results_without_calls_are_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "events.jsonl", done("c9"), start("c1", "edit", ARGS), 5, done("c1"))
    with path.open("a") as file:
        file.write('{"type": "tool.exec')
    found, counts = read_all(IMPORTER, path)
    assert found == [attempt()]
    assert counts == {
        "call or result without its counterpart": 1,
        "line is not an object": 1,
        "line is not JSON": 1,
    }


def test_nothing_that_stands_in_a_log_raises(tmp_path: Path) -> None:
    rows = [START, start("1", "edit", ARGS), done("1", detailed=DIFF), start("2", "apply_patch", PATCH)]
    rows += [done("2", detailed=DIFF), start("3", "view", ARGS), done("3", "1. a"), start("4", "edit", ARGS)]
    rows += [failed("4", "No match", code="x"), start("5", "create", ARGS | {"file_text": "x"}), done("5")]
    assert survives(IMPORTER, tmp_path / "events.jsonl", rows, lines=True)
