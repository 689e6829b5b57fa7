"""Which calls are repeated, and when, so that a latency does not hang on a single call.

The problem. A first call is timed while the machine does other things, and its time is too long by an unknown share:

    replacer/simple on one sample        first call, say, 21 us, then 11, 10   (something else ran)
    p50 of all first calls               a little too long: most disturbances are short
    p99 of all first calls               much too long: the slowest calls are those that were disturbed

Repeating every call costs a multiple of the run. So some calls are repeated, and all others count by the factor between
first and repeated calls that samples with first calls as long have (`reports.measurements.latencies`).

The idea. Each call is made once, and timed. Two sets are made twice more, and the shortest call counts, because it is
the least disturbed:

    drawn    random samples, fixed by their ids: under all strategies; a sixteenth, within 1,000 and 5,000
    slow     single calls, chosen by their first times: the slowest 2.5 %, half of those about p90 (`decisive`)

The repeats come after all samples of the task, in two rounds through all kept samples. For each sample the strategies
take turns, and each time another one is first. So the calls of a strategy on a sample are spread over the task, and
what disturbs the machine for a while disturbs all strategies alike.

What must stay true. The drawn set depends on the ids alone, never on a time: runs are compared on it only, since what
tonight's times chose is not what another night's would (`Outcome.repeated` says which it was). Outcomes do not depend
on repeats: a repeated call changes times alone, and one that raises or is too slow leaves what was measured before.

What was tried and does not work. Five calls of everything in a row took four fifths of a run, and one disturbance hit
four of them. The drawn set alone has p99 within 5 % of that of full repeats for 52 % of strategies and subsets of
samples, as few of its calls are in the tail; with the slow calls it is 90 % (p90: 83 to 95), for a tenth more processor
time. Strategies that wait for processes or the disk, in turn with those that compute, made short calls look twice as
long: a processor that has just waited is slow. They have their own half of each round, behind the others.

To change it: `N_ROUNDS`, the sizes below and the shares in `decisive` may be varied freely. Another set needs a member
of `Repeated`, so that comparisons can leave it out, and a bit of the hash of its own, independent of those in use.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product, repeat

import xxhash

from corpora.sample import Sample
from editcore.text.document import Document
from harness.run.decisive import FirstCalls
from harness.run.latency import Stopwatch
from harness.run.position import Position, begin_call
from harness.strategies.strategy import Strategy
from reports.measurements.latencies import computes
from reports.runs.rows import Outcome, Repeated

N_ROUNDS = 2
MOST = 5_000
LEAST = 1_000
_SHARE = 16
_ENOUGH_NS = 10_000_000
"""A call is not repeated once its calls have taken this long together."""
_MOST_CHARACTERS = 64 << 20
"""Of the files of the samples that are kept for the rounds: of the subset, and of those with slow calls."""

_LOW_BITS = 2**32 - 1
"""Of the hash of an id, the bits that say whether a sample is looked at for slow calls."""
_HALF_BIT = 2**32
"""The bit that says in which half of the samples it is. Those that say whether it is drawn are higher."""


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
    """A sample, and what to call on it again."""

    number: int
    sample: Sample
    document: Document | None
    calls: Sequence[_Calls | None]
    """Those of each strategy that takes it; None where the call did not return, or is not to be repeated."""
    outcomes: list[Outcome]
    """One for each of them, replaced by timed ones in the end."""
    why: Repeated

    @property
    def size(self) -> int:
        """Characters of its files."""
        return sum(len(file.content) for file in self.sample.before)


class Repeats:
    """Keeps the samples whose calls are repeated, of those that are offered.

    Those are `n` random ones for each set of strategies and, in the share `looked_at` of all, those with calls that
    were slow among `first_calls`. Nothing is kept where n is 0.
    """

    def __init__(self, n: int, looked_at: float, first_calls: FirstCalls) -> None:
        self._n = n
        self._looked_at = int(looked_at * _LOW_BITS)
        self._first_calls = first_calls
        self._drawn: dict[tuple[int, ...], list[tuple[int, int, _Kept]]] = {}
        self._slow: list[_Kept] = []
        self._n_drawn_characters = self._n_slow_characters = 0

    def offer(
        self,
        number: int,
        sample: Sample,
        document: Document | None,
        chosen: Sequence[tuple[int, Strategy]],
        outcomes: list[Outcome],
    ) -> None:
        """Keep a sample, whose calls were made once, if they may be repeated."""
        if not self._n:
            return
        hashed = xxhash.xxh3_64_intdigest(sample.id.encode("utf-8", "surrogatepass"))
        heap = self._drawn.setdefault(tuple(index for index, _ in chosen), [])
        may_be_drawn = len(heap) < self._n or -hashed > heap[0][0]
        is_looked_at = hashed & _LOW_BITS < self._looked_at
        if not (may_be_drawn or is_looked_at):
            return
        calls = [_first_call(index, strategy, one) for (index, strategy), one in zip(chosen, outcomes, strict=True)]
        if is_looked_at:
            in_half = bool(hashed & _HALF_BIT)
            slow = [one if one and self._is_slow(one, in_half=in_half) else None for one in calls]
            if any(slow):
                self._keep_slow(_Kept(number, sample, document, slow, outcomes, Repeated.SLOW))
        if may_be_drawn:
            self._draw(heap, -hashed, _Kept(number, sample, document, calls, outcomes, Repeated.DRAWN))

    def _is_slow(self, calls: _Calls, *, in_half: bool) -> bool:
        name = calls.strategy.name
        return computes(name) and self._first_calls.is_repeated(name, calls.cpu_ns, in_half=in_half)

    def _keep_slow(self, one: _Kept) -> None:
        if self._n_slow_characters + one.size <= _MOST_CHARACTERS:
            self._n_slow_characters += one.size
            self._slow.append(one)

    def _draw(self, heap: list[tuple[int, int, _Kept]], rank: int, one: _Kept) -> None:
        """Keep a sample if its id is among those with the lowest hashes so far."""
        if self._n_drawn_characters + one.size > _MOST_CHARACTERS:
            return
        self._n_drawn_characters += one.size
        if len(heap) < self._n:
            heapq.heappush(heap, (rank, one.number, one))
        else:
            _, _, dropped = heapq.heapreplace(heap, (rank, one.number, one))
            self._n_drawn_characters -= dropped.size

    def repeat(self, position: Position, stopwatch: Stopwatch, *, timeout_s: float) -> int:
        """Make the calls again, and put the timed outcomes in place of those offered; the wall time in nanoseconds.

        A call that raises, or exceeds its time, is not made again, and what was measured before stays.
        """
        drawn = {one.number: one for heap in self._drawn.values() for *_, one in heap}
        slow = {one.number: one for one in self._slow}
        kept = [one for _, one in sorted((slow | drawn).items())]
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
            one.outcomes[:] = map(_timed, one.outcomes, one.calls, repeat(one.why))
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


def _timed(outcome: Outcome, calls: _Calls | None, why: Repeated) -> Outcome:
    if calls is None or calls.n == 1:
        return outcome
    return replace(outcome, latency_ns=calls.latency_ns, cpu_ns=calls.cpu_ns, n_timed=calls.n, repeated=why)


def _again(one: _Kept, calls: _Calls, position: Position, stopwatch: Stopwatch, timeout_s: float) -> int:
    """Call one strategy on a sample once more; the wall time in nanoseconds."""
    begin = partial(begin_call, position, calls.index)
    call = stopwatch.call(calls.strategy, one.sample, one.document, timeout_s=timeout_s, begin=begin)
    position[2] = 0
    if call.raised:
        calls.spent_ns = _ENOUGH_NS
    else:
        calls.n += 1
        calls.add(call.latency_ns, call.cpu_ns)
    return call.total_ns
