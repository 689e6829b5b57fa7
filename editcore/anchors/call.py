"""A call of an edit tool that names lines by their anchors, in one form for all formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editcore.errors import PatchError


class NoSuchAnchor(PatchError):
    """A text that names no line, though it may have the hash of one."""

    def __init__(self, message: str, hash: str = "") -> None:
        super().__init__(message)
        self.hash = hash


Kind = Literal["replace", "before", "after"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line as a call names it."""

    line: int
    """1-based line of the text that the call was written against; any number that the call has."""
    hash: str = ""
    """Empty in formats that name the text instead."""


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One edit of a call."""

    kind: Kind
    """replace: the lines from `first` to `last`; before, after: new lines next to `first`."""
    first: Anchor | None
    """None: before the first line of the text, or after its last."""
    last: Anchor | None
    """None where the edit names one line."""
    new: tuple[str, ...]
    """The new lines, without line feeds; none to delete."""
    block: bool = False
    """Whether the lines from `first` to the end of the block that begins there are meant."""
    captured: str | None = None
    """The register that gets the lines which are replaced."""
    pasted: str | None = None
    """The register whose lines are the new ones."""


@dataclass(frozen=True, slots=True)
class Call:
    """All that a call does to one file."""

    edits: tuple[LineEdit, ...] = ()
    path: str | None = None
    """None where the call names no file."""
    tag: str | None = None
    """The hash of the text that the call was written against, in formats that name it."""
    is_deleted: bool = False
    """Whether the file is to be deleted."""
    moved_to: str | None = None
    """The path that the file is to have afterwards."""
    forgiven: tuple[str, ...] = ()
    """What the grammar does not have and was read all the same; a name of `FORGIVEN` each."""


FORGIVEN = (
    "range_sign", "missing_put", "cut_colon", "bare_rows", "blank_rows", "pasted_rows", "minus_rows",
    "bullets", "empty_put",
)  # fmt: skip
"""The leniencies of the reading of H4."""
