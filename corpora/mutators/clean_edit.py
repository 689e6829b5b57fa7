"""Clean edits: changes to files with a known right result, because slicing made it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from editcore.text.diff import unified_diff
from editcore.text.lines import BOM
from editcore.types import File


@dataclass(frozen=True)
class CleanEdit:
    """Replace the span [start, end) of a file's text by `new`; offsets are in characters.

    Mutators damage how the edit is written, never its result.
    """

    path: str
    content: str
    start: int
    end: int
    new: str

    @cached_property
    def old(self) -> str:
        """The text in the span."""
        return self.content[self.start : self.end]

    @cached_property
    def target(self) -> str:
        """The file's text after the edit."""
        return self.with_span(self.new)

    def with_span(self, text: str) -> str:
        """The file's text with `text` in the span."""
        return self.content[: self.start] + text + self.content[self.end :]

    def in_file(self, before: str, after: str) -> CleanEdit:
        """The same edit in a file with other text before and after the span."""
        return replace(self, content=before + self.old + after, start=len(before), end=len(before) + len(self.old))

    @cached_property
    def whole_lines(self) -> bool:
        """True if the span consists of whole lines, without the last line feed."""
        return (self.start == 0 or self.content[self.start - 1] == "\n") and (
            self.end == len(self.content) or (self.content[self.end] == "\n" and self.content[self.end - 1] != "\n")
        )

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the old text, without line feeds."""
        return self.old.split("\n")

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        while (at := self.content.find("\n", starts[-1])) >= 0:
            starts.append(at + 1)
        return starts

    @property
    def line(self) -> int:
        """The 1-based line of the file at which the span starts."""
        return bisect_right(self._line_starts, self.start)


class LinesChanged(NamedTuple):
    """The lines `first` to `last` of a file that an edit replaces; other lines are above and below."""

    lines: tuple[str, ...]
    """All lines of the file."""
    first: int
    """1-based."""
    last: int
    new: tuple[str, ...]


def lines_changed(clean: CleanEdit) -> LinesChanged | None:
    """The change of an edit of whole lines; None without lines above or below it, or with carriage returns."""
    content, new = clean.content, clean.new
    if not clean.whole_lines or not content.endswith("\n") or clean.end >= len(content) - 1 or clean.line < 2:
        return None
    if "\r" in content + new or content.startswith(BOM) or not new.strip() or new.endswith("\n"):
        return None
    lines = tuple(content[:-1].split("\n"))
    return LinesChanged(lines, clean.line, clean.line + len(clean.lines) - 1, tuple(new.split("\n")))


@dataclass(frozen=True)
class CleanPatch:
    """A change to one or more files, made of clean edits: what an undamaged patch expresses."""

    before: tuple[File, ...]
    target: tuple[File, ...]
    """The files after the change, with the same paths in the same order."""

    def unified(self, *, context: int = 3) -> str:
        """The change as a unified diff."""
        return "".join(
            unified_diff(old.content, new.content, path=old.path, context=context)
            for old, new in zip(self.before, self.target, strict=True)
        )

    def envelope(self, *, context: int = 3) -> str:
        """The change as a Begin/End Patch."""
        sections = ["*** Begin Patch"]
        for old, new in zip(self.before, self.target, strict=True):
            sections.append(f"*** Update File: {old.path}")
            diff = unified_diff(old.content, new.content, path=old.path, context=context).split("\n")
            sections += ["@@" if line.startswith("@@ ") else line for line in diff[2:] if line[:1] not in ("", "\\")]
        return "\n".join([*sections, "*** End Patch"]) + "\n"


def text_of(lines: Iterable[str]) -> str:
    """The lines, each followed by a line feed."""
    return "".join([f"{line}\n" for line in lines])
