"""Alignment: the place of a hunk that matches nowhere as a block, found line by line.

    hunk  | def f():         file  |def f():        read as  | def f():
          |-    return 1           |    # why               |     # why        a line that the hunk leaves out
          |+    return 2           |    return 1            |-    return 1
          | def gg():              |def g():                |+    return 2
                                                            | def g():         a line that is misspelt

Problem: one context line differs from the file. The block matches nowhere, although a reader sees where it belongs.
Programs that drop outer lines (GNU patch) or compare by similarity (edit distance) place such hunks, and put the
change beside a line that nobody checked.

Idea: first find the place, then ask of each difference whether it can matter. Each line of the hunk that the file has
votes for the line at which the hunk would begin. Votes at most `_MOST_LEFT_OUT` lines apart are added, since a line
left out shifts the lines below it. The best place must have `_MARGIN` votes more than any other. There the lines of
hunk and file are paired (longest common subsequence, with runs closed up). Each stretch between two pairs is judged
by itself: lines left out, dots for lines, lines that lost their plus sign, misspelt lines, outer lines that differ.
The hunk is then read with the file's own lines, and must match there as a block.

Invariant: only context is mended. The hunk is refused (None) if it could mean something else:

- a removed line is not in the file: removed lines are never guessed;
- a line is left out beside a change, and is not blank, and the counts of the header do not include it: it may be a part
  of the change;
- a line left out is one that the hunk adds: the change may have been made before;
- fewer than `_LEAST_EQUAL` lines are equal, or none of them is unique around the place.

What does not work: aligning a format without counts. In 1,353 recorded envelopes, one more is right and two more are
wrong. In 995 recorded diffs, two more are right and none is wrong. So only diffs are aligned (`Mending.ALIGNMENT`). A
hunk that may leave out any number of lines (60 for `_MOST_LEFT_OUT`) does not work, either: votes for places far
apart are then added, and one diff fewer is right. The other thresholds decide none of these recorded patches. They
are for patches that models have not written yet, and the text cases hold them.

To forgive another difference, add a method that judges a stretch, and call it in `_Reading._is_forgiven`. It writes
how the lines are read to `lines` or `left_out`, and a note.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from html import unescape
from itertools import islice, pairwise
from typing import NamedTuple

from editcore.text import distances
from editcore.text.line_index import MOST_LOOKED_FOR, LineIndex
from editcore.text.whitespace import indent, trim
from editcore.types import Hunk

# A misspelt context line differs from the file's in a word or two, or in the words of a comment.
#
#     hunk  |for i in rnge(x):      file  |for i in range(x):      misspelt
#           |for i in range(5):           |for i in range(6):      not misspelt: numbers say which line is meant
#           |return term(x)               |return term()           not misspelt: signs and number of words must be equal

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"(?:#|//|--|\*|/\*|\"\"\"|<!--|;)")
_FACTS = re.compile(r"\d+|\b(?:not|no|never|none|without|un\w+|non\w+|\w+n't|true|false)\b", re.IGNORECASE)
"""Numbers and negations: they must be equal in both lines."""
_MOST_WORDS = 2
_ALIKE_WORDS = 0.6
_ALIKE_COMMENTS = 0.7
_LONGEST = 500
"""Longer lines are not compared."""


def is_misspelt(written: str, line: str) -> bool:
    """True if a line differs from the file's in the spelling of a word or two, or in the words of a comment."""
    one, other = trim(written), trim(line)
    if not one or not other or max(len(one), len(other)) > _LONGEST:
        return False
    if _FACTS.findall(one.lower()) != _FACTS.findall(other.lower()):
        return False
    if _COMMENT.match(one) and _COMMENT.match(other):
        return distances.indel_ratio(one, other) >= _ALIKE_COMMENTS
    ours, theirs = _TOKEN.findall(one), _TOKEN.findall(other)
    if len(ours) != len(theirs):
        return False
    pairs = [(mine, there) for mine, there in zip(ours, theirs, strict=True) if mine != there]
    return len(pairs) <= _MOST_WORDS and all(
        mine[0].isalnum() and there[0].isalnum() and distances.indel_ratio(mine, there) >= _ALIKE_WORDS
        for mine, there in pairs
    )


