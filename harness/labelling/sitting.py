"""One sitting: the samples to ask about, their order, the results of strategies on each, and the reader's answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations

from corpora.expression import Expression
from corpora.readings.reading import Answer, Reading, question_fingerprint
from corpora.readings.readings_file import ReadingsFile
from corpora.sample import Sample
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.types import Applied, File, Rejected
from harness.progress import Report
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.strategy import Strategy, files_after

# A case: a sample and the results of each strategy on it. Equal results are grouped.

_TIMEOUT_S = 5.0
Files = tuple[File, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one or more strategies on a sample."""

    strategies: tuple[str, ...]
    files: Files | None
    """All files afterwards; None if the strategies refused or failed."""
    refusal: str = ""
    """Reason of a refusal, in one line."""
    failure: str = ""
    """The exception in one line, or that the time was up."""

    @property
    def outcome(self) -> object:
        """A value that is equal for equal answers; all refusals are one answer."""
        return ("failed", self.failure) if self.failure else self.files


@dataclass(frozen=True, slots=True)
class Case:
    """A sample and the results of strategies on it."""

    sample: Sample
    results: tuple[Result, ...]
    """Applied results, first the result of most strategies; then refusals, then failures."""

    @property
    def n_disagreeing(self) -> int:
        """Number of pairs of strategies whose results differ. Failures do not count."""
        sizes = [len(one.strategies) for one in _by_answer(self.results)]
        return sum(a * b for a, b in combinations(sizes, 2))


def _by_answer(results: Sequence[Result]) -> list[Result]:
    """Results without failures, with all refusals as one."""
    applied = [one for one in results if one.files is not None]
    refused = tuple(name for one in results if one.refusal for name in one.strategies)
    return [*applied, *([Result(refused, None, "refused")] if refused else [])]


def case_of(sample: Sample, strategies: Sequence[Strategy]) -> Case:
    """The case of a sample, under the strategies that take it."""
    document = Document(sample.before[0].content) if len(sample.before) == 1 else None
    with Stopwatch() as stopwatch:
        found = [_result(sample, one, document, stopwatch) for one in strategies if one.takes(sample)]
    return Case(sample, tuple(sorted(_grouped(found), key=_rank)))


def _result(sample: Sample, strategy: Strategy, document: Document | None, stopwatch: Stopwatch) -> Result:
    call = stopwatch.call(strategy, sample, document, timeout_s=_TIMEOUT_S)
    names, value = (strategy.name,), call.value
    if isinstance(value, Applied) and not call.raised:
        return Result(names, tuple([File(path, text) for path, text in files_after(sample, value).items()]))
    if isinstance(value, Rejected) and not call.raised:
        return Result(names, None, f"{value.reason}: {value.message}")
    failure = "the time was up" if isinstance(value, TimedOut) else f"crashed: {first_line(value, limit=200)}"
    return Result(names, None, "", failure)


def _grouped(found: Sequence[Result]) -> list[Result]:
    """Equal results as one, with the names of all strategies."""
    groups: dict[object, Result] = {}
    for one in found:
        key = (one.files and frozenset((file.path, file.content) for file in one.files), one.refusal, one.failure)
        known = groups.get(key)
        groups[key] = Result((*known.strategies, *one.strategies), *_rest(known)) if known else one
    return list(groups.values())


def _rest(result: Result) -> tuple[Files | None, str, str]:
    return result.files, result.refusal, result.failure


def _rank(result: Result) -> tuple[int, int]:
    kind = 0 if result.files is not None else 1 if result.refusal else 2
    return kind, -len(result.strategies)


# The samples that a reader is asked about, and their order

DEFAULT_FAMILIES = ("cascade", "begin_patch", "unified_diff", "search_replace", "insert", "line_range")
"""Families of strategies that are shown by default. Tools are left out, because they resemble cascades; so are peers.
"""


def candidates(samples: Iterable[Sample], matches: Expression | None) -> list[Sample]:
    """The samples that an expression selects, in order. Raises UsageError for a key that no sample has."""
    found = [sample for sample in samples if matches is None or matches.matches(sample)]
    if matches is not None:
        matches.check_keys(n_selected=len(found))
    return found


