"""Runs that docs/study.md quotes, and how it shows tables."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from reports.run import Run
from reports.runs.columns import joined
from reports.runs.parts import wrong_edits
from reports.runs.rows import Verdict, WrongEdit
from reports.runs.run_folder import RunFolder
from reports.statistics.grid import clusters_of_run
from reports.statistics.summary import SUMMARISED, Summary, run_summaries, streamed_summaries

ROOT = Path(__file__).parents[1]
_MOST = 5_000
"""Samples of a corpus that are scored; more are drawn."""


@dataclass(frozen=True)
class Study:
    """A run of some strategies on one corpus."""

    folder: Path

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """A row for each sample and strategy, without samples whose right answer is unknown."""
        rows = Run(self.folder).outcomes()
        return rows[rows["verdict"] != Verdict.UNLABELLED]

    @cached_property
    def samples(self) -> pd.DataFrame:
        """A row for each sample that the run has."""
        return Run(self.folder).samples()

    @cached_property
    def described(self) -> pd.DataFrame:
        """The same with what is known of each sample."""
        return self.outcomes.merge(self.samples, on="sample_id")

    @cached_property
    def summaries(self) -> list[Summary]:
        """One for each strategy, in the order of the run."""
        return run_summaries(RunFolder(self.folder))

    def summaries_where(self, **wanted: Collection[str]) -> dict[str, Summary]:
        """Of each strategy, by name, that of the outcomes which have one of these values in each of these columns.

        A rate that is counted on none of them is None.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        def chosen(one: pa.Table) -> pa.Table:
            for column, values in wanted.items():
                one = one.filter(pc.is_in(one[column].cast(pa.string()), pa.array(sorted(values), pa.string())))
            return one

        columns = dict.fromkeys((*SUMMARISED, *wanted))
        tables = map(chosen, joined(RunFolder(self.folder).tables("outcomes", *columns, as_dictionaries=True)))
        return {
            one.strategy: one for one in streamed_summaries(tables, clusters=clusters_of_run(RunFolder(self.folder)))
        }

    @cached_property
    def wrong_edits(self) -> list[WrongEdit]:
        """The wrong edits of all strategies, in the order of the corpus."""
        return list(wrong_edits(self.folder))


def run(corpus: str, folder: Path, *, strategies: Iterable[str], only: str | None = None, most: int = _MOST) -> Study:
    """Score strategies on some samples of a corpus. Raises CalledProcessError if the run fails."""
    chosen = [word for glob in strategies for word in ("-s", glob)]
    limits = [*(["-k", only] if only else []), "-n", str(most)]
    program("run", corpus, *chosen, *limits, "-q", "-o", str(folder))
    return Study(folder)


def program(*line: str) -> None:
    """Call the program. Raises CalledProcessError if that fails."""
    subprocess.run([sys.executable, "-m", "harness", *line], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    rule = "|" + "|".join("---" if at == 0 else "--:" for at in range(len(headings))) + "|"
    return "\n".join([f"| {' | '.join(headings)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"
