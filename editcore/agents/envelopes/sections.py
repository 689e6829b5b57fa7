"""The reader of sections that the cookbook's script and the programs derived from it share.

    *** Update File: f     a header, and the path behind it
    @@ def f():            narrows the search, in each agent's own way
     a                     lines of a hunk, each with a mark
    -b
    *** End of File        the hunk is at the end of the file

A hunk is placed as soon as it is read, and the next one is searched below it. A `Dialect` says how a program differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from posixpath import isabs, normpath
from typing import Literal

from editcore.errors import PatchError
from editcore.patches.codex import lines_not_found
from editcore.text.line_index import LineIndex
from editcore.types import Applied, Landing, Reason

# A hunk is kept as chunks: runs of lines that are removed and added.
#
#     hunk | a       old lines |a|b|c|       chunks    at index 1 of them, 1 line is replaced by |B|
#          |-b
#          |+B
#          | c
#
# A chunk ends at the next line of context. So context is looked for, and never written.


@dataclass(frozen=True, slots=True)
class Chunk:
    """Lines that are removed, and the lines that replace them."""

    at: int
    """0-based index among the old lines of the hunk. Once the hunk is placed, among the lines of the file."""
    n_old: int
    new: list[str]

    def placed(self, line: int) -> Chunk:
        return Chunk(self.at + line, self.n_old, self.new)


def chunks_of(lines: Iterable[tuple[str, str]]) -> tuple[list[str], list[Chunk]]:
    """The old lines of a hunk, and its chunks. Each given line is (mark, text), the mark "+", "-" or " "."""
    old: list[str] = []
    chunks: list[Chunk] = []
    gone, come, was_kept = 0, list[str](), True
    for mark, text in lines:
        if mark == " " and not was_kept:
            chunks.append(Chunk(len(old) - gone, gone, come))
            gone, come = 0, []
        was_kept = mark == " "
        if mark == "+":
            come.append(text)
        else:
            old.append(text)
            gone += mark == "-"
    if gone or come:
        chunks.append(Chunk(len(old) - gone, gone, come))
    return old, chunks


def place_of(
    seeker: LineIndex, old: Sequence[str], steps: Iterable[str], starts: Iterable[int]
) -> tuple[int, str] | None:
    """The first place of old lines, and its equality. All equalities are tried at each start before the next one."""
    steps = tuple(steps)
    for start in starts:
        for step in steps:
            at = next(seeker.places(old, step, start=start), None)
            if at is not None:
                return at, step
    return None


def with_chunks(lines: Sequence[str], chunks: Iterable[Chunk], path: str) -> list[str]:
    """The lines with placed chunks applied. Raises PatchError if chunks overlap or go below the end."""
    out: list[str] = []
    done = 0
    for one in chunks:
        if one.at > len(lines):
            raise PatchError(f"{path}: a chunk at line {one.at + 1} lies below the end.", reason=Reason.NO_MATCH)
        if one.at < done:
            raise PatchError(f"{path}: overlapping chunks at {done} > {one.at}", reason=Reason.AMBIGUOUS)
        out += [*lines[done : one.at], *one.new]
        done = one.at + one.n_old
    return out + list(lines[done:])


class Tree:
    """Files (path -> text) while a patch is applied, and the landings of its hunks."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.landings: list[Landing] = []

    def text(self, path: str, line: int) -> str:
        if normpath(path) not in self.files:
            raise PatchError(f"There is no file {path}.", line=line, reason=Reason.NOT_FOUND)
        return self.files[normpath(path)]

    def write(self, path: str, text: str) -> None:
        """Write a file, new or not. Raises PatchError for a path that no disk can hold."""
        path = normpath(path)
        if "\0" in path:
            raise PatchError("A path has a zero byte.", reason=Reason.NOT_ALLOWED)
        if path == "." or any(other.startswith(f"{path}/") for other in self.files):
            raise PatchError(f"{path} is a directory.", reason=Reason.NOT_ALLOWED)
        if self.has_file_above(path):
            raise PatchError(f"{path} would lie below a file.", reason=Reason.NOT_ALLOWED)
        self.files[path] = text

    def has_file_above(self, path: str) -> bool:
        return any(str(above) in self.files for above in PurePosixPath(normpath(path)).parents)

    def remove(self, path: str) -> None:
        self.files.pop(normpath(path), None)

    def applied(self) -> Applied:
        return Applied(files=self.files, landings=tuple(self.landings))


