"""The benchmark's tables."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from harness.bench.outputs import output_cases
from harness.bench.patches import patch_cases
from harness.bench.replacers import ALL, Timing, WorstCase, compare_with_literal, worst_cases

_TO_YARDSTICK = ("line_trimmed", "block_anchor", "context_aware", ALL)


def print_bench(n: int, seed: int, *, as_json: bool = False) -> None:
    """Run the benchmark and print it to stdout; progress goes to stderr."""

    def report(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {n} finds", end="" if done < n else "\n", file=sys.stderr, flush=True)

    timings = compare_with_literal(n, seed, report)
    worst, patches, outputs = list(worst_cases()), list(patch_cases()), list(output_cases())
    if as_json:
        rows = [_row(timing) for timing in timings]
        tables = {"worst_cases": worst, "patches": patches, "outputs": outputs}
        cases = {name: [asdict(case) for case in table] for name, table in tables.items()}
        print(json.dumps({"schema_version": 1, "n": n, "seed": seed, "replacers": rows, **cases}, indent=2))
        return
    _print_timings(timings, n)
    print()
    _print_worst("worst cases, all nine together, best of five", worst)
    print()
    _print_worst("patches, best of three", patches)
    print()
    _print_worst("outputs cut and kept, best of three", outputs)


def _percentiles(values: Sequence[int]) -> tuple[float, float, float]:
    """p50, p99 and the maximum, in microseconds."""
    cuts = quantiles(values, n=100, method="inclusive") if len(values) > 1 else [float(values[0])] * 99
    return cuts[49] / 1e3, cuts[98] / 1e3, max(values) / 1e3


def _row(timing: Timing) -> dict[str, Any]:
    p50, p99, longest = _percentiles(timing.fast)
    row: dict[str, Any] = {"name": timing.name, "p50_us": p50, "p99_us": p99, "max_us": longest}
    literal = _percentiles(timing.literal)
    row |= {"literal_p50_us": literal[0], "literal_p99_us": literal[1]}
    row |= {"p50_ratio": literal[0] / p50, "p99_ratio": literal[1] / p99}
    row["p50_per_strip"] = p50 / _percentiles(timing.yardstick)[0]
    return row


def _print_timings(timings: Sequence[Timing], n: int) -> None:
    print(f"{n} finds in files of 500-2000 lines; microseconds; each on a new Document")
    ours = f"{'':<24}{'p50':>9}{'p99':>10}{'max':>10}"
    print(f"{ours}   {'literal p50':>12}{'p99':>12}   {'ratio p50':>9}{'p99':>7}   {'to strip':>8}")
    for timing in timings:
        row = _row(timing)
        line = f"{row['name']:<24}{row['p50_us']:>9.1f}{row['p99_us']:>10.1f}{row['max_us']:>10.1f}"
        line += f"   {row['literal_p50_us']:>12.1f}{row['literal_p99_us']:>12.1f}"
        line += f"   {row['p50_ratio']:>8.1f}x{row['p99_ratio']:>6.1f}x"
        if timing.name in _TO_YARDSTICK:
            line += f"   {row['p50_per_strip']:>7.2f}x"
        print(line)
    print("ratio: literal port / this; to strip: this / (str.splitlines + strip of each line), at p50")


def _print_worst(title: str, worst: Sequence[WorstCase]) -> None:
    print(title)
    width = max(len(case.name) for case in worst)
    print(f"{'':<{width}}  {'size':>22}  {'seconds':>8}  growth exponent over a doubling")
    for case in worst:
        print(f"{case.name:<{width}}  {case.size:>22}  {case.seconds:>8.4f}  {case.exponent:>6.2f}")
