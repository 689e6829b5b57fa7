"""How the cost of applying patches grows: with hunks, with lines, and with what a header claims."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import log2
from time import perf_counter_ns

from editcore.diff import unified_diff
from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.types import Applied, EditResult
from harness.bench.replacers import WorstCase

N_LINES, N_HUNKS = 100_000, 1_000
_DIFFS: dict[str, Callable[..., EditResult]] = {
    strictness: partial(apply_unified_diff, strictness=strictness) for strictness in STRICTNESSES
}


def _text(n_lines: int) -> list[str]:
    return [f"    value_{n} = compute(item_{n % 7}, {n % 13})" for n in range(n_lines)]


def _changed(n_lines: int, n_hunks: int) -> tuple[str, str]:
    """A text, and the same with so many lines changed, far apart."""
    before = _text(n_lines)
    after = list(before)
    step = n_lines // n_hunks
    for n in range(step // 2, n_lines, step):
        after[n] = f"    changed_{n} = {n}"
    return "\n".join(before) + "\n", "\n".join(after) + "\n"


def _apply(kind: str, before: str, after: str, patch: str) -> None:
    files = {"f.py": before}
    result = apply_begin_patch(files, patch) if kind == "lenient" else _DIFFS[kind](files, patch)
    assert isinstance(result, Applied), result
    assert result.files == {"f.py": after}


def _many_hunks(kind: str, scale: int) -> Callable[[], None]:
    """So many hunks on a text of so many lines, or of several times as many."""
    before, after = _changed(N_LINES * scale, N_HUNKS)
    patch = unified_diff(before, after, path="f.py")
    if kind == "lenient":
        hunks = patch.split("\n", 2)[2]
        body = "\n".join("@@" if line.startswith("@@") else line for line in hunks.split("\n"))
        patch = f"*** Begin Patch\n*** Update File: f.py\n{body}*** End Patch\n"
    return partial(_apply, kind, before, after, patch)


def _absurd_header(scale: int) -> Callable[[], None]:
    huge = 999_999_999 * scale
    patch = f"--- a/f.py\n+++ b/f.py\n@@ -1,{huge} +1,{huge} @@\n a\n-b\n+B\n c\n"
    return partial(_apply, "tolerant", "a\nb\nc\n", "a\nB\nc\n", patch)


def patch_cases(repeats: int = 3) -> Iterator[WorstCase]:
    """Each case at its size and at twice that, in turn; the best of several. Each also checks its result."""
    made: dict[str, tuple[str, Callable[[int], Callable[[], None]]]] = {
        f"{N_HUNKS:,} hunks, {kind}": (f"{N_LINES:,} lines", partial(_many_hunks, kind))
        for kind in ("strict", "fuzz", "tolerant", "lenient")
    }
    made["an absurd header, tolerant"] = ("999,999,999 lines claimed", _absurd_header)
    for name, (size, make) in made.items():
        calls = make(1), make(2)
        rounds = [[_seconds(call) for call in calls] for _ in range(repeats)]
        once, twice = (min(times) for times in zip(*rounds, strict=True))
        yield WorstCase(name, size, once, log2(twice / once))


def _seconds(call: Callable[[], None]) -> float:
    start = perf_counter_ns()
    call()
    return (perf_counter_ns() - start) / 1e9
