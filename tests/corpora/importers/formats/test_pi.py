"""pi's logs, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.pi import IMPORTER
from corpora.importers.numbered_diff import unified_hunks
from corpora.importers.rebuilding.recorded_diff import apply_recorded
from corpora.importers.session import Attempt, Disturbed, Opened, Read, RecordedDiff, Wrote
from editcore.anchors import show
from editcore.types import Edit
from tests.corpora.importers.logs import read, survives, write_lines

SESSION = {"type": "session", "version": 3, "id": "s", "cwd": "/home/user/demo"}
OPENED = Opened("/home/user/demo", "3")


def call(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    part = {"type": "toolCall", "id": key, "name": name, "arguments": arguments}
    content = [{"type": "text", "text": "chat"}, part]
    return {"type": "message", "message": {"role": "assistant", "model": "m", "content": content}}


def result(key: str, said: str = "done", details: Any = None, *, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": said}]
    message = {"role": "toolResult", "toolCallId": key, "content": content, "details": details, "isError": failed}
    return {"type": "message", "message": message}


def edit(key: str = "c1", **more: Any) -> dict[str, Any]:
    return call(key, "edit", **({"path": "a.py", "oldText": "x = 1", "newText": "x = 2"} | more))


def attempt(key: str = "c1", **fields: Any) -> Attempt:
    return Attempt(key, "str_replace", "a.py", (Edit("x = 1", "x = 2"),), model="m", **fields)


def events(tmp_path: Path, *lines: Any) -> list[Any]:
    found, _ = read(IMPORTER, write_lines(tmp_path / "s.jsonl", SESSION, *lines))
    assert found[0] == OPENED
    return found[1:]


def test_an_edit_has_the_diff_of_its_result_with_numbers_that_hold(tmp_path: Path) -> None:
    details = {"diff": " 11 y\n-12 x = 1\n+12 x = 2\n    ...", "firstChangedLine": 12}
    patch = "@@ -11,2 +11,2 @@\n y\n-x = 1\n+x = 2\n"
    assert events(tmp_path, edit(), result("c1", details=details)) == [
        attempt(outcome="applied", diffs=(RecordedDiff("a.py", patch, ends_shown=False),))
    ]


def test_of_the_early_version_the_numbers_are_not_to_be_trusted(tmp_path: Path) -> None:
    (made,) = events(tmp_path, edit(), result("c1", details={"diff": "- 1 x = 1\n+ 1 x = 2"}))
    assert made.diffs == (
        RecordedDiff("a.py", "@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n", numbers_hold=False, ends_shown=False),
    )


def test_a_unified_patch_of_the_result_is_taken_as_it_is(tmp_path: Path) -> None:
    patch = "--- a.py\n+++ a.py\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"
    (made,) = events(tmp_path, edit(), result("c1", details={"diff": "-1 x = 1", "patch": patch}))
    assert made.diffs == (RecordedDiff("a.py", patch),)


@pytest.mark.parametrize(
    ("numbered", "before", "after"),
    [
        ("-1 a\n+1 b\n 2 c\n  ...\n 7 h\n-8 i\n", "a\nc\nd\ne\nf\ng\nh\ni\n", "b\nc\nd\ne\nf\ng\nh\n"),
        ("+1 z\n 1 a", "a\n", "z\na\n"),
        ("+1 z", "", "z\n"),
        ("+1 z\n 1 a\n   ...\n+4 y", "a\nb\n", "z\na\nb\ny\n"),
        ("   ...\n  9 i\n+10 \n 10 j\n   ...\n 12 l\n-13 m\n+14 n", "".join(f"{c}\n" for c in "abcdefghijklm"), None),
    ],
)
def test_a_numbered_diff_lands_where_its_numbers_say(numbered: str, before: str, after: str | None) -> None:
    expected = after or "".join(f"{c}\n" for c in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "", "j", "k", "l", "n"])
    assert apply_recorded(RecordedDiff("a.py", unified_hunks(numbered)), before) == expected


def test_several_edits_are_each_against_the_original(tmp_path: Path) -> None:
    edits = [{"oldText": "a", "newText": "b"}, {"oldText": "b", "newText": "c"}]
    for given in (edits, json.dumps(edits)):
        (made,) = events(tmp_path, call("c1", "edit", path="a.py", edits=given), result("c1"))
        assert made.edits == (Edit("a", "b"), Edit("b", "c"))
        assert (made.outcome, made.against_original) == ("applied", True)


def test_a_pair_of_the_older_form_beside_a_list_comes_last(tmp_path: Path) -> None:
    (made,) = events(tmp_path, edit(edits=[{"oldText": "a", "newText": "b"}]), result("c1"))
    assert made.edits == (Edit("a", "b"), Edit("x = 1", "x = 2"))


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Could not find the exact text in a.py. The old text must match exactly.", "no_match"),
        ("Could not find edits[1] in a.py. The oldText must match exactly.", "no_match"),
        ("Found 2 occurrences of the text in a.py. The text must be unique.", "ambiguous"),
        ("No changes made to a.py. The replacement produced identical content.", "identical"),
        ('Validation failed for tool "edit":\n  - path: Required', "malformed"),
        ("edits[0] and edits[1] overlap in a.py. Merge them.", "malformed"),
        ("File not found: a.py", "unknown"),
    ],
)
def test_a_failure_is_told_by_the_first_line_of_its_error(tmp_path: Path, said: str, outcome: str) -> None:
    found = events(tmp_path, edit(), result("c1", said, failed=True))
    assert found == [attempt(outcome=outcome, error=said.split("\n")[0])]


def test_an_aborted_call_was_not_tried(tmp_path: Path) -> None:
    assert events(tmp_path, edit(), result("c1", "Operation aborted", failed=True)) == [attempt(outcome="cancelled")]


def test_results_find_their_calls_by_id_and_the_rest_is_told_at_the_end(tmp_path: Path) -> None:
    found = events(tmp_path, edit("c1"), edit("c2"), edit("c3"), result("c3"), result("c1"))
    assert [(made.key, made.outcome) for made in found] == [("c3", "applied"), ("c1", "applied"), ("c2", "unknown")]


@pytest.mark.parametrize(
    ("said", "arguments", "expected"),
    [
        ("a\nb\n", {}, [Read("a.py", "a\nb\n")]),
        ("b\n", {"offset": 2}, [Read("a.py", "b\n", 2, False)]),
        ("a\n\n[1 more lines in file. Use offset=2 to continue.]", {"limit": 1}, [Read("a.py", "a", 1, False)]),
        ("a\n\n[Showing lines 1-1 of 9 (50KB limit). Use offset=2 to continue.]", {}, [Read("a.py", "a", 1, False)]),
        ("a\n\n... (8 more lines not shown. Use offset=2 to continue reading)", {}, [Read("a.py", "a", 1, False)]),
        ("a\n\n... (Some lines were truncated to 2000 characters for display)", {}, []),
        ("[Line 1 is 80KB, exceeds 50KB limit. Use bash: sed -n '1p' a.py]", {}, []),
        ("Read image file [image/png]", {}, []),
    ],
)
def test_a_read_is_the_text_without_its_notes(
    tmp_path: Path, said: str, arguments: dict[str, Any], expected: list[Read]
) -> None:
    assert events(tmp_path, call("c1", "read", path="a.py", **arguments), result("c1", said)) == expected


def test_writes_and_runs_are_told(tmp_path: Path) -> None:
    found = events(
        tmp_path,
        *(call(name, name, path="a.py", content="c\n") for name in ("write", "bash", "ls", "of_an_extension")),
        *(result(name) for name in ("write", "bash", "ls", "of_an_extension")),
        call("c9", "write", path="a.py", content="d\n"),
        result("c9", "EACCES: permission denied", failed=True),
        {"type": "message", "message": {"role": "bashExecution", "command": "make", "output": "chat"}},
    )
    assert found == [Wrote("a.py", "c\n"), Disturbed(), Disturbed(), Disturbed()]


def test_the_first_sessions_have_no_version(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", {"type": "session", "id": "s", "cwd": "/home/user/demo"})
    assert read(IMPORTER, path)[0] == [Opened("/home/user/demo")]


def test_broken_lines_and_calls_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = ('{"type": "session",', edit(), call("c2", "edit", path="a.py"), result("c1"), result("c9"))
    path = write_lines(tmp_path / "s.jsonl", *lines)
    path.write_text(path.read_text() + '{"type":"message","message":{"role":"toolResult","toolCa')
    found, counts = read(IMPORTER, path)
    assert found == [attempt(outcome="applied")]
    assert counts == {"line is not JSON": 2, "edit call without its strings": 1, "result without its call": 1}


def test_whatever_stands_in_a_line_nothing_is_raised(tmp_path: Path) -> None:
    log = [
        SESSION,
        edit("c1"),
        result("c1", details={"diff": "-1 x = 1\n+1 x = 2", "firstChangedLine": 1}),
        call("c2", "edit", path="a.py", edits=[{"oldText": "a", "newText": "b"}]),
        result("c2", "Could not find", failed=True),
        call("c3", "read", path="a.py", offset=3),
        result("c3"),
        call("c4", "write", path="a.py", content="x"),
        result("c4"),
    ]
    assert survives(IMPORTER, tmp_path / "s.jsonl", log, lines=True)


# With the extension pi-hashline-edit.

TEXT = "def f():\n    return 1\n\nprint(f())\n"
ROWS = show(TEXT, "hashline_h2").split("\n")
EDITS = [{"op": "replace", "pos": ROWS[1].partition("|")[0], "lines": ["    return 2"]}]


def listed(*rows: str) -> list[Any]:
    return [call("r", "read", path="a.py"), result("r", "\n".join(rows or ROWS))]


def test_an_edit_by_anchors_and_the_read_that_showed_them(tmp_path: Path) -> None:
    diff = f" {ROWS[0]}\n-2    {TEXT.splitlines()[1]}\n+2#ZZ:    return 2\n 3#ZZ:\n 4#ZZ:print(f())"
    details = {"diff": diff, "firstChangedLine": 2, "classification": "applied"}
    known, made = events(tmp_path, *listed(), call("c", "edit", path="a.py", edits=EDITS), result("c", details=details))
    assert known == Read("a.py", TEXT)
    assert (made.format, made.outcome) == ("hashline_h2", "applied")
    assert json.loads(made.patch) == {"path": "a.py", "edits": EDITS}
    assert apply_recorded(made.diffs[0], TEXT) == TEXT.replace("1", "2")


def test_a_read_of_some_lines_with_anchors(tmp_path: Path) -> None:
    assert events(tmp_path, *listed(*ROWS[:4], "", "[Showing lines 1-4 of 9. Use offset=5 to continue.]")) == [
        Read("a.py", TEXT[:-1], whole=False)
    ]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [("[E_STALE_ANCHOR] 1 stale anchor: 1#QQ.", "no_match"), ("[E_NOOP_LOOP] again", "identical"),
     ("[E_BAD_REF] what", "malformed")],
)  # fmt: skip
def test_a_refusal_of_an_edit_by_anchors(tmp_path: Path, error: str, outcome: str) -> None:
    failed = result("c", error, failed=True)
    *_, made = events(tmp_path, *listed(), call("c", "edit", path="a.py", edits=EDITS), failed)
    assert made.outcome == outcome


def test_an_edit_by_anchors_that_changed_nothing_and_one_of_a_file_that_was_not_shown(tmp_path: Path) -> None:
    nothing = result("c", details={"diff": "", "classification": "noop"})
    *_, made = events(tmp_path, *listed(), call("c", "edit", path="a.py", edits=EDITS), nothing)
    assert made.outcome == "identical"
    _, counts = read(IMPORTER, write_lines(tmp_path / "t.jsonl", SESSION, call("c", "edit", path="a.py", edits=EDITS)))
    assert counts == {"edit call without its strings": 1}


def test_a_format_with_other_hashes_is_counted_and_its_read_shows_no_text(tmp_path: Path) -> None:
    rows = ["1#RK:def area(w, h):", "2#MM:    return w * h", "3#BK:"]
    edits = [{"op": "replace", "pos": "2#MM", "lines": ["    return w"]}]
    log = [SESSION, *listed(*rows), call("c", "edit", path="a.py", edits=edits)]
    found, counts = read(IMPORTER, write_lines(tmp_path / "t.jsonl", *log))
    assert (found, counts) == ([OPENED], {"edit call without its strings": 1})
