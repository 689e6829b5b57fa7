"""`read`: a range of a file's lines with their numbers; the names in a directory; an image or PDF as an attachment."""

from __future__ import annotations

import posixpath
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Annotated

from msgspec import Meta

from editcore.anchors.views import ended_lines, header, prefix, split_lines
from editcore.errors import ToolError, WorkspaceError, similar_names
from editcore.host.host import Host, ResolvedPath
from editcore.host.registry import BuiltIn
from editcore.host.shell.listing import entries, file_or_directory
from editcore.host.tool import Attachment, Context, PermissionRequest, Result
from editcore.host.tools.edit import FilePath
from editcore.host.truncation import cut_line
from editcore.host.workspace.plan import decoded
from editcore.notebooks import SUFFIX, Cell, Unreadable, cells
from editcore.quoting import shown
from editcore.text.encodings import shown as shown_bytes
from editcore.text.lines import Stretches, joined
from editcore.types import Reason


def listed(text: str, numbers: Iterable[int], anchors: str | None) -> Iterator[str]:
    """The lines of those numbers (1-based), as the tools show them: numbered, or with their anchors."""
    lines = split_lines(text)
    for n in numbers:
        line = cut_line(lines[n - 1].removesuffix("\r"))
        yield f"{n}: {line}" if anchors is None else f"{prefix(lines, anchors, n)}{line}"


def headed(text: str, name: str, anchors: str | None) -> list[str]:
    """The header above the lines of a file, in a format that has one."""
    return [] if anchors is None else header(text, anchors, name)


_MAX_ENTRIES = 1_000
_MOST_LINES = 2_000
_N_PREVIEW = 20
_MAGIC = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
    b"%PDF-": "application/pdf",
}


@dataclass(frozen=True, slots=True)
class Parameters:
    filePath: FilePath
    offset: Annotated[int, Meta(description="The number of the first line to read, from 1.", ge=1)] = 1
    limit: Annotated[int, Meta(description="The number of lines to read.", ge=1)] = _MOST_LINES


def _run(host: Host, context: Context, params: Parameters) -> Result:
    file, is_directory = file_or_directory(host, context, params.filePath)
    context.ask(PermissionRequest("read", (file.name,), ("*",), {}))
    if is_directory:
        return _directory(file)
    data = _data(file)
    mime = _mime(data)
    if mime is not None:
        with suppress(WorkspaceError):  # A text file may begin like an image; it can be edited.
            host.ledger.record_read(context.session_id, file.absolute, decoded(data, file.name).text, lines=())
        return _attached(file, data, mime)
    read = decoded(data, file.name)
    whole = (params.offset, params.limit) == (1, _MOST_LINES)
    found = cells(read.text) if whole and file.name.lower().endswith(SUFFIX) else []
    result, lines = _numbered(
        file, read.text, params.offset, params.limit, host, [] if isinstance(found, Unreadable) else found
    )
    host.ledger.record_read(context.session_id, file.absolute, read.text, lines=lines)
    if read.is_plain:
        return result
    note = f"(The file is {read.called}: an edit keeps all other bytes, and is refused where they can't hold its text.)"
    metadata = {**result.metadata, "preview": shown_bytes(result.metadata["preview"]), "encoding": read.encoding}
    return replace(result, output=f"{result.output}\n{note}", metadata=metadata)


