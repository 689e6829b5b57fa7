"""What the model sends to `doc_edit`. The descriptions are part of the tool's JSON schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, make_dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

_COMMAND = Meta(description="What to do.")
CommandName = Annotated[Literal["view", "str_replace", "insert", "append", "create"], _COMMAND]
Path = Annotated[
    str,
    Meta(description="The document, such as /characters/protagonist.md; view also takes a folder, which ends in /."),
]
ViewRange = Annotated[
    list[int] | None,
    Meta(description="For view: the first and the last line to show, counted from 1; -1 as the last means the end."),
]
OldStr = Annotated[
    str | None,
    Meta(description="For str_replace: the text to replace, copied exactly; it must occur only once."),
]
NewStr = Annotated[
    str | None, Meta(description="For str_replace: the replacement text. For insert and append: the lines to add.")
]
InsertLine = Annotated[
    int | None, Meta(description="For insert: the line to insert after; 0 means before the first line, -1 at the end.")
]
FileText = Annotated[str | None, Meta(description="For create: the whole text of the new document.")]


@dataclass(frozen=True, slots=True)
class Parameters:
    """One command and its arguments. Each command checks that it has the arguments it needs."""

    command: CommandName
    path: Path
    view_range: ViewRange = None
    old_str: OldStr = None
    new_str: NewStr = None
    insert_line: InsertLine = None
    file_text: FileText = None


def parameters_for(names: Iterable[str]) -> type[Parameters]:
    """The parameters with these names as the commands to choose from."""
    choices: Any = Annotated[Literal[tuple(names)], _COMMAND]
    made: type[Parameters] = make_dataclass("Parameters", [("command", choices)], bases=(Parameters,), frozen=True)
    return made
