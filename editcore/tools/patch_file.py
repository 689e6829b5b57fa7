"""`patch_file`: a unified diff applied to one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editcore.boundary import clean_path, shown
from editcore.patches.unified_diff import apply_unified_diff
from editcore.types import EditResult, Reason, Rejected
from editcore.workspace import Workspace


def patch_file(workspace: Workspace, path: str, patch: str) -> EditResult:
    """The file with a unified diff applied to it, on disk; all of its hunks or none.

    The diff is read as `tolerant` reads it, with `path` as the only file there is: file headers may be missing, and
    ones that name another file are refused. A diff from /dev/null makes the file. One that deletes or renames it
    is refused: that is what `edit.patch` is for. Raises WorkspaceError where the disk fails.
    """

    def decide(files: Mapping[str, str]) -> EditResult:
        if not isinstance(patch, str):
            return Rejected(Reason.MALFORMED, "patch must be a text: a unified diff.")
        name = clean_path(path)
        result = apply_unified_diff(files, patch)
        if isinstance(result, Rejected):
            if not files and result.reason is Reason.NOT_FOUND:
                return replace(result, message=f"There is no file {shown(path)}: patch one that exists.")
            return result
        after = result.files or {}
        if set(after) != {name}:
            return Rejected(
                Reason.NOT_ALLOWED,
                f"The diff does more than change {shown(path)}: delete, move and add other files with edit.patch.",
            )
        return replace(result, content=after[name])

    return workspace.change("patch_file", {"path": path, "patch": patch}, [path], decide).result
