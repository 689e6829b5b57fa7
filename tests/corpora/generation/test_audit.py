"""The audit of clean edits: a place is certain only where nothing else is similar."""

from __future__ import annotations

import pytest

from corpora.generation.audit import ambiguity
from tests.corpora.mutators.small_edit import edit

_OTHERS = "import os\n\n\ndef other():\n    return os.getcwd()\n"


@pytest.mark.parametrize(
    ("marked", "why"),
    [
        ("«total = price * amount»\n", None),
        (_OTHERS + "«total = price * amount\nreturn round(total, 2)»\n", None),
        ("x = «price» * 2\n", None),
        ("a\n« »\nb\n", "blank"),
        ("«pass»\nif x:\n    pass\n", "twice"),
        ("«aba»ba\n", "twice"),
        ("x = «a + b» * 2\ny = a+b\n", "twice but for whitespace"),
        ("«total = price»\ntotal=price\n", "twice but for whitespace"),
        ("«x = 12»\ny\nwhile x  =  12 + z:\n", "twice but for whitespace"),
        ("«f(alpha,\n  beta)»\nf(alpha, beta)\n", "twice but for whitespace"),
        ("«total = price * amount_1»\ny = 3\ntotal = price * amount_2\n", "near twin"),
        ("«total = price * amount\nstore(total)»\ny = 3\ntotal = price * amount\nlog(1)\nstore(totals)\n", "near twin"),
        ("«total = price * amount»\ny = 3\ntotal = sum(prices) / 12\n", None),
    ],
)
def test_an_edit_is_doubted_where_another_place_could_be_meant(marked: str, why: str | None) -> None:
    assert ambiguity(edit(marked, "x")) == why


def test_lines_that_overlap_the_place_itself_raise_no_doubt() -> None:
    assert ambiguity(edit("«first_name = read()»\nfirst_name = read(1)\n", "x")) == "near twin"
    assert ambiguity(edit("a = 1\n«first_name = read()\nsecond_name = read_all()»\nb = 2\n", "x")) is None
