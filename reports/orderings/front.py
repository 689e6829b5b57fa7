"""The exact Pareto front of orderings: the most correct samples for each number of wrong edits.

Twenty replacers have 10^18 orderings; the front takes seconds. In a cascade the first replacer that decides wins. So
the gain of a replacer depends on the set of replacers before it, not on their order: it can only decide the samples
that none of them decided. Replacer: sample -> decision (+ correct, - wrong, blank none):

          s1  s2  s3  s4
    a     +   +   +              a then b: a decides s1 s2 s3, b adds s4       4 correct, 0 wrong
    b         -   -   +          b then a: b decides s2 s3 s4, a adds s1       2 correct, 2 wrong
                                 c after either: it adds what it decides of s5 and on

Orderings grow by one replacer at a time (dynamic programming over sets), and only the ordering with the fewest wrong
edits is kept for each set: all orderings of a set decide the same samples, so it also has the most correct ones.
Samples with several edits are the exception, for one replacer's result is the next edit's text. Such a sample is in a
state, the rest of its decision diagram, and an ordering is kept for each set and state.

Two rules keep the number of sets small. A replacer that would add nothing counts as tried, so sets that leave the
same samples are one set (`_closed`). And for several costs of a wrong edit the best continuation of each set is
computed backwards (`_Bound`); an ordering that cannot come between two known points of the front is dropped
(`_promising`).

What every change must keep: an ordering is dropped only if no continuation of it reaches a point that no known point
beats, so bounds are upper bounds, whatever the states; `_best` compares orderings of the same set and state only;
points are recorded with their full counts. tests/reports/orderings/test_front.py compares with the list of all
orderings.

Number of orderings kept on 600 made samples: for 14 unlike replacers 311, without bounds 13,638; for nine replacers
and eight variants of one of them 475, without bounds 2,704, without closed sets 1,409.

What does not work: keeping the front of each set instead of one ordering, for that front has a single point. And
bounds at two costs only: they take half the time (2.5 s instead of 5.6 for twenty) and keep twice as many orderings,
too many if samples with several edits multiply them.

To add a rule that drops orderings, filter in `_longer` after `_promising`, and run that test with
HYPOTHESIS_PROFILE=thorough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reports.orderings.decisions import CORRECT, WRONG, Decisions
from reports.orderings.gains import Gains

_MOST_COSTS = 16
"""Number of costs for which the best continuation is computed; more costs drop more orderings and take longer."""

Ints = npt.NDArray[np.int64]
Chosen = npt.NDArray[np.bool_]


class Point(NamedTuple):
    """A point of the front, and an ordering that reaches it."""

    correct: int
    wrong: int
    order: tuple[int, ...]


def front(table: Decisions, *, samples: Chosen | None = None) -> list[Point]:
    """The points that no ordering beats in both counts, by increasing `wrong`, on all samples or some."""
    chosen = table.labelled if samples is None else table.labelled & samples
    columns = _different(table)
    found = _Search(table.only(columns), chosen).run() if columns else [Point(0, 0, ())]
    points = [Point(point.correct, point.wrong, tuple(columns[r] for r in point.order)) for point in found]
    if points[0].order:
        return points
    # The empty order is no ordering. The single replacer that is least often wrong and never right takes its place.
    lone = [_point(table, (column,), chosen) for column in range(len(table.replacers))]
    least = min((point for point in lone if not point.correct), key=lambda point: point.wrong, default=None)
    if least is None or (points[1:] and points[1].wrong <= least.wrong):
        return points[1:]
    return [least, *points[1:]]


def _point(table: Decisions, order: tuple[int, ...], samples: Chosen) -> Point:
    under = table.under(order)[samples]
    return Point(int((under == CORRECT).sum()), int((under == WRONG).sum()), order)


def _different(table: Decisions) -> list[int]:
    """One column for each behaviour; replacers that never decide, or that decide exactly like another, are left out."""
    kept: dict[tuple[object, ...], int] = {}
    for column in range(len(table.replacers)):
        behaviour = table.decision[:, column].tobytes(), table.diagrams.column(column)
        if any(behaviour[0]) or any(child >= 0 for child in behaviour[1]):
            kept.setdefault(behaviour, column)
    return list(kept.values())


@dataclass(slots=True)
class _Labels:
    """Candidate orderings of one length, one row each."""

    sets: Ints
    correct: Ints
    wrong: Ints
    state: npt.NDArray[np.int32]
    parent: Ints
    """Row of the ordering without its last replacer, one level up."""
    replacer: npt.NDArray[np.int8]

    def rows(self, chosen: npt.NDArray[np.intp] | npt.NDArray[np.bool_]) -> _Labels:
        return _Labels(
            self.sets[chosen], self.correct[chosen], self.wrong[chosen],
            self.state[chosen], self.parent[chosen], self.replacer[chosen],
        )  # fmt: skip


class _Search:
    def __init__(self, table: Decisions, samples: Chosen) -> None:
        self.table, self.samples = table, samples
        self.gains = Gains(table, samples)
        self.n = self.gains.n_replacers
        self.known: dict[int, Point] = {0: Point(0, 0, ())}
        """Number of wrong edits -> the best known point."""
        self.levels: list[_Labels] = []
        self.bounds: list[_Bound] = []

    def run(self) -> list[Point]:
        self._look_ahead()
        one = np.zeros(1, dtype=np.int64)
        start = np.full(1, self.gains.first_state, dtype=np.int32)
        self.levels.append(_Labels(one, one.copy(), one.copy(), start, one.copy(), np.full(1, -1, dtype=np.int8)))
        while len(self.levels[-1].sets):
            longer = self._longer(self.levels[-1])
            self.levels.append(longer)
            self._learn(longer)
        return self._front()

    # What is known

    def _front(self) -> list[Point]:
        found: list[Point] = []
        for wrong in sorted(self.known):
            if not found or self.known[wrong].correct > found[-1].correct:
                found.append(self.known[wrong])
        return found

    def _is_beaten(self, correct: int, wrong: int) -> bool:
        """True if a known point is at least as good in both counts."""
        return any(point.correct >= correct and point.wrong <= wrong for point in self.known.values())

    def _add(self, point: Point) -> None:
        """Add a point, and remove the points that it beats."""
        if not self._is_beaten(point.correct, point.wrong):
            kept = {w: p for w, p in self.known.items() if p.correct > point.correct or w < point.wrong}
            self.known = {**kept, point.wrong: point}

    def _look_ahead(self) -> None:
        """Find the corners of the front's hull, from both ends inwards, and the bounds that come with them."""
        extremes = [self._best_at(Fraction(0)), self._best_at(Fraction(self.gains.n_labelled + 1))]
        waiting = [(extremes[1], extremes[0])]
        while waiting and len(self.bounds) < _MOST_COSTS:
            # The widest gap first: it may contain the most unknown points.
            waiting.sort(key=lambda ends: (ends[1].wrong - ends[0].wrong) * (ends[1].correct - ends[0].correct))
            low, high = waiting.pop()
            if high.wrong - low.wrong < 2 or high.correct - low.correct < 2:
                continue
            middle = self._best_at(Fraction(high.correct - low.correct, high.wrong - low.wrong))
            if low.wrong < middle.wrong < high.wrong:
                waiting += [(low, middle), (middle, high)]

    def _best_at(self, cost: Fraction) -> Point:
        """An ordering that is best at a cost, samples with several edits aside; recorded with its full counts."""
        bound = _Bound(self.gains, cost)
        self.bounds.append(bound)
        point = _point(self.table, bound.order(), self.samples)
        self._add(point)
        return point

    # What is tried

    def _longer(self, level: _Labels) -> _Labels:
        gains, pieces = self.gains, []
        for replacer in range(self.n):
            rows = np.flatnonzero(level.sets & (1 << replacer) == 0)
            before = level.sets[rows]
            correct, wrong = gains.correct[replacer][before], gains.wrong[replacer][before]
            state = gains.next_states(level.state[rows], replacer)
            adds = (correct > 0) | (wrong > 0) | (state != level.state[rows])
            rows = rows[adds]
            pieces.append(
                _Labels(
                    before[adds] | 1 << replacer,
                    level.correct[rows] + correct[adds],
                    level.wrong[rows] + wrong[adds],
                    state[adds],
                    rows,
                    np.full(len(rows), replacer, dtype=np.int8),
                )
            )
        found = _joined(pieces)
        found = self._promising(found)
        found.sets = self._closed(found)
        return _best(found)

    def _closed(self, labels: _Labels) -> Ints:
        """The sets, with every replacer that would add nothing."""
        sets = labels.sets.copy()
        for replacer in range(self.n):
            idle = (self.gains.correct[replacer][labels.sets] == 0) & (self.gains.wrong[replacer][labels.sets] == 0)
            idle &= self.gains.next_states(labels.state, replacer) == labels.state
            sets[idle] |= 1 << replacer
        return sets

    def _promising(self, labels: _Labels) -> _Labels:
        """The orderings that may still reach a point beyond the known front."""
        ends = self.gains.ends_of(labels.state)
        most_correct, least_wrong = labels.correct + ends[:, 4], labels.wrong + ends[:, 1]
        reach = [most_correct - float(b.cost) * least_wrong + b.best[labels.sets] for b in self.bounds]
        known = self._front()
        # A new point between two neighbours of the front is more correct than the left one and less often wrong than
        # the right one; the corner of that box is the easiest such point to reach.
        corners = [(left.correct + 1, right.wrong - 1) for left, right in pairwise(known)]
        corners.append((known[-1].correct + 1, self.gains.n_labelled))
        hope = np.zeros(len(labels.sets), dtype=np.bool_)
        for correct, wrong in corners:
            possible = least_wrong <= wrong
            for bound, most in zip(self.bounds, reach, strict=True):
                possible &= most >= correct - float(bound.cost) * wrong - 1e-6
            hope |= possible
        return labels.rows(hope)

    def _learn(self, labels: _Labels) -> None:
        """Record the points of the orderings themselves, without a continuation."""
        ends = self.gains.ends_of(labels.state)
        correct, wrong = labels.correct + ends[:, 0], labels.wrong + ends[:, 1]
        best: dict[int, int] = {}
        for row in np.lexsort((-correct, wrong)):
            best.setdefault(int(wrong[row]), int(row))
        for n_wrong, row in best.items():
            n_correct = int(correct[row])
            if not self._is_beaten(n_correct, n_wrong):
                self._add(Point(n_correct, n_wrong, self._order(len(self.levels) - 1, row)))

    def _order(self, length: int, row: int) -> tuple[int, ...]:
        found = []
        for level in reversed(self.levels[1 : length + 1]):
            found.append(int(level.replacer[row]))
            row = int(level.parent[row])
        return tuple(reversed(found))


