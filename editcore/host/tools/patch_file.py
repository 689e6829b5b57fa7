"""`patch_file`: applies a unified diff to one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.host.as_seen import MERGED, Numbers, decided_by_content
from editcore.host.changed_file import edit_result, note_shown
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.workspace import ChangeResult, Workspace
from editcore.host.workspace.boundary import clean_path
from editcore.patches.hunk_numbers import with_context
from editcore.patches.reading.unified_tolerant import NO_HEADERS
from editcore.patches.unified_diff import apply_unified_diff
from editcore.quoting import shown
from editcore.types import Applied, EditResult, Reason, Rejected

Patched = Callable[[str | None, str], EditResult]
"""Applies a diff to any text; None if there is no file."""
Place = Callable[[str, Patched], EditResult]
"""(current text, function that applies a diff) -> the result for the file. The diff may be applied to another text,
that its author has seen.
"""


def patch_file(workspace: Workspace, path: str, patch: str) -> EditResult:
    """Apply a unified diff to a file on disk, all of its hunks or none.

    The diff is read in the mode `tolerant`, as a diff of `path` alone: file headers may be missing or have
    placeholders such as `--- original`, and headers of another file are refused. A diff from /dev/null creates the
    file. A diff that deletes or renames it is refused: use `edit_patch`. Raises WorkspaceError if the disk
    fails.
    """
    return _change(workspace, path, patch, lambda text, patched: patched(text, patch)).result


def _change(workspace: Workspace, path: str, patch: str, place: Place) -> ChangeResult:
    there = workspace.followed(path)

    def decide(files: Mapping[str, str]) -> EditResult:
        if not isinstance(patch, str):
            return Rejected(Reason.MALFORMED, "patch must be a string: a unified diff.")
        text = next(iter(files.values()), None)
        result = patched(None, patch) if text is None else place(text, patched)
        return result if isinstance(result, Rejected) else replace(result, files={there: result.content or ""})

    def patched(text: str | None, patch: str) -> EditResult:
        name = clean_path(path)
        result = _patched(name, text, patch)
        if isinstance(result, Rejected) and result.reason is Reason.NOT_FOUND and there != name:
            # The diff may name the file itself, where `path` is a link to it.
            return _patched(there, text, patch)
        return result

    return workspace.change("patch_file", {"path": path, "patch": patch}, [there], decide)


def _patched(name: str, text: str | None, patch: str) -> EditResult:
    """The result of a diff for the text of the file `name`; `text` is None if there is no such file."""
    result = apply_unified_diff({} if text is None else {name: text}, patch, path=name)
    if isinstance(result, Rejected):
        if text is None and (result.reason is Reason.NOT_FOUND or "/dev/null" not in patch):
            return replace(result, message=f"There is no file {shown(name)}: patch one that exists.")
        return result
    after = result.files or {}
    if set(after) != {name}:
        return Rejected(
            Reason.NOT_ALLOWED,
            f"The diff does more than change {shown(name)}: delete, move and add other files with edit_patch.",
        )
    # A diff of one file needs no headers: the tool's description says so.
    return replace(result, content=after[name], notes=tuple(note for note in result.notes if note != NO_HEADERS))


@dataclass(frozen=True, slots=True)
class Parameters:
    path: Annotated[str, Meta(description="The path of the file, relative to the project's root.", min_length=1)]
    patch: Annotated[
        str, Meta(description="A unified diff of the file; file headers may be left out, and numbers are hints.")
    ]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.path)

    def place(text: str, patched: Patched) -> EditResult:
        numbers = Numbers(host, context, file, text)
        one = with_context(params.patch, lambda _: numbers)
        if isinstance(one, Rejected):
            result = numbers.or_as_shown(one, params.patch, patched)
        elif one.is_placed:
            result = patched(text, one.patch)
        else:
            result = decided_by_content(host, context, file, text, lambda known: patched(known, one.patch))
        unread = host.ledger.unread(context.session_id, file.absolute, name=file.name)
        if isinstance(result, Rejected) and unread and isinstance(patched(text, params.patch), Applied):
            return unread  # Its numbers would have decided.
        note_shown(host, context, file, text, result)
        return result

    return edit_result(host, context, file, _change(file.workspace, file.given, params.patch, place))


PATCH_FILE = BuiltIn(
    "patch_file",
    "Applies a unified diff to one file: all of its hunks or none. Read the file first in this session if only line "
    f"numbers decide where a hunk belongs, as without context lines. {MERGED}",
    Parameters,
    _run,
    files=lambda params: (params.path,),
)
