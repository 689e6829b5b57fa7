"""A case: a sample and the results of each strategy on it. Equal results are grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from corpora.sample import Sample
from editcore.quoting import first_line
from editcore.text.document import Document
from editcore.types import Applied, File, Rejected
from harness.run.latency import Stopwatch, TimedOut
from harness.strategies.strategy import Strategy, files_after

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
    """Applied results, those of most strategies first; then refusals, then failures."""

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
