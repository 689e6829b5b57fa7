"""`insert_at`: lines inserted into a file by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from editcore.boundary import shown
from editcore.patches.insert import insert_lines
from editcore.types import Applied, EditResult, Reason, Rejected
from editcore.workspace import Workspace


def insert_at(workspace: Workspace, path: str, line: int, content: str) -> EditResult:
    """The file with the lines after that line, on disk: 0 is before the first, -1 after the last.

    Line endings are the file's. Raises WorkspaceError where the disk fails.
    """

    def decide(files: Mapping[str, str]) -> EditResult:
        for name, text in files.items():
            result = insert_lines(text, line, content)
            return replace(result, files={name: result.content or ""}) if isinstance(result, Applied) else result
        return Rejected(Reason.NOT_FOUND, f"There is no file {shown(path)}: insert into one that exists.")

    return workspace.change("insert_at", {"path": path, "line": line, "content": content}, [path], decide).result
