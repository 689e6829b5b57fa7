"""Candidates: the places at which the lines of a hunk match, and the hints that leave fewer of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from editcore.patches.placing.alignment import EQUALITY, aligned
from editcore.patches.placing.anchors import Anchors
from editcore.patches.placing.policy import ByContent, Hint, Mending
from editcore.patches.placing.refusals import MAX_PLACES, Refusals
from editcore.patches.placing.slips import SLIPS_EQUALITY, with_added_blanks, without_slips
from editcore.patches.placing.spread import spread
from editcore.text.line_index import LineIndex
from editcore.types import MAX_CANDIDATES, FilePatch, Hunk

# The order of all hunks of a section leaves some places of each:
#
#     hunks        places     forwards   backwards   left
#     first        1, 9           1          1       1         certain
#     second       4              4          4       4
#     third        2, 6, 8        6          8       6, 8
#
# Each hunk goes to its first place below the previous hunk, and from the end to its last place above the next hunk.
# Where both agree, no other place is possible. Models write hunks in the file's order: 2,088 of 2,088 recorded patches.


def in_order(places: Sequence[Sequence[int]], lengths: Sequence[int]) -> list[Sequence[int]] | None:
    """The places of each hunk that remain if no hunk overlaps the previous one or is above it; None if no order fits.

    `places`: the ascending 0-based lines at which each hunk matches. `lengths`: the number of lines of the file that
    it takes there, 0 for a hunk that only adds lines.
    """
    firsts: list[int] = []
    floor = 0
    for mine, length in zip(places, lengths, strict=True):
        first = bisect_left(mine, floor)
        if first == len(mine):
            return None
        firsts.append(first)
        floor = mine[first] + length
    left: list[Sequence[int]] = []
    ceiling = None
    for mine, length, first in zip(reversed(places), reversed(lengths), reversed(firsts), strict=True):
        end = len(mine) if ceiling is None else bisect_right(mine, ceiling - length)
        left.append(mine[first:end])
        ceiling = mine[end - 1]
    return left[::-1]


NO_ANCHOR = "the text of its @@ line stands nowhere in the file"
BY_ORDER = "placed by the order of the hunks"


class Candidates:
    """The places that remain for one hunk. Hints narrow them until one is left."""

    def __init__(
        self, hunk: Hunk, old: list[str], equality: str, places: Sequence[int], notes: tuple[str, ...]
    ) -> None:
        self.hunk = hunk
        self.old = old
        self.equality = equality
        self.places = places
        """0-based lines, ascending. There is at least one."""
        self.notes = notes
        self.is_only = len(places) == 1
        """True if the lines of the hunk alone leave one place."""

    def narrow(self, places: Sequence[int], note: str) -> None:
        """Keep only these places; keep all if there are none. The note is added if a single place is left."""
        if not places or len(self.places) == 1:
            return
        self.places = places
        if len(places) == 1:
            self.notes = (*self.notes, note)


class CandidateSearch:
    def __init__(self, seeker: LineIndex, anchors: Anchors, section: FilePatch, placing: ByContent) -> None:
        self.seeker, self.anchors = seeker, anchors
        self.section, self.placing = section, placing

    def refusals(self, hunk: Hunk) -> Refusals:
        return Refusals(self.seeker, self.section, hunk, self.placing.equalities[-1])

    def of(self, hunk: Hunk) -> Candidates:
        """The places of a hunk by the strictest equality that has any. Raises PatchError if there are none."""
        found = self._of(hunk)
        if not self.anchors.stand(hunk.anchors):
            found.notes = (*found.notes, NO_ANCHOR)
        return found

    def _of(self, hunk: Hunk) -> Candidates:
        seeker, n_lines = self.seeker, len(self.seeker.lines)
        if not hunk.old:
            return Candidates(hunk, [], "anchor", self._insertion_lines(hunk), ())
        for equality, variant, notes in self._variants(hunk):
            old = variant.old
            places = seeker.first_places(old, equality, MAX_PLACES + 1)
            if not places:
                continue
            if equality == "exact" and seeker.mixes_line_endings:
                # A reader of the file does not see which of two places has carriage returns.
                places = seeker.first_places(old, "line_endings", MAX_PLACES + 1)
            self._check_blank_lines(variant, places)
            found = Candidates(variant, old, equality, places, notes)
            if variant.end_of_file and places[-1] == n_lines - len(old):
                found.narrow(places[-1:], "placed at the end of the file")
            if len(found.places) > MAX_PLACES and Hint.FIRST not in self.placing.hints:
                raise self.refusals(hunk).ambiguous(found.places)
            return found
        repaired = aligned(seeker, hunk) if Mending.ALIGNMENT in self.placing.mending else None
        if repaired is None and Mending.PARTS in self.placing.mending:
            repaired = spread(seeker, hunk)
        if repaired:
            return Candidates(repaired.hunk, repaired.hunk.old, EQUALITY, [repaired.line], repaired.notes)
        raise self.refusals(hunk).not_found()

    def check_matches(self, hunk: Hunk) -> None:
        if not any(self.seeker.first_places(one.old, equality, 1) for equality, one, _ in self._variants(hunk)):
            raise self.refusals(hunk).not_found()

    def by_anchors(self, found: Candidates) -> Sequence[int]:
        """The places of a hunk within the block of its anchors."""
        return self.anchors.places_within(found.hunk.anchors, found.places, len(found.old))

    def _variants(self, hunk: Hunk) -> Iterator[tuple[str, Hunk, tuple[str, ...]]]:
        """Each equality with the hunk. Before indentation is ignored, also the hunk without slips in its marks."""
        for equality in self.placing.equalities:
            yield equality, hunk, ()
            if equality != SLIPS_EQUALITY:
                continue
            for others, note in without_slips(hunk, self.seeker):
                standing = self._standing(others)
                if len(standing) > 1:
                    raise self.refusals(hunk).read_twice(sorted({at for _, places in standing for at in places}))
                for other, _ in standing:
                    yield equality, other, (note,)

    def _standing(self, hunks: Sequence[Hunk]) -> list[tuple[Hunk, Sequence[int]]]:
        """The hunks that match somewhere, with a few of their places. Of equal changes, only the first."""
        found: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[Hunk, Sequence[int]]] = {}
        for one in hunks:
            old = one.old
            places = self.seeker.first_places(old, SLIPS_EQUALITY, MAX_CANDIDATES) if old else ()
            if places:
                found.setdefault((tuple(old), tuple(one.new)), (one, places))
        return list(found.values())

    def _check_blank_lines(self, hunk: Hunk, places: Sequence[int]) -> None:
        """Raise PatchError if blank lines without a mark are context at one place, and would be added at another."""
        others = (
            [at for _, found in self._standing(with_added_blanks(hunk, self.seeker)) for at in found]
            if hunk.unmarked
            else ()
        )
        if others:
            raise self.refusals(hunk).read_twice(sorted({*places[:MAX_CANDIDATES], *others}))

    def _insertion_lines(self, hunk: Hunk) -> Sequence[int]:
        """The lines above which a hunk that only adds lines may go."""
        n_lines = len(self.seeker.lines)
        if not n_lines or hunk.end_of_file:
            return [n_lines]
        below = [line + 1 for line in self.anchors.lines(hunk.anchors)]
        if not below:
            raise self.refusals(hunk).without_place()
        return below


def nearest(places: Sequence[int], stated: int) -> int | None:
    """The place at the stated 0-based line if no other place is close to it; else None: a place near it is a guess."""
    n = bisect_left(places, stated)
    first, second = sorted(places[max(n - 2, 0) : n + 2], key=lambda place: abs(place - stated))[:2]
    near, far = abs(first - stated), abs(second - stated)
    return first if near == 0 and far >= 3 else None
