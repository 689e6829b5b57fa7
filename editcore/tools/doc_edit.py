"""`doc_edit`: the documents of a project viewed and edited, each edit a suggestion to the user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from editcore.documents.commands import COMMANDS, Turn
from editcore.errors import DocumentError, ErrorCode, ToolError, WorkspaceError
from editcore.quoting import shown
from editcore.tools.host.built_in import BuiltIn
from editcore.tools.host.host import Host
from editcore.tools.host.tool import Context, Result

if TYPE_CHECKING:
    Name = str
else:
    Name = Literal[tuple(COMMANDS)]

CommandName = Annotated[Name, Meta(description="What to do.")]
Path = Annotated[
    str, Meta(description="The document: /characters/protagonist.md. For view also a folder, which ends in /.")
]
ViewRange = Annotated[
    list[int] | None,
    Meta(description="For view: the first and the last line, from 1 on; -1 as the last is the end."),
]
OldStr = Annotated[
    str | None, Meta(description="For str_replace: the text to replace, exactly as it stands in the document, once.")
]
NewStr = Annotated[
    str | None, Meta(description="For str_replace: the text to put in its place. For insert and append: the lines.")
]
InsertLine = Annotated[
    int | None, Meta(description="For insert: the line to insert after; 0 is before the first, -1 the end.")
]
FileText = Annotated[str | None, Meta(description="For create: the whole text.")]


@dataclass(frozen=True, slots=True)
class Parameters:
    """One command; which of the others it needs is its own to say."""

    command: CommandName
    path: Path
    view_range: ViewRange = None
    old_str: OldStr = None
    new_str: NewStr = None
    insert_line: InsertLine = None
    file_text: FileText = None


def _run(host: Host, context: Context, params: Parameters) -> Result:
    assert host.documents is not None, "The tool is offered only where there are documents."
    command = COMMANDS[params.command]
    turn = Turn(*(None if value is None else str(value) for value in map(context.extra.get, ("chat_id", "turn_id"))))
    try:
        command.validate(params)
        answer: dict[str, Any] = {"success": True, **command.execute(host.documents, turn, params)}
    except DocumentError as error:
        answer = {"success": False, "error_code": str(error.code), "message": error.message}
    return _answered(f"{command.name} {shown(params.path.strip())}", answer)


def _refused(tool: str, error: ToolError | WorkspaceError) -> Result:
    """Of a call that no command understands, or a database that fails."""
    code = {"error_code": str(ErrorCode.INVALID_INPUT)} if isinstance(error, ToolError) else {}
    return _answered(tool, {"success": False, **code, "message": error.message})


def _answered(title: str, answer: Mapping[str, Any]) -> Result:
    return Result(title, json.dumps(answer, ensure_ascii=False), answer, is_error=not answer["success"])


DOC_EDIT = BuiltIn(
    "doc_edit",
    "Views and edits the documents of the project, which are Markdown files in folders. Edits are suggestions: the "
    "user sees them beside the document and accepts or rejects them; view shows the document with those made so far. "
    "str_replace wants a text that stands in the document just once.",
    Parameters,
    _run,
    lambda host: host.documents is not None,
    refused=_refused,
)
