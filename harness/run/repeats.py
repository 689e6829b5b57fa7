"""Repeated calls: which calls are made again, and when. Repeats make latencies reliable and show unstable answers.

The problem. The machine does other things while a first call is timed, so its time is too long by an unknown share:

    replacer/simple on one sample        first call 21 us, then 11, 10         (something else ran)
    p50 of all first calls               a little too long: most disturbances are short
    p99 of all first calls               much too long: the slowest calls are the disturbed ones

To repeat every call costs a multiple of the run. So some calls are repeated. The times of all others are multiplied
by the factor between first and repeated calls of samples with similar times (`reports.measurements.measurement`). But a
strategy that remembers its answers is fast on the same text, and a second answer may differ from the first.

The idea. Each call is made once, and timed. Two sets of calls are made twice more, in two different rounds:

    the same text     the answer is compared with the first, byte for byte; if it differs, the outcome is `unstable`
    a renamed text    of the same size, which no strategy has seen (`renamed`)

The shortest of the three calls counts, because it is the least disturbed. A call for the same text does not count if
it took less than two thirds of both others: then the answer was remembered, at least in part.

    drawn    random samples, fixed by their ids, under all strategies: a sixteenth, from 1,000 to 5,000
    slow     single calls, chosen by their first times: the slowest 2.5 %, half of those near p90 (`FirstCalls`)

So a strategy gains little by remembering. A call for a renamed text counts only if its answer is the renamed first
answer. A strategy that answers it from memory does not give that answer, and its first call is what counts.

The repeats come after all samples of the job, in two rounds through all kept samples. For each sample the strategies
take turns, and each time another one is first. The calls of a strategy on a sample are thus spread over the job, and
a longer disturbance of the machine affects all strategies alike.

What must stay true. The drawn set depends on the ids alone, never on a time, and runs are compared on it only:
another night's times would choose other slow calls (`Outcome.repeated` says which set it was). Repeats do not change
the verdict of a strategy that always gives the same answer to the same question.

What was tried and does not work:

    five calls in a row           took four fifths of a run, and one disturbance hit four of the five
    the drawn set alone           p99 is within 5 % of the p99 of full repeats for 52 % of strategies and subsets,
                                  because few of its calls are slow; with the slow calls for 90 % (p90: 83 %, then
                                  95 %), for a tenth more processor time
    waiting strategies in turn    a strategy that waits for processes or the disk makes the next short call look
                                  twice as long, because the processor has slowed down; they come last in a round
    first against later calls     shows no memory for certain: they differ by a factor of two for an honest program
                                  too, because its first calls come between the calls of others

To change it: the sizes and shares below may be varied freely. Another set needs a member of `Repeated`, which
comparisons can leave out, and a bit of the id's hash of its own.
"""

from __future__ import annotations

import heapq
import re
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product, repeat
from operator import attrgetter
from random import Random
from string import ascii_lowercase
from typing import NamedTuple

from corpora.sample import Sample
from editcore.text.document import Document
from editcore.text.encodings import with_text
from editcore.types import Applied, Rejected
from harness.run.latency import Phase, Position, Stopwatch, Timed, TimedOut, begin, end
from harness.run.results import Answer, Answers, DescribedSample, Rows, failure_of
from harness.strategies.strategy import Strategy
from reports.measurements.measurement import computes
from reports.runs.rows import Outcome, Repeated, Verdict

# A sample in other words: the same edit of texts that no strategy has seen. A remembered answer is of no use there.
#
#     def total(basket):              def prkqe(basket):
#         return total_of(basket)         return prkqe_of(basket)
#
# A new word of the same length replaces one word of the edit, everywhere in the edit and in the files. Sizes, lines and
# equalities stay the same, and the answer is the old answer with that word replaced.

