"""OpenCode's logs, read."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.opencode import IMPORTER
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Disturbed, Opened, Read, RecordedDiff, Wrote
from editcore.anchors import show
from editcore.types import Edit, File
from tests.corpora.importers.logs import read, survives

CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"
INFO = {"id": "ses_1", "version": "1.14.30", "directory": CWD}
OPENED = Opened(CWD, "1.14.30")
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
DIFF = "@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"


def part(tool: str, asked: Any, key: str = "c1", **state: Any) -> dict[str, Any]:
    return {"type": "tool", "tool": tool, "callID": key, "state": {"status": "completed", "input": asked} | state}


def edit(key: str = "c1", old: str = "x = 1", new: str = "x = 2", **state: Any) -> dict[str, Any]:
    return part("edit", {"filePath": PATH, "oldString": old, "newString": new}, key, **state)


def attempt(key: str = "c1", **fields: Any) -> Attempt:
    return Attempt(key, "str_replace", PATH, (Edit("x = 1", "x = 2"),), model="m", **fields)


def patched(**fields: Any) -> Attempt:
    return Attempt("c1", "begin_patch", patch=PATCH, model="m", **fields)


def exported(*parts: Any) -> dict[str, Any]:
    said = {"type": "text", "text": "chat"}
    user = {"info": {"role": "user"}, "parts": [said]}
    return {
        "info": INFO,
        "messages": [user, {"info": {"role": "assistant", "modelID": "m"}, "parts": [said, *parts]}],
    }


def events(tmp_path: Path, *parts: Any) -> list[Any]:
    path = tmp_path / "s.json"
    path.write_text(json.dumps(exported(*parts)))
    found, _ = read(IMPORTER, path)
    assert found[0] == OPENED
    return found[1:]


def test_an_edit_has_the_texts_where_its_version_gives_them(tmp_path: Path) -> None:
    filediff = {"file": PATH, "before": "x = 1\n", "after": "x = 2\n", "additions": 1, "deletions": 1}
    assert events(tmp_path, edit(metadata={"filediff": filediff, "diff": DIFF})) == [
        attempt(outcome="applied", before=(File(PATH, "x = 1\n"),), after=(File(PATH, "x = 2\n"),))
    ]


def test_an_edit_has_the_diff_elsewhere_with_the_indentation_cut(tmp_path: Path) -> None:
    expected = attempt(outcome="applied", diffs=(RecordedDiff(PATH, DIFF, dedented=True),))
    assert events(tmp_path, edit(metadata={"filediff": {"file": PATH, "patch": DIFF}})) == [expected]
    assert events(tmp_path, edit(metadata={"diff": DIFF})) == [expected]


def test_a_diff_whose_lines_are_all_indented_was_not_cut(tmp_path: Path) -> None:
    diff = "--- a\n+++ b\n@@ -1,2 +1,2 @@\n   y\n-  x = 1\n+  x = 2\n"
    (made,) = events(tmp_path, edit(metadata={"filediff": {"patch": diff}}))
    assert made.diffs == (RecordedDiff(PATH, diff),)


def test_an_edit_without_any_evidence_was_applied_all_the_same(tmp_path: Path) -> None:
    assert events(tmp_path, edit()) == [attempt(outcome="applied")]


def test_an_edit_of_nothing_writes_the_whole_file(tmp_path: Path) -> None:
    assert events(tmp_path, edit(old="", new="a\n")) == [Wrote(PATH, "a\n")]


def test_several_edits_of_a_call_go_from_the_first_text_to_the_last(tmp_path: Path) -> None:
    edits = [{"oldString": "a", "newString": "b"}, {"oldString": "b", "newString": "c", "replaceAll": True}]
    steps = [{"filediff": {"before": "a\n", "after": "b\n"}}, {"filediff": {"before": "b\n", "after": "c\n"}}]
    found = events(tmp_path, part("multiedit", {"filePath": PATH, "edits": edits}, metadata={"results": steps}))
    assert found == [
        Attempt(
            "c1",
            "str_replace",
            PATH,
            (Edit("a", "b"), Edit("b", "c", True)),
            model="m",
            outcome="applied",
            before=(File(PATH, "a\n"),),
            after=(File(PATH, "c\n"),),
        )
    ]


def test_a_patch_has_the_texts_of_its_files(tmp_path: Path) -> None:
    files = [
        {"filePath": PATH, "type": "update", "before": "x = 1\n", "after": "x = 2\n", "diff": DIFF},
        {"filePath": "/b", "type": "add", "before": "", "after": "b\n"},
        {"filePath": "/c", "type": "delete", "before": "c\n", "after": ""},
        {"filePath": "/d", "type": "move", "movePath": "/e", "before": "d\n", "after": "e\n"},
    ]
    assert events(tmp_path, part("apply_patch", {"patchText": PATCH}, metadata={"files": files})) == [
        patched(
            outcome="applied",
            before=(File(PATH, "x = 1\n"), File("/c", "c\n"), File("/d", "d\n")),
            after=(File(PATH, "x = 2\n"), File("/b", "b\n"), File("/e", "e\n")),
        )
    ]


def test_a_patch_has_the_diffs_elsewhere_but_not_for_what_a_diff_cannot_say(tmp_path: Path) -> None:
    files = [{"filePath": PATH, "type": "update", "patch": DIFF}]
    (made,) = events(tmp_path, part("apply_patch", {"patchText": PATCH}, metadata={"files": files}))
    assert made == patched(outcome="applied", diffs=(RecordedDiff(PATH, DIFF, dedented=True),))
    files.append({"filePath": "/c", "type": "delete", "patch": "@@ -1,1 +0,0 @@\n-c\n"})
    (made,) = events(tmp_path, part("apply_patch", {"patchText": PATCH}, metadata={"files": files}))
    assert made == patched(outcome="applied")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("Could not find oldString in the file. It must match exactly, including whitespace.", "no_match"),
        ("oldString not found in content", "no_match"),
        ("Error: apply_patch verification failed: Error: Failed to find expected lines in a.py:\nsecret", "no_match"),
        ("Found multiple matches for oldString. Provide more context.", "ambiguous"),
        ("No changes to apply: oldString and newString are identical.", "identical"),
        ("You must read file /a.py before overwriting it. Use the Read tool first", "unread"),
        ("File /a.py has been modified since it was last read.\nLast modification: x", "stale"),
        ("The edit tool was called with invalid arguments: x", "malformed"),
        ("apply_patch verification failed: no hunks found", "malformed"),
        ("File /a.py not found", "unknown"),
    ],
)
def test_a_failure_is_told_by_the_first_line_of_its_error(tmp_path: Path, said: str, outcome: str) -> None:
    expected = attempt(outcome=outcome, error=said.split("\n")[0])
    assert events(tmp_path, edit(status="error", error=said)) == [expected]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("The user rejected permission to use this specific tool call. private words", "declined"),
        ("Tool execution aborted", "cancelled"),
    ],
)
def test_what_was_not_tried_is_no_failure(tmp_path: Path, said: str, outcome: str) -> None:
    assert events(tmp_path, edit(status="error", error=said)) == [attempt(outcome=outcome)]


def test_a_call_that_never_ended_is_unknown(tmp_path: Path) -> None:
    assert events(tmp_path, edit(status="running")) == [attempt()]


def test_calls_of_one_message_count_in_the_order_in_which_they_ended(tmp_path: Path) -> None:
    found = events(tmp_path, *(edit(f"c{end}", time={"start": 1, "end": end}) for end in (9, 7, 8)))
    assert [made.key for made in found] == ["c7", "c8", "c9"]
    found = events(tmp_path, edit("c9", time={"start": 1, "end": 9}), edit("c7"))
    assert [made.key for made in found] == ["c9", "c7"]


NEW = "<path>/a</path>\n<type>file</type>\n<content>\n{}\n</content>\n\n<system-reminder>\n9: chat\n</system-reminder>"
OLD = "<file>\n{}\n</file>"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (NEW.format("1: a\n2:   b: c\n\n(End of file - total 2 lines)"), [Read(PATH, "a\n  b: c", ends_shown=False)]),
        (NEW.format("1: a\n2: \n\n(End of file - total 2 lines)"), [Read(PATH, "a\n", ends_shown=False)]),
        (
            NEW.format("1: a\n2: b\n\n(Showing lines 1-2 of 9. Use offset=3 to continue.)"),
            [Read(PATH, "a\nb", 1, False)],
        ),
        (NEW.format("7: a\n8: b\n\n(End of file - total 8 lines)"), [Read(PATH, "a\nb", 7, False)]),
        (NEW.format("\n\n(End of file - total 0 lines)"), [Read(PATH, "")]),
        (NEW.format(f"1: {'a' * 2000}... (line truncated to 2000 chars)\n\n(End of file - total 1 lines)"), []),
        (OLD.format("00001| a\n00002| b\n00003| \n\n(End of file - total 3 lines)"), [Read(PATH, "a\nb\n")]),
        (OLD.format("00001| a\n00002| b\n\n(End of file - total 2 lines)"), [Read(PATH, "a\nb", ends_shown=False)]),
        (OLD.format("00003| a\n\n(File has more lines. Use 'offset' parameter to read)"), [Read(PATH, "a", 3, False)]),
        (OLD.format(f"00001| {'a' * 2000}...\n\n(End of file - total 1 lines)"), []),
        ("Image read successfully", []),
        ("<path>/a</path>\n<type>directory</type>\n<entries>\na.py\n\n(1 entries)\n</entries>", []),
    ],
)
def test_a_read_is_the_text_without_numbers_and_notes(tmp_path: Path, output: str, expected: list[Read]) -> None:
    assert events(tmp_path, part("read", {"filePath": PATH}, output=output)) == expected


def test_writes_and_runs_are_told(tmp_path: Path) -> None:
    written = {"filePath": PATH, "content": "c\n"}
    found = events(
        tmp_path,
        part("write", written),
        part("write", written, status="error", error="You must read file"),
        part("bash", {"command": "make"}, output="chat"),
        part("grep", {}),
        part("task", {}),
    )
    assert found == [Wrote(PATH, "c\n"), Disturbed(), Disturbed()]


def test_calls_that_cannot_be_used_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    parts = (part("invalid", {"tool": "edit", "error": "x"}), part("edit", {"filePath": PATH}), part("apply_patch", {}))
    path.write_text(json.dumps(exported(*parts)))
    counts = {"call whose arguments did not parse": 1, "edit call without its strings": 2}
    assert read(IMPORTER, path) == ([OPENED], counts)


@pytest.mark.parametrize(
    ("text", "what"),
    [("{", "document is not JSON"), ("[1]", "document is not a session"), ('{"a": 1}', "document is not a session")],
)
def test_a_document_that_is_no_session_is_counted(tmp_path: Path, text: str, what: str) -> None:
    path = tmp_path / "s.json"
    path.write_text(text)
    assert read(IMPORTER, path) == ([], {what: 1})


# The storage folder.


def stored(folder: Path) -> Path:
    """A session in storage, of two messages with a part each; returns its log."""
    storage = folder / "storage"
    log = storage / "session" / "p1" / "ses_1.json"
    for path, value in {
        log: INFO | {"version": "0.9.1", "projectID": "p1"},
        storage / "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user"},
        storage / "message/ses_1/msg_2.json": {"id": "../x", "role": "assistant", "modelID": "m", "path": {"cwd": CWD}},
        storage / "message/ses_1/msg_3.json": {"role": "assistant", "modelID": "m", "path": {"cwd": "/home/user/o"}},
        storage / "message/ses_2/msg_9.json": {"role": "assistant", "modelID": "m"},
        storage / "part/msg_2/prt_1.json": {"type": "text", "text": "chat"},
        storage / "part/msg_2/prt_2.json": edit("c1", metadata={"diff": DIFF}),
        storage / "part/msg_3/prt_3.json": part("write", {"filePath": "b", "content": "b\n"}),
        storage / "part/msg_9/prt_9.json": edit("c9"),
        storage / "session_diff/ses_1.json": [],
        storage / "project/p1.json": {"id": "p1"},
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return log


def test_a_session_in_storage_finds_its_messages_and_parts_beside_it(tmp_path: Path) -> None:
    assert read(IMPORTER, stored(tmp_path))[0] == [
        Opened(CWD, "0.9.1"),
        attempt(outcome="applied", diffs=(RecordedDiff(PATH, DIFF, dedented=True),)),
        Opened("/home/user/o", "0.9.1"),
        Wrote("b", "b\n"),
    ]


def test_of_a_storage_folder_only_the_sessions_are_logs_of_others_every_document(tmp_path: Path) -> None:
    log = stored(tmp_path)
    (tmp_path / "export.json").write_text("{}")
    assert [found.path for found in IMPORTER.logs(tmp_path)] == [tmp_path / "export.json", log]
    assert [found.path for found in IMPORTER.logs(tmp_path / "storage" / "session")] == [log]
    assert [found.path for found in IMPORTER.logs(log)] == [log]


def test_broken_files_in_storage_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    log = stored(tmp_path)
    (tmp_path / "storage/part/msg_2/prt_0.json").write_text('{"type": "too')
    (tmp_path / "storage/message/ses_1/msg_1.json").write_text("")
    found, counts = read(IMPORTER, log)
    assert [type(event) for event in found] == [Opened, Attempt, Opened, Wrote]
    assert counts == {"document is not JSON": 2}


def test_a_stored_session_without_its_folder_is_counted() -> None:
    surroundings = Surroundings()
    log = Log("blob", lambda: io.BytesIO(json.dumps(INFO).encode()))
    assert list(IMPORTER.events(log, surroundings)) == [OPENED]
    assert surroundings.tally.counts == {"session without its messages": 1}


def test_whatever_stands_in_a_document_nothing_is_raised(tmp_path: Path) -> None:
    files = [{"filePath": "/d", "type": "move", "movePath": "/e", "before": "d\n", "after": "e\n"}]
    log = exported(
        edit(metadata={"filediff": {"before": "x", "after": "y", "patch": DIFF}}, time={"start": 1, "end": 2}),
        part(
            "multiedit", {"filePath": PATH, "edits": [{"oldString": "a", "newString": "b"}]}, metadata={"results": []}
        ),
        part("apply_patch", {"patchText": PATCH}, metadata={"files": files}),
        part(
            "apply_patch", {"patchText": PATCH}, metadata={"files": [{"filePath": "/d", "type": "add", "patch": DIFF}]}
        ),
        part("read", {"filePath": PATH}, output=NEW.format("1: a")),
        edit(status="error", error="x"),
    )
    assert survives(IMPORTER, tmp_path / "s.json", log)


# With the plug-in oh-my-openagent.

BEFORE, AFTER = "def f():\n    return 1\n", "def f():\n    return 2\n"
SHOWN = show(BEFORE, "hashline_h2").removesuffix("\n" + show(BEFORE, "hashline_h2").split("\n")[-1])
NUMBERED = f"<path>{PATH}</path>\n<content>\n{SHOWN}\n\n(End of file - total 2 lines)\n</content>"


def anchored(pos: str, key: str = "c1", output: str = "", **state: Any) -> dict[str, Any]:
    edits = [{"op": "replace", "pos": pos, "lines": ["    return 2"]}]
    return part("edit", {"filePath": PATH, "edits": edits}, key, output=output, **state)


def test_an_edit_by_anchors_and_the_read_that_showed_them(tmp_path: Path) -> None:
    pos = SHOWN.split("\n")[1].partition("|")[0]
    filediff = {"file": PATH, "filePath": PATH, "before": BEFORE, "after": AFTER}
    known, made, refused = events(
        tmp_path,
        part("read", {"filePath": PATH}, "c0", output=NUMBERED),
        anchored(pos, output=f"Updated {PATH}", metadata={"filediff": filediff}),
        anchored("2#ZZ", "c2", "Error: hash mismatch - 1 line has changed since last read."),
    )
    assert known == Read(PATH, BEFORE[:-1], ends_shown=False)
    assert (made.format, made.outcome, made.tags) == ("hashline_h2", "applied", ("ends:assumed",))
    assert json.loads(made.patch)["edits"][0]["pos"] == pos
    assert (made.before, made.after) == ((File(PATH, BEFORE),), (File(PATH, AFTER),))
    assert (refused.outcome, refused.before) == ("no_match", None)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [("Error: Line 9 does not exist (file has 2 lines)", "no_match"), ("Error: File not found: a", "unknown"),
     ("Error: No changes made to a. The edits", "identical"), ("Error: Overlapping range edits detected", "malformed")],
)  # fmt: skip
def test_a_refusal_of_the_plug_in_is_the_output_of_a_call_that_completed(
    tmp_path: Path, error: str, outcome: str
) -> None:
    (made,) = events(tmp_path, anchored("2#ZZ", output=error))
    assert made.outcome == outcome


def test_an_edit_by_anchors_may_rename_the_file(tmp_path: Path) -> None:
    renamed = f"{CWD}/b.py"
    filediff = {"filePath": renamed, "before": BEFORE, "after": AFTER}
    (made,) = events(tmp_path, anchored("2#ZZ", output="Moved", metadata={"filediff": filediff}))
    assert (made.before, made.after) == ((File(PATH, BEFORE),), (File(renamed, AFTER),))
