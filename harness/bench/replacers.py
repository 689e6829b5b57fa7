"""CPU time of the replacers, compared with their literal port on real files.

Both run in one process, in turn, on the same inputs. Quote the ratios, since machines differ.
"""

from __future__ import annotations

import gc
import random
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from editcore.apply import replace
from editcore.replacers import REPLACERS
from editcore.text.document import Document
from editcore.types import Applied
from harness.bench.growth import best_of, timed
from harness.bench.literal_port import LITERAL

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
