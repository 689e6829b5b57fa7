"""The timed subset: samples whose calls are repeated, so that a latency does not hang on a single call.

Each call of a run is made once, and timed. For a random subset of the samples, fixed by their ids, it is made three
times more: in three rounds after all samples of the task, each round through all samples of the subset, and for each
sample through all strategies, in an order that each round begins elsewhere. So the calls of a strategy on a sample are
spread over the task, and what disturbs the machine for a while disturbs all strategies alike. The shortest call counts,
because it is the least disturbed.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic_ns

import xxhash

from corpora.sample import Sample
from editcore.document import Document
from harness.run.latency import Stopwatch
from harness.run.position import Position, nothing
from harness.strategies.external import start_limit_s
from harness.strategies.strategy import Strategy
from reports.runs.rows import Outcome

N_ROUNDS = 3
MOST = 5_000
LEAST = 500
_SHARE = 16
_ENOUGH_NS = 10_000_000
"""A call is not repeated once its calls have taken this long together."""
_MOST_CHARACTERS = 64 << 20
"""Of the files of the samples that are kept for the rounds."""


def n_repeated(n_samples: int) -> int:
    """The number of samples, of a run with so many, whose calls are repeated: a sixteenth, within 500 and 5,000."""
    return max(LEAST, min(MOST, n_samples // _SHARE))


def share(n: int, n_samples: int, n_in_all: int) -> int:
    """Of `n` samples to be chosen from `n_in_all`, how many a task with `n_samples` of them chooses; rounded up."""
    return -(-n * n_samples // n_in_all)


@dataclass(slots=True, eq=False)
class _Kept:
    """A sample of the subset, and what to call on it."""

    number: int
    sample: Sample
    document: Document | None
    chosen: Sequence[tuple[int, Strategy]]
    """The strategies that take it, with their indices in the run."""
    outcomes: list[Outcome]
    """One for each of them, replaced by timed ones."""
    spent_ns: list[int]
    """Of all calls so far, for each of them."""


class TimedSubset:
    """Keeps the samples whose calls are repeated, of those that are offered: `n` for each set of strategies."""

    def __init__(self, n: int) -> None:
        self._n = n
        self._kept: dict[tuple[int, ...], list[tuple[int, int, _Kept]]] = {}
        self._n_characters = 0

    def offer(
        self,
        number: int,
        sample: Sample,
        document: Document | None,
        chosen: Sequence[tuple[int, Strategy]],
        outcomes: list[Outcome],
    ) -> None:
        """Keep a sample, whose calls were made once, if its id is among those with the lowest hashes so far."""
        if not self._n:
            return
        heap = self._kept.setdefault(tuple(index for index, _ in chosen), [])
        size = sum(len(file.content) for file in sample.before)
        spent_ns = [one.latency_ns or 0 for one in outcomes]
        entry = (-_rank(sample.id), number, _Kept(number, sample, document, chosen, outcomes, spent_ns))
        if len(heap) < self._n:
            if self._n_characters + size <= _MOST_CHARACTERS:
                heapq.heappush(heap, entry)
                self._n_characters += size
        elif entry[0] > heap[0][0] and self._n_characters + size <= _MOST_CHARACTERS:
            _, _, dropped = heapq.heapreplace(heap, entry)
            self._n_characters += size - sum(len(file.content) for file in dropped.sample.before)

    def repeat(self, position: Position, stopwatch: Stopwatch, *, timeout_s: float) -> int:
        """Make the calls again, and put the timed outcomes in place of those offered; the wall time in nanoseconds.

        A call that raises, or exceeds its time, is not made again, and its outcome stays.
        """
        kept = sorted((one for heap in self._kept.values() for *_, one in heap), key=lambda one: one.number)
        total_ns = 0
        for n_round in range(N_ROUNDS):
            for one in kept:
                position[0] = one.number
                n = len(one.chosen)
                for turn in range(n):
                    total_ns += _again(one, (turn + n_round) % n, position, stopwatch, timeout_s)
        for one in kept:
            if one.document is not None:
                one.document.forget()
        return total_ns


def _again(one: _Kept, place: int, position: Position, stopwatch: Stopwatch, timeout_s: float) -> int:
    """Call one strategy on a sample once more; the wall time in nanoseconds."""
    before = one.outcomes[place]
    if before.latency_ns is None or before.cpu_ns is None or one.spent_ns[place] >= _ENOUGH_NS:
        return 0
    index, strategy = one.chosen[place]
    if strategy.start:
        stopwatch.time(strategy.start, prepare=nothing, timeout_s=start_limit_s())
    position[1] = index
    position[2] = monotonic_ns()
    forget = one.document.forget if one.document is not None else nothing
    call = stopwatch.time(partial(strategy.apply, one.sample, one.document), prepare=forget, timeout_s=timeout_s)
    position[2] = 0
    if call.raised:
        one.spent_ns[place] = _ENOUGH_NS
        return call.total_ns
    one.spent_ns[place] += call.total_ns
    one.outcomes[place] = replace(
        before,
        latency_ns=min(before.latency_ns, call.latency_ns),
        cpu_ns=min(before.cpu_ns, call.cpu_ns),
        n_timed=(before.n_timed or 0) + 1,
    )
    return call.total_ns


def _rank(sample_id: str) -> int:
    return xxhash.xxh3_64_intdigest(sample_id.encode("utf-8", "surrogatepass"))
