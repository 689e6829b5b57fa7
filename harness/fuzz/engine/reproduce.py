"""Findings tried again: does the property still fail on the same input in the same way?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError, did_you_mean
from editcore.quoting import printable, quoted
from harness.fuzz.engine.report import SCHEMA_VERSION
from harness.fuzz.finding import Finding, read_findings
from harness.fuzz.inputs import FORMS
from harness.fuzz.target import EVERY_INPUT, Target, observe
from harness.fuzz.targets import strategy_targets, target_by_name, targets
from harness.terminal import print_json


def reproduce_findings(file: Path, specs: Sequence[str], *, as_json: bool) -> int:
    """Try every finding of a file again and print the result; return 1 if any property still fails, else 0."""
    rows = []
    for finding in read_findings(file):
        target = _target_of(finding, specs)
        _refuse_unasked(finding, target)
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
        found = targets().get(finding.target)
        if found is None:
            raise UsageError(
                f"{quoted(finding.target)} is not a fuzz target of this installation",
                "Name its strategy: -s cmd:NAME=COMMAND.",
            )
        return found
    if len(specs) == 2:
        return target_by_name(finding.target, specs)
    candidates = strategy_targets(specs[0])
    return next((one for one in candidates if one.format == finding.format), candidates[0])


def _refuse_unasked(finding: Finding, target: Target) -> None:
    """Raise UsageError for a finding that says nothing of a target: "holds now" would be said of what is not tried."""
    asked = (*EVERY_INPUT, *target.properties)
    if finding.property not in asked:
        raise UsageError(
            f"{target.name} has no property {quoted(finding.property)}",
            f"{did_you_mean(finding.property, asked)}It has: {', '.join(asked)}.",
        )
    if target.format is not None and FORMS[target.format].sample(finding.fields) is None:
        n = len(finding.fields)
        raise UsageError(
            f"The {n} field{'' if n == 1 else 's'} of {quoted(finding.id)} make no input of {target.name}",
            f"Its fields are: {', '.join(FORMS[target.format].names)}.",
        )
