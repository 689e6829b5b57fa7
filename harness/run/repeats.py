"""The timed subset: samples whose calls are repeated, so that a latency does not hang on a single call.

Each call of a run is made once, and timed. For a random subset of the samples, fixed by their ids, it is made twice
more: in two rounds after all samples of the task, each round through all samples of the subset, and for each
sample through all strategies, in an order that begins elsewhere each time. So the calls of a strategy on a sample are
spread over the task, and what disturbs the machine for a while disturbs all strategies alike. The shortest call counts,
because it is the least disturbed.

Strategies that wait for processes or the disk have their turn after all samples were called under those that compute: a
processor that has just waited takes twice as long for a short call.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from time import monotonic_ns

import xxhash

from corpora.sample import Sample
from editcore.document import Document
from harness.run.latency import Stopwatch
from harness.run.position import Position, nothing
from harness.strategies.external import start_limit_s
from harness.strategies.strategy import Strategy
from reports.runs.rows import Outcome
from reports.statistics.latencies import computes

N_ROUNDS = 2
MOST = 5_000
LEAST = 1_000
_SHARE = 16
_ENOUGH_NS = 10_000_000
"""A call is not repeated once its calls have taken this long together."""
_MOST_CHARACTERS = 64 << 20
"""Of the files of the samples that are kept for the rounds."""


def n_repeated(n_samples: int) -> int:
    """The number of samples, of a run with so many, whose calls are repeated: a sixteenth, within 1,000 and 5,000."""
    return max(LEAST, min(MOST, n_samples // _SHARE))


def share(n: int, n_samples: int, n_in_all: int) -> int:
    """Of `n` samples to be chosen from `n_in_all`, how many a task with `n_samples` of them chooses; rounded up."""
    return -(-n * n_samples // n_in_all)


@dataclass(slots=True, eq=False)
class _Calls:
    """The calls of one strategy on a sample so far."""

    index: int
    """Of the strategy, in the run."""
    strategy: Strategy
    latency_ns: int
    """Of the shortest."""
    cpu_ns: int
    """Of the shortest."""
    n: int = 1
    spent_ns: int = 0
    """By all of them."""

    def add(self, latency_ns: int, cpu_ns: int) -> None:
        """Count the time that a call took.

        What a strategy takes that only computes is its CPU time: the machine may do something else for long in
        between. But one that waits after all is not waited for without end.
        """
        self.latency_ns, self.cpu_ns = min(self.latency_ns, latency_ns), min(self.cpu_ns, cpu_ns)
        self.spent_ns += max(cpu_ns, latency_ns // 10) if computes(self.strategy.name) else latency_ns


@dataclass(slots=True, eq=False)
class _Kept:
    """A sample of the subset, and what to call on it."""

    number: int
    sample: Sample
    document: Document | None
    calls: Sequence[_Calls | None]
    """Those of each strategy that takes it; None where the call did not return."""
    outcomes: list[Outcome]
    """One for each of them, replaced by timed ones in the end."""


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
        rank = -_rank(sample.id)
        is_full = len(heap) >= self._n
        size = sum(len(file.content) for file in sample.before)
        if (is_full and rank <= heap[0][0]) or self._n_characters + size > _MOST_CHARACTERS:
            return
        calls = [_first_call(index, strategy, one) for (index, strategy), one in zip(chosen, outcomes, strict=True)]
        entry = (rank, number, _Kept(number, sample, document, calls, outcomes))
        self._n_characters += size
        if is_full:
            _, _, dropped = heapq.heapreplace(heap, entry)
            self._n_characters -= sum(len(file.content) for file in dropped.sample.before)
        else:
            heapq.heappush(heap, entry)

    def repeat(self, position: Position, stopwatch: Stopwatch, *, timeout_s: float) -> int:
        """Make the calls again, and put the timed outcomes in place of those offered; the wall time in nanoseconds.

        A call that raises, or exceeds its time, is not made again, and what was measured before stays.
        """
        kept = sorted((one for heap in self._kept.values() for *_, one in heap), key=lambda one: one.number)
        total_ns = 0
        for n_round, is_computing in product(range(N_ROUNDS), (True, False)):
            for at, one in enumerate(kept):
                position[0] = one.number
                mine = [calls for calls in one.calls if calls and computes(calls.strategy.name) == is_computing]
                for turn in range(len(mine)):
                    calls = mine[(turn + at + n_round) % len(mine)]
                    if calls.spent_ns < _ENOUGH_NS:
                        total_ns += _again(one, calls, position, stopwatch, timeout_s)
        for one in kept:
            one.outcomes[:] = map(_timed, one.outcomes, one.calls)
            if one.document is not None:
                one.document.forget()
        return total_ns


def _first_call(index: int, strategy: Strategy, outcome: Outcome) -> _Calls | None:
    latency_ns, cpu_ns = outcome.latency_ns, outcome.cpu_ns
    if latency_ns is None or cpu_ns is None:
        return None
    calls = _Calls(index, strategy, latency_ns, cpu_ns)
    calls.add(latency_ns, cpu_ns)
    return calls


def _timed(outcome: Outcome, calls: _Calls | None) -> Outcome:
    if calls is None or calls.n == 1:
        return outcome
    return replace(outcome, latency_ns=calls.latency_ns, cpu_ns=calls.cpu_ns, n_timed=calls.n)


def _again(one: _Kept, calls: _Calls, position: Position, stopwatch: Stopwatch, timeout_s: float) -> int:
    """Call one strategy on a sample once more; the wall time in nanoseconds."""
    strategy = calls.strategy
    if strategy.start:
        stopwatch.time(strategy.start, prepare=nothing, timeout_s=start_limit_s())
    position[1] = calls.index
    position[2] = monotonic_ns()
    forget = one.document.forget if one.document is not None else nothing
    call = stopwatch.time(
        partial(strategy.apply, one.sample, one.document),
        prepare=forget,
        timeout_s=timeout_s,
        elsewhere=strategy.cpu_ns,
    )
    position[2] = 0
    if call.raised:
        calls.spent_ns = _ENOUGH_NS
    else:
        calls.n += 1
        calls.add(call.latency_ns, call.cpu_ns)
    return call.total_ns


def _rank(sample_id: str) -> int:
    return xxhash.xxh3_64_intdigest(sample_id.encode("utf-8", "surrogatepass"))
