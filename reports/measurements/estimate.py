"""A measured rate with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

CONFIDENCE = 0.95


def wilson(successes: int, n: int, *, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The Wilson score interval of a rate, which keeps its coverage for small n and lies within 0 and 1.

    Raises ValueError for n = 0 and for counts outside 0..n.
    """
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"{successes} of {n} is no rate")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, spread = successes / n, z * z / n
    middle = (rate + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(rate * (1 - rate) / n + spread / (4 * n))
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return low, high


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured rate with its 95 % Wilson interval."""

    metric: str
    """The name of the measurement."""
    strategy: str
    value: float
    low: float
    high: float
    n: int
    """The denominator."""


def estimated(metric: str, strategy: str, successes: int, n: int) -> Estimate:
    """The estimate of a rate. Raises ValueError as `wilson` does."""
    return Estimate(metric, strategy, successes / n, *wilson(successes, n), n)


def percent(rate: float) -> str:
    """A rate as `4.2 %`, with more digits where rounding would give 0 or 100 %."""
    digits = 1
    while digits < 4 and 0 < rate < 1 and round(100 * rate, digits) in (0, 100):
        digits += 1
    return f"{100 * rate:.{digits}f} %"
