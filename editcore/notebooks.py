"""Jupyter notebooks as text: whether one can still be read, and on which lines its cells stand.

A model edits the text of a `.ipynb` file, which is JSON: a line of code is `"x = 1\\n",` there. What models get wrong:
text without quotes, escapes one level off, a comma too many, and lines that lack their `\\n`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from editcore.quoting import shown
from editcore.text.lines import BOM
from editcore.types import Reason, Rejected

SUFFIX = ".ipynb"
_KINDS = ("code", "markdown", "raw")
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_EACH_LINE = r'Each line of a cell is a JSON text, "x = 1\n", with its quotes, \n and comma; the last has no comma.'


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a notebook, and its lines in the file."""

    kind: str
    """code, markdown or raw."""
    first_line: int
    """1-based."""
    last_line: int
    source_lines: tuple[int, int]
    """The first and the last line of its source; 1-based, inclusive."""
    joined_lines: tuple[int, ...]
    """Lines of its source that the next one is run into, since they lack their `\\n`."""


class Unreadable(NamedTuple):
    """Why Jupyter cannot read a text as a notebook."""

    line: int
    """1-based."""
    why: str


class _Unreadable(Exception):
    """Why it cannot, while it is being read."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(line, why)
        self.found = Unreadable(line, why)


@dataclass(frozen=True)
class _Text:
    """A text with the places of its values."""

    text: str

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def skip(self, at: int) -> int:
        """The offset of the next letter that is no space."""
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def decode(self, at: int) -> tuple[Any, int]:
        """The value at an offset, and the offset after it."""
        return _DECODER.raw_decode(self.text, at)

    def members(self, at: int) -> Iterator[tuple[str, int]]:
        at = self.skip(at + 1)
        while self.text[at] == '"':
            key, at = self.decode(at)
            at = self.skip(self.skip(at) + 1)
            yield key, at
            at = self.skip(self.decode(at)[1])
            at = self.skip(at + 1)
            if at >= len(self.text):
                return

    def items(self, at: int) -> Iterator[tuple[Any, int, int]]:
        at = self.skip(at + 1)
        while self.text[at] != "]":
            value, end = self.decode(at)
            yield value, at, end
            at = self.skip(end)
            at = self.skip(at + 1) if self.text[at] == "," else at


def cells(text: str) -> list[Cell] | Unreadable:
    """The cells of a notebook, in order; why it cannot be read where that is so."""
    whole = _Text(text.removeprefix(BOM))
    try:
        return [_cell(whole, number, *one) for number, one in enumerate(_items_of_cells(whole), 1)]
    except _Unreadable as error:
        return error.found


def _items_of_cells(whole: _Text) -> list[tuple[Any, int, int]]:
    try:
        found = json.loads(whole.text)
    except json.JSONDecodeError as error:
        raise _Unreadable(error.lineno, _why(whole.text, error)) from None
    except (ValueError, RecursionError) as error:  # A number of too many digits; lists in lists without end.
        raise _Unreadable(1, str(error)) from None
    if not isinstance(found, dict) or not isinstance(found.get("cells"), list):
        raise _Unreadable(1, 'it has no list of "cells"')
    at = [at for key, at in whole.members(whole.skip(0)) if key == "cells"][-1]
    return list(whole.items(at))


def _why(text: str, error: json.JSONDecodeError) -> str:
    """The error, in words for somebody who edits a notebook as text."""
    if text[: error.pos].rstrip().endswith(",") and text[error.pos : error.pos + 1] in ("]", "}"):
        return f"there is a comma before the closing {text[error.pos]}"
    return f"{error.msg[0].lower()}{error.msg[1:]}"


def _cell(whole: _Text, number: int, value: Any, at: int, end: int) -> Cell:
    line = whole.line(at)
    if not isinstance(value, dict) or value.get("cell_type") not in _KINDS:
        raise _Unreadable(line, f'cell {number} has no "cell_type" of {", ".join(_KINDS)}')
    source = value.get("source")
    if not isinstance(source, str | list):
        raise _Unreadable(line, f'cell {number} has no "source" that is a text or a list of texts')
    place = [place for key, place in whole.members(at) if key == "source"][-1]
    joined = _joined(whole, number, place) if isinstance(source, list) else ()
    source_lines = whole.line(place), whole.line(whole.decode(place)[1] - 1)
    return Cell(value["cell_type"], line, whole.line(end - 1), source_lines, joined)


def _joined(whole: _Text, number: int, at: int) -> tuple[int, ...]:
    lines = [(value, whole.line(place)) for value, place, _ in whole.items(at)]
    for value, line in lines:
        if not isinstance(value, str):
            raise _Unreadable(line, f"the source of cell {number} has a value that is no text")
    return tuple(line for value, line in lines[:-1] if not value.endswith("\n"))


def unreadable_after(before: Mapping[str, str], after: Mapping[str, str]) -> Rejected | None:
    """The refusal of a change that leaves an unreadable notebook, or one whose lines run into each other.

    A notebook that was unreadable before may be changed in any way. An empty file is not a notebook.
    """
    for path, text in after.items():
        if path.lower().endswith(SUFFIX) and text.strip() and text != before.get(path):
            problem = _problem(text)
            if problem is not None and not (before.get(path, "").strip() and _problem(before[path])):
                return Rejected(
                    Reason.MALFORMED,
                    f"Nothing was written, because {shown(path)} could not be read as a notebook: line {problem.line} "
                    f"of the result: {problem.why}. {_EACH_LINE}",
                )
    return None


def _problem(text: str) -> Unreadable | None:
    found = cells(text)
    if isinstance(found, Unreadable):
        return found
    joined = [line for cell in found for line in cell.joined_lines]
    return Unreadable(joined[0], r"it lacks its \n, so that the next line would run into it") if joined else None
