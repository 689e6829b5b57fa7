"""The chapter of docs/study.md on lists of edits: what each strategy makes of those that bear on each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from corpora.mutators.lists import LIST_MUTATORS
from docs.studies import Study, program, run, table
from reports.measurements.interval import rate_with_interval
from reports.measurements.table import LIST_LEFT, WRONG_RATE
from reports.runs.rows import ListLeft, Verdict

_TAKE_LISTS = ("cascade/*", "agent/*", "tool/edit_file", "tool/multi_edit")


def run_lists(folder: Path) -> Study:
    """Score what takes lists of edits on lists made of the edits of `house`. Raises CalledProcessError."""
    corpus = folder.with_suffix(".parquet")
    chosen = [word for one in LIST_MUTATORS for word in ("-m", one.name)]
    program("mutate", "house", *chosen, "-q", "-o", str(corpus))
    return run(str(corpus), folder, strategies=_TAKE_LISTS, only="not role=twin")


def in_lists(study: Study) -> str:
    """How often each strategy is wrong, what it makes of lists by kind, and of those of which one edit fails."""
    rows = study.described
    right = rows["verdict"].isin({Verdict.CORRECT, Verdict.REFUSED})
    kinds = [one.name for one in LIST_MUTATORS if one.name in set(rows["mutator"])]

    def cells(name: str, left: Mapping[str, int]) -> Iterator[str]:
        for kind in kinds:
            of_kind = (rows["strategy"] == name) & (rows["mutator"] == kind)
            n_wrong = (of_kind & (rows["verdict"] == Verdict.WRONG_EDIT)).sum()
            yield f"{(of_kind & right).sum()} / {n_wrong}"
        yield from (str(left.get(kind, 0)) for kind in ListLeft)

    lines = (
        (f"`{one.strategy}`", rate_with_interval(one[WRONG_RATE]), *cells(one.strategy, one[LIST_LEFT] or {}))
        for one in study.summaries
    )
    return table(
        ("strategy", "wrong rate", *(f"`{kind}`" for kind in kinds), *(f"left: {kind}" for kind in ListLeft)), lines
    )


LIST_PARTS: Mapping[str, Callable[[Study], str]] = {"in": in_lists}
"""Name of a part -> what stands there."""
