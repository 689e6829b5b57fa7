"""The worth of repairs: a row for each shape, from a run of the rule and of every draw of the shape behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pandas as pd

from harness.ask.replies_file import Entry
from reports.run import Run
from reports.runs.rows import Damage, Verdict

_OUTSIDE = (Damage.PLACE, Damage.EXTENT, Damage.BYTES)


@dataclass(frozen=True, slots=True)
class Worth:
    """Effect of one shape on the refusals of a rule. Counts of edits are means over the draws."""

    shape: str
    n_draws: int
    n_asked: int
    """Refused edits that were asked about."""
    rescued: float
    """Missed by the rule, and right with the model."""
    wrong: float
    """Wrong with the model, and not without it."""
    forced: float
    """Edits among the wrong ones that were refused rightly."""
    outside: float
    """Edits among the wrong ones that change other lines than the right answer does, or bytes outside them."""
    lines_lost: float
    """Lines that the wrong edits remove, though neither the edit nor the right answer does."""
    n_unsteady: int
    """Refused edits whose draws have different verdicts."""
    n_unread: int
    """Replies that are cut off, declined, or not in the form that the shape asks for. The refusal stands."""
    tokens: int
    """Tokens of all questions and replies."""
    usd: float | None
    seconds: float | None
    """Median time of a reply."""

    @property
    def wrong_per_rescued(self) -> float | None:
        """None if nothing is rescued."""
        return self.wrong / self.rescued if self.rescued else None


class Kept:
    """The replies of one shape to the questions about some samples."""

    def __init__(self) -> None:
        self.samples = set[str]()
        """Ids of the samples that were asked about."""
        self.entries = dict[str, Entry]()
        """Key -> reply. Samples with the same texts share a question, so there may be fewer replies than samples."""

    def add(self, sample_id: str, entry: Entry) -> None:
        self.samples.add(sample_id)
        self.entries[entry.key] = entry


def worth(folder: Path, rule: str, draws: Mapping[str, Sequence[str]], kept: Mapping[str, Kept]) -> list[Worth]:
    """A row for each shape. `draws` has the strategies of a shape's draws; `rule` is the rule alone, if it was run."""
    rows = Run(folder).outcomes()
    rows = rows[rows["verdict"] != Verdict.UNLABELLED]
    verdicts, damages, lost = (
        rows.pivot(index="sample_id", columns="strategy", values=name) for name in ("verdict", "damage", "n_lines_lost")
    )
    verdicts = verdicts.astype(object)
    base = verdicts[rule] if rule in verdicts else pd.Series(Verdict.MISSED, index=verdicts.index)
    found = list[Worth]()
    for shape, names in draws.items():
        mine = [*kept[shape].entries.values()]
        asked = verdicts.loc[verdicts.index.isin(kept[shape].samples)]
        were = base.reindex(asked.index)
        counts = [_counts(were, asked[name], damages[name], lost[name]) for name in names]
        rescued, wrong, forced, outside, lines_lost = (sum(some) / len(names) for some in zip(*counts, strict=True))
        replies = [one.reply for one in mine if one.reply]
        costs = [one.cost_usd for one in mine if one.cost_usd is not None]
        found.append(
            Worth(
                shape, len(names), len(asked), rescued, wrong, forced, outside, lines_lost,
                n_unsteady=int((asked[list(names)].nunique(axis=1) > 1).sum()),
                n_unread=sum(one.class_ not in ("answered", "no_call") for one in mine),
                tokens=sum(one.usage.input + one.usage.output for one in replies),
                usd=sum(costs) if costs else None,
                seconds=median(one.seconds for one in mine) if mine else None,
            )
        )  # fmt: skip
    return found


def _counts(were: pd.Series, are: pd.Series, damage: pd.Series, lost: pd.Series) -> tuple[int, int, int, int, int]:
    """Counts of one draw: rescued, wrong, forced, outside, lines lost."""
    rescued = (were == Verdict.MISSED) & (are == Verdict.CORRECT)
    wrong = (were != Verdict.WRONG_EDIT) & (are == Verdict.WRONG_EDIT)
    of_wrong = wrong.index[wrong]
    return (
        int(rescued.sum()),
        len(of_wrong),
        int((were.loc[of_wrong] == Verdict.REFUSED).sum()),
        int(damage.loc[of_wrong].isin(_OUTSIDE).sum()),
        int(lost.loc[of_wrong].sum()),
    )
