"""Comparisons of two runs that are made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reports.compare.comparison import Comparison, StrategyCompared, compare
from reports.runs.run_folder import RunFolder
from tests.twins import write_run

A, B, SIMPLE = "cascade/a", "replacer/b", "replacer/simple"


def compared(tmp_path: Path, base: dict[str, str], run: dict[str, str], **fields: Any) -> Comparison:
    return compare(
        RunFolder(write_run(tmp_path / "base", base, **fields)), RunFolder(write_run(tmp_path / "run", run, **fields))
    )


def only(comparison: Comparison) -> StrategyCompared:
    (one,) = comparison.strategies
    return one


def turns(comparison: Comparison) -> list[tuple[str, str]]:
    return [(pair.sample_id, pair.turn.value) for pair in comparison.turned]
