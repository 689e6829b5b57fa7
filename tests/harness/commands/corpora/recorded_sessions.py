"""Sessions of several agents: logs as each agent writes them, and the command that replays them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from harness.cli import main
from tests.corpora.importers.logs import git, write_lines

CWD = "/home/user/demo"
PATH = f"{CWD}/a.py"
TEXT = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
CHANGED = TEXT.replace("return 1", "return 3")
DIFF = "@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 3\n \n"


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
"""A search text as a model may write it, with another indentation."""


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


def repository(folder: Path, text: str) -> Path:
    """A project with one commit."""
    folder.mkdir()
    (folder / "a.py").write_text(text)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "start"]):
        git(folder, *arguments)
    return folder


def patches(folder: Path, *patches: tuple[str, dict[str, Any]]) -> Path:
    """A session of Codex at a commit. Each pair has a patch without its envelope, and the recorded changes."""
    start = {"cwd": CWD, "cli_version": "0.118.0", "git": {"commit_hash": "HEAD"}}
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": start}]
    for n, (body, changes) in enumerate(patches):
        text = f"*** Begin Patch\n{body}\n*** End Patch\n"
        called = {"type": "custom_tool_call", "name": "apply_patch", "call_id": f"c{n}", "input": text}
        landed = {"type": "patch_apply_end", "call_id": f"c{n}", "success": True, "changes": changes}
        lines += [{"type": "response_item", "payload": called}, {"type": "event_msg", "payload": landed}]
    return write_lines(folder / "rollout.jsonl", *lines)


# Replaying them


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["replay", "-q", *map(str, arguments)])


def document(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    assert found["schema_version"] == 1
    return found


def outcomes(*arguments: object) -> list[tuple[str, str, str, str]]:
    """Tool, recorded outcome, outcome here and verdict of every call; if not comparable, the reason."""
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
