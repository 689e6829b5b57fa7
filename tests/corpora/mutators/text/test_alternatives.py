"""Damage to the file's whitespace has two right results: the new text as it is, and one that keeps unchanged lines."""

from __future__ import annotations

from random import Random

import pytest

from corpora.mutators import select_mutators
from corpora.mutators.clean_edit import CleanEdit

CONTENT = "def f(a, b):\n    total = a + b\n    log(total, a)\n    return total + 1\n"
EDIT = CleanEdit("f.py", CONTENT, 0, len(CONTENT) - 1, CONTENT[:-1].replace("+ 1", "+ 2"))


@pytest.mark.parametrize("name", ["trailing_blanks_lost", "collapsed_blanks", "blank_lines_lost", "composed"])
def test_lines_that_the_edit_keeps_may_stay_as_the_file_has_them(name: str) -> None:
    (mutator,) = select_mutators([name])
    damaged = mutator.damage(EDIT, 5, Random(0))
    assert damaged
    assert damaged.target
    assert damaged.alternatives
    before, ((kept,),) = damaged.before[0].content.split("\n"), damaged.alternatives
    changed = set(kept.content.split("\n")) - set(before)
    assert kept.content != damaged.target[0].content
    assert changed == {"    return total + 2"}
