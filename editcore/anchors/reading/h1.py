"""Calls of H1: `{"path": P, "edits": [{"set_line": {"anchor": "12:ab", "new_text": "..."}}, ...]}`.

An anchor may carry what the view shows after it, and the `>` of a refusal before it. An empty new text deletes.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.anchors.call import Anchor, Call, LineEdit
from editcore.anchors.reading.json_call import (
    edits_of_call,
    fields_of_call,
    flag_in,
    line_number,
    optional_text,
    text_in,
)
from editcore.errors import PatchError
from editcore.types import Edit

_ANCHOR = re.compile(r"([0-9]+):([0-9A-Za-z]{1,16})")
_FIELDS = {
    "set_line": ("anchor", "new_text"),
    "replace_lines": ("start_anchor", "end_anchor", "new_text"),
    "insert_after": ("anchor", "text"),
    "replace": ("old_text", "new_text", "all"),
}


def read_h1(patch: str) -> list[Call]:
    """The call. Raises PatchError."""
    fields = fields_of_call(patch, ("path", "edits"))
    edits, texts = list[LineEdit](), list[Edit]()
    for n, edit in enumerate(edits_of_call(fields, tuple(_FIELDS)), 1):
        if len(edit) != 1:
            raise PatchError(f"edit {n} must have exactly one of {', '.join(_FIELDS)}.")
        [(name, value)] = edit.items()
        what = f"edit {n}, {name}"
        if not isinstance(value, dict) or any(key not in _FIELDS[name] for key in value):
            raise PatchError(f"{what} must be an object of {', '.join(_FIELDS[name])}.")
        if name == "replace":
            texts.append(_text_edit(value, what))
        else:
            edits.append(_line_edit(name, value, what))
    if not edits and not texts:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), optional_text(fields, "path", "the call"), texts=tuple(texts))]


def _text_edit(value: dict[str, Any], what: str) -> Edit:
    return Edit(text_in(value, "old_text", what), text_in(value, "new_text", what), flag_in(value, "all", what))


def _line_edit(name: str, value: dict[str, Any], what: str) -> LineEdit:
    if name == "insert_after":
        text = text_in(value, "text", what)
        if not text:
            raise PatchError(f"{what}: the text to insert is empty.")
        return LineEdit("after", _anchor(value, "anchor", what), None, tuple(text.split("\n")))
    new = text_in(value, "new_text", what)
    lines = tuple(new.split("\n")) if new else ()
    if name == "set_line":
        return LineEdit("replace", _anchor(value, "anchor", what), None, lines)
    last = None if value.get("end_anchor") is None else _anchor(value, "end_anchor", what)
    return LineEdit("replace", _anchor(value, "start_anchor", what), last, lines)


def _anchor(value: dict[str, Any], key: str, what: str) -> Anchor:
    written = text_in(value, key, what)
    found = _ANCHOR.fullmatch(written.strip().lstrip("> ").partition("|")[0].partition("  ")[0].strip())
    if found is None:
        raise PatchError(f"{what}: `{key}` must be LINE:HASH as read shows it, such as 12:ab, not {written!a:.80}.")
    return Anchor(line_number(found[1], what), found[2].lower())
