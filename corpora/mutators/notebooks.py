"""Edits of a notebook's JSON with a new text that is not written like the lines of a cell.

The edited file becomes a notebook: each of its lines is a JSON string of one cell, or of two cells if the end of the
edit matters.
"""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from random import Random
from typing import NamedTuple

from corpora.mutators.clean_edit import CleanEdit, Damaged, edited, needs
from corpora.mutators.mutator import Mutator, text_mutators
from corpora.mutators.spans import pick_share
from editcore.notebooks import SUFFIX
from editcore.types import Edit

_ROW = "    "
_CELL = """\
  {
   "cell_type": "code",
   "execution_count": null,
   "metadata": {},
   "outputs": [],
   "source": ["""


class _Notebook(NamedTuple):
    """An edit of a file that was turned into a notebook."""

    path: str
    content: str
    target: str
    old: list[str]
    """The rows (JSON strings with their indentation) that the edit replaces."""
    new: list[str]
    """The correct new rows."""

    def damaged(self, new: list[str], *, old: str | None = None) -> Damaged | None:
        """The edit with another new text and the same right answer; Unfit if the text is the same."""
        needs(new != self.new or old is not None)
        edit = Edit("\n".join(self.old) if old is None else old, "\n".join(new))
        return edited(self.path, self.content, self.target, edit)


def _in_notebook(clean: CleanEdit, *, ends_cell: bool = False) -> _Notebook:
    """The edit of whole lines, in a notebook; Unfit for other edits and for deletions."""
    lines, after = clean.content.split("\n"), clean.target.split("\n")
    first, n_old, n_new = clean.line - 1, len(clean.lines), clean.new.count("\n") + 1
    needs(clean.whole_lines and clean.new and not (ends_cell and first + n_old >= len(lines)))
    rows = [
        [_rows(part) for part in ([some[:end], some[end:]] if ends_cell else [some])]
        for some, end in ((lines, first + n_old), (after, first + n_new))
    ]
    old, new = rows[0][0][first : first + n_old], rows[1][0][first : first + n_new]
    path = str(PurePosixPath(clean.path).with_suffix(SUFFIX))
    needs(old != new and "\n".join(rows[0][0]).count("\n".join(old)) == 1)
    return _Notebook(path, _notebook(rows[0]), _notebook(rows[1]), old, new)


def _rows(lines: list[str]) -> list[str]:
    """The lines of a cell as the rows of its `source` list."""
    ended = [f"{line}\n" for line in lines[:-1]] + [lines[-1]]
    written = [_ROW + json.dumps(line, ensure_ascii=False) for line in ended if line]
    return [f"{row}," for row in written[:-1]] + written[-1:]


def _notebook(cells: list[list[str]]) -> str:
    written = ",\n".join([f"{_CELL}\n{chr(10).join(rows)}\n   ]\n  }}" for rows in cells])
    return f'{{\n "cells": [\n{written}\n ],\n "metadata": {{}},\n "nbformat": 4,\n "nbformat_minor": 5\n}}\n'


def notebook_exact(clean: CleanEdit, _degree: int, _random: Random) -> Damaged | None:
    """The new rows of a notebook's cell are correct."""
    made = _in_notebook(clean)
    return made.damaged(made.new, old="\n".join(made.old))


def notebook_no_line_feeds(clean: CleanEdit, degree: int, random: Random) -> Damaged | None:
    r"""New rows of a notebook's cell lack their \n: the lines run together; degree is the share of them."""
    made = _in_notebook(clean)
    ends = [at for at, row in enumerate(made.new) if row.endswith('\\n",')]
    lost = set(pick_share(ends, degree, random))
    return made.damaged([row.removesuffix('\\n",') + '",' if at in lost else row for at, row in enumerate(made.new)])


def notebook_escapes_off(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The new rows of a notebook's cell are escaped once too few; with degree 2 once too often."""
    made = _in_notebook(clean)
    written = []
    for row in made.new:
        inner, end = (row[len(_ROW) + 1 :].rpartition('"')[::2]) if row.rstrip(",").endswith('"') else (row, "")
        other = json.dumps(inner, ensure_ascii=False)[1:-1] if degree == 2 else inner.replace('\\"', '"')
        written.append(f'{_ROW}"{other}"{end}')
    return made.damaged(written)


def notebook_comma(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The last new row of a notebook's cell lacks its comma; with degree 2 it ends the cell and has one too many."""
    made = _in_notebook(clean, ends_cell=degree == 2)
    last = made.new[-1] + "," if degree == 2 else made.new[-1].removesuffix(",")
    return made.damaged([*made.new[:-1], last])


def notebook_plain(clean: CleanEdit, degree: int, _random: Random) -> Damaged | None:
    """The new text for a notebook's cell is plain code; with degree 2 the search text is, too."""
    made = _in_notebook(clean)
    return made.damaged(clean.new.split("\n"), old=clean.old if degree == 2 else None)


NOTEBOOK_MUTATORS: tuple[Mutator[CleanEdit], ...] = (
    *text_mutators(notebook_exact, absorber="simple"),
    *text_mutators(notebook_no_line_feeds, truth="tolerate", degrees=(1, 3, 5)),
    *text_mutators(notebook_escapes_off, notebook_comma, notebook_plain, truth="tolerate", degrees=(1, 2)),
)
