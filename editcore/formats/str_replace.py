"""`str_replace`: pairs of a search text and its replacement, in the arguments of a tool.

{"old_string": "x = 1", "new_string": "x = 2"}
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from editcore.apply import apply_edit
from editcore.cascade import Cascade
from editcore.formats.format import EditText, Files, Format, Written, only_file, unique_pairs
from editcore.text.document import Document
from editcore.types import Applied, Edit, EditResult, Rejected


def apply_edits(
    text: str | Document, edits: Sequence[Edit], cascade: Cascade, *, path: str, whole_lines: bool = False
) -> EditResult:
    """Apply edits in order through a cascade, all or nothing.

    The matches of an edit are offsets in the text that the edits before it left. `replacer` is the last one in the
    cascade's order that decided an edit.
    """
    apply = partial(apply_edit, cascade=cascade, whole_lines=whole_lines, path=path)
    result = apply(text, edits[0])
    if len(edits) == 1 or isinstance(result, Rejected):
        return result
    applied = [result]
    for edit in edits[1:]:
        result = apply(applied[-1].content or "", edit)
        if isinstance(result, Rejected):
            return result
        applied.append(result)
    place = {name: number for number, name in enumerate(cascade.order)}
    furthest = max((step.replacer or "" for step in applied), key=lambda name: place.get(name, -1))
    matches = tuple(match for step in applied for match in step.matches)
    return Applied(applied[-1].content, matches, furthest, is_everywhere=any(step.is_everywhere for step in applied))


def apply_pairs(
    files: Files, edit: EditText, seen: Files | None, cascade: Cascade, *, whole_lines: bool = False
) -> EditResult:
    """The careful rule for the pairs of one file. If it was changed since the model saw it, both changes are merged."""
    from editcore.stale import stale_rule

    only, edits = only_file(files), edit.edits or ()
    if isinstance(only, Rejected):
        return only
    path, text = only
    was = None if seen is None else seen.get(path)
    if was is None:
        return apply_edits(text, edits, cascade, path=path, whole_lines=whole_lines)
    if len(edits) == 1:
        return apply_edit(text, edits[0], cascade=cascade, whole_lines=whole_lines, path=path, seen=was)
    place = stale_rule("recommended")
    return place(was, text, lambda old: apply_edits(old, edits, cascade, path=path, whole_lines=whole_lines))


def _write(path: str, before: str, after: str) -> Written:
    del path
    return Written(edits=tuple(Edit(*pair) for pair in unique_pairs(before, after)))


STR_REPLACE = Format("str_replace", ("edits",), "cascade/recommended", apply_pairs, _write, has_edits=True)
