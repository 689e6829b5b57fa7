"""`insert_at`: lines inserted into a file by number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.patches.insert import insert_lines
from editcore.quoting import shown
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.changed_file import edit_result
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, Result
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


@dataclass(frozen=True, slots=True)
class Parameters:
    """Lines, and where they go."""

    path: Annotated[str, Meta(description="The file's path, below the project's root.", min_length=1)]
    line: Annotated[
        int, Meta(description="The line after which they go: 0 is before the first, -1 after the last.", ge=-1)
    ]
    content: Annotated[str, Meta(description="The lines to insert.", min_length=1)]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path)
    return edit_result(host, file, insert_at(file.workspace, file.path, params.line, params.content))


INSERT_AT = BuiltIn("insert_at", "Inserts lines into a file, after a line by its number.", Parameters, _run)
