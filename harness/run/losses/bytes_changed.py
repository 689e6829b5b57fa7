"""Bytes that a wrong edit changes outside the lines it is about, by an encoding or by line endings alone."""

from __future__ import annotations

import re

from editcore.text.encodings import UNLIKE
from editcore.text.lines import BOM

_ENDING = re.compile("(\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029])")
"""All that some program takes for the end of a line, and may write otherwise."""


def bytes_changed(
    before: str, intended: tuple[int, int], given: str, *, encoding: str | None, has_bytes: bool
) -> int | None:
    """The bytes outside `intended`, whole lines of the text before, that are others in the given one.

    None where any line outside says something else: that is damage to the text. A line that is ASCII must be the same
    but for its ending and byte order marks; one that is not may be anything in a file of bytes, since what is read in a
    wrong encoding and written again is.
    """
    start, end = intended
    above, below = before[:start], before[end:]
    is_wide = encoding is not None and encoding[:6] in ("utf-16", "utf-32")
    is_other = given.endswith(UNLIKE) or (is_wide and before.startswith(BOM) != given.startswith(BOM))
    given = given.removesuffix(UNLIKE)
    if is_other and is_wide:
        return len((above + below).encode(encoding or "", "surrogatepass"))
    if given.startswith(above) and given.endswith(below) and len(given) >= len(above) + len(below) and not is_other:
        return 0
    head, tail, found = _ENDING.split(above)[:-1], _ENDING.split(below)[1:], _ENDING.split(given)
    n_ends = 0
    if tail and (tail[-1] == "") != (found[-1] == ""):  # The line feed at the end came, or went.
        n_ends, tail, found = 1, _without_end(tail), _without_end(found)
    if len(found) < len(head) + len(tail):
        return None
    pairs = [*zip(head, found, strict=False), *zip(reversed(tail), reversed(found), strict=False)]
    total = n_ends
    for old, new in pairs:
        if old != new:
            if not _same_but_bytes(old, new, has_bytes):
                return None
            total += _n_changed(old, new, encoding)
    return total


def _without_end(pieces: list[str]) -> list[str]:
    return pieces[:-2] if pieces[-1] == "" and len(pieces) > 1 else pieces


def _same_but_bytes(old: str, new: str, has_bytes: bool) -> bool:
    """Whether two pieces, of lines or endings, are the same but for what an encoding or an ending makes of them."""
    if _ENDING.fullmatch(old):
        return _ENDING.fullmatch(new) is not None
    plain = old.replace(BOM, "")
    return plain == new.replace(BOM, "") or (has_bytes and not plain.isascii())


def _n_changed(old: str, new: str, encoding: str | None) -> int:
    codec = encoding or "utf-8"
    left, right = (text.encode(codec, "replace" if encoding else "surrogatepass") for text in (old, new))
    most, size = max(len(left), len(right)), min(len(left), len(right))
    same = next((n for n in range(size) if left[n] != right[n]), size)
    same += next((n for n in range(size - same) if left[-1 - n] != right[-1 - n]), size - same)
    return max(most - same, 1)
