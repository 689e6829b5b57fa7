from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.gemini_cli import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read_all, survives, write_lines

PATH = "/home/user/demo/a.py"
DIFF = "Index: a.py\n--- a.py\tCurrent\n+++ a.py\tProposed\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"


def call(name: str, args: Any, *, status: str = "success", display: Any = None, **response: Any) -> dict[str, Any]:
    result = [{"functionResponse": {"id": "c1", "name": name, "response": response}}]
    return {"id": "c1", "name": name, "args": args, "status": status, "resultDisplay": display, "result": result}


def session(*calls: dict[str, Any]) -> dict[str, Any]:
    user = {"id": "1", "type": "user", "content": "make it two"}
    return {"sessionId": "s", "messages": [user, {"id": "2", "type": "gemini", "model": "m", "toolCalls": [*calls]}]}


ARGS = {"file_path": PATH, "old_string": "x = 1", "new_string": "x = 2", "instruction": "two"}
DISPLAY = {
    "fileDiff": DIFF,
    "fileName": "a.py",
    "filePath": PATH,
    "originalContent": "x = 1\n",
    "newContent": "x = 2\n",
    "isNewFile": False,
    "diffStat": {"user_added_lines": 0, "user_removed_lines": 0},
}


def events(tmp_path: Path, *calls: dict[str, Any]) -> list[Event]:
    write_lines(tmp_path / "chats" / "session-1.json", session(*calls))
    found, _ = read_all(IMPORTER, tmp_path)
    assert found[0] == Opened()
    return found[1:]


def attempt(**fields: Any) -> Attempt:
    known = {"path": PATH, "edits": (Edit("x = 1", "x = 2"),), "model": "m", "outcome": "applied"}
    return Attempt("c1", "str_replace", **(known | fields))


def test_a_later_version_shows_both_texts(tmp_path: Path) -> None:
    assert events(tmp_path, call("replace", ARGS, display=DISPLAY)) == [
        attempt(before=(File(PATH, "x = 1\n"),), after=(File(PATH, "x = 2\n"),), diffs=(RecordedDiff(PATH, DIFF),))
    ]


def test_an_older_version_shows_no_texts(tmp_path: Path) -> None:
    assert events(tmp_path, call("replace", ARGS, display="done")) == [attempt()]


@pytest.mark.parametrize("more", [{"allow_multiple": True}, {"expected_replacements": 3}])
def test_several_expected_replacements_are_all(tmp_path: Path, more: dict[str, Any]) -> None:
    assert events(tmp_path, call("replace", ARGS | more)) == [
        attempt(edits=(Edit("x = 1", "x = 2", replace_all=True),))
    ]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Failed to edit, 0 occurrences found for old_string in /home/user/demo/a.py. No edits made.", "no_match"),
        ("Failed to edit, Expected 1 occurrence but found 0 for old_string", "no_match"),
        ("Failed to edit, Expected 1 occurrence but found 2 for old_string in file: a.py", "ambiguous"),
        ("Failed to edit. Found 2 occurrences for old_string in a.py but replace_all was not enabled.", "ambiguous"),
        ("No changes to apply. The old_string and new_string are identical in file: a.py", "identical"),
        ("params must have required property 'new_string'", "malformed"),
        ("File not found: a.py", "unknown"),
    ],
)
def test_a_failure_is_named_by_its_first_line(tmp_path: Path, said: str, outcome: str) -> None:
    found = events(tmp_path, call("replace", ARGS, status="error", error=said + "\nx = 1\nis not there"))
    assert found == [attempt(outcome=outcome, error=said)]


def test_a_refusal_by_the_user_is_no_failure(tmp_path: Path) -> None:
    said = "[Operation Cancelled] Reason: User did not allow tool call"
    assert events(tmp_path, call("replace", ARGS, status="cancelled", error=said)) == [attempt(outcome="declined")]
    assert events(tmp_path, call("replace", ARGS, status="cancelled")) == [attempt(outcome="cancelled")]


@pytest.mark.parametrize(
    ("args", "stat"), [({"modified_by_user": True}, {}), ({}, {"diffStat": {"user_added_lines": 2}})]
)
def test_a_proposal_that_the_user_altered_is_told(tmp_path: Path, args: dict[str, Any], stat: dict[str, Any]) -> None:
    (found,) = events(tmp_path, call("replace", ARGS | args, display=DISPLAY | stat))
    assert isinstance(found, Attempt)
    assert found.changed_by_user


def test_an_edit_without_a_search_text_makes_a_file(tmp_path: Path) -> None:
    assert events(tmp_path, call("replace", ARGS | {"old_string": ""})) == [Wrote(PATH, "x = 2")]


def test_arguments_that_are_missing_make_a_call_malformed(tmp_path: Path) -> None:
    assert events(tmp_path, call("replace", {"file_path": PATH}, status="error", error="File not found")) == [
        attempt(edits=None, outcome="malformed", error="File not found")
    ]


def test_reads_writes_and_shell_runs_stand_in_their_order(tmp_path: Path) -> None:
    part = "IMPORTANT: cut.\nStatus: Showing lines 5-6 of 9 total lines.\n--- FILE CONTENT (truncated) ---\na\nb"
    found = events(
        tmp_path,
        call("read_file", {"absolute_path": PATH}, output="x = 1\n"),
        call("read_file", {"file_path": PATH, "offset": 4, "limit": 2}, output=part),
        call("read_file", {"file_path": PATH}, output="x = 1 ... [truncated]\n"),
        call("read_file", {"file_path": PATH, "offset": 4}, output="x\n"),
        call("write_file", {"file_path": PATH, "content": "y\n"}, display={"newContent": "z\n"}),
        call("write_file", {"file_path": PATH, "content": "y\n"}),
        call("write_file", {"file_path": PATH, "content": "y\n"}, status="error"),
        call("run_shell_command", {"command": "ls"}),
    )
    assert found == [
        Read(PATH, "x = 1\n"),
        Read(PATH, "a\nb", 5, False),
        Wrote(PATH, "z\n"),
        Wrote(PATH, "y\n"),
        Disturbed(),
    ]


def test_one_message_a_line_is_read_as_well(tmp_path: Path) -> None:
    head = {"sessionId": "s", "startTime": "2026-01-01"}
    path = write_lines(tmp_path / "session-1.jsonl", head, *session(call("replace", ARGS))["messages"])
    with path.open("a") as file:
        file.write("{broken\n" + json.dumps(session()["messages"][0])[:20])
    assert read_all(IMPORTER, tmp_path) == ([Opened(), attempt()], {"line is not JSON": 2})


def test_a_document_cut_short_is_counted(tmp_path: Path) -> None:
    (tmp_path / "session-1.json").write_text(json.dumps(session(call("replace", ARGS)), indent=1)[:-10])
    assert read_all(IMPORTER, tmp_path) == ([Opened()], {"document is not JSON": 1})


def test_nothing_that_stands_in_a_log_raises(tmp_path: Path) -> None:
    calls = [call("replace", ARGS, display=DISPLAY, error="x"), call("read_file", {"file_path": PATH}, output="x")]
    assert survives(IMPORTER, tmp_path / "session-1.json", session(*calls, call("write_file", ARGS)))
