"""`line_range`: lines in place of the lines from one number to another. Nothing tells the rule what was there."""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.patches.line_edits import replace_lines
from editcore.stale.trail import counted_as_seen
from editcore.text.diff import changed_ranges
from editcore.types import EditResult, Reason, Rejected


def _apply(files: Files, edit: EditText, seen: Files | None, cascade: Cascade) -> EditResult:
    del cascade
    if len(files) != 1 or edit.line is None or edit.end_line is None:
        return Rejected(Reason.MALFORMED, "A line range needs exactly one file, a first line and a last line.")
    ((path, text),) = files.items()
    if not seen or path not in seen:
        return replace_lines(text, edit.line, edit.end_line, edit.patch or "")
    now = counted_as_seen(seen[path], text, edit.line, edit.end_line)
    return now if isinstance(now, Rejected) else replace_lines(text, *now, edit.patch or "")


def _write(path: str, before: str, after: str) -> Written | None:
    del path
    changes = changed_ranges(before, after)
    if len(changes) != 1 or changes[0][1] < changes[0][0]:
        return None
    first, last, text = changes[0]
    return Written(patch=text, line=first, end_line=last)


LINE_RANGE = Format(
    "line_range", ("line", "end_line", "patch"), "line_range/lines", _apply, _write,
    "Replaces the stated lines by the text.",
)  # fmt: skip