_WORD = re.compile(r"[A-Za-z]{3,}")
_MARKER = re.compile(
    "Add|Begin|Delete|End|File|Move|Patch|REPLACE|SEARCH|Update|deleted|diff|file|from|git|index|mode|new|rename"
)
"""Words with a meaning in the syntax of patches."""
_TRIES = 8


class Renamed(NamedTuple):
    sample: Sample
    old: str
    new: str

    def back(self, text: str) -> str:
        """The text of an answer with the old word put back. An answer that still has the old word equals no first."""
        return text.replace(self.old, "\0").replace(self.new, self.old)


def renamed(sample: Sample) -> Renamed | None:
    """The sample with one word replaced, which its id chooses; None if no word can be replaced."""
    random = Random(sample.id)  # Python hashes texts as seeds in the same way in each process.
    written = "\n".join([sample.patch or "", *(f"{one.old_string}\n{one.new_string}" for one in sample.edits or ())])
    paths = "\n".join(file.path for file in sample.before)
    files = "\n".join(file.content for file in sample.before)
    words = sorted({word for word in _WORD.findall(written) if not _MARKER.fullmatch(word) and word not in paths})
    tried = random.sample(words, min(_TRIES, len(words))) if sample.before else []
    kept = sample.patch or "\n".join(one.new_string for one in sample.edits or ())
    # One that the answer has, too, tells an answer that was remembered from a new one.
    for word in _best_first(tried, files, kept):
        new = "".join(_letter(random, like) for like in word)
        if not any(new in text for text in (written, paths, files)):
            return Renamed(_with(sample, word, new), word, new)
    return None


def _best_first(words: Sequence[str], files: str, kept: str) -> Iterator[str]:
    """The words that occur in the files first, and among equals the words that the new text keeps."""
    ordered = sorted(words, key=lambda word: word not in kept)
    others = []
    for word in ordered:
        if word in files:
            yield word
        else:
            others.append(word)
    yield from others


def _letter(random: Random, like: str) -> str:
    letter = random.choice(ascii_lowercase)
    return letter.upper() if like.isupper() else letter


def _with(sample: Sample, old: str, new: str) -> Sample:
    edits = sample.edits and tuple(
        replace(one, old_string=one.old_string.replace(old, new), new_string=one.new_string.replace(old, new))
        for one in sample.edits
    )
    before = tuple(with_text(file, file.content.replace(old, new)) for file in sample.before)
    return replace(sample, before=before, edits=edits, patch=sample.patch and sample.patch.replace(old, new))


# The slow calls: p99 depends on the slowest 2.5 %, p90 on its neighbours, of which half are repeated. The rank of a
# call among all calls of the run is unknown before the run ends, and jobs differ more than runs do. So a call is ranked
# among the first calls that its worker has made so far; a worker's very first calls are ranked among few.

_SLOWEST = 0.975
"""The share of calls that are faster than the slow calls, which are all repeated."""
_ABOUT_P90 = (0.86, 0.94)
"""The shares between which half of the calls are repeated."""
_MOST_SAMPLES = 10_000
"""The most samples of a run whose slow calls are repeated."""


def share_looked_at(n_samples: int) -> float:
    """The share of samples whose slow calls are repeated: all, up to 10,000."""
    return min(1.0, _MOST_SAMPLES / max(1, n_samples))


class FirstCalls:
    """The first calls of a worker so far: the CPU time of each, by strategy."""

    def __init__(self) -> None:
        self._sorted: defaultdict[str, list[int]] = defaultdict(list)

    def is_repeated(self, strategy: str, cpu_ns: int, *, in_half: bool) -> bool:
        """Count a call; True if it is to be repeated.

        `in_half` is True for the half of samples whose calls near the 90th percentile are repeated.
        """
        known = self._sorted[strategy]
        insort(known, cpu_ns)
        rank = bisect_left(known, cpu_ns) / len(known)
        low, high = _ABOUT_P90
        return rank >= _SLOWEST or (in_half and low <= rank < high)


