"""How the file shifts the indentation of new lines where no one rule holds for all: by the lines around each.

    search text  |if a:      file  |if a:         new text  |if a:       merged  |if a:
                 |go()             |    go()                |stop()              |    stop()
                 |end()            |end()                   |end()               |end()

A line that is added where the kept lines above and below are shifted otherwise may be meant at either depth.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from editcore.text.three_way import rewritten
from editcore.text.view import Lines
from editcore.text.whitespace import indent, trim
from editcore.tiers.merging.frame import Frame, begins_block, even


class Gap(NamedTuple):
    """What an edit does between two lines that it keeps, or at an end."""

    dropped: range
    """Solid lines of the search text."""
    added: range
    """Solid lines of the new text."""


class Shifts:
    """The shifts around the lines of one edit, each found once: the work is in proportion to the lines."""

    def __init__(
        self,
        old: Lines,
        new: Lines,
        partner: Sequence[int | None],
        gaps: Sequence[Gap],
        single: Callable[[int], tuple[str, str] | None],
    ) -> None:
        """`partner` and `gaps` as in `merge`; `single` gives the texts of an old line in search text and file."""
        self._old, self._new, self._partner, self._gaps, self._single = old, new, partner, gaps, single
        self._lost_blocks: dict[int, bool] = {}
        """First new line of a gap -> what `_has_lost_block` says of it."""

    def around(self, n: int) -> Frame | None:
        """How the file shifts what is around new line `n`: the one line that it replaces, else all that says so.

        That are the nearest lines above and below which the edit keeps, and those that it drops between them.
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
        """First new line of a gap and indentation of old lines dropped there -> how the file shifts these."""
        found: dict[tuple[int, str], set[Frame | None]] = {}
        for dropped, added in self._gaps:
            for one in dropped:
                found.setdefault((added.start, self._old.indents[one]), set()).add(self._of_old(one))
        return found

    @cached_property
    def _nearest(self) -> tuple[list[Frame | None], list[Frame | None]]:
        """For each new line, the shift of the nearest one at or above it that says so, and at or below it."""
        shifts = list(map(self._of_new, range(len(self._partner))))
        above, below = (accumulate(some, lambda last, one: one or last) for some in (shifts, reversed(shifts)))
        return list(above), list(below)[::-1]

    def _has_lost_block(self, added: range) -> bool:
        """Whether a block begins in lines that are added, of a text without indentation: what is in it lost it too."""
        if added.start not in self._lost_blocks:
            self._lost_blocks[added.start] = self._is_flat and any(begins_block(self._new.solid[m]) for m in added)
        return self._lost_blocks[added.start]

    @cached_property
    def _is_flat(self) -> bool:
        """Whether all lines of the new text have one indentation."""
        return len(set(self._new.indents)) == 1

    def _of_new(self, n: int) -> Frame | None:
        """How the file shifts new line `n`, if the edit keeps it with its indentation."""
        partner = self._partner[n]
        return None if partner is None or self._old.indents[partner] != self._new.indents[n] else self._of_old(partner)

    def _of_old(self, n: int) -> Frame | None:
        """How the file shifts old line `n`, if one line of it stands for that."""
        texts = self._single(n)
        return None if texts is None else even([(indent(texts[0]), indent(texts[1]))])
