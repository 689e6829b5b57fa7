"""Changes that are drawn with their answer: files, the hunks that change them, and the text that is right afterwards.

    lines    load(1)      hunk  |  load(1)        right    load(1)
             if open_2:         | -if open_2:              if wide_5:
             return 3           | +if wide_5:              return 3

Lines are numbered, so that each is there once, unless a row of the tables repeats it. What a format writes of a change
is in `writing`; the rows that make a change hard, each with the bug that it is for, are in `rows`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import permutations, product
from random import Random

from editcore.text.lines import BOM

_INDENTS = ("", "", "    ", "    ", "        ", "\t")
_STATEMENTS = ("load({})", "if open_{}:", "return {}", "name_{} = read(a, b)", "# of {} items", "total += step({})")
_LINES = [(indent + one.split("{}")[0], one.split("{}")[1]) for one in _STATEMENTS for indent in _INDENTS]
"""What stands before and behind the number of a line."""
_STEPS = (0, 1, 5, 7, 11, 13, 17)
NAMES = ("a.py", "b.py", "c.txt", "d1.md", "e.js")
PATHS = [list(permutations(NAMES, n)) for n in range(4)]
"""Number of files -> what they may be called, in order."""


_MOST_LINES = 512
"""More lines than any row draws."""


@cache
def _sequence(at: int, step: int) -> list[str]:
    """Numbered lines. They are made once, and not for each input: drawing is most of what an input costs."""
    pieces = [_LINES[(at + n * step) % len(_LINES)] for n in range(1, _MOST_LINES)]
    return [f"{head}{n}{tail}" for n, (head, tail) in enumerate(pieces, 1)]


class Lines:
    """Draws lines, each of which was not drawn before."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._n, self._lines = 0, _sequence(rng.randint(0, len(_LINES) - 1), rng.choice(_STEPS))

    def new(self) -> str:
        self._n += 1
        return self._lines[self._n - 1]

    def some(self, most: int) -> list[str]:
        return self.exactly(self.rng.randint(0, most))

    def exactly(self, n: int) -> list[str]:
        self._n += n
        return self._lines[self._n - n : self._n]


@dataclass(slots=True)
class Hunk:
    """A change in one place."""

    at: int
    """The index of the first of its old lines."""
    rows: list[str]
    """Its lines, each behind a space, `-` or `+`."""
    anchor: str | None = None
    """The line of the file above the hunk that an `@@` line names."""
    is_last: bool = False
    """True if the hunk says that it ends where the file ends."""

    @property
    def old(self) -> list[str]:
        return [row[1:] for row in self.rows if row[0] != "+"]

    @property
    def new(self) -> list[str]:
        return [row[1:] for row in self.rows if row[0] != "-"]

    @property
    def end(self) -> int:
        return self.at + len(self.old)


@dataclass(slots=True)
class Section:
    """What a patch does with one file."""

    path: str
    action: str = "update"
    lines: list[str] = field(default_factory=list)
    """The lines of the file before; for an added file, of the file after."""
    hunks: list[Hunk] = field(default_factory=list)
    move_to: str | None = None
    ending: str = "\n"
    """The line ending of the file; `mixed` for CRLF on every other line."""
    is_ended: bool = True
    """True if the last line has a line ending."""
    has_mark: bool = False
    """True if the file begins with a byte order mark."""
    is_there: bool = True
    """True if the tree has the file before."""
    is_rewritten: bool = False
    """True if lines of context are written anew, as blocks and pairs do, instead of kept."""
    offset: int = 0
    """By how many lines a diff's line numbers are off."""
    is_ended_after: bool | None = None
    """True if the last line has a line ending afterwards; None if that stays as it is."""

    @property
    def ends(self) -> list[str]:
        """The line ending of each line."""
        n = len(self.lines)
        ends = ["\r\n" if at % 2 else "\n" for at in range(n)] if self.ending == "mixed" else [self.ending] * n
        if ends and not self.is_ended:
            ends[-1] = ""
        return ends

    @property
    def content(self) -> str:
        """The text of the file before; for an added file, after."""
        body = "".join([line + end for line, end in zip(self.lines, self.ends, strict=True)])
        return BOM + body if self.has_mark else body

    def results(self) -> list[str]:
        """The texts that are right afterwards: one, unless the format leaves something open."""
        if self.action == "add":
            return [self.content, self.content.removesuffix("\n")] if self.lines else ["", "\n"]
        found: list[str] = []
        for endings in self._endings_of_new_lines():
            lines = self.after(endings)
            text = "".join([line + end for line, end in lines])
            found.append(text)
            if self._touches_end() and not self.is_ended:
                found.append(text + self.ending)
            elif not lines and self.lines:
                found.append("\n")
            elif not self.lines:
                found.append(text.removesuffix("\n"))
        return [BOM + text for text in found] if self.has_mark else found

    def _endings_of_new_lines(self) -> Iterable[Sequence[str]]:
        """The line endings that new lines may have. A file with both leaves them open."""
        kinds = "+ " if self.is_rewritten else "+"
        n = sum([row[0] in kinds for hunk in self.hunks for row in hunk.rows])
        return product(("\n", "\r\n"), repeat=n) if self.ending == "mixed" else [[self.ending] * n]

    def _touches_end(self) -> bool:
        return any(hunk.rows and hunk.end == len(self.lines) and hunk.rows[-1][0] != " " for hunk in self.hunks)

    def after(self, endings: Iterable[str]) -> list[tuple[str, str]]:
        """The lines after the hunks, with their endings; `endings` are those of new lines, in order."""
        filled = [end or self.ending for end in self.ends]
        new = iter(endings)
        out: list[tuple[str, str]] = []
        at = 0
        for hunk in self.hunks:
            out += zip(self.lines[at : hunk.at], filled[at : hunk.at], strict=True)
            at = hunk.at
            for row in hunk.rows:
                if row[0] == "+" or self.is_rewritten:
                    out += [(row[1:], next(new))] if row[0] != "-" else []
                elif row[0] == " ":
                    out.append((self.lines[at], filled[at]))
                at += row[0] != "+"
        out += zip(self.lines[at:], filled[at:], strict=True)
        is_ended = self.is_ended if self.is_ended_after is None else self.is_ended_after
        if out and self.lines and not is_ended:
            out[-1] = (out[-1][0], "")
        return out


