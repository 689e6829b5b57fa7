"""`insert`: lines to insert below the line with a number; 0 is the top of the file."""

from __future__ import annotations

from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written
from editcore.patches.line_edits import insert_lines
from editcore.stale.trail import counted_as_seen
from editcore.text.diff import changed_ranges
from editcore.types import EditResult, Reason, Rejected


def _apply(files: Files, edit: EditText, seen: Files | None, cascade: Cascade) -> EditResult:
    del cascade
    if len(files) != 1 or edit.line is None:
        return Rejected(Reason.MALFORMED, "An insertion needs exactly one file and a line.")
    ((path, text),) = files.items()
    if not seen or path not in seen or edit.line <= 0:  # The start and the end are the same places in every text.
        return insert_lines(text, edit.line, edit.patch or "")
    now = counted_as_seen(seen[path], text, edit.line, edit.line, is_below=True)
    return now if isinstance(now, Rejected) else insert_lines(text, now[0], edit.patch or "")


def _write(path: str, before: str, after: str) -> Written | None:
    del path
    changes = changed_ranges(before, after)
    if len(changes) != 1 or changes[0][1] >= changes[0][0]:
        return None
    return Written(patch=changes[0][2], line=changes[0][1])


INSERT = Format("insert", ("line", "patch"), "insert/line", _apply, _write, "Puts the text below the stated line.")