EQUALITY = "right_trimmed"
_DOTS = re.compile(r"\s*(?:#|//|--|/\*|<!--|;|%)?\s*(?:\.\.\.|…)[^\"']{0,60}")
_MOST_LINES = 2_000
"""Longer hunks are not aligned."""
_MOST_SPOTS = 50
"""A line that the file has more often than this does not vote."""
_SLACK = 60
"""Lines of the file that a hunk may leave out in all."""
_MOST_LEFT_OUT = 3
"""Successive lines that a hunk may leave out without dots for them, unless its counts include them."""
_LEAST_EQUAL = 3
"""Equal lines with text that any difference needs, except for blank lines."""
_LEAST_UNIQUE = 2
"""Equal lines that must be unique around the place: a repeated line does not show which one is meant."""
_MARGIN = 2
"""Votes by which the best place leads any other."""
_MOST_MISSPELT = 2
_MOST_OUTER = 2
"""Lines at an end of a hunk that may differ altogether, as with the fuzz of GNU patch."""
_LEAST_INNER = 5
"""Equal lines with text that a hunk with differing outer lines needs."""


_BLANK = "blank lines that the hunk leaves out"


class Aligned(NamedTuple):
    """A hunk as the file has it, and its 0-based line."""

    hunk: Hunk
    line: int
    notes: tuple[str, ...]


def aligned(seeker: LineIndex, hunk: Hunk) -> Aligned | None:
    """The hunk with the file's own lines at its only place; None if any doubt is left."""
    old = hunk.old
    if not 1 < len(old) <= _MOST_LINES or not _may_stand(seeker, hunk):
        return None
    symbols = seeker.symbols(old, EQUALITY)
    # A removed line that the file lacks is never guessed.
    if any(symbol is None for symbol, line in zip(symbols, _old_lines(hunk), strict=True) if line[0] == "-"):
        return None
    start = _most_votes(seeker, old, symbols)
    if start is None:
        return None
    first = max(start - _SLACK, 0)
    window = seeker.row(EQUALITY)[first : start + len(old) + _SLACK]
    # A line that the file lacks equals nothing.
    mine = [symbol if symbol in window else "" for symbol in (one or "" for one in symbols)]
    pairs = _pairs(mine, window)
    if sum(window.count(mine[ours]) == 1 for ours, _ in pairs) < _LEAST_UNIQUE:
        return None
    return _Reading(seeker, hunk, old, [(ours, theirs + first) for ours, theirs in pairs]).read()


def _may_stand(seeker: LineIndex, hunk: Hunk) -> bool:
    """True if the file may have all removed lines of the hunk and enough others. Only the first ones are looked up."""
    first = [(line[0], seeker.may_have(line[1:], EQUALITY)) for line in islice(_old_lines(hunk), MOST_LOOKED_FOR)]
    is_all = len(first) < MOST_LOOKED_FOR
    return all(has for mark, has in first if mark == "-") and (
        not is_all or sum(has for _, has in first) >= _LEAST_UNIQUE
    )


def _old_lines(hunk: Hunk) -> Iterator[str]:
    return (line for line in hunk.lines if line[0] != "+")


def _most_votes(seeker: LineIndex, old: Sequence[str], symbols: Sequence[str | None]) -> int | None:
    """The 0-based line with the most votes; None if another one is nearly as good."""
    votes: Counter[int] = Counter()
    """Line at which the hunk would begin -> number of its lines that vote for it."""
    for n, (line, symbol) in enumerate(zip(old, symbols, strict=True)):
        spots = seeker.spots(symbol, EQUALITY) if symbol and trim(line) else ()
        # A line as common as a bracket would vote for every place.
        if len(spots) <= _MOST_SPOTS:
            votes.update([spot - n for spot in spots])
    if not votes:
        return None
    # A line left out shifts the lines below it: the votes for nearby lines are for one place.
    starts = sorted(votes)
    totals = [(_near(votes, starts, start), start) for start in starts]
    best_votes, best = max(totals, key=lambda one: (one[0], votes[one[1]], -one[1]))
    # Starts closer than the hunk is long are one place, seen through lines left out: they are no rivals.
    second = max((total for total, start in totals if abs(start - best) >= len(old)), default=0)
    return best if best_votes - second >= _MARGIN else None


def _near(votes: Counter[int], starts: Sequence[int], start: int) -> int:
    """The votes for lines at most `_MOST_LEFT_OUT` from `start`."""
    low = bisect_left(starts, start - _MOST_LEFT_OUT)
    total = 0
    for n in range(low, len(starts)):
        if starts[n] > start + _MOST_LEFT_OUT:
            break
        total += votes[starts[n]]
    return total


