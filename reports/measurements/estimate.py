"""A measured rate with its interval, and how rates are written."""

from __future__ import annotations

from dataclasses import dataclass

from reports.measurements.interval import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured rate with its 95 % interval, see `reports.measurements.interval`."""

    metric: str
    """The name of the measurement."""
    strategy: str
    value: float
    low: float
    high: float
    n: int
    """The denominator."""


def estimated(metric: str, strategy: str, successes: int, n: int, interval: Interval) -> Estimate:
    """The estimate of a rate."""
    return Estimate(metric, strategy, successes / n, *interval, n)


def percent(rate: float) -> str:
    """A rate as `4.2 %`, with more digits where rounding would give 0 or 100 %."""
    digits = 1
    while digits < 4 and 0 < rate < 1 and round(100 * rate, digits) in (0, 100):
        digits += 1
    return f"{100 * rate:.{digits}f} %"
