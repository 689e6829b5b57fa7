"""The tools that edit files, under faults: every file is old or new in whole, and what was said is true."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from editcore.errors import WorkspaceError
from editcore.tools import TOOLS, Agent, Context, Host, Registry, Result, edit_file, edit_patch, insert_at, patch_file
from editcore.types import Applied, Rejected
from editcore.workspace import Workspace
from harness.fuzz.drills.faults.operation import Struck
from harness.fuzz.drills.faults.shim import ERRORS

APPLIED, NOT_DURABLE, REFUSED = "applied", "applied, not durable", "refused"
"""What an edit says, the last one followed by why."""

Files = Mapping[str, tuple[int, bytes]]
"""Path -> mode and bytes; a directory has none."""

FILES = {"a": "one\ntwo\nthree\n", "b": "1\n2\n3\n", "d/gone": "g\n", "d/moved": "m\n", "d/kept": "k\n"}
"""Those of the workspace that is edited."""
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
"""How the names begin under which a file is that the patch moves."""
_TEMPORARY = ".editgauge-"


@dataclass(frozen=True, slots=True)
class Edit:
    """A change made through a workspace."""

    name: str
    call: Callable[[Workspace], object]
    first: Callable[[Workspace], object] | None = None
    """What comes before it, without faults."""
    backups: bool = False
    most: int = 10_000

    def lay(self, folder: Path) -> None:
        import_module("filelock")  # Once, here, not in each process that is forked.
        for name, text in FILES.items():
            path = folder / "root" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o751)

    def ready(self, folder: Path) -> Callable[[], str]:
        workspace = self._workspace(folder)
        if self.first:
            self.first(workspace)
        return lambda: self._said(workspace)

    def _workspace(self, folder: Path) -> Workspace:
        return Workspace(folder / "root", lock_directory=folder / "locks", backups=self.backups)

    def _said(self, workspace: Workspace) -> str:
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

    def flaw(self, folder: Path, struck: Struck, old: object, new: object) -> str | None:
        assert isinstance(old, dict)
        assert isinstance(new, dict)
        root = folder / "root"
        found = self.state(folder)
        temporaries = [name for name in _files(root) if _TEMPORARY in name]
        if struck.ended.is_killed:
            flaw = _torn(found, old, new)
        else:
            flaw = _untrue(struck, found, old, new)
            if temporaries and struck.call != "os.unlink":
                flaw = flaw or f"{temporaries[0]} stayed"
        return flaw or self._unswept(folder)

    def _unswept(self, folder: Path) -> str | None:
        """What is left of temporary files once every directory has been written to again."""
        root = folder / "root"
        again = {name: f"{name}/again" for name, (mode, _) in _files(root).items() if stat.S_ISDIR(mode)}
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


def _files(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = Path(directory, name)
            mode = path.lstat().st_mode
            found[str(path.relative_to(root))] = mode, path.read_bytes() if stat.S_ISREG(mode) else b""
    return found


def _torn(found: Files, old: Files, new: Files) -> str | None:
    """A file that is neither old nor new; each by itself, as whoever is killed can put nothing back."""
    for name in sorted({*found, *old, *new}):
        if found.get(name) not in (old.get(name), new.get(name)):
            return f"{name} is neither old nor new: {_shown(found.get(name))}"
    return None if any(name.startswith(_MOVED) for name in found) else f"{_MOVED[0]} is under neither of its names"


def _untrue(struck: Struck, found: Files, old: Files, new: Files) -> str | None:
    """Where the files are not what was said."""
    said = struck.ended.answer
    if struck.ended.how != "exit code 0":
        return f"ended with {struck.ended.how}"
    if said.startswith(REFUSED):
        wanted = old
    elif said in (APPLIED, NOT_DURABLE):
        wanted = new
    else:
        return f"raised {said}"
    for name in sorted({*found, *wanted}):
        if found.get(name) != wanted.get(name):
            return f"said {said!r}, but {name} is {_shown(found.get(name))}"
    if said == APPLIED and struck.call == "os.fsync" and struck.kind in ERRORS:
        return "applied without a word on what could not be synced"
    return None


def _shown(one: tuple[int, bytes] | None) -> str:
    return "not there" if one is None else f"{one[1][:40]!r} with mode {one[0]:o}"


def _edited(workspace: Workspace) -> object:
    return edit_file(workspace, "a", "two\n", "2\n")


def _patched(workspace: Workspace) -> object:
    return edit_patch(_PATCH, workspace=workspace, allow_delete=True)


def _called(tool: str, **params: object) -> Callable[[Workspace], object]:
    """A call of a tool by a host, in a session that has read the file."""

    def call(workspace: Workspace) -> object:
        host, context = Host(workspace), Context()
        host.ledger.record_read(context.session_id, f"{workspace.root}/a", FILES["a"])
        return Registry(host, TOOLS).call(Agent(), tool, context, params)

    return call


_DIFF = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
_ADDING = "--- /dev/null\n+++ b/new/added\n@@ -0,0 +1 @@\n+added\n"

EDITS = (
    Edit("edit_file", _edited),
    Edit("patch_file", lambda workspace: patch_file(workspace, "a", _DIFF)),
    Edit("patch_file, a new file", lambda workspace: patch_file(workspace, "new/added", _ADDING)),
    Edit("insert_at", lambda workspace: insert_at(workspace, "d/kept", -1, "more")),
    Edit("edit.patch", _patched),
    Edit("edit", _called("edit", filePath="a", oldString="two", newString="2")),
    Edit("edit, a new file", _called("edit", filePath="new/added", oldString="", newString="added\n")),
    Edit("write", _called("write", filePath="a", content="new\n")),
    Edit("edit_file with a backup", _edited, backups=True),
    Edit("edit.patch with backups", _patched, backups=True),
    Edit("rollback", Workspace.rollback, first=_patched, backups=True),
    Edit("cleanup", Workspace.cleanup, first=_patched, backups=True),
)
"""Those that a workspace does."""
