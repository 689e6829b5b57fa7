"""Tables of decisions made up for the tests, and what a cascade comes to, walked through literally."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from hypothesis import strategies as st

from reports.orderings.decisions import CORRECT, NOTHING, UNLABELLED, WRONG, Decisions, Diagrams, Leads
from reports.statistics.grid import Clusters

Order = tuple[int, ...]
_MAY_DECIDE = {"apply": (CORRECT, WRONG), "refuse": (WRONG,), "unlabelled": (UNLABELLED,)}


@dataclass(frozen=True, slots=True)
class Row:
    """A sample: what each replacer does to it by itself, or, of one with several edits, who leads where."""

    label: str = "apply"
    decision: tuple[int, ...] = ()
    leads: tuple[Leads, ...] = ()
    cluster: int = 0
    latency_ns: tuple[int, ...] = ()

    def under(self, order: Sequence[int]) -> int:
        """What a cascade does to it: the first replacer in the order that decides."""
        if self.leads:
            return walked(self.leads, order)
        return next((self.decision[column] for column in order if self.decision[column] != NOTHING), NOTHING)


def walked(leads: Iterable[Leads], order: Sequence[int]) -> int:
    """How a sample with several edits ends: at each text the first replacer in the order leads on."""
    there = {(text, replacer): (next_text, end) for text, replacer, next_text, end in leads}
    text: int | None = 0
    end = NOTHING
    while text is not None:
        step = next((there[text, replacer] for replacer in order if (text, replacer) in there), None)
        if step is None:
            return NOTHING
        text, end = step
    return end


def every_order(n_replacers: int) -> Iterator[Order]:
    """Every non-empty ordered choice, the shorter ones first."""
    for length in range(1, n_replacers + 1):
        yield from permutations(range(n_replacers), length)


@dataclass(frozen=True, slots=True)
class Counts:
    """What an order comes to, of labelled samples."""

    correct: int
    wrong: int
    missed: int
    refused: int


@dataclass(frozen=True, slots=True)
class Case:
    """Samples, and the table that the orderings are computed from."""

    rows: tuple[Row, ...]
    n_replacers: int
    table: Decisions = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _table(self.rows, self.n_replacers))

    def counts(self, order: Sequence[int], samples: Sequence[bool] | None = None) -> Counts:
        """The labelled samples, or some of them, one after the other."""
        some = samples or [True] * len(self.rows)
        found = [(row, row.under(order)) for row, chosen in zip(self.rows, some, strict=True) if chosen]
        return Counts(
            sum(end == CORRECT for _, end in found),
            sum(end == WRONG for _, end in found),
            sum(end == NOTHING and row.label == "apply" for row, end in found),
            sum(end == NOTHING and row.label == "refuse" for row, end in found),
        )


def _table(rows: Sequence[Row], n: int) -> Decisions:
    diagrams = Diagrams(n)
    nothing = (NOTHING,) * n
    return Decisions(
        tuple("abcdefghijklmnopqrstuvwxyz"[:n]),
        tuple(f"s{number}" for number in range(len(rows))),
        np.array([nothing if row.leads else row.decision for row in rows], dtype=np.int8).reshape(-1, n),
        np.array([row.latency_ns or nothing for row in rows], dtype=np.int64).reshape(-1, n),
        np.array([row.label == "apply" for row in rows], dtype=np.bool_),
        np.array([row.label != "unlabelled" for row in rows], dtype=np.bool_),
        Clusters(np.array([row.cluster for row in rows], dtype=np.int64), np.ones(len(rows))),
        {number: diagrams.root(row.leads) for number, row in enumerate(rows) if row.leads},
        diagrams,
    )


def case(*decisions: str, labels: str = "", clusters: Sequence[int] = ()) -> Case:
    """A case drawn as words, a sample each: `C` correct, `W` wrong, `-` nothing; labels by their first letters."""
    of_letter = {"-": NOTHING, "C": CORRECT, "W": WRONG, "U": UNLABELLED}
    label = {one[0]: one for one in _MAY_DECIDE}
    rows = [
        Row(
            label[labels[number] if labels else "a"],
            tuple(of_letter[letter] for letter in word),
            cluster=clusters[number] if clusters else number,
        )
        for number, word in enumerate(decisions)
    ]
    return Case(tuple(rows), len(decisions[0]))


@st.composite
def graphs(draw: st.DrawFn, n_replacers: int, ends: Sequence[int] = (CORRECT, WRONG)) -> list[Leads]:
    """Who leads where among a few texts, the first one's steps always among them."""
    n_texts = draw(st.integers(1, 4))
    found: list[Leads] = []
    for text in range(n_texts):
        for replacer in range(n_replacers):
            goal = draw(st.sampled_from([None, *ends, *(-later for later in range(text + 1, n_texts))]))
            if goal is not None:
                found.append((text, replacer, None, goal) if goal > 0 else (text, replacer, -goal, NOTHING))
    return found


@st.composite
def cases(
    draw: st.DrawFn, most_replacers: int, *, least_replacers: int = 1, several: bool = True, most_samples: int = 7
) -> Case:
    """Few samples of every kind under few replacers, some of them dead and some alike."""
    n = draw(st.integers(least_replacers, most_replacers))
    n_kinds = draw(st.integers(1, n))
    # Kind -1 never decides.
    kinds = draw(st.lists(st.integers(-1, n_kinds - 1), min_size=n, max_size=n))
    rows = draw(st.lists(_rows(kinds, n_kinds, several=several), min_size=1, max_size=most_samples))
    return Case(tuple(rows), n)


@st.composite
def _rows(draw: st.DrawFn, kinds: Sequence[int], n_kinds: int, *, several: bool) -> Row:
    label = draw(st.sampled_from(["apply", "apply", "apply", "refuse", "unlabelled"]))
    ends = _MAY_DECIDE[label]
    cluster = draw(st.integers(0, 3))
    if several and draw(st.booleans()):
        some = draw(graphs(n_kinds, ends))
        leads = tuple(
            (text, column, next_text, end)
            for text, kind, next_text, end in some
            for column, own in enumerate(kinds)
            if own == kind
        )
        if any(text == 0 for text, *_ in leads):
            return Row(label, leads=leads, cluster=cluster)
    of_kind = [*draw(st.lists(st.sampled_from([NOTHING, *ends]), min_size=n_kinds, max_size=n_kinds)), NOTHING]
    latency = draw(st.lists(st.integers(0, 9), min_size=len(kinds), max_size=len(kinds)))
    return Row(label, tuple(of_kind[kind] for kind in kinds), cluster=cluster, latency_ns=tuple(latency))
