"""Formats whose edits are one text: `unified_diff`, `begin_patch`, the three that name lines by number and hash,
`insert` and `line_range`, which name lines by number, and `shell`.

Views and rules of the three are in `editcore.anchors`. A format's rules are imported with its first edit.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Literal

from editcore.cascade import Cascade
from editcore.errors import Unmeasured
from editcore.formats.format import EditText, Field, Files, Format, Written, unique_pairs
from editcore.patches.line_edits import insert_lines, replace_lines
from editcore.stale.trail import counted_as_seen
from editcore.text.diff import changed_ranges, unified_diff
from editcore.types import EditResult, Reason, Rejected


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


def _by_number(name: Literal["insert", "line_range"], strategy: str, complaint: str, summary: str) -> Format:
    """A format whose edit names lines by number, 0 the top of the file: lines are put below one, or in their place."""
    is_range = name == "line_range"

    def apply(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
        last = edit.end_line if is_range else edit.line
        if len(files) != 1 or edit.line is None or last is None:
            return Rejected(Reason.MALFORMED, complaint)
        ((path, text),) = files.items()
        place, new = (edit.line, last), edit.patch or ""
        # The start and the end are the same places for an insertion in every text.
        if seen and path in seen and (is_range or edit.line > 0):
            now = counted_as_seen(seen[path], text, *place, is_below=not is_range)
            if isinstance(now, Rejected):
                return now
            place = now
        return replace_lines(text, *place, new) if is_range else insert_lines(text, place[0], new)

    def write(_: str, before: str, after: str) -> Written | None:
        changes = changed_ranges(before, after)
        if len(changes) != 1 or (changes[0][1] >= changes[0][0]) is not is_range:
            return None
        first, last, text = changes[0]
        return Written(patch=text, line=first, end_line=last) if is_range else Written(patch=text, line=last)

    fields: tuple[Field, ...] = ("line", "end_line", "patch") if is_range else ("line", "patch")
    return Format(name, fields, strategy, apply, write, summary)


INSERT = _by_number(
    "insert", "insert/line", "An insertion needs exactly one file and a line.", "Puts the text below the stated line."
)
LINE_RANGE = _by_number(
    "line_range", "line_range/lines", "A line range needs exactly one file, a first line and a last line.",
    "Replaces the stated lines by the text.",
)  # fmt: skip
"""Nothing tells the rule what was there."""


def _run_command(files: Files, edit: EditText, _seen: Files | None, _cascade: Cascade) -> EditResult:
    from editcore.shell.careful import careful

    try:
        return careful(files, edit.patch or "")
    except Unmeasured as error:
        return Rejected(
            Reason.NOT_ALLOWED, f"What the command does is not known before it runs: {error}. Edit directly."
        )


def _write_script(path: str, before: str, after: str) -> Written:
    replaced = [f"s = s.replace({old!r}, {new!r}, 1)\n" for old, new in unique_pairs(before, after)]
    script = f"p = {path!r}\ns = open(p).read()\n{''.join(replaced)}open(p, 'w').write(s)\n"
    return Written(patch=f"python3 - <<'EOF'\n{script}EOF\n")


SHELL = Format("shell", ("patch",), "shell/careful", _run_command, _write_script, several_files=True)
"""A command of a shell that edits files, such as `sed -i 's/foo/bar/' a.py`. The careful rule works out the command's
edits and refuses what was hardly meant; nothing is run."""