class _Bound:
    """For one cost of a wrong edit: the best score that can follow each set, over samples with one edit."""

    def __init__(self, gains: Gains, cost: Fraction) -> None:
        self.cost, self._n = cost, gains.n_replacers
        self._gains = gains
        size = 1 << self._n
        self.best = np.zeros(size)
        # By decreasing size, so that every set comes after its supersets.
        members = np.arange(size)
        n_members = np.bitwise_count(members.astype(np.uint32))
        by_size = np.split(np.argsort(n_members, kind="stable"), np.cumsum(np.bincount(n_members))[:-1])
        for sets in reversed(by_size[:-1]):
            best = self.best[sets]
            for replacer in range(self._n):
                after = self.best[sets | 1 << replacer] + self._gain(replacer, sets)
                # Only replacers outside the set.
                np.maximum(best, after, out=best, where=sets & 1 << replacer == 0)
            self.best[sets] = best

    def _gain(self, replacer: int, sets: Ints) -> npt.NDArray[np.float64]:
        gain: npt.NDArray[np.float64] = (
            self._gains.correct[replacer][sets] - float(self.cost) * self._gains.wrong[replacer][sets]
        )
        return gain

    def order(self) -> tuple[int, ...]:
        """An ordering with the best score."""
        found: list[int] = []
        tried = 0
        while self.best[tried] > 1e-9:
            one = np.array([tried])
            replacer = max(
                (r for r in range(self._n) if not tried & 1 << r),
                key=lambda r: float(self._gain(r, one)[0]) + float(self.best[tried | 1 << r]),
            )
            found.append(replacer)
            tried |= 1 << replacer
        return tuple(found)


def _joined(pieces: Sequence[_Labels]) -> _Labels:
    return _Labels(*(np.concatenate([getattr(piece, name) for piece in pieces]) for name in _Labels.__slots__))


def _best(labels: _Labels) -> _Labels:
    """The best ordering of each set and state; all decide the same samples, so fewest wrong means most correct."""
    labels = labels.rows(np.lexsort((labels.wrong, labels.state, labels.sets)))
    first = np.ones(len(labels.sets), dtype=np.bool_)
    first[1:] = (labels.sets[1:] != labels.sets[:-1]) | (labels.state[1:] != labels.state[:-1])
    return labels.rows(first)
