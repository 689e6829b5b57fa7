"""Clean edits: changes to files with a known right result, because slicing made it; and the ways of writing them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from random import Random
from typing import NamedTuple, TypeVar

from corpora.sample import SeenLines
from editcore.text.diff import unified_diff
from editcore.text.line_index import block_starts
from editcore.text.lines import BOM
from editcore.types import Edit, File

T = TypeVar("T")


class Unfit(Exception):
    """An edit cannot be damaged in this way."""


def needs(fits: object) -> None:
    """Raise Unfit unless what a damage needs of its edit is true."""
    if not fits:
        raise Unfit


def given(value: T | None) -> T:
    """The value. Raises Unfit if there is none."""
    if value is None:
        raise Unfit
    return value


@dataclass(frozen=True, slots=True)
class Damaged:
    """An edit as a model might have written it, and its right answer."""

    before: tuple[File, ...]
    target: tuple[File, ...] | None
    """None: the edit must be refused."""
    edits: tuple[Edit, ...] | None = None
    patch: str | None = None
    line: int | None = None
    end_line: int | None = None
    twin: tuple[tuple[File, ...], tuple[File, ...]] | None = None
    """For refusals: files before and after for which the same edit is right. A strategy that refuses everything fails
    them.
    """
    twin_patch: str | None = None
    """For patches that are wrong for any files: the undamaged patch."""
    alternatives: tuple[tuple[File, ...], ...] | None = None
    """Further right results where policies differ: kept lines may stay as the file has them."""
    seen: tuple[File, ...] | None = None
    """The files against which the edit is written, if another hand has changed them since."""
    seen_lines: tuple[SeenLines, ...] | None = None
    """The lines of `seen` that the model was shown, if it was not shown all."""
    reason: str | None = None
    """For refusals: a code such as line_gone, two_equal, malformed, outside or already_applied."""


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

    @cached_property
    def is_unique(self) -> bool:
        """True if the old text occurs in the file at the span only."""
        return self.content.find(self.old) == self.start and self.content.find(self.old, self.start + 1) < 0

    # Other edits: of a part of the span, or of a file with another text.

    def narrowed(self, start: int, end: int, new: str) -> CleanEdit:
        """The edit of a part of the span, given by offsets in the old text."""
        return replace(self, start=self.start + start, end=self.start + end, new=new)

    def with_old(self, old: str, *, new: str | None = None) -> CleanEdit:
        """The edit of a file with another text in the span."""
        end = self.start + len(old)
        return replace(self, content=self.with_span(old), end=end, new=self.new if new is None else new)

    def with_block_nearby(self, text: str, n_paragraphs: int, random: Random) -> CleanEdit:
        """The edit of a file with a block of lines added some paragraphs above or below the span."""
        before, after = self.content[: self.start], self.content[self.end :]
        if random.random() < 0.5:
            return self.in_file(_insert_above(before, text, n_paragraphs), after)
        return self.in_file(before, _insert_below(after, text, n_paragraphs))

    @property
    def content_without_span(self) -> str:
        """The file's text after the lines of the span were deleted."""
        return self.content[: self.start] + self.content[self.end + 1 :]

    # The edit as it is written. Each raises Unfit where the right answer would not be certain.

    def exact(self) -> Damaged:
        """The undamaged edit, whose search text occurs once, and which changes something."""
        needs(self.is_unique and self.old != self.new)
        return edited(self.path, self.content, self.target, Edit(self.old, self.new))

    def searched(self, old: str, *, new: str | None = None) -> Damaged:
        """The edit with another search text (and new text) and the same right answer."""
        needs(old != self.old or new not in (None, self.new))
        return edited(self.path, self.content, self.target, Edit(old, self.new if new is None else new))

    def inexact(self, search_text: str | Sequence[str], *, new: str | None = None) -> Damaged:
        """The edit with a search text, or its lines, that does not occur in the old text."""
        text = search_text if isinstance(search_text, str) else "\n".join(search_text)
        needs(text not in self.old)
        return self.searched(text, new=new)

    def stale(self, content: str, *, reason: str) -> Damaged:
        """The edit after the file that the model saw has become `content`: it must be refused."""
        needs(content != self.content)
        return Damaged(
            before=(File(self.path, content),), target=None, edits=(Edit(self.old, self.new),),
            twin=((File(self.path, self.content),), (File(self.path, self.target),)), reason=reason,
        )  # fmt: skip

    def line_gone(self, content: str, *, reason: str = "line_gone") -> Damaged:
        """The edit after one of its lines is gone from the file."""
        needs(self.is_unique and self.old not in content)
        needs(not all(n_places(content, [line]) for line in self.lines if line.strip()))
        return self.stale(content, reason=reason)

    def two_equal(self, content: str) -> Damaged:
        """The edit after its lines occur in the file a second time."""
        needs(self.is_unique)
        return self.stale(content, reason="two_equal")


def edited(path: str, before: str, target: str, *edits: Edit) -> Damaged:
    """Edits of one file, and the file's right text after them."""
    return Damaged((File(path, before),), (File(path, target),), edits)


def _insert_above(before: str, text: str, n_paragraphs: int) -> str:
    at = len(before) + 1
    for _ in range(n_paragraphs):
        at = before.rfind("\n\n", 0, at)
        if at < 0:
            return f"{text}\n\n{before}"
    return f"{before[: at + 1]}\n{text}\n{before[at + 1 :]}"


def _insert_below(after: str, text: str, n_paragraphs: int) -> str:
    at = -2
    for _ in range(n_paragraphs):
        at = after.find("\n\n", at + 2)
        if at < 0:
            return f"{after}\n{text}\n" if after.endswith("\n") else f"{after}\n\n{text}"
    return f"{after[: at + 1]}\n{text}\n{after[at + 1 :]}"


def n_places(content: str, block: Sequence[str]) -> int:
    """The number of places at which the lines of `block` follow each other, whitespace at line ends ignored."""
    return sum(1 for _ in block_starts(_stripped_lines(content), [line.strip() for line in block]))


@lru_cache(maxsize=16)
def _stripped_lines(content: str) -> list[str]:
    return [line.strip() for line in content.split("\n")]


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
