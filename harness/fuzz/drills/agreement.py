"""Drill: how often our readings of unified diffs agree with GNU patch and git apply on generated diffs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from random import Random
from time import monotonic

from editcore.errors import UsageError
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial
from harness.fuzz.generators.patches import diff
from harness.fuzz.inputs import FORMS, can_be_written
from harness.fuzz.targets.differential import files_or_none
from harness.strategies.registry import strategies

_REFERENCES = ("peer/gnu_patch", "peer/git_apply")
_OURS = ("unified_diff/strict", "unified_diff/offset", "unified_diff/fuzz", "unified_diff/tolerant")
_RUNS = 200_000
_BATCH = 200
"""Inputs that a worker process tries at a time."""

_Counted = Counter[tuple[str, str]]


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    try:
        yield from _trials_in_pool(settings)
    except BrokenProcessPool:
        raise UsageError(
            "A process of the drill agreement was killed, perhaps for lack of memory",
            "Run it again, with fewer --runs.",
        ) from None


def _trials_in_pool(settings: DrillSettings) -> Iterator[Trial]:
    missing = [name for name in _REFERENCES if name not in strategies()]
    if missing:
        raise UsageError(f"{missing[0].partition('/')[2]} is not installed", "Install GNU patch and git.")
    runs = settings.runs or _RUNS
    ends = monotonic() + settings.seconds if settings.seconds else None
    starts = iter(range(0, runs, _BATCH))
    # Spawned, not forked: the calling process may have threads.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        pending = set()
        for start in starts:
            pending.add(pool.submit(_counts, settings.seed, start, min(start + _BATCH, runs)))
            if len(pending) > 2 * (os.cpu_count() or 1):
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for one in done:
                    yield from _trials_of(one.result())
            if ends and monotonic() > ends:
                break
        for one in pending:
            yield from _trials_of(one.result())


def _trials_of(counted: _Counted) -> Iterator[Trial]:
    for (group, what), n in counted.items():
        yield Trial(group, what, n=n)


def _counts(seed: int, start: int, end: int) -> _Counted:
    """(group, "") -> number of inputs, over the inputs from `start` to `end`."""
    table = strategies()
    form = FORMS["unified_diff"]
    counted: _Counted = Counter()
    for number in range(start, end):
        fields = diff(Random(f"{seed}/jury/{number}"))
        sample = form.sample(fields)
        if sample is None or not can_be_written(fields, "unified_diff"):
            counted["inputs that no program can be given", ""] += 1
            continue
        first, second = (files_or_none(sample, table[name].apply(sample, None)) for name in _REFERENCES)
        both = (
            "both apply" if first is not None and first == second else "both refuse" if first is second is None else ""
        )
        counted[f"GNU patch and git apply: {both or 'differ'}", ""] += 1
        for name in _OURS if both else ():
            files = files_or_none(sample, table[name].apply(sample, None))
            result = "refuses too" if files is None else "applies it"
            if both == "both apply":
                result = "the same" if files == first else "refuses" if files is None else "another result"
            counted[f"{both}, {name}: {result}", ""] += 1
    return counted


AGREEMENT = Drill(
    "agreement",
    "How often our readings of 200,000 generated diffs agree with GNU patch and git apply.",
    _trials,
    frozenset({"seed"}),
)
