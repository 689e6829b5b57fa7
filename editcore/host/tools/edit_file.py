"""`edit_file` and `insert_at`: edits by an exact text and its occurrence, and by a line number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from msgspec import Meta

from editcore.diagnosis import block_at, did_you_mean_lines, identical, in_words_of, no_match, similar_lines
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
from editcore.quoting import quoted, shown
from editcore.text.document import Document
from editcore.text.endings import LineFeedView, line_feeds
from editcore.text.whitespace import trim
from editcore.types import Applied, EditResult, Match, Reason, Rejected

_NAMES = {"old_string": "old_content", "new_string": "new_content"}
_NEAREST = 3
_MOST_SOUGHT = 4
"""Lines of the search text, the longest first, that are tried until one has near lines in the file."""


def edit_file(
    workspace: Workspace, path: str, old_content: str, new_content: str, *, occurrence: int = 1
) -> EditResult:
    """Replace an exact text in a file on disk: its first occurrence (1), the Nth, the last (-1), or all (0).

    Occurrences do not overlap. Line endings make no difference: the new text gets the endings of the replaced lines.
    If the text does not occur, the refusal names the nearest lines, and the first of its `candidates` is the text that
    may have been meant. Raises WorkspaceError if the disk fails.
    """
    params = {"path": path, "old_content": old_content, "new_content": new_content, "occurrence": occurrence}
    return _edited(
        workspace, "edit_file", params, "edit", lambda text: _result(text, old_content, new_content, occurrence)
    )


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


def _result(text: str, old: str, new: str, occurrence: int) -> EditResult:
    result = _replaced(text, old, new, occurrence)
    return result if isinstance(result, Rejected) else Applied(*result, "simple", is_everywhere=occurrence == 0)


def _replaced(text: str, old: str, new: str, occurrence: int) -> tuple[str, tuple[Match, ...]] | Rejected:
    """The new text and the matches that were replaced, or the refusal."""
    if not isinstance(old, str) or not isinstance(new, str):
        return Rejected(Reason.MALFORMED, "old_content and new_content must be strings.")
    if not isinstance(occurrence, int) or isinstance(occurrence, bool) or occurrence < -1:
        return Rejected(
            Reason.MALFORMED,
            f"occurrence {occurrence!a:.80} is invalid: give 1 for the first, 2, 3, ..., "
            "-1 for the last, or 0 for all.",
        )
    if not old:
        return Rejected(Reason.EMPTY, "old_content is empty: give the text to replace.")
    if line_feeds(old) == line_feeds(new):
        return in_words_of(identical(), _NAMES)
    view, old = LineFeedView(text), line_feeds(old)
    pieces = view.text.split(old)
    n_found = len(pieces) - 1
    if not n_found:
        return _not_found(view, old)
    if occurrence > n_found:
        times = "once" if n_found == 1 else f"{n_found} times"
        return Rejected(
            Reason.NO_MATCH, f"old_content occurs {times} in the file: there is no occurrence {occurrence}."
        )
    chosen = range(1, n_found + 1) if occurrence == 0 else [occurrence if occurrence > 0 else n_found]
    matches, at = [], 0
    for number, piece in enumerate(pieces[:-1], 1):
        at += len(piece)
        if number in chosen:
            matches.append(Match(at, at + len(old), "simple"))
        at += len(old)
    return view.replaced(matches, new), view.matches(matches)


def _not_found(view: LineFeedView, old: str) -> Rejected:
    """The refusal of a text that does not occur: the nearest lines, and the text that may have been meant."""
    what = "old_content was not found"
    document = Document(view.text)
    wanted = old.split("\n")
    longest = sorted(range(len(wanted)), key=lambda n: -len(trim(wanted[n])))[:_MOST_SOUGHT]
    sought = ((n, similar_lines(document, trim(wanted[n]), limit=_NEAREST)) for n in longest)
    at, near = next(((n, found) for n, found in sought if found), (0, []))
    if not near:
        return in_words_of(no_match(document, old), _NAMES)
    best = max((block_at(document, index - at, wanted) for index, _ in near), key=lambda found: found.similarity)
    lines = ", ".join(
        f"line {index + 1} ({similarity:.0%}): {quoted(document.trimmed[index])}" for index, similarity in near
    )
    return Rejected(
        Reason.NO_MATCH,
        f"{what}. Nearest: {lines}. {did_you_mean_lines(document, best)} Copy the text from the file.",
        view.matches([best]),
    )


Path = Annotated[str, Meta(description="The path of the file, relative to the project's root.", min_length=1)]


@dataclass(frozen=True, slots=True)
class EditFileParameters:
    path: Path
    old_content: Annotated[str, Meta(description="The text to replace, exactly as in the file.")]
    new_content: Annotated[str, Meta(description="The replacement text.")]
    occurrence: Annotated[
        int, Meta(description="Which occurrence to replace: 1, 2, 3, ...; -1 for the last; 0 for all.", ge=-1)
    ] = 1


def _run(host: Host, context: Context, params: EditFileParameters) -> Result:
    old, new, occurrence = params.old_content, params.new_content, params.occurrence
    refuse_equal(line_feeds(old), line_feeds(new), _NAMES)

    def decided(_: Host, __: Context, file: ResolvedPath, text: str, decide: Decide) -> EditResult:
        now = occurrence_now(host, context, file, text, old, occurrence) if old and occurrence else None
        if now is None:
            return decided_by_content(host, context, file, text, decide)
        return now if isinstance(now, Rejected) else _result(text, old, new, now)

    return change_known(
        host, context, EDIT_FILE.id, params, params.path, decided,
        lambda text, _: _result(text, old, new, occurrence), needs_shown=True,
    )  # fmt: skip


EDIT_FILE = BuiltIn(
    "edit_file",
    "Replaces an exact text in a file: its first occurrence, the Nth, the last, or all. Give old_content with 3 to 5 "
    "lines of context, so that it names one place. Read the file first in "
    f"this session: occurrences are counted in the text as you read it last. {MERGED}",
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
