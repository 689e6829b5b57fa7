"""The frame test: is the new text indented like the search text, or already like the file?

    search text  |x = 1          file  |    x = 1        new text, in the frame of the search text  |if a:
                                                                                                     |    x = 1
                                                         new text, in the frame of the file         |    if a:
                                                                                                     |        x = 1

The first line and the outermost indentation decide; otherwise the lines that search text and new text share decide.
New text in the frame of the search text is re-indented: by the whitespace that every line of the file has more (or
less), or by a table from each indentation of the search text to one of the file. Anything else is refused.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, takewhile
from typing import NamedTuple

from editcore.text.three_way import rewritten
from editcore.text.view import Lines
from editcore.text.whitespace import indent, trim

_BLOCK_BEGINS = re.compile(
    r"(?:[:{(\[>]|\b(?:then|do|else|begin|try))$|^(?:if|for|while|def|class|do|case|unless)\b", re.IGNORECASE
)
"""The end of a line that begins a block; or its start, in languages without a sign for that."""

Pair = tuple[str, str]
"""The indentation of a line in the search text, and of the same line in the file."""


class Shared(NamedTuple):
    """The indentation of a line that the edit keeps."""

    line: int
    """The index of the solid line in the search text."""
    written: str
    """Indentation in the new text."""
    old: str
    """Indentation in the search text."""
    there: str
    """Indentation in the file."""


@dataclass(frozen=True, slots=True)
class Frame:
    """How indentation of the new text becomes indentation of the file."""

    added: str = ""
    """Whitespace that the file has more before every line."""
    removed: str = ""
    """Whitespace that the file has less before every line."""
    table: dict[str, str] | None = None
    """Indentation of the edit -> indentation of the file, where the difference is not the same for all lines."""
    first: Pair | None = None
    """The indentation of the first line, where this line alone differs in another way."""
    only_first: str | None = None
    """An indentation that only the first line shows, where this line alone differs in another way."""
    margin: str = ""
    """The least indentation that moves, where lines at the margin stay there."""
    is_one_depth: bool = False
    """True if only one depth moves: the edit may have another unit, so that multiples of it are not certain."""
    is_local: bool = False
    """True if no rule holds for all lines: the nearest kept lines above and below decide, if they agree."""

    @property
    def is_shift(self) -> bool:
        """True if all lines have the same whitespace more, or less, in the file."""
        return bool(self.added or self.removed) and self.table is None

    def indent(self, written: str, *, is_first: bool = False) -> str | None:
        """The file's indentation for an indentation `written` in the new text; None where that is not certain."""
        if is_first and self.first and written == self.first[0]:
            return self.first[1]
        if self.table is not None:
            return self.table.get(written)
        if written == self.only_first:
            return None
        if self.margin and written != self.margin:
            is_multiple = self.is_one_depth and not len(written) % len(self.margin)
            if not written or is_multiple or not written.startswith(self.margin):
                return None if written else ""
        return None if self.is_local else shifted(written, self)


def shifted(written: str, by: Frame) -> str | None:
    """The indentation with whitespace added or removed at its start; None where it has too little."""
    return by.added + written[len(by.removed) :] if written.startswith(by.removed) else None


AS_WRITTEN = Frame()
"""The frame of the file: the new text is indented as it should be."""


def frame_of(
    pairs: Sequence[Pair], shared: Sequence[Shared | None], new: Sequence[str], lines: Sequence[str]
) -> Frame | None:
    """The frame of a new text; None where it is not certain.

    `pairs` are of all lines of the place. `new` is the indentation of each line of the new text, `shared` says how
    the edit keeps each of these lines, if it does, and `lines` are their texts: a line that begins a block may put
    the lines below it at the file's indentation by chance.
    """
    if all(old == there for old, there in pairs) or not new:
        return AS_WRITTEN
    if all(old == there for old, there in pairs[1:]) and _begins_otherwise(shared[0]):
        return None  # The search text lost the indentation of its first line, and so may the new text.
    is_like_file = _by_ends(pairs, new)
    if not is_like_file and _lost_its_indentation(pairs):
        return Frame(is_local=True)
    if not is_like_file and (beside := _in_other_units(pairs) or _beside_margin(pairs)):
        by_shared = _by_shared_lines(shared)
        if by_shared:
            return AS_WRITTEN if is_like_file is None else None
        return None if is_like_file is by_shared is None else beside
    if not is_like_file and even(pairs) is None and even(pairs[:1]) is not None and even(pairs[1:]) is not None:
        return _with_its_own_first_line(pairs, shared, new, lines)
    by_shared = _by_shared_lines(shared)
    if is_like_file is None:
        is_like_file = by_shared
    elif is_like_file and by_shared is False:
        return None
    elif not is_like_file and not new[0] and _is_like_file_below(pairs, shared, new):
        # The first line lost its indentation where it was copied; or the lines below are in a block that it begins.
        is_first = shared[0] and shared[0].line == 0 and (pairs[1][0] or any(shared[1:]))
        return _with_its_own_first_line(pairs, shared, new, lines) if is_first else None
    elif not is_like_file and by_shared and not _is_put_into_a_block(shared, lines):
        return None
    if not is_like_file and len(pairs) == 1 and _may_lack_its_first_indentation(pairs[0], new, lines[0]):
        return None
    if is_like_file is None:
        is_like_file = _by_one_end(pairs, new)
    if is_like_file is None:
        return None
    return AS_WRITTEN if is_like_file else _frame_of_search(pairs)


