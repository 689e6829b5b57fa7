"""`write`: creates a file, or overwrites the whole of one."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from msgspec import Meta

from editcore.host.changed_file import change_file, refusal_unless_read
from editcore.host.host import Host
from editcore.host.registry import BuiltIn
from editcore.host.tool import Context, Result
from editcore.host.tools.edit import FilePath
from editcore.quoting import shown
from editcore.text.endings import written_like
from editcore.types import Applied, EditResult, Reason, Rejected


@dataclass(frozen=True, slots=True)
class Parameters:
    """A file and its whole new text."""

    filePath: FilePath
    content: Annotated[str, Meta(description="The whole new text of the file.")]


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file = host.file(context, params.filePath)

    def decide(text: str | None) -> EditResult:
        if text is None:
            return Applied(params.content)
        # The file keeps its byte order mark, of which a second one would be part of the text, and its line endings,
        # which a model does not see.
        content = written_like(params.content.removeprefix("\ufeff"), text)
        if host.workspace.mode == "modify":
            return Rejected(
                Reason.NOT_ALLOWED,
                f"Mode modify changes files by edits, and {shown(file.name)} exists: send what changes, by edit.",
            )
        unread = host.ledger.unread(context.session_id, file.absolute, name=file.name)
        return unread or refusal_unless_read(host, context, file, text) or Applied(content)

    return change_file(host, WRITE.id, asdict(params), file, decide)


WRITE = BuiltIn(
    "write",
    "Writes a whole file, and creates missing directories. An existing file is overwritten; read it first in this "
    "session. To change a part of a file, prefer edit.",
    Parameters,
    _run,
    files=lambda params: (params.filePath,),
)
