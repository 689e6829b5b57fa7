"""Calls of H2: `{"filePath": P, "edits": [{"op": "replace", "pos": "12#VK", "end": "14#XJ", "lines": [...]}]}`.

`append` and `prepend` put lines below and above `pos` (or `end`), without one at the end and the start of the file. An
anchor may carry what the view shows around it. oh-my-pi from 13.15 on says the same in two fields:
`{"loc": {"range": {"pos": "12#VK", "end": "14#XJ"}}, "content": [...]}`, `{"loc": {"append": "12#VK"}, ...}`, or
`{"loc": "append", ...}`.
"""

from __future__ import annotations

import re
from typing import Any

from editcore.anchors.call import Anchor, Call, Kind, LineEdit, NoSuchAnchor
from editcore.anchors.hashes import LETTERS
from editcore.anchors.reading.json_call import (
    edits_of_call,
    fields_of_call,
    flag_in,
    line_number,
    optional_text,
)
from editcore.errors import PatchError

_ANCHOR = re.compile(rf"([0-9]+)#([{LETTERS}]{{2}})")
_OF_NO_LINE = re.compile(rf"[^0-9#][^#]*#([{LETTERS}]{{2}})")
_DECORATION = re.compile(r"^(?:>>>|[+-])\s*")
_KINDS: dict[str, Kind] = {"replace": "replace", "append": "after", "prepend": "before"}
FIELDS_OF_EDITS = ("op", "pos", "end", "lines", "loc", "content")
LONGEST_ANCHOR = 2_000
"""Characters of an anchor that are searched."""


def read_h2(patch: str) -> list[Call]:
    """The call. Raises PatchError."""
    fields = fields_of_call(patch, ("filePath", "path", "edits", "delete", "rename", "move"))
    path = optional_text(fields, "filePath", "the call") or optional_text(fields, "path", "the call")
    moved_to = optional_text(fields, "rename", "the call") or optional_text(fields, "move", "the call")
    is_deleted = flag_in(fields, "delete", "the call")
    edits = [_edit(edit, f"edit {n}") for n, edit in enumerate(edits_of_call(fields, FIELDS_OF_EDITS), 1)]
    if is_deleted and (edits or moved_to):
        raise PatchError("a file that is deleted takes neither edits nor a new name.")
    if not edits and not is_deleted and not moved_to:
        raise PatchError("the call has no edits.")
    return [Call(tuple(edits), path, is_deleted=is_deleted, moved_to=moved_to)]


def kind_and_fields(edit: dict[str, Any], what: str) -> tuple[Kind, dict[str, Any]]:
    """The kind of an edit, and the edit with `op`, `pos`, `end` and `lines` in any case. Raises PatchError."""
    edit = _in_four_fields(edit, what)
    kind = _KINDS.get(edit["op"]) if isinstance(edit.get("op"), str) else None
    if kind is None:
        raise PatchError(f"{what}: `op` must be replace, append or prepend.")
    if "lines" not in edit:
        raise PatchError(f"{what}: `lines` is missing; null deletes.")
    return kind, edit


def _in_four_fields(edit: dict[str, Any], what: str) -> dict[str, Any]:
    if "loc" not in edit:
        return edit
    if not edit.keys() <= {"loc", "content"}:
        raise PatchError(f"{what} has `loc`, which goes with `content` alone.")
    loc, lines = edit["loc"], {"lines": edit["content"]} if "content" in edit else {}
    if loc in ("append", "prepend"):
        return {"op": loc, **lines}
    if isinstance(loc, dict) and len(loc) == 1:
        [(name, at)] = loc.items()
        if name in ("append", "prepend"):
            return {"op": name, "pos": at, **lines}
        if name == "line":
            return {"op": "replace", "pos": at, **lines}
        if name in ("range", "block") and isinstance(at, dict) and at.keys() == {"pos", "end"}:
            return {"op": "replace", **at, **lines}
    raise PatchError(f"{what}: `loc` must be append, prepend, or an object with one of append, prepend, line or range.")


def _edit(edit: dict[str, Any], what: str) -> LineEdit:
    kind, edit = kind_and_fields(edit, what)
    new = lines_of(edit["lines"], what)
    first, last = _anchor(edit, "pos", what), _anchor(edit, "end", what)
    if kind == "replace":
        if first is None and last is None:
            raise PatchError(f"{what}: replace needs an anchor in `pos`.")
        return LineEdit(kind, first or last, last, new)
    if not new:
        raise PatchError(f"{what}: {edit['op']} needs lines that are not empty.")
    return LineEdit(kind, first or last, None, new)


def lines_of(value: Any, what: str) -> tuple[str, ...]:
    """The new lines: a text is split at its line feeds, null is none. Raises PatchError."""
    if value is None:
        return ()
    pieces = value if isinstance(value, list) else [value]
    if not all(isinstance(piece, str) for piece in pieces):
        raise PatchError(f"{what}: `lines` must be a list of texts, a text, or null.")
    return tuple([line for piece in pieces for line in piece.replace("\r\n", "\n").split("\n")])


def _anchor(edit: dict[str, Any], key: str, what: str) -> Anchor | None:
    written = optional_text(edit, key, what)
    if written is None or not written.strip():
        return None
    plain = _DECORATION.sub("", written[:LONGEST_ANCHOR].strip()).partition("|")[0]
    plain = "#".join([piece.strip() for piece in plain.split("#", 1)])
    found = _ANCHOR.fullmatch(plain) or _ANCHOR.search(plain)
    if found is None:
        hash = _OF_NO_LINE.fullmatch(plain)
        message = f"{what}: `{key}` must be LINE#HASH as read shows it, such as 12#VK, not {written!a:.80}."
        raise NoSuchAnchor(message, hash[1] if hash else "")
    return Anchor(line_number(found[1], what), found[2])
