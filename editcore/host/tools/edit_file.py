"""`edit_file` and `insert_at`: edits by a text and its occurrence, and by a line number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import in_words_of
from editcore.host.as_seen import (
    MERGED,
    Decide,
    Numbers,
    change_known,
    decided_by_content,
    decided_everywhere,
    occurrence_now,
)
from editcore.host.host import Host, ResolvedPath
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.tools.edit import refuse_equal
from editcore.host.workspace import Workspace
from editcore.patches.line_edits import insert_lines
from editcore.quoting import shown
from editcore.text.endings import line_feeds
from editcore.types import Edit, EditResult, Reason, Rejected

_NAMES = {"old_string": "old_content", "new_string": "new_content", "replace_all": "occurrence"}


def edit_file(
    workspace: Workspace, path: str, old_content: str, new_content: str, *, occurrence: int | None = None
) -> EditResult:
    """Replace a text in a file on disk: its only occurrence, the Nth, the last (-1), or all (0).

    Occurrences do not overlap. Line endings make no difference: the new text gets the endings of the replaced lines.
    The text is found as `editcore.replace` finds it. Raises WorkspaceError if the disk fails.
    """
    params = {"path": path, "old_content": old_content, "new_content": new_content, "occurrence": occurrence}

    def edit(text: str) -> EditResult:
        return _result(text, old_content, new_content, occurrence, "recommended", path)

    return _edited(workspace, "edit_file", params, "edit", edit)


def insert_at(workspace: Workspace, path: str, line: int, content: str) -> EditResult:
    """Insert lines into a file on disk, after a line: 0 is before the first line, -1 after the last.

    They get the file's line endings. Raises WorkspaceError if the disk fails.
    """
    params = {"path": path, "line": line, "content": content}
    return _edited(workspace, "insert_at", params, "insert into", lambda text: insert_lines(text, line, content))


def _edited(
    workspace: Workspace, tool: str, params: Mapping[str, Any], verb: str, edit: Callable[[str], EditResult]
) -> EditResult:
    """The result of an edit of one existing file on disk."""

    def decide(files: Mapping[str, str]) -> EditResult:
        for name, text in files.items():
            result = edit(text)
            return result if isinstance(result, Rejected) else replace(result, files={name: result.content or ""})
        return Rejected(Reason.NOT_FOUND, f"There is no file {shown(params['path'])}: {verb} one that exists.")

    return workspace.change(tool, params, [workspace.followed(params["path"])], decide).result


def _result(
    text: str, old: str, new: str, occurrence: int | None, cascade: str | Cascade, path: str
) -> EditResult:  # fmt: skip
    if not isinstance(old, str) or not isinstance(new, str):
        return Rejected(Reason.MALFORMED, "old_content and new_content must be strings.")
    is_number = isinstance(occurrence, int) and not isinstance(occurrence, bool)
    if occurrence is not None and not (is_number and occurrence >= -1):
        return Rejected(
            Reason.MALFORMED,
            f"occurrence {occurrence!a:.80} is invalid: give 1 for the first, 2, 3, ..., "
            "-1 for the last, or 0 for all.",
        )
    if not old:
        return Rejected(Reason.EMPTY, "old_content is empty: give the text to replace.")
    edit = Edit(old, new, occurrence == 0, occurrence or None)
    result = apply_edit(text, edit, cascade, path=path)
    return in_words_of(result, _NAMES) if isinstance(result, Rejected) else result


Path = Annotated[str, Meta(description="The path of the file, relative to the project's root.", min_length=1)]


@dataclass(frozen=True, slots=True)
class EditFileParameters:
    path: Path
    old_content: Annotated[str, Meta(description="The text to replace, copied from the file.")]
    new_content: Annotated[str, Meta(description="The replacement text.")]
    occurrence: Annotated[
        Annotated[int, Meta(ge=-1)] | None,
        Meta(
            description="Which occurrence to replace: 1, 2, 3, ...; -1 for the last; 0 for all. Without it, "
            "old_content must occur only once."
        ),
    ] = None


def _run(host: Host, context: Context, params: EditFileParameters) -> Result:
    old, new, occurrence = params.old_content, params.new_content, params.occurrence
    refuse_equal(line_feeds(old), line_feeds(new), _NAMES)

    def decided(_: Host, __: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
        now = occurrence_now(host, context, file, text, old, occurrence) if old and occurrence else None
        if now is None:
            return decided_by_content(host, context, file, text, decide)
        return now if isinstance(now, Rejected) else _result(text, old, new, now, host.cascade, file.name)

    return change_known(
        host, context, EDIT_FILE.id, params, params.path, decided,
        lambda text, name: _result(text, old, new, occurrence, host.cascade, name), needs_shown=True,
    )  # fmt: skip


EDIT_FILE = BuiltIn(
    "edit_file",
    "Replaces a text in a file: its only occurrence, the Nth, the last, or all. Give old_content with 3 to 5 lines of "
    "context, so that it names one place. Read the file first in this session: occurrences are counted in the text as "
    f"you read it last. {MERGED}",
    EditFileParameters,
    _run,
    files=lambda params: (params.path,),
)


@dataclass(frozen=True, slots=True)
class InsertAtParameters:
    path: Path
    line: Annotated[
        int, Meta(description="The line to insert after: 0 means before the first line, -1 at the end.", ge=-1)
    ]
    content: Annotated[str, Meta(description="The lines to insert.", min_length=1)]


def _run_insert_at(host: Host, context: Context, params: InsertAtParameters) -> Result:
    def decided(_: Host, __: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
        if params.line <= 0:  # The start and the end are the same places in every text.
            return decided_everywhere(host, context, file, text, decide)
        now = Numbers(host, context, file, text).below(params.line)
        if isinstance(now, Rejected):
            return now
        return insert_lines(text, now, params.content)

    return change_known(
        host, context, INSERT_AT.id, params, params.path, decided,
        lambda text, _: insert_lines(text, params.line, params.content), needs_shown=True, around=2,
    )  # fmt: skip


INSERT_AT = BuiltIn(
    "insert_at",
    "Inserts lines into a file, after the line of a given number. Read the file first in this session: numbers are "
    f"those of the text as you read it last, whatever was edited since. {MERGED}",
    InsertAtParameters,
    _run_insert_at,
    files=lambda params: (params.path,),
)
