"""The tool that makes a recorded edit, and its arguments."""

from __future__ import annotations

from typing import Any

from corpora.importers.rebuilding import paths
from corpora.importers.session import Attempt
from editcore.types import Edit
from harness.replay.session_workspace import NotComparable, SessionWorkspace


def tool_for(attempt: Attempt) -> str:
    """The tool that makes such an edit; its format where there is none."""
    if attempt.format in ("str_replace", "search_replace"):
        return "multi_edit" if len(attempt.edits or ()) > 1 else "edit"
    return {"begin_patch": "edit_patch", "unified_diff": "patch_file", "insert": "insert_at"}.get(
        attempt.format, attempt.format
    )


def arguments_of(attempt: Attempt, files: SessionWorkspace) -> dict[str, Any]:
    """The arguments of the call of that tool. Raises NotComparable where none makes such an edit."""

    def place(path: str) -> str:
        return files.place(files.absolute(path))

    path = place(attempt.path) if attempt.path is not None else None
    patch = paths.patch_with_paths(attempt, place)
    match tool_for(attempt):
        case "edit" if path and attempt.edits:
            return {"filePath": path, **_replacement(attempt.edits[0])}
        case "multi_edit" if path and attempt.edits:
            return {"filePath": path, "edits": list(map(_replacement, attempt.edits))}
        case "edit_patch" if patch:
            return {"patch": patch, "allow_delete": True}  # As the agents that write such patches.
        case "patch_file" if path and patch:
            return {"path": path, "patch": patch}
        case "insert_at" if path and patch and attempt.line is not None:
            return {"path": path, "line": attempt.line, "content": patch}
    if attempt.edits is None and attempt.patch is None:
        raise NotComparable("the log lacks its arguments")
    raise NotComparable(f"no tool takes it: {attempt.format}")


def _replacement(edit: Edit) -> dict[str, Any]:
    return {"oldString": edit.old_string, "newString": edit.new_string, "replaceAll": edit.replace_all}
