"""`insert_at`: inserts lines into a file, by line number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.patches.line_edits import insert_lines
from editcore.quoting import shown
from editcore.tools.host.as_seen import MERGED, decided_by_number, decided_everywhere
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.changed_file import change_file, file_not_found
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, Result
from editcore.types import Applied, EditResult, Reason, Rejected
from editcore.workspace import Workspace


def insert_at(workspace: Workspace, path: str, line: int, content: str) -> EditResult:
    """Insert lines into a file on disk, after a line: 0 is before the first line, -1 after the last.

    They get the file's line endings. Raises WorkspaceError where the disk fails.
    """

    def decide(files: Mapping[str, str]) -> EditResult:
        for name, text in files.items():
            result = insert_lines(text, line, content)
            return replace(result, files={name: result.content or ""}) if isinstance(result, Applied) else result
        return Rejected(Reason.NOT_FOUND, f"There is no file {shown(path)}: insert into one that exists.")

    params = {"path": path, "line": line, "content": content}
    return workspace.change("insert_at", params, [workspace.followed(path)], decide).result


@dataclass(frozen=True, slots=True)
class Parameters:
    """The lines to insert, and where."""

    path: Annotated[str, Meta(description="The path of the file, relative to the project's root.", min_length=1)]
    line: Annotated[
        int,
        Meta(description="The line to insert after: 0 means before the first line, -1 at the end.", ge=-1),
    ]
    content: Annotated[str, Meta(description="The lines to insert.", min_length=1)]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path)

    def decide(text: str | None) -> EditResult:
        if text is None:
            return file_not_found(file)
        # The numbers are those of the text that was read: in any other they may mean other lines.
        unread = host.ledger.unread(context.session_id, file.absolute, name=file.name)
        decided = decided_by_number if params.line > 0 else decided_everywhere
        return unread or decided(host, context, file, text, inserted)

    def inserted(text: str) -> EditResult:
        return insert_lines(text, params.line, params.content)

    return change_file(host, INSERT_AT.id, asdict(params), file, decide, around=2)


INSERT_AT = BuiltIn(
    "insert_at",
    "Inserts lines into a file, after the line of a given number. Read the file first in this session: numbers are "
    f"those of the text as you read it last, whatever was edited since. {MERGED}",
    Parameters,
    _run,
    files=lambda params: (params.path,),
)
