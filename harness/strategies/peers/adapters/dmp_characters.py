"""diff-match-patch as aider's search_replace.py uses it on characters: offsets carried over by a diff with the file.

A patch from the old string to the new one; its offsets are mapped through the diff of old string and file; Bitap with
threshold 0.95 and distance 500. All parts of the patch must fit. aider ships the rule, but calls it nowhere.
"""

from __future__ import annotations

from diff_match_patch import diff_match_patch

from .patched_text import serve_patches
from .protocol import Refusal

_TIMEOUT_S = 5


def _patched(text: str, old: str, new: str) -> str:
    engine = diff_match_patch()
    engine.Diff_Timeout = _TIMEOUT_S
    engine.Match_Threshold, engine.Match_Distance, engine.Match_MaxBits, engine.Patch_Margin = 0.95, 500, 128, 32
    changes = engine.diff_main(old, new, None)
    engine.diff_cleanupSemantic(changes)
    engine.diff_cleanupEfficiency(changes)
    patches = engine.patch_make(old, changes)
    placed = engine.diff_main(old, text)
    for patch in patches:
        patch.start1 = engine.diff_xIndex(placed, patch.start1)
        patch.start2 = engine.diff_xIndex(placed, patch.start2)
    patched, results = engine.patch_apply(patches, text)
    if not results or not all(results):
        raise Refusal("no_match", f"{results.count(False)} of {len(results)} patches could not be applied")
    return str(patched)


if __name__ == "__main__":
    serve_patches(_patched)
