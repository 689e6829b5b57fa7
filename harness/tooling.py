"""The file tools as strategies: each runs in a workspace of its own, and what is scored is what lies on the disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from corpora.sample import EDIT_FORMATS, Sample
from editcore import __version__
from editcore.document import Document
from editcore.errors import WorkspaceError
from editcore.tools.edit_file import edit_file
from editcore.tools.edit_patch import edit_patch
from editcore.tools.insert_at import insert_at
from editcore.tools.patch_file import patch_file
from editcore.types import Applied, EditResult, Reason, Rejected
from editcore.workspace import Workspace
from harness.strategy import Strategy, files_on_disk, write_files

Call = Callable[[Sample, Workspace], Rejected | None]
"""Calls a tool in a workspace with the sample's files; None where it did its work."""

_SUMMARIES = {
    "edit_file": "The edit_file tool: the exact text's first occurrence, or all.",
    "patch_file": "The patch_file tool: a unified diff on one file.",
    "insert_at": "The insert_at tool: lines below a line.",
    "edit_patch": "The edit.patch tool: an envelope on a workspace.",
}


def tool_strategies() -> Iterator[Strategy]:
    """Each tool over the samples of its format."""
    yield _tool("edit_file", EDIT_FORMATS, _edit_file)
    yield _tool("patch_file", ["unified_diff"], _patch_file)
    yield _tool("insert_at", ["insert"], _insert_at)
    yield _tool("edit_patch", ["begin_patch"], _edit_patch)


def _tool(name: str, formats: Iterable[str], call: Call) -> Strategy:
    apply = partial(_in_a_workspace, call)
    return Strategy(f"tool/{name}", frozenset(formats), apply, _SUMMARIES[name], __version__)


def _in_a_workspace(call: Call, sample: Sample, _: Document | None) -> EditResult:
    """What the tool leaves on the disk, or why it refused."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as name:
        root = Path(name) / "workspace"
        root.mkdir()
        write_files(root, sample)
        try:
            refused = call(sample, Workspace(root, durable=False, lock_directory=Path(name) / "locks"))
        except WorkspaceError as error:
            return Rejected(error.reason or Reason.NOT_ALLOWED, error.message)
        return refused or Applied(files=files_on_disk(root))


def _refusal(result: EditResult) -> Rejected | None:
    return result if isinstance(result, Rejected) else None


def _edit_file(sample: Sample, workspace: Workspace) -> Rejected | None:
    for edit in sample.edits or ():
        occurrence = 0 if edit.replace_all else edit.occurrence or 1
        result = edit_file(workspace, sample.before[0].path, edit.old_string, edit.new_string, occurrence=occurrence)
        if isinstance(result, Rejected):
            return result
    return None


def _patch_file(sample: Sample, workspace: Workspace) -> Rejected | None:
    if len(sample.before) != 1:
        return Rejected(Reason.NOT_ALLOWED, "patch_file changes one file; this patch is of several, or of a new one.")
    return _refusal(patch_file(workspace, sample.before[0].path, sample.patch or ""))


def _insert_at(sample: Sample, workspace: Workspace) -> Rejected | None:
    if len(sample.before) != 1 or sample.line is None:
        return Rejected(Reason.MALFORMED, "An insertion is for one file and names its line.")
    return _refusal(insert_at(workspace, sample.before[0].path, sample.line, sample.patch or ""))


def _edit_patch(sample: Sample, workspace: Workspace) -> Rejected | None:
    answer = edit_patch(sample.patch or "", workspace=workspace, allow_delete=True)
    return None if answer["ok"] else Rejected(Reason.NO_MATCH, str(answer["error"]))
