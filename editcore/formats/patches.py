"""Formats whose edits are one text: `unified_diff`, `begin_patch`, and the three that name lines by number and hash.

Views and rules of the last three are in `editcore.anchors`. A format's rules are imported with its first edit.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.text.diff import unified_diff
from editcore.types import EditResult


def _by(module: str, function: str, *more: str) -> Callable[[Files, EditText, Files | None, Cascade], EditResult]:
    """The careful rule that calls `function(files, patch, *more, seen=...)` of a module."""

    def apply(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
        result: EditResult = getattr(import_module(module), function)(files, edit.patch or "", *more, seen=seen)
        return result

    return apply


def _diff(path: str, before: str, after: str) -> Written:
    return Written(patch=unified_diff(before, after, path=path))


def _envelope(path: str, before: str, after: str) -> Written:
    rows = unified_diff(before, after, path=path).split("\n")[2:-1]
    hunks = ["@@" if row.startswith("@@") else row for row in rows if not row.startswith("\\")]
    lines = ["*** Begin Patch", f"*** Update File: {path}", *hunks, "*** End Patch"]
    return Written(patch="".join(f"{line}\n" for line in lines))


def _anchored(name: str, *, several_files: bool = False) -> Format:
    """The anchored format of that name, which has a view of the same name."""

    def write(path: str, before: str, after: str) -> Written:
        from editcore.anchors.views import changes_between, write_call

        return Written(patch=write_call(name, before, changes_between(before, after), path=path))

    apply = _by("editcore.anchors", "apply_anchored", name)
    return Format(name, ("patch",), "anchors/recommended", apply, write, several_files=several_files, view=name)


UNIFIED_DIFF = Format(
    "unified_diff", ("patch",), "unified_diff/tolerant",
    _by("editcore.patches.unified_diff", "apply_unified_diff"), _diff, several_files=True,
)  # fmt: skip
"""Hunks under `--- a/PATH`, `+++ b/PATH` and `@@ -1,3 +1,4 @@`. The careful rule reads numbers and counts as hints."""
BEGIN_PATCH = Format(
    "begin_patch", ("patch",), "begin_patch/lenient",
    _by("editcore.patches.begin_patch", "apply_begin_patch"), _envelope, several_files=True,
)  # fmt: skip
"""Codex's envelope: `*** Update File: a.py`, `@@`, `-x = 1`, `+x = 2` between `*** Begin Patch`, `*** End Patch`."""
HASHLINE_H2 = _anchored("hashline_h2")
"""JSON: `{"filePath": "a.py", "edits": [{"op": "replace", "pos": "12#VK", "lines": ["x = 2"]}]}`."""
HASHLINE_H4 = _anchored("hashline_h4", several_files=True)
"""Sections: `[a.py#3AE6]` names the file and the hash of its text; below it `PUT 12.=12:` and `+x = 2`."""
EXHASH = _anchored("exhash")
"""JSON commands, made in order: `{"path": "a.py", "cmds": [["12|vN|", "c", "x = 2"]]}`."""
