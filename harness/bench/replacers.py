"""How fast the replacers are: against their literal port on real files, and on the worst cases known.

A benchmark, not a test: it prints, it never fails. Both sides run in one process, in turn, on the same
inputs; quote the ratios, since machines differ.
"""

from __future__ import annotations

import gc
import random
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import log2
from pathlib import Path
from time import perf_counter_ns

from editcore.document import Document
from editcore.replacers import REPLACERS
from harness.bench.growth_inputs.edits import EDIT_FAMILIES
from harness.bench.literal_port import LITERAL

ALL = "all nine, cold"


@dataclass(frozen=True, slots=True)
class Case:
    """A document and a find."""

    text: str
    find: str
    drift: str


@dataclass(frozen=True, slots=True)
class Timing:
    """One row of the first table; nanoseconds."""

    name: str
    fast: list[int]
    literal: list[int]
    yardstick: list[int]
    """`str.splitlines` and `strip` on the same document."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """One row of the second table."""

    name: str
    size: str
    seconds: float
    """All nine together, the best of several."""
    exponent: float
    """log2 of the time at twice the size over the time at the size."""


def standard_library(shortest: int = 500, longest: int = 2000) -> list[str]:
    """The texts of the standard library's own modules of so many lines, in a fixed order."""
    texts = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if shortest <= text.count("\n") <= longest:
            texts.append(text)
    return texts


def cases(n: int, seed: int) -> list[Case]:
    """Finds of 1 to 60 lines cut from real files and drifted as models drift."""
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


_DRIFTS: dict[str, Callable[[list[str], random.Random], list[str]]] = {
    "exact": lambda lines, _: lines,
    "re-indented": lambda lines, _: ["    " + line if line else line for line in lines],
    "misremembered": _misremembered,
    "trailing newline": lambda lines, _: [*lines, ""],
    "blanks": lambda lines, _: [line.replace(" = ", "  =  ").replace(", ", ",") for line in lines],
    "escaped": lambda lines, _: [line.replace('"', '\\"').replace("'", "\\'") for line in lines],
    "absent": lambda lines, _: [line[::-1] for line in lines],
}


def compare_with_literal(n: int, seed: int, report: Callable[[int], None] = lambda _: None) -> list[Timing]:
    """Each replacer and all nine, cold, on n cases. Raises AssertionError should the two sides ever differ."""
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
    start = perf_counter_ns()
    _ = [line.strip() for line in case.text.splitlines()]
    yardstick = perf_counter_ns() - start
    offered = []
    for name, replacer in REPLACERS.items():
        start = perf_counter_ns()
        candidates = list(replacer(Document(case.text), case.find))
        rows[name].fast.append(perf_counter_ns() - start)
        rows[name].yardstick.append(yardstick)
        offered.append(candidates)
    start = perf_counter_ns()
    run_all(case.text, case.find)
    rows[ALL].fast.append(perf_counter_ns() - start)
    rows[ALL].yardstick.append(yardstick)
    return offered


def run_all(text: str, find: str) -> int:
    """How many candidates all nine offer, on a document of their own."""
    document = Document(text)
    return sum(1 for replacer in REPLACERS.values() for _ in replacer(document, find))


def _literal(case: Case, rows: Mapping[str, Timing]) -> list[list[str]]:
    offered = []
    total = 0
    for name, replacer in LITERAL.items():
        start = perf_counter_ns()
        candidates = list(replacer(case.text, case.find))
        taken = perf_counter_ns() - start
        rows[name].literal.append(taken)
        total += taken
        offered.append(candidates)
    rows[ALL].literal.append(total)
    return offered


_WORST: dict[str, tuple[int, str, Callable[[int], tuple[str, str]]]] = {
    "every line is the first anchor": (20_000, "lines", EDIT_FAMILIES["every line is the first anchor"]),
    "every line is a blank first anchor": (20_000, "lines", EDIT_FAMILIES["every line is a blank first anchor"]),
    "first anchors share one last anchor": (20_000, "lines", EDIT_FAMILIES["first anchors share one last anchor"]),
    "identical lines, ambiguous find": (20_000, "lines", EDIT_FAMILIES["identical lines, ambiguous find"]),
    "identical lines, ambiguous block": (20_000, "lines", EDIT_FAMILIES["identical lines, ambiguous block"]),
    "two lines of 5,000 characters": (5_000, "characters", EDIT_FAMILIES["two lines of many characters"]),
    "two unlike lines of 5,000 characters": (5_000, "characters", EDIT_FAMILIES["two unlike lines of many characters"]),
    "50-line find, absent": (12_500, "lines", EDIT_FAMILIES["50-line find, absent"]),
    "1 MB on one line": (1_000_000, "characters", EDIT_FAMILIES["one long line"]),
    "1 MB on one line, found": (1_000_000, "characters", EDIT_FAMILIES["one long line, found"]),
    "5,000-line find, absent": (5_000, "lines of find", EDIT_FAMILIES["big find, absent"]),
    "5,000-line find, re-indented": (5_000, "lines of find", EDIT_FAMILIES["big find, re-indented"]),
    "escapes on every line": (20_000, "lines", EDIT_FAMILIES["escapes on every line"]),
}


def worst_cases(repeats: int = 5) -> Iterator[WorstCase]:
    """The inputs people reported as hanging, at their size and at twice that, in turn; the best of several."""
    for name, (size, unit, make) in _WORST.items():
        made = make(size), make(2 * size)
        rounds = [[_seconds(*case) for case in made] for _ in range(repeats)]
        once, twice = (min(times) for times in zip(*rounds, strict=True))
        yield WorstCase(name, f"{size:,} {unit}", once, log2(twice / once))


def _seconds(text: str, find: str) -> float:
    start = perf_counter_ns()
    run_all(text, find)
    return (perf_counter_ns() - start) / 1e9
