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
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from editcore.text.whitespace import trim
from editcore.tiers.merging.repairing import apply_repaired
from editcore.tiers.placing.query import Query
from editcore.types import EditResult

_GUTTERS = tuple(
    re.compile(shape) for shape in (r" *(\d{1,7})→", r" *(\d{1,7})\t", r" *(\d{1,7}) ?\| ?", r" *(\d{1,7}): ?")
)
_FENCE = re.compile(r"(?:```|~~~)[\w.+#-]*")


class Marks(NamedTuple):
    """Marks that all lines of a search text have, and how the same are known in the new text."""

    phrase: str
    old: list[str]
    """The lines of the search text without them."""
    unmark: Callable[[list[str]], list[str] | None]
    """Lines of the new text -> the lines without their marks; None where not all of them are marked."""
    is_marked: Callable[[str], bool]
    """Whether a line of the new text has one."""


def pasted(query: Query) -> EditResult | None:
    """Text with line numbers, a code fence, or marks of a diff or a quotation."""
    lines = query.old.all
    if len(query.old.solid) < 2:
        return None
    for find in _KINDS:
        marks = find(query, lines)
        if marks is None:
            continue
        new = marks.unmark(query.new.all or [""])
        if new is None and any(map(marks.is_marked, query.new.solid)):
            continue
        if new is not None and any(trim(line) and marks.unmark([line]) for line in marks.old):
            continue  # Lines of the file look like marked ones, and so may those of an unmarked new text.
        written = query.new.text if new is None else _joined_like(query.new.text, new)
        old = _joined_like(query.old.text, marks.old)
        result = apply_repaired(query, old, written, "pasted", marks.phrase, whole_lines=True)
        if result is not None:
            return result
    return None


def _joined_like(text: str, lines: list[str]) -> str:
    """The lines as a text, which ends in a line feed if the given one does."""
    return "\n".join(lines) + ("\n" if text.endswith("\n") else "")


def _line_numbers(_query: Query, lines: list[str]) -> Marks | None:
    """Numbers with one sign after them; in the new text, those of the same lines with the same sign."""
    for gutter in _GUTTERS:
        numbers = _numbers(gutter, lines)
        if numbers is None:
            continue
        of_place = range(numbers[0], numbers[-1] + 2)

        def is_numbered(line: str, gutter: re.Pattern[str] = gutter, of_place: range = of_place) -> bool:
            found = gutter.match(line)
            return found is not None and int(found[1]) in of_place

        def unnumbered(
            lines: list[str], gutter: re.Pattern[str] = gutter, of_place: range = of_place
        ) -> list[str] | None:
            numbers = _numbers(gutter, lines)
            return _without_numbers(gutter, lines) if numbers and numbers[0] in of_place else None

        return Marks("line numbers", _without_numbers(gutter, lines), unnumbered, is_numbered)
    return None


def _numbers(gutter: re.Pattern[str], lines: list[str]) -> list[int] | None:
    """The numbers before all lines, if they ascend by one."""
    if not gutter.match(lines[0]):
        return None
    found = [gutter.match(line) for line in lines]
    numbers = [int(one[1]) for one in found if one]
    ascends = len(numbers) == len(lines) and all(after == before + 1 for before, after in pairwise(numbers))
    return numbers if ascends else None


def _without_numbers(gutter: re.Pattern[str], lines: list[str]) -> list[str]:
    return [gutter.sub("", line, count=1) for line in lines]


def _code_fence(query: Query, lines: list[str]) -> Marks | None:
    """A fence; in a file that has some itself, it may be a line of the file."""
    inside = _unfenced(lines)
    if inside is None or any(map(_is_fence, query.view.solid)):
        return None
    return _marks("a code fence", inside, _unfenced, _is_fence)


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


def _diff_marks(_query: Query, lines: list[str]) -> Marks | None:
    return _marks("marks of a diff", _after_mark(lines, "-"), partial(_after_mark, mark="+"), _has_sign)


def _has_sign(line: str) -> bool:
    return line[:1] in ("-", "+")


def _quotation_marks(_query: Query, lines: list[str]) -> Marks | None:
    return _marks("marks of a quotation", _quoted(lines), _quoted, lambda line: line.startswith(">"))


def _quoted(lines: list[str]) -> list[str] | None:
    return _after_mark(lines, "> ") or _after_mark(lines, ">")


def _after_mark(lines: list[str], mark: str) -> list[str] | None:
    is_marked = all(line.startswith(mark) or line == mark.rstrip() for line in lines)
    return [line[len(mark) :] for line in lines] if is_marked else None


def _marks(
    phrase: str,
    old: list[str] | None,
    unmark: Callable[[list[str]], list[str] | None],
    is_marked: Callable[[str], bool],
) -> Marks | None:
    return None if old is None else Marks(phrase, old, unmark, is_marked)


_KINDS: tuple[Callable[[Query, list[str]], Marks | None], ...] = (
    _line_numbers,
    _code_fence,
    _diff_marks,
    _quotation_marks,
)
"""(query, lines of the search text) -> the marks of all these lines; None where they have none of the kind."""
