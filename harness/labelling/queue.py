"""Which samples a reader is asked about, in which order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from corpora.expression import Expression
from corpora.sample import Sample
from harness.labelling.case import case_of
from harness.progress import Report
from harness.strategies.strategy import Strategy

DEFAULT_FAMILIES = ("cascade", "begin_patch", "unified_diff", "search_replace", "insert", "line_range")
"""The families of strategies that are shown unless others are named: no tools, which resemble cascades, no peers."""


def candidates(samples: Iterable[Sample], matches: Expression | None) -> list[Sample]:
    """The samples that an expression selects, in order. Raises UsageError for a key that none of them has."""
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
    """The samples to ask about: unlabelled ones, or if `disagreeing` those on which strategies differ.

    Sorted by `disagreement`, those come first on which most pairs of strategies differ; equal ones stay in the order of
    the corpus. Skipped samples come last.
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