def is_outside(path: str) -> bool:
    """True if a path leads out of the tree, judged by its text alone."""
    return isabs(path) or normpath(path).split("/")[0] == ".."


class Marker(StrEnum):
    """Beginnings of the lines of an envelope that are not lines of a file."""

    BEGIN = "*** Begin Patch"
    END = "*** End Patch"
    END_OF_FILE = "*** End of File"
    ADD = "*** Add File: "
    DELETE = "*** Delete File: "
    UPDATE = "*** Update File: "
    MOVE = "*** Move to: "


HEADERS = (Marker.UPDATE, Marker.DELETE, Marker.ADD)
STOPS = (str(Marker.END), *(header.rstrip() for header in HEADERS))
"""Beginnings of lines that end a section."""

Below = Callable[[LineIndex, int], int]
"""(index of the file's lines, cursor) -> the cursor below the `@@` lines that are read here."""
Place = Callable[[LineIndex, list[str], int, bool], tuple[int, str] | None]
"""(index of the file's lines, old lines, cursor, True at the marked end of the file) -> line and equality, or None."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Differences between a program's reader and the cookbook's."""

    program: str
    unmarked: Literal["refused", "blank", "context"] = "refused"
    """A line without a mark is refused; or is context if it is blank; or is context, and ends the hunk if empty."""
    is_end_exact: bool = True
    """True if nothing may follow the end-of-file marker on its line."""
    ends: tuple[str, ...] = (*STOPS, Marker.END_OF_FILE)
    """Beginnings of lines that end the hunks of a section."""
    reads_on: bool = False
    """True if the whole patch is read before a hunk without a place refuses it."""
    path: Callable[[str], str] = str
    """Reads the path behind a header."""
    may_lack_path: bool = True
    """True if a header without a path is a header."""
    unknown: str = "Unknown line while parsing"
    """Message for a line that is no header. The next fields are messages, too."""
    duplicate: str = "Duplicate operation for file"
    unmarked_added: str = "Invalid Add File line (missing '+')"
    invalid: str = "Invalid Line"


