"""Cline's search/replace blocks, in three versions. Blocks carry whole lines: both texts end in a line feed.

    exact      indexOf, from the end of the previous block
    trimmed    the first window whose lines are equal without whitespace at their ends
    anchors    |{ ... }|  the first window of as many lines whose first and last line are equal

In v1 an empty search text replaces the whole file. v2 (June 2025) refuses an empty search text, and looks for a block
that is out of order from the top again. v3 (June 2026) compares the lines between the anchors, as OpenCode did at the
time, with thresholds of 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from editcore.agents.rule import Rule
from editcore.agents.runner import Found, not_found, nothing_sought, spliced
from editcore.replacers.block_anchor import block_anchor
from editcore.text.document import Document
from editcore.text.line_index import block_starts
from editcore.text.whitespace import trim
from editcore.types import Edit, EditResult, Match


class Placed(NamedTuple):
    start: int
    end: int
    step: str
    new: str


Anchors = Callable[[Document, str, int], tuple[int, int] | None]
"""(document, search text, offset to begin at) -> the span of a block between anchors, with its last line feed."""


def _block(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _wanted(find: str) -> list[str]:
    return [trim(line) for line in find.removesuffix("\n").split("\n")]


def _first_line(document: Document, at: int) -> int:
    line = document.text.count("\n", 0, at)
    return line if document.starts[line] == at else line + 1


def _lines_at(document: Document, line: int, n_lines: int) -> tuple[int, int]:
    return document.starts[line], min(document.starts[line + n_lines], len(document.text))


def _trimmed(document: Document, find: str, at: int) -> tuple[int, int] | None:
    first, wanted = _first_line(document, at), _wanted(find)
    found = next((line for line in block_starts(document.trimmed, wanted) if line >= first), None)
    return None if found is None else _lines_at(document, found, len(wanted))


def _same_size(document: Document, find: str, at: int) -> tuple[int, int] | None:
    """The first window with as many lines as `find`, whose first and last lines are equal when trimmed."""
    wanted, lines = _wanted(find), document.trimmed
    last = len(wanted) - 1
    if find.count("\n") < 2:
        return None
    for line in range(_first_line(document, at), len(lines) - last):
        if lines[line] == wanted[0] and lines[line + last] == wanted[-1]:
            return _lines_at(document, line, len(wanted))
    return None


def _similar(single: float, several: float) -> Anchors:
    def anchors(document: Document, find: str, at: int) -> tuple[int, int] | None:
        rest = Document(document.text[at:])
        block = next(block_anchor(rest, find, single_similarity=single, several_similarity=several), None)
        if block is None:
            return None
        start = document.text.find(block, at)
        return start, min(start + len(block) + 1, len(document.text))

    return anchors


def _placed(document: Document, edit: Edit, at: int, anchors: Anchors, *, from_top: bool) -> Placed | None:
    find, new = _block(edit.old_string), _block(edit.new_string)
    exact = document.text.find(find, at)
    if exact >= 0:
        return Placed(exact, exact + len(find), "exact", new)
    for step, rule in (("trimmed", _trimmed), ("anchors", anchors)):
        found = rule(document, find, at)
        if found:
            return Placed(*found, step, new)
    exact = document.text.find(find) if from_top else -1
    return Placed(exact, exact + len(find), "out_of_order", new) if exact >= 0 else None


def _applied(text: str, edits: Sequence[Edit], anchors: Anchors, *, from_top: bool) -> EditResult:
    document, done, placed = Document(text), 0, []
    for edit in edits:
        if not edit.old_string and text and from_top:
            raise nothing_sought()
        if not edit.old_string:
            one: Placed | None = Placed(0, len(text), "whole_file", _block(edit.new_string))
        else:
            one = _placed(document, edit, done, anchors, from_top=from_top)
        if one is None:
            raise not_found()
        placed.append(one)
        done = max(done, one.end)
    in_order = sorted(placed, key=lambda one: one.start)
    found = Found([(one.start, one.end) for one in in_order], [one.new for one in in_order])
    matches = tuple(Match(one.start, one.end, one.step) for one in placed)
    return replace(spliced(text, found, placed[-1].step), matches=matches)


def _rule(anchors: Anchors, *, from_top: bool) -> Rule:
    return lambda text, edits: _applied(text, edits, anchors, from_top=from_top)


def _cline_v3(
    text: str, edits: Sequence[Edit], *, single_similarity: float = 0.0, several_similarity: float = 0.0
) -> EditResult:
    return _applied(text, edits, _similar(single_similarity, several_similarity), from_top=True)


RULES: dict[str, Rule] = {
    "cline_v1": _rule(_same_size, from_top=False),
    "cline_v2": _rule(_same_size, from_top=True),
    "cline_v3": _cline_v3,
}
