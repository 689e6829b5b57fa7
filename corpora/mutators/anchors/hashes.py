"""Anchors that no view has shown, or not so; and edits of one call that depend on each other."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from types import MappingProxyType

from corpora.mutators.anchors.anchored_edit import IN_JSON, AnchoredEdit, mutators, text_of
from corpora.mutators.mutator import DEGREES, Damaged
from corpora.mutators.words import invented_statement
from corpora.sample import Format
from editcore.anchors.calls import Change
from editcore.anchors.views import BASE64URL, LETTERS, anchor_of, show, shown_lines

_DIGITS = "0123456789ABCDEF"
_LETTERS: Mapping[Format, tuple[str, str]] = MappingProxyType(
    {
        "hashline_h2": (LETTERS, "ACDEFG"),
        "hashline_h4": (_DIGITS, "GHKMUV"),
        "exhash": (BASE64URL, "+/=.!?"),
    }
)
"""Format -> the letters of its hashes, and some that none has."""
_HASH = re.compile(
    r"(?<=[0-9]#)[A-Z]{2}(?=\")|(?<=[0-9]:)[0-9a-f]{2}(?=\")|(?<=#)[0-9A-F]{4}(?=\]\n)|(?<=[0-9]\|)[\w-]{2}(?=\|[\",])"
)


def invented_hash(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The hashes are such as no line of the file has, nor the file."""
    letters, _ = _LETTERS[edit.format]
    shown = show(edit.text, edit.format)
    for _ in range(100):
        invented = "".join(random.choices(letters, k=4 if edit.format == "hashline_h4" else 2))
        if not re.search(rf"[#:|]{invented}", shown):
            return edit.refused(_HASH.sub(invented, edit.call()), "unknown_anchor")
    return None


def wrong_alphabet(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The hashes are of characters that no hash of the format has."""
    _, letters = _LETTERS[edit.format]
    other = _HASH.sub(lambda found: "".join(random.choices(letters, k=len(found[0]))), edit.call())
    return edit.refused(other, "unknown_anchor")


def other_case(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """The letters of the hashes are in the other case."""
    call = edit.call()
    other = _HASH.sub(lambda found: found[0].swapcase(), call)
    return edit.written(other) if other != call else None


def edited_twice(edit: AnchoredEdit, _degree: int, _random: Random) -> Damaged | None:
    """Two edits of one call are of the same lines, with other new lines each."""
    other = edit.replacing(edit.first, edit.last, [*edit.new, edit.lines[edit.first - 1]])
    return edit.refused(edit.call(edit.replacing(edit.first, edit.last), other), "twice")


def dependent_edits(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit puts lines above, and the second has the numbers and hashes after it; degree is their number."""
    added, after = _with_lines_above(edit, degree, random)
    was, shown = (shown_lines(text, edit.format) for text in (edit.text, after.text))
    ends = {after.first, after.last}
    if all(n < len(was) and anchor_of(edit.format, was, n) == anchor_of(edit.format, shown, n) for n in ends):
        return None  # The call says something else, and nothing shows it.
    return edit.written(_joined(edit.call(added), after.call()), target=after.after(after.lines))


def dependent_numbers(edit: AnchoredEdit, degree: int, random: Random) -> Damaged | None:
    """The first edit puts lines above, and the second counts them, so it names others; degree is their number."""
    added, after = _with_lines_above(edit, degree, random)
    if after.last > len(edit.lines):
        return None
    target = text_of([*added.new, *edit.lines[: after.first - 1], *edit.new, *edit.lines[after.last :]])
    return edit.written(edit.call(added, edit.replacing(after.first, after.last)), target=target)


def _with_lines_above(edit: AnchoredEdit, n: int, random: Random) -> tuple[Change, AnchoredEdit]:
    """A change that puts lines at the top, and the edit of what it leaves."""
    lines = [invented_statement(edit.path, random) for _ in range(n)]
    added = Change("before", 1, 1, tuple(lines))
    return added, replace(edit, lines=(*lines, *edit.lines), first=edit.first + n, last=edit.last + n)


def _joined(first: str, second: str) -> str:
    """Two calls in JSON as one."""
    one, other = json.loads(first), json.loads(second)
    name = "cmds" if "cmds" in one else "edits"
    return json.dumps({**one, name: [*one[name], *other[name]]}, ensure_ascii=False)


def own_edit_forgotten(edit: AnchoredEdit, _degree: int, random: Random) -> Damaged | None:
    """The model's own edit has changed the first of the lines, and the hashes are those from before it."""
    lines = list(edit.lines)
    lines[edit.first - 1] = invented_statement(edit.path, random)
    return replace(edit, lines=tuple(lines)).written(edit.call())


MUTATORS = (
    *mutators(invented_hash, "refuse"),
    *mutators(wrong_alphabet, "refuse"),
    *mutators(other_case, "tolerate", formats=("hashline_h2", "hashline_h4")),  # Of exhash, both cases are letters.
    *mutators(edited_twice, "refuse"),
    *mutators(dependent_edits, "tolerate", formats=IN_JSON, degrees=DEGREES),
    *mutators(dependent_numbers, "hazard", formats=("hashline_h4",), degrees=DEGREES),
    *mutators(own_edit_forgotten, "tolerate"),
)
