"""Edits over stdin: what is applied and refused is what the functions do, and no line goes without an answer."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editcore import server
from editcore.anchors import views
from editcore.server import answer, answers

BEFORE = [{"path": "a.py", "content": "x = 1\ny = 2\n"}]


def asked(**fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(answer(json.dumps({"id": "7", "before": BEFORE, **fields}).encode()))
    assert found["id"] == "7"
    return found


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_string": old, "new_string": new, **more}


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"format": "str_replace", "edits": [edit("x = 1", "x = 3"), edit("y = 2", "y = 4")]}, "x = 3\ny = 4\n"),
        ({"format": "str_replace", "edits": [edit("  x = 1", "  z")], "cascade": "recommended@3"}, "z\ny = 2\n"),
        ({"format": "search_replace", "edits": [edit("x = 1\n", "x = 3\n")]}, "x = 3\ny = 2\n"),
        (
            {"format": "search_replace", "patch": "<<<<<<< SEARCH\nx = 1\n=======\nx = 3\n>>>>>>> REPLACE\n"},
            "x = 3\ny = 2\n",
        ),
        (
            {"format": "unified_diff", "patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"},
            "x = 3\ny = 2\n",
        ),
        (
            {"format": "begin_patch", "patch": "*** Begin Patch\n*** Update File: a.py\n-x = 1\n+x = 3\n*** End Patch"},
            "x = 3\ny = 2\n",
        ),
        ({"format": "insert", "line": 1, "patch": "z = 0\n"}, "x = 1\nz = 0\ny = 2\n"),
        ({"format": "line_range", "line": 1, "end_line": 2, "patch": "z = 0\n"}, "z = 0\n"),
        ({"format": "exhash", "patch": '{"cmds": [["0|AA|", "a", "z = 0"]]}'}, "z = 0\nx = 1\ny = 2\n"),
        (
            {
                "format": "str_replace", "edits": [edit("x = 1", "x = 3")],
                "seen": [{"path": "a.py", "content": "x = 1\n"}],
            },
            "x = 3\ny = 2\n",
        ),
    ],
)  # fmt: skip
def test_an_edit_is_applied(fields: dict[str, Any], content: str) -> None:
    found = asked(**fields)
    assert found["status"] == "applied", found
    assert found["after"] == [{"path": "a.py", "content": content}]


@pytest.mark.parametrize(
    ("fields", "reason", "message"),
    [
        ({"format": "str_replace", "edits": [edit("z = 1", "z")]}, "no_match", ""),
        ({"format": "str_replace", "edits": []}, "malformed", "`edits` must be a list"),
        ({"format": "str_replace", "edits": [edit("x", "y", replace_all=1)]}, "malformed", "`replace_all` must be"),
        ({"format": "str_replace", "edits": [1]}, "malformed", "an edit must be an object"),
        ({"format": "str_replace", "edits": [edit("x", "y")], "cascade": "best"}, "malformed", "no cascade 'best'"),
        ({"format": "sed"}, "malformed", "there is no format 'sed'"),
        ({"format": "insert", "line": True, "patch": ""}, "malformed", "`line` must be a whole number"),
        ({"format": "insert", "line": 1, "patch": "", "before": []}, "malformed", "edits one file"),
        ({"format": "unified_diff", "patch": "x", "before": BEFORE * 2}, "malformed", "has a path twice"),
        ({"format": "unified_diff", "patch": "x", "before": [1]}, "malformed", "must be a list of files"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(fields: dict[str, Any], reason: str, message: str) -> None:
    found = asked(**fields)
    assert (found["status"], found["reason"]) == ("rejected", reason)
    assert message in found["message"]


def test_a_format_whose_package_is_missing_is_refused_and_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xxhash", None)
    views._xxh32.cache_clear()
    patch = '{"edits": [{"op": "replace", "pos": "1#ZV", "lines": ["q"]}]}'
    found = asked(format="hashline_h2", patch=patch)
    assert (found["status"], found["reason"]) == ("rejected", "malformed")
    assert found["message"] == "hashline_h2 needs xxhash: pip install 'editgauge-editcore[anchors]'."


@given(st.binary(max_size=40).filter(lambda line: b"\n" not in line and line.strip()))
def test_any_line_has_an_answer(line: bytes) -> None:
    found = json.loads(answer(line))
    assert (found["id"], found["status"]) == ("", "rejected")


def test_a_line_without_end_is_answered_and_the_next_one_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LONGEST_LINE", 300)
    request = json.dumps({"id": "1", "format": "insert", "line": 0, "patch": "z", "before": BEFORE}).encode()
    lines = io.BytesIO(b"x" * 1_000 + b"\n\n" + request + b"\n" + b"[" * 200)
    first, second, third = map(json.loads, answers(lines))
    assert "longer than" in first["message"]
    assert second["status"] == "applied"
    assert "not JSON" in third["message"]


def test_the_process_answers_line_by_line_until_stdin_ends() -> None:
    request = json.dumps({"id": "1", "format": "str_replace", "before": BEFORE, "edits": [edit("x = 1", "x = 3")]})
    done = subprocess.run(
        [sys.executable, "-m", "editcore.server"], input=f"{request}\nnonsense\n", capture_output=True, text=True,
        timeout=60, check=True,
    )  # fmt: skip
    assert [json.loads(line)["status"] for line in done.stdout.splitlines()] == ["applied", "rejected"]


def test_an_unknown_cascade_is_said_at_the_start() -> None:
    line = [sys.executable, "-m", "editcore.server", "--cascade", "best"]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "There is no cascade 'best'" in done.stderr


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({"format": "insert", "line": 2, "patch": "new\n"}, "x\ny\na\nb\nnew\nc\n"),
        ({"format": "line_range", "line": 2, "end_line": 2, "patch": "B\n"}, "x\ny\na\nB\nc\n"),
    ],
)
def test_a_number_counts_in_the_text_that_was_seen_however_its_path_is_spelled(
    fields: dict[str, Any], content: str
) -> None:
    seen = [{"path": "./a", "content": "a\nb\nc\n"}]
    before = [{"path": "a", "content": "x\ny\na\nb\nc\n"}]
    found = json.loads(answer(json.dumps({**fields, "before": before, "seen": seen}).encode()))
    assert found["after"] == [{"path": "a", "content": content}]


@pytest.mark.parametrize(
    ("tiers", "status"), [(["exact", "indentation"], "applied"), (["exact"], "rejected"), (["indentation"], "applied")]
)
def test_only_the_tiers_that_a_request_names_are_asked(tiers: list[str], status: str) -> None:
    found = asked(format="str_replace", edits=[edit("  x = 1", "  z")], tiers=tiers)
    assert found["status"] == status
    assert "fault" not in found


@pytest.mark.parametrize("tiers", ["exact", [], [1], ["exactly"]])
def test_tiers_that_do_not_exist_are_the_callers_fault(tiers: object) -> None:
    found = asked(format="str_replace", edits=[edit("x = 1", "z")], tiers=tiers)
    assert (found["status"], found["fault"]) == ("rejected", "caller")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"seen": [{"path": "a.py", "content": ""}, {"path": "./a.py", "content": ""}]}, "two spellings"),
        ({"before": [{"path": "a", "content": ""}] * 2}, "a path twice"),
        ({"before": "a"}, "a list of files"),
        ({"edits": ["x"]}, "an object"),
        ({"edits": [edit("x", "y", replace_all=1)]}, "true or false"),
        ({"edits": [{"old_string": "x"}]}, "`new_string` must be a text"),
        ({"edits": [edit("x = 1", "z", replaceAll=True)]}, "replace_all"),
    ],
)
def test_a_request_of_another_shape_is_the_callers_fault(fields: dict[str, Any], message: str) -> None:
    found = asked(**{"format": "str_replace", "edits": [edit("x = 1", "z")], **fields})
    assert found["fault"] == "caller"
    assert message in found["message"]


def test_a_range_that_cannot_be_carried_is_refused_and_says_where_its_lines_were() -> None:
    seen = [{"path": "a.py", "content": "x = 1\ny = 1\n"}]
    found = asked(format="line_range", line=2, end_line=2, patch="z\n", seen=seen)
    assert (found["status"], found["reason"]) == ("rejected", "stale_read")
    beyond = asked(format="line_range", line=7, end_line=9, patch="z\n", seen=seen)
    assert (beyond["reason"], "has 2" in beyond["message"]) == ("not_found", True)


def test_a_field_that_does_not_exist_is_the_callers_fault() -> None:
    found = json.loads(answer(json.dumps({"format": "str_replace", "sen": []}).encode()))
    assert found["fault"] == "caller"
    assert "'sen'" in found["message"]
    assert "seen" in found["message"]
