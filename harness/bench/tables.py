"""The tables of `editgauge bench`: the replacers beside their literal port, the worst cases, the shortened outputs."""

from __future__ import annotations

import gc
import json
import random
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Any

from editcore.apply import replace
from editcore.host.truncation import Outputs, Shortened
from editcore.replacers import REPLACERS
from editcore.text.document import Document
from editcore.types import Applied
from harness.bench.growth import Measurement, TimedCall, best_of, growth_exponent, measure_doubling, operations, timed
from harness.bench.growth_inputs.edits import EDIT_FAMILIES
from harness.bench.literal_port import LITERAL
from harness.progress import show_progress

# CPU time of the replacers, compared with their literal port on real files.
#
# Both run in one process, in turn, on the same inputs. Quote the ratios, since machines differ.

ALL = "all nine, cold"


@dataclass(frozen=True, slots=True)
class Case:
    text: str
    find: str
    drift: str
    """The difference between the search text and the text that it was cut from."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of one replacer, in seconds, one for each case."""

    name: str
    fast: list[float]
    literal: list[float]
    yardstick: list[float]
    """The time of `str.splitlines`, and of `strip` of each line, on the same file text."""


def standard_library(shortest: int = 500, longest: int = 2000) -> list[str]:
    """The texts of the standard library's modules with that many lines, in a fixed order."""
    texts = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if shortest <= text.count("\n") <= longest:
            texts.append(text)
    return texts


def cases(n: int, seed: int) -> list[Case]:
    """Search texts of 1 to 60 lines, cut from real files and changed as models change them."""
    rng = random.Random(f"{seed}/bench")
    texts = standard_library()
    drifts = list(_DRIFTS.items())
    made = []
    for number in range(n):
        text = rng.choice(texts)
        lines = text.split("\n")
        size = rng.choice((1, 1, 2, 3, 4, 5, 8, 12, 20, 30, 60))
        start = rng.randrange(len(lines) - size)
        block = lines[start : start + size]
        name, drift = drifts[number % len(drifts)]
        made.append(Case(text, "\n".join(drift(block, rng)) or "pass", name))
    return made


def _misremembered(lines: list[str], rng: random.Random) -> list[str]:
    changed = list(lines)
    at = rng.randrange(len(lines))
    changed[at] = changed[at] + "_not_there"
    return changed


Drift = Callable[[list[str], random.Random], list[str]]
_DRIFTS: dict[str, Drift] = {
    "exact": lambda lines, _: lines,
    "re-indented": lambda lines, _: ["    " + line if line else line for line in lines],
    "misremembered": _misremembered,
    "trailing newline": lambda lines, _: [*lines, ""],
    "other spaces": lambda lines, _: [line.replace(" = ", "  =  ").replace(", ", ",") for line in lines],
    "escaped": lambda lines, _: [line.replace('"', '\\"').replace("'", "\\'") for line in lines],
    "absent": lambda lines, _: [line[::-1] for line in lines],
}


def compare_with_literal(n: int, seed: int, report: Callable[[int], None] = lambda _: None) -> list[Timing]:
    """Time each replacer, and all nine together, on `n` cases, each on a new Document.

    Raises AssertionError if port and replacer offer different candidates.
    """
    rows = {name: Timing(name, [], [], []) for name in (*REPLACERS, ALL)}
    gc.collect()
    gc.disable()
    try:
        made = cases(n, seed)
        for case in made[:3]:
            _fast(case, {name: Timing(name, [], [], []) for name in rows})
        for number, case in enumerate(made):
            ours = _fast(case, rows)
            theirs = _literal(case, rows)
            assert ours == theirs, f"the two sides differ on case {number} of seed {seed}"
            report(number + 1)
    finally:
        gc.enable()
    return list(rows.values())


def _fast(case: Case, rows: Mapping[str, Timing]) -> list[list[str]]:
    _, yardstick = timed(lambda: [line.strip() for line in case.text.splitlines()])
    offered = []
    for name, replacer in REPLACERS.items():
        candidates, seconds = timed(lambda replacer=replacer: list(replacer(Document(case.text), case.find)))  # type: ignore[misc]
        rows[name].fast.append(seconds)
        rows[name].yardstick.append(yardstick)
        offered.append(candidates)
    _, seconds = timed(lambda: run_all(case.text, case.find))
    rows[ALL].fast.append(seconds)
    rows[ALL].yardstick.append(yardstick)
    return offered


def run_all(text: str, find: str) -> int:
    """The number of candidates that all nine replacers offer on a new Document."""
    document = Document(text)
    return sum(1 for replacer in REPLACERS.values() for _ in replacer(document, find))


def _literal(case: Case, rows: Mapping[str, Timing]) -> list[list[str]]:
    offered = []
    total = 0.0
    for name, replacer in LITERAL.items():
        candidates, seconds = timed(lambda replacer=replacer: list(replacer(case.text, case.find)))  # type: ignore[misc]
        rows[name].literal.append(seconds)
        total += seconds
        offered.append(candidates)
    rows[ALL].literal.append(total)
    return offered


# CPU time of `recommended` on edits without an exact match in real files: by kind, and by result.

FOUND, REFUSED = "found", "refused"


@dataclass(frozen=True, slots=True)
class WrittenEdit:
    """An edit of lines of a file, as a model writes it."""

    kind: str
    text: str
    old: str
    new: str


def _with_extra_word(lines: list[str], rng: random.Random) -> list[str]:
    at = rng.choice([n for n, line in enumerate(lines) if line.strip()])
    words = lines[at].split(" ")
    words.insert(rng.randint(0, len(words)), "extra")
    return [*lines[:at], " ".join(words), *lines[at + 1 :]]


_KINDS: Mapping[str, tuple[int, Drift]] = {
    "absent": (7, lambda lines, _: [line[: len(line) - len(line.lstrip())] + line.strip()[::-1] for line in lines]),
    "an extra word": (5, _with_extra_word),
    "indented by two": (4, lambda lines, _: [f"  {line}" if line.strip() else line for line in lines]),
    "other spaces": (4, _DRIFTS["other spaces"]),
}
"""Kind -> its number among twenty edits, and the change of the lines."""


def written_edits(n: int, seed: int) -> Iterator[WrittenEdit]:
    """Edits of 2 to 12 lines of modules of the standard library. No search text occurs exactly."""
    rng = random.Random(f"{seed}/edits")
    texts = standard_library()
    kinds = [kind for kind, (share, _) in _KINDS.items() for _ in range(share)]
    for number in range(n):
        kind = kinds[number % len(kinds)]
        old, text = "", ""
        while old in text:
            text = rng.choice(texts)
            lines = text.split("\n")
            start = rng.randrange(len(lines) - 12)
            block = lines[start : start + rng.randint(2, 12)]
            if any(line.strip() for line in block):
                old = "\n".join(_KINDS[kind][1](block, rng))
        yield WrittenEdit(kind, text, old, f"{old}  # changed")


def time_edits(n: int, seed: int, report: Callable[[int], None] = lambda _: None) -> dict[str, list[float]]:
    """The CPU seconds of each edit, best of three: of found edits, of refused edits, and of each kind."""
    times: dict[str, list[float]] = {name: [] for name in (FOUND, REFUSED, *_KINDS)}
    for number, edit in enumerate(written_edits(n, seed), 1):
        call = partial(replace, edit.text, edit.old, edit.new)
        [seconds] = best_of([call])
        for name in (FOUND if isinstance(call(), Applied) else REFUSED, edit.kind):
            times[name].append(seconds)
        report(number)
    return {name: seconds for name, seconds in times.items() if seconds}


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
