"""Calls of H3: `{"path": P, "edits": [{"op": "replace", "pos": "12#MQ: const x", "end": "14#VR", "lines": [...]}]}`.

As H2, and stricter: `lines` must be a list, none of which may look like a line of a view, and an anchor that has kept
its text is held to it. `replace_text` takes `oldText` and `newText` instead.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.anchors.call import Anchor, Call, Kind, LineEdit
from editcore.anchors.hashes import LETTERS
from editcore.anchors.reading.h2 import LONGEST_ANCHOR
from editcore.anchors.reading.json_call import edits_of_call, fields_of_call, line_number, optional_text, text_in
from editcore.errors import PatchError
from editcore.types import Edit

_ANCHOR = re.compile(rf"\s*([0-9]+)#([{LETTERS}]{{2,4}})(?::(.*))?", re.DOTALL)
_OF_A_VIEW = re.compile(rf" *\+?(?:[0-9]+)?#[{LETTERS}]{{2,4}}:|-[0-9]+ {{4}}")
_KINDS: dict[str, Kind] = {"replace": "replace", "append": "after", "prepend": "before"}


def read_h3(patch: str) -> list[Call]:
    """The call. Raises PatchError."""
    fields = fields_of_call(patch, ("path", "edits"))
    edits, texts = list[LineEdit](), list[Edit]()
    known = ("op", "pos", "end", "lines", "oldText", "newText")
    for n, edit in enumerate(edits_of_call(fields, known), 1):
        what = f"edit {n}"
        if edit.get("op") == "replace_text":
            texts.append(Edit(text_in(edit, "oldText", what), text_in(edit, "newText", what)))
        else:
            edits.append(_edit(edit, what))
    if not edits and not texts:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), optional_text(fields, "path", "the call"), texts=tuple(texts))]


def _edit(edit: dict[str, Any], what: str) -> LineEdit:
    kind = _KINDS.get(edit["op"]) if isinstance(edit.get("op"), str) else None
    if kind is None:
        raise PatchError(f"{what}: `op` must be replace, append, prepend or replace_text.")
    new = edit.get("lines")
    if not isinstance(new, list) or not all(isinstance(line, str) for line in new):
        raise PatchError(f"{what}: `lines` must be a list of texts.")
    lines = tuple([line for piece in new for line in piece.split("\n")])
    pasted = next((line for line in lines if _OF_A_VIEW.match(line)), None)
    if pasted is not None:
        raise PatchError(f"[E_INVALID_PATCH] {what}: the new line {pasted!a:.80} looks like one of a view or a diff.")
    first, last = _anchor(edit, "pos", what), _anchor(edit, "end", what)
    if kind == "replace" and first is None:
        raise PatchError(f"[E_BAD_REF] {what}: replace needs an anchor in `pos`.")
    if kind != "replace" and (last is not None or not lines):
        raise PatchError(f"{what}: {edit['op']} takes `pos` only, and lines that are not empty.")
    return LineEdit(kind, first, last, lines)


def _anchor(edit: dict[str, Any], key: str, what: str) -> Anchor | None:
    written = optional_text(edit, key, what)
    if written is None:
        return None
    found = _ANCHOR.fullmatch(written[:LONGEST_ANCHOR].rstrip("\n"))
    if found is None:
        raise PatchError(f"[E_BAD_REF] {what}: `{key}` must be LINE#HASH as read shows it, not {written!a:.80}.")
    return Anchor(line_number(found[1], what), found[2], found[3])
