"""`unified_diff`: hunks under `--- a/PATH`, `+++ b/PATH` and `@@ -1,3 +1,4 @@`.

The careful rule reads numbers and counts as hints: the lines of a hunk must mean one place only.
"""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.text.diff import unified_diff
from editcore.types import EditResult


def _apply(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
    from editcore.patches.unified_diff import apply_unified_diff

    return apply_unified_diff(files, edit.patch or "", seen=seen)


def _write(path: str, before: str, after: str) -> Written:
    return Written(patch=unified_diff(before, after, path=path))


UNIFIED_DIFF = Format("unified_diff", ("patch",), "unified_diff/tolerant", _apply, _write, several_files=True)
