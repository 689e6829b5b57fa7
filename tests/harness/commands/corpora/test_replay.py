"""Recorded sessions of several agents, re-run through the tools."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from editcore.tools import TOOLS
from harness.cli import main
from harness.replay import session_workspace
from tests.corpora.importers.logs import git, write_lines

CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"
TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
CHANGED = TEXT.replace("return 1", "return 3")
DIFF = "@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 3\n \n"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["replay", "-q", *map(str, arguments)])


def document(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    assert found["schema_version"] == 1
    return found


def outcomes(*arguments: object) -> list[tuple[str, str, str, str]]:
    """Tool, recorded, here and verdict of every call; of those not comparable, why."""
    return [
        (
            one["tool"],
            one["recorded"],
            one["here"] or "-",
            one["message"] if one["verdict"] == "not comparable" else one["verdict"],
        )
        for session in document(*arguments, "--all")["sessions"]
        for one in session["calls"]
    ]


# Claude Code, of which most tests are.


class Claude:
    """A session of Claude Code, call by call."""

    def __init__(self, cwd: str = CWD) -> None:
        self.cwd = cwd
        self.lines: list[dict[str, Any]] = []

    def says(self, tool: str, asked: dict[str, Any], told: Any, *, failed: bool = False) -> Claude:
        key = f"t{len(self.lines)}"
        use = {"type": "tool_use", "id": key, "name": tool, "input": asked}
        content = f"<tool_use_error>{told}</tool_use_error>" if failed else "done"
        back = {"type": "tool_result", "tool_use_id": key, "content": content, "is_error": failed}
        told = f"Error: {told}" if failed else told
        self.lines += [
            {"type": "assistant", "version": "2.1.44", "cwd": self.cwd, "message": {"model": "m", "content": [use]}},
            {"type": "user", "cwd": self.cwd, "message": {"content": [back]}, "toolUseResult": told},
        ]
        return self

    def reads(self, text: str = TEXT, path: str = PATH, *, first: int = 1, total: int | None = None) -> Claude:
        n = text.count("\n") + 1
        file = {"filePath": path, "content": text, "numLines": n, "startLine": first, "totalLines": total or n}
        return self.says("Read", {"file_path": path}, {"type": "text", "file": file})

    def writes(self, text: str, path: str = PATH) -> Claude:
        asked = {"file_path": path, "content": text}
        return self.says("Write", asked, {"type": "create", "filePath": path, "content": text})

    def edits(self, old: str, new: str, path: str = PATH, *, refused: str = "", **told: Any) -> Claude:
        asked = {"file_path": path, "old_string": old, "new_string": new}
        if refused:
            return self.says("Edit", asked, refused, failed=True)
        return self.says("Edit", asked, {"filePath": path, "oldString": old, "newString": new, **told})

    def edits_all(self, *edits: tuple[str, str]) -> Claude:
        asked = [{"old_string": old, "new_string": new} for old, new in edits]
        return self.says("MultiEdit", {"file_path": PATH, "edits": asked}, {"filePath": PATH})

    def runs(self) -> Claude:
        return self.says("Bash", {"command": "black ."}, {"stdout": ""})

    def at(self, folder: Path, name: str = "s.jsonl") -> Path:
        return write_lines(folder / name, *self.lines)


NOT_FOUND = "String to replace not found in file."
MODIFIED = "File has been modified since read, either by the user or by a linter."
SPACED = "def f():\n  return 1"
"""As a model may write it: with another indentation."""


# The formats


def claude_code(folder: Path) -> Path:
    return Claude().reads().edits("return 1", "return 3").edits("x", "y", refused=NOT_FOUND).at(folder)


def codex(folder: Path) -> Path:
    def item(kind: str, **payload: Any) -> dict[str, Any]:
        return {"type": "response_item", "payload": {"type": kind} | payload}

    def patch(key: str, body: str) -> dict[str, Any]:
        text = f"*** Begin Patch\n{body}\n*** End Patch\n"
        return item("custom_tool_call", name="apply_patch", call_id=key, input=text)

    def landed(key: str, change: dict[str, Any]) -> dict[str, Any]:
        payload = {"type": "patch_apply_end", "call_id": key, "success": True, "changes": {PATH: change}}
        return {"type": "event_msg", "payload": payload}

    missing = "apply_patch verification failed: Failed to find expected lines in a.py:\nx"
    added = "\n".join(f"+{line}" for line in TEXT.splitlines())
    return write_lines(
        folder / "rollout-1.jsonl",
        {"type": "session_meta", "payload": {"cwd": CWD, "cli_version": "0.118.0"}},
        patch("c1", f"*** Add File: a.py\n{added}"),
        landed("c1", {"type": "add", "content": TEXT}),
        patch("c2", "*** Update File: a.py\n@@\n-    return 1\n+    return 3"),
        landed("c2", {"type": "update", "unified_diff": DIFF, "move_path": None}),
        patch("c3", f"*** Update File: {PATH}\n@@\n-x\n+y"),
        item("custom_tool_call_output", call_id="c3", output=missing),
    )


def opencode(folder: Path) -> Path:
    def part(tool: str, key: str, asked: dict[str, Any], **state: Any) -> dict[str, Any]:
        state = {"status": "completed", "input": {"filePath": PATH} | asked} | state
        return {"type": "tool", "tool": tool, "callID": key, "state": state}

    shown = "\n".join(f"{n}: {line}" for n, line in enumerate(TEXT.splitlines(), 1))
    parts = [
        part("read", "c1", {}, output=f"<content>\n{shown}\n(End of file - total 6 lines)\n</content>"),
        part(
            "edit",
            "c2",
            {"oldString": "return 1", "newString": "return 3"},
            metadata={"filediff": {"file": PATH, "before": TEXT, "after": CHANGED}},
        ),
        part(
            "edit",
            "c3",
            {"oldString": "x", "newString": "y"},
            status="error",
            error="Could not find oldString in the file.",
        ),
    ]
    return write_lines(
        folder / "session.json",
        {
            "info": {"id": "s", "version": "1.14.30", "directory": CWD},
            "messages": [{"info": {"role": "assistant", "modelID": "m"}, "parts": parts}],
        },
    )


def pi(folder: Path) -> Path:
    def message(**fields: Any) -> dict[str, Any]:
        return {"type": "message", "message": fields}

    def called(key: str, name: str, **arguments: Any) -> dict[str, Any]:
        part = {"type": "toolCall", "id": key, "name": name, "arguments": {"path": "a.py", **arguments}}
        return message(role="assistant", model="m", content=[part])

    def back(key: str, name: str, said: str, *, failed: bool = False, **details: Any) -> dict[str, Any]:
        parts = [{"type": "text", "text": said}]
        return message(role="toolResult", toolCallId=key, toolName=name, content=parts, details=details, isError=failed)

    numbered = " 1 def f():\n-2     return 1\n+2     return 3\n 3 "
    return write_lines(
        folder / "s.jsonl",
        {"type": "session", "version": 3, "cwd": CWD},
        called("c1", "read"),
        back("c1", "read", TEXT),
        called("c2", "edit", edits=[{"oldText": "return 1", "newText": "return 3"}]),
        back("c2", "edit", "Successfully replaced 1 block(s) in a.py.", diff=numbered, firstChangedLine=2),
        called("c3", "edit", edits=[{"oldText": "x", "newText": "y"}]),
        back("c3", "edit", "Could not find the exact text in a.py.", failed=True),
    )


def gemini_cli(folder: Path) -> Path:
    def tool(key: str, name: str, status: str = "success", **more: Any) -> dict[str, Any]:
        return {"id": key, "name": name, "status": status} | more

    def response(**told: Any) -> list[dict[str, Any]]:
        return [{"functionResponse": {"response": told}}]

    calls = [
        tool("c1", "read_file", args={"file_path": PATH}, result=response(output=TEXT)),
        tool(
            "c2",
            "replace",
            args={"file_path": PATH, "old_string": "return 1", "new_string": "return 3"},
            resultDisplay={"filePath": PATH, "originalContent": TEXT, "newContent": CHANGED},
        ),
        tool(
            "c3",
            "replace",
            "error",
            args={"file_path": PATH, "old_string": "x", "new_string": "y"},
            result=response(error="Failed to edit, 0 occurrences found for old_string."),
        ),
    ]
    return write_lines(folder / "session-1.json", {"messages": [{"type": "gemini", "model": "m", "toolCalls": calls}]})


def copilot_cli(folder: Path, **context: str) -> Path:
    def started(key: str, name: str, arguments: Any) -> dict[str, Any]:
        data = {"toolCallId": key, "toolName": name, "arguments": arguments}
        return {"type": "tool.execution_start", "data": data}

    def ended(key: str, success: bool = True, **told: Any) -> dict[str, Any]:
        return {"type": "tool.execution_complete", "data": {"toolCallId": key, "success": success, **told}}

    header = "diff --git a/home/user/demo/a.py b/home/user/demo/a.py\n--- a/a.py\n+++ b/a.py\n"
    return write_lines(
        folder / "events.jsonl",
        {"type": "session.start", "data": {"copilotVersion": "1.0.64", "context": {"cwd": CWD, **context}}},
        started("c1", "create", {"path": PATH, "file_text": TEXT}),
        ended("c1", result={"content": "Created."}),
        started("c2", "edit", {"path": PATH, "old_str": "return 1", "new_str": "return 3"}),
        ended("c2", result={"detailedContent": header + DIFF}),
        started("c3", "edit", {"path": PATH, "old_str": "x", "new_str": "y"}),
        ended("c3", success=False, error={"message": "No match found"}),
    )


def cline(folder: Path) -> Path:
    def asked(said: str) -> dict[str, Any]:
        return {"role": "assistant", "content": [{"type": "text", "text": said}]}

    def told(tool: str, said: str) -> dict[str, Any]:
        return {"role": "user", "content": [{"type": "text", "text": f"[{tool} for 'a.py'] Result:\n{said}"}]}

    def replacing(old: str, new: str) -> dict[str, Any]:
        block = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE"
        return asked(f"<replace_in_file>\n<path>a.py</path>\n<diff>\n{block}\n</diff>\n</replace_in_file>")

    final = f'<final_file_content path="a.py">\n{CHANGED}\n</final_file_content>'
    saved = f"The content was successfully saved to a.py.\n\n{final}"
    missing = (
        "The tool execution failed with the following error:\n<error>\nThe SEARCH block:\nx\n"
        "...does not match anything in the file.\n</error>\n\n"
        f'<file_content path="a.py">\n{CHANGED}\n</file_content>'
    )
    where = {"type": "text", "text": f"# Current Working Directory ({CWD}) Files"}
    return write_lines(
        folder / "17" / "api_conversation_history.json",
        [
            {"role": "user", "content": [where]},
            asked(f"<write_to_file>\n<path>a.py</path>\n<content>\n{TEXT}\n</content>\n</write_to_file>"),
            told("write_to_file", "The content was successfully saved to a.py."),
            replacing("    return 1", "    return 3"),
            told("replace_in_file", saved),
            replacing("x", "y"),
            told("replace_in_file", missing),
        ],
    )


FORMATS = [claude_code, codex, opencode, pi, gemini_cli, copilot_cli, cline]


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_a_session_of_every_format_is_recognised_and_comes_out_as_it_was_recorded(make: Any, tmp_path: Path) -> None:
    log = make(tmp_path)
    first = {"codex": "edit_patch", "copilot_cli": "write", "cline": "write"}.get(make.__name__, "read")
    edit = "edit_patch" if make is codex else "edit"
    expected = [
        (first, "applied", "applied", "same"),
        (edit, "applied", "applied", "same"),
        (edit, "no_match", "no_match", "same"),
    ]
    for place in (log, tmp_path):
        assert outcomes(place) == expected
        assert [one["format"] for one in document(place)["sessions"]] == [make.__name__]
    assert outcomes(log, "--format", make.__name__) == expected
    assert call(log).exit_code == 0


def repository(folder: Path, text: str) -> Path:
    """A project with one commit."""
    folder.mkdir()
    (folder / "a.py").write_text(text)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        git(folder, *arguments)
    return folder


def patches(folder: Path, *patches: tuple[str, dict[str, Any]]) -> Path:
    """A session of Codex at a commit: patches without their envelope, and the changes that were recorded."""
    start = {"cwd": CWD, "cli_version": "0.118.0", "git": {"commit_hash": "HEAD"}}
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": start}]
    for n, (body, changes) in enumerate(patches):
        text = f"*** Begin Patch\n{body}\n*** End Patch\n"
        called = {"type": "custom_tool_call", "name": "apply_patch", "call_id": f"c{n}", "input": text}
        landed = {"type": "patch_apply_end", "call_id": f"c{n}", "success": True, "changes": changes}
        lines += [{"type": "response_item", "payload": called}, {"type": "event_msg", "payload": landed}]
    return write_lines(folder / "rollout.jsonl", *lines)


UPDATE = "*** Update File: a.py\n@@\n-    return 1\n+    return 3"
UPDATED = {PATH: {"type": "update", "unified_diff": DIFF, "move_path": None}}


# What differs


def test_what_a_cascade_finds_and_the_recorded_tool_did_not_is_a_difference(tmp_path: Path) -> None:
    log = Claude().reads().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND).at(tmp_path)
    found = call(log)
    assert found.stdout.splitlines() == [
        f"{log}:#2 edit a.py: recorded no_match, here applied: found by line_trimmed",
        "2 calls of 1 session",
        "        1  the same",
        "        1  differ",
        "          1  applied here",
        "        0  not comparable",
    ]
    assert found.exit_code == 1
    for cascade in ("exact", "simple+multi_occurrence", "block_anchor@similarity=1"):
        assert call(log, "--cascade", cascade).exit_code == 0, cascade
    assert call(log, "--cascade", "simple+line_trimmed").exit_code == 1


def test_after_a_difference_the_files_go_on_as_they_were_recorded(tmp_path: Path) -> None:
    refused = Claude().reads().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND)
    again = refused.edits("def f():\n    return 1", "def f():\n    return 3").edits("return 3", "return 4")
    assert [verdict for *_, verdict in outcomes(again.at(tmp_path))] == ["same", "applied here", "same", "same"]


def test_an_edit_that_was_applied_and_is_refused_here_says_why(tmp_path: Path) -> None:
    log = opencode(tmp_path)
    old, new = json.dumps(SPACED), json.dumps("def f():\n    return 3")
    log.write_text(log.read_text().replace('"return 1"', old).replace('"return 3"', new))
    assert outcomes(log)[1] == ("edit", "applied", "applied", "same")
    (_, edit, then) = document(log, "--all", "--cascade", "exact")["sessions"][0]["calls"]
    assert (edit["verdict"], edit["here"], edit["reason"]) == ("refused here", "no_match", "no_match")
    assert "not found" in edit["message"]
    assert then["verdict"] == "same"


def test_another_reason_is_a_difference(tmp_path: Path) -> None:
    several = "Found 2 matches of the string to replace, but replace_all is false."
    log = Claude().reads().edits("x", "y", refused=several).at(tmp_path)
    (edit,) = document(log)["sessions"][0]["calls"]
    assert (edit["recorded"], edit["here"], edit["verdict"]) == ("ambiguous", "no_match", "other reason")


def test_another_text_is_told_by_the_lines_that_differ(tmp_path: Path) -> None:
    after = TEXT.replace("return 2", "return 9")
    log = opencode(tmp_path)
    log.write_text(log.read_text().replace(json.dumps(CHANGED), json.dumps(after)))
    (edit,) = document(log)["sessions"][0]["calls"]
    assert edit == {
        "index": 2,
        "tool": "edit",
        "path": "a.py",
        "recorded": "applied",
        "here": "applied",
        "verdict": "other text",
        "reason": None,
        "message": "lines 2-6 differ: recorded '    return 1', here '    return 3'",
        "first_differing_line": 2,
    }
    assert "#2 edit a.py: recorded applied, here applied with another text: lines 2-6" in call(log).stdout
    assert document(log)["differs"] == {"other text": 1}


def test_a_file_that_the_recorded_tool_ends_otherwise_is_another_text(tmp_path: Path) -> None:
    taken = Claude().reads("a\nb\nc\n").edits("b", "", originalFile="a\nb\nc\n")
    (edit,) = document(taken.at(tmp_path))["sessions"][0]["calls"]
    assert (edit["verdict"], edit["first_differing_line"]) == ("other text", 2)


def test_a_write_over_a_file_that_was_not_read_is_refused_here_and_the_session_goes_on(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", "old\n")
    log = copilot_cli(tmp_path / "log", headCommit="HEAD")
    assert outcomes(log, "--repo", project) == [
        ("write", "applied", "unread", "refused here"),
        ("edit", "applied", "applied", "same"),
        ("edit", "no_match", "no_match", "same"),
    ]


# What is the same


def test_an_edit_without_reading_is_refused_here_as_well(tmp_path: Path) -> None:
    log = Claude().edits("x", "y", refused="File has not been read yet.").at(tmp_path)
    assert outcomes(log) == [("edit", "unread", "unread", "same")]


def test_what_is_written_and_changed_in_several_places_is_made_again(tmp_path: Path) -> None:
    session = Claude().writes(TEXT).writes(CHANGED).edits_all(("return 3", "return 4"), ("return 2", "return 5"))
    same = ("applied", "applied", "same")
    assert outcomes(session.at(tmp_path)) == [("write", *same), ("write", *same), ("multi_edit", *same)]


def test_a_file_that_changed_unseen_is_the_one_that_was_read_again(tmp_path: Path) -> None:
    formatted = TEXT.replace("    ", "  ")
    session = Claude().reads().runs().reads(formatted).edits("  return 1", "  return 3")
    assert [verdict for *_, verdict in outcomes(session.at(tmp_path), "--cascade", "exact")] == ["same"] * 3


def test_a_stretch_is_read_where_it_is_the_files(tmp_path: Path) -> None:
    session = Claude().reads().reads("def g():", first=5, total=7).reads("def h():", first=5, total=7)
    told = [verdict for *_, verdict in outcomes(session.reads("x", first=5, total=7).at(tmp_path))]
    assert told == ["same", "same", "the file may have changed unseen", "the file's text is not known"]


def test_a_text_that_the_log_lacks_is_the_repositorys_until_the_session_has_changed_it(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", TEXT)
    moved = {
        "type": "update",
        "move_path": f"{CWD}/b.py",
        "unified_diff": "@@ -2 +2 @@\n-    return 3\n+    return 4\n",
    }
    log = patches(
        tmp_path / "log",
        (UPDATE, UPDATED),
        ("*** Update File: a.py\n*** Move to: b.py\n@@\n-    return 3\n+    return 4", {PATH: moved}),
        ("*** Delete File: b.py", {f"{CWD}/b.py": {"type": "delete", "content": ""}}),
        (UPDATE, UPDATED),
    )
    same = ("edit_patch", "applied", "applied", "same")
    unknown = ("edit_patch", "applied", "-", "the file's text is not known")
    assert outcomes(log, "--repo", project) == [same, same, same, unknown]
    assert outcomes(log) == [unknown] * 4


def test_of_a_patch_that_names_no_file_of_a_workspace_nothing_is_known(tmp_path: Path) -> None:
    project = repository(tmp_path / "project", TEXT)
    both = f"{UPDATE}\n*** Delete File: {'x' * 300}"
    log = patches(tmp_path / "log", (UPDATE, UPDATED), (both, UPDATED), (UPDATE, UPDATED))
    assert [told for *_, told in outcomes(log, "--repo", project)] == [
        "same",
        "its path cannot be in a workspace",
        "the file's text is not known",
    ]


def test_where_only_a_diff_was_recorded_it_says_whether_the_text_is_the_same(tmp_path: Path) -> None:
    lines = [" def f():", "-    return 1", "+    return 3"]
    hunk = {"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": lines}
    found = Claude().reads().edits(SPACED, "def f():\n    return 3", structuredPatch=[hunk])
    log = found.edits("return 3", "return 4").at(tmp_path)
    assert [told for *_, told in outcomes(log)] == ["same"] * 3
    assert [told for *_, told in outcomes(log, "--cascade", "exact")] == [
        "same",
        "the recorded diff does not fit the text",
        "the file's text is not known",
    ]


def test_lines_are_inserted_where_they_were(tmp_path: Path) -> None:
    log = copilot_cli(tmp_path)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    lines[3]["data"] |= {"toolName": "insert", "arguments": {"path": PATH, "insert_line": 1, "new_str": "    x = 1"}}
    shown = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n def f():\n+    x = 1\n     return 1\n"
    lines[4]["data"]["result"]["detailedContent"] = shown
    write_lines(log, *lines)
    assert outcomes(log)[1] == ("insert_at", "applied", "applied", "same")


def test_a_session_that_starts_afresh_knows_nothing_of_the_one_before(tmp_path: Path) -> None:
    def action(number: int, **args: Any) -> list[dict[str, Any]]:
        args = {"path": "/workspace/a.py", **args}
        extras = {"tool_call_metadata": {"tool_call_id": f"c{number}"}}
        made = {"id": number, "source": "agent", "action": "edit", "args": args} | extras
        seen = {"id": number + 1, "cause": number, "observation": "edit", "content": "", "extras": {}} | extras
        return [made, seen]

    history = {"history": action(1, command="create", file_text=TEXT)}
    log = write_lines(tmp_path / "s.jsonl", history, history)
    assert outcomes(log, "--format", "openhands") == [("write", "applied", "applied", "same")] * 2


def test_a_tool_that_fails_is_a_difference_and_the_calls_behind_it_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Any:
        raise RuntimeError("no more")

    monkeypatch.setattr(session_workspace, "TOOLS", {**TOOLS, "edit": replace(TOOLS["edit"], run=fail)})
    log = Claude().reads().edits("return 1", "return 3").reads(CHANGED).at(tmp_path)
    assert outcomes(log) == [
        ("read", "applied", "applied", "same"),
        ("edit", "applied", "-", "crashed"),
        ("read", "applied", "applied", "same"),
    ]
    assert call(log).stdout.startswith(f"{log}:#2 edit a.py: recorded applied, crashed: RuntimeError: no more\n")


# What can't be compared


@pytest.mark.parametrize(
    ("session", "why_not"),
    [
        (Claude().edits("x", "y"), "the file's text is not known"),
        (Claude().edits("x", "y", refused=NOT_FOUND), "the file's text is not known"),
        (Claude().reads().runs().edits("retrun", "x"), "the file may have changed unseen"),
        (Claude().reads().edits("return 1", "x", refused=NOT_FOUND), "the text contradicts the recorded failure"),
        (
            Claude().reads().edits("x", "y", refused="File has been modified since read"),
            "the file may have changed unseen",
        ),
        (Claude().reads().edits("x", "y", refused="The user doesn't want to"), "it was not tried: declined"),
        (Claude().reads().edits("x", "y", refused="What?"), "its outcome was not recorded"),
        (Claude().reads().edits(SPACED, "def f():\n    return 3"), "what it left is not known"),
        (
            Claude().reads().edits("return 1", "x", originalFile=TEXT, userModified=True),
            "the user changed the proposal",
        ),
        (
            Claude().reads().runs().edits(SPACED, "def f():\n    return 3", refused=NOT_FOUND),
            "the file may have changed unseen",
        ),
    ],
)
def test_what_the_log_does_not_tell_for_certain_is_no_difference(session: Claude, why_not: str, tmp_path: Path) -> None:
    log = session.at(tmp_path)
    assert outcomes(log)[-1][2:] == ("-", why_not)
    found = document(log)
    assert found["not_comparable"] == {why_not: 1}
    assert found["n_same"] == found["n_calls"] - 1
    assert call(log).exit_code == 0


def test_an_edit_without_its_arguments_can_not_be_made(tmp_path: Path) -> None:
    log = copilot_cli(tmp_path)
    log.write_text(log.read_text().replace('"old_str": "return 1", ', ""))
    assert outcomes(log)[1] == ("edit", "applied", "-", "the log lacks its arguments")


@pytest.mark.parametrize(
    ("edits", "told"),
    [
        ([("return 1", "return 3"), ("def g", "def h")], ("applied", "same")),
        (
            [("return 1", "return 2"), ("return 2", "return 1")],
            ("-", "each of its edits is for the text before all of them"),
        ),
    ],
)
def test_edits_for_the_text_before_all_of_them_are_compared_where_it_comes_to_the_same(
    edits: list[tuple[str, str]], told: tuple[str, str], tmp_path: Path
) -> None:
    log = pi(tmp_path)
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    (part,) = lines[3]["message"]["content"]
    part["arguments"]["edits"] = [{"oldText": old, "newText": new} for old, new in edits]
    # Without a diff the edits say what came of them.
    lines[4]["message"]["details"] = {}
    write_lines(log, *lines)
    assert outcomes(log)[1] == ("multi_edit", "applied", *told)


# Paths


@pytest.mark.parametrize(
    ("cwd", "path"),
    [
        (CWD, "{outside}/victim.py"),
        (CWD, "../../../../../../../..{outside}/victim.py"),
        ("", "../../../../../../../../../..{outside}/victim.py"),
        ("", "../victim.py"),
        (CWD, "a\0b"),
        (CWD, "x" * 300),
        (CWD, "x/" * 3000 + "y"),
        (CWD, "\ud800"),
        ("/", "{outside}/victim.py"),
    ],
)
def test_whatever_a_log_names_nothing_outside_is_touched(cwd: str, path: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    victim = outside / "victim.py"
    victim.write_text("mine\n")
    path = path.format(outside=outside)
    session = Claude(cwd).reads(TEXT, path).edits("return 1", "return 3", path).writes("all new\n", path)
    log = session.at(tmp_path / "log")
    found = document(log, "--all")
    assert found["n_calls"] == 3
    assert victim.read_text() == "mine\n"
    assert [one.name for one in outside.iterdir()] == ["victim.py"]
    if cwd and path.endswith("victim.py"):
        assert found["n_same"] == 3
    else:
        assert found["not_comparable"] == {"its path cannot be in a workspace": 3}


def test_a_file_that_is_said_to_lie_in_a_file_is_not_comparable(tmp_path: Path) -> None:
    told = outcomes(Claude().reads().reads("x", f"{PATH}/b.py").reads().at(tmp_path))
    assert [verdict for *_, verdict in told] == ["same", "its file cannot be written here", "same"]


def test_a_text_that_utf_8_does_not_have_is_not_comparable(tmp_path: Path) -> None:
    told = outcomes(Claude().reads("\ud800\n").writes("x\n").at(tmp_path))
    assert [verdict for *_, verdict in told] == ["its file cannot be written here", "same"]


# The command


def test_a_folder_of_several_agents_is_replayed_up_to_a_limit(tmp_path: Path) -> None:
    for make in FORMATS:
        make(tmp_path / make.__name__)
    assert {one["format"] for one in document(tmp_path)["sessions"]} == {make.__name__ for make in FORMATS}
    assert document(tmp_path)["n_calls"] == 3 * len(FORMATS)
    assert len(document(tmp_path, "-n", 2)["sessions"]) == 2
    assert "7 sessions" in call(tmp_path).stdout


def test_without_all_only_what_differs_is_listed(tmp_path: Path) -> None:
    log = claude_code(tmp_path)
    assert call(log).stdout.splitlines()[0] == "3 calls of 1 session"
    assert call(log, "--all").stdout.splitlines()[0] == f"{log}:#1 read a.py: recorded applied, here applied"
    assert document(log)["sessions"][0]["calls"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gone"], "There is no gone"),
        (["empty"], "These sessions hold no call that reads, writes or edits a file"),
        (["empty", "--format", "pi"], "empty holds no logs of pi"),
        (["chat.jsonl", "--format", "pi"], "These sessions hold no call that reads, writes or edits a file"),
        (["chat.jsonl"], "These sessions hold no call that reads, writes or edits a file"),
        (["s.jsonl", "--format", "fortran"], "There is no importer 'fortran'"),
        (["s.jsonl", "--cascade", "waterfall"], "There is no cascade 'waterfall'"),
        (["s.jsonl", "--cascade", "simple+simpel"], "There is no replacer 'simpel'"),
        ([], "Missing argument 'LOG...'."),
    ],
)
def test_what_can_not_be_replayed_is_told_in_two_lines(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    write_lines(Path("chat.jsonl"), {"type": "user", "message": {"content": "hello"}})
    claude_code(tmp_path)
    found = call(*arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.splitlines()[0] == f"error: {message}"
    assert len(found.stderr.splitlines()) == 2


def test_a_misspelt_format_is_answered_with_the_nearest_one(tmp_path: Path) -> None:
    assert (
        "  Did you mean claude_code? Choose from: auto, claude_code, "
        in call(claude_code(tmp_path), "--format", "claudecode").stderr
    )
