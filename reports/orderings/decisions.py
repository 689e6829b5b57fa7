"""Decisions of single replacers or single tiers, from which the outcome of any ordering follows.

The outcome of a cascade on a sample is the outcome of the first replacer in its order that decides, so one table of
samples by replacers determines every ordering. Samples with several edits are an exception: each edit is applied to the
result of the edits before it. For those the run records every step that any ordering can take, and a decision diagram
takes the place of the row. So it does for a sample which a tier refuses because the edit was made before, and another
tier applies: the refusal ends a cascade of tiers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from editcore.errors import UsageError
from editcore.types import Reason
from reports.measurements.measurement import FAILED
from reports.runs.parts import steps
from reports.runs.rows import Outcome, Step, Verdict
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import Clusters, Mask, read_grid

# Decision diagrams, for samples with several edits

N_ENDS = 4
"""Numbers below this are ends: decisions, 0 for NOTHING."""
UNDECIDED = -1
"""The child of a replacer that does not decide."""

Leads = tuple[int, int, int | None, int]
"""Text, column of the replacer, next text or None, and the end if there is no next text."""


class Diagrams:
    """Decision diagrams over `n_replacers` replacers; nodes and ends are numbers.

    A node is a text between two edits, with one child for each replacer: the node that it leads to, or none if it does
    not decide. At each node the first replacer of the order that decides leads on. Fixing the next replacer of the
    order turns a diagram into a smaller one (`after`). Equal diagrams are shared: samples that behave alike are
    followed once.
    """

    def __init__(self, n_replacers: int) -> None:
        self.n_replacers = n_replacers
        self._children: list[tuple[int, ...]] = [()] * N_ENDS
        self._number: dict[tuple[int, ...], int] = {}
        self._after = [{end: end for end in range(UNDECIDED, N_ENDS)} for _ in range(n_replacers)]
        self._ends = {UNDECIDED: frozenset[int]()} | {end: frozenset({end}) for end in range(N_ENDS)}

    def node(self, children: tuple[int, ...]) -> int:
        """The node with these children; the end 0 if all are UNDECIDED."""
        if all(child == UNDECIDED for child in children):
            return 0
        if children not in self._number:
            self._number[children] = len(self._children)
            self._children.append(children)
        return self._number[children]

    def root(self, leads: Iterable[Leads]) -> int:
        """The diagram of one sample. Steps lead to texts with higher numbers; text 0 is the first."""
        rows: dict[int, list[int]] = defaultdict(lambda: [UNDECIDED] * self.n_replacers)
        for text, replacer, next_text, end in sorted(leads, key=lambda lead: -lead[0]):
            if next_text is None:
                rows[text][replacer] = end
            else:
                # Texts with higher numbers are complete: one without steps is a dead end.
                rows[text][replacer] = self.node(tuple(rows[next_text])) if next_text in rows else 0
        return self.node(tuple(rows[0]))

    def column(self, replacer: int) -> tuple[int, ...]:
        return tuple(children[replacer] for children in self._children[N_ENDS:])

    def after(self, node: int, replacer: int) -> int:
        """The diagram with this replacer fixed as the next in the order."""
        known = self._after[replacer]
        for below in self._missing(known, node):
            children = self._children[below]
            chosen = children[replacer]
            known[below] = (
                self.node(tuple(known[child] for child in children)) if chosen == UNDECIDED else known[chosen]
            )
        return known[node]

    def outcome(self, node: int, order: Sequence[int]) -> int:
        for replacer in order:
            node = self.after(node, replacer)
        return node if node < N_ENDS else 0

    def ends(self, node: int) -> frozenset[int]:
        """All ends that continuations of the order may reach: a superset, since no order combines some of the steps."""
        for below in self._missing(self._ends, node):
            self._ends[below] = frozenset({0}).union(*(self._ends[child] for child in self._children[below]))
        return self._ends[node]

    def _missing(self, known: Container[int], node: int) -> list[int]:
        """The unknown nodes among the node and its descendants, children first; iterative, since diagrams may be very
        deep.
        """
        found: set[int] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one not in known and one not in found:
                found.add(one)
                waiting += self._children[one]
        # Children have lower numbers than their node.
        return sorted(found)

    @staticmethod
    def of_some(other: Diagrams, columns: Sequence[int]) -> tuple[Diagrams, list[int]]:
        """Diagrams restricted to some replacers, and for each node of `other` the corresponding node."""
        found = Diagrams(len(columns))
        node_of = list(range(N_ENDS))
        # Children have lower numbers than their node.
        for children in other._children[N_ENDS:]:
            kept = (children[column] for column in columns)
            node_of.append(found.node(tuple(child if child == UNDECIDED else node_of[child] for child in kept)))
        return found, node_of


FAMILY, TIERS, RUNGS = IN_ORDERS = "replacer/", "tier/", "rung/"
NOTHING, CORRECT, WRONG, UNLABELLED = range(4)
"""The decision of a replacer or an ordering on a sample: none (refused), or one of three results."""
_DECISION = {Verdict.CORRECT: CORRECT, Verdict.WRONG_EDIT: WRONG, Verdict.UNLABELLED: UNLABELLED}
_WITH_STEPS = 3
"""The first schema version of run folders that records steps of samples with several edits."""

Codes = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions of single replacers on samples, and what scoring their orderings needs."""

    replacers: tuple[str, ...]
    samples: tuple[str, ...]
    decision: Codes
    """(samples, replacers) the decision; NOTHING throughout for a sample in `several`."""
    latency_ns: npt.NDArray[np.int64]
    """(samples, replacers) nanoseconds; 0 where it was not measured."""
    to_apply: npt.NDArray[np.bool_]
    """(samples,) labelled apply."""
    labelled: npt.NDArray[np.bool_]
    """(samples,) the right answer is known."""
    clusters: Clusters
    several: dict[int, int] = field(default_factory=dict)
    """Row of a sample with several edits -> its root in `diagrams`."""
    diagrams: Diagrams = field(default_factory=lambda: Diagrams(0))
    n_failed: int = 0
    """Samples on which a replacer crashed or timed out; they are not in `samples`."""
    n_not_followed: int = 0
    """Samples whose edits lead to too many texts; they are not in `samples`."""

    @property
    def n_labelled(self) -> int:
        return int(self.labelled.sum())

    def places(self, order: Iterable[str]) -> list[int]:
        """The columns of these replacers, in this order. Raises UsageError for a replacer that was not run."""
        column = {name: place for place, name in enumerate(self.replacers)}
        wanted = list(order)
        for name in wanted:
            if name not in column:
                raise UsageError(
                    f"The run has no outcomes of the replacer {name!r}", f"It has: {', '.join(self.replacers)}."
                )
        return [column[name] for name in wanted]

    def under(self, order: Sequence[int]) -> Codes:
        """(samples,) the decisions of the cascade of these columns, in this order."""
        found = np.zeros(len(self.samples), dtype=np.int8)
        for place in reversed(order):
            column = self.decision[:, place]
            np.copyto(found, column, where=column != NOTHING)
        for sample, root in self.several.items():
            found[sample] = self.diagrams.outcome(root, order)
        return found

    def decider(self, order: Sequence[int]) -> npt.NDArray[np.int16]:
        """(samples,) the column that decides each sample with one edit; -1 if none does."""
        found = np.full(len(self.samples), -1, dtype=np.int16)
        for place in reversed(order):
            found[self.decision[:, place] != NOTHING] = place
        return found

    def only(self, columns: Sequence[int]) -> Decisions:
        diagrams, node_of = Diagrams.of_some(self.diagrams, columns)
        return Decisions(
            tuple(self.replacers[place] for place in columns),
            self.samples,
            self.decision[:, columns],
            self.latency_ns[:, columns],
            self.to_apply,
            self.labelled,
            self.clusters,
            {sample: node_of[root] for sample, root in self.several.items()},
            diagrams,
            self.n_failed,
            self.n_not_followed,
        )


