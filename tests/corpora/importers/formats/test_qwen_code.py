"""Qwen Code's logs, read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.qwen_code import IMPORTER
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read, survives, write_lines

CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"
BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"
DIFF = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"
DISPLAY = {"fileDiff": DIFF, "fileName": "a.py", "originalContent": BEFORE, "newContent": AFTER}
ARGS = {"file_path": PATH, "old_string": "x = 1", "new_string": "x = 2"}


def call(key: str = "c1", name: str = "edit", **args: Any) -> dict[str, Any]:
    parts = [{"text": "chat"}, {"functionCall": {"id": key, "name": name, "args": args or ARGS}}]
    message = {"role": "model", "parts": parts}
    return {"type": "assistant", "cwd": CWD, "version": "0.9.0", "model": "m", "message": message}


def result(key: str = "c1", output: str = "done", *, status: str = "success", display: Any = None) -> dict[str, Any]:
    response = {"error" if status == "error" else "output": output}
    parts = [{"functionResponse": {"id": key, "name": "edit", "response": response}}]
    told = {"callId": key, "status": status, "resultDisplay": display}
    return {"type": "tool_result", "cwd": CWD, "version": "0.9.0", "message": {"parts": parts}, "toolCallResult": told}


def attempt(**fields: Any) -> Attempt:
    return Attempt("c1", "str_replace", PATH, (Edit("x = 1", "x = 2"),), model="m", **fields)


def events(tmp_path: Path, *lines: Any) -> list[Event]:
    found, _ = read(IMPORTER, write_lines(tmp_path / "s.jsonl", *lines))
    assert found[0] == Opened(CWD, "0.9.0")
    return found[1:]


def test_an_edit_has_the_texts_of_its_result(tmp_path: Path) -> None:
    (made,) = events(tmp_path, call(), result(display=DISPLAY))
    assert made == attempt(
        outcome="applied",
        before=(File(PATH, BEFORE),),
        after=(File(PATH, AFTER),),
        diffs=(RecordedDiff(PATH, DIFF),),
    )


def test_a_text_that_was_cut_is_none(tmp_path: Path) -> None:
    cut = DISPLAY | {"originalContentTruncated": True, "newContentTruncated": False, "truncatedForSession": True}
    (made,) = events(tmp_path, call(), result(display=cut))
    assert made == attempt(outcome="applied", diffs=(RecordedDiff(PATH, DIFF),))
    (made,) = events(tmp_path, call(), result(display=cut | {"fileDiffTruncated": True}))
    assert made == attempt(outcome="applied")


@pytest.mark.parametrize(
    ("said", "status", "outcome"),
    [
        ("Failed to edit, 0 occurrences found for old_string in a.py.", "error", "no_match"),
        ("Failed to edit, expected 1 occurrence but found 2 occurrences for old_string.", "error", "ambiguous"),
        ("No changes to apply. The old_string and new_string are identical.", "error", "identical"),
        ("[Operation Cancelled] Reason: User did not allow tool call", "cancelled", "declined"),
    ],
)
def test_a_failure_is_told_by_its_error(tmp_path: Path, said: str, status: str, outcome: str) -> None:
    (made,) = events(tmp_path, call(), result(output=said, status=status))
    assert isinstance(made, Attempt)
    assert (made.outcome, made.error) == (outcome, None if status == "cancelled" else said)


def test_a_status_may_be_missing(tmp_path: Path) -> None:
    (made,) = events(tmp_path, call(), result(output="0 occurrences found", status="error") | {"toolCallResult": {}})
    assert isinstance(made, Attempt)
    assert made.outcome == "no_match"


def test_files_are_written_and_seen(tmp_path: Path) -> None:
    part = "Showing lines 2-2 of at least 3 total lines.\n\n---\n\ny = 1"
    lines = [
        *(call("r", "read_file", file_path=PATH), result("r", BEFORE)),
        *(call("p", "read_file", file_path=PATH, offset=1, limit=1), result("p", part)),
        *(call("w", "write_file", file_path=PATH, content=AFTER), result("w")),
        *(call("b", "run_shell_command", command="make"), result("b")),
        *(call("c1", **ARGS, replace_all=True), result(display="no object")),
    ]
    assert events(tmp_path, *lines) == [
        Read(PATH, BEFORE),
        Read(PATH, "y = 1", 2, whole=False),
        Wrote(PATH, AFTER),
        Disturbed(),
        Attempt("c1", "str_replace", PATH, (Edit("x = 1", "x = 2", True),), model="m", outcome="applied"),
    ]


def test_a_call_without_a_result_comes_last_and_a_result_without_its_call_is_counted(tmp_path: Path) -> None:
    found, counts = read(IMPORTER, write_lines(tmp_path / "s.jsonl", call(), result("c9")))
    assert found == [Opened(CWD, "0.9.0"), attempt()]
    assert counts == {"result without its call": 1}


def test_whatever_stands_in_a_line_nothing_is_raised(tmp_path: Path) -> None:
    assert survives(IMPORTER, tmp_path / "s.jsonl", [call(), result(display=DISPLAY)], lines=True)
