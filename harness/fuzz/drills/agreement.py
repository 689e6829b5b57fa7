"""Drill: our readings of unified diffs beside GNU patch and git apply, on generated diffs, and how often they agree."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from random import Random
from time import monotonic

from editcore.errors import UsageError
from harness.fuzz.drills.drill import Drill, Orders, Trial
from harness.fuzz.engine.inputs import FORMS, can_be_written
from harness.fuzz.generators.patches import diff
from harness.fuzz.targets.differential import files_or_none
from harness.strategies.registry import strategies

_JURY = ("peer/gnu_patch", "peer/git_apply")
_OURS = ("unified_diff/strict", "unified_diff/offset", "unified_diff/fuzz", "unified_diff/tolerant")
_RUNS = 200_000
_AT_A_TIME = 200

_Counted = Counter[tuple[str, str]]


def _trials(orders: Orders) -> Iterator[Trial]:
    missing = [name for name in _JURY if name not in strategies()]
    if missing:
        raise UsageError(f"{missing[0].partition('/')[2]} is not installed", "Install patch and git.")
    runs = orders.runs or _RUNS
    ends = monotonic() + orders.seconds if orders.seconds else None
    starts = iter(range(0, runs, _AT_A_TIME))
    # Whoever asked may have threads, with which a fork would not live.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        at_work = set()
        for start in starts:
            at_work.add(pool.submit(_heard, orders.seed, start, min(start + _AT_A_TIME, runs)))
            if len(at_work) > 2 * (os.cpu_count() or 1):
                done, at_work = wait(at_work, return_when=FIRST_COMPLETED)
                for one in done:
                    yield from _told(one.result())
            if ends and monotonic() > ends:
                break
        for one in at_work:
            yield from _told(one.result())


def _told(counted: _Counted) -> Iterator[Trial]:
    for (group, what), n in counted.items():
        yield Trial(group, what, n=n)


def _heard(seed: int, start: int, end: int) -> _Counted:
    """How often what was the case, over some inputs."""
    table = strategies()
    form = FORMS["unified_diff"]
    counted: _Counted = Counter()
    for number in range(start, end):
        fields = diff(Random(f"{seed}/jury/{number}"))
        sample = form.sample(fields)
        if sample is None or not can_be_written(fields, "unified_diff"):
            counted["inputs that no program can be given", ""] += 1
            continue
        first, second = (files_or_none(sample, table[name].apply(sample, None)) for name in _JURY)
        both = (
            "both apply" if first is not None and first == second else "both refuse" if first is second is None else ""
        )
        counted[f"GNU patch and git apply: {both or 'differ'}", ""] += 1
        for name in _OURS if both else ():
            files = files_or_none(sample, table[name].apply(sample, None))
            said = "refuses too" if files is None else "applies it"
            if both == "both apply":
                said = "the same" if files == first else "refuses" if files is None else "another result"
            counted[f"{both}, {name}: {said}", ""] += 1
    return counted


JURY = Drill("jury", "Our readings of 200,000 generated diffs beside GNU patch and git apply, counted.", _trials)
