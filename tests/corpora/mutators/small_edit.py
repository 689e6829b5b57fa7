"""The damage of a mutator to a small edit, and the tables of expected damage: `damage/FAMILY*.txt`, one per module."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import ndiff
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import combining

import pytest

from corpora.mutators import MUTATORS
from corpora.mutators.clean_edit import CleanEdit, Damaged

_BEFORE = "import os\n\n\nclass Store:\n"
_OLD = """\
    def load(self, path):
        limit = 10 + self.max_size  # in whole bytes
        if not path == "a-b":
            return join(path, limit)
        return [limit, True]"""
_NEW = """\
    def load(self, path):
        return path"""
_AFTER = """

    def save(self):
        write(self)

    def close(self):
        pass
"""

CLEAN = CleanEdit("store.py", _BEFORE + _OLD + _AFTER, len(_BEFORE), len(_BEFORE + _OLD), _NEW)
TABLES = Path(__file__).parent / "damage"


def edit(marked: str, new: str, *, path: str = "a.py") -> CleanEdit:
    """The edit whose span is between « and »."""
    before, _, rest = marked.partition("«")
    old, _, after = rest.partition("»")
    return CleanEdit(path, before + old + after, len(before), len(before + old), new)


def damage(name: str, degree: int = 1, *, clean: Any = CLEAN, seed: int = 0) -> Damaged | None:
    """The result of the mutator of this name for an edit or a patch."""
    return MUTATORS[name].damaged(clean, degree, Random(seed))


def damaged(name: str, degree: int = 1, *, clean: Any = CLEAN, seed: int = 0) -> Damaged:
    """The same, where there is one."""
    found = damage(name, degree, clean=clean, seed=seed)
    assert found is not None
    return found


def compared(what: str, before: str, after: str) -> Iterator[str]:
    """The lines that were removed and added, with a word in front that names the text."""
    for line in ndiff(before.split("\n"), after.split("\n")):
        if line[0] in "-+":
            yield f"{what} {line[0]}{_visible(line[2:])}".strip()


def _visible(line: str) -> str:
    """The line with tabs, carriage returns, trailing spaces and invisible characters written out."""
    kept = line.rstrip(" ")
    line = (kept + "·" * (len(line) - len(kept))).replace("\t", "⇥").replace("\r", "␍")
    return "".join([c if c.isprintable() and not combining(c) else f"<{ord(c):04x}>" for c in line])


def cases(family: str, n_words: int = 2) -> list[Any]:
    """The words of the first line of each paragraph of the family's tables, and its other lines, as parameters.

    The words are the mutator's name, the degree and what else the family has.
    """
    found = []
    for path in sorted(TABLES.glob(f"{family}*.txt")):
        for paragraph in path.read_text("utf-8").strip("\n").split("\n\n"):
            head, *lines = paragraph.split("\n")
            name, degree, *more = head.split()
            assert len(more) == n_words - 2, head
            found.append(pytest.param(name, int(degree), *more, lines, id=head.replace(" ", "-")))
    return found


def named_in(family: str) -> set[tuple[str, int]]:
    """The mutators and degrees that a family's tables have."""
    return {(name, degree) for name, degree, *_ in (case.values for case in cases(family))}
