"""Entries of the Agent Client Protocol: its package accepts every part, and they describe the call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editcore.host.acp import call_entry, result_entry
from tests.editcore.host.conftest import Project, envelope


def checked(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry. The package, which drops unknown parts, must accept all of it."""
    schema = pytest.importorskip("acp.schema")
    notification = {"sessionId": "s", "update": entry}
    taken = schema.SessionNotification.model_validate(notification)
    assert taken.model_dump(by_alias=True, exclude_unset=True, mode="json") == notification
    return entry


def entries(project: Project, tool: str, /, **params: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    workspace = project.host.workspace
    call = call_entry(project.registry.tools(project.agent)[tool], workspace, "c1", params)
    return checked(call), checked(result_entry(workspace, "c1", project.call(tool, **params)))


def test_an_edit_is_shown_with_its_diff_and_its_first_line(project: Project) -> None:
    file = project.lay("d/a.py", "x = 1\ny = 2\n")
    params = {"filePath": "d/a.py", "oldString": "y = 2", "newString": "y = 3"}
    call, result = entries(project, "edit", **params)
    assert call == {
        "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "edit d/a.py", "kind": "edit",
        "status": "in_progress", "locations": [{"path": str(file)}], "rawInput": params,
    }  # fmt: skip
    assert (result["status"], result["title"]) == ("completed", "d/a.py")
    assert result["locations"] == [{"path": str(file), "line": 2}]
    text, diff = result["content"]
    assert text["content"]["text"] == "Edit applied successfully: line 2."
    assert diff == {"type": "diff", "path": str(file), "oldText": "x = 1\ny = 2\n", "newText": "x = 1\ny = 3\n"}


def test_a_refused_call_has_failed_and_changes_nothing(project: Project) -> None:
    project.lay("a", "x\n")
    _, result = entries(project, "edit", filePath="a", oldString="z", newString="y")
    assert (result["status"], result["locations"]) == ("failed", [])
    assert [one["type"] for one in result["content"]] == ["content"]
    assert result["rawOutput"] == {"reason": "no_match"}
    call, _ = entries(project, "edit", filePath=1)
    assert call["locations"] == []


def test_a_patch_shows_all_of_its_files_unless_it_was_a_dry_run(project: Project, tmp_path: Path) -> None:
    project.lay("a", "x\n")
    patch = envelope("*** Update File: a", "@@", "-x", "+y", "*** Add File: n", "+1")
    for is_dry in (True, False):
        call, result = entries(project, "edit_patch", patch=patch, dry_run=is_dry)
        assert [Path(one["path"]).name for one in call["locations"]] == ["a", "n"]
        diffs = [one for one in result["content"] if one["type"] == "diff"]
        assert len(diffs) == len(result["locations"]) == (0 if is_dry else 2)
    assert "oldText" not in diffs[1]
    outside = tmp_path / "outside"
    _, result = entries(project, "write", filePath=str(outside), content="x\n")
    assert result["locations"] == [{"path": str(outside), "line": 1}]


def test_kinds_say_what_a_call_does(project: Project) -> None:
    project.lay("a.png", b"\x89PNG\r\n\x1a\n")
    tools = {"read": {"filePath": "a.png"}, "grep": {"pattern": "x"}, "bash": {"command": "true"}}
    found = {tool: entries(project, tool, **params) for tool, params in tools.items()}
    assert [call["kind"] for call, _ in found.values()] == ["read", "search", "execute"]
    assert [one["content"]["type"] for one in found["read"][1]["content"]] == ["text", "image"]
