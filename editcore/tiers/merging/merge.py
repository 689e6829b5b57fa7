"""The merge of an edit into the lines of a file that match its search text: only the edit's changes are written.

    search text |def f():        file |    def f():  # keep      new text |def f():        merged |    def f():  # keep
                |  x = 1              |        x = 1                      |  x = 2                |        x = 2

The problem. Where a search text was found by forgiving how it is written, the new text is written wrongly in the same
way. Pasted over the place, it undoes the comment (`# keep`), the indentation of the file and whatever else was
forgiven. The edit is then found rightly and written wrongly; most agents' rules do that.

The idea. Search text, new text and place are the three texts of a merge. The lines of search text and new text are
aligned here (`partners`). The lines of search text and place were aligned by the tier that found the place. Each line
of the new text is then of one of three kinds:

    shared with the search text     the line of the file, as it is there
    shared, indented otherwise      the line of the file, with the change of indentation made in the file's own
    changed or added                as the edit has it, with the file's indentation (see `frame`)

A changed line that differs in the file within, say by a no-break space, is merged in turn, by words and signs. Blank
lines are not aligned, since any two are equal: next to a change they are the new text's, elsewhere the file's.

The invariant. What the edit does not change is not written: each line outside the edit's own changes is the file's,
byte for byte. Where the indentation of a new line is not certain, nothing is written.

What does not work: pasting the new text with the indentation of its first line shifted. Without the test whether the
new text is indented like the search text or like the file, hundreds of generated edits were written wrongly; with the
test, an even shift was right in 120 of 122 recorded edits. Keeping all blank lines of the file fails too: models mean
the blank lines next to what they change.

To add a kind of line: decide in `_kept_line` or `_written`, which put one line each, and return False where the line
is not certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise, takewhile

from editcore.text import distances
from editcore.text.diff import common_lines
from editcore.text.keys import RIGHT_TRIMMED, Key
from editcore.text.three_way import merged_line, rewritten
from editcore.text.view import FileView, Lines
from editcore.text.whitespace import WHITESPACE, indent, tail, trim
from editcore.tiers.merging.frame import AS_WRITTEN, Frame, Gap, Shared, Shifts, frame_of, shifted
from editcore.tiers.query import Place

_MOST_CELLS = 4_000_000
"""Old lines times new lines that are aligned; more are taken for one change."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The lines that replace the lines of a place."""

    first: int
    """The first line of the file that is replaced, 0-based, blank lines counted."""
    last: int
    """One past the last line."""
    lines: tuple[str | int, ...]
    """New lines, and numbers of lines of the file that stay."""
    kept: tuple[tuple[int, str], ...] = ()
    """Lines that stay though the edit has them otherwise: the line of the file, and the edit's text for it."""
    is_reindented: bool = False
    """True if new lines are written with another indentation than the edit's."""

    def changes(self, view: FileView) -> bool:
        """True if the file's text changes."""
        after = [view.all[one] if isinstance(one, int) else one for one in self.lines]
        return after != view.all[self.first : self.last]


class Doubt(StrEnum):
    """The reason why an edit is not merged into its place."""

    INDENTATION = "indentation"
    """The indentation of a new line is not certain."""
    WITHIN_LINE = "within_line"
    """The edit changes a part of a line that differs between file and search text."""


def merged(place: Place, old: Lines, new: Lines, key: Key, *, keeps_tails: bool = False) -> Merged | Doubt:
    """The edit merged into its place, or the reason why it is not.

    With `keeps_tails`, whitespace at the end of a changed line stays if only the file has it, as in Markdown.
    """
    merge = _Merge(place, old, new, key)
    merge.keeps_tails = keeps_tails
    return merge.result() or (Doubt.WITHIN_LINE if merge.conflict else Doubt.INDENTATION)


def frame_and_partners(place: Place, old: Lines, new: Lines, key: Key) -> tuple[Frame | None, list[int | None]]:
    """The frame of the new text, and for each of its lines the old line that it is."""
    merge = _Merge(place, old, new, key)
    return merge.frame_of_new(), merge.partner


