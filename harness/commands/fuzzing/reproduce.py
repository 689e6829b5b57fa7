"""`fuzz reproduce`: try findings again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from harness.commands.fuzzing.options import STRATEGIES
from harness.commands.options import JSON


@click.command()
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@STRATEGIES
@JSON
def reproduce(file: Path, specs: Sequence[str], as_json: bool) -> None:
    """Try the findings in a .jsonl file again.

    Findings of a strategy that is not built in need -s with that strategy. Exit code 0: every property holds now.
    1: one still fails in the same way.
    """
    from harness.fuzz.engine.reproduce import reproduce_findings

    sys.exit(reproduce_findings(file, specs, as_json=as_json))
