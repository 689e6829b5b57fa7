"""`insert` and `line_range`: lines below a line, or in place of lines, that a number names. 0 is the top of the file.

Nothing tells the rule of `line_range` what was there.
"""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.patches.line_edits import insert_lines, replace_lines
from editcore.stale.trail import counted_as_seen
from editcore.text.diff import changed_ranges
from editcore.types import EditResult, Reason, Rejected


def _insert(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
    if len(files) != 1 or edit.line is None:
        return Rejected(Reason.MALFORMED, "An insertion needs exactly one file and a line.")
    ((path, text),) = files.items()
    if not seen or path not in seen or edit.line <= 0:  # The start and the end are the same places in every text.
        return insert_lines(text, edit.line, edit.patch or "")
    now = counted_as_seen(seen[path], text, edit.line, edit.line, is_below=True)
    return now if isinstance(now, Rejected) else insert_lines(text, now[0], edit.patch or "")


def _replace(files: Files, edit: EditText, seen: Files | None, _: Cascade) -> EditResult:
    if len(files) != 1 or edit.line is None or edit.end_line is None:
        return Rejected(Reason.MALFORMED, "A line range needs exactly one file, a first line and a last line.")
    ((path, text),) = files.items()
    if not seen or path not in seen:
        return replace_lines(text, edit.line, edit.end_line, edit.patch or "")
    now = counted_as_seen(seen[path], text, edit.line, edit.end_line)
    return now if isinstance(now, Rejected) else replace_lines(text, *now, edit.patch or "")


def _write_insertion(_: str, before: str, after: str) -> Written | None:
    changes = changed_ranges(before, after)
    is_insertion = len(changes) == 1 and changes[0][1] < changes[0][0]
    return Written(patch=changes[0][2], line=changes[0][1]) if is_insertion else None


def _write_range(_: str, before: str, after: str) -> Written | None:
    changes = changed_ranges(before, after)
    is_range = len(changes) == 1 and changes[0][1] >= changes[0][0]
    return Written(patch=changes[0][2], line=changes[0][0], end_line=changes[0][1]) if is_range else None


INSERT = Format(
    "insert", ("line", "patch"), "insert/line", _insert, _write_insertion, "Puts the text below the stated line."
)
LINE_RANGE = Format(
    "line_range", ("line", "end_line", "patch"), "line_range/lines", _replace, _write_range,
    "Replaces the stated lines by the text.",
)  # fmt: skip
