"""diff-match-patch as aider's search_replace.py uses it on lines: each distinct line is one character.

A patch from the old lines to the new ones, applied to the file's lines: Bitap with threshold 0.1 and distance 100,000.
All parts of the patch must fit. aider ships the rule, but calls it nowhere.
"""

from __future__ import annotations

from diff_match_patch import diff_match_patch

from .patched_text import serve_patches
from .protocol import Refusal


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _patched(text: str, old: str, new: str) -> str:
    text, old, new = _ended(text), _ended(old), _ended(new)
    engine = diff_match_patch()
    engine.Diff_Timeout = 0
    engine.Match_Threshold, engine.Match_Distance, engine.Match_MaxBits, engine.Patch_Margin = 0.1, 100_000, 32, 1
    symbols, _, lines = engine.diff_linesToChars(old + new + text, "")
    n_old, n_new = old.count("\n"), new.count("\n")
    before, after, whole = symbols[:n_old], symbols[n_old : n_old + n_new], symbols[n_old + n_new :]
    changes = engine.diff_main(before, after, None)
    engine.diff_cleanupSemantic(changes)
    engine.diff_cleanupEfficiency(changes)
    patched, results = engine.patch_apply(engine.patch_make(before, changes), whole)
    if not results or not all(results):
        raise Refusal("no_match", f"{results.count(False)} of {len(results)} patches could not be applied")
    return "".join(lines[ord(symbol)] for symbol in patched)


if __name__ == "__main__":
    serve_patches(_patched)
