"""The plan of a change: files before and after -> the replacements to write. Pure, so a dry run plans the same.

Texts are without the byte order mark, which is put back when the file is written, in its encoding.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from editcore.errors import WorkspaceError
from editcore.host.workspace.atomic import Replacement
from editcore.host.workspace.boundary import Snapshot
from editcore.quoting import shown
from editcore.text.encodings import UTF_8, Decoded, decode, encode
from editcore.types import Reason, Rejected

_NEW = Decoded(b"", "", UTF_8, "strict")
"""What a file that is created is written like."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a workspace reads and changes at once."""

    file_bytes: int = 10_000_000
    """Of one file."""
    n_files: int = 200
    changed_bytes: int = 50_000_000
    """Of all files of one change together, after it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The change of one file."""

    path: str
    kind: Literal["A", "M", "D", "R"]
    """Added, modified, deleted or renamed (modified or not)."""
    moved_from: str | None = None
    encoding: str | None = None
    """What the file is in, in words, where it is not UTF-8."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The replacements to write, in order, and what they do to each file."""

    replacements: tuple[Replacement, ...] = ()
    changes: tuple[Changed, ...] = ()
    notes: tuple[str, ...] = ()


def text_of(data: bytes, path: str) -> str:
    """The text of a file without its byte order mark. Raises WorkspaceError where it is binary."""
    return decoded(data, path).text


def decoded(data: bytes, path: str) -> Decoded:
    """A file's bytes, read as text. Raises WorkspaceError where they are binary."""
    read = decode(data)
    if isinstance(read, Rejected):
        raise WorkspaceError(f"{shown(path)} is {read.message}", reason=read.reason)
    return read


def plan_writes(
    before: Mapping[str, Snapshot | None],
    read: Mapping[str, Decoded],
    after: Mapping[str, str],
    moved: Mapping[str, str],
    *,
    limits: Limits,
    stripe: Callable[[str], int],
) -> WritePlan:
    """The plan that gives these files these texts. Raises WorkspaceError for what must not be written.

    `read` has the texts of those that exist. `moved` maps a new path to the old path of the same file. `after` may only
    have paths of `before`.
    """
    _check_names(before, after)
    replacements, changes, notes = [], [], []
    for path, found in before.items():
        origin = moved.get(path)
        source = before.get(origin) if origin is not None else None
        like = read.get(path if source is None or origin is None else origin)
        data = _data(after[path], like, path) if path in after else None
        if data == (None if found is None else found.data):
            continue
        encoding = None if like is None or like.is_plain else like.called
        replacements.append(Replacement(path, found, data, found or source, stripe(path)))
        if origin is not None and source is not None and data is not None and found is None:
            changes.append(Changed(path, "R", origin, encoding))
        elif data is None and path in moved.values():
            pass  # Renamed, not deleted.
        else:
            kind: Literal["A", "D", "M"] = "A" if found is None else "D" if data is None else "M"
            changes.append(Changed(path, kind, None, encoding))
        if found is not None and found.n_links > 1:
            notes.append(f"{shown(path)} had {found.n_links} hard links: the other names keep the old text")
        if encoding is not None and data is not None:
            notes.append(f"{shown(path)} is {encoding}: outside the edit its bytes are as they were")
    _check_size([one.after for one in replacements if one.after is not None], limits)
    # Deletions come last, so that a moved file exists under one of its names at every moment.
    replacements.sort(key=lambda one: one.after is None)
    return WritePlan(tuple(replacements), tuple(changes), tuple(notes))


def _data(text: str, like: Decoded | None, path: str) -> bytes:
    """The bytes of a text, in the encoding of the file that it replaces; a new file is UTF-8."""
    like = like or _NEW
    if text.count("\0") > like.text.count("\0"):
        raise WorkspaceError(
            f"The new text of {shown(path)} has a NUL, which no text file has: send it without.",
            reason=Reason.MALFORMED,
        )
    data = encode(text, like, name=shown(path))
    if isinstance(data, Rejected):
        raise WorkspaceError(data.message, reason=data.reason)
    return data


def _check_names(before: Mapping[str, object], after: Mapping[str, str]) -> None:
    for path in after:
        if path not in before:
            raise WorkspaceError(
                f"{shown(path)} is not among the files this tool was asked to change.", reason=Reason.NOT_ALLOWED
            )
        parts = path.split("/")
        above = next((name for n in range(1, len(parts)) if (name := "/".join(parts[:n])) in after), None)
        if above is not None:
            raise WorkspaceError(
                f"{shown(above)} can't be a file and hold {shown(path)} at once.", reason=Reason.NOT_ALLOWED
            )


def _check_size(files: list[bytes], limits: Limits) -> None:
    largest, total = max(map(len, files), default=0), sum(map(len, files))
    if largest > limits.file_bytes:
        raise WorkspaceError(
            f"A file would have {largest:,} bytes; the most is {limits.file_bytes:,}.", reason=Reason.TOO_LARGE
        )
    if total > limits.changed_bytes:
        raise WorkspaceError(
            f"The change writes {total:,} bytes; the most is {limits.changed_bytes:,}: send it in parts.",
            reason=Reason.TOO_LARGE,
        )
