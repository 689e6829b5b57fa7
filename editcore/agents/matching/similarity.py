"""Similarity of two texts by Levenshtein's distance, in bounded work."""

from __future__ import annotations

from rapidfuzz.distance.Levenshtein import distance

from editcore.agents.matching.work import Work

_REMEMBERED = 50_000
_BITS = 64
"""Cells of an edit distance that one step computes."""


def within(one: str, other: str, most: int, work: Work) -> int | None:
    """Levenshtein's distance of two texts in code points; None if it is more than `most`."""
    if one == other:
        return 0
    if most <= 0 or abs(len(one) - len(other)) > most:
        return None
    shorter, longer = sorted((len(one), len(other)))
    work.spend(50 + longer // 8 + longer * min(shorter, 2 * most + _BITS) // _BITS)
    found = distance(one, other, score_cutoff=most)
    return None if found > most else found


def similarity(one: str, other: str, work: Work, *, least: float = 0.0) -> float:
    """1 - distance / longer length, 1 for two empty texts; 0 if it is less than `least`."""
    longest = max(len(one), len(other))
    if not longest:
        return 1.0
    found = within(one, other, int((1 - least) * longest + 1e-9), work)
    return 0.0 if found is None else 1 - found / longest


class Similarities:
    """Similarities of pairs of lines, each computed once."""

    __slots__ = ("_known", "_least", "_work")

    def __init__(self, work: Work, *, least: float = 0.0) -> None:
        self._work = work
        self._least = least
        self._known: dict[tuple[str, str], float] = {}

    def of(self, one: str, other: str) -> float:
        """The similarity of two lines; 0 if it is less than the least that counts."""
        if one == other:
            return 1.0
        self._work.spend(10)
        known = self._known.get((one, other))
        if known is None:
            self._work.spend(100)
            known = similarity(one, other, self._work, least=self._least)
            if len(self._known) < _REMEMBERED:
                self._known[one, other] = known
        return known
