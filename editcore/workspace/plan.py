"""The plan of a change: files before and after -> the replacements to write. Pure, so a dry run plans the same.

Texts are UTF-8 without the byte order mark, which is put back when the file is written.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from editcore.errors import WorkspaceError
from editcore.quoting import shown
from editcore.types import Reason
from editcore.workspace.atomic import Replacement
from editcore.workspace.boundary import Snapshot

_BOM = b"\xef\xbb\xbf"
_UTF_32_BOMS = (BOM_UTF32_LE, BOM_UTF32_BE)
"""Looked for first: that of UTF-32 LE begins with that of UTF-16 LE."""


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


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The replacements to write, in order, and what they do to each file."""

    replacements: tuple[Replacement, ...] = ()
    changes: tuple[Changed, ...] = ()
    notes: tuple[str, ...] = ()


def text_of(data: bytes, path: str) -> str:
    """The text of a file without its byte order mark. Raises WorkspaceError where it is UTF-16, binary or not UTF-8."""
    kind = _foreign_kind(data)
    if kind is not None:
        raise WorkspaceError(
            f"{shown(path)} is {kind}, not UTF-8: it is not changed; use a program for it, or convert it first.",
            reason=Reason.NOT_ALLOWED,
        )
    try:
        return data.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        at = error.start + (len(_BOM) if data.startswith(_BOM) else 0)
        raise WorkspaceError(
            f"{shown(path)} is not UTF-8 (byte {data[at]:#04x} at offset {at}): it is not changed.",
            reason=Reason.NOT_ALLOWED,
        ) from error


def _foreign_kind(data: bytes) -> str | None:
    """What a file is that is not text in UTF-8: by a byte order mark, or by a NUL, which no text has; else None."""
    if data.startswith(_UTF_32_BOMS):
        return "UTF-32"
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "UTF-16"
    at = data.find(b"\0")
    return None if at < 0 else f"binary or UTF-16 (a NUL at offset {at})"


def plan_writes(
    before: Mapping[str, Snapshot | None],
    after: Mapping[str, str],
    moved: Mapping[str, str],
    *,
    limits: Limits,
    stripe: Callable[[str], int],
) -> WritePlan:
    """The plan that gives these files these texts. Raises WorkspaceError for what must not be written.

    `moved` maps a new path to the old path of the same file. `after` may only have paths of `before`.
    """
    _check_names(before, after)
    replacements, changes, notes = [], [], []
    for path, found in before.items():
        origin = moved.get(path)
        source = before.get(origin) if origin is not None else None
        data = _data(after[path], source or found, path) if path in after else None
        if data == (None if found is None else found.data):
            continue
        replacements.append(Replacement(path, found, data, found or source, stripe(path)))
        if origin is not None and source is not None and data is not None and found is None:
            changes.append(Changed(path, "R", origin))
        elif data is None and path in moved.values():
            pass  # Renamed, not deleted.
        else:
            changes.append(Changed(path, "A" if found is None else "D" if data is None else "M"))
        if found is not None and found.n_links > 1:
            notes.append(f"{shown(path)} had {found.n_links} hard links: the other names keep the old text")
    _check_size([one.after for one in replacements if one.after is not None], limits)
    # Deletions come last, so that a moved file exists under one of its names at every moment.
    replacements.sort(key=lambda one: one.after is None)
    return WritePlan(tuple(replacements), tuple(changes), tuple(notes))


def _data(text: str, like: Snapshot | None, path: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise WorkspaceError(
            f"The new text of {shown(path)} has a lone surrogate ({error.object[error.start]!a}): send valid text.",
            reason=Reason.MALFORMED,
        ) from error
    if b"\0" in data:
        raise WorkspaceError(
            f"The new text of {shown(path)} has a NUL, which no text file has: send it without.",
            reason=Reason.MALFORMED,
        )
    return _BOM + data if like is not None and like.data.startswith(_BOM) else data


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
