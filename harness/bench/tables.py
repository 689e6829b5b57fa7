"""The tables of `editgauge bench`, with the worst cases and the shortened outputs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any

from editcore.host.truncation import Outputs, Shortened
from harness.bench.growth import Measurement, TimedCall, best_of, growth_exponent, measure_doubling, operations
from harness.bench.growth_inputs.edits import EDIT_FAMILIES
from harness.bench.replacers import ALL, Timing, compare_with_literal, run_all, time_edits
from harness.progress import show_progress

# CPU time on the worst known inputs, at a size that users met and at twice that size. The inputs are families of the
# drill `growth`, which measures every operation on all of them at other sizes.

_ALL_NINE = "all nine"


@dataclass(frozen=True, slots=True)
class WorstCase:
    family: str
    size: int
    unit: str
    operation: str = _ALL_NINE
    """All nine replacers together, or a name in `harness.bench.growth`."""

    @property
    def name(self) -> str:
        """The family, followed by the operation if the family has several."""
        return self.family if self.operation == _ALL_NINE else f"{self.family}, {self.operation.rpartition('/')[2]}"

    def call(self, size: int) -> TimedCall:
        if self.operation == _ALL_NINE:
            return partial(run_all, *EDIT_FAMILIES[self.family](size))
        return operations()[self.operation][self.family](size)[1]


REPLACER_CASES = (
    WorstCase("every line is the first anchor", 20_000, "lines"),
    WorstCase("every line is a blank first anchor", 20_000, "lines"),
    WorstCase("first anchors share one last anchor", 20_000, "lines"),
    WorstCase("identical lines, ambiguous find", 20_000, "lines"),
    WorstCase("identical lines, ambiguous block", 20_000, "lines"),
    WorstCase("two lines of many characters", 5_000, "characters"),
    WorstCase("two unlike lines of many characters", 5_000, "characters"),
    WorstCase("50-line find, absent", 12_500, "lines"),
    WorstCase("one long line", 1_000_000, "characters"),
    WorstCase("one long line, found", 1_000_000, "characters"),
    WorstCase("big find, absent", 5_000, "lines of find"),
    WorstCase("big find, re-indented", 5_000, "lines of find"),
    WorstCase("escapes on every line", 20_000, "lines"),
)
"""Inputs of replacers that users reported as hanging."""
PATCH_CASES = (
    *(WorstCase("many hunks", 50_000, "lines", f"patch/unified_diff/{one}") for one in ("strict", "fuzz", "tolerant")),
    WorstCase("many hunks", 50_000, "lines", "patch/begin_patch/lenient"),
    WorstCase("numbers without end", 50_000, "lines", "patch/unified_diff/tolerant"),
)
"""Patches with a hunk for every tenth line of a large file."""


def measured(cases: Sequence[WorstCase], *, rounds: int) -> Iterator[Measurement]:
    """Each case at its size, with the exponent from there to twice the size."""
    for case in cases:
        calls = case.call(case.size), case.call(2 * case.size)
        yield measure_doubling(case.name, f"{case.size:,} {case.unit}", calls, rounds=rounds)


# CPU time of shortening an output for a model while the whole output is kept in a file.

N_BYTES = 100_000_000

OUTPUTS = {
    "lines": "a line of the output of a command, as they are\n",
    "one line": "x" * 50,
    "wide lines": "\u4e00\u4e8c\u4e09\u56db\u4e94\n",
}
"""Kind of output -> the text that it repeats."""


def output_cases(rounds: int = 3) -> Iterator[Measurement]:
    """Each kind of output at N_BYTES, with its file written; the exponent is from half of that size."""
    with tempfile.TemporaryDirectory(prefix="editgauge-") as folder:
        outputs = Outputs(Path(folder, "outputs"))
        for name, piece in OUTPUTS.items():
            n_pieces = N_BYTES // len(piece.encode())
            calls = [partial(outputs.shortened, piece * n) for n in (n_pieces // 2, n_pieces)]
            half, whole = best_of(calls, rounds=rounds, after=_remove_file)
            yield Measurement(name, f"{N_BYTES / 1e6:g} MB", whole, growth_exponent((1, 2), (half, whole)))


def _remove_file(shortened: Shortened) -> None:
    assert shortened.path, "an output of this size is kept in a file"
    shortened.path.unlink()


_TO_YARDSTICK = ("line_trimmed", "block_anchor", "context_aware", ALL)


def print_bench(n: int, seed: int, *, as_json: bool = False) -> None:
    """Run the benchmark and print it to stdout; progress goes to stderr."""
    n_all = 2 * n + len(REPLACER_CASES) + len(PATCH_CASES) + len(OUTPUTS)
    with show_progress("measurements") as report:
        report(0, n_all)
        timings = compare_with_literal(n, seed, lambda done: report(done, n_all))
        edits = time_edits(n, seed, lambda done: report(n + done, n_all))
        n_done, tables = 2 * n, dict[str, list[Measurement]]()
        for name, (_, measure) in _TABLES.items():
            tables[name] = []
            for one in measure():
                tables[name].append(one)
                n_done += 1
                report(n_done, n_all)
    if as_json:
        taken = [{"name": name, "n": len(seconds), **_microseconds(seconds)} for name, seconds in edits.items()]
        cases = {name: list(map(asdict, rows)) for name, rows in tables.items()}
        found = {"schema_version": 1, "n": n, "seed": seed, "replacers": list(map(_row, timings)), "edits": taken}
        print(json.dumps({**found, **cases}, indent=2))
        return
    _print_timings(timings, n)
    print()
    _print_edits(edits)
    for name, (title, _) in _TABLES.items():
        print()
        _print_measurements(title, tables[name])


_TABLES: Mapping[str, tuple[str, Callable[[], Iterator[Measurement]]]] = {
    "worst_cases": (
        "worst cases, all nine together, CPU seconds, best of five", lambda: measured(REPLACER_CASES, rounds=5)
    ),
    "patches": ("patches, CPU seconds, best of three", lambda: measured(PATCH_CASES, rounds=3)),
    "outputs": ("outputs shortened and kept, CPU seconds, best of three", output_cases),
}  # fmt: skip
"""Key in the JSON document -> title, and what measures the rows."""


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
