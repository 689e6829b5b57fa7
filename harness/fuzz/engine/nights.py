"""Nights of fuzzing: the order of the targets, and the record of each night."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from harness.fuzz.engine.campaign import Progress
from harness.fuzz.engine.known import kept_findings
from harness.fuzz.finding import Finding
from harness.fuzz.target import Target
from harness.fuzz.targets import targets
from reports.history.fuzz_nights import (
    FuzzedTarget,
    FuzzNight,
    NewFinding,
    append_night,
    fuzz_nights,
    last_fuzz_night,
)


def next_night(folder: Path) -> tuple[int, Sequence[Target]]:
    """The number of the night after those recorded in a folder, from 1 on, and its targets.

    All targets are fuzzed; targets that reached something new the night before go first.
    """
    nights = fuzz_nights(folder)
    last = nights[-1].targets if nights else {}

    def reached(target: Target) -> int:
        return last[target.name].n_new_edges if target.name in last else 0

    return nights[-1].night + 1 if nights else 1, sorted(targets().values(), key=reached, reverse=True)


def record_night(folder: Path, night: int, found: Sequence[Progress]) -> FuzzNight:
    """Append the results of a night to the record in the folder."""
    nights = fuzz_nights(folder)
    before = nights[-1].targets if nights else {}
    results = {}
    for one in found:
        n_before = before[one.target].n_edges if one.target in before else None
        results[one.target] = FuzzedTarget(
            one.total.n_executions,
            round(one.total.cpu_s, 3),
            one.n_edges,
            max((one.n_edges or 0) - (n_before or 0), 0),
            one.n_inputs,
            len(one.known),
            [_new(finding) for finding in one.found],
            one.failure or one.why_stuck,
        )
    done = FuzzNight(night, datetime.now(UTC).isoformat(timespec="seconds"), results)
    append_night(folder, done)
    return done


def last_night(folder: Path) -> FuzzNight:
    """The latest night, with the findings of campaigns that were killed before they reported them.

    Raises UsageError if there is none.
    """
    night = last_fuzz_night(folder)
    targets = dict(night.targets)
    for one in kept_findings(folder)[1]:
        target = targets.get(one.target, FuzzedTarget(0, 0.0))
        targets[one.target] = replace(target, new=[*target.new, _new(one)])
    return replace(night, targets=targets)


def _new(finding: Finding) -> NewFinding:
    return NewFinding(finding.id, finding.property, finding.path, finding.detail)
