"""All orderings of up to nine replacers, scored exactly: every ordered choice of one or more of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import perm
from typing import Any

import numpy as np
import numpy.typing as npt

from reports.orderings.decisions import NOTHING, Decisions
from reports.orderings.gains import Gains, undecided

MOST_LISTED = 9
"""Nine replacers have 986,409 orderings; ten have ten times as many."""
_BITS = 4
"""Bits for each replacer in the code of an ordering."""

Ints = npt.NDArray[np.int32]


def n_orderings(n_replacers: int) -> int:
    """The number of non-empty ordered choices."""
    return sum(perm(n_replacers, n) for n in range(1, n_replacers + 1))


@dataclass(frozen=True, slots=True)
class Orderings:
    """All orderings, one row each, shorter ones first."""

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
        """The row of an ordering."""
        code = 1
        for column in order:
            code = code << _BITS | column
        return int(np.flatnonzero(self.code == code)[0])

    def score(self, wrong_cost: float) -> npt.NDArray[np.float64]:
        """(rows,) correct - wrong_cost x wrong."""
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
    """The orderings with one more replacer."""
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
