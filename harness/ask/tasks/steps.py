"""Steps of a task: a change of one file in words, and every reading of the words.

A reading is a list of changes of whole lines. Words are fit for a task only if they have one reading. So each step
lists all of its readings, and ignores whitespace where a hasty reader might.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from editcore.text.diff import changed_ranges
from editcore.text.endings import line_feeds
from editcore.text.line_index import LineTable


class LineChange(NamedTuple):
    """A range of lines that is replaced by `new`."""

    first: int
    """0-based."""
    end: int
    """One past the last line; equal to `first` where lines are only added."""
    new: tuple[str, ...]


Reading = tuple[LineChange, ...]


class Step(Protocol):
    """One change of a file, given as lines without line feeds."""

    @property
    def words(self) -> str: ...

    def readings(self, lines: Lines) -> list[Reading]:
        """Every change that the words can mean."""
        ...


def bare(text: str) -> str:
    return "".join(text.split())


def fence(text: str, *, least: int = 3) -> str:
    """A row of backticks, longer than any in the text."""
    return "`" * max(least, 1 + max(map(len, re.findall("`+", text)), default=0))


def fenced(text: str) -> str:
    """The text as a fenced block. A text without a final line feed gets one."""
    marks = fence(text)
    return f"{marks}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{marks}"


def _block(*lines: str) -> str:
    """Lines in a fence, with blank lines at their end."""
    return fenced("".join(f"{line}\n" for line in lines))


def _quoted(text: str) -> str:
    """A part of a line, in backticks."""
    marks = fence(text, least=1)
    pad = " " if "`" in text else ""
    return f"{marks}{pad}{text}{pad}{marks}"


class Lines(tuple[str, ...]):
    """The lines of a file with an index of them, in which whitespace is left out."""

    @cached_property
    def bare(self) -> list[str]:
        return [bare(line) for line in self]

    @cached_property
    def table(self) -> LineTable:
        return LineTable(self.bare)

    def places(self, block: Sequence[str]) -> list[int]:
        """0-based numbers of the lines at which the block begins, compared without whitespace."""
        return self.table.places([bare(line) for line in block])

    def only(self, line: str) -> int | None:
        """0-based number of a line that is unique; None for a duplicate, whose place is uncertain."""
        found = self.places([line])
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Replace:
    """Show a block of lines before and after the change: the level `copy`."""

    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def words(self) -> str:
        old = _block(*self.old)
        if not self.new:
            return f"Delete these lines:\n{old}"
        return f"Change these lines:\n{old}\nto:\n{_block(*self.new)}"

    def readings(self, lines: Lines) -> list[Reading]:
        return [(LineChange(at, at + len(self.old), self.new),) for at in lines.places(self.old)]


def _in_line(lines: Lines, at: int, old: str, new: str) -> Iterator[Reading]:
    """Every way to replace one `old` in a line by `new`; places that overlap count too."""
    start = lines[at].find(old)
    while start >= 0:
        yield (LineChange(at, at + 1, (lines[at][:start] + new + lines[at][start + len(old) :],)),)
        start = lines[at].find(old, start + 1)


@dataclass(frozen=True, slots=True)
class InLine:
    """Replace a part of a quoted line."""

    line: str
    old: str
    new: str

    @property
    def words(self) -> str:
        return f"In the line that reads\n{_block(self.line)}\nchange {_quoted(self.old)} to {_quoted(self.new)}."

    def readings(self, lines: Lines) -> list[Reading]:
        return [one for at in lines.places([self.line]) for one in _in_line(lines, at, self.old, self.new)]


@dataclass(frozen=True, slots=True)
class Below:
    """Add lines below a quoted line."""

    line: str
    new: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"Directly below the line that reads\n{_block(self.line)}\nadd:\n{_block(*self.new)}"

    def readings(self, lines: Lines) -> list[Reading]:
        return [(LineChange(at + 1, at + 1, self.new),) for at in lines.places([self.line])]


@dataclass(frozen=True, slots=True)
class FromTo:
    """Delete or replace the lines from one quoted line to another, both included."""

    first: str
    last: str
    new: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        if self.first == self.last:
            line = f"the line that reads\n{_block(self.first)}"
            return f"Replace {line}\nby:\n{_block(*self.new)}" if self.new else f"Delete {line}"
        span = f"from the one that reads\n{_block(self.first)}\nup to and with the one that reads\n{_block(self.last)}"
        return f"Delete the lines {span}" + (f"\nand put this there:\n{_block(*self.new)}" if self.new else "")

    def readings(self, lines: Lines) -> list[Reading]:
        first, last = lines.only(self.first), lines.only(self.last)
        return [] if first is None or last is None or first > last else [(LineChange(first, last + 1, self.new),)]


@dataclass(frozen=True, slots=True)
class Move:
    """Move the lines from one quoted line to another, both included, below a third."""

    first: str
    last: str
    below: str

    @property
    def words(self) -> str:
        return (
            f"Move the lines from the one that reads\n{_block(self.first)}\nup to and with the one that reads\n"
            f"{_block(self.last)}\nso that they stand directly below the line that reads\n{_block(self.below)}"
        )

    def readings(self, lines: Lines) -> list[Reading]:
        first, last, below = (lines.only(one) for one in (self.first, self.last, self.below))
        if first is None or last is None or below is None or first > last or first <= below <= last:
            return []
        moved = tuple(lines[first : last + 1])
        return [(LineChange(first, last + 1, ()), LineChange(below + 1, below + 1, moved))]


@dataclass(frozen=True, slots=True)
class Rename:
    """Replace a word in the whole file."""

    old: str
    new: str

    @property
    def words(self) -> str:
        return (
            f"Everywhere in the file, also in comments and strings, change the whole word {_quoted(self.old)} to "
            f"{_quoted(self.new)}."
        )

    def readings(self, lines: Lines) -> list[Reading]:
        word = re.compile(rf"(?<!\w){re.escape(self.old)}(?!\w)")
        changed = [(at, word.sub(self.new, line)) for at, line in enumerate(lines) if word.search(line)]
        return [tuple(LineChange(at, at + 1, (line,)) for at, line in changed)] if changed else []


@dataclass(frozen=True, slots=True)
class AddArgument:
    """Add an argument to a function and to all its calls."""

    name: str
    argument: str

    @property
    def words(self) -> str:
        return (
            f"Wherever {_quoted(self.name + '(...)')} stands in the file, in its definition and in each call, add "
            f"{_quoted(self.argument)} as the last argument, after {_quoted(', ')} where there are others."
        )

    def readings(self, lines: Lines) -> list[Reading]:
        call = re.compile(rf"(?<!\w){re.escape(self.name)}\(([^()\[\]{{}}'\"`]*)\)")
        n_starts = sum(len(re.findall(rf"(?<!\w){re.escape(self.name)}\(", line)) for line in lines)
        changed, n_calls = list[LineChange](), 0
        for at, line in enumerate(lines):
            after, n = call.subn(lambda found: self._with_argument(found[1]), line)
            n_calls += n
            if n:
                changed.append(LineChange(at, at + 1, (after,)))
        # Nested calls, and calls over several lines, are ambiguous.
        return [tuple(changed)] if changed and n_calls == n_starts else []

    def _with_argument(self, others: str) -> str:
        return f"{self.name}({f'{others}, {self.argument}' if others.strip() else self.argument})"


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo a mistake at one place in a range of lines."""

    first: int
    """1-based."""
    last: int
    now: str
    was: str

    @property
    def words(self) -> str:
        return (
            f"By mistake, {_quoted(self.was)} was changed to {_quoted(self.now)} at one place in the lines "
            f"{self.first} to {self.last} of the file (the first line is line 1). Undo that, and nothing else."
        )

    def readings(self, lines: Lines) -> list[Reading]:
        shown = range(max(self.first - 1, 0), min(self.last, len(lines)))
        return [one for at in shown for one in _in_line(lines, at, self.now, self.was)]