def decisions(run: RunFolder, *, family: str = FAMILY) -> Decisions:
    """The decisions of a run's single replacers, or of the strategies of another family, each on its own.

    Raises UsageError for a run without outcomes of replacers, for an earlier schema version, and for shared sample ids.
    """
    grid = read_grid(run, (), "latency_ns")
    members = [name for name in grid.strategies if name.startswith(family)]
    if not members:
        raise UsageError(
            f"{run} has no outcomes of {_members(family)}", f"Run again with -s '{family}*', or name a corpus."
        )
    if run.manifest.schema_version < _WITH_STEPS or not len(run.table("samples", "sample_id")):
        raise UsageError(f"{run} does not say what its samples are", "An earlier version wrote it: run again.")
    grid = grid.of_strategies(members)
    names = [name.removeprefix(family) for name in members]
    # The verdict of an unlabelled sample is always `unlabelled`; only a refusal has a reason.
    ends = [NOTHING if kind.reason is not None else _decision(kind.verdict) for kind in grid.kinds]
    decision = np.array(ends, dtype=np.int8)[grid.kind].T
    # Only replacers and tiers are put in orders, which is what the steps of samples with several edits are for.
    recorded = [one for one in steps(run.folder) if one.replacer is None or one.replacer in names]
    several, diagrams, not_followed = _several(list(grid.ids), names, recorded if family in IN_ORDERS else ())
    if family == TIERS:
        # A refusal because the edit was made before ends the cascade.
        stops = grid.those(lambda kind: kind.reason == Reason.IDENTICAL).T
        several = _stopped(diagrams, decision, stops) | several
    failed = grid.where(*FAILED).any(axis=0)
    is_kept: Mask = np.logical_and.reduce([*grid.ran, ~failed])
    is_kept[list(not_followed)] = False
    decision[list(several)] = NOTHING
    kept = np.flatnonzero(is_kept)
    now_at = {int(before): now for now, before in enumerate(kept)}
    found = grid.of_samples(kept)
    return Decisions(
        tuple(names),
        tuple(found.ids),
        decision[kept],
        np.maximum(found.numbers["latency_ns"].T, 0).astype(np.int64),
        np.logical_or.reduce(found.to_apply),
        np.logical_or.reduce(found.labelled),
        found.clusters,
        {now_at[sample]: root for sample, root in several.items() if sample in now_at},
        diagrams,
        int(failed.sum()),
        len(not_followed),
    )


