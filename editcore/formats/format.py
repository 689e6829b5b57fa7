"""The type of a format, and the text of an edit in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from editcore.cascade import Cascade
from editcore.text.diff import changed_ranges
from editcore.types import Edit, EditResult, Reason, Rejected

Files = Mapping[str, str]
"""Path -> text."""
Field = Literal["edits", "patch", "line", "end_line"]


class EditText(Protocol):
    """An edit as a model wrote it. A sample is one; a field that the format does not use is None."""

    @property
    def edits(self) -> tuple[Edit, ...] | None: ...
    @property
    def patch(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def end_line(self) -> int | None: ...


@dataclass(frozen=True, slots=True)
class Written:
    """The text of an edit."""

    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write an edit."""

    name: str
    fields: tuple[Field, ...]
    """The fields of an edit's text that the format uses, the first one first in requests."""
    careful: str
    """The strategy that applies an edit in this format where no other is named: the careful rule."""
    apply: Callable[[Files, EditText, Files | None, Cascade], EditResult]
    """The careful rule: (files, edit, files as the model saw them or None, cascade for search texts) -> result."""
    write: Callable[[str, str, str], Written | None]
    """(path, text before, text after) -> the edit as a careful writer writes it; None if the format cannot say it."""
    summary: str = ""
    """One line on the careful rule, if it is the only one; "" if it is one of a table of rules."""
    has_edits: bool = False
    """True if samples have `edits`: pairs of a search text and its replacement, for one file."""
    several_files: bool = False
    """True if one edit can change several files."""
    view: str | None = None
    """The view of `editcore.anchors` that shows files with the anchors which edits name; None: edits name none."""


def only_file(files: Files) -> tuple[str, str] | Rejected:
    """The path and the text of the only file; the refusal of a format for one file if there are several or none."""
    if len(files) != 1:
        return Rejected(Reason.MALFORMED, f"The edit is for exactly one file, and there are {len(files)}.")
    return next(iter(files.items()))


def unique_pairs(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Old and new texts of whole lines, one for each change; each old text is unique in `before`.

    Changes that need each other's lines to be unique are one pair of the whole texts.
    """
    if before.endswith("\n") is not after.endswith("\n"):
        return ((before, after),)
    lines, pairs, end_above = before.removesuffix("\n").split("\n"), list[tuple[str, str]](), 0
    for first, last, text in changed_ranges(before, after):
        top, end = first - 1, last
        # A pure insertion or deletion needs a line around it: an empty text has no place.
        while top >= end or not (text or end - top > last - first + 1) or before.count("\n".join(lines[top:end])) != 1:
            if top == end_above and end == len(lines):
                return ((before, after),)
            top, end = max(top - 1, end_above), min(end + 1, len(lines))
        new = [*lines[top : first - 1], *text.removesuffix("\n").split("\n")[: len(text)], *lines[last:end]]
        pairs.append(("\n".join(lines[top:end]), "\n".join(new)))
        end_above = end
    return tuple(pairs)
