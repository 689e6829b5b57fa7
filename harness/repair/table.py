"""What repairs are worth: a row for each shape, of a run that has the rule and every draw of the shape behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pandas as pd

from harness.ask.replies_file import Entry
from reports.run import Run
from reports.runs.rows import Verdict

_RIGHT = (Verdict.CORRECT, Verdict.REFUSED)


@dataclass(frozen=True, slots=True)
class Worth:
    """What one shape makes of the refusals of a rule. Counts of edits are of all draws together, over their number."""

    shape: str
    n_draws: int
    n_asked: int
    """Refused edits that were asked about."""
    rescued: float
    """Missed by the rule, and right with the model."""
    wrong: float
    """Wrong with the model, and not without."""
    forced: float
    """Of these, edits that must be refused, as they rightly were."""
    n_unsteady: int
    """Refused edits of which the draws do not all come to the same verdict."""
    tokens: int
    """Of all questions and replies."""
    usd: float | None
    seconds: float | None
    """Median of a reply."""

    @property
    def wrong_per_rescued(self) -> float | None:
        """None where nothing is rescued."""
        return self.wrong / self.rescued if self.rescued else None


def worth(folder: Path, rule: str, draws: Sequence[Sequence[str]], entries: Iterable[Entry]) -> list[Worth]:
    """A row for each shape, given the names of its draws' strategies; `rule` is the rule alone, if it was run."""
    rows = Run(folder).outcomes()
    rows = rows[rows["verdict"] != Verdict.UNLABELLED]
    verdicts = rows.pivot(index="sample_id", columns="strategy", values="verdict").astype(object)
    base = verdicts[rule] if rule in verdicts else pd.Series(Verdict.MISSED, index=verdicts.index)
    by_shape: dict[str, dict[str, Entry]] = {}
    for entry in entries:
        by_shape.setdefault(entry.format, {})[entry.key] = entry
    found = list[Worth]()
    for names in draws:
        shape = names[0].removeprefix("repair/").partition("@")[0].partition("#")[0]
        mine = [*by_shape.get(shape, {}).values()]
        asked = verdicts.loc[verdicts.index.isin({one.task for one in mine})]
        were = base.reindex(asked.index)
        counts = [_counts(were, asked[name]) for name in names]
        rescued, wrong, forced = (sum(some) / len(names) for some in zip(*counts, strict=True))
        replies = [one.reply for one in mine if one.reply]
        costs = [one.cost_usd for one in mine if one.cost_usd is not None]
        found.append(
            Worth(
                shape, len(names), len(asked), rescued, wrong, forced,
                n_unsteady=int((asked[list(names)].nunique(axis=1) > 1).sum()),
                tokens=sum(one.usage.input + one.usage.output for one in replies),
                usd=sum(costs) if costs else None,
                seconds=median(one.seconds for one in mine) if mine else None,
            )
        )  # fmt: skip
    return found


def _counts(were: pd.Series, are: pd.Series) -> tuple[int, int, int]:
    rescued = (were == Verdict.MISSED) & (are == Verdict.CORRECT)
    wrong = (were != Verdict.WRONG_EDIT) & (are == Verdict.WRONG_EDIT)
    return int(rescued.sum()), int(wrong.sum()), int((wrong & (were == Verdict.REFUSED)).sum())
