"""Drill: the growth of the CPU time of scrubbing, and of everything that applies edits, over families of inputs.

The exponent is the slope of log time over log characters at the three largest sizes: 1 is linear, 2 quadratic. Each
trial is measured in a process of its own, with limits on memory and on the CPU time of one call.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import monotonic

from harness.bench.growth import SizedCall, exponent_over, imitations, measure_growth, operations
from harness.fuzz.drills.drill import Drill, DrillSettings, Trial

MAX_EXPONENT = 1.2
"""A larger exponent fails the drill, except for an agent's rule: the agent itself has it too."""
_OVER = {"over_limits": 1.0}


def _trials(settings: DrillSettings) -> Iterator[Trial]:
    until = settings.deadline()
    done = 0
    imitated = imitations()
    for operation, families in {**operations(), **imitated}.items():
        for family, make in families.items():
            if done == settings.runs or monotonic() > until:
                return
            yield trial(operation, family, make, is_bound=operation not in imitated)
            done += 1


GROWTH = Drill(
    "growth", "CPU time grows in proportion to the input: exponents over families of growing inputs.", _trials
)


def trial(operation: str, family: str, make: SizedCall, *, is_bound: bool = True) -> Trial:
    """The growth of one operation over one family, measured in a process of its own.

    An operation that is not bound never fails. A figure says how it grew, or that it ran into the limits.
    """
    points = measure_growth(make, MAX_EXPONENT if is_bound else inf)
    if isinstance(points, str):
        return Trial(operation, family, broken=points) if is_bound else Trial(operation, family, figures=_OVER)
    last, exponent = points[-1], exponent_over(points)
    figures = {"seconds_per_megabyte": last.seconds / last.size * 1e6}
    if exponent is None:
        return Trial(operation, family, figures=figures)
    figures["exponent"] = exponent
    if exponent <= MAX_EXPONENT or not is_bound:
        return Trial(operation, family, figures=figures)
    sizes = ", ".join(f"{point.seconds * 1e3:.1f} ms for {point.size:,} characters" for point in points)
    return Trial(operation, family, broken=f"exponent {exponent:.2f}, over {MAX_EXPONENT:g}: {sizes}", figures=figures)
