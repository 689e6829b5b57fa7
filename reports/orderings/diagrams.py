"""Samples with several edits as decision diagrams, which give the outcome of any order of replacers.

A node is a text between two edits, with one child for each replacer: the node that it leads to, or none if it does not
decide. At each node the first replacer in the order that decides leads on. Fixing the next replacer of the order turns
a diagram into a smaller one (`after`). Equal diagrams are shared, so that samples that behave alike are followed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

N_ENDS = 4
"""Numbers below this are ends: decisions as in `reports.orderings.decisions`, 0 for NOTHING."""
UNDECIDED = -1
"""The child of a replacer that does not decide."""

Leads = tuple[int, int, int | None, int]
"""Text, column of the replacer, next text or None, and the end if there is no next text."""


class Diagrams:
    """Shared diagrams over `n_replacers` replacers; nodes and ends are numbers."""

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
        """The child of a replacer at each node."""
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
        """The end of a sample under an order."""
        for replacer in order:
            node = self.after(node, replacer)
        return node if node < N_ENDS else 0

    def ends(self, node: int) -> frozenset[int]:
        """All ends that continuations of the order may reach; a superset, since no order combines some of the steps."""
        for below in self._missing(self._ends, node):
            self._ends[below] = frozenset({0}).union(*(self._ends[child] for child in self._children[below]))
        return self._ends[node]

    def _missing(self, known: Container[int], node: int) -> list[int]:
        """The node and its descendants that are not known, children first; iterative, as diagrams may be very deep."""
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
