"""The parser of envelopes that Codex had up to 0.77, of which Roo Code's is a port.

Blank lines where a hunk should begin are passed over, in a hunk they are context, and where a section should begin they
are an error. A hunk ends at the first line without a mark, which then begins the next hunk or section, or is an error.
"""

from __future__ import annotations

from collections.abc import Callable

from editcore.errors import PatchError
from editcore.text.line_index import trimmed
from editcore.types import FilePatch, Hunk

_BEGIN, _END, _EOF, _MOVE = "*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to: "
_HEADERS = {"*** Add File: ": "add", "*** Delete File: ": "delete", "*** Update File: ": "update"}

Trim = Callable[[str], str]
"""Takes away what the program's language calls whitespace, at both ends."""


def sections_of(patch: str, *, trim: Trim = trimmed, is_codex: bool = False) -> list[FilePatch]:
    """The sections of an envelope, read with one program's `trim`; Codex itself
    takes carriage returns off its lines, and wants both markers without whitespace.

    Raises PatchError for a line that is none of the format.
    """
    lines = trim(patch).split("\n")
    if is_codex:
        lines = [line.removesuffix("\r") for line in lines]
    if len(lines) >= 4 and lines[0] in ("<<EOF", "<<'EOF'", '<<"EOF"') and lines[-1].endswith("EOF"):
        lines = lines[1:-1]
    markers = [line if is_codex else trim(line) for line in (lines[0], lines[-1])]
    if markers != [_BEGIN, _END]:
        raise PatchError(f"The patch must begin with '{_BEGIN}' and end with '{_END}'", line=1)
    body = lines[1:-1]
    found: list[FilePatch] = []
    at = 0
    while at < len(body):
        section, at = _section(body, at, trim)
        found.append(section)
    return found


def _section(lines: list[str], at: int, trim: Trim) -> tuple[FilePatch, int]:
    """The section whose header is at a line, and the line after it."""
    first = trim(lines[at])
    header = next((one for one in _HEADERS if first.startswith(one)), None)
    if header is None:
        raise PatchError(f"'{first}' is not a valid hunk header.", line=at + 2)
    path, action, number = first[len(header) :], _HEADERS[header], at + 2
    at += 1
    if action == "add":
        end = next((n for n in range(at, len(lines)) if not lines[n].startswith("+")), len(lines))
        hunks = (Hunk(tuple(lines[at:end]), at + 2),) if end > at else ()
        return FilePatch("add", path, number, hunks=hunks), end
    if action == "delete":
        return FilePatch("delete", path, number), at
    move_to = lines[at][len(_MOVE) :] if at < len(lines) and lines[at].startswith(_MOVE) else None
    at += move_to is not None
    found: list[Hunk] = []
    while at < len(lines) and not lines[at].startswith("***"):
        if not trim(lines[at]):
            at += 1
            continue
        hunk, at = _hunk(lines, at, is_first=not found)
        found.append(hunk)
    if not found:
        raise PatchError(f"Update file hunk for path '{path}' is empty", line=number)
    return FilePatch("update", path, number, move_to, tuple(found)), at


def _hunk(lines: list[str], at: int, *, is_first: bool) -> tuple[Hunk, int]:
    """The hunk that begins at a line, and the line after it."""
    head = lines[at]
    has_head = head == "@@" or head.startswith("@@ ")
    if not has_head and not is_first:
        raise PatchError(f"Expected update hunk to start with a @@ context marker, got: '{head}'", line=at + 2)
    number = at + 2
    at += has_head
    marked: list[str] = []
    is_end = False
    while at < len(lines):
        line = lines[at] or " "
        is_end = line == _EOF and bool(marked)
        at += is_end
        if is_end or line[0] not in " +-":
            break
        marked.append(line)
        at += 1
    if not marked:
        raise PatchError("Update hunk does not contain any lines", line=number)
    anchors = (head[3:],) if head.startswith("@@ ") else ()
    return Hunk(tuple(marked), number, anchors, end_of_file=is_end), at
