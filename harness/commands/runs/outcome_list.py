"""Outcomes of a run as a list for a terminal: one line each, and its diffs where they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from editcore.quoting import printable
from harness.commands.runs.sample_details import diff_lines, outcome_text
from harness.terminal import pipe_may_close
from reports.runs.sample_rows import Chosen, sample_record


def print_outcomes(folder: Path, chosen: Chosen, *, diffs: bool = False) -> None:
    """Print a line for each outcome."""
    with pipe_may_close():
        for line in _lines(folder, chosen, diffs=diffs):
            click.echo(printable(line))


def document(chosen: Chosen) -> dict[str, Any]:
    """The same as `--json` prints it."""
    rows = [asdict(one) | {"path": chosen.paths.get(one.sample_id)} for one in chosen.outcomes]
    return {"schema_version": 1, "n": chosen.n, "outcomes": rows}


def _lines(folder: Path, chosen: Chosen, *, diffs: bool) -> Iterator[str]:
    strategies = {one.strategy for one in chosen.outcomes}
    id_width = max((len(one.sample_id) for one in chosen.outcomes), default=0)
    width = max(map(len, strategies), default=0)
    for outcome in chosen.outcomes:
        named = f"  {outcome.strategy:<{width}}" if len(strategies) > 1 else ""
        path = chosen.paths.get(outcome.sample_id)
        where = f"  {path}" if path else ""
        yield f"{outcome.sample_id:<{id_width}}{named}  {outcome_text(outcome, timed=False)}{where}"
        if diffs:
            yield from diff_lines(sample_record(folder, outcome.sample_id), outcome.strategy, headed=False)
            yield ""
