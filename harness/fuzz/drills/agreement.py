"""Drill: how often our readings of unified diffs agree with GNU patch and git apply on generated diffs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from random import Random
from time import monotonic

from editcore.errors import UsageError
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial, in_processes
from harness.fuzz.generators import GENERATORS
from harness.fuzz.inputs import FORMS, can_be_written
from harness.fuzz.targets.differential import files_or_none
from harness.strategies.registry import strategies

_REFERENCES = ("peer/gnu_patch", "peer/git_apply")
_OURS = ("unified_diff/strict", "unified_diff/offset", "unified_diff/fuzz", "unified_diff/tolerant")
_RUNS = 200_000
_BATCH = 200
"""Inputs that a worker process tries at a time."""


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    missing = [name for name in _REFERENCES if name not in strategies()]
    if missing:
        raise UsageError(f"{missing[0].partition('/')[2]} is not installed", "Install GNU patch and git.")
    runs, until = settings.runs or _RUNS, settings.deadline()
    jobs = [(settings.seed, start, min(start + _BATCH, runs), until) for start in range(0, runs, _BATCH)]
    for counted in in_processes("agreement", _counts, jobs):
        yield from (Trial(group, "", n=n) for group, n in counted.items())


def _counts(seed: int, start: int, end: int, until: float) -> Counter[str]:
    """Group -> number of inputs, of the draws from `start` to `end`; of none once the deadline is over."""
    table = strategies()
    form = FORMS["unified_diff"]
    counted = Counter[str]()
    for number in range(start, end) if monotonic() < until else ():
        fields = GENERATORS["unified_diff"](Random(f"{seed}/jury/{number}"))
        sample = form.sample(fields)
        if sample is None or not can_be_written(fields, "unified_diff"):
            counted["inputs that no program can be given"] += 1
            continue
        first, second = (files_or_none(sample, table[name].apply(sample, None)) for name in _REFERENCES)
        both = (
            "both apply" if first is not None and first == second else "both refuse" if first is second is None else ""
        )
        counted[f"GNU patch and git apply: {both or 'differ'}"] += 1
        for name in _OURS if both else ():
            files = files_or_none(sample, table[name].apply(sample, None))
            result = "refuses too" if files is None else "applies it"
            if both == "both apply":
                result = "the same" if files == first else "refuses" if files is None else "another result"
            counted[f"{both}, {name}: {result}"] += 1
    return counted


AGREEMENT = Drill(
    "agreement",
    "How often our readings of 200,000 generated diffs agree with GNU patch and git apply.",
    _trials,
    frozenset({"seed"}),
)
