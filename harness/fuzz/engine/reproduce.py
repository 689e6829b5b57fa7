"""Findings tried again: does the property still fail on the same input in the same way?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from editcore.errors import UsageError, did_you_mean
from editcore.quoting import printable, quoted
from harness.fuzz.engine.report import SCHEMA_VERSION
from harness.fuzz.finding import DETERMINISTIC, Finding, read_findings
from harness.fuzz.inputs import FORMS
from harness.fuzz.target import EVERY_INPUT, Target, observe
from harness.fuzz.targets import strategy_targets, target_by_name, targets
from harness.terminal import print_json

_TRIES_OF_VARYING = 20
"""How often an input is tried whose answers varied."""


def reproduce_findings(place: Path, specs: Sequence[str], *, as_json: bool) -> int:
    """Try the findings of a file or folder again, and print them; return 1 if any property still fails, else 0."""
    rows = [_row(finding, _target_of(finding, specs)) for path in _files(place) for finding in read_findings(path)]
    if not rows:
        raise UsageError(f"{place} holds no finding", "Name a .jsonl file that `editgauge fuzz` wrote, or a folder.")
    if as_json:
        print_json({"schema_version": SCHEMA_VERSION, "findings": rows})
    else:
        for row in rows:
            result = "holds now" if row["holds"] else f"still broken: {row['detail']}"
            click.echo(printable(f"{row['target']} {row['property']}: {result}"))
    return int(any(not row["holds"] for row in rows))


def _files(place: Path) -> list[Path]:
    """The files of findings at a place: the file itself, or all of a folder, or of findings/ in it."""
    if not place.is_dir():
        return [place]
    below = place / "findings"
    return sorted((below if below.is_dir() else place).glob("*.jsonl"))


def _row(finding: Finding, target: Target) -> dict[str, object]:
    _refuse_unasked(finding, target)
    varies = finding.property == DETERMINISTIC
    details = [_detail(finding, target) for _ in range(_TRIES_OF_VARYING if varies else 1)]
    broken = [one for one in details if one is not None]
    if varies and 0 < len(broken) < len(details):
        broken = [finding.detail]
    return {"id": finding.id, "target": finding.target, "property": finding.property,
            "holds": not broken, "detail": broken[0] if broken else None}  # fmt: skip


def _detail(finding: Finding, target: Target) -> str | None:
    """What is broken in the same way; of a finding whose answers varied, anything that is broken."""
    for one in observe(target, finding.fields, thorough=True):
        if finding.property == DETERMINISTIC or (one.property, one.path) == (finding.property, finding.path):
            return one.detail
    return None


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
