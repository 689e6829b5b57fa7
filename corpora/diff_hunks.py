"""The hunks of unified diffs that programs write: this project, git, and agents' tools.

Diffs that models write are read in `editcore.patches.reading`, which decides what each mistake in them means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

_HEADER = re.compile(r"@@+ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_NO_NEWLINE = "\\ "
r"""The start of git's marker of a missing final line feed, in any language. Other lines with a backslash, such as
`\end{document}`, are damage.
"""


class HunkNumbers(NamedTuple):
    """The starts and lengths in a hunk header; lines are 1-based, and an omitted length is 1."""

    source_start: int
    source_length: int
    target_start: int
    target_length: int

    def narrowed(self, n_above: int, n_below: int) -> HunkNumbers:
        """The numbers of the hunk without some of its outer context lines."""
        n_less, (start, n_old, new_start, n_new) = n_above + n_below, self
        return HunkNumbers(start + n_above, n_old - n_less, new_start + n_above, n_new - n_less)

    def moved(self, by: int) -> HunkNumbers:
        """The numbers with both starts moved by `by` lines, but at least 1."""
        return self._replace(source_start=max(self.source_start + by, 1), target_start=max(self.target_start + by, 1))

    def longer(self, n_old: int, n_new: int) -> HunkNumbers:
        """The numbers with larger counts of lines."""
        return self._replace(source_length=self.source_length + n_old, target_length=self.target_length + n_new)

    def __str__(self) -> str:
        return f"-{self.source_start},{self.source_length} +{self.target_start},{self.target_length}"


@dataclass(frozen=True)
class DiffHunk:
    """One hunk, with its header."""

    header: str
    numbers: HunkNumbers
    lines: tuple[str, ...]
    """Lines with their prefix: space (context), - (removed) or + (added); without line feeds."""
    source_no_newline: bool = False
    """True if the last old line has no line feed."""
    target_no_newline: bool = False

    @cached_property
    def old(self) -> list[str]:
        """The lines before: context and removed."""
        return [line[1:] for line in self.lines if line[0] != "+"]

    @cached_property
    def new(self) -> list[str]:
        """The lines afterwards: context and added."""
        return [line[1:] for line in self.lines if line[0] != "-"]

    # A side without lines has the number of the line before it.

    @property
    def source_index(self) -> int:
        """0-based line of the file before at which the hunk starts."""
        return self.numbers.source_start - (self.numbers.source_length > 0)

    @property
    def target_index(self) -> int:
        """0-based line of the file afterwards at which the hunk starts."""
        return self.numbers.target_start - (self.numbers.target_length > 0)


def diff_hunks(diff: str) -> list[DiffHunk] | None:
    """The hunks of a unified diff; None if a hunk is not as long as its header says.

    Lines outside of hunks are skipped. An empty line in a hunk is an empty context line.
    """
    found: list[DiffHunk] = []
    lines = diff.split("\n")
    at = 0
    while at < len(lines):
        if not (header := _HEADER.match(lines[at])):
            at += 1
            continue
        hunk = _hunk(header, lines, at)
        if hunk is None:
            return None
        found.append(hunk[0])
        at = hunk[1]
    return found


def _hunk(header: re.Match[str], lines: list[str], at: int) -> tuple[DiffHunk, int] | None:
    """The hunk whose header is lines[at], and the index of the line below it."""
    text, numbers = lines[at], HunkNumbers(*(int(number or 1) for number in header.groups()))
    left_old, left_new = numbers.source_length, numbers.target_length
    body: list[str] = []
    source_no_newline = target_no_newline = False
    at += 1
    while at < len(lines) and (left_old > 0 or left_new > 0 or lines[at].startswith(_NO_NEWLINE)):
        line = lines[at] or " "
        if line.startswith(_NO_NEWLINE):
            mark = body[-1][0] if body else " "
            source_no_newline |= mark != "+"
            target_no_newline |= mark != "-"
        elif line[0] in " -+":
            body.append(line)
            left_old -= line[0] != "+"
            left_new -= line[0] != "-"
        else:
            return None
        at += 1
    hunk = DiffHunk(text, numbers, tuple(body), source_no_newline, target_no_newline)
    is_whole = left_old == left_new == 0 and min(hunk.source_index, hunk.target_index) >= 0
    return (hunk, at) if is_whole else None
