"""`begin_patch`: the envelope of Codex, hunks without numbers between `*** Begin Patch` and `*** End Patch`.

*** Begin Patch
*** Update File: a.py
@@
-x = 1
+x = 2
*** End Patch
"""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.text.diff import unified_diff
from editcore.types import EditResult


def _apply(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
    from editcore.patches.begin_patch import apply_begin_patch

    return apply_begin_patch(files, edit.patch or "", seen=seen)


def _write(path: str, before: str, after: str) -> Written:
    rows = unified_diff(before, after, path=path).split("\n")[2:-1]
    hunks = ["@@" if row.startswith("@@") else row for row in rows if not row.startswith("\\")]
    lines = ["*** Begin Patch", f"*** Update File: {path}", *hunks, "*** End Patch"]
    return Written(patch="".join(f"{line}\n" for line in lines))


BEGIN_PATCH = Format("begin_patch", ("patch",), "begin_patch/lenient", _apply, _write, several_files=True)
