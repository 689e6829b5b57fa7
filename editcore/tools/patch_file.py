"""`patch_file`: a unified diff applied to one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.patches.unified_diff import apply_unified_diff
from editcore.quoting import shown
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.changed_file import edit_result
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, Result
from editcore.types import EditResult, Reason, Rejected
from editcore.workspace import Workspace
from editcore.workspace.boundary import clean_path


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


@dataclass(frozen=True, slots=True)
class Parameters:
    """A file and a diff."""

    path: Annotated[str, Meta(description="The file's path, below the project's root.", min_length=1)]
    patch: Annotated[str, Meta(description="A unified diff of that file; file headers may be left out.")]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path)
    return edit_result(host, file, patch_file(file.workspace, file.path, params.patch))


PATCH_FILE = BuiltIn("patch_file", "Applies a unified diff to one file: all of its hunks, or none.", Parameters, _run)
