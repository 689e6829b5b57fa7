"""Samples with several edits as decision diagrams: what any order of replacers comes to, one replacer after another.

A node is a text on the way: for each replacer the node that it leads to, or none where it does not decide. The
first replacer in the order that decides leads on. Putting a replacer next in the order turns a diagram into a
smaller one (`after`); equal diagrams are one, so that samples that behave alike are followed once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

N_ENDS = 4
"""Numbers below this are ends: what was decided, 0 for nothing. See `reports.orderings.decisions`."""
UNDECIDED = -1
"""Where a replacer does not lead on."""

Leads = tuple[int, int, int | None, int]
"""Text, replacer's column, next text, and how it ends where there is none."""


class Diagrams:
    """Diagrams over so many replacers; nodes and ends are numbers."""

    def __init__(self, n_replacers: int) -> None:
        self.n_replacers = n_replacers
        self._children: list[tuple[int, ...]] = [()] * N_ENDS
        self._number: dict[tuple[int, ...], int] = {}
        self._after = [{end: end for end in range(UNDECIDED, N_ENDS)} for _ in range(n_replacers)]
        self._ends = {UNDECIDED: frozenset[int]()} | {end: frozenset({end}) for end in range(N_ENDS)}

    def node(self, children: tuple[int, ...]) -> int:
        """The node with these children; the end 0 where nobody leads on."""
        if all(child == UNDECIDED for child in children):
            return 0
        if children not in self._number:
            self._number[children] = len(self._children)
            self._children.append(children)
        return self._number[children]

    def root(self, leads: Iterable[Leads]) -> int:
        """The diagram of one sample; a step leads to a text of a higher number, and text 0 is the first."""
        rows: dict[int, list[int]] = defaultdict(lambda: [UNDECIDED] * self.n_replacers)
        for text, replacer, next_text, end in sorted(leads, key=lambda lead: -lead[0]):
            if next_text is None:
                rows[text][replacer] = end
            else:
                # Whatever lies below is complete: a text from which nothing leads on is a dead end.
                rows[text][replacer] = self.node(tuple(rows[next_text])) if next_text in rows else 0
        return self.node(tuple(rows[0]))

    def column(self, replacer: int) -> tuple[int, ...]:
        """Where a replacer leads from each node."""
        return tuple(children[replacer] for children in self._children[N_ENDS:])

    def after(self, node: int, replacer: int) -> int:
        """The diagram once this replacer has been put next in the order."""
        known = self._after[replacer]
        for below in self._missing(known, node):
            children = self._children[below]
            chosen = children[replacer]
            known[below] = (
                self.node(tuple(known[child] for child in children)) if chosen == UNDECIDED else known[chosen]
            )
        return known[node]

    def outcome(self, node: int, order: Sequence[int]) -> int:
        """How a sample ends under an order."""
        for replacer in order:
            node = self.after(node, replacer)
        return node if node < N_ENDS else 0

    def ends(self, node: int) -> frozenset[int]:
        """Every end that some continuation of the order leads to; perhaps others, of steps that no order joins."""
        for below in self._missing(self._ends, node):
            self._ends[below] = frozenset({0}).union(*(self._ends[child] for child in self._children[below]))
        return self._ends[node]

    def _missing(self, known: Container[int], node: int) -> list[int]:
        """Of a node and those below it the ones not known, children first. They may lie thousands deep."""
        found: set[int] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one not in known and one not in found:
                found.add(one)
                waiting += self._children[one]
        # A node's children were there before it.
        return sorted(found)

    @staticmethod
    def of_some(other: Diagrams, columns: Sequence[int]) -> tuple[Diagrams, list[int]]:
        """Another's diagrams with some of its replacers only, and for each node of the other the one it became."""
        found = Diagrams(len(columns))
        became = list(range(N_ENDS))
        # A node's children were there before it.
        for children in other._children[N_ENDS:]:
            kept = (children[column] for column in columns)
            became.append(found.node(tuple(child if child == UNDECIDED else became[child] for child in kept)))
        return found, became
