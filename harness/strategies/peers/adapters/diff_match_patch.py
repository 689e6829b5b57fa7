"""diff-match-patch: a patch from the old string to the new one, moved to where the old one is found, and applied."""

from __future__ import annotations

from diff_match_patch import diff_match_patch

from .patched_text import serve_patches
from .protocol import Refusal


def _patched(text: str, old: str, new: str) -> str:
    engine = diff_match_patch()
    # By default a diff is what can be computed in a second, which depends on the machine.
    engine.Diff_Timeout = 0
    start = _start(engine, text, old)
    patches = engine.patch_make(old, new)
    for patch in patches:
        patch.start1 += start
        patch.start2 += start
    patched, results = engine.patch_apply(patches, text)
    if not all(results):
        raise Refusal("no_match", f"{results.count(False)} of {len(results)} patches could not be applied")
    return str(patched)


def _start(engine: diff_match_patch, text: str, old: str) -> int:
    """The offset of the old string: its first occurrence, or the best match of its first Match_MaxBits characters."""
    start = text.find(old)
    if start < 0:
        # The expected place is unknown, so distance from the start must not count against a match.
        engine.Match_Distance = 1000 * max(len(text), 1)
        start = engine.match_main(text, old[: engine.Match_MaxBits], 0)
    if start < 0:
        raise Refusal("no_match", "the old string was not found")
    return start


if __name__ == "__main__":
    serve_patches(_patched)
