"""Calls of gptme's `hashline_edit`: one section of H4 in its own strict subset.

The range sign is `.=` and every row of a body begins with `+`. A blank line or a hunk ends a body; between hunks blank
lines and such that begin with `#` say nothing. Lines end where Python's `splitlines` ends them, at form feeds too.
"""

from __future__ import annotations

import re

from editcore.anchors.call import Anchor, Call, LineEdit
from editcore.anchors.reading.json_call import line_number
from editcore.errors import PatchError

_HEADER = re.compile(r"\[(.+)#([0-9A-Fa-f]{8}|[0-9A-Fa-f]{4})\]\s*")
_PUT = re.compile(
    r"PUT\s+(?:(?P<first>\d+)\.=(?P<last>\d+):(?:\s+@(?P<pasted>\w+))?|(?P<block>\d+)\*:"
    r"|(?P<gap>[<>])(?P<at>\d+)(?::|\s+@(?P<gap_pasted>\w+)))\s*"
)
_CUT = re.compile(r"CUT\s+(?P<first>\d+)\.=(?P<last>\d+)(?:\s+@(?P<captured>\w+))?\s*")
_LARGEST = 8 << 20


def read_gptme(patch: str) -> list[Call]:
    """The section, as one call. Raises PatchError.

    A tag of four digits is H4's own, which gptme does not make.
    """
    if len(patch) > _LARGEST:
        raise PatchError(f"the call has {len(patch)} characters; at most {_LARGEST} are read.")
    lines = patch.strip().splitlines()
    header = _HEADER.fullmatch(lines[0].strip()) if lines else None
    if header is None:
        raise PatchError("the first line must be a header such as [path#A1B2C3D4].")
    edits, at = list[LineEdit](), 1
    while at < len(lines):
        line, n = lines[at], at + 1
        at += 1
        if cut := _CUT.fullmatch(line):
            edits.append(_range(cut, n, captured=cut["captured"]))
        elif put := _PUT.fullmatch(line):
            edit = _edit(put, n)
            if edit.pasted is None:
                rows = _body(lines, at)
                # The blank line that ends a body belongs to it.
                at += len(rows) + (at + len(rows) < len(lines) and not lines[at + len(rows)].strip())
                edit = LineEdit(edit.kind, edit.first, edit.last, tuple(rows), edit.block)
            edits.append(edit)
        elif line.strip() and not line.strip().startswith("#"):
            raise PatchError(f"not a hunk, nor a row of a body: {line!a:.80}.", line=n)
    if not edits:
        raise PatchError("the call has no hunk.")
    return [Call(tuple(edits), header[1], header[2].upper())]


def _body(lines: list[str], at: int) -> list[str]:
    rows = list[str]()
    for line in lines[at:]:
        if not line.startswith("+"):
            if line.strip() and not _CUT.fullmatch(line) and not _PUT.fullmatch(line):
                raise PatchError(f"each row of a body begins with a +, and this one does not: {line!a:.80}.")
            break
        rows.append(line[1:])
    return rows


def _edit(put: re.Match[str], n: int) -> LineEdit:
    what = f"line {n} of the call"
    if put["first"]:
        return _range(put, n, pasted=put["pasted"])
    if put["block"]:
        return LineEdit("replace", Anchor(line_number(put["block"], what)), None, (), block=True)
    at = Anchor(line_number(put["at"], what))
    return LineEdit("before" if put["gap"] == "<" else "after", at, None, (), pasted=put["gap_pasted"])


def _range(found: re.Match[str], n: int, *, captured: str | None = None, pasted: str | None = None) -> LineEdit:
    first, last = (line_number(found[name], f"line {n} of the call") for name in ("first", "last"))
    if first > last:
        raise PatchError(f"the range starts at {first} and ends at {last}.", line=n)
    return LineEdit("replace", Anchor(first), Anchor(last), (), captured=captured, pasted=pasted)
