"""Claude Code's logs, read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from corpora.importers.formats.claude_code import IMPORTER
from corpora.importers.log import Log
from corpora.importers.session import Attempt, Disturbed, Opened, Read, RecordedDiff, SeenUnknown, Shown, Wrote
from editcore.types import Edit, File
from tests.corpora.importers.logs import read, read_with_shown, survives, write_lines

CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"
OPENED = Opened(CWD, "2.1.44")


def use(key: str, name: str, version: str = "2.1.44", **asked: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": key, "name": name, "input": asked}
    message = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "chat"}, block]}
    return {"type": "assistant", "version": version, "cwd": CWD, "message": message}


def result(key: str, told: Any = None, content: Any = "done", *, failed: bool = False) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": key, "content": content} | ({"is_error": True} if failed else {})
    return {"type": "user", "cwd": CWD, "message": {"role": "user", "content": [block]}, "toolUseResult": told}


def edit(key: str = "t1", old: str = "x = 1", new: str = "x = 2", **more: Any) -> dict[str, Any]:
    return use(key, "Edit", file_path=PATH, old_string=old, new_string=new, **more)


def told(original: str | None, *hunks: dict[str, Any], old: str = "x = 1", new: str = "x = 2") -> dict[str, Any]:
    return {
        "filePath": PATH,
        "oldString": old,
        "newString": new,
        "originalFile": original,
        "structuredPatch": list(hunks),
        "userModified": False,
        "replaceAll": False,
    }


def hunk(*lines: str, start: int = 1) -> dict[str, Any]:
    old, new = (sum(line[0] not in not_of for line in lines) for not_of in ("+\\", "-\\"))
    return {"oldStart": start, "oldLines": old, "newStart": start, "newLines": new, "lines": list(lines)}


def attempt(key: str = "t1", old: str = "x = 1", new: str = "x = 2", **fields: Any) -> Attempt:
    return Attempt(key, "str_replace", PATH, (Edit(old, new),), model="m", quirks=("takes_line_feed",), **fields)


def diff(patch: str) -> tuple[RecordedDiff]:
    return (RecordedDiff(PATH, patch, tabs_shown_as="  "),)


def events(tmp_path: Path, *lines: Any) -> list[Any]:
    return read(IMPORTER, write_lines(tmp_path / "s.jsonl", *lines))[0]


def test_an_edit_has_the_texts_of_its_result(tmp_path: Path) -> None:
    shown = told("x = 1\ny\n", hunk("-x = 1", "+x = 2", " y"))
    assert events(tmp_path, edit(), result("t1", shown)) == [
        OPENED,
        attempt(
            outcome="applied",
            before=(File(PATH, "x = 1\ny\n"),),
            after=(File(PATH, "x = 2\ny\n"),),
            diffs=diff("@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y\n"),
        ),
    ]


def test_of_a_large_file_there_is_only_the_diff(tmp_path: Path) -> None:
    found = events(tmp_path, edit(), result("t1", told(None, hunk("-x = 1", "+x = 2", start=900))))
    assert found[1] == attempt(outcome="applied", diffs=diff("@@ -900,1 +900,1 @@\n-x = 1\n+x = 2\n"))


def test_tabs_of_the_diff_are_two_blanks_each_and_the_texts_still_agree(tmp_path: Path) -> None:
    shown = told("if y:\n\t\tx = 1\n", hunk(" if y:", "-    x = 1", "+    x = 2"))
    (made,) = events(tmp_path, edit(), result("t1", shown))[1:]
    assert made.after == (File(PATH, "if y:\n\t\tx = 2\n"),)
    assert made.diffs[0].tabs_shown_as == "  "


def test_an_empty_new_string_takes_the_line_feed_with_it(tmp_path: Path) -> None:
    shown = told("a\nx = 1\nb\n", hunk(" a", "-x = 1", " b"), new="")
    (made,) = events(tmp_path, edit(new=""), result("t1", shown))[1:]
    assert made.after == (File(PATH, "a\nb\n"),)


def test_a_text_that_the_diff_contradicts_is_not_given(tmp_path: Path) -> None:
    shown = told("x = 1\nx = 1\n", hunk(" x = 1", "-x = 1", "+x = 2"))
    (made,) = events(tmp_path, edit(), result("t1", shown))[1:]
    assert (made.outcome, made.after) == ("applied", None)
    assert made.before == (File(PATH, "x = 1\nx = 1\n"),)


def test_folded_quotes_are_replaced_as_the_file_has_them_and_kept_as_the_model_wrote_them(tmp_path: Path) -> None:
    shown = told("say(“x”)\n", hunk("-say(“x”)", "+say(“y”)"), old="say(“x”)", new="say(“y”)")
    (made,) = events(tmp_path, edit(old='say("x")', new='say("y")'), result("t1", shown))[1:]
    assert made.edits == (Edit('say("x")', 'say("y")'),)
    assert made.after == (File(PATH, "say(“y”)\n"),)


def test_replace_all_replaces_all(tmp_path: Path) -> None:
    (made,) = events(tmp_path, edit(replace_all=True), result("t1", told("x = 1\nx = 1\n")))[1:]
    assert made.edits == (Edit("x = 1", "x = 2", True),)
    assert made.after == (File(PATH, "x = 2\nx = 2\n"),)


def test_a_proposal_that_the_user_changed_says_so(tmp_path: Path) -> None:
    shown = told("x = 1\n", hunk("-x = 1", "+x = 3"), new="x = 3") | {"userModified": True}
    (made,) = events(tmp_path, edit(), result("t1", shown))[1:]
    assert made.changed_by_user
    assert made.edits == (Edit("x = 1", "x = 2"),)
    assert made.after == (File(PATH, "x = 3\n"),)


def test_a_multi_edit_is_one_attempt_of_several_edits_in_order(tmp_path: Path) -> None:
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]
    shown = {"filePath": PATH, "edits": edits, "originalFileContents": "a\n", "structuredPatch": [hunk("-a", "+c")]}
    call = use("t1", "MultiEdit", file_path=PATH, edits=edits)
    (made,) = events(tmp_path, call, result("t1", shown))[1:]
    assert made.edits == (Edit("a", "b"), Edit("b", "c"))
    assert (made.after, made.against_original) == ((File(PATH, "c\n"),), False)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("String to replace not found in file.\nString: secret", "no_match"),
        (
            "Found 3 matches of the string to replace, but replace_all is false. Be clearer.\nString: secret",
            "ambiguous",
        ),
        ("File has not been read yet. Read it first before writing to it.", "unread"),
        ("File has been modified since read, either by the user or by a linter. Read it again.", "stale"),
        ("File has been unexpectedly modified. Read it again.", "stale"),
        ("No changes to make: old_string and new_string are exactly the same.", "identical"),
        ("InputValidationError: Edit failed due to the following issue:\nThe parameter x", "malformed"),
        ("File does not exist.", "unknown"),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_a_failure_is_told_by_the_first_line_of_its_error(
    tmp_path: Path, said: str, outcome: str, as_list: bool
) -> None:
    content = f"<tool_use_error>{said}</tool_use_error>"
    told_of = result("t1", f"Error: {said}", [{"type": "text", "text": content}] if as_list else content, failed=True)
    assert events(tmp_path, edit(), told_of)[1:] == [attempt(outcome=outcome, error=said.split("\n")[0])]


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ("The user doesn't want to proceed with this tool use. The user said: private words", "declined"),
        ("PreToolUse:Edit hook error: [check]: private words", "declined"),
        ("Sibling tool call errored", "cancelled"),
    ],
)
def test_what_was_not_tried_is_no_failure_and_tells_nobodys_words(tmp_path: Path, said: str, outcome: str) -> None:
    found = events(tmp_path, edit(), result("t1", "Error: x", said, failed=True))
    assert found[1:] == [attempt(outcome=outcome)]


@pytest.mark.parametrize(
    ("said", "told_of", "outcome"),
    [
        ("leave that line alone please", "Error: leave that line alone please", "declined"),
        ("leave that line alone please", "User rejected tool use", "declined"),
        ("EACCES: permission denied, open 'a.py'", "Error: EACCES: permission denied, open 'a.py'", "unknown"),
        ("TypeError: x is undefined", "Error: TypeError: x is undefined", "unknown"),
        ("<tool_use_error>Something new</tool_use_error>", "Error: Something new", "unknown"),
        ("something", None, "unknown"),
        ("", "Error: ", "unknown"),
    ],
)
def test_a_refusal_may_be_the_users_own_words(tmp_path: Path, said: str, told_of: str | None, outcome: str) -> None:
    (made,) = events(tmp_path, edit(), result("t1", told_of, said, failed=True))[1:]
    assert made.outcome == outcome
    assert outcome == "unknown" or made.error is None


def test_an_error_is_cut(tmp_path: Path) -> None:
    (made,) = events(tmp_path, edit(), result("t1", None, "y" * 1000, failed=True))[1:]
    assert made.error == "y" * 300


def test_results_find_their_calls_by_id_whatever_their_order(tmp_path: Path) -> None:
    one, two = edit("t1"), edit("t2", "y", "z")
    found = events(
        tmp_path, one, two, result("t2", None), result("t1", None, "String to replace not found", failed=True)
    )
    assert [(made.key, made.outcome) for made in found[1:]] == [("t2", "applied"), ("t1", "no_match")]


def test_sub_agents_lines_between_a_call_and_its_result_do_not_matter(tmp_path: Path) -> None:
    side = [edit("s1", "y", "z") | {"isSidechain": True}, result("s1", None) | {"isSidechain": True}]
    found = events(tmp_path, edit("t1"), *side, result("t1", None))
    assert [made.key for made in found if isinstance(made, Attempt)] == ["s1", "t1"]


def test_what_another_agent_saw_is_not_what_the_first_one_saw(tmp_path: Path) -> None:
    side = [edit("s1", "y", "z") | {"isSidechain": True}, result("s1", None) | {"isSidechain": True}]
    found = events(tmp_path, edit("t1"), *side, result("t1", None), edit("t2"), result("t2", None))
    kinds = [type(made).__name__ for made in found[1:]]
    assert kinds == ["SeenUnknown", "Attempt", "SeenUnknown", "Attempt", "Attempt"]
    agents = [edit(key) | {"agentId": key} for key in ("t1", "t2")]
    assert SeenUnknown() in events(tmp_path, *agents)


def test_what_tools_and_notes_show_is_told(tmp_path: Path) -> None:
    note = {"type": "edited_text_file", "filename": PATH, "snippet": "2\tx = 2"}
    lines = [
        use("b", "Bash", command="make"),
        result("b", {"stdout": "made"}, "made"),
        use("g", "Grep", pattern="x"),
        result("g", None, "a.py:1:x = 1"),
        {"type": "attachment", "cwd": CWD, "attachment": note},
        {"type": "user", "cwd": CWD, "message": {"role": "user", "content": "<bash-input>ls</bash-input>"}},
    ]
    found, _ = read_with_shown(IMPORTER, write_lines(tmp_path / "s.jsonl", *lines))
    shown = [Disturbed("make\nmade"), Shown("x\na.py:1:x = 1"), Disturbed("2\tx = 2")]
    assert [one for one in found if not isinstance(one, Opened)] == [*shown, Disturbed("<bash-input>ls</bash-input>")]


def test_a_call_without_a_result_is_told_at_the_end(tmp_path: Path) -> None:
    found = events(tmp_path, edit("t1"), edit("t2"), result("t2", None))
    assert [(made.key, made.outcome) for made in found[1:]] == [("t2", "applied"), ("t1", "unknown")]


def test_several_results_in_a_line_do_not_share_what_stands_beside_them(tmp_path: Path) -> None:
    both = result("t1", told("x = 1\n"))
    both["message"]["content"].append({"type": "tool_result", "tool_use_id": "t2", "content": "done"})
    found = events(tmp_path, edit("t1"), edit("t2"), both)
    assert found[1:] == [attempt("t1", outcome="applied"), attempt("t2", outcome="applied")]


def test_reads_writes_and_runs_are_told(tmp_path: Path) -> None:
    seen = {"filePath": PATH, "content": "a\nb\n", "numLines": 2, "startLine": 1, "totalLines": 2}
    part = {"filePath": PATH, "content": "b", "numLines": 1, "startLine": 2, "totalLines": 2}
    written = {"type": "update", "filePath": PATH, "content": "c\n", "originalFile": "a\nb\n", "structuredPatch": []}
    calls = [use(name, name, file_path=PATH, content="c\n") for name in ("Read", "Write", "Bash", "mcp__x__y", "Grep")]
    found = events(
        tmp_path,
        *calls,
        result("Read", {"type": "text", "file": seen}),
        use("Read", "Read"),
        result("Read", {"type": "text", "file": part}),
        result("Write", written),
        result("Bash", {"stdout": "chat"}),
        result("mcp__x__y"),
        result("Grep"),
    )
    assert found[1:] == [Read(PATH, "a\nb\n"), Read(PATH, "b", 2, False), Wrote(PATH, "c\n"), Disturbed(), Disturbed()]


def test_a_write_that_failed_wrote_nothing(tmp_path: Path) -> None:
    call = use("t1", "Write", file_path=PATH, content="c\n")
    assert events(tmp_path, call, result("t1", "Error: x", "File has not been read yet", failed=True)) == [OPENED]


def test_a_write_without_a_result_object_is_what_was_asked(tmp_path: Path) -> None:
    assert events(tmp_path, use("t1", "Write", file_path=PATH, content="c\n"), result("t1"))[1:] == [Wrote(PATH, "c\n")]


def test_an_edit_of_nothing_makes_the_file(tmp_path: Path) -> None:
    assert events(tmp_path, edit(old="", new="a\n"), result("t1", told("", old="", new="a\n")))[1:] == [
        Wrote(PATH, "a\n")
    ]


def test_what_the_user_does_beside_the_session_is_told(tmp_path: Path) -> None:
    file = {"filePath": PATH, "content": "a\n", "numLines": 1, "startLine": 1, "totalLines": 1}
    found = events(
        tmp_path,
        {"type": "attachment", "cwd": CWD, "attachment": {"type": "edited_text_file", "filename": PATH}},
        {"type": "attachment", "cwd": CWD, "attachment": {"type": "file", "content": {"type": "text", "file": file}}},
        {"type": "user", "cwd": CWD, "message": {"role": "user", "content": "<bash-input>make</bash-input>"}},
    )
    assert found == [Opened(CWD), Disturbed(), Read(PATH, "a\n"), Disturbed()]


def test_another_version_or_folder_opens_anew(tmp_path: Path) -> None:
    moved = edit("t2") | {"cwd": "/home/user/other"}
    found = events(tmp_path, edit("t1"), result("t1"), use("t3", "Grep", "2.1.45"), moved)
    assert [event for event in found if isinstance(event, Opened)] == [
        OPENED,
        Opened(CWD, "2.1.45"),
        Opened("/home/user/other", "2.1.44"),
    ]


def test_broken_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", '{"type": "tool_use', edit(), '["tool_use"]', result("t1"), result("t9"))
    path.write_text(path.read_text() + '{"type":"user","message":{"content":[{"type":"tool_result","tool_u')
    found, counts = read(IMPORTER, path)
    assert found == [OPENED, attempt(outcome="applied")]
    assert counts == {"line is not JSON": 2, "line is not an object": 1, "result without its call": 1}


def test_calls_without_their_strings_are_counted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", use("t1", "Edit", file_path=PATH, old_string="x"), result("t1"))
    assert read(IMPORTER, path) == ([OPENED], {"edit call without its strings": 1})


def test_whatever_stands_in_a_line_nothing_is_raised(tmp_path: Path) -> None:
    file = {"filePath": PATH, "content": "a\n", "numLines": 1, "startLine": 1, "totalLines": 1}
    log = [
        edit("t1"),
        result("t1", told("x = 1\n", hunk("-x = 1", "+x = 2"))),
        use("t2", "MultiEdit", file_path=PATH, edits=[{"old_string": "a", "new_string": "b", "replace_all": True}]),
        result("t2", {"edits": [{"old_string": "a", "new_string": "b"}], "originalFile": "a\n"}),
        use("t3", "Write", file_path=PATH, content="c\n"),
        result("t3", {"filePath": PATH, "content": "c\n"}),
        use("t4", "Read", file_path=PATH),
        result("t4", {"type": "text", "file": file}),
        edit("t5"),
        result("t5", "Error: x", [{"type": "text", "text": "String to replace not found"}], failed=True),
        {"type": "attachment", "attachment": {"type": "file", "content": {"file": file}}},
    ]
    assert survives(IMPORTER, tmp_path / "s.jsonl", log, lines=True)


def test_logs_are_found_below_a_folder_in_order(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "a/1.jsonl"):
        write_lines(tmp_path / name)
    write_lines(tmp_path / "a" / "notes.txt")
    assert [log.path for log in IMPORTER.logs(tmp_path)] == [tmp_path / "a" / "1.jsonl", tmp_path / "b" / "2.jsonl"]
    assert [log.name for log in IMPORTER.logs(tmp_path / "a" / "1.jsonl")] == [str(tmp_path / "a" / "1.jsonl")]
    assert isinstance(next(iter(IMPORTER.logs(tmp_path))), Log)
