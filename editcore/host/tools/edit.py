"""`edit`: replaces a text in a file, found by the host's cascade."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.diagnosis import in_words_of
from editcore.host.as_seen import MERGED, decided_as_read
from editcore.host.changed_file import change_file, file_not_found
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.quoting import shown
from editcore.text.lines import BOM
from editcore.types import Applied, Edit, EditResult, Reason, Rejected

FilePath = Annotated[
    str, Meta(description="The file's path: absolute, or relative to the project's root.", min_length=1)
]
OldString = Annotated[str, Meta(description="The text to replace, copied from the file; empty to create a new file.")]
NewString = Annotated[str, Meta(description="The replacement text; must differ from oldString.")]
ReplaceAll = Annotated[bool, Meta(description="Replace every occurrence of oldString.")]

_NAMES = {"old_string": "oldString", "new_string": "newString", "replace_all": "replaceAll"}


@dataclass(frozen=True, slots=True)
class Parameters:
    """One edit of one file."""

    filePath: FilePath
    oldString: OldString
    newString: NewString
    replaceAll: ReplaceAll = False


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.filePath)
    edit = Edit(params.oldString, params.newString, params.replaceAll)

    def decide(text: str | None) -> EditResult:
        if edit.old_string == edit.new_string:
            return Rejected(Reason.IDENTICAL, "oldString and newString are the same: nothing would change.")
        if not edit.old_string and (text is None or host.empty_overwrites or text.strip(BOM)):
            return _created(text, edit.new_string, file.name, overwrites=host.empty_overwrites)
        if text is None:
            return file_not_found(file)
        return decided_as_read(host, context, file, text, lambda known: edited(known, edit, host.cascade, file.name))

    return change_file(host, EDIT.id, asdict(params), file, decide)


def _created(text: str | None, content: str, name: str, *, overwrites: bool) -> EditResult:
    if text is not None and not overwrites:
        return Rejected(
            Reason.EMPTY,
            f"oldString is empty, but {shown(name)} exists: give the text to replace, or overwrite it with write.",
        )
    return Applied(content)


def edited(text: str, edit: Edit, cascade: Cascade, path: str) -> EditResult:
    """The result of an edit of a file; a refusal names the parameters of `edit`."""
    result = apply_edit(text, edit, cascade, path=path)
    return in_words_of(result, _NAMES) if isinstance(result, Rejected) else result


EDIT = BuiltIn(
    "edit",
    "Replaces a text in a file. Read the file first in this session. oldString must occur only once in the file: "
    "include enough surrounding lines, or set replaceAll. An empty oldString creates a new file with newString in it. "
    f"{MERGED}",
    Parameters,
    _run,
    files=lambda params: (params.filePath,),
)