def queue(
    samples: Sequence[Sample],
    strategies: Sequence[Strategy],
    *,
    disagreeing: bool,
    sort: str,
    skipped: Collection[str] = (),
    report: Report,
) -> list[Sample]:
    """The samples to ask about: unlabelled ones, or with `disagreeing` the samples on which strategies differ.

    Sorted by `disagreement`, samples come first on which most pairs of strategies differ; ties keep the order of the
    corpus. Skipped samples come last.
    """
    chosen = [sample for sample in samples if disagreeing or sample.label == "unlabelled"]
    if disagreeing or sort == "disagreement":
        pairs = []
        for n_done, sample in enumerate(chosen, 1):
            pairs.append(case_of(sample, strategies).n_disagreeing)
            report(n_done, len(chosen))
        order = sorted(range(len(chosen)), key=lambda at: -pairs[at] if sort == "disagreement" else 0)
        chosen = [chosen[at] for at in order if pairs[at] or not disagreeing]
    return sorted(chosen, key=lambda sample: sample.id in skipped)


Clock = Callable[[], datetime]


@dataclass(slots=True)
class Sitting:
    """A reader, the samples to ask about, and the file that keeps the answers."""

    samples: Sequence[Sample]
    strategies: Sequence[Strategy]
    readings: ReadingsFile
    reader: str
    clock: Clock = lambda: datetime.now(UTC)
    at: int = 0
    """Index of the sample that is shown; the number of samples at the end."""
    _case: Case | None = None
    _questions: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._questions = [question_fingerprint(sample) for sample in self.samples]
        self.at = self._next_open(0)

    @property
    def case(self) -> Case | None:
        """The case that is shown; None at the end."""
        if self.at >= len(self.samples):
            return None
        if self._case is None or self._case.sample is not self.samples[self.at]:
            self._case = case_of(self.samples[self.at], self.strategies)
        return self._case

    @property
    def n_answered(self) -> int:
        """Number of samples with an answer; skipped ones do not count."""
        return sum(1 for reading in self._answers() if reading and reading.answer != "skip")

    @property
    def reading(self) -> Reading | None:
        """The answer to the shown sample; None if it has none."""
        return self._answers()[self.at] if self.at < len(self.samples) else None

    def accept(self, target: Sequence[File], strategies: Sequence[str] = ()) -> None:
        """Answer that these files are right: the result of `strategies`, or of the reader's editor without any."""
        self._answer("apply", target=tuple(target), strategies=tuple(strategies))

    def refuse(self, reason: str) -> None:
        """Answer that the edit should be refused, for one of `REASONS`."""
        self._answer("refuse", reason=reason)

    def skip(self) -> None:
        """Give no answer; the sample comes last in the next sitting."""
        self._answer("skip")

    def undo(self) -> bool:
        """Take back the last answer and show its sample; False if this sitting has no answer."""
        last = self.readings.readings.last
        place = next((n for n, one in enumerate(self.samples) if last and one.id == last.sample_id), None)
        if last is None or place is None:
            return False
        self.readings.add(Reading(last.sample_id, last.fingerprint, "undo", self.reader, self._now()))
        self.at = place
        return True

    def move(self, step: int) -> None:
        """Show the next sample (1) or the one before (-1), answered or not."""
        self.at = min(max(self.at + step, 0), max(len(self.samples) - 1, 0))

    def _answer(
        self,
        answer: Answer,
        *,
        target: tuple[File, ...] | None = None,
        reason: str | None = None,
        strategies: tuple[str, ...] = (),
    ) -> None:
        sample_id, question = self.samples[self.at].id, self._questions[self.at]
        self.readings.add(Reading(sample_id, question, answer, self.reader, self._now(), target, reason, strategies))
        self.at = self._next_open(self.at + 1)

    def _now(self) -> str:
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def _answers(self) -> list[Reading | None]:
        """The answer to each sample, by index; None also for an answer to another edit or to other files."""
        known = self.readings.readings.by_sample()
        found = [known.get(sample.id) for sample in self.samples]
        return [
            one if one and one.fingerprint == question else None
            for one, question in zip(found, self._questions, strict=True)
        ]

    def _next_open(self, start: int) -> int:
        """Index of the next sample without an answer, from `start` on and then from the beginning.

        If all have one, the next skipped sample from `start` on; else the number of samples.
        """
        answers = self._answers()
        order = [*range(start, len(answers)), *range(min(start, len(answers)))]
        unseen = (at for at in order if answers[at] is None)
        skipped = (at for at in range(start, len(answers)) if (one := answers[at]) and one.answer == "skip")
        return next(unseen, next(skipped, len(answers)))