def _numbered(
    file: ResolvedPath, text: str, offset: int, limit: int, host: Host, found: Sequence[Cell]
) -> tuple[Result, Stretches | None]:
    """The answer with the lines of a file, and the lines that it shows; None for all.

    Of a notebook, the lines of its cells' sources are shown, below a heading for each cell.
    """
    outputs, lines = host.outputs, ended_lines(text)
    n_lines = len(lines)
    heads = {cell.source_lines[0]: f"[cell {at}: {cell.kind}]\n" for at, cell in enumerate(found, 1)}
    asked: Iterable[int] = range(offset, n_lines + 1)
    if found:
        asked = dict.fromkeys(n for cell in found for n in range(cell.source_lines[0], cell.source_lines[1] + 1))
    if offset > max(n_lines, 1):
        raise ToolError(
            f"offset {offset} is past the end: {shown(file.name)} has {n_lines} lines. Use a smaller offset.",
            reason=Reason.NOT_FOUND,
        )
    # The limits are for lines of the file; what stands around them comes on top.
    room, n_max = outputs.max_bytes, min(limit, outputs.max_lines)
    chosen: dict[int, str] = {}
    is_all = True
    for number, line in zip(asked, listed(text, asked, host.anchors), strict=True):
        numbered = f"{heads.get(number, '')}{line}"
        room -= len(numbered.encode("utf-8", "surrogatepass")) + 1
        if len(chosen) == n_max or (room < 0 and chosen):
            is_all = False
            break
        chosen[number] = numbered
    last = max(chosen, default=offset - 1)
    end = f"(End of file - total {n_lines} lines)"
    if not is_all:
        end = f"(Showing lines {offset}-{last} of {n_lines}. Use offset={last + 1} to continue.)"
    elif found:
        end = f"(The sources of {len(found)} cells, of {n_lines} lines; read the others with offset and limit.)"
    preview = "\n".join(map(cut_line, lines[offset - 1 : last][:_N_PREVIEW]))
    metadata = {"preview": preview, "n_lines": n_lines, "first_line": offset, "last_line": last}
    head = headed(text, file.name, host.anchors)
    result = Result(file.name, "\n".join(["<content>", *head, *chosen.values(), "</content>", end]), metadata)
    return result, None if len(chosen) == n_lines else joined((number, number) for number in chosen)


def _data(file: ResolvedPath) -> bytes:
    try:
        return file.workspace.read_bytes(file.path)
    except WorkspaceError as error:
        if error.reason is not Reason.NOT_FOUND:
            raise
        near = _similar_names(file)
        meant = f"did you mean {' or '.join(map(shown, near))}?" if near else "search for it with glob."
        raise ToolError(f"There is no file {shown(file.name)}: {meant}", reason=Reason.NOT_FOUND) from error


def _similar_names(file: ResolvedPath) -> list[str]:
    """Paths in the same directory with similar names."""
    above, name = posixpath.split(file.name)
    try:
        names = entries(replace(file, path=posixpath.dirname(file.path)))
    except ToolError:
        return []
    return [posixpath.join(above, one) for one in similar_names(name, names, similarity=0.6)]


def _directory(file: ResolvedPath) -> Result:
    names = entries(file)
    output = ["<entries>", *names[:_MAX_ENTRIES], "</entries>"]
    n = len(names)
    counted = "(1 entry)" if n == 1 else f"({n} entries)"
    output.append(counted if n <= _MAX_ENTRIES else f"(The first {_MAX_ENTRIES:,} of {n:,} entries.)")
    metadata = {"preview": "\n".join(names[:_N_PREVIEW]), "n_entries": n}
    return Result(file.name, "\n".join(output), metadata)


def _mime(data: bytes) -> str | None:
    """The MIME type of an image or PDF, from its first bytes; None for other files."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC.items() if data.startswith(magic)), None)


def _attached(file: ResolvedPath, data: bytes, mime: str) -> Result:
    kind, what = ("image", "Image") if mime.startswith("image/") else ("file", "PDF")
    url = f"data:{mime};base64,{b64encode(data).decode()}"
    attachment = Attachment(blake2b(data, digest_size=16).hexdigest(), kind, mime, url)
    output = f"{what} read: {file.name} ({mime}, {len(data):,} bytes) is attached."
    return Result(file.name, output, {"mime": mime, "n_bytes": len(data)}, (attachment,))


_IN_FRONT = {None: "its number", "hashline_h2": "its anchor NUMBER#HASH and |", "hashline_h4": "its number and :"}


def _description(anchors: str | None) -> str:
    header = " Above them stands [PATH#TAG], which names this text of the file." if anchors == "hashline_h4" else ""
    return (
        f"Reads a file: up to 2,000 lines at once, each with {_IN_FRONT[anchors]} in front, which is not part of the "
        f"file.{header} An image or PDF is attached. Of a notebook, the lines of its cells' sources. For a directory, "
        "lists the names in it. Read a file before you edit it."
    )


READ = BuiltIn(
    "read",
    _description(None),
    Parameters,
    _run,
    effect="reads",
    keep="all",
    files=lambda params: (params.filePath,),
    description_for=lambda host: _description(host.anchors),
)