class _Merge:
    def __init__(self, place: Place, old: Lines, new: Lines, key: Key) -> None:
        self.view, self.place, self.old, self.new = place.view, place, old, new
        self.partner = _partners(old, new, key)
        self.rewrites: dict[int, int] | None = None
        """New line -> the search line that it was, where the file differs from the search text."""
        self.group_of = {n: group for group in place.groups for n in group[0]}
        self.out: list[str | int] = []
        self.kept: list[tuple[int, str]] = []
        self.frame: Frame | None = None
        self.keeps_tails = False
        self.conflict = False
        """True if the edit changes what differs between file and search text."""

    def result(self) -> Merged | None:
        view, there = self.view, self.place.there
        self.frame = self.frame_of_new()
        if self.frame is None or self._may_keep_another() or self._may_drop_another():
            return None
        first, last = view.at[there.start], view.at[there.stop - 1] + 1
        self.out += self._more_blank_lines(0, 0)
        n = 0
        while n < len(self.new.solid):
            if n:
                self.out += self._blank[n]
            step = self._kept_group(n)
            if not step and not self._written(n):
                return None
            n += step or 1
        if self.conflict:
            return None
        self.out += self._more_blank_lines(len(self.old.solid), len(self.new.solid))
        if not self.new.solid:
            last += self._blank_lines_deleted(last)
        return Merged(first, last, tuple(self.out), tuple(self.kept), self.frame != AS_WRITTEN)

    # Indentation

    def _single(self, n: int) -> tuple[str, str] | None:
        """The texts of old line `n` in the search text and in the file, if the file has one line for it."""
        ours, theirs = self.group_of.get(n, (range(0), range(0)))
        return (self.old.solid[n], self.view.solid[theirs.start]) if len(ours) == len(theirs) == 1 else None

    def frame_of_new(self) -> Frame | None:
        """The indentation of the new text in the file; None where it is not certain."""
        pairs = {
            ours.start: (self.old.indents[ours.start], indent(self.view.solid[theirs.start]))
            for ours, theirs in self.place.groups
            if ours and theirs
        }
        single = {ours.start for ours, theirs in self.place.groups if len(ours) == len(theirs) == 1}
        shared = [
            None if partner is None or partner not in single else Shared(partner, written, *pairs[partner])
            for partner, written in zip(self.partner, self.new.indents, strict=True)
        ]
        frame = frame_of(list(pairs.values()), shared, self.new.indents, self.new.solid)
        depths = dict(pairs.values())
        if frame and frame.is_shift and len(depths) == 1 and any(len(ours) > 1 for ours, _ in self.place.groups):
            # The depth of a broken line's second part depends on the edit's unit, which one depth does not show.
            return replace(frame, table=depths)
        return frame

    def _may_keep_another(self) -> bool:
        """True if a kept line equals, as the file has it, a dropped line: both may read `}`."""
        kept = set(self.partner)
        dropped = {
            RIGHT_TRIMMED(texts[1]) for n in range(len(self.old.solid)) if n not in kept and (texts := self._single(n))
        }
        return bool(dropped) and any(
            RIGHT_TRIMMED(self.new.solid[n]) in dropped and RIGHT_TRIMMED(self.new.solid[n]) != RIGHT_TRIMMED(texts[1])
            for n, one in enumerate(self.partner)
            if one is not None and (texts := self._single(one))
        )

    def _may_drop_another(self) -> bool:
        """True if the new text drops some of several equal search lines, and these differ in the file."""
        for dropped, added in self._gaps:
            if not dropped or added:
                continue
            above, below = dropped.start - 1, dropped.stop
            pairs = [(above, below - 1)] * (above >= 0) + [(above + 1, below)] * (below < len(self.old.solid))
            for mine, theirs in pairs:
                if self.old.solid[mine] == self.old.solid[theirs] and self._single(mine) != self._single(theirs):
                    return True
        return False

    @cached_property
    def _gaps(self) -> list[Gap]:
        kept = [(one, n) for n, one in enumerate(self.partner) if one is not None]
        ends = [(-1, -1), *kept, (len(self.old.solid), len(self.partner))]
        return [Gap(range(one + 1, other), range(n + 1, m)) for (one, n), (other, m) in pairwise(ends)]

    def _indent(self, n: int) -> str | None:
        """The file's indentation for new line `n`; None where it is not certain."""
        assert self.frame is not None
        written = self.new.indents[n]
        if not self.frame.is_local or (n == 0 and self.frame.first):
            return self.frame.indent(written, is_first=n == 0)
        shift = self._shifts.around(n)
        return None if shift is None else shifted(written, shift)

    @cached_property
    def _shifts(self) -> Shifts:
        return Shifts(self.old, self.new, self.partner, self._gaps, self._single)

    # Lines

    def _kept_group(self, n: int) -> int:
        """Put the file's lines for the group that new line `n` begins, if kept; return the number of new lines."""
        partner = self.partner[n]
        if partner is None:
            return 0
        ours, theirs = self.group_of.get(partner, (range(0), range(0)))
        if len(ours) == len(theirs) == 1:
            return 1 if self._kept_line(n, partner, theirs.start) else 0
        wanted = list(ours)
        if not wanted or self.partner[n : n + len(wanted)] != wanted:
            return 0
        if any(self.new.solid[n + k] != self.old.solid[one] for k, one in enumerate(wanted)):
            return 0
        lines = range(self.view.at[theirs.start], self.view.at[theirs.stop - 1] + 1)
        self.out += lines
        self.kept.append((lines.start, " ".join(map(trim, (self.new.solid[n + k] for k in range(len(wanted)))))))
        return len(wanted)

    def _kept_line(self, n: int, partner: int, there: int) -> bool:
        """Put the file's line for new line `n`, with the edit's change of its indentation or whitespace."""
        mine, base, line = self.new.solid[n], self.old.solid[partner], self.view.solid[there]
        at = self.view.at[there]
        if mine == base:
            self.out.append(at)
            if mine != line:
                self.kept.append((at, mine))
            return True
        inner = merged_line(trim(base), trim(mine), trim(line))
        end = tail(line) if tail(mine) in (tail(base), tail(line)) else tail(mine)
        is_kept = indent(mine) == indent(base)
        start = indent(line) if is_kept else self._indent(n)
        if start is None:
            return False
        if inner is None:
            inner = trim(mine)  # Only whitespace within the line differs from the file's, and the edit changes it.
        whole = start + inner + end
        self.out.append(at if whole == line else whole)
        if whole == line and mine != line:
            self.kept.append((at, mine))
        return True

    def _written(self, n: int) -> bool:
        """Put new line `n` with the file's indentation; return False where that is not certain."""
        line = self.new.solid[n]
        start = self._indent(n)
        if start is None or (start.strip(" \t") and f"\n{start}" not in self.view.text):
            return False
        text = line[len(self.new.indents[n]) :]
        if (texts := self._replaced(n)) is not None:
            inner = merged_line(trim(texts[0]), trim(text), trim(texts[1]))
            if inner is None:
                self.conflict = True
                return False
            text = inner + tail(texts[1] if self.keeps_tails and tail(text) == tail(texts[0]) else text)
        self.out.append(start + text)
        return True

    def _replaced(self, n: int) -> tuple[str, str] | None:
        """Search line and file line that new line `n` rewrites; None unless they differ in more than indentation."""
        if self.rewrites is None:
            self.rewrites = self._rewrites()
        return self._single(self.rewrites[n]) if n in self.rewrites else None

    def _rewrites(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for dropped, added in self._gaps:
            if added and any(map(self._differs, dropped)):
                texts = ([trim(self.old.solid[one]) for one in dropped], [trim(self.new.solid[n]) for n in added])
                pairs = [(0, 0)] if len(dropped) == len(added) == 1 else rewritten(*texts)
                found |= {added[j]: dropped[i] for i, j in pairs if self._differs(dropped[i])}
        return found

    def _differs(self, n: int) -> bool:
        """True if old line `n` and the file's line differ in more than indentation."""
        texts = self._single(n)
        return texts is not None and texts[0].lstrip(WHITESPACE) != texts[1].lstrip(WHITESPACE)

    # Blank lines

    @cached_property
    def _blank(self) -> dict[int, Sequence[str | int]]:
        """New line -> the blank lines above it."""
        found: dict[int, Sequence[str | int]] = {}
        for gap in self._gaps:
            found |= zip(range(gap.added.start, gap.added.stop + 1), self._blank_lines(*gap), strict=True)
        return found

    def _blank_lines(self, dropped: range, added: range) -> list[Sequence[str | int]]:
        """The blank lines above and below each added line of a gap.

        The edit's where it changes their number, otherwise the file's.
        """
        old = [len(self.old.blank_above(n)) for n in (*dropped, dropped.stop)]
        new: list[Sequence[str | int]] = [self.new.blank_above(n) for n in (*added, added.stop)]
        there = [self._file_gap(n) for n in (*dropped, dropped.stop)]
        if len(old) == len(new):
            pairs = [*range(len(new))]
        elif dropped and added:
            pairs = [0, -1]
        else:
            return self._joined_gap(old, new, there) if dropped else self._opened_gap(added, old[0], new, there[0])
        for n in pairs:
            file = there[n]
            if (
                file is not None
                and old[n] == len(new[n])
                and (old[n] == len(file) or self._is_one_gap(n, dropped, added))
            ):
                new[n] = file
        return new

    def _is_one_gap(self, n: int, dropped: range, added: range) -> bool:
        """True if gap `n` is at an end of these lines, or the lines beside it are rewritten ones."""
        if n in (0, -1, len(dropped)):
            return True
        pairs = rewritten(self.old.bodies[dropped.start : dropped.stop], self.new.bodies[added.start : added.stop])
        return {(n - 1, n - 1), (n, n)} <= {*pairs}

    def _joined_gap(
        self, old: list[int], new: list[Sequence[str | int]], there: list[range | None]
    ) -> list[Sequence[str | int]]:
        """The blank lines where lines are dropped: the edit's, and once those that only the file has there."""
        if there[0] is None or there[-1] is None:
            return new
        pairs = [(old[0], there[0]), (old[-1], there[-1])]
        same = [file for n, file in pairs if n == len(new[0])]
        more = max(len(file) - n for n, file in pairs)
        return [max(same, key=len)] if same else [[*new[0], *[""] * more]]

    def _opened_gap(
        self, added: range, old: int, new: list[Sequence[str | int]], there: range | None
    ) -> list[Sequence[str | int]]:
        """The blank lines where lines are only added: the edit's, and once those that only the file has there."""
        if there is None:
            return new
        same = [n for n, one in enumerate(new) if len(one) == old]
        if old == 0 and there:
            most = max(range(len(new)), key=lambda n: len(new[n]))
            same = [most] if new[most] else self._like_neighbour(added)
            self.conflict = self.conflict or not same
        if same and (len(there) >= old or (not there and len(same) == 1)):
            new[same[0]] = there
        return new

    def _like_neighbour(self, added: range) -> list[int]:
        """Where added lines are apart from a neighbour: above (0) or below (-1), by their indentation; or nowhere."""
        above, first, last, below = (
            self.new.indents[n] for n in (added.start - 1, added.start, added.stop - 1, added.stop)
        )
        return [] if (first == above) == (last == below) else [-1] if first == above else [0]

    def _file_gap(self, n: int) -> range | None:
        """The file's lines between search lines `n - 1` and `n`: blank ones, and its own. None in a group."""
        above, below = self.group_of.get(n - 1), self.group_of.get(n)
        if above is None or below is None or above == below:
            return None
        return range(self.view.at[above[1].stop - 1] + 1, self.view.at[below[1].start])

    def _blank_lines_deleted(self, last: int) -> int:
        """The number of blank lines below the place that a pure deletion removes too."""
        n = len(self.old.blank_above(len(self.old.solid))) - len(self.new.all)
        below = self.view.all[last : last + max(n, 0)]
        return len(list(takewhile(lambda line: not trim(line), below)))

    def _more_blank_lines(self, in_old: int, in_new: int) -> list[str]:
        """The blank lines that the new text has more at its start, or its end.

        An edit of blank lines only gives none: only an exact place says how many there are.
        """
        is_blank_only = None not in self.partner and len(self.partner) == len(self.old.solid)
        if is_blank_only or not self.new.solid:
            return []
        return [""] * (len(self.new.blank_above(in_new)) - len(self.old.blank_above(in_old)))


def _partners(old: Lines, new: Lines, key: Key) -> list[int | None]:
    """For each new line, the old line that it is by `key`; among several alignments, one that pairs identical lines.

    `}` is in many lines, and only its indentation tells which of them a text has kept.
    """
    found = partners(old.keys(key), new.keys(key))
    if all(one is None or old.solid[one] == line for one, line in zip(found, new.solid, strict=True)):
        return found
    same = partners(old.solid, new.solid)
    return same if same.count(None) == found.count(None) else found


def partners(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """For each new line, the old line that it is; in order, and as many as possible."""
    head, end = common_lines(old, new)
    found: list[int | None] = [*range(head), *([None] * (len(new) - head - end)), *range(len(old) - end, len(old))]
    ours, theirs = old[head : len(old) - end], new[head : len(new) - end]
    if len(ours) * len(theirs) <= _MOST_CELLS and not {*ours}.isdisjoint(theirs):
        for step in distances.common_opcodes(ours, theirs):
            if step.tag == "equal":
                for k in range(step.src_end - step.src_start):
                    found[head + step.dest_start + k] = head + step.src_start + k
    return found