def _in_other_units(pairs: Sequence[Pair]) -> Frame | None:
    """The frame of lines of several depths that are each as many times as deep in the file."""
    widths = {(len(old), len(there)) for old, there in pairs if old or there}
    old, there = max(widths)
    is_even = old and there and all(one * there == other * old for one, other in widths)
    return Frame(table=dict(pairs)) if is_even and len(widths) > 1 else None


def _beside_margin(pairs: Sequence[Pair]) -> Frame | None:
    """The frame of lines that are indented otherwise beside lines at the margin, which tell of no indentation."""
    indented = [pair for pair in pairs if any(pair)]
    shift = even(indented)
    if len(indented) == len(pairs) or shift in (None, AS_WRITTEN) or not all(map(all, indented)):
        return None
    depths = {old for old, _ in indented}
    return replace(shift, margin=min(depths, key=len), is_one_depth=len(depths) == 1)


def _lost_its_indentation(pairs: Sequence[Pair]) -> bool:
    """True if all lines of the search text have one indentation, and lines of the file have several.

    The new text may have lost its indentation too. Only the lines around each new line show what it was.
    """
    return len({old for old, _ in pairs}) == 1 < len({there for _, there in pairs})


def _begins_otherwise(first: Shared | None) -> bool:
    """True if a new text begins with a later search line, indented as in neither of both other texts."""
    return first is not None and first.line != 0 and first.written not in (first.old, first.there)


def begins_block(line: str) -> bool:
    """True if the line puts the lines below it into a block, as far as its ends show."""
    return _BLOCK_BEGINS.search(trim(line)) is not None


def _is_put_into_a_block(shared: Sequence[Shared | None], lines: Sequence[str]) -> bool:
    """True if a line that the new text adds above all kept lines begins a block."""
    added = takewhile(lambda pair: pair[0] is None, zip(shared, lines, strict=False))
    return any(begins_block(line) for _, line in added)


def _may_lack_its_first_indentation(first: Pair, new: Sequence[str], line: str) -> bool:
    """True if only the first line of both texts may have lost its indentation, and the others have the file's."""
    old, there = first
    is_one = not old and not new[0] and len(new) > 1 and all(one.startswith(there) for one in new[1:])
    return is_one and not begins_block(line)


def _with_its_own_first_line(
    pairs: Sequence[Pair], shared: Sequence[Shared | None], new: Sequence[str], lines: Sequence[str]
) -> Frame | None:
    """The frame of the lines below the first, with the first line's own indentation if the new text begins like it."""
    if _begins_otherwise(shared[0]):
        return None
    if not any(shared) and pairs[0][0] != pairs[0][1] == new[0]:
        return None  # The first line is indented like the file, and nothing says that the others are not.
    is_another = shared[0] is not None and shared[0].line != 0
    first = None if is_another or new[0] not in pairs[0] else (new[0], pairs[0][1])
    rest = frame_of(pairs[1:], *((shared[1:], new[1:], lines[1:]) if first else (shared, new, lines)))
    is_known = any(old == pairs[0][0] for old, _ in pairs[1:])
    return None if rest is None else replace(rest, first=first, only_first=None if is_known else pairs[0][0])


def _is_like_file_below(pairs: Sequence[Pair], shared: Sequence[Shared | None], new: Sequence[str]) -> bool:
    """True if the new text is indented like the file below its first line, and is not put into a block."""
    if len(pairs) < 2 or any(one and one.line == 0 for one in shared[1:]):
        return False
    by_shared = _by_shared_lines(shared[1:])
    return bool(by_shared or (by_shared is None and not any(shared[1:]) and _by_ends(pairs[1:], new[1:])))


def _by_shared_lines(shared: Sequence[Shared | None]) -> bool | None:
    """True if the kept lines are indented like the file, False if like the search text; None where uncertain."""
    kept = [one for one in shared if one]
    like_old = any(one.written == one.old != one.there for one in kept)
    like_file = any(one.written == one.there != one.old for one in kept)
    return like_file if like_old != like_file else None


def _by_ends(pairs: Sequence[Pair], new: Sequence[str]) -> bool | None:
    """True if the first and the outermost line are indented like the file, False if not; None where uncertain."""
    if not new:
        return None
    old_first, there_first = pairs[0]
    old_least, there_least = (min((pair[side] for pair in pairs), key=len) for side in (0, 1))
    least = min(new, key=len)
    like_old = new[0] == old_first and least == old_least
    like_file = new[0] == there_first and least == there_least
    if like_old != like_file:
        return like_file
    in_old, in_file = (set(new) <= {pair[side] for pair in pairs} for side in (0, 1))
    return in_file if like_old and in_old != in_file else None


