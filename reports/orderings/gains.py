"""The gain of a replacer after a set of others: the undecided samples that it decides correctly or wrongly.

For samples with one edit the order within the set does not matter, so a table over sets determines all orderings.
Samples with several edits are kept separately as a `State`, which each further replacer changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import perm
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.orderings.decisions import CORRECT, N_ENDS, NOTHING, WRONG, Decisions

MOST_REPLACERS = 20
"""The table has a row for each set of replacers."""

Counts = npt.NDArray[np.int64]


State = tuple[tuple[int, bool, int], ...]
"""Sorted (diagram, labelled apply, number of samples): the effect of the order so far on samples with several edits."""


class Gains:
    """Counts of labelled samples by the set of replacers before; a set is a bit mask.

    `correct[r, S]`, `wrong[r, S]`: samples that r decides correctly or wrongly and that no replacer of S decides;
    `missed[S]`, `refused[S]`: samples labelled apply or refuse that no replacer of S decides.
    """

    def __init__(self, table: Decisions, samples: npt.NDArray[np.bool_] | None = None) -> None:
        self.n_replacers = len(table.replacers)
        if self.n_replacers > MOST_REPLACERS:
            raise ValueError(f"{self.n_replacers} replacers are more than {MOST_REPLACERS}")
        self._n_sets = 1 << self.n_replacers
        self._diagrams = table.diagrams
        chosen = table.labelled if samples is None else table.labelled & samples
        self.n_labelled = int(chosen.sum())
        self.n_to_apply = int((chosen & table.to_apply).sum())
        single = chosen.copy()
        single[list(table.several)] = False
        self._bits = 1 << np.arange(self.n_replacers, dtype=np.int64)
        decided_by = (table.decision[single] != NOTHING) @ self._bits
        decision, to_apply = table.decision[single], table.to_apply[single]
        self.correct = self._by_set(decided_by, (decision[:, r] == CORRECT for r in range(self.n_replacers)))
        self.wrong = self._by_set(decided_by, (decision[:, r] == WRONG for r in range(self.n_replacers)))
        self.missed, self.refused = self._by_set(decided_by, (to_apply, ~to_apply))
        followed = [(table.several[s], bool(table.to_apply[s])) for s in table.several if chosen[s]]
        self._states: dict[State, int] = {}
        self._state: list[State] = []
        self._next: dict[tuple[int, int], int] = {}
        self.first_state = self._numbered(Counter(followed))

    def _by_set(self, decided_by: Counts, columns: Iterable[npt.NDArray[np.bool_]]) -> npt.NDArray[np.int32]:
        """(columns, sets) the number of a column's samples that each set leaves undecided."""
        found = []
        for column in columns:
            sums = np.bincount(decided_by[column], minlength=self._n_sets).astype(np.int32)
            found.append(undecided(sums, self.n_replacers))
        return np.stack(found)

    # Samples with several edits

    @property
    def has_several(self) -> bool:
        """True if there are samples with several edits."""
        return bool(self._state[self.first_state])

    def next_state(self, state: int, replacer: int) -> int:
        key = (state, replacer)
        if key not in self._next:
            after: Counter[tuple[int, bool]] = Counter()
            for node, to_apply, n in self._state[state]:
                after[self._diagrams.after(node, replacer), to_apply] += n
            self._next[key] = self._numbered(after)
        return self._next[key]

    def next_states(self, states: npt.NDArray[np.int32], replacer: int) -> npt.NDArray[np.int32]:
        """`next_state` of many states."""
        if not self.has_several:
            return states
        distinct, place = np.unique(states, return_inverse=True)
        return np.array([self.next_state(int(state), replacer) for state in distinct], dtype=np.int32)[place]

    def _numbered(self, counts: Counter[tuple[int, bool]]) -> int:
        state = tuple(sorted((node, to_apply, n) for (node, to_apply), n in counts.items()))
        if state not in self._states:
            self._states[state] = len(self._state)
            self._state.append(state)
        return self._states[state]

    def ends_of(self, states: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """(n, 5) counts of the samples with several edits in these states, if the order ends here.

        The columns are correct, wrong, missed, refused, and an upper bound of correct over all continuations.
        """
        distinct, place = np.unique(states, return_inverse=True)
        rows = np.array([self._ends(int(state)) for state in distinct], dtype=np.int32)
        return rows.reshape(-1, 5)[place]

    def _ends(self, state: int) -> tuple[int, ...]:
        correct = wrong = missed = refused = most_correct = 0
        for node, to_apply, n in self._state[state]:
            end = node if node < N_ENDS else NOTHING
            correct += n * (end == CORRECT)
            wrong += n * (end == WRONG)
            missed += n * (end == NOTHING and to_apply)
            refused += n * (end == NOTHING and not to_apply)
            most_correct += n * (CORRECT in self._diagrams.ends(node))
        return correct, wrong, missed, refused, most_correct


def undecided(sums: npt.NDArray[Any], n_replacers: int) -> npt.NDArray[Any]:
    """Sums by the set of replacers that decide -> sums over what each set leaves undecided. Changes `sums`."""
    for replacer in range(n_replacers):
        halves = sums.reshape(-1, 2, 1 << replacer)
        halves[:, 1] += halves[:, 0]
    # The samples that a set leaves undecided are those decided by subsets of its complement only.
    return sums[::-1]


# All orderings of up to nine replacers: every ordered choice of one or more

MOST_LISTED = 9
"""Nine replacers have 986,409 orderings; ten have ten times as many."""
_BITS = 4

Ints = npt.NDArray[np.int32]


def n_orderings(n_replacers: int) -> int:
    return sum(perm(n_replacers, n) for n in range(1, n_replacers + 1))


@dataclass(frozen=True, slots=True)
class Orderings:
    """All orderings, a row each, by increasing length."""

    n_replacers: int
    code: npt.NDArray[np.int64]
    """The columns, four bits each, the last one lowest, below a leading 1."""
    correct: Ints
    wrong: Ints
    missed: Ints
    refused: Ints
    expected_ns: npt.NDArray[np.float64]
    """Nanoseconds of one call, the mean over samples; estimated from single replacers' latencies."""

    def __len__(self) -> int:
        return len(self.code)

    def order(self, row: int) -> tuple[int, ...]:
        """The columns of an ordering, in the order in which they are tried."""
        code, found = int(self.code[row]), []
        while code > 1:
            found.append(code & ((1 << _BITS) - 1))
            code >>= _BITS
        return tuple(reversed(found))

    def row(self, order: Sequence[int]) -> int:
        code = 1
        for column in order:
            code = code << _BITS | column
        return int(np.flatnonzero(self.code == code)[0])

    def score(self, wrong_cost: float) -> npt.NDArray[np.float64]:
        return self.correct - wrong_cost * self.wrong

    @property
    def length(self) -> npt.NDArray[np.int8]:
        """(rows,) the number of replacers."""
        length: npt.NDArray[np.int8] = (np.frexp(self.code.astype(np.float64))[1] // _BITS).astype(np.int8)
        return length

    def ranked(self, rows: npt.NDArray[np.intp], wrong_cost: float) -> npt.NDArray[np.intp]:
        """The permutation that sorts these rows by decreasing score, then length, then order of the table."""
        return np.lexsort((self.code[rows], self.length[rows], -self.score(wrong_cost)[rows]))


def all_orderings(table: Decisions, gains: Gains | None = None) -> Orderings:
    """All orderings of the table's replacers, scored on the samples of `gains` (default: all).

    Raises ValueError for more than nine replacers.
    """
    gains = gains or Gains(table)
    n = gains.n_replacers
    if n > MOST_LISTED:
        raise ValueError(f"{n} replacers have {n_orderings(n):,} orderings")
    costs = _Costs(table)
    level: dict[str, npt.NDArray[Any]] = {
        "code": np.ones(1, dtype=np.int64),
        "set": np.zeros(1, dtype=np.int16),
        "correct": np.zeros(1, dtype=np.int32),
        "wrong": np.zeros(1, dtype=np.int32),
        "ns": np.zeros(1),
        "state": np.full(1, gains.first_state, dtype=np.int32),
    }
    levels = []
    for _ in range(n):
        level = _longer(level, gains, costs)
        levels.append(level)
    whole = {name: np.concatenate([level[name] for level in levels]) for name in level}
    sets = whole["set"]
    ends = gains.ends_of(whole["state"]) if gains.has_several else np.zeros((1, 4), dtype=np.int32)
    return Orderings(
        n,
        whole["code"],
        whole["correct"] + ends[:, 0],
        whole["wrong"] + ends[:, 1],
        gains.missed[sets] + ends[:, 2],
        gains.refused[sets] + ends[:, 3],
        (whole["ns"] + costs.at_the_end[sets]) / max(1, costs.n_samples),
    )


def _longer(level: dict[str, npt.NDArray[Any]], gains: Gains, costs: _Costs) -> dict[str, npt.NDArray[Any]]:
    pieces = []
    for replacer in range(gains.n_replacers):
        rows = np.flatnonzero(level["set"] & (1 << replacer) == 0)
        before = level["set"][rows]
        pieces.append(
            {
                "code": level["code"][rows] << _BITS | replacer,
                "set": before | np.int16(1 << replacer),
                "correct": level["correct"][rows] + gains.correct[replacer][before],
                "wrong": level["wrong"][rows] + gains.wrong[replacer][before],
                "ns": level["ns"][rows] + costs.of[replacer][before],
                "state": gains.next_states(level["state"][rows], replacer),
            }
        )
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in level}


class _Costs:
    """Nanoseconds for trying a replacer after a set of others, summed over the samples with one edit that they leave.

    A single replacer's refusal includes the time for its message, which a cascade writes only once, at the end. The
    least time that any replacer took to refuse a sample is used as the time for the message.
    """

    def __init__(self, table: Decisions) -> None:
        n = len(table.replacers)
        single = np.ones(len(table.samples), dtype=np.bool_)
        single[list(table.several)] = False
        decided = table.decision[single] != NOTHING
        taken = table.latency_ns[single].astype(np.float64)
        message = np.where(decided, np.inf, taken).min(axis=1, initial=np.inf)
        message[np.isinf(message)] = 0
        search = np.where(decided, taken, np.maximum(taken - message[:, np.newaxis], 0))
        decided_by = decided @ (1 << np.arange(n, dtype=np.int64))

        def by_set(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
            return undecided(np.bincount(decided_by, weights=weights, minlength=1 << n), n)

        self.n_samples = int(single.sum())
        self.of = np.stack([by_set(search[:, replacer]) for replacer in range(n)])
        self.at_the_end = by_set(message)
