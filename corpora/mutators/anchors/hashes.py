"""Anchors that no view has shown, or not so; and lines that are edited twice in one call."""

from __future__ import annotations

import re
from random import Random

from corpora.mutators.anchors.anchored_edit import AnchoredEdit, mutators
from corpora.mutators.mutator import Damaged
from editcore.anchors.hashes import LETTERS
from editcore.anchors.views import show

_HASH = re.compile(r"(?<=[0-9]#)[A-Z]{2}(?=\")|(?<=[0-9]:)[0-9a-f]{2}(?=\")|(?<=#)[0-9A-F]{4}(?=\]\n)")


def invented_hash(edit: AnchoredEdit, _severity: int, random: Random) -> Damaged | None:
    """The hashes are such as no line of the file has, nor the file."""
    letters = LETTERS if edit.format in ("hashline_h2", "hashline_h3") else "0123456789ABCDEF"
    shown = show(edit.text, edit.format)
    for _ in range(100):
        invented = "".join(random.choices(letters, k=4 if edit.format == "hashline_h4" else 2))
        invented = invented.lower() if edit.format == "hashline_h1" else invented
        if not re.search(rf"[#:]{invented}", shown):
            return edit.refused(_HASH.sub(invented, edit.call() or ""), "unknown_anchor")
    return None


def other_case(edit: AnchoredEdit, _severity: int, _random: Random) -> Damaged | None:
    """The letters of the hashes are in the other case."""
    call = edit.call() or ""
    other = _HASH.sub(lambda found: found[0].swapcase(), call)
    return edit.written(other) if other != call else None


def edited_twice(edit: AnchoredEdit, _severity: int, _random: Random) -> Damaged | None:
    """Two edits of one call are of the same lines, with other new lines each."""
    other = edit.replacing(edit.first, edit.last, [*edit.new, edit.lines[edit.first - 1]])
    return edit.refused(edit.call(edit.replacing(edit.first, edit.last), other), "twice")


MUTATORS = (
    *mutators(invented_hash, "refuse"),
    *mutators(other_case, "tolerate"),
    *mutators(edited_twice, "refuse"),
)