MOST = 5_000
LEAST = 1_000
_SHARE = 16
_ENOUGH_NS = 10_000_000
"""A call is not repeated once its calls have taken this long together. One of `_SHARE` samples is compared even so."""
_MOST_CHARACTERS = 64 << 20
"""The most characters of the files of kept samples: of the drawn samples, and of those with slow calls."""

_FASTER_BY_MEMORY = 1.5
"""A call for the same text does not count if it is faster by more than this than every call for a new text."""

_LOW_BITS = 2**32 - 1
"""The bits of an id's hash that decide whether the slow calls of a sample are repeated."""
_HALF_BIT = 2**32
"""The bit that decides in which half a sample is. The higher bits decide whether it is drawn."""
_COMPARED_BITS = (_SHARE - 1) << 33
"""If all these bits are 0, the calls of a sample are compared however long they take."""


def n_repeated(n_samples: int) -> int:
    """The number of samples whose calls are repeated: a sixteenth of `n_samples`, but from 1,000 to 5,000."""
    return max(LEAST, min(MOST, n_samples // _SHARE))


def share(n: int, n_samples: int, n_in_all: int) -> int:
    """How many of its `n_samples` a job chooses if a run of `n_in_all` chooses `n`; rounded up."""
    return -(-n * n_samples // n_in_all)


class _Times(NamedTuple):
    latency_ns: int
    cpu_ns: int


@dataclass(slots=True, eq=False)
class _Calls:
    """The calls of one strategy on a sample so far."""

    index: int
    """The index of the strategy in the run."""
    strategy: Strategy
    answer: Answer
    """The first answer."""
    unseen: list[_Times]
    """Times of calls for new texts: the first call, and a call for a renamed text."""
    same: list[_Times] = field(default_factory=list)
    """Times of calls for the same text."""
    spent_ns: int = 0
    """The time that all calls took."""
    other_answer: str | None = None
    """How the answer to the same text differed, in words; None if it did not."""

    def spend(self, times: _Times) -> None:
        """Count the time that a call took.

        For a strategy that only computes, CPU time counts: the machine may do something else for long. A tenth of the
        wall time counts at least, so a strategy that waits after all is not repeated without end.
        """
        computed = computes(self.strategy.name)
        self.spent_ns += max(times.cpu_ns, times.latency_ns // 10) if computed else times.latency_ns

    def timed(self) -> list[_Times]:
        """The times that count: all for new texts, and those for the same text that are about as long."""
        clock = attrgetter("cpu_ns" if computes(self.strategy.name) else "latency_ns")
        least = min(map(clock, self.unseen)) / _FASTER_BY_MEMORY
        return [*self.unseen, *(one for one in self.same if clock(one) >= least)]

    def compare(self, answers: Answers, call: Timed) -> None:
        """Compare the answer of a repeated call for the same text with the first answer."""
        if isinstance(call.value, TimedOut):
            again = "ran out of time"
        elif failure := failure_of(answers.sample, call):
            again = f"crashed ({failure})"
        else:
            assert isinstance(call.value, Applied | Rejected)
            answer = answers.of(call.value)
            if answer == self.answer:
                self.same.append(_Times(call.latency_ns, call.cpu_ns))
                return
            again = answer.kind if answer.kind != self.answer.kind else "left another text"
        self.other_answer = f"the same request again: at first {self.answer.kind}, then {again}"

    def time(self, answers: Answers, call: Timed) -> None:
        """Count the time of a call for a renamed text if its answer is the renamed first answer."""
        if failure_of(answers.sample, call) or not isinstance(call.value, Applied | Rejected):
            return
        if answers.of(call.value) == self.answer:
            self.unseen.append(_Times(call.latency_ns, call.cpu_ns))


@dataclass(slots=True, eq=False)
class _Kept:
    """A sample whose calls are made again."""

    described: DescribedSample
    calls: Sequence[_Calls | None]
    """One entry for each strategy that takes the sample; None if the call did not return or is not repeated."""
    outcomes: list[Outcome]
    why: Repeated
    is_compared: bool
    """True if the calls are compared however long they take."""
    n_times: int
    """How often the calls are compared: twice if the first call was in a process that died."""


class Repeats:
    """Keeps the samples whose calls are repeated.

    For each set of strategies, `n` random samples are kept. In the share `looked_at` of all samples, those with calls
    that were slow among `first_calls` are kept too. If `n` is 0, nothing is kept.
    """

    def __init__(self, n: int, looked_at: float, first_calls: FirstCalls) -> None:
        self._n = n
        self._looked_at = int(looked_at * _LOW_BITS)
        self._first_calls = first_calls
        self._drawn: dict[tuple[int, ...], list[tuple[int, int, _Kept]]] = {}
        self._slow: list[_Kept] = []
        self._n_drawn_characters = self._n_slow_characters = 0

    def offer(self, described: DescribedSample, rows: Rows) -> None:
        """Keep a sample, whose calls were made once, if its calls shall be repeated."""
        if not self._n:
            return
        hashed, chosen = described.hashed_id, described.chosen
        heap = self._drawn.setdefault(tuple(index for index, _ in chosen), [])
        may_be_drawn = len(heap) < self._n or -hashed > heap[0][0]
        is_looked_at = hashed & _LOW_BITS < self._looked_at
        if not (may_be_drawn or is_looked_at):
            return
        how = (not hashed & _COMPARED_BITS, 1 if rows.results else 2)
        in_half = bool(hashed & _HALF_BIT)
        slow = is_looked_at and [self._is_slow(one, in_half=in_half) for one in rows.outcomes]
        if not (may_be_drawn or (slow and any(slow))):
            return
        calls = list(map(_first_call, chosen, rows.outcomes, rows.compared(described.sample)))
        if slow and any(slow):
            some = [one if is_slow else None for one, is_slow in zip(calls, slow, strict=True)]
            self._keep_slow(_Kept(described, some, rows.outcomes, Repeated.SLOW, *how))
        if may_be_drawn:
            kept = _Kept(described, calls, rows.outcomes, Repeated.DRAWN, *how)
            self._draw(heap, -hashed, kept)

    def _is_slow(self, outcome: Outcome, *, in_half: bool) -> bool:
        name, cpu_ns = outcome.strategy, outcome.cpu_ns
        return cpu_ns is not None and computes(name) and self._first_calls.is_repeated(name, cpu_ns, in_half=in_half)

    def _keep_slow(self, one: _Kept) -> None:
        if self._n_slow_characters + one.described.n_characters <= _MOST_CHARACTERS:
            self._n_slow_characters += one.described.n_characters
            self._slow.append(one)

    def _draw(self, heap: list[tuple[int, int, _Kept]], rank: int, one: _Kept) -> None:
        """Keep a sample if the hash of its id is among the lowest so far."""
        if self._n_drawn_characters + one.described.n_characters > _MOST_CHARACTERS:
            return
        self._n_drawn_characters += one.described.n_characters
        if len(heap) < self._n:
            heapq.heappush(heap, (rank, one.described.number, one))
        else:
            _, _, dropped = heapq.heapreplace(heap, (rank, one.described.number, one))
            self._n_drawn_characters -= dropped.described.n_characters

    def repeat(
        self, position: Position, stopwatch: Stopwatch, *, timeout_s: float,
        progress: Callable[[float], None] = lambda _: None,
    ) -> int:  # fmt: skip
        """Make the calls again and update the outcomes; return the wall time in nanoseconds.

        A different answer to the same text makes the outcome unstable; that call is not made again. `progress` is
        called with the share of the work that is done.
        """
        drawn = {one.described.number: one for heap in self._drawn.values() for *_, one in heap}
        slow = {one.described.number: one for one in self._slow}
        kept = [one for _, one in sorted((slow | drawn).items())]
        again = _Again(position, stopwatch, timeout_s)
        # In each round strategies that wait come after those that compute: they would slow the processor for these.
        for n_round, (repeated, is_computing) in enumerate(product((again.same, again.renamed), (True, False))):
            for at, one in enumerate(kept):
                position[0] = one.described.number
                mine = [calls for calls in one.calls if calls and computes(calls.strategy.name) == is_computing]
                # With each sample and round another strategy is first: no strategy always follows the same one.
                turn = (at + n_round // 2) % len(mine) if mine else 0
                repeated(one, mine[turn:] + mine[:turn])
                progress((n_round + (at + 1) / len(kept)) / 4)
        for one in kept:
            one.outcomes[:] = map(
                _seen_again, one.outcomes, one.calls, repeat(one.why), repeat(one.described.sample.label)
            )
            one.described.forget()
        return again.total_ns


def _first_call(chosen: tuple[int, Strategy], outcome: Outcome, answer: Answer | None) -> _Calls | None:
    if answer is None or outcome.latency_ns is None or outcome.cpu_ns is None or chosen[1].once_s is not None:
        return None
    first = _Times(outcome.latency_ns, outcome.cpu_ns)
    calls = _Calls(*chosen, answer, [first])
    calls.spend(first)
    return calls


def _seen_again(outcome: Outcome, calls: _Calls | None, why: Repeated, label: str) -> Outcome:
    """The outcome after its repeats."""
    if calls is None:
        return outcome
    if len(timed := calls.timed()) > 1:
        latency_ns, cpu_ns = map(min, zip(*timed, strict=True))
        outcome = replace(outcome, latency_ns=latency_ns, cpu_ns=cpu_ns, n_timed=len(timed), repeated=why)
    if calls.other_answer is None:
        return outcome
    return Outcome(
        outcome.sample_id, outcome.strategy, Verdict.UNSTABLE, latency_ns=outcome.latency_ns, error=calls.other_answer,
        cpu_ns=outcome.cpu_ns, first_cpu_ns=outcome.first_cpu_ns, n_timed=outcome.n_timed, failed_label=label,
    )  # fmt: skip


@dataclass(slots=True)
class _Again:
    position: Position
    stopwatch: Stopwatch
    timeout_s: float
    total_ns: int = 0
    """Wall time of all calls so far."""

    def same(self, one: _Kept, some: Sequence[_Calls]) -> None:
        """Call these strategies for the same text."""
        made = [
            (calls, self._call(calls, one.described.sample, one.described.document))
            for calls in some
            if one.is_compared or calls.spent_ns < _ENOUGH_NS
            for _ in range(one.n_times)
        ]
        # After all calls: what is done between two of them makes the second slower.
        answers = Answers(one.described.sample)
        for calls, call in made:
            calls.compare(answers, call)

    def renamed(self, one: _Kept, some: Sequence[_Calls]) -> None:
        """Call these strategies for the renamed text."""
        some = [calls for calls in some if calls.spent_ns < _ENOUGH_NS and calls.other_answer is None]
        unseen = renamed(one.described.sample) if some else None
        if unseen is None:
            return
        document = Document(unseen.sample.before[0].content) if one.described.document is not None else None
        made = [(calls, self._call(calls, unseen.sample, document)) for calls in some]
        answers = Answers(unseen.sample, back=unseen.back)
        for calls, call in made:
            calls.time(answers, call)

    def _call(self, calls: _Calls, sample: Sample, document: Document | None) -> Timed:
        call = self.stopwatch.call(
            calls.strategy, sample, document, timeout_s=self.timeout_s,
            begin=partial(begin, self.position, calls.index), phase=Phase.REPEAT,
        )  # fmt: skip
        end(self.position)
        self.total_ns += call.total_ns
        calls.spend(_Times(call.latency_ns, call.cpu_ns))
        return call
