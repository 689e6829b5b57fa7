"""The tables of `editgauge bench`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from harness.bench.cpu_time import Measurement
from harness.bench.edits import time_edits
from harness.bench.outputs import OUTPUTS, output_cases
from harness.bench.replacers import ALL, Timing, compare_with_literal
from harness.bench.worst_cases import PATCH_CASES, REPLACER_CASES, measured
from harness.progress import show_progress

_TO_YARDSTICK = ("line_trimmed", "block_anchor", "context_aware", ALL)


def print_bench(n: int, seed: int, *, as_json: bool = False) -> None:
    """Run the benchmark and print it to stdout; progress goes to stderr."""
    n_all = 2 * n + len(REPLACER_CASES) + len(PATCH_CASES) + len(OUTPUTS)
    with show_progress("measurements") as report:
        report(0, n_all)
        timings = compare_with_literal(n, seed, lambda done: report(done, n_all))
        edits = time_edits(n, seed, lambda done: report(n + done, n_all))
        tables: list[list[Measurement]] = []
        n_done = 2 * n
        for table in (measured(REPLACER_CASES, rounds=5), measured(PATCH_CASES, rounds=3), output_cases()):
            tables.append([])
            for one in table:
                tables[-1].append(one)
                n_done += 1
                report(n_done, n_all)
    worst, patches, outputs = tables
    if as_json:
        rows = [_row(timing) for timing in timings]
        taken = [{"name": name, "n": len(seconds), **_microseconds(seconds)} for name, seconds in edits.items()]
        named = {"worst_cases": worst, "patches": patches, "outputs": outputs}
        cases = {name: [asdict(case) for case in table] for name, table in named.items()}
        print(
            json.dumps(
                {"schema_version": 1, "n": n, "seed": seed, "replacers": rows, "edits": taken, **cases}, indent=2
            )
        )
        return
    _print_timings(timings, n)
    print()
    _print_edits(edits)
    print()
    _print_measurements("worst cases, all nine together, CPU seconds, best of five", worst)
    print()
    _print_measurements("patches, CPU seconds, best of three", patches)
    print()
    _print_measurements("outputs shortened and kept, CPU seconds, best of three", outputs)


def _percentiles(seconds: Sequence[float]) -> tuple[float, float, float]:
    """p50, p99 and the maximum, in microseconds."""
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 99
    return cuts[49] * 1e6, cuts[98] * 1e6, max(seconds) * 1e6


def _microseconds(seconds: Sequence[float]) -> dict[str, Any]:
    return dict(zip(("p50_us", "p99_us", "max_us"), _percentiles(seconds), strict=True))


def _row(timing: Timing) -> dict[str, Any]:
    p50, p99, _ = _percentiles(timing.fast)
    row: dict[str, Any] = {"name": timing.name, **_microseconds(timing.fast)}
    literal = _percentiles(timing.literal)
    row |= {"literal_p50_us": literal[0], "literal_p99_us": literal[1]}
    row |= {"p50_ratio": literal[0] / p50, "p99_ratio": literal[1] / p99}
    row["p50_per_strip"] = p50 / _percentiles(timing.yardstick)[0]
    return row


def _print_timings(timings: Sequence[Timing], n: int) -> None:
    print(f"{n} search texts in files of 500-2000 lines; CPU time in microseconds; each on a new Document")
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


def _print_edits(times: Mapping[str, Sequence[float]]) -> None:
    print("recommended on edits of these files that no exact place takes; CPU time in microseconds, best of three")
    print(f"{'':<24}{'edits':>9}{'p50':>10}{'p99':>10}{'max':>10}")
    for name, seconds in times.items():
        p50, p99, longest = _percentiles(seconds)
        print(f"{name:<24}{len(seconds):>9}{p50:>10.1f}{p99:>10.1f}{longest:>10.1f}")


def _print_measurements(title: str, rows: Sequence[Measurement]) -> None:
    print(title)
    width = max(len(row.name) for row in rows)
    print(f"{'':<{width}}  {'size':>22}  {'seconds':>8}  growth exponent over a doubling")
    for row in rows:
        print(f"{row.name:<{width}}  {row.size:>22}  {row.seconds:>8.4f}  {row.exponent:>6.2f}")
