"""aider's unified diffs: its UnifiedDiffCoder."""

from __future__ import annotations

from aider.coders.udiff_coder import UnifiedDiffCoder

from .aider import apply_with
from .protocol import Sample, serve

_FENCE = "```diff"


def apply(sample: Sample) -> dict[str, str]:
    return apply_with(UnifiedDiffCoder, sample, fenced(sample["patch"]))


def fenced(patch: str) -> str:
    """The patch as aider asks models to write it: each file's diff in a fence that starts with its two names.

    aider reads nothing outside fences, and no names that follow git's own header lines.
    """
    lines = patch.splitlines(keepends=True)
    if any(line.startswith(_FENCE) for line in lines):
        return patch
    starts = [n for n, line in enumerate(lines[:-1]) if line.startswith("--- ") and lines[n + 1].startswith("+++ ")]
    diffs = [lines[start:end] for start, end in zip(starts or [0], [*starts[1:], len(lines)], strict=True)]
    return "".join(f"{_FENCE}\n{_until_the_next(diff)}```\n" for diff in diffs)


def _until_the_next(diff: list[str]) -> str:
    """The text of a diff up to the next `diff --git` line."""
    ends = (n for n, line in enumerate(diff) if line.startswith("diff --git "))
    text = "".join(diff[: next(ends, len(diff))])
    return text if text.endswith("\n") else f"{text}\n"


if __name__ == "__main__":
    serve(apply)