class SectionReader:
    """The lines of a patch, and the index of the line that is read next."""

    def __init__(
        self, before: Tree, tree: Tree, lines: Sequence[str], at: int, dialect: Dialect, *, above: int = 0
    ) -> None:
        self.before, self.tree = before, tree
        self.lines, self.at, self.dialect, self._above = lines, at, dialect, above
        self.texts: dict[str, str | None] = {}
        """Path -> text to write; None for a file to delete."""
        self.moves: dict[str, str] = {}
        self.missing: list[PatchError] = []

    @property
    def number(self) -> int:
        """The 1-based number of the line that is read next."""
        return self._above + self.at + 1

    def is_at(self, *prefixes: str) -> bool:
        return self.at < len(self.lines) and self.lines[self.at].startswith(prefixes)

    def paths(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.lines, 1):
            for one in (*HEADERS, Marker.MOVE):
                if line.startswith(one):
                    yield number, self.dialect.path(line[len(one) :])

    def sections(self) -> None:
        """Read all sections, each against the files as they were."""
        while not self.is_at(Marker.END):
            line = self.lines[self.at]
            header = next((one for one in HEADERS if line.startswith(one)), None)
            if header is None or (line == header and not self.dialect.may_lack_path):
                raise PatchError(f"{self.dialect.unknown}: {line}", line=self.number)
            path = self.dialect.path(line[len(header) :])
            if path in self.texts:
                raise PatchError(f"{self.dialect.duplicate}: {path}", line=self.number)
            self._section(header, path)

    def _section(self, header: Marker, path: str) -> None:
        start = self.number
        self.at += 1
        if header is Marker.ADD:
            if self.is_there(path):
                raise PatchError(f"Add File Error: File already exists: {path}", line=start, reason=Reason.NOT_ALLOWED)
            self.add(path)
            return
        text = self.before.text(path, start)
        if header is Marker.UPDATE and self.is_at(Marker.MOVE):
            self.moves[path] = self.dialect.path(self.lines[self.at][len(Marker.MOVE) :])
            self.at += 1
        self.texts[path] = None if header is Marker.DELETE else self.updated(path, text)

    def is_there(self, path: str) -> bool:
        """True if the program knows that an added file exists."""
        return normpath(path) in self.before.files

    def add(self, path: str) -> None:
        self.texts[path] = self.added()

    def updated(self, path: str, text: str) -> str:
        """Read the hunks of a file, and return its text afterwards."""
        raise NotImplementedError

    def added(self) -> str:
        found = []
        while not self.is_at(*STOPS):
            if not self.is_at("+"):
                raise PatchError(f"{self.dialect.unmarked_added}: {self.lines[self.at]}", line=self.number)
            found.append(self.lines[self.at][1:])
            self.at += 1
        return "\n".join(found)

    def hunks(self, path: str, seeker: LineIndex, below: Below, place: Place) -> list[Chunk]:
        """Read and place the hunks of a section, and note their landings. Raises PatchError if one has no place."""
        chunks: list[Chunk] = []
        cursor = number = 0
        while self.at < len(self.lines) and not self.is_at(*self.dialect.ends):
            head, number = self.number, number + 1
            cursor = below(seeker, cursor)
            start = self.number
            old, found, is_end = self._hunk()
            if self.number == head:
                line = self.lines[self.at]
                raise PatchError(f"{self.dialect.program} reads this line for ever: {line!r}", line=head)
            landed = place(seeker, old, cursor, is_end)
            if landed is None:
                self.missing.append(lines_not_found(old, path, head if self.dialect.reads_on else start))
                if self.dialect.reads_on:
                    continue
                raise self.missing[0]
            at, equality = landed
            chunks += (chunk.placed(at) for chunk in found)
            self.tree.landings.append(Landing(path, number, at + 1, equality))
            cursor = at + len(old)
        return chunks

    @property
    def _takes_all(self) -> bool:
        return self.dialect.unmarked == "context"

    def _hunk(self) -> tuple[list[str], list[Chunk], bool]:
        """The old lines of a hunk, its chunks, and True if it ends at the marked end of the file."""
        start = self.number
        marked: list[tuple[str, str]] = []
        while self.at < len(self.lines) and not self.is_at("@@", *STOPS, Marker.END_OF_FILE):
            line = self.lines[self.at]
            if line == "***" or (not line and self._takes_all):
                break
            marked.append(self._marked(line or " "))
            self.at += 1
        is_end = self.is_at(Marker.END_OF_FILE)
        if self.dialect.is_end_exact:
            is_end = is_end and self.lines[self.at] == Marker.END_OF_FILE
        self.at += is_end
        if self.number == start and not self._takes_all:
            raise PatchError("Nothing in this section", line=start)
        return *chunks_of(marked), is_end

    def _marked(self, line: str) -> tuple[str, str]:
        """(mark, text) of a line of a hunk."""
        is_blank = self.dialect.unmarked == "blank" and not line.strip()
        if line.startswith("***") or not (line[0] in "+- " or is_blank or self._takes_all):
            raise PatchError(f"{self.dialect.invalid}: {line}", line=self.number)
        if line[0] in "+- ":
            return line[0], line[1:]
        return " ", line if self._takes_all else line[1:]