def _by_one_end(pairs: Sequence[Pair], new: Sequence[str]) -> bool | None:
    """As `_by_ends`, by the outermost indentation alone, or by the first line alone; None where they disagree."""
    least = min(new, key=len)
    old_least, there_least = (min((pair[side] for pair in pairs), key=len) for side in (0, 1))
    ends = ((old_least, there_least, least), (*pairs[0], new[0]))
    said = {written == there for old, there, written in ends if old != there and written in (old, there)}
    return said.pop() if len(said) == 1 else None


def _frame_of_search(pairs: Sequence[Pair]) -> Frame:
    """The frame of a new text that is indented like the search text."""
    shift = even(pairs)
    if shift is not None:
        return shift
    table: dict[str, str] = {}
    for old, there in pairs:
        if table.setdefault(old, there) != there:
            return Frame(is_local=True)
    return Frame(table=table) if len(set(table.values())) == len(table) else Frame(is_local=True)


def even(pairs: Sequence[Pair]) -> Frame | None:
    """The frame if the file has the same whitespace more, or less, before every line; None otherwise."""
    if not pairs:
        return None
    old, there = min(pairs, key=lambda pair: len(pair[0]))
    by = Frame(there[: max(len(there) - len(old), 0)], old[: max(len(old) - len(there), 0)])
    return by if all(by.removed + one == by.added + other for other, one in pairs) else None


class Gap(NamedTuple):
    """The lines that an edit drops and adds between two kept lines, or at an end."""

    dropped: range
    """Solid lines of the search text."""
    added: range
    """Solid lines of the new text."""


class Shifts:
    """The indentation shift around each line of one edit, where no one rule holds for all lines.

        search text  |if a:      file  |if a:         new text  |if a:       merged  |if a:
                     |go()             |    go()                |stop()              |    stop()
                     |end()            |end()                   |end()               |end()

    A line that is added between two kept lines with different shifts may be meant at either depth. Each shift is found
    once, so the work is proportional to the lines.
    """

    def __init__(
        self, old: Lines, new: Lines, partner: Sequence[int | None], gaps: Sequence[Gap],
        single: Callable[[int], tuple[str, str] | None],
    ) -> None:  # fmt: skip
        """`partner` and `gaps` as in `merge`; `single(n)` gives the texts of old line `n` in search text and file."""
        self._old, self._new, self._partner, self._gaps, self._single = old, new, partner, gaps, single
        self._lost_blocks: dict[int, bool] = {}
        """First new line of a gap -> the result of `_has_lost_block`."""

    def around(self, n: int) -> Frame | None:
        """The shift around new line `n`: of the one line that it replaces, or else of all lines that show one.

        Lines that show a shift are the nearest kept lines above and below, and the dropped lines between them.
        """
        dropped, added = self._gaps[bisect(self._gaps, n, key=lambda gap: gap.added.start) - 1]
        is_added = n in added  # Else the edit keeps it, with another indentation.
        others = self._of_dropped.get((added.start, self._new.indents[n]), ()) if is_added else ()
        if len(dropped) == len(added) == len(others) == 1:
            is_between = added.start > 0 and added.stop < len(self._partner)
            if is_between or rewritten([trim(self._old.solid[dropped.start])], [trim(self._new.solid[n])]):
                return next(iter(others))
        if is_added and self._has_lost_block(added):
            return None
        above, below = (some[n] for some in self._nearest)
        return above if all(one == above for one in (below, *others)) else None

    @cached_property
    def _of_dropped(self) -> dict[tuple[int, str], set[Frame | None]]:
        """(first new line of a gap, indentation) -> the shifts of old lines with that indentation, dropped there."""
        found: dict[tuple[int, str], set[Frame | None]] = {}
        for dropped, added in self._gaps:
            for one in dropped:
                found.setdefault((added.start, self._old.indents[one]), set()).add(self._of_old(one))
        return found

    @cached_property
    def _nearest(self) -> tuple[list[Frame | None], list[Frame | None]]:
        """For each new line, the nearest shift at or above it, and the nearest one at or below it."""
        shifts = list(map(self._of_new, range(len(self._partner))))
        above, below = (accumulate(some, lambda last, one: one or last) for some in (shifts, reversed(shifts)))
        return list(above), list(below)[::-1]

    def _has_lost_block(self, added: range) -> bool:
        """True if added lines of a text without indentation begin a block, whose lines have lost theirs too."""
        if added.start not in self._lost_blocks:
            self._lost_blocks[added.start] = self._is_flat and any(begins_block(self._new.solid[m]) for m in added)
        return self._lost_blocks[added.start]

    @cached_property
    def _is_flat(self) -> bool:
        """True if all lines of the new text have one indentation."""
        return len(set(self._new.indents)) == 1

    def _of_new(self, n: int) -> Frame | None:
        """The shift of new line `n`, if the edit keeps the line with its indentation."""
        partner = self._partner[n]
        return None if partner is None or self._old.indents[partner] != self._new.indents[n] else self._of_old(partner)

    def _of_old(self, n: int) -> Frame | None:
        """The shift of old line `n`, if the file has one line for it."""
        texts = self._single(n)
        return None if texts is None else even([(indent(texts[0]), indent(texts[1]))])
