"""The tier `pasted`: a search text with what was around or before its lines where it was copied.

    search text  |12: def f():    file  |def f():        search text  |```py     file  |x = 1
                 |13:     go()          |    go()                     |x = 1
                                                                      |```

Forgives: line numbers before all lines, ascending by one; a Markdown code fence around all of them, or one end of it
above or below them; minus or quotation marks before all of them. The new text is taken without them where all of it is
marked so, and as it is where none of it is. Refuses: a single line, since `-x`, `8080: y` and `> 100` are code; text
that is not whole lines of the file; text of which only some lines are marked. Known limit: numbers of lists that ascend
by one look like line numbers, and are only left alone since the search text is looked for as it is before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from editcore.tiers.merging.repairing import apply_repaired
from editcore.tiers.placing.attempt import Attempt
from editcore.types import EditResult

_GUTTERS = tuple(
    re.compile(shape) for shape in (r" *(\d{1,7})→", r" *(\d{1,7})\t", r" *(\d{1,7}) ?\| ?", r" *(\d{1,7}): ?")
)
_FENCE = re.compile(r"(?:```|~~~)[\w.+#-]*")

Unmark = Callable[[list[str]], list[str] | None]
"""Lines -> the lines without their marks; None where not all of them are marked."""


def pasted(attempt: Attempt) -> EditResult | None:
    """Text with line numbers, a code fence, or marks of a diff or a quotation."""
    if len(attempt.old.solid) < 2:
        return None
    for unmark, unmark_new, is_marked, phrase in _MARKS:
        old = _without(unmark, attempt.old.text)
        if old is None:
            continue
        new = _without(unmark_new, attempt.new.text)
        if new is None and any(map(is_marked, attempt.new.solid)):
            continue
        written = attempt.new.text if new is None else new
        result = apply_repaired(attempt, old, written, "pasted", phrase, whole_lines=True)
        if result is not None:
            return result
    return None


def _without(unmark: Unmark, text: str) -> str | None:
    """The text without its marks, which ends in a line feed if the given one does; None where it is not marked."""
    lines = unmark(text.removesuffix("\n").split("\n"))
    return None if lines is None else "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _unnumbered(lines: list[str]) -> list[str] | None:
    for gutter in _GUTTERS:
        if not gutter.match(lines[0]):
            continue
        found = [gutter.match(line) for line in lines]
        if not all(found):
            continue
        numbers = [int(one[1]) for one in found if one]
        if all(after == before + 1 for before, after in pairwise(numbers)):
            return [line[one.end() :] for line, one in zip(lines, found, strict=True) if one]
    return None


def _is_numbered(line: str) -> bool:
    return any(gutter.match(line) for gutter in _GUTTERS)


def _unfenced(lines: list[str]) -> list[str] | None:
    """The lines within a code fence, or above or below the only end of one."""
    while lines and not lines[0]:
        lines = lines[1:]
    while lines and not lines[-1]:
        lines = lines[:-1]
    fences = [n for n, line in enumerate(lines) if _is_fence(line)]
    if len(lines) > 2 and fences == [0, len(lines) - 1] and lines[-1].strip() == lines[0].strip()[:3]:
        return lines[1:-1]
    if len(lines) > 1 and len(fences) == 1 and fences[0] in (0, len(lines) - 1):
        return lines[1:] if fences[0] == 0 else lines[:-1]
    return None


def _is_fence(line: str) -> bool:
    return _FENCE.fullmatch(line.strip()) is not None


def _removed(lines: list[str]) -> list[str] | None:
    return _after_mark(lines, "-")


def _added(lines: list[str]) -> list[str] | None:
    return _after_mark(lines, "+")


def _quoted(lines: list[str]) -> list[str] | None:
    return _after_mark(lines, "> ") or _after_mark(lines, ">")


def _after_mark(lines: list[str], mark: str) -> list[str] | None:
    is_marked = all(line.startswith(mark) or line == mark.rstrip() for line in lines)
    return [line[len(mark) :] for line in lines] if is_marked else None


_MARKS: tuple[tuple[Unmark, Unmark, Callable[[str], bool], str], ...] = (
    (_unnumbered, _unnumbered, _is_numbered, "line numbers"),
    (_unfenced, _unfenced, _is_fence, "a code fence"),
    (_removed, _added, lambda line: line[:1] in ("-", "+"), "marks of a diff"),
    (_quoted, _quoted, lambda line: line.startswith(">"), "marks of a quotation"),
)
"""What takes the marks from the search text, and from the new text; whether a line has one; and their name."""
