"""`edit` and `multi_edit` replace texts in a file, found by the host's cascade; `write` overwrites all of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from msgspec import Meta

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import identical, in_words_of, of_the_file
from editcore.errors import ToolError
from editcore.host.as_seen import MERGED, change_known, decided_as_read
from editcore.host.changed_file import change_file, file_not_found
from editcore.host.host import Host, ResolvedPath
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.where_applied import differed, is_exact
from editcore.quoting import shown
from editcore.stale.trail import runs_through
from editcore.text.endings import written_like
from editcore.text.lines import BOM
from editcore.types import Applied, Edit, EditResult, Match, Reason, Rejected

FilePath = Annotated[
    str, Meta(description="The file's path: absolute, or relative to the project's root.", min_length=1)
]
OldString = Annotated[str, Meta(description="The text to replace, copied from the file; empty to create a new file.")]
NewString = Annotated[str, Meta(description="The replacement text; must differ from oldString.")]
ReplaceAll = Annotated[bool, Meta(description="Replace every occurrence of oldString.")]

_NAMES = {"old_string": "oldString", "new_string": "newString", "replace_all": "replaceAll"}


@dataclass(frozen=True, slots=True)
class EditParameters:
    filePath: FilePath
    oldString: OldString
    newString: NewString
    replaceAll: ReplaceAll = False


def _run(host: Host, context: Context, params: EditParameters) -> Result:
    edit = Edit(params.oldString, params.newString, params.replaceAll)
    refuse_equal(edit.old_string, edit.new_string, _NAMES)

    def decide(file: ResolvedPath, text: str | None) -> EditResult:
        if not edit.old_string and text is not None and text.strip(BOM) and not host.empty_overwrites:
            return Rejected(
                Reason.EMPTY,
                f"oldString is empty, but {shown(file.name)} exists: give the text to replace, or overwrite it with "
                "write.",
            )
        if not edit.old_string and (text is None or host.empty_overwrites):
            return Applied(edit.new_string)
        if text is None:
            return file_not_found(file)
        return decided_as_read(host, context, file, text, lambda known: edited(known, edit, host.cascade, file.name))

    return change_file(host, context, EDIT.id, params, params.filePath, decide)


def refuse_equal(old: str, new: str, names: Mapping[str, str], *, which: str = "") -> None:
    """Raise ToolError if an edit changes nothing. No permission is asked for such an edit, and no file is read."""
    if old == new:
        raise ToolError(f"{which}{in_words_of(identical(), names).message}", reason=Reason.IDENTICAL)


def edited(text: str, edit: Edit, cascade: Cascade, path: str) -> EditResult:
    """The result of an edit of a file; a refusal names the parameters of `edit`."""
    result = apply_edit(text, edit, cascade, path=path)
    return in_words_of(result, _NAMES) if isinstance(result, Rejected) else result


EDIT = BuiltIn(
    "edit",
    "Replaces a text in a file. Read the file first in this session. oldString must occur only once in the file: "
    "include enough surrounding lines, or set replaceAll. An empty oldString creates a new file with newString in it. "
    f"{MERGED}",
    EditParameters,
    _run,
    files=lambda params: (params.filePath,),
)


@dataclass(frozen=True, slots=True)
class OneEdit:
    oldString: Annotated[str, Meta(description="The text to replace, copied from the file.")]
    newString: NewString
    replaceAll: ReplaceAll = False


@dataclass(frozen=True, slots=True)
class MultiEditParameters:
    filePath: FilePath
    edits: Annotated[
        list[OneEdit],
        Meta(description="The edits, in order; each applies to the result of those before.", min_length=1),
    ]


def _run_multi_edit(host: Host, context: Context, params: MultiEditParameters) -> Result:
    for number, one in enumerate(params.edits, 1):
        refuse_equal(one.oldString, one.newString, _NAMES, which=_because_of(number, params.edits))
    return change_known(
        host, context, MULTI_EDIT.id, params, params.filePath, decided_as_read,
        lambda known, name: _applied(host, known, params.edits, name),
    )  # fmt: skip


def _applied(host: Host, text: str, edits: list[OneEdit], path: str) -> EditResult:
    """Apply the edits to the text, all or none.

    `replacer` of the result is the first one that is not exact, or the last one. `matches` are empty for several edits:
    they would be offsets in several texts.
    """
    matches: tuple[Match, ...] = ()
    replacer, on_disk = None, text
    steps = list[tuple[str, str, Applied]]()
    notes: list[str] = []
    for number, one in enumerate(edits, 1):
        edit = Edit(one.oldString, one.newString, one.replaceAll)
        result = edited(text, edit, host.cascade, path)
        if isinstance(result, Rejected):
            if text != on_disk:
                alone = edited(on_disk, edit, host.cascade, path)
                result = of_the_file(result, alone if isinstance(alone, Rejected) else None)
            return replace(result, message=f"{_because_of(number, edits)}{result.message}")
        steps.append((text, result.content or "", result))
        text = result.content or ""
        if is_exact(replacer):
            replacer = result.replacer
        if number < len(edits) and not is_exact(result.replacer):
            notes.append(f"the match of edit {number} was not exact: {differed(result.replacer or '')} differed")
        matches = result.matches
    found, runs = (matches, ()) if len(edits) == 1 else ((), runs_through(steps))
    is_everywhere = any(one.replaceAll for one in edits)
    return Applied(text, found, replacer, notes=tuple(notes), is_everywhere=is_everywhere, runs=runs)


def _because_of(number: int, edits: Sequence[OneEdit]) -> str:
    """The beginning of a refusal of several edits, of which one is the cause."""
    return f"No edit was made, because of edit {number} of {len(edits)}: " if len(edits) > 1 else ""


MULTI_EDIT = BuiltIn(
    "multi_edit",
    "Makes several edits in one file, in order, all of them or none. Read the file first in this session. Prefer it to "
    f"edit where a file needs more than one change. {MERGED}",
    MultiEditParameters,
    _run_multi_edit,
    files=lambda params: (params.filePath,),
)


@dataclass(frozen=True, slots=True)
class WriteParameters:
    filePath: FilePath
    content: Annotated[str, Meta(description="The whole new text of the file.")]


def _run_write(host: Host, context: Context, params: WriteParameters) -> Result:
    written: dict[str, str] = {}

    def decide(file: ResolvedPath, text: str | None) -> EditResult:
        if text is None:
            return Applied(params.content)
        if host.workspace.mode == "modify":
            return Rejected(
                Reason.NOT_ALLOWED,
                f"Mode modify changes files by edits, and {shown(file.name)} exists: send what changes, by edit.",
            )
        session, ledger = context.session_id, host.ledger
        refused = ledger.unread(session, file.absolute, name=file.name)
        refused = refused or ledger.refusal(session, file.absolute, text, name=file.name, needs_read=True)
        # The file keeps its byte order mark, and its line endings, which a model does not see.
        written[file.absolute] = written_like(params.content.removeprefix(BOM), text)
        return refused or Applied(written[file.absolute])

    result = change_file(host, context, WRITE.id, params, params.filePath, decide)
    for path, text in written.items():
        host.ledger.record_shown(context.session_id, path, text, None)  # The session knows all of what it wrote.
    return result


WRITE = BuiltIn(
    "write",
    "Writes a whole file, and creates missing directories. An existing file is overwritten; read it first in this "
    "session. To change a part of a file, prefer edit.",
    WriteParameters,
    _run_write,
    files=lambda params: (params.filePath,),
)
