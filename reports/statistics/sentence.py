"""A run in one sentence, and the strategy that such a line reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from corpora.edit_calls import calls_sentence
from reports.measurements.interval import percent
from reports.measurements.table import (
    APPLIED_RATE,
    CORRECT,
    CRASHED,
    MATCH_RATE,
    MISSED,
    REFUSED,
    SAMPLES,
    TIMED_OUT,
    UNSTABLE,
    WITH_ANSWER,
    WRONG,
    WRONG_RATE,
)
from reports.runs.manifest import Manifest
from reports.statistics.summary import Summary
from reports.wording import first_named

RECOMMENDED = "cascade/recommended"
RUNGS = ("replacer/", "tier/")
"""Families whose members are parts of a strategy."""
USUAL_COST = 5.0
"""The number of missed edits that one wrong edit counts for, by default."""


def sentence(summaries: Sequence[Summary], manifest: Manifest) -> str:
    """A run in one sentence: the counts of one strategy, the lowest wrong rate and the highest match rate.

    Before it, if the corpora were imported, how many edit calls of the logs never became an edit.
    """
    calls: Counter[str] = sum((Counter(corpus.calls) for corpus in manifest.corpora), Counter())
    return f"{calls_sentence(calls)} {_of_strategies(summaries, manifest)}".lstrip()


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
    return f"{first.strategy}: {', '.join(counts)} ({counted}){_best(summaries)}."


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


def comparable(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies that ran on as many samples as the headline: rates over other samples cannot be compared."""
    first = headline(summaries)
    return [summary for summary in summaries if first and summary[SAMPLES] == first[SAMPLES]]


def lowest_wrong_rate(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies with the lowest wrong rate; of those, the highest match rate. Ties are kept, cascades first.

    A wrong rate is as low as the lowest where it lies in its 95 % interval: one wrong edit less than another strategy
    has may be luck. Strategies that get no edit right are left out.
    """
    found = _least_wrong(summaries)
    least = found[WRONG_RATE] if found else None
    as_low = [one for one in _able(summaries) if least and (rate := one[WRONG_RATE]) and rate.value <= least.high]
    return highest_match_rate(as_low)


def highest_match_rate(summaries: Sequence[Summary]) -> list[Summary]:
    """The strategies with the highest match rate; of those, the lowest wrong rate. Ties are kept, cascades first."""
    rated = [
        ((-found.value, wrong.value), summary)
        for summary in comparable(summaries)
        if (wrong := summary[WRONG_RATE]) and (found := summary[MATCH_RATE])
    ]
    best = min((key for key, _ in rated), default=None)
    equals = [summary for key, summary in rated if key == best]
    return sorted(equals, key=lambda summary: not _is_cascade(summary))


def _able(summaries: Sequence[Summary]) -> list[Summary]:
    """The comparable strategies that get any edit right; all of them if none does."""
    peers = comparable(summaries)
    return [one for one in peers if one[CORRECT]] or peers


def _least_wrong(summaries: Sequence[Summary]) -> Summary | None:
    """The able strategy with the lowest counted wrong rate; None without a rate."""
    rated = [
        (rate.value, place, one)
        for place, one in enumerate(_able(summaries))
        if (rate := one[WRONG_RATE]) and one[MATCH_RATE]
    ]
    return min(rated)[-1] if rated else None


def _best(summaries: Sequence[Summary]) -> str:
    """The lowest wrong rate and the highest match rate as text; empty for fewer than two comparable strategies."""
    safe, keen, least = lowest_wrong_rate(summaries), highest_match_rate(summaries), _least_wrong(summaries)
    peers = _able(summaries)
    n_rated = sum(1 for summary in peers if summary[WRONG_RATE] and summary[MATCH_RATE])
    if least is None or n_rated < 2:
        return ""
    are_all = len(peers) == len(comparable(summaries))
    n_strategies = f"; of {len(peers)} strategies," if are_all else f"; of {len(peers)} strategies that get any right,"
    wrong, found = _two_rates(safe[0])
    least_wrong, _ = _two_rates(least)
    wrong += "" if wrong == least_wrong else f"; the {least_wrong} of {least.strategy} may be luck"
    if safe == keen:
        return f"{n_strategies} {_have(safe)} the lowest wrong rate ({wrong}) and the highest match rate ({found})"
    most_wrong, most_found = _two_rates(keen[0])
    return (
        f"{n_strategies} {_have(safe)} the lowest wrong rate ({wrong}; match rate {found}), "
        f"{_have(keen)} the highest match rate ({most_found}; wrong rate {most_wrong})"
    )


def _have(summaries: Sequence[Summary]) -> str:
    return f"{first_named([one.strategy for one in summaries])} {'has' if len(summaries) == 1 else 'have'}"


def _two_rates(summary: Summary) -> tuple[str, str]:
    wrong, found = summary[WRONG_RATE], summary[MATCH_RATE]
    return percent(wrong.value if wrong else 0), percent(found.value if found else 0)
