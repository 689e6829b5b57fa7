"""Measure how often the labels of failed edits are wrong, on samples whose labels are known.

    python -m docs.label_errors CORPUS

A corpus has samples, but no sessions. A failed edit and an applied one are therefore taken for attempts of one
session, the failed one first, if their agent, repository and file texts are equal: an applied edit changes the texts.
The rules find fewer labels here than in logs, since the retry of an edit may be missing in the corpus. As a harder
trial, every edit of a known result is also taken for a failed one: two applied edits of the same texts are often
different changes.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from corpora.importers.rebuilding.labels import refusal_source, retry_proof
from corpora.importers.rebuilding.results import exact_result
from corpora.importers.session import APPLIED, Attempt
from corpora.load import load
from corpora.sample import Sample, right_answers
from editcore.types import File

Result = tuple[str, str, str]
"""The trial, the rule, and `right`, `wrong` or `unknown` (the sample has no label)."""


@dataclass(slots=True)
class LabelErrors:
    """The counts of a measurement."""

    n_failed: int = 0
    n_with_retry: int = 0
    """Failed edits for which an applied edit of the same texts is in the corpus."""
    n_pairs: int = 0
    results: Counter[Result] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    """The rule, the id of the sample, and the id of its retry (empty without one) of each wrong label."""

    def add(self, trial: str, rule: str, sample: Sample, retry: Sample | None = None) -> None:
        """Count the label that a rule gives a sample."""
        how = _judged(rule, sample, retry)
        self.results[trial, rule, how] += 1
        if how == "wrong":
            self.wrong.append((rule, sample.id, retry.id if retry else ""))


def measure(samples: Iterable[Sample]) -> LabelErrors:
    """Apply the rules to every sample of a corpus."""
    done = LabelErrors()
    groups: defaultdict[tuple[object, ...], list[Sample]] = defaultdict(list)
    for sample in samples:
        groups[sample.provenance.agent, sample.provenance.repo, sample.before].append(sample)
        if _failed(sample):
            done.n_failed += 1
            if source := _refusal(sample):
                done.add("failed", source, sample)
    for some in groups.values():
        _measure_retries(some, done)
    return done


def _measure_retries(group: list[Sample], done: LabelErrors) -> None:
    """Apply the rules to each pair of a group. The first retry that proves something counts, as in a session."""
    retries = [sample for sample in group if not _failed(sample) and sample.target and sample.before]
    for sample in group:
        others = [other for other in retries if other is not sample]
        is_failed = _failed(sample)
        done.n_with_retry += is_failed and bool(others)
        done.n_pairs += len(others)
        if is_failed and _refusal(sample):
            continue
        texts = [file.content for file in sample.before]
        for other in others:
            if proof := retry_proof(_attempt(sample), _attempt(other), texts):
                done.add("failed" if is_failed else "any", proof, sample, other)
                break


def _failed(sample: Sample) -> bool:
    return sample.provenance.recorded_outcome not in (None, *APPLIED)


def _attempt(sample: Sample) -> Attempt:
    outcome = sample.provenance.recorded_outcome or "unknown"
    place = sample.before[0].path if sample.edits and sample.before else None
    return Attempt(
        sample.id, sample.format, place, sample.edits, sample.patch, sample.line, sample.end_line, outcome=outcome
    )


def _refusal(sample: Sample) -> str | None:
    attempt = _attempt(sample)
    texts = {file.path: file.content for file in sample.before}
    return refusal_source(attempt, texts.values(), exact_result(attempt, texts).n_found)


def _judged(rule: str, sample: Sample, retry: Sample | None) -> str:
    if sample.label == "unlabelled":
        return "unknown"
    if retry is None or retry.target is None:
        return "right" if sample.label == "refuse" else "wrong"
    exactly = rule != "retry_repaired"
    given = _contents(retry.target, exactly)
    return "right" if any(given == _contents(files, exactly) for files in right_answers(sample)) else "wrong"


def _contents(files: tuple[File, ...], exactly: bool) -> list[str]:
    """The texts; unless `exactly`, without whitespace."""
    return [file.content if exactly else "".join(file.content.split()) for file in files]


def report(done: LabelErrors) -> Iterator[str]:
    """The counts as lines of text."""
    yield f"{done.n_failed:,} failed edits, {done.n_with_retry:,} with an applied edit of the same file texts"
    yield f"{done.n_pairs:,} pairs of an edit and an applied edit of the same file texts"
    yield f"{'edits':8}{'rule':20}{'labelled':>9}{'right':>7}{'wrong':>7}{'not known':>11}"
    for trial, rule in sorted({(trial, rule) for trial, rule, _ in done.results}):
        right, wrong, unknown = (done.results[trial, rule, how] for how in ("right", "wrong", "unknown"))
        yield f"{trial:8}{rule:20}{right + wrong + unknown:9,}{right:7,}{wrong:7,}{unknown:11,}"
    for rule, sample, retry in done.wrong:
        yield f"wrong: {rule} {sample} {retry}".rstrip()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("Name one corpus: python -m docs.label_errors CORPUS")
    print("\n".join(report(measure(load(sys.argv[1])))))
