"""Crush's and OpenCode's (Go) databases, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats import opencode_go
from corpora.importers.formats.crush import IMPORTER
from corpora.importers.importer import Surroundings
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Disturbed, Event, Opened, Read, RecordedDiff, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.databases import call, make, result
from tests.corpora.importers.logs import read, spoilt

PATH = "/home/user/demo/a.py"
BEFORE, AFTER = "x = 1\ny = 1\n", "x = 2\ny = 1\n"
EDIT = call("c1", "edit", file_path=PATH, old_string="x = 1", new_string="x = 2")
TEXTS = {"additions": 1, "removals": 1, "old_content": BEFORE, "new_content": AFTER}


def attempt(key: str = "c1", **fields: Any) -> Attempt:
    return Attempt(key, "str_replace", PATH, (Edit("x = 1", "x = 2"),), model="m", **fields)


def events(tmp_path: Path, *messages: Any) -> list[Event]:
    found, _ = read(IMPORTER, make(tmp_path / "demo" / ".crush" / "crush.db", *messages))
    assert found[0] == Opened(str(tmp_path / "demo"), afresh=True)
    return found[1:]


def test_an_edit_has_the_texts_of_its_result(tmp_path: Path) -> None:
    assert events(tmp_path, [EDIT], [result("c1", "<result>\n", **TEXTS)]) == [
        attempt(outcome="applied", before=(File(PATH, BEFORE),), after=(File(PATH, AFTER),))
    ]


def test_the_text_before_has_the_line_endings_of_the_file(tmp_path: Path) -> None:
    shown = TEXTS | {"new_content": AFTER.replace("\n", "\r\n")}
    (made,) = events(tmp_path, [EDIT], [result("c1", **shown)])
    assert isinstance(made, Attempt)
    assert made.before == (File(PATH, BEFORE.replace("\n", "\r\n")),)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        (
            "old_string not found in file. Make sure it matches exactly, including whitespace and line breaks",
            "no_match",
        ),
        ("old_string appears multiple times in the file. Please provide more context", "ambiguous"),
        ("new content is the same as old content. No changes made.", "identical"),
        ("you must read the file before editing it. Use the View tool first", "unread"),
        ("file /home/user/demo/a.py has been modified since it was last read (mod time: 1, last read: 0)", "stale"),
        ("file_path is required", "malformed"),
        ("failed to parse patch: Invalid Context 12:", "no_match"),
        ("failed to parse patch: Update File Error: Missing File: a.py", "malformed"),
        ("patch contains fuzzy matches (fuzz level: 100). Please make your context lines more precise", "no_match"),
        ("old_string and new_string are identical", "identical"),
        ("file not found: /home/user/demo/a.py", "unknown"),
    ],
)
def test_a_failure_is_told_by_its_error(tmp_path: Path, said: str, outcome: str) -> None:
    failed = result("c1", f"{said}\nprivate", failed=True)
    assert events(tmp_path, [EDIT], [failed]) == [attempt(outcome=outcome, error=said)]


def test_a_refused_edit_was_not_tried_though_its_texts_are_shown(tmp_path: Path) -> None:
    refused = result("c1", "User denied permission", failed=True, **TEXTS)
    assert events(tmp_path, [EDIT], [refused]) == [attempt(outcome="declined")]


def test_several_edits_of_a_file_are_one_attempt_unless_some_failed(tmp_path: Path) -> None:
    edits = [
        {"old_string": "x = 1", "new_string": "x = 2"},
        {"old_string": "y", "new_string": "z", "replace_all": True},
    ]
    asked = call("c1", "multiedit", file_path=PATH, edits=edits)
    (made,) = events(tmp_path, [asked], [result("c1", edits_applied=2, **TEXTS)])
    assert isinstance(made, Attempt)
    assert made.edits == (Edit("x = 1", "x = 2"), Edit("y", "z", True))
    failed = {"index": 2, "error": "old_string not found", "edit": edits[1]}
    assert events(tmp_path, [asked], [result("c1", edits_failed=[failed], **TEXTS)]) == [Wrote(PATH, AFTER)]


def test_files_are_written_and_seen(tmp_path: Path) -> None:
    listing = "<file>\n     1|x = 1\n     2|y = 1\n</file>\n"
    more = listing.replace(
        "\n</file>", "\n\n(File has more lines. Use 'offset' parameter to read beyond line 2)\n</file>"
    )
    new = call("c4", "edit", file_path=PATH, old_string="", new_string=BEFORE)
    calls = [
        call("c1", "write", file_path=PATH, content=BEFORE),
        call("c2", "view", file_path=PATH),
        call("c3", "view", file_path=PATH, offset=1),
        new,
        call("c5", "bash", command="make"),
        call("c6", "grep", pattern="x"),
        call("c7", "view", file_path=PATH),
    ]
    results = [
        result("c1"),
        result("c2", listing, file_path=PATH, content=BEFORE[:-1]),
        result("c3", listing, file_path=PATH, content="y = 1"),
        result("c4", old_content="", new_content=BEFORE),
        result("c5", "private"),
        result("c6", "private"),
        result("c7", more, file_path=PATH, content="x = 1\ny = 1"),
    ]
    assert events(tmp_path, calls, results) == [
        Wrote(PATH, BEFORE),
        Read(PATH, BEFORE[:-1], ends_shown=False),
        Read(PATH, "y = 1", 2, whole=False),
        Wrote(PATH, BEFORE),
        Disturbed(),
        Read(PATH, "x = 1\ny = 1", whole=False),
    ]


VIEW = call("r", "Read", file_path="a.py")
LISTING = "<file>\n     1|x = 1\n     2|y = 1\n</file>\n"
SEEN = result("r", LISTING, file_path=PATH, content=BEFORE[:-1])


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ([BEFORE[:-1], AFTER], BEFORE[:-1]),
        ([BEFORE, AFTER.replace("\n", "\r\n")], BEFORE.replace("\n", "\r\n")),
        ([BEFORE.replace("\n", "\r\n")], BEFORE.replace("\n", "\r\n")),
    ],
    ids=["no line feed at the end", "met with CRLF, stored with LF", "CRLF"],
)
def test_the_versions_of_a_file_tell_how_the_lines_of_a_view_end(tmp_path: Path, stored: list[str], text: str) -> None:
    path = make(tmp_path / "crush.db", [VIEW], [SEEN], files=[(PATH, one) for one in stored])
    assert read(IMPORTER, path)[0] == [Opened(afresh=True), Opened("/home/user/demo"), Read("a.py", text)]


def test_versions_with_the_same_lines_that_end_otherwise_tell_nothing(tmp_path: Path) -> None:
    path = make(tmp_path / "crush.db", [VIEW], [SEEN], files=[(PATH, BEFORE), (PATH, BEFORE[:-1])])
    assert read(IMPORTER, path)[0][2:] == [Read("a.py", BEFORE[:-1], ends_shown=False)]


def test_the_versions_of_a_file_are_the_texts_around_an_edit(tmp_path: Path) -> None:
    crlf, after = BEFORE.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n")
    patch = f"*** Begin Patch\n*** Update File: {PATH}\n@@\n-x = 2\n+x = 3\n*** End Patch"
    patched = after.replace("2", "3")
    asked = [
        EDIT,
        call("c2", "patch", patch_text=patch),
        call("c3", "edit", file_path=PATH, old_string="y = 1", new_string=""),
    ]
    missed = "old_string not found in file. Make sure it matches exactly"
    answers = [result("c1", diff="@@ -1 +1 @@\n-x\n+y\n"), result("c2"), result("c3", missed, failed=True)]
    made = make(tmp_path / "opencode.db", asked, answers, files=[(PATH, one) for one in ("", crlf, after, patched, "")])
    found = [one for one in read(opencode_go.IMPORTER, made)[0] if isinstance(one, Attempt)]
    assert [(one.outcome, one.before, one.after) for one in found] == [
        ("applied", (File(PATH, crlf),), (File(PATH, after),)),
        ("applied", (File(PATH, after),), (File(PATH, patched),)),
        ("applied", (File(PATH, patched),), (File(PATH, patched.replace("y = 1", "")),)),
    ]


def test_a_file_that_was_made_is_written_though_the_tool_says_otherwise(tmp_path: Path) -> None:
    asked = call("c1", "edit", file_path=PATH, old_string="", new_string=BEFORE)
    said = result("c1", "old_string appears multiple times in the file.", failed=True)
    made = make(tmp_path / "crush.db", [asked], [said], files=[(PATH, ""), (PATH, BEFORE)])
    assert read(IMPORTER, made)[0][1:] == [Wrote(PATH, BEFORE)]


def test_the_first_version_has_diffs_and_patches(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"
    path = make(
        tmp_path / "demo" / ".opencode" / "opencode.db",
        [EDIT, call("c2", "patch", patch_text=patch)],
        [result("c1", diff=diff, additions=1, removals=1), result("c2", diff=diff, files_changed=["a.py"])],
    )
    assert read(opencode_go.IMPORTER, path)[0][1:] == [
        attempt(outcome="applied", diffs=(RecordedDiff(PATH, diff),)),
        Attempt("c2", "begin_patch", patch=patch, model="m", outcome="applied"),
    ]


def test_sessions_are_read_one_after_the_other_in_the_order_of_their_messages(tmp_path: Path) -> None:
    messages = [("s", [EDIT]), ("t", [call("c2", "bash")]), ("s", [result("c1", failed=True)]), ("t", [result("c2")])]
    found = events(tmp_path, *messages)
    assert [type(one) for one in found] == [Attempt, Opened, Disturbed]


def test_a_call_without_a_result_comes_last_and_a_result_without_its_call_is_counted(tmp_path: Path) -> None:
    path = make(tmp_path / "crush.db", [EDIT, call("c2", "edit", file_path=PATH)], [result("c9")])
    found, counts = read(IMPORTER, path)
    assert found == [Opened(afresh=True), attempt()]
    assert counts == {"result without its call": 1, "edit call without its strings": 1}


def test_nothing_is_written_beside_a_database(tmp_path: Path) -> None:
    path = make(tmp_path / "crush.db", [EDIT])
    path.chmod(0o444)
    before = path.read_bytes()
    read(IMPORTER, path)
    assert [file.name for file in tmp_path.iterdir()] == ["crush.db"]
    assert path.read_bytes() == before


def test_whatever_stands_in_a_message_nothing_is_raised(tmp_path: Path) -> None:
    edits = [{"old_string": "x", "new_string": "y"}]
    log = [
        EDIT,
        call("c2", "multiedit", file_path=PATH, edits=edits),
        result("c1", **TEXTS),
        result("c2", edits_failed=[{}], **TEXTS),
    ]
    stored: list[Any] = [("s", other) for other in spoilt(log)] + [
        ("s", json.dumps(log)[:50]),
        ("s", b"\xff\xfe"),
        ("s", 7),
    ]
    for arguments in spoilt({"file_path": PATH, "edits": edits}):
        for metadata in ({"old_content": 7, "new_content": "x"}, {"diff": 7}, {"edits_failed": 7}):
            asked = call("c1", "multiedit") | {
                "data": {"id": "c1", "name": "multiedit", "input": json.dumps(arguments)}
            }
            stored.append(("s", json.dumps([asked, result("c1", **metadata)])))
    surroundings = Surroundings()
    for event in IMPORTER.events(Log.at(make(tmp_path / "crush.db", *stored)), surroundings):
        hash(event)
