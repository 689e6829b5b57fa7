"""CPU time of applying patches: with many hunks, on many lines, and with a header that claims many lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from editcore.patches.begin_patch import apply_begin_patch
from editcore.patches.unified_diff import STRICTNESSES, apply_unified_diff
from editcore.text.diff import unified_diff
from editcore.types import Applied, EditResult
from harness.bench.cpu_time import Measurement, measure_doubling

N_LINES, N_HUNKS = 100_000, 1_000
_DIFFS: dict[str, Callable[..., EditResult]] = {
    strictness: partial(apply_unified_diff, strictness=strictness) for strictness in STRICTNESSES
}


def _text(n_lines: int) -> list[str]:
    return [f"    value_{n} = compute(item_{n % 7}, {n % 13})" for n in range(n_lines)]


def _changed(n_lines: int, n_hunks: int) -> tuple[str, str]:
    """A text of `n_lines` lines, and the same with `n_hunks` lines changed, evenly spread."""
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
    """A patch of N_HUNKS hunks, applied to a text of `scale` times N_LINES lines."""
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


PATCHES: dict[str, tuple[str, Callable[[int], Callable[[], None]]]] = {
    **{
        f"{N_HUNKS:,} hunks, {kind}": (f"{N_LINES:,} lines", partial(_many_hunks, kind))
        for kind in ("strict", "fuzz", "tolerant", "lenient")
    },
    "an absurd header, tolerant": ("999,999,999 lines claimed", _absurd_header),
}
"""Case -> its size in words, and what makes the call at that size, or at a multiple of it."""


def patch_cases(rounds: int = 3) -> Iterator[Measurement]:
    """Each case at its size; the exponent is to twice that size. Each call checks its result too."""
    for name, (size, make) in PATCHES.items():
        yield measure_doubling(name, size, (make(1), make(2)), rounds=rounds)
