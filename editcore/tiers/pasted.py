"""The tier `pasted`: a search text with what was around or before its lines where it was copied.

    search text  |12: def f():    file  |def f():        search text  |```py     file  |x = 1
                 |13:     go()          |    go()                     |x = 1
                                                                      |```

Forgives: line numbers before all lines, ascending by one; a Markdown code fence around all of them, or one end of it
above or below them; minus or quotation marks before all of them. Refuses: text of which only some lines are marked.
Known limit: numbers of lists that ascend by one look like line numbers, and are only left alone since the search text
is looked for as it is before.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise

from editcore.tiers.merging.repairing import Repair, apply_repaired
from editcore.tiers.placing.attempt import Attempt
from editcore.types import EditResult

_GUTTERS = tuple(
    re.compile(shape) for shape in (r" *(\d{1,7})→", r" *(\d{1,7})\t", r" *(\d{1,7}) ?\| ?", r" *(\d{1,7}): ?")
)
_FENCE = re.compile(r"(?:```|~~~)[\w.+#-]*")


def pasted(attempt: Attempt) -> EditResult | None:
    """Text with line numbers, a code fence, or marks of a diff or a quotation."""
    for repair, repair_new, phrase in _REPAIRS:
        result = apply_repaired(attempt, repair, "pasted", phrase, repair_new=repair_new)
        if result is not None:
            return result
    return None


def _without_numbers(text: str) -> str | None:
    """The text without the line numbers before all of its lines."""
    lines = text.removesuffix("\n").split("\n")
    for gutter in _GUTTERS:
        found = [gutter.match(line) for line in lines]
        if not all(found):
            continue
        numbers = [int(one[1]) for one in found if one]
        if all(after == before + 1 for before, after in pairwise(numbers)):
            return "\n".join([line[one.end() :] for line, one in zip(lines, found, strict=True) if one])
    return None


def _without_fence(text: str) -> str | None:
    """The text between a code fence and its end."""
    lines = text.strip("\n").split("\n")
    if len(lines) < 3 or not _FENCE.fullmatch(lines[0].strip()) or lines[-1].strip() != lines[0].strip()[:3]:
        return None
    return _joined(lines[1:-1], text)


def _without_loose_fence(text: str) -> str | None:
    """The text without the only code fence in it, where that is its first or its last line."""
    lines = text.strip("\n").split("\n")
    fences = [n for n, line in enumerate(lines) if _FENCE.fullmatch(line.strip())]
    if len(lines) < 2 or len(fences) != 1 or fences[0] not in (0, len(lines) - 1):
        return None
    return _joined(lines[1:] if fences[0] == 0 else lines[:-1], text)


def _joined(lines: list[str], text: str) -> str:
    """The lines as a text that ends in a line feed if the given one does."""
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _without_marks(marks: tuple[str, ...], text: str) -> str | None:
    """The text without a mark before all of its lines: the first of `marks` that all have."""
    lines = text.removesuffix("\n").split("\n")
    for mark in marks:
        if all(line.startswith(mark) or line == mark.rstrip() for line in lines):
            return "\n".join([line[len(mark) :] for line in lines])
    return None


_REPAIRS: tuple[tuple[Repair, Repair, str], ...] = (
    (_without_numbers, _without_numbers, "line numbers"),
    (_without_fence, _without_fence, "a code fence"),
    (_without_loose_fence, _without_loose_fence, "a code fence"),
    (partial(_without_marks, ("-",)), partial(_without_marks, ("+",)), "marks of a diff"),
    (partial(_without_marks, ("> ", ">")), partial(_without_marks, ("> ", ">")), "marks of a quotation"),
)
"""What undoes a damage in the search text, and in the new text; and its name."""
