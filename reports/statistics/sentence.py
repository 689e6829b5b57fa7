"""A run in one sentence, and the strategy that such a line reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpora.edit_calls import calls_sentence
from reports.measurements.table import (
    APPLIED_RATE,
    CORRECT,
    CRASHED,
    MISSED,
    REFUSED,
    SAMPLES,
    TIMED_OUT,
    UNSTABLE,
    WITH_ANSWER,
    WRONG,
)
from reports.runs.manifest import Manifest
from reports.statistics.summary import Summary

RECOMMENDED = "cascade/recommended"
RUNGS = ("replacer/", "tier/")
"""Families whose members are parts of a strategy."""
USUAL_COST = 5.0
"""The number of missed edits that one wrong edit counts for, by default."""


def sentence(summaries: Sequence[Summary], manifest: Manifest, *, advice: str = "") -> str:
    """A run in one sentence, which is the counts of one strategy, and the `advice` of `reports.compare.answer`.

    Before it, if the corpora were imported, how many edit calls of the logs never became an edit.
    """
    calls: Counter[str] = sum((Counter(corpus.calls) for corpus in manifest.corpora), Counter())
    return f"{calls_sentence(calls)} {_of_strategies(summaries, manifest)} {advice}".strip()


def _of_strategies(summaries: Sequence[Summary], manifest: Manifest) -> str:
    first = headline(summaries)
    if first is None or not first[SAMPLES]:
        return f"Nothing was measured: the run holds no samples (seed {manifest.seed})."
    if first[WITH_ANSWER]:
        counts = [
            f"{first[CORRECT]} correct",
            f"{first[WRONG]} wrong",
            f"{first[MISSED]} missed",
            f"{first[REFUSED]} refused",
        ]
    elif (rate := first[APPLIED_RATE]) and first[CRASHED] + first[TIMED_OUT] < first[SAMPLES]:
        applied = round(rate.value * rate.n)
        counts = [f"{applied} of {rate.n} applied, with no known right answers"]
    else:
        counts = ["no sample returned a result"]
    if first[CRASHED]:
        counts.append(f"{first[CRASHED]} crashed")
    if first[TIMED_OUT]:
        counts.append(f"{first[TIMED_OUT]} timed out")
    if first[UNSTABLE]:
        counts.append(f"{first[UNSTABLE]} unstable")
    samples = "sample" if first[WITH_ANSWER] == 1 else "samples"
    counted = f"seed {manifest.seed}, {first[WITH_ANSWER]} labelled {samples}"
    return f"{first.strategy}: {', '.join(counts)} ({counted})."


def headline(summaries: Sequence[Summary]) -> Summary | None:
    """The strategy that one-line summaries report: `cascade/recommended`, else the best at the usual cost.

    The best has the fewest missed edits, a wrong one counted as `USUAL_COST` missed ones, of those strategies that ran
    on as many samples as the most others did. Of equals, a cascade, and the first.
    """
    n_peers = Counter(summary[SAMPLES] for summary in summaries)

    def place(summary: Summary) -> tuple[bool, int, float, bool]:
        is_recommended = summary.strategy == RECOMMENDED
        return not is_recommended, -n_peers[summary[SAMPLES]], _loss(summary), not _is_cascade(summary)

    return min(summaries, key=place, default=None)


def best_first(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies, those on the same number of samples together, most samples first; in each group the best first.

    The best has the fewest missed edits, a wrong one counted as `USUAL_COST` missed ones.
    """
    return sorted(summaries, key=lambda one: (-one[SAMPLES], _loss(one), -one[CORRECT], not _is_cascade(one)))


def _loss(summary: Summary) -> float:
    """Missed edits, crashes and time-outs, plus wrong and unstable edits at the usual cost."""
    n_missed = summary[MISSED] + summary[CRASHED] + summary[TIMED_OUT]
    return n_missed + USUAL_COST * (summary[WRONG] + summary[UNSTABLE])


def _is_cascade(summary: Summary) -> bool:
    return summary.strategy.startswith("cascade/")
