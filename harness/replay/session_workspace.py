"""The files of a session in a workspace of its own, where the tools edit them as the agent's did."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from corpora.importers.importer import Surroundings
from corpora.importers.rebuilding import paths
from corpora.importers.rebuilding.results import Source, Texts
from corpora.importers.rebuilding.session_state import SessionState
from corpora.importers.session import Attempt, Opened
from editcore.cascade import Cascade
from editcore.errors import WorkspaceError
from editcore.host.host import Agent, Host
from editcore.host.registry import Registry
from editcore.host.tool import Context, Result
from editcore.host.tools import TOOLS
from editcore.host.truncation import Outputs
from editcore.host.workspace import Workspace
from editcore.host.workspace.boundary import clean_path
from editcore.types import Edit

_OUTSIDE = "outside"
"""Folder of the workspace for files from outside the session's folder."""
_AGENT, _CONTEXT = Agent(), Context()


class NotComparable(Exception):
    """The call cannot be compared with the recorded one; the message says why."""


class SessionWorkspace(SessionState):
    """A session's files below a folder, and the tools that edit them there."""

    def __init__(self, folder: Path, surroundings: Surroundings, cascade: Cascade) -> None:
        super().__init__(surroundings)
        self.folder = folder
        self.cascade = cascade
        self.home: str | None = None
        """The folder in which the session started, which is the workspace's root."""
        self._start()

    def _start(self) -> None:
        self.root = self.folder / "workspace"
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir()
        workspace = Workspace(self.root, durable=False, lock_directory=self.folder / "locks")
        outputs = Outputs(self.folder / "outputs")
        self.registry = Registry(Host(workspace, cascade=self.cascade, outputs=outputs, checkers={}), TOOLS)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Result:
        return self.registry.call(_AGENT, tool, _CONTEXT, arguments)

    def read(self, path: str) -> None:
        self.call("read", {"filePath": self.place(path)})

    def open(self, event: Opened) -> None:
        """Start a session. One that starts afresh gets an empty workspace."""
        if event.afresh:
            self._start()
            self.home = None
        super().open(event)
        self.home = self.home or self.opened.cwd

    def repository_folder(self) -> str | None:
        """The session's first folder."""
        return self.home

    # Where files lie.

    def place(self, path: str) -> str:
        """The path below the workspace's root. Raises NotComparable if there can be none."""
        if self.home and paths.is_below(path, self.home):
            place = paths.sample_path(path, self.home)
        elif paths.is_absolute(path):
            place = f"{_OUTSIDE}/{path.replace(':/', '/', 1).lstrip('/')}"
        else:
            place = path
        try:
            return clean_path(place)
        except WorkspaceError:
            raise NotComparable("its path cannot be in a workspace") from None

    def places(self, named: list[str]) -> list[str]:
        """The places of several paths of the log. If one has no place, all of these files become unknown."""
        absolute = list(map(self.absolute, named))
        try:
            return list(map(self.place, absolute))
        except NotComparable:
            self.lose(absolute)
            raise

    # The texts.

    def text(self, path: str) -> str | None:
        """The text of the file in the workspace; None if it is missing, or no text."""
        try:
            return (self.root / self.place(path)).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            return None

    def texts(self, wanted: Iterable[str]) -> Texts:
        """Texts of the wanted files that are in the workspace."""
        return {path: text for path in wanted if (text := self.text(path)) is not None}

    def known(self, path: str, time: float | None = None) -> tuple[str | None, Source]:
        """The text of a file and its source. A text from the repository is put into the workspace."""
        text, source = super().known(path, time)
        if source == "git" and text is not None:
            self.put(path, text)
        return text, source

    def put(self, path: str, text: str | None) -> None:
        """Write a file without a tool; None removes it. Raises NotComparable if that fails."""
        if self.text(path) == text:
            return
        file = self.root / self.place(path)
        try:
            file.unlink(missing_ok=True)
            if text is not None:
                data = text.encode()
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
        except (OSError, UnicodeEncodeError):
            raise NotComparable("its file cannot be written here") from None

    def _store(self, path: str, text: str | None) -> None:
        self.put(path, text)

    def _forget(self, path: str) -> None:
        with suppress(NotComparable):
            self.put(path, None)

    def set_text_and_show(self, path: str, text: str | None) -> None:
        """Set the text of a file and let the agent read it."""
        self.set_text(path, text)
        if text is not None:
            self.read(path)


# The tool that makes a recorded edit, and its arguments


def tool_for(attempt: Attempt) -> str:
    """The tool that makes the edit; its format if there is none."""
    if attempt.format in ("str_replace", "search_replace"):
        return "multi_edit" if len(attempt.edits or ()) > 1 else "edit"
    return {"begin_patch": "edit_patch", "unified_diff": "patch_file", "insert": "insert_at"}.get(
        attempt.format, attempt.format
    )


def arguments_of(attempt: Attempt, files: SessionWorkspace) -> dict[str, Any]:
    """Arguments for a call of that tool. Raises NotComparable if no tool makes the edit."""

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
            return {"patch": patch, "allow_delete": True}  # The agents that write such patches may delete.
        case "patch_file" if path and patch:
            return {"path": path, "patch": patch}
        case "insert_at" if path and patch and attempt.line is not None:
            return {"path": path, "line": attempt.line, "content": patch}
    if attempt.edits is None and attempt.patch is None:
        raise NotComparable("the log lacks its arguments")
    raise NotComparable(f"no tool takes it: {attempt.format}")


def _replacement(edit: Edit) -> dict[str, Any]:
    return {"oldString": edit.old_string, "newString": edit.new_string, "replaceAll": edit.replace_all}
