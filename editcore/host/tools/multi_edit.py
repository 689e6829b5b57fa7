"""`multi_edit`: several edits of one file, in order, all or none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.diagnosis import of_the_file
from editcore.host.as_seen import MERGED, decided_as_read
from editcore.host.changed_file import change_file, file_not_found, is_exact
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.tools.edit import FilePath, NewString, ReplaceAll, edited
from editcore.types import Applied, Edit, EditResult, Match, Rejected


@dataclass(frozen=True, slots=True)
class OneEdit:
    """One edit of several."""

    oldString: Annotated[str, Meta(description="The text to replace, copied from the file.")]
    newString: NewString
    replaceAll: ReplaceAll = False


@dataclass(frozen=True, slots=True)
class Parameters:
    """Several edits of one file."""

    filePath: FilePath
    edits: Annotated[
        list[OneEdit],
        Meta(description="The edits, in order; each applies to the result of those before.", min_length=1),
    ]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.filePath)

    def decide(text: str | None) -> EditResult:
        if text is None:
            return file_not_found(file)
        return decided_as_read(host, context, file, text, lambda known: _applied(host, known, params.edits, file.name))

    return change_file(host, MULTI_EDIT.id, asdict(params), file, decide)


def _applied(host: Host, text: str, edits: list[OneEdit], path: str) -> EditResult:
    """Apply the edits to the text. `replacer` of the result is that of the last edit.

    `matches` are those of an only edit: those of several would be offsets in several texts.
    """
    matches: tuple[Match, ...] = ()
    replacer, on_disk = None, text
    notes: list[str] = []
    for number, one in enumerate(edits, 1):
        edit = Edit(one.oldString, one.newString, one.replaceAll)
        result = edited(text, edit, host.cascade, path)
        if isinstance(result, Rejected):
            if text != on_disk:
                alone = edited(on_disk, edit, host.cascade, path)
                result = of_the_file(result, alone if isinstance(alone, Rejected) else None)
            which = f"No edit was made, because of edit {number} of {len(edits)}: " if len(edits) > 1 else ""
            return replace(result, message=f"{which}{result.message}")
        text, replacer = result.content or "", result.replacer
        if number < len(edits) and not is_exact(replacer):
            notes.append(f"the match of edit {number} was not exact, but by {replacer}")
        matches = result.matches
    return Applied(text, matches if len(edits) == 1 else (), replacer, notes=tuple(notes))


MULTI_EDIT = BuiltIn(
    "multi_edit",
    "Makes several edits in one file, in order, all of them or none. Read the file first in this session. Prefer it to "
    f"edit where a file needs more than one change. {MERGED}",
    Parameters,
    _run,
    files=lambda params: (params.filePath,),
)
