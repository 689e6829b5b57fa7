"""Changes of files: their modes, proposals and results, and the plan of a change (files before and after -> writes).

The plan is pure: a dry run plans the same. Texts are without the byte order mark, which is written again with the
file, in its encoding.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from editcore.errors import WorkspaceError
from editcore.host.workspace.atomic import Replacement
from editcore.host.workspace.boundary import Snapshot
from editcore.quoting import shown
from editcore.text.diff import unified_diff
from editcore.text.encodings import UTF_8, Decoded, decode, encode
from editcore.types import EditResult, Reason, Rejected

_NEW = Decoded(b"", "", UTF_8, "strict")
"""The encoding of a new file."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a workspace reads and changes at once."""

    file_bytes: int = 10_000_000
    n_files: int = 200
    changed_bytes: int = 50_000_000
    """Of all files of one change together, after it."""


@dataclass(frozen=True, slots=True)
class Changed:
    path: str
    kind: Literal["A", "M", "D", "R"]
    """Added, modified, deleted or renamed (modified or not)."""
    moved_from: str | None = None
    encoding: str | None = None
    """The encoding in words, if it is not UTF-8."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The replacements to write, in order, and the change of each file."""

    replacements: tuple[Replacement, ...] = ()
    changes: tuple[Changed, ...] = ()
    notes: tuple[str, ...] = ()


def decoded(data: bytes, path: str) -> Decoded:
    """A file's bytes, read as text. Raises WorkspaceError if they are binary."""
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
    """The plan that gives the files their texts in `after`. Raises WorkspaceError if one of them must not be written.

    `read` has the texts of the existing files. `moved` maps a new path to the old path of the same file. Every path
    of `after` must be in `before`.
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
    """The bytes of a text, in the encoding of the file that it replaces; UTF-8 for a new file."""
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


Decide = Callable[[Mapping[str, str]], EditResult]
"""Path -> text of the existing files -> the result, with all files after it in `Applied.files`. Pure."""


@dataclass(frozen=True)
class Proposal:
    """A change that is about to be written, for approval."""

    tool: str
    before: Mapping[str, str]
    """Path -> text of the existing files."""
    after: Mapping[str, str]
    changes: tuple[Changed, ...]
    above: str = ""
    """The directory of the files, if they are named by absolute paths; empty if by paths from the root."""

    def name(self, path: str) -> str:
        """The name of a path in messages: absolute if `above` is set."""
        return os.path.join(self.above, path)

    @cached_property
    def diff(self) -> str:
        """The unified diff of all files, sorted by path. A moved file is a removal and an addition."""
        paths = sorted({*self.before, *self.after})
        return "".join(
            unified_diff(self.before.get(path, ""), self.after.get(path, ""), path=self.name(path)) for path in paths
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that the change removes and adds, without context lines and line numbers."""
        return tuple(line for line in self.diff.split("\n") if line.startswith(("+", "-")))


NOTHING = Proposal("", {}, {}, ())

Approve = Callable[[Proposal], Rejected | None]
"""Returns a refusal, or None to approve."""


Settle = Callable[[Collection[str], Decide, Rejected], Decide | None]
"""(paths of a refused change, its decision, the refusal) -> a decision for another try, or None. No lock is held."""


@dataclass(frozen=True, slots=True)
class ChangeResult:
    result: EditResult
    proposal: Proposal = NOTHING
    """The change that was written; in a dry run, and in a mode that writes nothing, the computed one."""
    is_written: bool = False

    @property
    def changes(self) -> tuple[Changed, ...]:
        return self.proposal.changes


@dataclass(frozen=True, slots=True)
class Event:
    """A tool call, or a successful `rollback` or `cleanup`, for a user interface to show."""

    tool: str
    params: Mapping[str, object]
    result: EditResult | WorkspaceError
    changed_paths: tuple[str, ...] = ()
    """Old and new path of a moved file; empty if nothing was written. Absolute in a view of another root."""


Mode = Literal["research", "generate", "modify", "execute", "analyze"]
MODES: tuple[Mode, ...] = ("research", "generate", "modify", "execute", "analyze")
WRITES_NOTHING: tuple[Mode, ...] = ("research", "analyze")
"""Modes in which every change is refused, with its result in `Rejected.proposed`."""
_KINDS: Mapping[Mode, str] = {"generate": "A", "modify": "MDR"}
"""Mode -> the kinds of changes (`Changed.kind`) that it makes, if it does not make all."""
_MOST_NAMED = 5


def check_kinds(mode: Mode, changes: Sequence[Changed]) -> None:
    """Raise WorkspaceError for changes that the mode does not make."""
    wrong = [one for one in changes if one.kind not in _KINDS.get(mode, "AMDR")]
    if wrong:
        does = "makes new files only" if mode == "generate" else "changes existing files only"
        how = "exist" if mode == "generate" else "do not exist"
        raise WorkspaceError(
            f"Mode {mode} {does}, and these {how}: {named(wrong)}. Nothing was changed.", reason=Reason.NOT_ALLOWED
        )


def named(changes: Sequence[Changed]) -> str:
    """The paths of the first five changes, for a message."""
    paths = [shown(one.moved_from or one.path) for one in changes[:_MOST_NAMED]]
    return ", ".join(paths) + (", ..." if len(changes) > _MOST_NAMED else "")