@dataclass(slots=True)
class Change:
    """A change of a few files, which a patch describes."""

    format: str
    """The format that the change is written in."""
    sections: list[Section]
    lines: Lines
    others: list[Section] = field(default_factory=list)
    """Files that the patch does not name."""
    answers: list[dict[str, str]] | None = None
    """The right results, if they are not those of the sections one after the other."""
    is_refused: bool = False
    is_everywhere: bool = False
    """True if the pairs are to be replaced at every place."""
    patch_ending: str = "\n"
    """The line ending of the patch."""
    named: str | None = None
    """The name above the blocks, if they name another file."""
    is_cut: bool = False
    """True if the text ends in the context above the changes of its last hunk."""
    is_partial: bool = False
    """True if pairs leave out letters that old and new text have in common."""

    @property
    def rng(self) -> Random:
        return self.lines.rng

    @property
    def main(self) -> Section:
        """The section that rows change: an update with hunks."""
        return self.sections[0]

    def before(self) -> dict[str, str]:
        """Path -> text of the files before, the first of them the main one."""
        files = [one for one in (*self.sections, *self.others) if one.is_there and one.action != "add"]
        return {one.path: one.content for one in files}

    def results(self) -> list[dict[str, str]]:
        """The right results, each as path -> text; none for a change that must be refused."""
        if self.is_refused:
            return []
        if self.answers is not None:
            return self.answers
        found = [self.before()]
        for one in self.sections:
            path = one.move_to or one.path
            texts = [None] if one.action == "delete" else one.results()
            found = [
                {name: text for name, text in ({**files, one.path: None} | {path: after}).items() if text is not None}
                for files in found
                for after in texts
            ]
        return found


def drawn_change(format: str, paths: Sequence[str], rng: Random) -> Change:
    """One to five hunks in the first file, and one or two in each further file."""
    lines = Lines(rng)
    is_even = format == "unified_diff"
    sections = [updated(path, lines, 2 if n else 5, is_even=is_even) for n, path in enumerate(paths)]
    if format in ("insert", "line_range"):
        del sections[0].hunks[1:]
        (hunk,) = sections[0].hunks
        new = [row for row in hunk.rows if row[0] == "+"]
        hunk.rows = new or [f"+{lines.new()}"] if format == "insert" else [*[f"-{line}" for line in hunk.old], *new]
    return Change(format, sections, lines)


def updated(path: str, lines: Lines, most: int, *, is_even: bool) -> Section:
    """A file with one to `most` hunks apart from each other.

    If `is_even`, hunks have as many lines of context below as above, but for the ends of the file, as diffs have.
    """
    rng = lines.rng
    section = Section(path, is_ended=rng.random() < 0.85)
    n_hunks = rng.choice((1, 1, 1, 2, 2, 3, most))
    n_context = rng.randint(1, 3) if is_even else None
    for _ in range(min(n_hunks, most)):
        section.lines += lines.some(3)
        above = below = n_context
        if n_context and not section.lines:
            above = rng.randint(0, n_context)
        hunk = drawn_hunk(len(section.lines), lines, above, below)
        section.lines += hunk.old
        section.hunks.append(hunk)
    section.lines += lines.some(3)
    return section


def drawn_hunk(at: int, lines: Lines, above: int | None = None, below: int | None = None) -> Hunk:
    """A hunk whose lines are new to the file, with some lines of context, or with as many as is said."""
    rng = lines.rng
    context = [lines.some(2) if n is None else lines.exactly(n) for n in (above, below)]
    rows = [f" {line}" for line in context[0]]
    for n in range(rng.choice((1, 1, 1, 2))):
        if n:
            rows.append(f" {lines.new()}")
        old, new = lines.some(2), lines.some(2)
        if not old and not new:
            new = [lines.new()]
        rows += [*[f"-{line}" for line in old], *[f"+{line}" for line in new]]
    rows += [f" {line}" for line in context[1]]
    if all(row[0] == "+" for row in rows):
        rows.insert(0, f" {lines.new()}")
    return Hunk(at, rows)


def folded(line: str) -> str:
    """The letters of a line that every reading compares: no whitespace, case, look-alikes, or invisible characters."""
    plain = line if line.isascii() else unicodedata.normalize("NFKC", line).translate(_PLAIN)
    return "".join(plain.split()).casefold()


_PLAIN = str.maketrans("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--", "\u200b\ufeff")


def n_places(lines: Sequence[str], old: Sequence[str]) -> int:
    """The number of places at which the lines are there, overlaps included."""
    return sum([list(lines[at : at + len(old)]) == list(old) for at in range(len(lines) - len(old) + 1)])


def is_certain(section: Section) -> bool:
    """True if each hunk has one place in its file, for the most tolerant reading too."""
    lines = [folded(line) for line in section.lines]
    olds = [[folded(line) for line in hunk.old] for hunk in section.hunks if hunk.old]
    return all(any(old) and n_places(lines, old) == 1 for old in olds)
