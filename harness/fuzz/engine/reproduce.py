"""Findings tried again: does the property still fail on the same input in the same way?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError
from editcore.quoting import printable
from harness.fuzz.engine.report import SCHEMA_VERSION
from harness.fuzz.finding import Finding, read_findings
from harness.fuzz.target import Target, observe
from harness.fuzz.targets import strategy_targets, target_by_name
from harness.terminal import print_json


def reproduce_findings(file: Path, specs: Sequence[str], *, as_json: bool) -> int:
    """Try every finding of a file again and print the result; return 1 if any property still fails, else 0."""
    rows = []
    for finding in read_findings(file):
        target = _target_of(finding, specs)
        same = [
            one for one in observe(target, finding.fields, thorough=True)
            if (one.property, one.path) == (finding.property, finding.path)
        ]  # fmt: skip
        rows.append({"id": finding.id, "target": finding.target, "property": finding.property,
                     "holds": not same, "detail": same[0].detail if same else None})  # fmt: skip
    if not rows:
        raise UsageError(f"{file} holds no finding", "Name a .jsonl file that `editgauge fuzz` wrote.")
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "findings": rows})
    else:
        for row in rows:
            result = "holds now" if row["holds"] else f"still broken: {row['detail']}"
            click.echo(printable(f"{row['target']} {row['property']}: {result}"))
    return int(any(not row["holds"] for row in rows))


def _target_of(finding: Finding, specs: Sequence[str]) -> Target:
    if not specs:
        try:
            return target_by_name(finding.target, ())
        except UsageError:
            raise UsageError(
                f"{finding.target} is not a fuzz target of this installation", "Name its strategy: -s cmd:NAME=COMMAND."
            ) from None
    if len(specs) == 2:
        return target_by_name(finding.target, specs)
    candidates = strategy_targets(specs[0])
    return next((one for one in candidates if one.format == finding.format), candidates[0])
