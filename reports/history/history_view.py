"""What a history tells: the nights at a glance, and on which of them a sample turned."""

from __future__ import annotations

from dataclasses import dataclass

from editcore.errors import UsageError
from reports.history.nights import History
from reports.runs.sql import query
from reports.statistics.metrics import HEADLINE, percent


@dataclass(frozen=True, slots=True)
class NightOverview:
    """A night at a glance."""

    night: str
    strategy: str | None
    """The one whose rates these are: `cascade/reference`, or the first; absent where none ran on any sample."""
    n_samples: int
    n_correct: int
    n_wrong: int
    is_baseline: bool
    failures: tuple[str, ...]
    """What failed the gate; empty where it passed, or was not asked."""
    not_comparable: str | None

    def line(self) -> str:
        """For people."""
        of = max(1, self.n_samples)
        rates = f"{percent(self.n_correct / of)} correct, {percent(self.n_wrong / of)} wrong of {self.n_samples:,}"
        told = f"{self.strategy}: {rates}" if self.strategy else "no outcomes"
        marks = ["baseline"] if self.is_baseline else []
        marks += [f"FAILED: {'; '.join(self.failures)}"] if self.failures else []
        marks += [f"not compared: {self.not_comparable}"] if self.not_comparable else []
        return "  ".join([self.night, told, *marks])


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A sample came out otherwise than the night before."""

    strategy: str
    night: str
    before: str | None
    """The verdict of the last night that had the sample; absent on the first."""
    verdict: str
    replacer: str | None

    def line(self) -> str:
        """For people."""
        by = f" by {self.replacer}" if self.replacer else ""
        return f"{self.night}  {self.strategy}: {self.before or 'first'} -> {self.verdict}{by}"


def overview(history: History) -> list[NightOverview]:
    """Every night, the first one first."""
    baseline = history.baseline()
    rows = query(
        """
        WITH counted AS (
            SELECT night, strategy, count(*) AS n, count(*) FILTER (verdict = 'correct') AS correct,
                   count(*) FILTER (verdict = 'wrong_edit') AS wrong
            FROM outcomes GROUP BY night, strategy)
        SELECT night, strategy, coalesce(n, 0), coalesce(correct, 0), coalesce(wrong, 0)
        FROM runs LEFT JOIN counted USING (night)
        QUALIFY row_number() OVER (PARTITION BY night ORDER BY strategy IS DISTINCT FROM ?, strategy) = 1
        ORDER BY night""",
        [history.folder],
        [HEADLINE],
    ).rows
    found = []
    for night, strategy, n, correct, wrong in rows:
        judged = history.judged(night)
        failures = tuple(f"{one.strategy}: {one.message}" for one in judged.failures) if judged else ()
        is_baseline = baseline is not None and baseline.night == night
        not_comparable = judged.not_comparable if judged else None
        found.append(NightOverview(night, strategy, n, correct, wrong, is_baseline, failures, not_comparable))
    return found


def verdict_changes(history: History, sample_id: str) -> list[VerdictChange]:
    """The nights on which a sample turned, by strategy. Raises UsageError for a sample that no night has."""
    # An id that is in two corpora of a run stands for two samples: each is followed by itself.
    rows = query(
        """
        WITH mine AS (
            SELECT strategy, night, verdict, replacer,
                   row_number() OVER (PARTITION BY strategy, night) AS which
            FROM outcomes WHERE sample_id = ?),
        followed AS (
            SELECT *, lag(verdict) OVER (PARTITION BY strategy, which ORDER BY night) AS before FROM mine)
        SELECT strategy, night, before, verdict, replacer FROM followed
        WHERE before IS DISTINCT FROM verdict ORDER BY strategy, which, night""",
        [history.folder],
        [sample_id],
    ).rows
    if not rows:
        raise UsageError(f"No night of {history.folder} has a sample {sample_id!r}", "Check the id.")
    return [VerdictChange(*row) for row in rows]
