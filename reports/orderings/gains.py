"""What a replacer adds after a set of others: how many of the samples that they leave it decides, and how.

For samples with one edit the order within the set does not matter, so a table over sets determines all orderings.
Samples with several edits are kept separately as a `State`, which each further replacer changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.orderings.decisions import CORRECT, NOTHING, WRONG, Decisions
from reports.orderings.diagrams import N_ENDS

MOST_REPLACERS = 20
"""The table has a row for each set of replacers."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ends:
    """Counts of the samples with several edits if the order ends here."""

    correct: int
    wrong: int
    missed: int
    refused: int
    most_correct: int
    """Upper bound of `correct` over all continuations of the order."""


State = tuple[tuple[int, bool, int], ...]
"""Sorted (diagram, labelled apply, number of samples): the effect of the order so far on samples with several edits."""


class Gains:
    """Counts of labelled samples by the set of replacers before; a set is a bit mask.

    `correct[r, S]`, `wrong[r, S]`: samples that r decides correctly or wrongly and that no replacer of S decides;
    `missed[S]`, `refused[S]`: samples labelled apply or refuse that no replacer of S decides.
    """

    def __init__(self, table: Decisions, samples: npt.NDArray[np.bool_] | None = None) -> None:
        """Count all samples of the table, or some."""
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
        """Whether there are samples with several edits."""
        return bool(self._state[self.first_state])

    def next_state(self, state: int, replacer: int) -> int:
        """The state after adding this replacer to the order."""
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

    def ends(self, state: int) -> Ends:
        """The counts of the samples with several edits in a state."""
        correct = wrong = missed = refused = most_correct = 0
        for node, to_apply, n in self._state[state]:
            end = node if node < N_ENDS else NOTHING
            correct += n * (end == CORRECT)
            wrong += n * (end == WRONG)
            missed += n * (end == NOTHING and to_apply)
            refused += n * (end == NOTHING and not to_apply)
            most_correct += n * (CORRECT in self._diagrams.ends(node))
        return Ends(correct, wrong, missed, refused, most_correct)

    def ends_of(self, states: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """(n, 5) `ends` of many states: the fields of `Ends`."""
        distinct, place = np.unique(states, return_inverse=True)
        fields = Ends.__slots__
        rows = np.array(
            [[getattr(self.ends(int(state)), name) for name in fields] for state in distinct], dtype=np.int32
        )
        return rows.reshape(-1, len(fields))[place]


def undecided(sums: npt.NDArray[Any], n_replacers: int) -> npt.NDArray[Any]:
    """Sums by the set of replacers that decide -> sums over what each set leaves undecided. Changes `sums`."""
    for replacer in range(n_replacers):
        halves = sums.reshape(-1, 2, 1 << replacer)
        halves[:, 1] += halves[:, 0]
    # The samples that a set leaves undecided are those decided by subsets of its complement only.
    return sums[::-1]