def _pairs(mine: Sequence[str], window: str) -> list[tuple[int, int]]:
    """As many pairs of equal lines of a hunk and a stretch of the file as possible, in order."""
    found: list[tuple[int, int]] = []
    for step in distances.common_opcodes(mine, list(window)):
        if step.tag == "equal":
            size = step.src_end - step.src_start
            found += [(step.src_start + k, step.dest_start + k) for k in range(size) if mine[step.src_start + k]]
    return _closed_up(found, mine, window)


def _closed_up(pairs: list[tuple[int, int]], mine: Sequence[str], window: str) -> list[tuple[int, int]]:
    """The pairs, moved next to the longest run of pairs where the lines beside it are equal too.

    A blank line has many equal lines, and the alignment may have chosen a distant one.
    """
    runs = [0]
    for n in range(1, len(pairs)):
        one, other = pairs[n - 1], pairs[n]
        if (other[0] - one[0], other[1] - one[1]) != (1, 1):
            runs.append(n)
    longest = max(zip(runs, [*runs[1:], len(pairs)], strict=True), key=lambda run: run[1] - run[0], default=(0, 0))
    for n in range(longest[0] - 1, -1, -1):
        ours, theirs = pairs[n][0], pairs[n + 1][1] - pairs[n + 1][0] + pairs[n][0]
        if theirs >= 0 and window[theirs] == mine[ours]:
            pairs[n] = (ours, theirs)
    for n in range(longest[1], len(pairs)):
        ours, theirs = pairs[n][0], pairs[n - 1][1] - pairs[n - 1][0] + pairs[n][0]
        if theirs < len(window) and window[theirs] == mine[ours]:
            pairs[n] = (ours, theirs)
    return pairs