def _members(family: str) -> str:
    return "replacers by themselves" if family == FAMILY else family.replace("/", "s")


def decision_of(outcome: Outcome) -> int | None:
    """The decision of an outcome; None for a crash or a time-out."""
    if outcome.verdict in FAILED:
        return None
    return NOTHING if outcome.reason is not None else _decision(outcome.verdict)


def _decision(verdict: str | None) -> int:
    return _DECISION.get(Verdict(verdict), NOTHING) if verdict else NOTHING


def _stopped(diagrams: Diagrams, decision: Codes, stops: npt.NDArray[np.bool_]) -> dict[int, int]:
    """Sample that one tier would apply and at which another stops the cascade -> root of its diagram."""
    mixed = np.flatnonzero(stops.any(axis=1) & (decision != NOTHING).any(axis=1))
    return {
        int(one): diagrams.root(
            (0, tier, None, int(decision[one, tier]))
            for tier in range(decision.shape[1])
            if stops[one, tier] or decision[one, tier] != NOTHING
        )
        for one in mixed
    }


def _several(
    samples: Sequence[str], replacers: Sequence[str], all_steps: Iterable[Step]
) -> tuple[dict[int, int], Diagrams, set[int]]:
    """Sample with several edits -> root of its diagram, the diagrams, and the samples that were not followed."""
    place = {name: number for number, name in enumerate(samples)}
    column = {name: number for number, name in enumerate(replacers)}
    leads: dict[int, list[Leads]] = defaultdict(list)
    not_followed = set()
    for step in all_steps:
        sample = place.get(step.sample_id)
        if sample is None:
            continue
        if step.replacer is None:
            not_followed.add(sample)
        else:
            leads[sample].append((step.node, column[step.replacer], step.next_node, _decision(step.verdict)))
    diagrams = Diagrams(len(column))
    return {sample: diagrams.root(some) for sample, some in leads.items()}, diagrams, not_followed
