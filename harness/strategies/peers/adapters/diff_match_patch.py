"""diff-match-patch: the patch from the search text to the new text, applied to the file in three ways.

The edits of a sample are applied one after the other, and each must be applied as a whole.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from diff_match_patch import diff_match_patch

from .protocol import Refusal, Sample, serve

_TIMEOUT_S = 5


def _moved(text: str, old: str, new: str) -> str:
    """The patch of the two texts, moved to the place of the old text."""
    engine = diff_match_patch()
    # By default a diff is what can be computed in a second, which depends on the machine.
    engine.Diff_Timeout = 0
    start = _start(engine, text, old)
    patches = engine.patch_make(old, new)
    for patch in patches:
        patch.start1 += start
        patch.start2 += start
    return _all_applied(engine, patches, text)


def _start(engine: diff_match_patch, text: str, old: str) -> int:
    """The first occurrence of the old text, or the best match of its first Match_MaxBits characters."""
    start = text.find(old)
    if start < 0:
        # The expected place is unknown, so distance from the start must not count against a match.
        engine.Match_Distance = 1000 * max(len(text), 1)
        start = engine.match_main(text, old[: engine.Match_MaxBits], 0)
    if start < 0:
        raise Refusal("no_match", "the old string was not found")
    return start


def _on_characters(text: str, old: str, new: str) -> str:
    """The patch of the two texts. The diff of old text and file maps its offsets.

    aider ships the rule in search_replace.py (Bitap, threshold 0.95, distance 500), but calls it nowhere.
    """
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
    return _all_applied(engine, patches, text, may_be_none=False)


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _on_lines(text: str, old: str, new: str) -> str:
    """The patch of the lines, in which one character stands for each distinct line, applied to the file's lines.

    aider ships the rule in search_replace.py (Bitap, threshold 0.1, distance 100,000), but calls it nowhere.
    """
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
    patched = _all_applied(engine, engine.patch_make(before, changes), whole, may_be_none=False)
    return "".join(lines[ord(symbol)] for symbol in patched)


def _all_applied(engine: diff_match_patch, patches: list[object], text: str, *, may_be_none: bool = True) -> str:
    """The text with all patches applied. Raises Refusal if one does not fit, or if there must be one and is none."""
    patched, results = engine.patch_apply(patches, text)
    if not all(results) or not (results or may_be_none):
        raise Refusal("no_match", f"{results.count(False)} of {len(results)} patches could not be applied")
    return str(patched)


def _apply(patched: Callable[[str, str, str], str], sample: Sample) -> dict[str, str]:
    file = sample["before"][0]
    text = file["content"]
    for edit in sample["edits"]:
        if edit.get("replace_all"):
            raise Refusal("not_allowed", "a patch changes one place")
        text = patched(text, edit["old_string"], edit["new_string"])
    return {file["path"]: text}


_WAYS = {"diff_match_patch": _moved, "dmp_characters": _on_characters, "dmp_lines": _on_lines}

if __name__ == "__main__":
    serve(partial(_apply, _WAYS[sys.argv[1]]))
