"""A model of a file whose lines are objects: a line stays the same object wherever it goes.

    read        1: go()  2: end  3: go()  4: end      the numbers 1 to 4 stand for the lines a, b, c, d
    another     moves lines 1 and 2 to the end        the file is c, d, a, b: nothing is compared to know that
    a call      replaces line 1                       the third line of the file must change, or none

A call means lines as they were shown (`Shown`). `edited` has the files that a call may leave, from what happened to its
lines since; an empty list if the call must be refused.

What is left undecided. Some histories leave the same two texts, and no program can say which line is which then. A call
that names such a line is not made (`is_vague`):

- Of two equal neighbours one was removed, or a line was removed and an equal one was written at its place.
- A line moved past lines that say no more than it does, and an equal line is elsewhere. Blank lines alone moved.
- A line was copied, and it or a line beside it was then removed, moved or reworded.

Where two answers are right, both are in `edited_by_text`: a text does not say which of equal neighbours it removes; a
run that was copied, or that slid along an equal one, stands where its text stands; a blank line that others put within
lines that a call replaces as one block goes with them, as a formatter's whitespace does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random
from typing import NamedTuple

POOL = ("", "", "  }", "    }", "}", "    go()", "    return x", "    x = 1", "  end", "    stop(x)", "    x += 1")
"""Lines that stand in many places."""


@dataclass(eq=False, slots=True)
class Line:
    text: str
    n_copies: int = 0
    has_moved: bool = False
    is_reworded: bool = False
    vague: int = -1
    """The time until which readings do not tell this line from a neighbour."""
    slid: int = -1
    """The time until which only the lines around tell this line from one that was added."""
    touched: int = -1
    """The time at which the session last edited this line, or quoted it in an edit."""
    became: Line | None = None
    """The last of the lines that the session has put in place of this one and its neighbours."""


class Shown(NamedTuple):
    """A line as it was shown."""

    line: Line
    text: str
    time: int
    """The number of the reading."""
    number: int


class Change(NamedTuple):
    """New text in place of `lines[start:stop]`; the other lines are quoted as context."""

    lines: Sequence[Shown]
    start: int
    stop: int
    new: Sequence[str]

    @property
    def before(self) -> list[str]:
        return [one.text for one in self.lines]

    @property
    def after(self) -> list[str]:
        return [*self.before[: self.start], *self.new, *self.before[self.stop :]]

    @property
    def is_partly_kept(self) -> bool:
        """True if a new line equals one in whose place it comes: texts do not say that this line is a new one."""
        return any(text in self.before[self.start : self.stop] for text in self.new)

    @property
    def alike(self) -> list[Change]:
        """The changes with these texts before and after: a text does not say which of equal neighbours goes."""
        before, after = self.before, self.after
        sides = (zip(before, after, strict=False), zip(before[::-1], after[::-1], strict=False))
        above, below = (len([*takewhile(lambda pair: pair[0] == pair[1], side)]) for side in sides)
        most = min(above + below, len(before), len(after))
        starts = range(max(most - below, 0), min(above, most) + 1)
        ends = [(start, len(before) - most + start, len(after) - most + start) for start in starts]
        return [self._replace(start=start, stop=stop, new=after[start:end]) for start, stop, end in ends]


def squeezed(text: str) -> str:
    return "".join(text.split())


@dataclass(slots=True)
class File:
    lines: list[Line]
    time: int = 0
    changed_by_others: int = -1
    """The time of the last change by another hand."""
    readings: dict[int, list[Shown]] = field(default_factory=dict)
    """Time of a reading -> all lines that the file had."""
    has_crlf: bool = False

    @property
    def data(self) -> bytes:
        return "".join(f"{line.text}{self.ending}" for line in self.lines).encode()

    @property
    def ending(self) -> str:
        return "\r\n" if self.has_crlf else "\n"

    def shown(self, index: int) -> Shown:
        whole = self.readings.setdefault(self.time, [])
        if not whole:
            whole += [Shown(line, line.text, self.time, number) for number, line in enumerate(self.lines, 1)]
        return whole[index]

    # Changes by others

    def inserted(self, at: int, texts: Iterable[str]) -> None:
        before = len(self.lines)
        self.lines[at:at] = map(Line, texts)
        for line in self._alike(at, at + len(self.lines) - before):
            line.slid = self.time

    def deleted(self, start: int, stop: int) -> list[Line]:
        self._blur(start, stop)
        self._doubt([n for n in range(start, stop) if self.lines[n].n_copies])
        gone = self.lines[start:stop]
        del self.lines[start:stop]
        return gone

    def copied(self, start: int, stop: int, to: int) -> None:
        for line in self.lines[start:stop]:
            line.n_copies += 1
            line.slid = self.time
            line.vague = self.time if line.has_moved else line.vague
        self.inserted(to, [line.text for line in self.lines[start:stop]])

    def moved(self, start: int, stop: int, to: int) -> None:
        moved = self.deleted(start, stop)
        # That these lines moved past others may be read as those others having moved, if they say no more.
        passed = self.lines[min(start, to) : max(start, to)]
        self.lines[to:to] = moved
        self._blur(to, to + len(moved))
        if len(squeezed("".join(line.text for line in passed))) <= len(squeezed("".join(line.text for line in moved))):
            texts = Counter(squeezed(line.text) for line in self.lines)
            for line in (*passed, *moved):
                line.has_moved = True
                line.vague = self.time if texts[squeezed(line.text)] > 1 else line.vague
        for run in (passed, moved):  # Blank lines that moved are lines that were removed, and others that were added.
            for line in [] if squeezed("".join(one.text for one in run)) else run:
                line.vague = self.time
        for line in moved:
            line.slid = self.time
            line.has_moved = True
            line.vague = self.time if line.n_copies or line.is_reworded else line.vague

    def reworded(self, start: int, texts: Sequence[str]) -> None:
        """Lines have other texts now."""
        before = [line.text for line in self.lines[start : start + len(texts)]]
        for line, text in zip(self.lines[start:], texts, strict=False):
            line.text = text
        changed = [n for n, pair in enumerate(zip(before, texts, strict=True), start) if pair[0] != pair[1]]
        for line in (self.lines[n] for n in changed):  # A moved line with other words is a new line for who compares.
            line.is_reworded = True
            line.vague = self.time if line.has_moved else line.vague
        self._doubt([n for n in changed if self.lines[n].n_copies])

    def _doubt(self, copied: Sequence[int]) -> None:
        """Of copied lines some have gone or changed: the copy is no less like what they were than they are."""
        for n in copied:
            for side in (self.lines[n:], self.lines[:n][::-1]):
                for line in takewhile(lambda line: line.n_copies, side):
                    line.vague = self.time

    def _blur(self, start: int, stop: int) -> None:
        for line in self._alike(start, stop):
            line.vague = self.time

    def _alike(self, start: int, stop: int) -> list[Line]:
        """The lines that a run to remove, or one that was added, cannot be told from: it may slide over them."""
        lines, size = self.lines, stop - start
        first, last = start, stop
        while first and squeezed(lines[first - 1].text) == squeezed(lines[first - 1 + size].text):
            first -= 1
        while last < len(lines) and squeezed(lines[last].text) == squeezed(lines[last - size].text):
            last += 1
        return lines[first:last] if (first, last) != (start, stop) else []

    # Calls of the session

    def is_vague(self, one: Shown) -> bool:
        """True if the texts since a line was shown may also be read as another history of this line."""
        if one.line.vague >= one.time:
            return True
        is_there = any(one.line is line for line in self.lines)
        if is_there and squeezed(one.line.text) == squeezed(one.text):
            return False
        if one.line.n_copies or (not is_there and one.line.touched >= one.time):
            return True
        then = self.readings[one.time]
        index = next(n for n, other in enumerate(then) if other.line is one.line)
        respaced = [other.line for other in then[max(index - 1, 0) : index + 2] if other.line.text != other.text]
        return any(squeezed(line.text) == squeezed(one.text) for line in (*self._beside(one), *respaced))

    def _beside(self, one: Shown) -> list[Line]:
        """The lines that stand now where a removed line stood: between its nearest neighbours that are left."""
        then, at = [other.line for other in self.readings[one.time]], {id(line): n for n, line in enumerate(self.lines)}
        index = next(n for n, line in enumerate(then) if line is one.line)
        above = next((at[id(line)] for line in reversed(then[:index]) if id(line) in at), -1)
        below = next((at[id(line)] for line in then[index + 1 :] if id(line) in at), len(self.lines))
        known = {id(line) for line in then}
        found = self.lines[above + 1 : below] if above < below else []
        for side in (self.lines[above + 1 :], self.lines[:below][::-1]):
            for line in side:
                if id(line) in known:
                    break
                found.append(line)
        return found

    def edited_by_text(self, change: Change, *, is_below: bool = False) -> list[list[Line]]:
        """The lines that a change may leave if it quotes the lines that it names."""
        found = [lines for one in change.alike for lines in self.edited(one, is_below=is_below)]
        if any(one.line.slid >= one.time for one in change.lines):
            size = len(change.lines)
            runs = [self.lines[at : at + size] for at in range(len(self.lines) - size + 1)]
            before = [squeezed(text) for text in change.before]
            runs = [run for run in runs if [squeezed(line.text) for line in run] == before]
            beside = [run for run in runs if any(line is one.line for line, one in zip(run, change.lines, strict=True))]
            for run in beside or (runs if len(runs) == 1 else []):
                there = [one._replace(line=line) for one, line in zip(change.lines, run, strict=True)]
                found += self.edited(change._replace(lines=there), is_below=is_below)
        replaced = change.lines[change.start : change.stop]
        at = [n for n, line in enumerate(self.lines) if any(line is one.line for one in replaced)]
        named = {id(one.line) for one in replaced}
        between = [line for line in self.lines[at[0] : at[-1]] if id(line) not in named] if at else []
        if between and not squeezed("".join(line.text for line in between)):
            # A blank line within lines that are replaced as one block goes with them.
            blank = {id(line) for line in between}
            found += self.edited(change, lines=[line for line in self.lines if id(line) not in blank])
        return found

    def edited(self, change: Change, *, lines: list[Line] | None = None, is_below: bool = False) -> list[list[Line]]:
        """The lines that the change may leave, one list for each right answer; none if it must be refused.

        With `is_below`, an insertion belongs below its only line, and never above the next one.
        """
        lines = self.lines if lines is None else lines
        at = {id(line): n for n, line in enumerate(lines)}
        new = [Line(text) for text in change.new]
        if change.stop > change.start:
            run = change.lines[change.start : change.stop]
            # A blank line that another hand has removed, too, is no loss.
            run = [one for one in run if id(one.line) in at or squeezed(one.text)] or run
            places = [at.get(id(one.line), -1) for one in run]
            is_there = -1 not in places and places == list(range(places[0], places[0] + len(run)))
            if not is_there or any(squeezed(one.line.text) != squeezed(one.text) for one in run):
                return []
            return [[*lines[: places[0]], *new, *lines[places[-1] + 1 :]]]
        gaps = list[int]()
        if change.start and (above := change.lines[change.start - 1].line):
            while id(above) not in at and above.became is not None:
                above = above.became
            gaps += [at[id(above)] + 1] if id(above) in at else self._gap(change.lines[change.start - 1], lines)
        if change.start < len(change.lines) and not is_below:
            gaps += [n for n in [at.get(id(change.lines[change.start].line), -1)] if n >= 0]
        known = {id(one.line) for one in self.readings[change.lines[0].time]}.difference(
            id(one.line) for one in change.lines if not squeezed(one.text)
        )
        gaps = [n for gap in gaps for n in _beside_blank(lines, gap, known)]
        return [[*lines[:gap], *new, *lines[gap:]] for gap in dict.fromkeys(gaps)]

    def _gap(self, one: Shown, lines: list[Line]) -> list[int]:
        """The place of a removed line, if both of its neighbours are left and neighbours now."""
        then = [other.line for other in self.readings[one.time]]
        index = next((n for n, line in enumerate(then) if line is one.line), 0)
        beside = then[max(index - 1, 0) : index] + then[index + 1 : index + 2]
        return [n for n in range(1, len(lines)) if len(beside) == 2 and lines[n - 1 : n + 1] == beside]

    def take(self, lines: list[Line], changes: Sequence[Change], *, by_number: bool) -> None:
        """Take over the lines that a call has left. `by_number` if the call told the changed lines by their numbers."""
        known = {id(line) for line in self.lines}
        new = [line for line in lines if id(line) not in known]
        left = {id(line) for line in lines}
        quoted = [shown.line for one in changes for shown in one.lines]
        for line in (*quoted, *new, *(line for line in self.lines if id(line) not in left)):
            line.touched = self.time
        runs = [[shown.line for shown in one.lines[one.start : one.stop]] for one in changes]
        before, self.lines = self.lines, lines
        if len(new) == len(runs) and all(len(run) == 1 and run[0] not in lines for run in runs):
            for line, [old] in zip(new, runs, strict=True):  # A changed line stays the same line.
                old.text = line.text
                lines[next(n for n, one in enumerate(lines) if one is line)] = old
        elif len(runs) == 1 and runs[0] and new:
            runs[0][-1].became = new[-1]
        elif len(runs) == 1 and not by_number:
            # The lines that were removed or added may be their equal neighbours.
            self.lines, run = (lines, new) if new else (before, runs[0])
            start = next(n for n, line in enumerate(self.lines) if line is run[0])
            self._blur(start, start + len(run))
            self.lines = lines


def _beside_blank(lines: Sequence[Line], gap: int, known: Container[int]) -> range:
    """The places for new lines that are as good as `gap`: only blank lines of another hand are between."""
    is_new = [not squeezed(line.text) and id(line) not in known for line in lines]
    first = next((n for n in range(gap, 0, -1) if not is_new[n - 1]), 0)
    return range(first, next((n for n in range(gap, len(lines)) if not is_new[n]), len(lines)) + 1)


# Changes by others, of lines from `start` to before `stop`


def _insert(file: File, start: int, stop: int, rng: Random) -> None:
    texts = [rng.choice((*POOL, f"    theirs{file.time}({n})")) for n in range(start, stop)]
    file.inserted(rng.randint(0, len(file.lines)), texts)


def _reword(file: File, start: int, _: int, rng: Random) -> None:
    stop = start + rng.randint(1, 2)
    file.reworded(
        start, [re.sub(r"\w+|\W*$", f"renamed{file.time}", line.text, count=1) for line in file.lines[start:stop]]
    )


def _indent(file: File, start: int, stop: int, rng: Random) -> None:
    by = rng.choice(("    ", "  ", "\t", ""))
    texts = [line.text for line in file.lines[start:stop]]
    file.reworded(start, [f"{by}{text}" if by and text else text.removeprefix("  ") for text in texts])


def _respace(file: File, start: int, stop: int, rng: Random) -> None:
    space = rng.choice(("", " "))
    texts = [line.text for line in file.lines[start:stop]]
    file.reworded(start, [re.sub(r"(?<=\w) ?([=(]) ?", rf"{space}\1{space}", text) for text in texts])


def _copy(file: File, start: int, stop: int, rng: Random) -> None:
    file.copied(start, stop, rng.randint(0, len(file.lines)))


def _move(file: File, start: int, stop: int, rng: Random) -> None:
    file.moved(start, stop, rng.randint(0, len(file.lines) - (stop - start)))


def _end_otherwise(file: File, *_: object) -> None:
    file.has_crlf = not file.has_crlf


OTHERS: Mapping[str, tuple[int, Callable[[File, int, int, Random], object]]] = {
    "insert": (2, _insert), "delete": (2, lambda file, start, stop, _: file.deleted(start, stop)),
    "reword": (1, _reword), "indent": (1, _indent), "respace": (1, _respace), "copy": (2, _copy), "move": (1, _move),
    "endings": (1, _end_otherwise),
}  # fmt: skip
"""Step of another hand -> how often it is drawn, and what it does."""
