"""`edit.patch`: applies a Begin/End Patch envelope to the files of a workspace."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from editcore.diff import unified_diff
from editcore.errors import PatchError, WorkspaceError
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.reading.lenient import parse_lenient
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.changed_file import edit_result
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, Result
from editcore.types import EditResult, FilePatch, Reason, Rejected
from editcore.workspace import Changed, ChangeResult, Workspace
from editcore.workspace.boundary import clean_path

_TOOL = "edit.patch"


def edit_patch(
    patch: str,
    *,
    workspace: Workspace | None = None,
    workspace_root: str | os.PathLike[str] | None = None,
    dry_run: bool = False,
    allow_delete: bool = False,
    allow_move: bool = True,
) -> dict[str, object]:
    """Apply a patch. Returns `{"ok": True, "summary": "A x, M y, D z, R w"}` or `{"ok": False, "error": "one line"}`.

    The summary counts the files added, modified, deleted and renamed; a renamed file counts once, whether or not its
    text changed. All sections are decided before any file is written; if one is refused, or the disk fails, nothing is
    written. A dry run decides exactly as a real run does. Never raises.

    The envelope is read in the mode `lenient`: an `@@` line is a hint, needed only where the lines of a hunk occur in
    several places; a Move without hunks is a rename; an Add of an existing file is refused; a second section of a file
    applies to the result of the first; a Move of a file onto itself is an update. An added file ends with a line feed;
    an updated one ends as before.

    Paths are relative to `workspace_root`: by default the workspace's root, or without a workspace the current
    directory. In a mode that writes nothing the answer is a refusal with a third key, `findings`: the summary, the
    paths and a diff of what would have been done.
    """
    params = {
        "patch": patch,
        "workspace_root": None if workspace_root is None else str(workspace_root),
        "dry_run": dry_run,
        "allow_delete": allow_delete,
        "allow_move": allow_move,
    }
    try:
        here = workspace or Workspace(workspace_root or os.getcwd())
        wrong_root = workspace_root is not None and os.path.realpath(workspace_root) != here.root
        change, before = _apply(here, params, wrong_root=wrong_root)
    except (WorkspaceError, OSError, TypeError, ValueError) as error:
        return {"ok": False, "error": " ".join(str(error).split())}
    return _answer(change, before)


def _apply(
    workspace: Workspace, params: Mapping[str, Any], *, wrong_root: bool = False
) -> tuple[ChangeResult, Mapping[str, str]]:
    """The result of a patch, and the files that it names as they were before."""
    patch = params["patch"]
    before: dict[str, str] = {}

    def decide(files: Mapping[str, str]) -> EditResult:
        if wrong_root:
            return Rejected(Reason.OUTSIDE_WORKSPACE, "workspace_root is not the root of this workspace: leave it out.")
        if not isinstance(patch, str):
            return Rejected(Reason.MALFORMED, "patch must be a string: a Begin/End Patch envelope.")
        before.update(files)
        may = {"allow_delete": params["allow_delete"], "allow_move": params["allow_move"]}
        return apply_begin_patch(files, patch, **may)

    sections = _sections(patch)
    paths = [] if wrong_root else [path for one in sections for path in (one.path, one.move_to) if path is not None]
    moved, dry_run = _moved(sections), params["dry_run"]
    return workspace.change(_TOOL, params, paths, decide, moved=moved, dry_run=dry_run), before


def _answer(change: ChangeResult, before: Mapping[str, str]) -> dict[str, object]:
    """The result in the format that agents' prompts describe."""
    result, summary = change.result, _summary(change.changes)
    if not isinstance(result, Rejected):
        return {"ok": True, "summary": summary}
    answer: dict[str, object] = {"ok": False, "error": " ".join(result.message.split())}
    if result.proposed is not None:
        paths = [one.path for one in change.changes]
        diff = _diff(before, result.proposed.files or {})
        answer["findings"] = {"summary": summary, "changed_paths": paths, "diff": diff}
    return answer


def _sections(patch: str) -> Sequence[FilePatch]:
    """The sections of the patch; none where it can't be read, which applying it then reports."""
    try:
        return parse_lenient(patch)[0] if isinstance(patch, str) else ()
    except PatchError:
        return ()


def _moved(sections: Sequence[FilePatch]) -> dict[str, str]:
    """New path -> old path of each file that the patch moves."""
    origins: dict[str, str | None] = {}
    for section in sections:
        try:
            path = clean_path(section.path)
            target = path if section.move_to is None else clean_path(section.move_to)
        except WorkspaceError:
            return {}  # The change will be refused.
        origin = origins.pop(path, path)
        if section.action == "add":
            origins[path] = None
        elif section.action == "update":
            origins[target] = origin
    return {path: origin for path, origin in origins.items() if origin is not None and origin != path}


def _summary(changes: Sequence[Changed]) -> str:
    kinds: Counter[str] = Counter(one.kind for one in changes)
    return ", ".join(f"{kind} {kinds[kind]}" for kind in "AMDR")


def _diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    paths = sorted({*before, *after})
    return "".join(unified_diff(before.get(path, ""), after.get(path, ""), path=path) for path in paths)


@dataclass(frozen=True, slots=True)
class Parameters:
    """A patch for one or several files."""

    patch: Annotated[str, Meta(description="The patch, from *** Begin Patch to *** End Patch.", min_length=1)]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    root = host.directory(context, "")
    sent = {"patch": params.patch, "dry_run": False, "allow_delete": True, "allow_move": True}
    change, _ = _apply(root.workspace, sent)
    result = edit_result(host, root, change.result)
    return replace(result, title=_summary(change.changes))


EDIT_PATCH = BuiltIn(
    "edit_patch",
    "Applies a patch in the Begin/End Patch format to the files of the project: all of it or nothing.",
    Parameters,
    _run,
)
