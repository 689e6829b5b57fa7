"""Calls of H2 as oh-my-pi reads them: those of `h2`, with an anchor at the start of what names it.

Of a text in `lines` one line feed at the end is dropped. Lines that are added, and are none, are one blank line. `end`
goes before `pos` where lines are put above one, and the new path of a file is its `move`.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.anchors.call import Anchor, Call, LineEdit
from editcore.anchors.hashes import LETTERS
from editcore.anchors.reading.h2 import FIELDS_OF_EDITS, LONGEST_ANCHOR, kind_and_fields
from editcore.anchors.reading.json_call import (
    edits_of_call,
    fields_of_call,
    flag_in,
    line_number,
    optional_text,
)
from editcore.errors import PatchError

_ANCHOR = re.compile(rf"\s*[>+-]*\s*([0-9]+)\s*#\s*([{LETTERS}]{{2}})")


def read_h2_oh_my_pi(patch: str) -> list[Call]:
    """The call. Raises PatchError."""
    fields = fields_of_call(patch, ("path", "filePath", "edits", "delete", "move", "rename"))
    path, moved_to = (
        optional_text(fields, first, "the call") or optional_text(fields, second, "the call")
        for first, second in (("path", "filePath"), ("move", "rename"))
    )
    if flag_in(fields, "delete", "the call"):
        return [Call(path=path, is_deleted=True)]
    edits = [_edit(edit, f"edit {n}") for n, edit in enumerate(edits_of_call(fields, FIELDS_OF_EDITS), 1)]
    if not edits and not moved_to:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), path, moved_to=moved_to)]


def _edit(edit: dict[str, Any], what: str) -> LineEdit:
    kind, edit = kind_and_fields(edit, what)
    new, first, last = _lines(edit["lines"], what), _anchor(edit, "pos", what), _anchor(edit, "end", what)
    if kind == "replace":
        if first is None and last is None:
            raise PatchError(f"{what}: replace needs an anchor in `pos` or `end`.")
        return LineEdit(kind, first or last, last if first else None, new)
    ends = (first, last) if kind == "after" else (last, first)
    return LineEdit(kind, ends[0] or ends[1], None, new or ("",))


def _lines(value: Any, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value.removesuffix("\n").replace("\r", "").split("\n"))
    if not isinstance(value, list) or not all(isinstance(line, str) for line in value):
        raise PatchError(f"{what}: `lines` must be a list of texts, a text, or null.")
    return tuple(value)


def _anchor(edit: dict[str, Any], key: str, what: str) -> Anchor | None:
    written = optional_text(edit, key, what)
    if not written:
        return None
    found = _ANCHOR.match(written[:LONGEST_ANCHOR])
    if found is None:
        raise PatchError(f"{what}: `{key}` must be LINE#HASH as read shows it, such as 12#VK, not {written!a:.80}.")
    return Anchor(line_number(found[1], what), found[2])