class _Reading:
    """A hunk beside the lines of the file that stand for its own, and how it is then read."""

    def __init__(self, seeker: LineIndex, hunk: Hunk, old: list[str], pairs: list[tuple[int, int]]) -> None:
        self.seeker, self.hunk, self.old, self.pairs = seeker, hunk, old, pairs
        self.at = [n for n, line in enumerate(hunk.lines) if line[0] != "+"]
        """For each old line, its index among the lines of the hunk."""
        self.equal = dict(pairs)
        self.lines: dict[int, str | None] = {}
        """Index of a line of the hunk -> how it is read; None if it is dropped."""
        self.left_out: dict[int, range] = {}
        """Index of a line of the hunk -> lines of the file that the hunk leaves out above it."""
        self.notes: dict[str, None] = {}
        self.n_shown = sum(1 for ours, _ in pairs if trim(old[ours]))
        self._n_new = len(hunk.new)
        self._n_misspelt = 0
        self.added = {trim(line[1:]) for line in hunk.lines if line[0] == "+"}

    def read(self) -> Aligned | None:
        hunk, n_old = self.hunk, len(self.old)
        if any(line[0] == "-" and n not in self.equal for n, line in enumerate(_old_lines(hunk))):
            return None
        first, last = self.pairs[0], self.pairs[-1]
        # Outer lines that differ stand for as many of the file.
        start = first[1] - first[0]
        end = last[1] + n_old - last[0]
        if start < 0 or end > len(self.seeker.lines) or not all(self._gaps(start, end)):
            return None
        # Blank lines change no meaning: a difference in nothing else needs no further proof.
        if any(note != _BLANK for note in self.notes) and self.n_shown < _LEAST_EQUAL:
            return None
        lines: list[str] = []
        for n, line in enumerate(hunk.lines):
            lines += [" " + self.seeker.lines[there] for there in self.left_out.get(n, ())]
            text = self.lines.get(n, line)
            lines += [] if text is None else [text]
        read = replace(hunk, lines=tuple(lines))
        # The proof of the reading: it is a block of the file. Without a note, nothing was mended, and nothing gained.
        fits = self.notes and self.seeker.matches_at(read.old, EQUALITY, start)
        return Aligned(read, start, tuple(self.notes)) if fits else None

    def _gaps(self, start: int, end: int) -> Iterator[bool]:
        """For each stretch between two pairs: True if its difference is forgiven."""
        for (ours, theirs), (our_next, their_next) in pairwise([(-1, start - 1), *self.pairs, (len(self.old), end)]):
            mine, there = range(ours + 1, our_next), range(theirs + 1, their_next)
            if mine or there:
                yield self._is_forgiven(mine, there)

    def _is_forgiven(self, mine: range, there: range) -> bool:
        if any(trim(self.seeker.lines[line]) in self.added for line in there if trim(self.seeker.lines[line])):
            return False  # What is added may be there already.
        dots = [n for n in mine if _DOTS.fullmatch(self.old[n])]
        if dots:
            return self._are_elided(mine, there, dots)
        if not mine:
            return self._are_left_out(mine.start, there)
        if not there:
            return self._lost_their_plus(mine)
        # Of unequal stretches, nobody knows which line stands for which.
        if len(mine) != len(there) or any(map(self._is_escaped, mine, there)):
            return False
        if self.added and not self._shows_depth and any(map(self._is_indented_otherwise, mine, there)):
            return False  # The added lines may be indented as these lines, and not as the file.
        return all(map(self._is_misspelt, mine, there)) or self._is_outer(mine, there)

    @cached_property
    def _shows_depth(self) -> bool:
        """True if an indented line of the hunk is as in the file."""
        return any(indent(self.old[n]) for n in self.equal if trim(self.old[n]))

    def _is_indented_otherwise(self, mine: int, there: int) -> bool:
        return indent(self.old[mine]) != indent(self.seeker.lines[there])

    def _is_escaped(self, mine: int, there: int) -> bool:
        """True if the line is the file's in HTML entities. New lines then have them, too: see `without_entities`."""
        line = self.hunk.lines[self.at[mine]][1:]
        plain = unescape(line)
        return plain != line and trim(plain) == trim(self.seeker.lines[there])

    def _is_outer(self, mine: range, there: range) -> bool:
        """True if the first or last lines of a long hunk differ, beyond equal context, as GNU patch allows it."""
        is_first = mine.start == 0
        inner = mine.stop if is_first else mine.start - 1
        if (
            not (is_first or (mine.stop == len(self.old) and self.hunk.closed))
            or len(mine) > _MOST_OUTER
            or self.n_shown < _LEAST_INNER
            or not any(line[0] == "-" for line in self.hunk.lines)
            or inner not in self.equal
            or any(self.hunk.lines[self.at[n]][0] != " " for n in (*mine, inner))
            or abs(self.at[inner] - self.at[mine.start]) > len(mine)
        ):
            return False
        for n, line in zip(mine, there, strict=True):
            self.lines[self.at[n]] = " " + self.seeker.lines[line]
        self.notes["outer context lines that differ"] = None
        return True

    def _are_left_out(self, below: int, there: range) -> bool:
        """True if the hunk may leave out these lines of the file above its old line `below`."""
        if not 0 < below < len(self.old):
            return False
        is_blank = not any(trim(self.seeker.lines[line]) for line in there)
        lines, top, bottom = self.hunk.lines, self.at[below - 1], self.at[below]
        marks = {lines[top][0], lines[bottom][0]}
        if marks == {" "} and bottom == top + 1:
            is_certain = is_blank or len(there) <= _MOST_LEFT_OUT or len(there) == self._n_counted()
        else:
            # Beside a change, lines that the counts do not include may be forgotten lines of the change. Lines added
            # below a removed one belong there, but those below context may belong above or below what is left out.
            is_removed = marks == {" ", "-"} and (bottom == top + 1 or lines[top][0] == "-")
            is_certain = is_removed and (is_blank or len(there) == self._n_counted())
        if is_certain and not self._may_be_elsewhere(below, there):
            self.left_out[bottom] = there
            self.notes[_BLANK if is_blank else "context lines that the hunk leaves out"] = None
            return True
        return False

    def _may_be_elsewhere(self, below: int, there: range) -> bool:
        """True if the hunk may as well leave out lines above another of its old lines, on the other side of added ones.

        file  |a       hunk  | a       The first `b` may be the one that is left out, or the second one.
              |b             | b
              |b             |+new
              |c             | c
        """
        row = self.seeker.row(EQUALITY)
        spots = [below]
        for n, line in enumerate(range(there.stop, len(row)), below):
            if self.equal.get(n) != line or row[line] != row[line - len(there)]:
                break
            spots.append(n + 1)
        for n, line in zip(range(below - 1, -1, -1), range(there.start - 1, -1, -1), strict=False):
            if self.equal.get(n) != line or row[line] != row[line + len(there)]:
                break
            spots.append(n)
        ends = [-1, *self.at, len(self.hunk.lines)]
        return len(spots) > 1 and any(ends[n + 1] - ends[n] > 1 for n in spots)

    def _n_counted(self) -> int:
        """The number of lines that the header counts and the hunk lacks; -1 if its two counts disagree."""
        if self.hunk.source_length is None or self.hunk.target_length is None:
            return -1
        more_old = self.hunk.source_length - len(self.old)
        return more_old if more_old == self.hunk.target_length - self._n_new else -1

    def _are_elided(self, mine: range, there: range, dots: list[int]) -> bool:
        if len(dots) != len(mine) or not there or not (mine.start and mine.stop < len(self.old)):
            return False
        above, below = mine.start - 1, mine.stop
        is_run = self.at[mine.stop - 1] - self.at[mine.start] == len(mine) - 1
        # Lines added below a removed one replace it; elsewhere, what they are added to may be among what is elided.
        is_replaced = self.hunk.lines[self.at[above]][0] == "-"
        mark_above = "-" if is_replaced else self.hunk.lines[self.at[mine.start] - 1][0]
        around = (mark_above, self.hunk.lines[self.at[mine.stop - 1] + 1][0])
        if not is_run or "+" in around or around == ("-", "-") or not {above, below} <= self.equal.keys():
            return False
        self.lines |= dict.fromkeys([self.at[n] for n in mine])
        self.left_out[self.at[mine.start]] = there
        self.notes["dots for lines of the context"] = None
        return True

    def _lost_their_plus(self, mine: range) -> bool:
        """True if context lines that the file lacks are added ones: added lines are around them, or counts say so."""
        indexes = [self.at[n] for n in mine]
        if indexes[-1] - indexes[0] != len(mine) - 1 or any(
            map(bool, self.seeker.symbols(self.old[mine.start : mine.stop], EQUALITY))
        ):
            return False
        lines = self.hunk.lines
        above = lines[indexes[0] - 1][0] if indexes[0] else ""
        below = lines[indexes[-1] + 1][0] if indexes[-1] + 1 < len(lines) else ""
        if not (above == below == "+" or self._counts_say(len(self.old) - len(self.equal))):
            return False
        for n in indexes:
            text = self._added(lines[n])
            if text is None:
                return False
            self.lines[n] = text
        self.notes["added lines that lack their plus sign"] = None
        return True

    def _added(self, line: str) -> str | None:
        """The line as an added one; None if it may have lost a space of its indentation.

        A line that had only a plus sign in front lost the first space of its indentation to the mark of context.
        """
        others = [self.old[n] for n in self.equal] + [one[1:] for one in self.hunk.lines if one[0] == "+"]
        shown = {indent(text) for text in others if trim(text)}
        texts = [text for text in (line[1:], " " + line[1:]) if indent(text) in shown]
        return "+" + texts[0] if len(texts) == 1 else None

    def _counts_say(self, n: int) -> bool:
        """True if the header counts as many new lines as the hunk has, and `n` old lines fewer."""
        return (self.hunk.source_length, self.hunk.target_length) == (len(self.old) - n, self._n_new)

    def _is_misspelt(self, mine: int, there: int) -> bool:
        """True if a context line is the file's but for a word or two."""
        written, line = self.old[mine], self.seeker.lines[there]
        self._n_misspelt += 1
        if self._n_misspelt > _MOST_MISSPELT or not is_misspelt(written, line) or self._is_beside_insertion(mine):
            return False
        if mine == len(self.old) - 1 and not self.hunk.closed:
            return False  # The patch may have been cut off within this line.
        self.lines[self.at[mine]] = " " + line
        self.notes["a context line that is misspelt"] = None
        return True

    def _is_beside_insertion(self, mine: int) -> bool:
        """True if lines are added next to an old line, and the line beyond them is not an equal one."""
        lines, at = self.hunk.lines, self.at[mine]
        for step in (-1, 1):
            n = at + step
            if not (0 <= n < len(lines) and lines[n][0] == "+"):
                continue
            while 0 <= n < len(lines) and lines[n][0] == "+":
                n += step
            other = mine + step
            if not (0 <= n < len(lines)) or other not in self.equal:
                return True
        return False