def done(lines: Lines, steps: Sequence[Step]) -> Lines | None:
    """The lines after all steps; None unless each step has one reading, and their places do not touch.

    The steps are applied twice: all to the original lines, and one after the other. A reader may do either.
    """
    changes = list[LineChange]()
    one_by_one = lines
    for step in steps:
        readings = step.readings(lines)
        later = readings if one_by_one is lines else step.readings(one_by_one)
        if len(readings) != 1 or len(later) != 1:
            return None
        changes += readings[0]
        one_by_one = _changed(one_by_one, later[0]) or lines
    after = _changed(lines, changes)
    return after if after == one_by_one else None


def _changed(lines: Lines, changes: Sequence[LineChange]) -> Lines | None:
    """The lines after changes; None if the changed places touch."""
    out, at = list[str](), 0
    changes = sorted(changes)
    for nth, change in enumerate(changes):
        if change.first < at or (nth and change.first == changes[nth - 1].first):
            return None
        out += (*lines[at : change.first], *change.new)
        at = change.end
    return Lines([*out, *lines[at:]])


# The level `copy`: blocks of old and new lines, each wide enough to be unique

_WIDEST = 15
"""Most lines that are shown on each side of a change."""


def lines_of(text: str) -> Lines:
    """The lines of a text as a model sees them: no carriage returns, and no blank line after a final line feed."""
    return Lines(line_feeds(text).removesuffix("\n").split("\n"))


def blocks(before: Lines, after: Lines) -> tuple[Replace, ...] | None:
    """The steps that turn one list of lines into another; None if no unique block can show a change."""
    steps = _widened(before, changes(before, after))
    return steps if steps and done(before, steps) == after else None


def changes(before: Lines, after: Lines) -> list[LineChange]:
    """The changed lines, as few as the diff has."""
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    return [
        LineChange(first - 1, last, tuple(text.removesuffix("\n").split("\n") if text else ()))
        if last >= first
        else LineChange(last, last, tuple(text.removesuffix("\n").split("\n")))
        for first, last, text in changed_ranges(old, new)
    ]


def _widened(before: Lines, changed: Sequence[LineChange]) -> tuple[Replace, ...] | None:
    """The changes with unchanged lines around them. Changes whose blocks touch are joined."""
    wide = [_unique(before, change.first, change.end) for change in changed]
    spans = list[tuple[int, int]]()
    for span in wide:
        if span is None:
            return None
        if spans and span[0] <= spans[-1][1]:
            above = spans.pop()
            span = above[0], max(above[1], span[1])
        spans.append(span)
    steps = list[Replace]()
    for first, end in spans:
        new, at = list[str](), first
        for change in changed:
            if first <= change.first and change.end <= end:
                new += (*before[at : change.first], *change.new)
                at = change.end
        steps.append(Replace(tuple(before[first:end]), (*new, *before[at:end])))
    return tuple(steps)


def _unique(lines: Lines, first: int, end: int) -> tuple[int, int] | None:
    """The narrowest range around lines `first` to `end` that is unique in the file; None if there is none."""
    for by in range(_WIDEST + 1):
        start, stop = max(first - by, 0), min(end + by, len(lines))
        if any(lines.bare[start:stop]) and len(lines.places(lines[start:stop])) == 1:
            return start, stop
    return None
