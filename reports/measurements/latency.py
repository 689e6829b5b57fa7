"""How long a call takes."""

from __future__ import annotations

from reports.measurements.counts import Counts
from reports.measurements.latencies import in_process
from reports.measurements.measurement import Measurement, Shown, Unit

_SHARES = (0.5, 0.9, 0.99, 1.0)
"""Of the samples: the percentiles are counted together."""


def _percentile(share: float, name: str, heading: str, meaning: str, shown: Shown) -> Measurement[int | None]:
    def of(counts: Counts) -> int | None:
        found = counts.latencies.percentiles(_SHARES, in_process=in_process(counts.strategy))
        return found[_SHARES.index(share)]

    return Measurement(name, heading, meaning, Unit.NANOSECONDS, of, in_table=shown, on_page=shown)


P50 = _percentile(0.5, "p50_ns", "p50", "median latency of a call", Shown.ALWAYS)
P90 = _percentile(0.9, "p90_ns", "p90", "90th percentile of the latency of a call", Shown.NEVER)
P99 = _percentile(0.99, "p99_ns", "p99", "99th percentile of the latency of a call", Shown.ALWAYS)
LONGEST = _percentile(1.0, "max_ns", "maximum", "latency of the slowest call", Shown.NEVER)
