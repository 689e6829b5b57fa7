"""Edits of files, as operations: every file is wholly old or wholly new, and the report of the edit is true."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from editcore.errors import WorkspaceError
from editcore.host.tools import TOOLS, Agent, Context, Host, Registry, Result, edit_file, edit_patch, patch_file
from editcore.host.tools.edit_file import insert_at
from editcore.host.workspace import Workspace
from editcore.host.workspace.boundary import INDEX
from editcore.types import Applied, Rejected
from harness.fuzz.drills.faults.operation import FaultOutcome
from harness.fuzz.drills.faults.shim import ERRORS

APPLIED, NOT_DURABLE, REFUSED = "applied", "applied, not durable", "refused"
"""What an edit reports; a refusal is followed by its reason."""

Files = Mapping[str, tuple[int, bytes]]
"""Path -> mode and bytes; a directory has no bytes."""

FILES = {"a": "one\ntwo\nthree\n", "b": "1\n2\n3\n", "d/gone": "g\n", "d/moved": "m\n", "d/kept": "k\n"}
"""The files of the workspace."""
_PATCH = """\
*** Begin Patch
*** Update File: a
@@
-two
+TWO
*** Add File: new/deep/added
+added
*** Update File: d/moved
*** Move to: e/moved
@@
-m
+M
*** Delete File: d/gone
*** Update File: b
@@
-2
+22
*** End Patch
"""
_MOVED = ("d/moved", "e/moved")
"""Prefixes of the two names of the file that the patch moves."""
_TEMPORARY = ".editgauge-"


@dataclass(frozen=True, slots=True)
class Edit:
    name: str
    call: Callable[[Workspace], object]
    first: Callable[[Workspace], object] | None = None
    """An earlier change, made without faults."""
    backups: bool = False
    restores: bool = False
    """True if all files can be restored afterwards, whatever happens."""
    max_faults: int = 10_000

    def set_up(self, folder: Path) -> None:
        import_module("filelock")  # Once, here, not in each forked process.
        for name, text in FILES.items():
            path = folder / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o751)

    def prepare(self, folder: Path) -> Callable[[], str]:
        workspace = self._workspace(folder)
        if self.first:
            self.first(workspace)
        return lambda: self._report(workspace)

    def _workspace(self, folder: Path) -> Workspace:
        return Workspace(folder / "root", lock_directory=folder / "locks", backups=self.backups)

    def _report(self, workspace: Workspace) -> str:
        workspace.events.clear()
        try:
            answer = self.call(workspace)
        except WorkspaceError as error:
            return f"{REFUSED}: {error.message}"
        if isinstance(answer, Rejected):
            return f"{REFUSED}: {answer.message}"
        if isinstance(answer, dict) and not answer["ok"]:
            return f"{REFUSED}: {answer['error']}"
        if isinstance(answer, Result) and answer.is_error:
            return f"{REFUSED}: {answer.output}"
        notes = [note for event in workspace.events if isinstance(event.result, Applied) for note in event.result.notes]
        return NOT_DURABLE if any(note.startswith(NOT_DURABLE) for note in notes) else APPLIED

    def state(self, folder: Path) -> Files:
        return {name: one for name, one in _files(folder / "root").items() if _TEMPORARY not in name}

    def violation(self, folder: Path, outcome: FaultOutcome, old: object, new: object) -> str | None:
        assert isinstance(old, dict)
        assert isinstance(new, dict)
        root = folder / "root"
        found = self.state(folder)
        temporaries = [name for name in _files(root) if _TEMPORARY in name]
        if outcome.ended.is_killed:
            violation = _torn(found, old, new)
        else:
            violation = _untrue(outcome, found, old, new)
            if temporaries and outcome.call != "os.unlink":
                violation = violation or f"{temporaries[0]} was left behind"
        violation = violation or self._unswept(folder)
        return violation or (self._unrestored(folder) if self.restores else None)

    def _unswept(self, folder: Path) -> str | None:
        """A temporary file that remains after the next change to every directory; None if there is none."""
        root = folder / "root"
        again = {
            name: f"{name}/again" for name, (mode, _) in _files(root).items() if stat.S_ISDIR(mode) and name != INDEX
        }
        texts = dict.fromkeys(["again", *again.values()], "again\n")
        workspace = self._workspace(folder)
        try:
            outcome = workspace.change("again", {}, list(texts), lambda _: Applied(files=texts))
        except WorkspaceError as error:
            return f"the next change fails: {error.message}"
        if not outcome.is_written:
            return f"the next change is refused: {outcome.result}"
        left = [name for name in _files(root) if _TEMPORARY in name]
        return f"{left[0]} is not swept by the next change" if left else None

    def _unrestored(self, folder: Path) -> str | None:
        """A file that another process does not restore as it was before the first edit; None if it restores all."""
        root = folder / "root"
        try:
            self._workspace(folder).rollback()
        except WorkspaceError as error:
            return f"the backups can't be restored: {error.message}"
        found = {name: one for name, one in _files(root).items() if stat.S_ISREG(one[0])}
        wanted = {name: (stat.S_IFREG | 0o751, text.encode()) for name, text in FILES.items()}
        for name in sorted({*found, *wanted}):
            if found.get(name) != wanted.get(name):
                return f"after a rollback by another process {name} is {_described(found.get(name))}"
        return None


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(directory, name)
            mode = path.lstat().st_mode
            found[str(path.relative_to(root))] = mode, path.read_bytes() if stat.S_ISREG(mode) else b""
    return found


def _torn(found: Files, old: Files, new: Files) -> str | None:
    """A file that is neither old nor new; None if there is none.

    Each file counts by itself, because a killed process cannot undo the others.
    """
    for name in sorted({*found, *old, *new}):
        if found.get(name) not in (old.get(name), new.get(name)):
            return f"{name} is neither old nor new: {_described(found.get(name))}"
    return None if any(name.startswith(_MOVED) for name in found) else f"{_MOVED[0]} has neither of its names"


def _untrue(outcome: FaultOutcome, found: Files, old: Files, new: Files) -> str | None:
    """A file that contradicts the report of the edit; None if there is none."""
    reported = outcome.ended.answer
    if outcome.ended.how != "exit code 0":
        return f"ended with {outcome.ended.how}"
    if reported.startswith(REFUSED):
        wanted = old
    elif reported in (APPLIED, NOT_DURABLE):
        wanted = new
    else:
        return f"raised {reported}"
    for name in sorted({*found, *wanted}):
        if found.get(name) != wanted.get(name):
            return f"reported {reported!r}, but {name} is {_described(found.get(name))}"
    if reported == APPLIED and outcome.call == "os.fsync" and outcome.kind in ERRORS:
        return "reported as applied, without a note on the failed fsync"
    return None


def _described(one: tuple[int, bytes] | None) -> str:
    return "missing" if one is None else f"{one[1][:40]!r} with mode {one[0]:o}"


def _edit_file(workspace: Workspace) -> object:
    return edit_file(workspace, "a", "two\n", "2\n")


def _edit_patch(workspace: Workspace) -> object:
    return edit_patch(_PATCH, workspace=workspace, allow_delete=True)


def _edit_first(workspace: Workspace) -> object:
    return edit_file(workspace, "a", "one\n", "1\n")


def _tool_call(tool: str, **params: object) -> Callable[[Workspace], object]:
    """A call of a tool through a host, in a session that has read the file."""

    def call(workspace: Workspace) -> object:
        host, context = Host(workspace), Context()
        host.ledger.record_read(context.session_id, f"{workspace.root}/a", FILES["a"])
        return Registry(host, TOOLS).call(Agent(), tool, context, params)

    return call


_DIFF = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
_ADDING = "--- /dev/null\n+++ b/new/added\n@@ -0,0 +1 @@\n+added\n"

EDITS = (
    Edit("edit_file", _edit_file),
    Edit("patch_file", lambda workspace: patch_file(workspace, "a", _DIFF)),
    Edit("patch_file, a new file", lambda workspace: patch_file(workspace, "new/added", _ADDING)),
    Edit("insert_at", lambda workspace: insert_at(workspace, "d/kept", -1, "more")),
    Edit("edit.patch", _edit_patch),
    Edit("edit", _tool_call("edit", filePath="a", oldString="two", newString="2")),
    Edit("edit, a new file", _tool_call("edit", filePath="new/added", oldString="", newString="added\n")),
    Edit("write", _tool_call("write", filePath="a", content="new\n")),
    Edit("edit_file with a backup", _edit_file, backups=True, restores=True),
    Edit("edit.patch with backups", _edit_patch, backups=True, restores=True),
    Edit("edit.patch after an edit, with backups", _edit_patch, first=_edit_first, backups=True, restores=True),
    Edit("rollback", Workspace.rollback, first=_edit_patch, backups=True, restores=True),
    Edit("cleanup", Workspace.cleanup, first=_edit_patch, backups=True),
)
"""The edits that are put under faults."""
